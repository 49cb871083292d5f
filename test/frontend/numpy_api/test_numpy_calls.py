"""NumPy's functions in converted code: arguments that NumPy's dispatch does not look at, types, keywords, messages."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted

X = np.array([1.5, 2.5, -3.0])


def same(function: Any, *arguments: Any) -> None:
    with np.errstate(all="ignore"):
        expected = function(*[a.copy() for a in arguments])
    assert_same(interpreted(function)(*[a.copy() for a in arguments]), expected, rtol=1e-15)


def items_of_lists(x: Any, n: Any) -> Any:
    count = int(n)
    return [
        *(
            np.max([x[0], x[1]]),
            np.add.reduce([x[0], 2.0]),
            np.hypot([x[0], 1], 2),
            np.linalg.norm([x[0], x[1]]),
        ),
        *(np.sum(range(count)), np.array(range(count))[1:], np.mean(((x[0], 1.0), (2.0, x[1])), axis=0)),
        *(
            np.interp(0.5, [0.0, x[0]], [1.0, x[1]]),
            np.full((2, 3), [x[0], x[1], 1.0]),
            np.median([x[2], 1, 2]),
        ),
    ]


def test_items_of_lists() -> None:
    same(items_of_lists, X, np.int64(4))


def types(x: Any, f: Any, i: Any) -> Any:
    n = int(i[0])
    return [
        *(np.arange(4.0), np.arange(0.1, 2, 0.3), np.select([f > 1], [f], 0), np.select([f > 1], [0.5], f)),
        *(np.choose(i > 0, [f, 0.5]), np.isclose(f, 1.5000001), np.allclose(x, x), np.array_equal(x, f)),
        *(
            np.array_equiv(x, 1),
            np.where(x[0] > 1, 1.0, 2.0),
            np.isin(x[0], [1.5]),
            np.add(1, n),
            np.add.outer(f, n),
        ),
        *(np.power(n, 2), np.tensordot(x, x, 1), np.dot(x, x), np.imag(x[0]), np.real(x[0]), i[:1] ** 2),
        *(
            np.linspace(f, 2.0, 3).shape,
            np.angle(i),
            np.unique_counts(i),
            np.sum(i, initial=2.5),
            np.pad(x, 1),
        ),
        *(
            x == None,  # noqa: E711
            x != None,  # noqa: E711
            x[0] == None,  # noqa: E711
            isinstance(x, np.ndarray),
            type(x) is np.ndarray,
            isinstance(x[0], float),
            type(x[0]).__name__,
        ),
    ]


def test_types() -> None:
    same(types, X, X.astype(np.float32), np.array([3, -1, 2], np.int8))


def kinds(x: Any, s: Any) -> Any:
    found = []
    for value in (x, s, 3, [1], None):
        match value:
            case np.ndarray():
                found.append("array")
            case np.floating() | list():
                found.append("number or list")
            case int(number):
                found.append(number)
            case _:
                found.append("other")
    return found


def test_class_patterns_know_arrays() -> None:
    same(kinds, X, np.float64(2.0))


def corners(x: Any, z: Any, n: Any) -> Any:
    falling = x[::-1] * 1.0
    falling.sort()
    z.partition(1)
    return [
        *(np.digitize(x, falling[::-1]), np.digitize(x, falling), np.digitize(x, falling[::-1], right=True)),
        *(
            np.interp(x, [0, 1], [1j, 2]),
            np.interp(x, [0.0, np.inf], [1.0, 2.0]),
            np.interp([0.5], [0, 1], [np.inf, 1]),
        ),
        *(
            np.clip(z, -0.0, 0.0),
            np.clip(z, 0.0, None),
            np.clip(z, z * 0, z * -0.0),
            np.roll(x, int(n)),
            np.roll(x, n, 0),
        ),
        *(np.roll(x, 2**70), np.sort(x, kind="quick"), np.cov(x, dtype=np.float32), z, x.argpartition(1)),
        *(np.average(x, weights=x * 2, returned=True), np.var(x, dtype=complex), np.quantile([1, 2, 3], 0.5)),
    ]


def test_corners() -> None:
    same(corners, X, np.array([0.0, -0.0, 1.0, -1.0]), np.int64(-2))
    same(lambda c: _written(c), X + 0j)


def _written(c: Any) -> Any:
    c.imag = 3
    c.real = [1, 2, 3]
    return c


REFUSED = [
    (lambda x: np.exp(x, order="Z"), ValueError, r"order must be one of 'C', 'F', 'A', or 'K' \(got 'Z'\)"),
    (
        lambda x: np.exp(x, casting="wild"),
        ValueError,
        "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe'",
    ),
    (lambda x: np.sum(x, where=[[True], [False]]), ValueError, "more dimensions than allowed"),
    (
        lambda x: np.clip(x, min=1, a_min=2),
        ValueError,
        "keyword argument when `a_min` and `a_max` are provided",
    ),
    (lambda x: np.round(x, 1.0), TypeError, "cannot be interpreted as an integer"),
    (lambda x: np.add.accumulate(x[0]), TypeError, "cannot accumulate on a scalar"),
    (lambda x: np.average(x, weights=x * 0), ZeroDivisionError, "Weights sum to zero"),
    (
        lambda x: np.quantile(x, 0.5, weights=x),
        NotImplementedError,
        r"np.quantile\(weights=...\) is not supported",
    ),
    (lambda x: np.sum(x, whatever=1), TypeError, r"np.sum\(\) got an unexpected keyword argument 'whatever'"),
    (
        lambda x: x.clip(0, 1, whatever=1),
        TypeError,
        r"ndarray.clip\(\) got an unexpected keyword argument 'whatever'",
    ),
    (lambda x: x + None, TypeError, r"unsupported operand type\(s\) for \+: 'f64\[3\]' and 'NoneType'"),
    (lambda x: "a" * x, TypeError, r"unsupported operand|repeated"),
    (lambda x: setattr(x, "imag", 3), TypeError, "array does not have imaginary part to set"),
    (lambda x: np.gradient(x[:1]), ValueError, "too small to calculate a numerical gradient"),
    (lambda x: np.partition(x, 3), ValueError, r"kth\(=3\) out of bounds \(3\)"),
    (lambda x: np.digitize(x, [1, 3, 2]), ValueError, "bins must be monotonically increasing or decreasing"),
    (lambda x: np.digitize(x, x), ValueError, "bins must be monotonically increasing or decreasing"),
    (lambda x: np.interp(x, x, x[:2]), ValueError, "fp and xp are not of the same length"),
    (lambda x: np.sort(x, kind="bubble"), ValueError, "sort kind must be one of"),
    (lambda x: np.add(x, 1.5, casting="no", dtype="f4"), TypeError, "[Cc]ast"),
    (
        lambda x: np.std(x + 1j, dtype=float),
        NotImplementedError,
        "var and std of complex128 in dtype=float64",
    ),
]


@pytest.mark.parametrize(("function", "error", "message"), REFUSED)
def test_messages(function: Any, error: type[Exception], message: str) -> None:
    with weft.settings.scope(fallback=False), pytest.raises(error, match=message):
        interpreted(function)(np.array([1.5, 3.5, 2.5]))


def test_what_says_nothing_is_left_out() -> None:
    same(lambda x: np.quantile(x, 0.5, weights=None), X)
    same(lambda x: np.trim_zeros(x, axis=None), X)


def test_compiled() -> None:
    """A few of these through the whole compiler."""
    compiled = weft.function(lambda x, n: (np.max([x[0], x[1]]), np.roll(x, n), np.digitize(x, x[::-1] * 0)))
    got = compiled(X, np.int64(1))
    assert_same(got, (np.max([X[0], X[1]]), np.roll(X, 1), np.digitize(X, X[::-1] * 0)))


def brackets(x: Any, f: Any, n: Any) -> Any:
    return [
        *(
            np.r_[x, 1, 2:5, x[0]],
            np.r_[f[0], f[1], 3],
            np.c_[x, x * 2],
            np.r_["0,2", x, x],
            np.r_["1,2,0", x, x],
        ),
        *(np.r_[0:1:3j, x], np.r_[0 : int(n)], np.ix_(x > 1, [0, 1]), np.unravel_index(n, (2, 3))),
        *(np.ravel_multi_index((n, n), (6, 7)), np.matmul(x, x, order="K", casting="same_kind")),
    ]


def test_arrays_in_brackets_and_indices() -> None:
    same(brackets, X, X.astype(np.float32), np.int64(3))
    same(_filled_diagonal, np.ones((2, 3)))


def _filled_diagonal(m: Any) -> Any:
    np.fill_diagonal(m, 7)
    return m


def test_a_ufunc_is_applied_once_at_each_place() -> None:
    with (
        weft.settings.scope(fallback=False),
        pytest.raises(
            weft.UnsupportedError, match=r"exp.at with an array of indices, which may name an element"
        ),
    ):
        interpreted(lambda x, i: np.exp.at(x, i))(X.copy(), np.array([0, 0]))
    same(_negated_at, X)


def _negated_at(x: Any) -> Any:
    np.negative.at(x, [0, 2])
    np.negative.at(x, x > 2)
    return x


def asked(x: Any, s: Any) -> Any:
    return [
        np.isscalar(x),
        np.isscalar(s),
        np.isscalar(x[0]),
        np.iterable(x),
        np.iterable(s),
        np.around(x, 1),
    ]


def test_questions_about_values() -> None:
    same(asked, X, np.float64(2.0))


def test_texts_of_arrays_are_made_at_run_time(capsys: pytest.CaptureFixture[str]) -> None:
    weft.function(lambda x: print(np.array2string(x, precision=1)))(X)
    assert capsys.readouterr().out == "[ 1.5  2.5 -3. ]\n"


def test_functions_of_numpy_themselves_get_what_was_given() -> None:
    ones = np.ones(2)
    assert_same(weft.function(functools.partial(np.add, 1))(ones), ones + 1)
    assert_same(weft.function(np.add)(ones, ones, dtype=np.float32), np.add(ones, ones, dtype=np.float32))
    assert_same(interpreted(np.add)(ones, ones, where=True), ones + ones)
    matrix = np.arange(6.0).reshape(2, 3)
    for function in (np.cov, np.corrcoef, np.nan_to_num, np.std):
        assert_same(interpreted(function)(matrix), function(matrix), rtol=1e-15)


def test_classes_that_views_are_asked_for() -> None:
    same(lambda x: (x.view(np.ndarray), x.view(type=np.ndarray), x.view()), X)
    for view in (lambda x: x.view(np.matrix), lambda x: x.view(type=np.ma.MaskedArray)):
        with pytest.raises(
            weft.UnsupportedError, match=r"makes an array a (matrix|MaskedArray), a class that computes"
        ):
            weft.function(view)(X)


def test_arrays_of_objects_are_named() -> None:
    class Thing:
        pass

    with pytest.raises(weft.UnsupportedError, match=r"array of Python's objects \(dtype object\) of a Thing"):
        weft.function(lambda x: x + np.asarray(Thing()))(X)
    with pytest.raises(TypeError, match=r"of a list with items of NoneType, float"):
        weft.function(lambda x: x + weft.asarray([None, 1.0]))(X)
