"""Products of float32 whose factors are rounded to tf32 or bfloat16, in the emulator, where settings ask for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import device_code
from support.ptx import run
from weft.backend.gpu.devices.open_devices import open_device
from weft.backend.target import named
from weft.dialect.errors import WeftValueError
from weft_emulator.banks import Banks
from weft_emulator.machine import Options

Array = np.ndarray[Any, Any]
BITS = {"tf32": 13, "bf16": 16}
"""Of float32 that factors lose."""


def rounded(x: Array, kind: str) -> Array:
    """To the nearest number of fewer bits; ties, of which random numbers have next to none, away from zero."""
    lost = BITS[kind]
    words = x.view(np.uint32) + np.uint32(1 << (lost - 1))
    return (words >> np.uint32(lost) << np.uint32(lost)).view(np.float32)


def numbers(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def multiplied(kind: str, function: Callable[..., Any], *factors: Array) -> str:
    """Compare with the product of rounded factors, which is added up in float32; the schedules that were chosen."""
    expected = function(*(rounded(factor, kind).astype(np.float64) for factor in factors))
    with weft.settings.scope(cuda="emulator", float32_products=kind):
        compiled = weft.function(function, device="cuda")
        found = compiled(*factors)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)
        assert found.dtype == np.float32
        return str(compiled.get_concrete_function(*factors).as_text("gpu"))


CASES: dict[str, tuple[Callable[..., Any], tuple[int, ...], tuple[int, ...]]] = {
    "what follows": (lambda a, b: np.maximum(a @ b, 0) + 1, (40, 70), (70, 50)),
    "columns and rows, odd": (lambda a, b: a.T @ b.T, (65, 129), (33, 65)),
    "batches": (lambda a, b: a @ b, (3, 33, 40), (3, 40, 35)),
}
SCHEDULES = {"tf32": "tensor cores tf32: factors are rounded to 11 bits", "bf16": "tensor cores: halves"}


@pytest.mark.parametrize("kind", BITS)
@pytest.mark.parametrize("name", CASES)
def test_factors_are_rounded_and_sums_are_not(name: str, kind: str) -> None:
    function, *shapes = CASES[name]
    assert SCHEDULES[kind] in multiplied(kind, function, *(numbers(*shape) for shape in shapes))


@pytest.mark.parametrize("kind", BITS)
def test_small_products_are_left_alone(kind: str) -> None:
    """A factor that is read once takes no longer as it is."""
    a, b = numbers(4, 40), numbers(40, 50)
    with weft.settings.scope(cuda="emulator", float32_products=kind):
        found = weft.function(lambda a, b: a @ b, device="cuda")(a, b)
    np.testing.assert_allclose(found, a.astype(np.float64) @ b, atol=1e-5)


@pytest.mark.parametrize("kind", BITS)
def test_unknown_extents(kind: str) -> None:
    a, b = numbers(50, 70), numbers(70, 33)
    with weft.settings.scope(cuda="emulator", float32_products=kind):
        spec = weft.TensorSpec([None, None], np.float32)
        found = weft.function(lambda a, b: a @ b, input_signature=[spec, spec], device="cuda")(a, b)
    expected = rounded(a, kind).astype(np.float64) @ rounded(b, kind)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def test_attention_is_that_of_halves() -> None:
    def attention(q: Any, k: Any, v: Any) -> Any:
        scores = q @ k.T / 8
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True) @ v

    given = [numbers(rows, 64) for rows in (48, 40, 40)]
    with weft.settings.scope(cuda="emulator", float32_products="bf16"):
        compiled = weft.function(attention, device="cuda")
        found = compiled(*given)
        text = compiled.get_concrete_function(*given).as_text("gpu")
    np.testing.assert_allclose(found, attention(*(x.astype(np.float64) for x in given)), atol=2e-2)
    assert "attention" in text
    assert "mma.m16n8k16.row.col.bf16" in text


def test_a_gradient_rounds_each_factor_once() -> None:
    """The factors of a product are those of the products of its gradient, transposed."""

    def loss(w: Any, x: Any) -> Any:
        return np.sum((x @ w) ** 2)

    w, x = numbers(40, 33), numbers(48, 40)
    with weft.settings.scope(cuda="emulator", float32_products="bf16"):
        compiled = weft.function(weft.grad(loss), device="cuda")
        found = compiled(w, x)
        placed = compiled.get_concrete_function(w, x).as_text("placed")
    exact_w, exact_x = (rounded(value, "bf16").astype(np.float64) for value in (w, x))
    between = rounded((2 * (exact_x @ exact_w)).astype(np.float32), "bf16")
    np.testing.assert_allclose(found, exact_x.T @ between, rtol=2e-2, atol=0.5)
    assert placed.count("arith.truncf") == 3, placed  # of x, of w, and of what comes back


def test_threads_read_from_different_banks() -> None:
    count = named("sm_90a").gpu.multiprocessors
    a, b = numbers(128, 32), numbers(32, 128)
    factors = [np.broadcast_to(factor, (count, *factor.shape)) for factor in (a, b)]
    code = device_code(lambda a, b: a @ b, *factors, target="sm_90a+tf32")
    (kernel,) = code.kernels
    assert "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" in kernel.ptx
    banks = Banks()
    *_, found = run(
        kernel.ptx, [a, b, np.zeros((128, 128), np.float32)], grid=1, block=256, options=Options(banks=banks)
    )
    expected = rounded(a, "tf32").astype(np.float64) @ rounded(b, "tf32")
    np.testing.assert_allclose(found, expected, atol=1e-4)
    steps, warps = 32 // 8, 8
    reads = steps * warps * (16 + 8)  # of 8 rows, or columns, by 4, which are 128 bytes
    stores = 2 * 32 * 128 * 4 // 128
    assert reads < banks.cycles <= reads + 4 * stores


def test_older_cards_multiply_as_ever() -> None:
    a, b = numbers(64, 64), numbers(64, 64)
    for kind in BITS:
        assert set(device_code(lambda a, b: a @ b, a, b, target=f"sm_75+{kind}").schedules) == set(
            device_code(lambda a, b: a @ b, a, b, target="sm_75").schedules
        )


def test_code_is_for_what_is_wanted() -> None:
    with weft.settings.scope(cuda="emulator"):
        assert "tf32" not in open_device("cuda").target.split("+")
        with weft.settings.scope(float32_products="tf32"):
            assert "tf32" in open_device("cuda").target.split("+")
    with pytest.raises(WeftValueError, match=r"not made of 'half'; the choices are: float32, tf32, bf16"):
        weft.settings.float32_products = "half"
    assert weft.settings.float32_products == "float32"
