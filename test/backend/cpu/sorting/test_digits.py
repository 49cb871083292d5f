"""Sorts byte by byte: how many bytes are taken, lengths at which they pay, extremes, and no memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from weft.backend.cpu.machine.native_code import compile_assembly, link_forever
from weft.backend.cpu.sorting import digits
from weft.backend.cpu.sorting.given import LINKED
from weft.backend.cpu.sorting.library import assembly, linked_functions

DTYPES = [np.dtype(name) for name in ("int32", "int64", "float32", "float64")]
CALLS: list[int] = []


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
def _no_memory(count: int) -> int:
    CALLS.append(count)
    return 0


@cache
def native(name: str, keys: str, most_digits: int, *, memory: bool = True) -> Callable[..., int]:
    """A sort of keys, of which those are sorted byte by byte that differ in at most so many bytes."""
    known = linked_functions(keys)
    if not memory:
        known["allocate"] = ctypes.cast(_no_memory, ctypes.c_void_p).value or 0
    code = compile_assembly(assembly(name, keys, most_digits), is_optimised=True)
    address = link_forever(code, [name], LINKED, known)[name]
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)(address)


def numbers(dtype: np.dtype[Any], length: int) -> list[np.ndarray[Any, Any]]:
    """Numbers that differ in one byte, in two that are not neighbours, in all, in none; extremes among them."""
    generator = np.random.default_rng(length)
    all_bytes = generator.integers(0, 256, length * dtype.itemsize, np.uint8).view(dtype)
    bits = all_bytes.view(f"i{dtype.itemsize}")
    found = [bits & 0xFF, bits & 0xFF00FF, bits & ~0xFF, bits, bits & 0, -(bits & 0x1FF)]
    extremes = [0, -1, 1, np.iinfo(bits.dtype).min, np.iinfo(bits.dtype).max]
    found.append(np.array(extremes, bits.dtype)[generator.integers(0, len(extremes), length)])
    if dtype.kind == "f":
        special = np.array(
            [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(dtype).tiny / 4, 1.5], dtype
        )
        found.append(special[generator.integers(0, len(special), length)].view(bits.dtype))
    return [np.ascontiguousarray(each).view(dtype) for each in found]


@pytest.mark.sampled
@pytest.mark.parametrize("most_digits", [0, 2, 8])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sorts(dtype: np.dtype[Any], most_digits: int) -> None:
    """At lengths around those from which one digit, two and all of them pay."""
    sort = native("weft_sort", str(dtype), most_digits)
    one = digits.BYTES // dtype.itemsize
    for length in [0, 1, 7, one - 1, one, one + 1, 2 * one, dtype.itemsize * one + 1]:
        for x in numbers(dtype, length):
            result = np.full(length + 16, 7, dtype)
            sort(x.ctypes.data, result[8:].ctypes.data, length, 1)
            np.testing.assert_array_equal(result[8:-8], np.sort(x))
            assert (result[:8] == 7).all()
            assert (result[-8:] == 7).all()


@pytest.mark.parametrize("most_digits", [0, 2, 8])
@pytest.mark.parametrize("dtype", DTYPES[:2], ids=str)
def test_places(dtype: np.dtype[Any], most_digits: int) -> None:
    argsort = native("weft_argsort", str(dtype), most_digits)
    for length in (199, 200, 401, 1700):
        for x in numbers(dtype, length):
            places = np.full(length, 7)
            argsort(x.ctypes.data, places.ctypes.data, length, 1)
            np.testing.assert_array_equal(places, np.argsort(x, kind="stable"))


def test_zeros_have_an_order() -> None:
    """Byte by byte, the negative zeros come first, and every NaN loses its sign."""
    x = np.tile(np.array([0.0, -np.nan, -0.0, 1.0]), 4000)
    native("weft_sort", "float64", 8)(x.ctypes.data, x.ctypes.data, x.size, 1)
    assert np.signbit(x[:4000]).all()
    assert not np.signbit(x[4000:]).any()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_without_memory_numpy_sorts(dtype: np.dtype[Any]) -> None:
    sort = native("weft_sort", str(dtype), 8, memory=False)
    for x in numbers(dtype, 5000):
        expected = np.sort(x)
        CALLS.clear()
        sort(x.ctypes.data, x.ctypes.data, x.size, 1)
        assert [x.nbytes] == CALLS
        np.testing.assert_array_equal(x, expected)


def test_few_numbers_are_left_to_numpy() -> None:
    sort = native("weft_sort", "float64", 8, memory=False)
    x = np.random.default_rng(0).standard_normal(1000)
    CALLS.clear()
    sort(x.ctypes.data, x.ctypes.data, x.size, 1)
    assert CALLS == []
