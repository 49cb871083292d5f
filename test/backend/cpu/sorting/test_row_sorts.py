"""Rows sorted by native code and by loops: all lengths around the sizes of networks, ties, NaN, gaps in memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.cpu.sorting.library import FUNCTIONS, sorting_address
from weft.backend.target import host
from weft.dialect.op import OPS
from weft.dialect.ops import load_families
from weft.dialect.types import TensorType

load_families()

DTYPES = [np.dtype(name) for name in ("int32", "int64", "float32", "float64", "uint32", "uint64")]
needs_compression = pytest.mark.skipif(not host().compresses, reason="the machine does not compress vectors")


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


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("target", ["native", "x86-64-v2"])
def test_every_length(dtype: np.dtype[Any], target: str) -> None:
    """Lengths are known at run time alone; the second target has no vectors for it."""
    if target != "native" and not host().compresses:
        pytest.skip("the machine may be another one")
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


@needs_compression
@pytest.mark.parametrize("dtype", DTYPES[:4], ids=str)
def test_nothing_else_is_written(dtype: np.dtype[Any]) -> None:
    """Behind and before a row there may be other arrays."""
    kind = int(dtype.kind == "f")
    bits = 8 * dtype.itemsize
    sort = native(f"weft_sort_{bits}", 5)
    argsort = native(f"weft_argsort_{bits}", 5 if bits == 32 else 6)
    for length in [*range(0, 600, 7), 1000, 5000]:
        for x in patterns(dtype, length):
            result = np.full(length + 64, 7, dtype)
            sort(x.ctypes.data, result[32:].ctypes.data, length, kind, 1)
            np.testing.assert_array_equal(result[32 : 32 + length], np.sort(x))
            places = np.full((2, length + 64), 7, np.int64)
            target = places[1, 32:].ctypes.data
            if bits == 32:
                argsort(x.ctypes.data, target, length, kind, 1)
            else:
                argsort(x.ctypes.data, places[0, 32:].ctypes.data, length, kind, 1, target)
            np.testing.assert_array_equal(places[1, 32 : 32 + length], np.argsort(x, kind="stable"))
            for each in (result, *places):
                assert (each[:32] == 7).all()
                assert (each[32 + length :] == 7).all()


def native(name: str, arguments: int) -> Any:
    """A function of the library."""
    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * arguments)(sorting_address(name))


@needs_compression
@pytest.mark.parametrize("bits", [32, 64])
def test_selecting(bits: int) -> None:
    prepare, select, finish = (
        native(f"weft_{name}_{bits}", n) for name, n in (("prepare", 4), ("select", 3), ("finish", 3))
    )
    for dtype in (np.dtype(f"float{bits}"), np.dtype(f"int{bits}")):
        kind = int(dtype.kind == "f")
        for length in (1, 2, 17, 256, 257, 1000, 20_000):
            for x in patterns(dtype, length):
                expected = np.sort(x)
                for place in {0, length // 3, length - 1}:
                    row = x.copy()
                    prepare(row.ctypes.data, row.ctypes.data, length, kind)
                    select(row.ctypes.data, length, place)
                    finish(row.ctypes.data, length, kind)
                    np.testing.assert_array_equal(row[place], expected[place])
                    np.testing.assert_array_equal(np.sort(row[:place]), expected[:place])
                    np.testing.assert_array_equal(np.sort(row[place:]), expected[place:])


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
    """Rows of 32 and 64 bits by native code where the processor has the instructions, else by loops."""
    x = np.ones((4, 300), np.float32)
    for target, is_called in (("x86-64-v4", True), ("x86-64-v3", False), ("aarch64", False)):
        text = weft.function(lambda x: np.sort(x), target=target).get_concrete_function(x).as_text("llvm")
        assert ("@weft_sort_32" in text) == is_called
    text = weft.function(lambda x: np.sort(x), target="x86-64-v4").get_concrete_function(x.astype(np.int8))
    assert "@weft_sort" not in text.as_text("llvm")


def test_the_names_are_taken() -> None:
    def weft_sort_32(x: Any) -> Any:
        return np.sort(x)

    x = np.array([3, 1, 2])
    assert weft.function(weft_sort_32)(x).tolist() == [1, 2, 3]
    assert set(FUNCTIONS) >= {"weft_sort_32", "weft_argsort_64"}


@pytest.mark.parametrize(
    "dtype", [*DTYPES, np.dtype("float16"), np.dtype("int8"), np.dtype("complex64")], ids=str
)
@pytest.mark.parametrize("target", ["native", "x86-64-v2"])
def test_partitions(dtype: np.dtype[Any], target: str) -> None:
    if target != "native" and not host().compresses:
        pytest.skip("the machine may be another one")
    for shape, axis in (((2, 400, 3), -2), ((64,), 0))[: 2 if target == "native" else 1]:
        length = int(np.prod(shape))
        x = np.stack(patterns(dtype, length) if dtype.kind in "fiu" else [np.arange(length).astype(dtype)])
        x = x[..., :length].reshape(-1, *shape)
        along = axis if axis < 0 else axis + 1
        for places in ((0,), (1, 2, -2), (30, 4)):
            function = weft.function(lambda x, p=places, a=along: np.partition(x, p, axis=a), target=target)
            found, expected = function(x), np.sort(x, axis=along)
            np.testing.assert_array_equal(np.sort(found, axis=along), expected)
            for place in np.asarray(places) % x.shape[along]:
                np.testing.assert_array_equal(np.take(found, place, along), np.take(expected, place, along))
                smaller = np.sort(np.take(found, range(place), along), axis=along)
                np.testing.assert_array_equal(smaller, np.take(expected, range(place), along))


def test_the_places_of_a_partition_are_checked() -> None:
    x = np.arange(5.0)
    for kth, message in ((5, r"kth\(=5\) out of bounds \(5\)"), (-6, r"kth\(=-6\) out of bounds \(5\)")):
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
