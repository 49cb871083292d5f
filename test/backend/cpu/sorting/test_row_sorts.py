"""Rows sorted by native code: all lengths around the sizes of networks, ties, NaN, gaps in memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.sorting import rows
from weft.backend.cpu.sorting.library import sorting_address
from weft.dialect.op import OPS
from weft.dialect.ops import load_families
from weft.dialect.types import TensorType

load_families()

DTYPES = [np.dtype(name) for name in ("int32", "int64", "float32", "float64", "uint32", "uint64")]
KEYS = [np.dtype(name) for name in ("int32", "int64", "complex64", "complex128", "float32", "float64")]


def patterns(dtype: np.dtype[Any], length: int) -> list[np.ndarray[Any, Any]]:
    """Random bits, few different keys, ordered, reversed, all the same and extreme ones."""
    generator = np.random.default_rng(length)
    extremes: list[Any] = [0, 1]
    if dtype.kind == "f":
        extremes = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(dtype).tiny / 4, 1.5]
    else:
        extremes += [np.iinfo(dtype).min, np.iinfo(dtype).max]
    bits = generator.integers(0, 256, length * dtype.itemsize, np.uint8).view(dtype)
    few = generator.integers(0, 3, length).astype(dtype)
    ordered = np.arange(length).astype(dtype)
    edges = np.array(extremes, dtype)[generator.integers(0, len(extremes), length)]
    mixed = np.where(generator.random(length) < 0.5, edges, few)
    return [bits, few, ordered, ordered[::-1].copy(), np.full(length, extremes[-1], dtype), edges, mixed]


def descending(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The places of a stable sort in descending order."""
    return x.shape[-1] - 1 - np.flip(np.argsort(np.flip(x, -1), axis=-1, kind="stable"), -1)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("target", ["native", "x86-64-v2"])
def test_every_length(dtype: np.dtype[Any], target: str) -> None:
    """Lengths are known at run time alone; the second target has no vectors for it."""
    spec = [weft.TensorSpec((None, None), dtype)]
    up = weft.function(lambda x: (np.sort(x), np.argsort(x)), input_signature=spec, target=target)
    down = weft.function(
        lambda x: (weft.sort(x, descending=True), weft.argsort(x, descending=True)),
        input_signature=spec,
        target=target,
    )
    lengths = [*range(20), 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300, 1000, 5000]
    for length in lengths if target == "native" else lengths[::3]:
        x = np.stack(patterns(dtype, length))
        values, places = up(x)
        np.testing.assert_array_equal(values, np.sort(x))
        np.testing.assert_array_equal(places, np.argsort(x, kind="stable"))
        values, places = down(x)
        np.testing.assert_array_equal(values, np.sort(x)[:, ::-1])
        np.testing.assert_array_equal(places, descending(x))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", KEYS, ids=str)
def test_nothing_else_is_written(dtype: np.dtype[Any]) -> None:
    """Behind and before a row there may be other arrays."""
    sort, argsort = native("weft_sort", dtype), native("weft_argsort", dtype) if dtype.kind in "ic" else None
    for length in [*range(20), *range(20, 600, 7), 1000, 5000]:
        for x in keys(dtype, length):
            result = np.full(length + 64, 7, dtype)
            sort(x.ctypes.data, result[32:].ctypes.data, length, 1)
            np.testing.assert_array_equal(result[32 : 32 + length], np.sort(x))
            places = np.full(length + 64, 7, np.int64)
            if argsort:
                argsort(x.ctypes.data, places[32:].ctypes.data, length, 1)
                np.testing.assert_array_equal(places[32 : 32 + length], np.argsort(x, kind="stable"))
            for each in (result, places):
                assert (each[:32] == 7).all()
                assert (each[32 + length :] == 7).all()


def keys(dtype: np.dtype[Any], length: int) -> list[np.ndarray[Any, Any]]:
    """What native code sorts: integers, also such that differ in one half alone, and complex numbers."""
    if dtype.kind == "c":
        part = np.dtype(f"float{4 * dtype.itemsize}")
        real = patterns(part, length)
        return [
            np.stack(parts, -1).view(dtype)[:, 0] for parts in zip(real, [*real[1:], real[0]], strict=True)
        ]
    found = patterns(dtype, length)
    if dtype.kind == "f":
        return found
    shift = 4 * dtype.itemsize
    return [*found, found[0] << shift, found[0] >> shift, (found[1] << shift) | (found[0] & 7)]


