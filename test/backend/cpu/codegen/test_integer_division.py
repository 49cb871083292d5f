"""Division of arrays of integers: by arrays, and by one number that is known at run time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.target import named, why_not_here

Array = np.ndarray[Any, Any]

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TARGETS = [t for t in ("x86-64", "x86-64-v3", "x86-64-v4", "native") if not why_not_here(named(t))]
OPERATIONS = [np.floor_divide, np.remainder, np.fmod]


def edges(dtype: str) -> Array:
    """Numbers at which a division may go wrong."""
    limits = np.iinfo(dtype)
    numbers = [0, 1, 2, 3, 7, 100, limits.max, limits.max - 1, limits.max // 2, limits.max // 2 + 1]
    numbers += [limits.min, limits.min + 1, 1 << (limits.bits // 2 - 1), (1 << (limits.bits // 2)) - 1]
    signed = [-1, -2, -3, max(limits.min, -(2**51))] if limits.min else []
    wide = [2**31 - 1, 2**31, 2**51 - 1, 2**51, 2**53 - 1, 2**53, 2**53 + 1] if limits.bits == 64 else []
    return np.array(numbers + signed + wide, dtype)


def random(generator: np.random.Generator, dtype: str, size: int) -> Array:
    """Numbers of all magnitudes."""
    limits = np.iinfo(dtype)
    numbers = generator.integers(limits.min, limits.max, size, dtype, endpoint=True)
    return numbers >> generator.integers(0, limits.bits, size).astype(dtype)


def operands(dtype: str) -> tuple[Array, Array]:
    """Random numbers, pairs of edges, and multiples with their neighbours."""
    generator = np.random.default_rng(0)
    pairs = np.array(list(itertools.product(edges(dtype), repeat=2)), dtype)
    divisors = np.where((y := random(generator, dtype, 2003)) == 0, 1, y).astype(dtype)
    multiples = divisors * (random(generator, dtype, 2003) >> (np.iinfo(dtype).bits // 2))
    dividends = [random(generator, dtype, 2003), pairs[:, 0], multiples, multiples - 1, multiples + 1]
    return np.concatenate(dividends).astype(dtype), np.concatenate(
        [divisors, pairs[:, 1], divisors, divisors, divisors]
    ).astype(dtype)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", TARGETS)
def test_quotients_are_numpys(target: str, dtype: str) -> None:
    x, y = operands(dtype)
    for operation in OPERATIONS:
        with np.errstate(all="ignore"):
            expected = operation(x, y)
        got = weft.function(lambda x, y, f=operation: f(x, y), target=target)(x, y)
        np.testing.assert_array_equal(got, expected)
        assert got.dtype == expected.dtype


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_quotients_by_one_number_are_numpys(operation: Callable[..., Any], dtype: str) -> None:
    x, _ = operands(dtype)
    function = weft.function(lambda x, y: operation(x, y[0]))
    for divisor in [*edges(dtype), *random(np.random.default_rng(1), dtype, 20)]:
        with np.errstate(all="ignore"):
            expected = operation(x, divisor)
        np.testing.assert_array_equal(function(x, np.array([divisor])), expected)


@pytest.mark.parametrize("size", [0, 1, 2, 5, 15, 17, 33])
def test_lanes_beyond_the_end_are_not_divided(size: int) -> None:
    x = np.arange(size, dtype=np.int64) - 2**62
    y = np.arange(1, size + 1, dtype=np.int64)
    np.testing.assert_array_equal(weft.function(lambda x, y: x // y)(x, y), x // y)


def test_views_with_strides() -> None:
    x, y = operands("int32")
    x, y = x[: len(x) // 6 * 6].reshape(-1, 6)[::2, ::-1], y[: len(y) // 6 * 6].reshape(-1, 6)[::2, 1:2]
    with np.errstate(all="ignore"):
        expected = x // y
    np.testing.assert_array_equal(weft.function(lambda x, y: x // y)(x, y), expected)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("target", TARGETS)
def test_quotients_of_long_integers_by_constants_are_numpys(target: str, dtype: str) -> None:
    limits = np.iinfo(dtype)
    signs = [-3, -7, -10, limits.min + 1] if limits.min else [2**63 + 1, 2**64 - 2]
    numbers = np.array([3, 6, 7, 641, 2**31 + 1, 2**32 - 1, 2**53 + 1, 2**62 + 1, limits.max, *signs], dtype)
    some = random(np.random.default_rng(0), dtype, 500)
    multiples = [some // divisor * divisor for divisor in numbers]
    x = np.concatenate([edges(dtype), some, *multiples, *(each - np.ones(1, dtype) for each in multiples)])
    compiled = weft.function(
        lambda x: [(x // divisor, np.fmod(x, divisor)) for divisor in numbers], target=target
    )
    for divisor, (quotients, remainders) in zip(numbers, compiled(x), strict=True):
        np.testing.assert_array_equal(quotients, x // divisor)
        np.testing.assert_array_equal(remainders, np.fmod(x, divisor))
