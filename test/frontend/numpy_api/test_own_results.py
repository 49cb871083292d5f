"""Results are arrays of the program's own, views where NumPy gives views, scalars where it gives scalars."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same

special = pytest.importorskip("scipy.special")


def same_as_eager(program: Callable[..., Any], *arrays: Any) -> None:
    """Types, dtypes and values of results, which arrays are one, and arguments afterwards, are those of NumPy."""
    plain, given = ([np.array(array) for array in arrays] for _ in range(2))
    expected, got = program(*plain), weft.function(program)(*given)
    for mine, theirs in zip((*got, *given), (*expected, *plain), strict=True):
        assert type(mine) is type(theirs)
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    for left in range(len(got)):
        for right in range(left):
            assert (got[left] is got[right]) == (expected[left] is expected[right])


def same_error(program: Callable[..., Any], x: Any) -> None:
    with pytest.raises(ValueError, match=r"out of bounds|cannot reshape") as expected:
        program(x)
    with pytest.raises(ValueError, match=re.escape(str(expected.value))) as got:
        weft.function(program)(x)
    assert str(got.value).splitlines()[0] == str(expected.value)


def places_twice(m: Any, x: Any) -> Any:
    i = np.flatnonzero(m)
    i += 10
    (j,) = m.nonzero()
    j[0] = 7
    return i, j, np.flatnonzero(m), np.where(m)[0], m.nonzero()[0], x[m]


def test_places_of_a_mask_are_another_array_each_time() -> None:
    same_as_eager(places_twice, [True, False, True], [1.0, 2.0, 3.0])


def write_diagonals(x: Any) -> Any:
    diagonal = np.einsum("ii->i", x[:2, :2])
    diagonal += 1
    stacked = np.stack([x, 2 * x])
    each = np.einsum("bii->bi", stacked)
    each[:, 1:] *= 3
    np.einsum("ij->ji", stacked[0])[0] = 5
    return diagonal, stacked, each


def write_run_time_diagonal(x: Any) -> Any:
    n = int(x[0, 0]) + 2
    part = np.einsum("jj->j", x[:n, :n])
    part[...] = np.arange(n)
    return (part,)


@pytest.mark.parametrize("program", [write_diagonals, write_run_time_diagonal])
def test_diagonals_of_einsum_are_views_to_write_to(program: Callable[..., Any]) -> None:
    same_as_eager(program, np.arange(9.0).reshape(3, 3))


def test_diagonals_of_diagonal_are_not() -> None:
    @weft.function
    def f(x: Any) -> Any:
        shown = x.diagonal()
        shown += 1
        return x

    with pytest.raises(ValueError, match="output array is read-only"):
        f(np.eye(3))


def full_sums(x: Any) -> Any:
    return (
        np.einsum("ij,kj->", x, x, optimize=True),
        np.einsum("ij,ij,ij->", x, x, x, optimize="greedy"),
        np.einsum("ij,kj->", x, x),
        np.einsum("ij->", x, optimize=True),
        np.einsum("i,j->", x[0], x[1], optimize=True),
    )


def logarithms_of_sums(x: Any) -> Any:
    return (
        special.logsumexp(x),
        special.logsumexp(x[0]),
        special.logsumexp(x, axis=0),
        special.logsumexp(x, b=x),
    )


@pytest.mark.parametrize("program", [full_sums, logarithms_of_sums])
def test_scalars_and_arrays_of_rank_0(program: Callable[..., Any]) -> None:
    same_as_eager(program, np.arange(1.0, 7.0).reshape(2, 3))


def test_parts_of_one_argument_share_memory() -> None:
    @weft.function
    def f(x: Any) -> Any:
        own = x.copy()
        return (
            np.shares_memory(x[1:], x),
            np.may_share_memory(x[0], x.T),
            np.shares_memory(x.T[0], x[:, 0]),
            np.shares_memory(own[0], own[1]),
            np.shares_memory(own[0], own[:, 0]),
        )

    assert f(np.ones((3, 3))) == (True, True, True, False, True)


def test_rows_of_an_argument_may_lie_in_one_place() -> None:
    @weft.function
    def f(x: Any) -> Any:
        return np.shares_memory(x[0], x[1])

    with pytest.raises(weft.LayoutError, match="known to the caller only"):
        f(np.broadcast_to(np.ones(3), (2, 3)))


def test_views_that_numpy_never_lets_one_write() -> None:
    @weft.function
    def f(x: Any) -> Any:
        windows = np.lib.stride_tricks.sliding_window_view(x, 2)
        return windows.flags.writeable, np.broadcast_to(x, (2, 3)).flags.writeable

    assert f(np.arange(3.0)) == (False, False)


@pytest.mark.parametrize("kth", [-9, 3, [0, 7], [-8]])
def test_places_out_of_bounds_are_told_as_numpy_counts_them(kth: Any) -> None:
    def f(x: Any) -> Any:
        return np.argpartition(x, kth)

    same_error(f, np.ones((2, 3)))


@pytest.mark.parametrize("shape", [(-1, 2), (2, -1), (-1, 2, 3), (2, -1, 7), (4,)])
def test_shapes_that_do_not_fit_are_shown_as_numpy_shows_them(shape: Any) -> None:
    def f(x: Any) -> Any:
        return x.reshape(shape)

    same_error(f, np.ones(5))


CUBIC = np.poly1d([1, 0, -2, 3])


def test_polynomials_with_known_coefficients_are_called() -> None:
    same_as_eager(lambda x: (CUBIC(x), np.poly1d([2, 1])(x[0])), [1.0, 2.0, -3.0])


def _fitted(x: Any) -> Any:
    p = np.poly1d(np.polyfit(x, x**2 + 1, 2))
    return p(x), p(2.5), p.order, p.c


def _asked(c: Any) -> Any:
    p = np.poly1d(c)
    slope, area = p.deriv(), p.integ(k=1)
    return slope(1.0), area(2.0), len(p), p[0], p[1], p[9], sum(v for v in p), [2 * v for v in p], area.order


def _combined(c: Any) -> Any:
    p, q = np.poly1d(c), np.poly1d([2.0, 0.0, 1.0])
    quotient, rest = np.poly1d(2 * c) / p
    together = (p + q, p * q, q - p, 1 - p, -p, 2 * p + 1, p / 2, p**2, p(p), quotient, rest)
    return [one.c for one in together], p == q, p != np.poly1d(p), np.poly1d(c, True)(0.5)


def _changed(c: Any) -> Any:
    p = np.poly1d(c, variable="t")
    p[1] = 7.0
    print(p)
    return p.coeffs, isinstance(p, np.poly1d)


def _zero(c: Any) -> Any:
    x = 3.0
    p = np.poly1d(c)
    for _ in range(6):
        x = x - p(x) / p.deriv()(x)
    return x


@pytest.mark.filterwarnings("ignore:np.polyfit is not compiled")
@pytest.mark.parametrize("program", [_fitted, _asked, _combined, _changed, _zero])
def test_polynomials_of_computed_coefficients(program: Any, capsys: Any) -> None:
    compiled = weft.function(program)
    for c in ([1.0, 2.0, 3.0], [0.0, 2.0, 4.0], [3.0, -1.0, 0.5]):
        expected, told = program(np.array(c)), capsys.readouterr().out
        assert_same(compiled(np.array(c)), expected, rtol=1e-9)
        assert capsys.readouterr().out == told


def test_polynomials_are_returned_as_numpys() -> None:
    compiled = weft.function(lambda c: np.poly1d(c))
    for c in ([0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 2.0]):
        found = compiled(np.array(c))
        assert type(found) is np.poly1d
        assert repr(found) == repr(np.poly1d(c))


def test_diagonals_that_are_returned_may_be_written_where_numpy_lets_one() -> None:
    @weft.function
    def f(x: Any) -> Any:
        return np.einsum("ii->i", x), x.diagonal()

    x = np.eye(2)
    of_einsum, of_diagonal = f(x)
    of_einsum += 1
    assert x[1, 1] == 2
    assert not of_diagonal.flags.writeable
    x.flags.writeable = False
    assert not f(x)[0].flags.writeable


def test_refusals_of_library_functions_say_the_same_each_time() -> None:
    optimize = pytest.importorskip("scipy.optimize")

    @weft.function
    def f(x: Any) -> Any:
        return optimize.curve_fit(lambda t, a: a * t, x, 2 * x)

    texts = []
    for _ in range(2):
        with pytest.raises(weft.UnsupportedError, match="curve_fit") as refused:
            f(np.arange(4.0))
        texts.append(str(refused.value))
    assert texts[0] == texts[1]
