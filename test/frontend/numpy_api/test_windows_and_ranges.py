"""Windows and strides, ranges whose bounds the program knows, and what arrays say of their memory."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import weft
from support.call_comparison import difference
from support.interpreted import interpreted

X = np.random.default_rng(0).random(12)
GRID = X.reshape(3, 4)


def same(program: Callable[..., Any], *arguments: Any, run: Any = interpreted, **options: Any) -> None:
    theirs, ours = copy.deepcopy(arguments), copy.deepcopy(arguments)
    expected = program(*theirs)
    got = run(program, **options)(*ours)
    assert not difference(got, expected), f"{got!r} and not {expected!r}"


def _resized(x: Any, n: Any) -> Any:
    longer, chosen = x * 2, x[x > 0.5]
    longer.resize(4, 5)
    longer += 1
    chosen.resize(n)
    known = np.zeros(3)
    known.resize(2, refcheck=False)
    known.resize()
    columns, rows = np.mgrid[0:20, 0:10]
    columns.shape = rows.shape = 200
    columns[n] = 3
    return longer, chosen, known, columns * rows + n


PROGRAMS: list[Callable[..., Any]] = [
    _resized,
    lambda x, n: [x.astype(code).byteswap() for code in ("e", "f", "d", "F", "i", "h", "B", "?")],
    lambda x, n: (x.byteswap(inplace=True) is x, x, n.byteswap(), (n * 1j).byteswap()),
    lambda x, n: (np.roll(x, (), ()), np.roll(x[0], 1)),
    lambda x, n: (np.broadcast_shapes((n, 1), (2,)), np.broadcast_shapes(3, (2, 1))),
    lambda x, n: np.einsum_path("ij,jk,kl->il", *[x.reshape(3, 4), x.reshape(4, 3), x.reshape(3, 4)]),
    lambda x, n: (sliding_window_view(x, 3), sliding_window_view(x.reshape(3, 4), (2, 2))),
    lambda x, n: sliding_window_view(x.reshape(3, 4), (2, 3), axis=(1, 0)).sum(axis=-1),
    lambda x, n: (as_strided(x, (5, 4), (8, 8)), as_strided(x, shape=(3,), strides=(16,))),
    lambda x, n: as_strided(x, (n, 4), x.strides * 2) + 1,
    lambda x, n: as_strided(x[5:], (6, 6), (-8, 8)) + 1,
    lambda x, n: (
        as_strided(x[::-1], (3,), (-8,)) + 1,
        as_strided(x.reshape(3, 4)[1:, 1:], (2, 2), (32, 8)) + 1,
    ),
    lambda x, n: as_strided(np.concatenate((x[:n], x[:n]))[n:], (n, n), (-8, 8)) + 1,
    lambda x, n: (x.strides, x.reshape(3, 4).T.copy().strides, (x * 2).base),
    lambda x, n: ((x * 2).reshape(3, 4).T.flags.f_contiguous, (x * 2).flags["OWNDATA"], x.flags.c_contiguous),
    lambda x, n: (np.linspace(0, 1, n), np.linspace(x[0], x[1], n, endpoint=False), np.linspace(3, 9, n)),
    lambda x, n: np.linspace(x[:2], 2, n, retstep=True, axis=1),
    lambda x, n: (np.linspace(0, 5, n, dtype=int), np.logspace(0, 1, n), np.linspace(0, 1, n - n + 1)),
    lambda x, n: (np.arange(x[0], x[1] + 3, 0.5), np.arange(0, 1, x[0]), np.arange(n, 0, -1.5)),
    lambda x, n: (np.arange(np.float32(n)), np.arange(x[0], x[0]), np.arange(0, 10, n)),
    lambda x, n: (np.asanyarray(x), np.asarray_chkfinite(x), np.common_type(x, x[0])),
    lambda x, n: (np.shares_memory(x, x), np.may_share_memory(x * 2, x)),
    lambda x, n: np.fromiter((v * 2 for v in x), float),
    lambda x, n: (np.fromiter((x[i] for i in range(n)), np.float32), np.fromiter([1, x[0]], float, count=1)),
    lambda x, n: np.apply_along_axis(lambda r: r * r.max(), 0, x.reshape(3, 4)),
    lambda x, n: np.apply_along_axis(np.sum, -1, x.reshape(3, 4)),
    lambda x, n: np.apply_along_axis(np.sum, 1, x.reshape(3, 4)[:, :0]),
    lambda x, n: np.vectorize(np.sum, signature="(n)->()")(x.reshape(3, 4)[:, :0]),
    lambda x, n: np.apply_over_axes(np.sum, x.reshape(3, 4), [0, 1]),
    lambda x, n: np.vectorize(lambda v: v * 2 if v > 0.5 else -v)(x),
    lambda x, n: np.vectorize(lambda v, w: v // w, otypes=[np.float32])(x[:, None], x),
    lambda x, n: np.piecewise(x, [x < 0.5, x >= 0.7], [lambda v: v * n, lambda v: -v, 3]),
    lambda x, n: np.polynomial.Polynomial(x[:3])(x),
    lambda x, n: np.polynomial.Polynomial.fit(x, x * 2, 1).deriv().coef,
    lambda x, n: np.polynomial.chebyshev.chebval(x, [1.0, 2.0, 3.0]),
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program: Callable[..., Any]) -> None:
    same(program, X, np.int64(4))


SCALE = np.vectorize(lambda a, b: a * 2 if a > b else -a)


def test_compiled() -> None:
    """Through the whole compiler, as loops where extents are unknown."""

    def program(x: Any, n: Any) -> Any:
        made = x * 2
        made.shape = (-1, 3)
        y = np.arange(n * 1.0)
        y.dtype = np.int64
        rows = np.apply_along_axis(lambda r: r * r.max(), 1, made)
        return rows, y, SCALE(x, 0.5), sliding_window_view(x, 2) * 1, np.linspace(x[0], 1, n)

    specs = [weft.TensorSpec((None,)), weft.TensorSpec((), "int64")]
    same(program, X, np.int64(4), run=weft.function, input_signature=specs)


def _shape_of_argument(x: Any) -> Any:
    x.shape = (3, 4)
    return x


def _window_written(x: Any) -> Any:
    windows = as_strided(x, (5, 2), (8, 8))
    windows[0] = 3
    return x


def _source_written(x: Any) -> Any:
    windows = sliding_window_view(x, 2)
    x[0] = 3
    return windows.sum()


WRONG: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda x: as_strided(x, (50, 4), (8, 8)), ValueError, "the strides lead out of the array"),
    (lambda x: as_strided(x, (2, -4), (8, -8)), ValueError, "negative dimensions"),
    (lambda x: as_strided(x, (2,), (8, 8)), ValueError, "mismatch in length of strides and shape"),
    (
        lambda x: sliding_window_view(x, 13),
        ValueError,
        "window shape cannot be larger than input array shape",
    ),
    (lambda x: sliding_window_view(x, (2, 2)), ValueError, "must provide window_shape for all dimensions"),
    (lambda x: np.arange(0, 1, x[0] * 0), ZeroDivisionError, "division by zero"),
    (lambda x: np.arange(0, x[0] * np.nan), ValueError, "cannot compute length"),
    (
        lambda x: np.linspace(0, 1, np.argmax(x) - 20),
        ValueError,
        "Number of samples, -.*, must be non-negative",
    ),
    (lambda x: np.asarray_chkfinite(x / 0), ValueError, "array must not contain infs or NaNs"),
    (lambda x: np.fromiter(x, float, count=20), ValueError, "iterator too short: Expected 20 but .* only 12"),
    (lambda x: np.vectorize(lambda v: v)(x[:0]), ValueError, "cannot call `vectorize` on size 0 inputs"),
    (_shape_of_argument, weft.UnsupportedError, "the shape of an array is changed in place"),
    (_window_written, weft.UnsupportedError, "what as_strided gives shares its memory in NumPy"),
    (_source_written, weft.UnsupportedError, "what sliding_window_view gives shares its memory"),
    (lambda x: x.base, weft.UnsupportedError, "the base of an argument"),
    (lambda x: x.flags.writeable, weft.UnsupportedError, "whether it may be written to of an argument"),
    (lambda x: np.shares_memory(x, GRID), weft.UnsupportedError, "whether these arrays share memory"),
    (lambda x: np.einsum_path("i,i", x[x > 0.5], x[:2]), weft.UnsupportedError, "needs to know the shapes"),
    (lambda x: x.resize(3), weft.UnsupportedError, "the size of an array is changed in place"),
    (lambda x: GRID.resize(3), weft.UnsupportedError, "changes in place what is no element of it"),
    (lambda x: (x * 2)[1:].resize(3), ValueError, "it does not own its data"),
    (lambda x: np.fft.fftshift(x[0]), ValueError, "an array without axes is rolled along none"),
]


@pytest.mark.parametrize(("program", "error", "message"), WRONG)
def test_what_is_wrong_says_so(program: Callable[..., Any], error: type[Exception], message: str) -> None:
    with np.errstate(all="ignore"), pytest.raises(error, match=message):
        interpreted(program)(X.copy())


def test_memory_of_arguments() -> None:
    """A function that asks is compiled again for arguments that lie in another way; vectors must have no gaps."""
    run = weft.function(lambda x: (x.strides, x.flags.c_contiguous, x.flags.fnc))
    for view in (GRID, GRID.T, GRID[:, ::2]):
        assert run(view) == (view.strides, view.flags.c_contiguous, view.flags.fnc)
    windows = interpreted(lambda x: as_strided(x, (2,), (8,)))
    np.testing.assert_array_equal(windows(X), X[:2])
    with pytest.raises(weft.UnsupportedError, match="how this one lies is not known"):
        windows(X[::2])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_one_step_of_several_that_is_zero(dtype: Any) -> None:
    """NumPy then computes the numbers of all of them another way."""

    def program(x: Any, n: Any) -> Any:
        return np.linspace(x, x[0], 1000), np.linspace(x, x[0], n, endpoint=False), np.linspace(x, x[::-1], n)

    x, n = np.array([0.1, -2, 7.3], dtype), np.int64(1000)
    for value, wanted in zip(weft.function(program)(x, n), program(x, n), strict=True):
        np.testing.assert_array_equal(value, wanted)


def grids(n: Any, m: Any) -> Any:
    rows, columns = np.mgrid[0:n, 0:m]
    return (
        *(rows + columns, np.mgrid[0:n, 1.0:m:0.5], np.mgrid[:n, -1:1:3j, 2:m], np.ogrid[0:n, 0.5:m]),
        *(np.mgrid[0:n] * 2, np.ogrid[1:n:2], np.mgrid[n:], np.mgrid[0:n:5j]),
    )


def test_grids_whose_ends_the_program_knows() -> None:
    same(grids, np.int64(3), np.int64(4))
    same(grids, np.int32(3), np.int32(4))
    for wrong in (lambda n: np.mgrid[0:n, 3], lambda n: np.mgrid[0:n, 1:]):
        with pytest.raises(weft.WeftTypeError, match="grid"):
            weft.function(wrong)(np.int64(3))


def test_ranges_of_dates_are_constants() -> None:
    same(lambda x: (np.arange("2005-02", "2005-03", dtype="datetime64[D]"), x), X)
    same(lambda x: (np.arange(np.datetime64("2005-02-01"), np.datetime64("2005-02-04")), x), X)
