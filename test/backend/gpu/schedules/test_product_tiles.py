"""Products without tensor cores, as PTX in the emulator: what they ask of shared memory, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.device_code import device_code
from support.ptx import run
from weft.backend.gpu.emulator.banks import Banks
from weft.backend.gpu.emulator.machine import Options

Shape = tuple[int, ...]

ORDERS: dict[str, tuple[Callable[..., Any], Shape, Shape]] = {
    # The product of a batch, and the shapes of its factors, of which tiles have 128 rows and columns.
    "rows and columns": (lambda a, b: a @ b, (132, 128, 40), (132, 40, 128)),
    "rows and rows": (lambda a, b: a @ b.swapaxes(1, 2), (132, 128, 40), (132, 128, 40)),
    "columns and columns": (lambda a, b: a.swapaxes(1, 2) @ b, (132, 40, 128), (132, 40, 128)),
    "columns and rows": (
        lambda a, b: a.swapaxes(1, 2) @ b.swapaxes(1, 2),
        (132, 40, 128),
        (132, 128, 40),
    ),
}


def _numbers(shape: Shape, dtype: Any) -> Any:
    """Numbers whose sums of products are exact."""
    return np.random.default_rng(sum(shape)).integers(-8, 9, shape).astype(dtype)


def _first(name: str, dtype: Any, target: str, banks: Banks | None = None) -> tuple[Any, Any]:
    """What the first product of a batch is, and what it should be."""
    function, *shapes = ORDERS[name]
    factors = [_numbers(shape, dtype) for shape in shapes]
    (kernel,) = device_code(function, *factors, target=target).kernels
    first = [factor[:1] for factor in factors]
    expected = function(*first)
    arrays = [*first, np.zeros_like(expected)]
    *_, found = run(
        kernel.ptx, arrays, grid=1, block=256, shared=kernel.shared_bytes, options=Options(banks=banks)
    )
    return found[0], expected[0]


@pytest.mark.parametrize("target", ["sm_75", "sm_90a"])
@pytest.mark.parametrize("name", ORDERS)
def test_sums_are_exact(name: str, target: str) -> None:
    np.testing.assert_array_equal(*_first(name, np.float32, target))


@pytest.mark.parametrize("name", ORDERS)
def test_shared_memory_is_half_as_busy_as_multiplication(name: str) -> None:
    """A warp reads 8 rows and 8 columns a thread in 8 cycles, in which a multiprocessor multiplies 16 of 64 times."""
    banks, warps, depth = Banks(), 8, 40
    _first(name, np.float32, "sm_90a", banks)
    multiplication = warps * depth * 64 // 4
    reads = warps * depth * 8
    assert reads == multiplication // 2
    assert banks.cycles <= reads + multiplication // 8  # which is for what is stored there
