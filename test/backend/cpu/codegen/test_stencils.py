"""Stencils in place: what is read of a tensor is what was there before the update."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.target import compiling_as_if


def in_place(reach, back, n):
    """A function that replaces elements by sums of what is around them, several steps long."""

    def f(u, steps):
        u = u.copy()
        for _ in range(steps):
            u[back : n - reach] = u[: n - reach - back] + 2 * u[back + reach :] - u[back : n - reach]
        return u

    return f


@pytest.mark.parametrize(
    ("dtype", "back", "reach"),
    [(np.float64, 1, 1), (np.float32, 0, 3), (np.int64, 3, 0), (np.int8, 1, 1), (np.float64, 20, 1)],
)
@pytest.mark.sampled(3)
def test_vectors_that_are_stored_late(dtype, back, reach):
    sizes = (back + reach + 1, 24, 67, 400)
    functions = [in_place(reach, back, n) for n in sizes]
    vectors = [np.random.default_rng(n).integers(-5, 5, n).astype(dtype) for n in sizes]

    @weft.function
    def all_sizes(vectors, steps):
        return [f(u, steps) for f, u in zip(functions, vectors, strict=True)]

    expected = [f(u, 3) for f, u in zip(functions, vectors, strict=True)]
    for got, wanted in zip(all_sizes(vectors, np.int64(3)), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.complex128])
@pytest.mark.parametrize("shape", [(20, 30), (3, 200), (4, 3), (9, 10, 11), (150, 210), (200, 300)])
@pytest.mark.parametrize(("behind", "in_front"), [(1, 1), (0, 2), (2, 0), (3, 1), (5, 0)])
@pytest.mark.sampled
def test_rows_that_are_stored_late(dtype, shape, behind, in_front):
    """Rows that read others up to so far behind and in front of themselves; long ones have memory between."""
    rows = shape[0] - behind - in_front
    if rows < 1:
        pytest.skip("no row is left")

    def f(u, steps):
        for _ in range(steps):
            u[behind : behind + rows, 1:-1] = (
                u[:rows, 1:-1] - u[behind + in_front :, :-2] + 2 * u[behind : behind + rows, 2:]
            )
        return u

    u = np.random.default_rng(5).integers(-5, 5, shape).astype(dtype)
    expected = f(u.copy(), 4)
    np.testing.assert_array_equal(weft.function(f)(u, np.int64(4)), expected)
    np.testing.assert_array_equal(u, expected)


def test_memory_between_what_is_computed_and_what_is_stored():
    """What is no vector, too long for one thread, or not known before the run."""

    def rows(u, steps):
        u = u.copy()
        for _ in range(steps):
            u[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] - u[1:-1, :-2] + 2 * u[1:-1, 2:]
        return u

    def one_row(u, steps):
        u = u.copy()
        for i in range(steps):
            u[i, 1:] = u[i, :-1] + u[i + 1, 1:]
        return u

    def elements(u, steps):
        u = u.copy()
        for _ in range(steps):
            u[1:] = u[:-1] + u[0]
        return u

    def reversed_elements(u, steps):
        u = u.copy()
        for _ in range(steps):
            u[:-1] = u[:0:-1] + u[1:]
        return u

    @weft.function
    def together(square, vector, steps):
        return (
            rows(square, steps),
            one_row(square, steps),
            elements(vector, steps),
            reversed_elements(vector, steps),
        )

    square, vector = np.arange(400.0).reshape(20, 20) % 7, np.arange(50.0)
    expected = together.python_function(square, vector, 4)
    for signature in (None, [((None, None), "float64"), ((None,), "float64"), ((), "int64")]):
        specs = None if signature is None else [weft.TensorSpec(*spec) for spec in signature]
        compiled = weft.function(together.python_function, input_signature=specs)
        for got, wanted in zip(compiled(square, vector, np.int64(4)), expected, strict=True):
            np.testing.assert_array_equal(got, wanted)


def test_overlapping_updates_that_follow_each_other():
    """What is read of a tensor between updates of it, from what makes one update of them."""

    def vector(u, steps):
        u = u.copy()
        for _ in range(steps):
            t = 2 * u[1:-1]
            u[1:-1] = 0
            u[:-2] += t
            u[2:] -= u[1:-1]
        return u

    def square(u, steps):
        u = u.copy()
        for _ in range(steps):
            t = u[1:-1, 1:-1] % 5
            u[1:-1, 1:-1] = 1
            u[:-2, 1:-1] += t
            u[1:-1, 2:] -= t * u[1:-1, :-2]
        return u

    def seen(u, steps):
        u, total = u.copy(), 0.0
        for _ in range(steps):
            u[1:] = u[:-1] + 1
            total += u[3:].sum()
            u[:-1] += u[1:]
        return u, total

    @weft.function
    def together(u, v, steps):
        return vector(u, steps), square(v, steps), *seen(u, steps)

    u, v = np.arange(40.0) % 11, np.arange(120.0).reshape(10, 12) % 13
    expected = together.python_function(u, v, 3)
    for got, wanted in zip(together(u, v, np.int64(3)), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


def _reversed(u):
    u[1:-1] = u[-2:0:-1]


def _reversed_and_shifted(u):
    u[1:-1] = u[-2:0:-1] + u[2:]
    u[1:-1] -= u[:-2][::-1] * u[2:]


def _reversed_every_other(u):
    u[1:9][::-1, ::2] = u[1:9][:, 1::2]


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.float64, np.int32])
@pytest.mark.parametrize("f", [_reversed, _reversed_and_shifted, _reversed_every_other])
def test_reversed_rows_are_read_before_they_are_stored(f, dtype):
    u = np.random.default_rng(6).integers(-9, 9, (16, 20)).astype(dtype)
    expected = u.copy()
    f(expected)
    weft.function(f)(u)
    np.testing.assert_array_equal(u, expected)


def following_rows(a: Any) -> Any:
    """Each row is computed of another one, of itself, or of both."""
    for i in range(a.shape[0] - 1):
        a[i + 1] = a[i] * 2 - a[i + 1]
    for i in range(a.shape[0] - 2, -1, -1):
        a[i] = a[i] - a[i + 1] // 3
    for i in range(a.shape[0]):
        a[(3 * i) % a.shape[0]] = a[i] + 1
    return a


def following_planes(a: Any) -> Any:
    """Planes are read transposed and backwards, too."""
    for i in range(a.shape[0] - 1):
        a[i + 1] = a[i].T + a[i + 1]
        a[i] = a[i + 1][::-1] - a[i, :, ::-1]
        a[(2 * i) % a.shape[0]] = a[i].T
    return a


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("function", "shape"),
    [(following_rows, (12, 21)), (following_rows, (9, 64)), (following_planes, (7, 6, 6))],
)
def test_rows_of_one_array(function: Any, shape: tuple[int, ...], known: bool, dtype: Any) -> None:
    signature = None if known else [weft.TensorSpec([None] * len(shape), dtype)]
    compiled = weft.function(function, input_signature=signature)
    array = np.random.default_rng(0).integers(-50, 50, shape).astype(dtype)
    mine, theirs = array.copy(), array.copy()
    np.testing.assert_array_equal(compiled(mine), function(theirs))
    np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int16", "bool", "complex64"])
@pytest.mark.parametrize("extent", [3, 4, 5, 34, 67, 200])
@pytest.mark.sampled
def test_the_size_of_vectors_does_not_change_what_shifted_reads_give(dtype: str, extent: int) -> None:
    def neighbours(x: Any, y: Any) -> Any:
        y[1:-1] = x[:-2] * x[2:] + x[1:-1]
        return x[:, 1:] * x[:, :-1], x[1:] * x[:-1]

    generator = np.random.default_rng(extent)
    x = generator.integers(-5, 5, (extent, extent)).astype(dtype)
    if x.dtype.kind == "f":
        x[x == 0] *= -1
        x[1, 1] = np.nan
    wanted = x.copy()
    expected = neighbours(x, wanted)
    for size in (16, 32, 64):
        got = x.copy()
        with compiling_as_if(shifted_vector_bytes=size):
            results = weft.function(neighbours)(x, got)
        for one, other in zip((*results, got), (*expected, wanted), strict=True):
            np.testing.assert_array_equal(one, other)
