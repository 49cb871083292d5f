"""`range` with bounds that are known when the program runs, in all that Python does with a range."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error).__mro__[-3], str(error).splitlines()[0]


def shown(value: Any) -> str:
    return repr(value)


BOUNDS = [(0, 5, 1), (0, 0, 1), (3, 9, 2), (9, 3, -2), (5, 0, 1), (-4, 5, 3), (2, 3, 7)]
PLACES = [-7, -6, -5, -1, 0, 1, 2, 4, 5, 6]


def summary(start, stop, step):
    r = range(start, stop, step)
    return (
        r,
        len(r),
        bool(r),
        1 if r else 2,
        r.start,
        r.stop,
        r.step,
        list(r),
        sum(r),
        [r],
        r == range(5),
        r != r,
    )


def item(start, stop, step, k):
    return range(start, stop, step)[k]


def membership(start, stop, step, k):
    r = range(start, stop, step)
    return k in r, k not in r, float(k) in r, k + 0.5 in r, r.count(k), "a" in r, None in r


def place(start, stop, step, k):
    return range(start, stop, step).index(k)


def slices(start, stop, step, k):
    r = range(start, stop, step)
    return r[k:], r[:k], r[1:k], r[::-1], r[k::2], r[:k:-1], r[k:1:-2], r[1:4][1:]


def compared(start, stop, step, k):
    r = range(start, stop, step)
    return r == range(k), r == range(start, stop + k - k, step), r[:1] == range(start, start + 1), r == [1, 2]


def numbers(*values: int) -> list[np.int64]:
    return [np.int64(value) for value in values]


def as_ints(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of run-time numbers that are Python's."""

    def called(*values):
        return function(*[int(value) for value in values])

    return called


class TestWithRunTimeBounds:
    def test_what_it_is(self):
        compiled = weft.function(as_ints(summary))
        for bounds in BOUNDS:
            assert shown(compiled(*numbers(*bounds))) == shown(summary(*bounds))

    @pytest.mark.parametrize("function", [item, membership, place, slices, compared])
    def test_at_a_place(self, function):
        compiled = weft.function(as_ints(function))
        for bounds, k in itertools.product(BOUNDS, PLACES):
            expected = outcome(function, *bounds, k)
            assert shown(outcome(compiled, *numbers(*bounds, k))) == shown(expected), (bounds, k)

    def test_as_an_array(self):
        @weft.function
        def arrays(n, x):
            r = range(int(n))
            return np.array(r), np.asarray(r), np.array(r)[::-1], x[r], np.sum(r)

        x = np.arange(10.0)
        for n in (1, 2, 7):  # NumPy makes floats of an empty range
            got = arrays(np.int64(n), x)
            for one, other in zip(got, arrays.python_function(np.int64(n), x), strict=True):
                np.testing.assert_array_equal(one, other)
                assert one.dtype == other.dtype

    def test_it_is_printed_and_walked(self, capsys):
        @weft.function
        def walk(n):
            r = range(int(n), 2, -3)
            print(r, f"{r}", [r])
            return (
                [i for i in r],
                isinstance(r, range),
                max(r),
                sorted(r),
                list(reversed(r)),
                list(zip(r, r)),
            )

        got = walk(np.int64(11))
        printed = capsys.readouterr().out
        assert got == walk.python_function(np.int64(11))
        assert printed == capsys.readouterr().out

    def test_steps(self):
        @weft.function
        def steps(n):
            return range(1, 5, int(n))

        with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero"):
            steps(np.int64(0))
        assert steps(np.int64(3)) == range(1, 5, 3)

    def test_too_many_bounds(self):
        with pytest.raises(TypeError, match="range expected at most 3 arguments, got 4"):
            weft.function(lambda n: range(n, n, n, n))(np.int64(3))

    def test_what_is_no_bound(self):
        with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
            weft.function(lambda x: range(float(x)))(np.float64(3))
        with pytest.raises(TypeError, match=r"'numpy.float64' object cannot be interpreted as an integer"):
            weft.function(lambda x: range(x))(np.float64(3))
        with pytest.raises(TypeError, match="only integer scalar arrays"):
            weft.function(lambda x: range(x))(np.arange(3))
        with pytest.raises(TypeError, match=r"'numpy.bool' object cannot be interpreted as an integer"):
            weft.function(lambda x: range(x > 1))(np.float64(3))
        truths = weft.function(lambda x: (range(bool(x > 1)), range(3)[bool(x > 1)], [5, 6][bool(x > 1)]))
        assert truths(np.float64(3)) == (range(1), 1, 6)
        with pytest.raises(TypeError, match="not subscriptable"):
            weft.function(lambda x: enumerate(x)[0])(np.arange(3))

    def test_a_tuple_of_a_range(self):
        assert weft.function(lambda n: tuple(range(int(n))))(np.int64(3)) == (0, 1, 2)