def native(name: str, dtype: np.dtype[Any]) -> Any:
    """A function of the library, for keys of a dtype."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)(sorting_address(f"{name}_{dtype}_by_2"))


@pytest.mark.parametrize("dtype", KEYS[:2], ids=str)
def test_selecting(dtype: np.dtype[Any]) -> None:
    select = native("weft_select", dtype)
    for length in (1, 2, 17, 128, 129, 1000, 20_000):
        for x in keys(dtype, length):
            expected = np.sort(x)
            for place in {0, length // 3, length // 2, length - 1}:
                row = np.full(length + 2, 7, dtype)
                select(x.ctypes.data, row[1:].ctypes.data, length, place)
                assert row[0] == 7
                assert row[-1] == 7
                row = row[1:-1]
                np.testing.assert_array_equal(row[place], expected[place])
                np.testing.assert_array_equal(np.sort(row[:place]), expected[:place])
                np.testing.assert_array_equal(np.sort(row[place:]), expected[place:])


@pytest.mark.parametrize("dtype", KEYS[:2], ids=str)
def test_bad_pivots(dtype: np.dtype[Any]) -> None:
    """What the samples see is small, all the rest is large: after some rounds all is sorted."""
    length = 1 << 16
    x = np.random.default_rng(0).integers(1 << 20, 1 << 30, length).astype(dtype)
    for distance in (1, 2, 4, 8, 16, length // rows.SAMPLE):
        x[::distance] = np.arange(length)[::distance] // 7
        row = x.copy()
        native("weft_select", dtype)(row.ctypes.data, row.ctypes.data, length, length - 3)
        assert row[-3] == np.sort(x)[-3]
        assert (row[:-3] <= row[-3]).all()


def test_gaps_in_memory() -> None:
    x = np.random.default_rng(0).integers(0, 50, (40, 30, 20)).astype(np.float32)

    def program(x: Any) -> Any:
        y = np.zeros((40, 30, 20), np.float32)
        y[:, ::2, 3:17] = np.sort(x[:, ::2, 3:17], axis=-1)
        z = np.zeros((41, 30, 20), np.int64)
        z[1:] = np.argsort(x[::-1], axis=1)
        return y, z, np.sort(x, axis=0), np.sort(x.T, axis=-1)

    for found, expected in zip(weft.function(program)(x), program_of_numpy(x), strict=True):
        np.testing.assert_array_equal(found, expected)


def program_of_numpy(x: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """The same with stable sorts."""
    y = np.zeros((40, 30, 20), np.float32)
    y[:, ::2, 3:17] = np.sort(x[:, ::2, 3:17], axis=-1)
    z = np.zeros((41, 30, 20), np.int64)
    z[1:] = np.argsort(x[::-1], axis=1, kind="stable")
    return y, z, np.sort(x, axis=0), np.sort(x.T, axis=-1)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (1, 1), (3, 1, 7)])
def test_empty_and_tiny(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal(shape)
    for axis in range(len(shape)):
        values, places = weft.function(lambda x, axis=axis: (np.sort(x, axis), np.argsort(x, axis)))(x)
        np.testing.assert_array_equal(values, np.sort(x, axis))
        np.testing.assert_array_equal(places, np.argsort(x, axis, kind="stable"))


def test_sorting_in_a_loop() -> None:
    def program(x: Any) -> Any:
        for row in range(x.shape[0]):
            x[row] = np.sort(x[row] * row)
        return x

    x = np.random.default_rng(0).standard_normal((9, 300)).astype(np.float32)
    np.testing.assert_array_equal(weft.function(program)(x.copy()), program(x.copy()))


def test_what_is_called() -> None:
    """Functions on keys: for every target, and for all dtypes."""
    x = np.ones((4, 300), np.float32)
    dtypes = {
        "int64": "int64",
        "float16": "int32",
        "bool": "int32",
        "uint64": "int64",
        "complex64": "complex64",
    }
    for target, digits in {"x86-64-v4": 2, "x86-64-v3": 2, "aarch64": 2, "znver4": 8}.items():
        for dtype, keys in dtypes.items():
            function = weft.function(lambda x: (np.sort(x), np.argsort(x)), target=target)
            text = function.get_concrete_function(x.astype(dtype)).as_text("llvm")
            assert f"@weft_sort_{keys}_by_{digits}(" in text
            assert f"@weft_argsort_{keys}_by_{digits}(" in text


def test_the_names_are_taken() -> None:
    def weft_sort_int32_by_2(x: Any) -> Any:
        return np.sort(x)

    x = np.array([3, 1, 2])
    assert weft.function(weft_sort_int32_by_2)(x).tolist() == [1, 2, 3]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "dtype", [*DTYPES, np.dtype("float16"), np.dtype("int8"), np.dtype("complex64")], ids=str
)
@pytest.mark.parametrize("target", ["native", "x86-64-v2"])
def test_partitions(dtype: np.dtype[Any], target: str) -> None:
    for shape, axis in (((2, 400, 3), -2), ((64,), 0))[: 2 if target == "native" else 1]:
        length = int(np.prod(shape))
        x = np.stack(patterns(dtype, length) if dtype.kind in "fiu" else [np.arange(length).astype(dtype)])
        x = x[..., :length].reshape(-1, *shape)
        along = axis if axis < 0 else axis + 1
        for places in ((0,), (1, 2, -2), (30, 4)) if dtype.kind == "f" else ((30, 4),):
            function = weft.function(lambda x, p=places, a=along: np.partition(x, p, axis=a), target=target)
            found, expected = function(x), np.sort(x, axis=along)
            np.testing.assert_array_equal(np.sort(found, axis=along), expected)
            for place in np.asarray(places) % x.shape[along]:
                np.testing.assert_array_equal(np.take(found, place, along), np.take(expected, place, along))
                smaller = np.sort(np.take(found, range(place), along), axis=along)
                np.testing.assert_array_equal(smaller, np.take(expected, range(place), along))


def test_the_places_of_a_partition_are_checked() -> None:
    x = np.arange(5.0)
    for kth, message in ((5, r"kth\(=5\) out of bounds \(5\)"), (-6, r"kth\(=-1\) out of bounds \(5\)")):
        with pytest.raises(ValueError, match=message):
            weft.function(lambda x, kth=kth: np.partition(x, kth))(x)
    with pytest.raises(TypeError, match="Partition index must be integer"):
        weft.function(lambda x: np.partition(x, 1.5))(x)
    with pytest.raises(ValueError, match="object of too small depth for desired array"):
        weft.function(lambda x: np.partition(x, [[1]]))(x)
    with pytest.raises(ValueError, match=r"kth\(=7\) out of bounds \(5\)"):
        OPS["partition"].infer(TensorType((5,), np.dtype("f4")), 0, (7,))


def test_partitions_where_something_is_unknown() -> None:
    """Where the place or the extent is not known while tracing, all is sorted."""
    x = np.random.default_rng(0).standard_normal(100)
    spec = [weft.TensorSpec((None,), "float64")]
    found = weft.function(lambda x: np.partition(x, 7), input_signature=spec)(x)
    np.testing.assert_array_equal(found, np.sort(x))
    np.testing.assert_array_equal(weft.function(lambda x, k: np.partition(x, k))(x, np.array(7)), np.sort(x))
    np.testing.assert_array_equal(
        weft.function(lambda x: np.partition(x.reshape(4, 25), 3, axis=None))(x)[3], np.sort(x)[3]
    )


def test_quantiles_of_what_is_partitioned() -> None:
    generator = np.random.default_rng(0)
    for dtype in ("float32", "float64", "int32", "float16"):
        x = (generator.standard_normal((5, 200)) * 50).astype(dtype)
        for q in (0, 1, 0.123, [0.9, 0.1, 0.5]):
            found = weft.function(lambda x, q=q: np.quantile(x, q, axis=-1))(x)
            np.testing.assert_allclose(found, np.quantile(x, q, axis=-1), rtol=2e-3)
        if dtype != "int32":
            x[1, 3], x[2, 0], x[3, -1] = np.nan, np.inf, -np.inf
            found = weft.function(lambda x: np.median(x, axis=1))(x)
            assert np.isnan(found[1])
            np.testing.assert_allclose(found, np.median(x, axis=1), rtol=2e-3)
