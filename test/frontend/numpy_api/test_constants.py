"""Arrays that nobody can write, and what compiled functions keep of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft

SIZE = 160


def weights(seed: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal((SIZE, SIZE)).astype(dtype)


X = np.random.default_rng(9).standard_normal((40, SIZE)).astype(np.float32)


def is_packed(function: weft.Function, *arguments: Any) -> bool:
    return " mod " in function.get_concrete_function(*arguments).as_text("kernels")


def same(got: Any, expected: Any) -> None:
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-3)


def test_is_a_copy_that_cannot_be_written() -> None:
    source = np.arange(6.0).reshape(2, 3)
    for array in (source, source.T, source[:, ::-1], source.astype(">f8")):
        made = weft.constant(array)
        np.testing.assert_array_equal(made, array)
        assert type(made) is np.ndarray
        assert made.dtype == np.float64
        assert made.flags.c_contiguous
        assert not np.shares_memory(made, source)
        with pytest.raises(ValueError, match="read-only"):
            made[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            made.flags.writeable = True


@pytest.mark.parametrize("value", [3, 2.5, [1, 2], [], np.zeros((0, 3)), np.float32(4), [[True, False]]])
def test_takes_what_numpy_makes_arrays_of(value: Any) -> None:
    made = weft.constant(value)
    assert made.dtype == np.asarray(value).dtype
    np.testing.assert_array_equal(made, value)


def test_takes_a_dtype() -> None:
    assert weft.constant([1, 2], "float32").dtype == np.float32


def test_refuses_what_is_computed() -> None:
    with pytest.raises(weft.WeftTypeError, match="known before the function runs"):
        weft.function(lambda x: x @ weft.constant(x))(X)


def test_refuses_objects() -> None:
    with pytest.raises(weft.WeftTypeError, match="object"):
        weft.constant([object()])


@pytest.mark.processor  # factors that are packed
def test_is_packed_once_in_a_closure() -> None:
    w = weft.constant(weights(1))
    function = weft.function(lambda x: x @ w)
    for _ in range(3):
        same(function(X), X @ w)
    assert is_packed(function, X)


def test_what_can_be_written_is_read_at_each_call() -> None:
    w = weights(2)
    w.flags.writeable = False
    function = weft.function(lambda x: x @ w)
    same(function(X), X @ w)
    assert not is_packed(function, X)
    w.flags.writeable = True
    w[:] = 1
    w.flags.writeable = False
    same(function(X), X @ w)


class Layer:
    def __init__(self, w: Any) -> None:
        self.w = w

    @weft.function
    def __call__(self, x: Any) -> Any:
        return np.maximum(x @ self.w.T, 0)


def test_another_constant_takes_its_place() -> None:
    layer = Layer(weft.constant(weights(3)))
    for seed in (3, 4, 5):
        layer.w = weft.constant(weights(seed))
        for _ in range(3):
            same(layer(X), np.maximum(X @ weights(seed).T, 0))
    assert Layer.__call__.trace_count == 1


def test_an_array_that_can_be_written_takes_its_place() -> None:
    layer = Layer(weft.constant(weights(3)))
    same(layer(X), np.maximum(X @ layer.w.T, 0))
    layer.w = weights(4)
    for _ in range(3):
        same(layer(X), np.maximum(X @ layer.w.T, 0))
        layer.w += 1
    layer.w = weft.constant(weights(6))
    same(layer(X), np.maximum(X @ layer.w.T, 0))


@pytest.mark.filterwarnings("ignore:Setting the (shape|strides):DeprecationWarning")
def test_what_numpy_lets_change_of_it_is_seen() -> None:
    layer = Layer(weft.constant(weights(3)))
    same(layer(X), np.maximum(X @ layer.w.T, 0))
    layer.w.strides = layer.w.strides[::-1]
    same(layer(X), np.maximum(X @ layer.w.T, 0))
    layer.w = weft.constant(weights(4))
    same(layer(X), np.maximum(X @ layer.w.T, 0))
    layer.w.__setstate__((1, (SIZE, SIZE), np.dtype(np.float32), False, weights(5).tobytes()))
    same(layer(X), np.maximum(X @ weights(5).T, 0))


LAYERS = [weft.constant(weights(seed)) for seed in (1, 2)]


@pytest.mark.processor  # factors that are packed
def test_in_a_list() -> None:
    @weft.function
    def both(x: Any) -> Any:
        for w in LAYERS:
            x = x @ w + x[:, ::-1] @ w
        return x

    def expected(x: Any) -> Any:
        for w in LAYERS:
            x = x @ w + x[:, ::-1] @ w
        return x

    for _ in range(2):
        np.testing.assert_allclose(both(X), expected(X), rtol=1e-3, atol=1e-1)
        LAYERS.reverse()
    assert is_packed(both, X)


@pytest.mark.processor
@pytest.mark.parametrize("padding", ["valid", "same"])
def test_filters(padding: str) -> None:
    generator = np.random.default_rng(0)
    image = generator.standard_normal((2, 9, 8, 40)).astype(np.float32)
    filters = generator.standard_normal((3, 3, 40, 70)).astype(np.float32)
    kept = weft.constant(filters)
    function = weft.function(lambda x: weft.conv(x, kept, padding=padding))
    same(function(image), weft.conv(image, filters, padding=padding))
    assert is_packed(function, image)


PROGRAM = """
import sys
import numpy as np, weft
W = {array}
@weft.function
def product(x):
    return x @ W
x = np.ones((40, 160), np.float32)
for _ in range(2):
    np.testing.assert_allclose(product(x), x @ W, rtol=1e-5)
print("mlir" in " ".join(sys.modules))
"""


def test_is_found_again_by_another_process(tmp_path: Path) -> None:
    def run(array: str) -> str:
        program = tmp_path / "program.py"
        program.write_text(PROGRAM.format(array=array))
        environment = {"WEFT_CACHE": "1", "WEFT_CACHE_DIR": str(tmp_path / "cache"), "PATH": ""}
        command = [sys.executable, str(program)]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120, check=True
        )
        return done.stdout.strip()

    constant = "weft.constant(np.arange(160 * 160, dtype=np.float32).reshape(160, 160) / 1000)"
    other = "weft.constant(np.ones((160, 160), np.float32))"
    assert [run(constant), run(constant), run(other)] == ["True", "False", "False"]
    run("np.ones((160, 160), np.float32)")  # no constant: compiled again, and right
