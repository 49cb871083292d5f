"""Reductions of the same array in one loop: odd and unknown sizes, NaN, nothing at all, and what is not joined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft


def of_all(x: Any) -> tuple[Any, ...]:
    return x.min(), x.max(), x.sum(), (x * x).sum(), np.count_nonzero(x > 0.5), (x > 0.1).any()


def of_rows(x: Any) -> tuple[Any, ...]:
    return x.min(1), x.max(1), x.sum(1), x.prod(1)


def of_columns(x: Any) -> tuple[Any, ...]:
    return x.min(0), x.max(0), x.sum(0), (x * x).sum(0)


def kernels(function: Any, *arguments: Any) -> int:
    """How many kernels a program calls."""
    return int(function.get_concrete_function(*arguments).as_text("kernels").count("call @kernel"))


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("program", [of_all, of_rows, of_columns])
def test_values(program: Any, known: bool, dtype: str) -> None:
    spec = None if known else [weft.TensorSpec((None, None), dtype)]
    function = weft.function(program, input_signature=spec)
    for shape in ((1, 1), (3, 7), (65, 33), (17, 300), (5, 20_001)):
        x = (np.random.default_rng(0).random(shape) * 1.02).astype(dtype)
        expected = program(x.astype("float64") if dtype == "float32" else x)
        for found, value in zip(function(x), expected, strict=True):
            np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-30)
        if dtype.startswith("float"):
            x[shape[0] // 2, shape[1] // 2] = np.nan
            with np.errstate(invalid="ignore"):
                expected = program(x)
            for found, value in zip(function(x), expected, strict=True):
                np.testing.assert_allclose(found, value, rtol=1e-4, atol=1e-30)


def test_nothing() -> None:
    function = weft.function(lambda x: (x.sum(), (x * x).sum(), x.prod()))
    assert [float(each) for each in function(np.zeros((0, 3)))] == [0.0, 0.0, 1.0]
    with pytest.raises(
        ValueError, match="zero-size array to reduction operation minimum which has no identity"
    ):
        weft.function(lambda x: (x.sum(), x.min(), x.max()))(np.zeros(0))
    spec = [weft.TensorSpec((None,), "float64")]
    with pytest.raises(
        ValueError, match="zero-size array to reduction operation minimum which has no identity"
    ):
        weft.function(lambda x: (x.sum(), x.min(), x.max()), input_signature=spec)(np.zeros(0))


def test_one_kernel_reads_an_array_once() -> None:
    x = np.random.default_rng(0).random((40, 50))
    assert kernels(weft.function(lambda x: (x.min(), x.max(), (x * x).sum())), x) == 1
    assert kernels(weft.function(lambda x, y: (x.sum(), y.max())), x, x + 1) == 2
    assert kernels(weft.function(lambda x: (x.sum(0), x.sum(1))), x) == 2


def test_more_than_a_loop_has_room_for() -> None:
    x = np.random.default_rng(0).random(1001)

    def program(x: Any) -> tuple[Any, ...]:
        return tuple((x * scale).sum() for scale in range(1, 10))

    np.testing.assert_allclose(weft.function(program)(x), program(x))
    assert kernels(weft.function(program), x) > 1


def test_written_between() -> None:
    """The second reduction reads what was written behind the first."""

    def program(x: Any) -> tuple[Any, ...]:
        low = x.min()
        x[3] = -5.0
        return low, x.min(), x.max(), x

    x = np.random.default_rng(0).random(100)
    for found, expected in zip(weft.function(program)(x.copy()), program(x.copy()), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_in_a_loop() -> None:
    def program(x: Any, steps: int) -> Any:
        for _ in range(steps):
            x = (x - x.min()) / (x.max() - x.min()) + x.sum() / x.size
        return x

    x = np.random.default_rng(0).random(777)
    np.testing.assert_allclose(weft.function(program)(x, 30), program(x, 30))


def test_threads_do_not_matter() -> None:
    x = np.random.default_rng(0).random(300_001)
    program = weft.function(lambda x: (x.sum(), (x * x).sum(), x.max()))
    before = weft.get_num_threads()
    results = []
    try:
        for threads in (1, 2):
            weft.set_num_threads(threads)
            results.append([float(each) for each in program(x)])
    finally:
        weft.set_num_threads(before)
    assert results[0] == results[1]
