"""Products of f64 by tensor cores, as PTX in the emulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.device_code import device_code
from support.ptx import run
from weft.backend.target import named
from weft_emulator.banks import Banks
from weft_emulator.faults import Fault
from weft_emulator.machine import Options

Shape = tuple[int, ...]


def _relu(a: Any, b: Any) -> Any:
    return np.maximum(a @ b + b[0], 0)


def _convolution(image: Any, kernel: Any) -> Any:
    height, width = image.shape[1] - 2, image.shape[2] - 2
    result = np.zeros((image.shape[0], height, width, kernel.shape[3]))
    for i in range(3):
        for j in range(3):
            result += image[:, i : i + height, j : j + width] @ kernel[i, j]
    return result


CASES: dict[str, tuple[Callable[..., Any], Shape, Shape]] = {
    "rows and columns": (lambda a, b: a @ b, (64, 40), (40, 96)),
    "rows and rows": (lambda a, b: a @ b.T, (64, 40), (96, 40)),
    "columns and columns": (lambda a, b: a.T @ b, (40, 64), (40, 96)),
    "columns and rows": (lambda a, b: a.T @ b.T, (40, 64), (96, 40)),
    "odd extents": (lambda a, b: a @ b, (127, 129), (129, 65)),
    "one term": (lambda a, b: a @ b, (33, 1), (1, 40)),
    "few terms": (lambda a, b: a @ b, (33, 7), (7, 40)),
    "few rows": (lambda a, b: a @ b, (7, 50), (50, 129)),
    "many rows": (lambda a, b: a @ b, (8191, 9), (9, 5)),
    "batches": (lambda a, b: a @ b, (3, 33, 20), (3, 20, 17)),
    "one matrix for all": (lambda a, b: a @ b, (3, 33, 20), (20, 17)),
    "what follows": (_relu, (40, 30), (30, 50)),
    "a convolution": (_convolution, (2, 7, 9, 12), (3, 3, 12, 20)),
}


def _numbers(shape: Shape) -> Any:
    """Numbers whose sums of products are exact."""
    return np.random.default_rng(sum(shape)).integers(-8, 9, shape).astype(np.float64)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_sums_are_exact(name: str) -> None:
    function, *shapes = CASES[name]
    factors = [_numbers(shape) for shape in shapes]
    schedules = device_code(function, *factors).schedules
    assert any(text.startswith("tensor cores f64: ") for text in schedules.values()), schedules
    with weft.settings.scope(cuda="emulator"):
        there = weft.function(function, device="cuda")(*factors)
    np.testing.assert_array_equal(there, function(*factors))


@pytest.mark.parametrize("shape", [(150, 70, 33), (5, 3, 40), (20, 0, 20), (0, 8, 20), (20, 8, 0)])
def test_unknown_extents(shape: tuple[int, int, int]) -> None:
    rows, depth, columns = shape
    a, b = _numbers((rows, depth)), _numbers((depth, columns))
    signature = [weft.TensorSpec([None, None], np.float64)] * 2
    with weft.settings.scope(cuda="emulator"):
        there = weft.function(lambda a, b: a @ b, input_signature=signature, device="cuda")(a, b)
    np.testing.assert_array_equal(there, a @ b)


def test_numbers_that_are_not_finite() -> None:
    a, b = _numbers((40, 24)), _numbers((24, 40))
    a[3, 5], a[7, 2], b[11, 9] = np.inf, np.nan, -np.inf
    with weft.settings.scope(cuda="emulator"), np.errstate(invalid="ignore"):
        there = weft.function(lambda a, b: a @ b, device="cuda")(a, b)
        np.testing.assert_array_equal(there, a @ b)


INSTRUCTIONS = {"sm_80": "m8n8k4", "sm_90a": "m16n8k4", "sm_86": None, "sm_75": None}


@pytest.mark.parametrize("target", INSTRUCTIONS)
def test_the_largest_tiles(target: str) -> None:
    """A card without such tensor cores multiplies without them."""
    gpu = named(target).gpu
    assert gpu is not None
    count = gpu.multiprocessors
    a, b = _numbers((count, 128, 20)), _numbers((count, 20, 128))
    (kernel,) = device_code(lambda a, b: a @ b, a, b, target=target).kernels
    for name in set(INSTRUCTIONS.values()) - {None}:
        assert (f"mma.sync.aligned.{name}.row.col.f64" in kernel.ptx) == (name == INSTRUCTIONS[target])
    if INSTRUCTIONS[target] is None:
        return
    banks = Banks()
    arrays = [a[:1], b[:1], np.zeros((1, 128, 128))]
    *_, found = run(kernel.ptx, arrays, grid=1, block=256, options=Options(banks=banks))
    np.testing.assert_array_equal(found[0], a[0] @ b[0])
    steps, warps = 24 // 4, 8
    reads = steps * warps * (8 + 4) * 2  # of 8 rows, or columns, by 4, which are 256 bytes
    stores = 2 * 24 * 128 * 8 // 128
    assert reads < banks.cycles <= reads + 4 * stores


def test_a_barrier_that_is_missing() -> None:
    a, b = _numbers((64, 640)), _numbers((640, 64))
    (kernel,) = device_code(lambda a, b: a @ b, a, b).kernels
    barrier = "bar.sync \t0;"
    parts = kernel.ptx.split(barrier)
    assert len(parts) == 3
    for which in (1, 2):
        text = barrier.join(parts[:which]) + barrier.join(parts[which:])
        with pytest.raises(Fault, match=r"race with a (read|write) of another warp"):
            run(text, [a, b, np.zeros((64, 64))], grid=4, block=256)


def test_small_squares_have_a_thread_for_each_element() -> None:
    a = _numbers((1000, 16, 16))
    (text,) = device_code(lambda a: a @ a, a).schedules.values()
    assert text.startswith("products: tiles in shared memory; 16 by 16 by 16")


def test_integers_are_multiplied_without() -> None:
    a = np.ones((64, 64), np.int64)
    (text,) = device_code(lambda a: a @ a, a).schedules.values()
    assert text.startswith("products: tiles")
