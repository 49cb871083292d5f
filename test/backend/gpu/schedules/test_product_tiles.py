"""Products without tensor cores, as PTX in the emulator: what they ask of shared memory, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weft
from support.device_code import device_code
from support.ptx import run
from weft.backend.gpu.schedules import warpgroups
from weft_emulator.banks import Banks
from weft_emulator.machine import Options

Shape = tuple[int, ...]

ORDERS: dict[str, tuple[Callable[..., Any], Shape, Shape]] = {
    # The product of a batch, and the shapes of its factors, of which tiles have 128 rows and columns on all cards.
    "rows and columns": (lambda a, b: a @ b, (120, 128, 40), (120, 40, 128)),
    "rows and rows": (lambda a, b: a @ b.swapaxes(1, 2), (120, 128, 40), (120, 128, 40)),
    "columns and columns": (lambda a, b: a.swapaxes(1, 2) @ b, (120, 40, 128), (120, 40, 128)),
    "columns and rows": (
        lambda a, b: a.swapaxes(1, 2) @ b.swapaxes(1, 2),
        (120, 40, 128),
        (120, 128, 40),
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


@pytest.mark.sampled
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


TILES: dict[str, tuple[Shape, Shape, str]] = {
    # The shapes of the factors, and the tiles of which most is asked for in the time that they take.
    "many": ((2048, 64), (64, 2048), "128 by 128 by 8, 8 by 8"),
    "fewer": ((1024, 64), (64, 1024), "128 by 64 by 16, 8 by 4"),
    "few": ((512, 64), (64, 512), "64 by 32 by 16, 4 by 2"),
    "the fewest": ((256, 64), (64, 256), "32 by 32 by 16, 2 by 2"),
    "few columns": ((25088, 64), (64, 64), "64 by 64 by 16, 4 by 4"),
    "few rows": ((132, 60, 24), (132, 24, 128), "64 by 128 by 16, 4 by 8"),
    "small squares": ((999, 15, 16), (999, 16, 16), "16 by 16 by 16, 1 by 1"),
}


@pytest.mark.parametrize("name", TILES)
def test_tiles_that_suit_extents(name: str) -> None:
    *shapes, tile = TILES[name]
    (text,) = device_code(
        lambda a, b: a @ b, *(np.ones(shape, np.float32) for shape in shapes)
    ).schedules.values()
    assert tile in text


def _relu(a: Any, b: Any) -> Any:
    return np.maximum(a @ b + b[:, :1], 0)


OBLONG: dict[str, tuple[Callable[..., Any], Shape, Shape, str, Any]] = {
    # Products of a batch of which each has one tile, or two.
    "rows": (lambda a, b: a @ b, (132, 128, 40), (132, 40, 64), "128 by 64", np.float32),
    "columns": (lambda a, b: a @ b, (132, 64, 40), (132, 40, 128), "64 by 128", np.float32),
    "edges": (lambda a, b: a @ b, (132, 127, 7), (132, 7, 63), "128 by 64", np.float32),
    "edges of columns": (lambda a, b: a @ b, (132, 61, 33), (132, 33, 127), "64 by 128", np.int32),
    "a step and one": (lambda a, b: a @ b, (132, 101, 17), (132, 17, 64), "128 by 64", np.int32),
    "turned": (
        lambda a, b: a.swapaxes(1, 2) @ b.swapaxes(1, 2),
        (132, 36, 64),
        (132, 128, 36),
        "64 by 128",
        np.float32,
    ),
    "few rows and columns": (lambda a, b: a @ b, (132, 64, 40), (132, 40, 32), "64 by 32", np.float32),
    "fewer rows than columns": (lambda a, b: a @ b, (132, 30, 19), (132, 19, 64), "32 by 64", np.float32),
    "long integers": (lambda a, b: a @ b, (132, 63, 9), (132, 9, 31), "64 by 32", np.int64),
    "what follows": (_relu, (132, 120, 20), (132, 20, 60), "128 by 64", np.float32),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OBLONG)
def test_oblong_tiles(name: str) -> None:
    function, *shapes, tile, dtype = OBLONG[name]
    factors = [_numbers(shape, dtype) for shape in shapes]
    code = device_code(function, *factors)
    assert tile in next(iter(code.schedules.values()))
    first = [factor[:2] for factor in factors]
    expected = function(*first)
    blocks = 2 * -(-expected.shape[1] // 128) * -(-expected.shape[2] // 128)
    (kernel,) = code.kernels
    *_, found = run(kernel.ptx, [*first, np.zeros_like(expected)], grid=blocks, block=256)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("depth", [8, 9, 15, 16, 17, 23, 127, 129])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.sampled
def test_sums_of_any_length(depth: int, dtype: Any) -> None:
    """The first step has what is left over, behind zeros."""
    rng = np.random.default_rng(depth)
    a, b = (rng.integers(-2, 3, shape).astype(dtype) for shape in ((40, depth), (depth, 48)))
    with weft.settings.scope(cuda="emulator"):
        for left, right in ((a, b), (a.T.copy().T, b.T.copy().T)):
            np.testing.assert_array_equal(
                weft.function(lambda a, b: a @ b, device="cuda")(left, right), a @ b
            )
        turned = weft.function(lambda a, b: a.T @ b.T, device="cuda")(a.T.copy(), b.T.copy())
    np.testing.assert_array_equal(turned, a @ b)


def test_odd_extents_cost_nothing_in_the_loop() -> None:
    """Its steps are as long as those of extents that tiles divide: no number in them is compared or replaced."""
    codes = [
        device_code(lambda a, b: a @ b, np.ones((m, k), np.float32), np.ones((k, n), np.float32))
        for m, k, n in ((2048, 2048, 2048), (2047, 2045, 2043))
    ]
    counts = [_loop(code.kernels[0].ptx) for code in codes]
    assert counts[1]["fma.rn.f32"] == counts[0]["fma.rn.f32"] == 512
    assert counts[1]["selp.f32"] == 0
    assert sum(counts[1].values()) <= sum(counts[0].values()) + 4


def _loop(ptx: str) -> Counter[str]:
    """The instructions between the first label to which a branch goes back and that branch."""
    lines = [line.strip() for line in ptx.splitlines()]
    first, last = next(
        (lines.index(f"{target}:"), number)
        for number, line in enumerate(lines)
        if (target := line.rstrip(";").split()[-1] if line.startswith("@") else "")
        and f"{target}:" in lines[:number]
    )
    return Counter(line.split()[0] for line in lines[first:last] if line.endswith(";"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_that_are_rounded_have_the_largest_tile(dtype: str) -> None:
    """A rounding takes no registers; what else follows does."""
    large = weft.TensorSpec((4096, 4096), dtype)
    for function, tile in (
        (lambda a, b: a @ b, "128 by 256 by 64"),
        (lambda a, b: np.maximum(a @ b, a), "128 by 128 by 64"),
    ):
        concrete = weft.function(function, target="sm_90a").get_concrete_function(large, large)
        assert f"added up in f32; {tile}" in concrete.as_text("gpu")


def test_the_largest_tile_of_rounded_products() -> None:
    random = np.random.default_rng(0)
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((128, 128), (128, 256)))
    with (
        mock.patch.object(warpgroups, "_TILES", warpgroups._TILES[:1]),
        weft.settings.scope(cuda="emulator", cache=False),
    ):
        multiplied = weft.function(lambda a, b: a @ b, device="cuda")
        found = multiplied(a, b)
        assert "128 by 256 by 64" in multiplied.get_concrete_function(a, b).as_text("gpu")
    np.testing.assert_array_equal(found, a @ b)
