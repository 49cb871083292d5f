"""Arrays that functions which call themselves write, hold in containers, get twice, and hand on."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import weft

X = np.arange(4.0)


class Pair(NamedTuple):
    a: Any
    b: Any


def fill(first: Any, held: Any, n: Any) -> None:
    if n > 0:
        first(held)[n % 3] += 1.0
        fill(first, held, n - 1)


@pytest.mark.parametrize(
    ("first", "hold"),
    [
        (lambda held: held[0], lambda x: (x, x * 0)),
        (lambda held: held[0], lambda x: [x, x * 0]),
        (lambda held: held["a"], lambda x: {"b": x * 0, "a": x}),
        (lambda held: held.a, lambda x: Pair(x, x * 0)),
        (lambda held: held.a, lambda x: SimpleNamespace(a=x)),
        (lambda held: held[1][0], lambda x: (1, [x])),
    ],
)
def test_arrays_in_containers_are_written(first: Callable[[Any], Any], hold: Callable[[Any], Any]) -> None:
    def program(x: Any, n: Any) -> Any:
        x = x.copy()
        fill(first, hold(x), n)
        return x

    compiled = weft.function(program)
    for n in (0, 1, 5):
        np.testing.assert_array_equal(compiled(X, np.int64(n)), program(X, n))


def same_array(a: Any, n: Any) -> Any:
    if n <= 0:
        return a
    a[0] += 1
    b = same_array(a, n - 1)
    b[1] += 1
    return b


def new_array(a: Any, n: Any) -> Any:
    return a * 2 if n <= 0 else new_array(a, n - 1) + 1


def captured(x: Any, n: Any) -> Any:
    buffer = np.zeros(3)

    def go(k: Any) -> Any:
        if k > 0:
            buffer[k % 3] += k
            go(k - 1)
        return buffer

    found = go(n)
    found[0] += 100
    return buffer, found


def written_result(x: Any, n: Any) -> Any:
    x = x.copy()
    y = same_array(x, n)
    y[2] = 9
    return x, y


def new_result(x: Any, n: Any) -> Any:
    x = x.copy()
    y = new_array(x, n)
    y[0], x[1] = 5, 3
    return x, y


@pytest.mark.parametrize("program", [written_result, new_result, captured])
def test_results_are_the_arrays_that_they_are(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for n in (0, 1, 5):
        assert repr(compiled(X, np.int64(n))) == repr(program(X, n))


def perhaps_new(a: Any, n: Any) -> Any:
    if n <= 0:
        return a
    b = perhaps_new(a, n - 1)
    return b.copy() if n > 2 else b


def swapping(a: Any, b: Any, n: Any) -> Any:
    return a if n <= 0 else swapping(b, a, n - 1)


def view(a: Any, n: Any) -> Any:
    return a[1:] if n <= 0 else view(a, n - 1)


@pytest.mark.parametrize(
    "call", [perhaps_new, view, lambda x, n: swapping(x, x + 1, n)], ids=["perhaps_new", "view", "swapping"]
)
def test_what_may_be_an_argument_is_read_and_not_written(call: Callable[..., Any]) -> None:
    def read(x: Any, n: Any) -> Any:
        x = x.copy()
        return x, call(x, n) + 1

    def written(x: Any, n: Any) -> Any:
        x = x.copy()
        y = call(x, n)
        y[0] = 7
        return x, y

    for n in (0, 1, 5):
        assert repr(weft.function(read)(X, np.int64(n))) == repr(read(X, n))
    with pytest.raises(weft.UnsupportedError, match=r"another array of the program|other arrays"):
        weft.function(written)(X, np.int64(3))


def sorts(a: Any, low: Any, high: Any) -> None:
    if low < high:
        pivot, i = a[high], low
        for j in range(low, high):
            if a[j] < pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[high] = a[high], a[i]
        sorts(a, low, i - 1)
        sorts(a, i + 1, high)


def keeps_old(a: Any, n: Any) -> Any:
    b = a.copy()
    b[n] += 10
    if n > 0:
        b = keeps_old(b, n - 1)
    return b + a


def exchanges(a: Any, b: Any, n: Any) -> Any:
    if n <= 0:
        return a, b
    a[n] += b[n - 1]
    b[n] *= 2
    return exchanges(b, a, n - 1)


def sorted_starts(x: Any, n: Any) -> Any:
    x, total = x[::-1].copy(), np.sum(x)
    for i in range(n):
        total = total * 2 + x[0]
        sorts(x, 0, i)
    return x, total


def exchanged(x: Any, n: Any) -> Any:
    a, b = x.copy(), x + 1
    c, d = exchanges(a, b, n)
    return a * 1, b * 1, c + d


@pytest.mark.parametrize("program", [sorted_starts, keeps_old, exchanged])
def test_arrays_that_are_changed_in_place_are_read_as_they_were(program: Callable[..., Any]) -> None:
    compiled = weft.function(program)
    for n in (0, 3):
        assert repr(compiled(X, np.int64(n))) == repr(program(X, n))


def both(a: Any, b: Any, n: Any) -> None:
    if n > 0:
        a[0] += 1
        b[0] *= 2
        both(a, b, n - 1)


@pytest.mark.parametrize("other", [lambda x: x, lambda x: x[1:]], ids=["itself", "view"])
def test_an_array_that_is_given_twice_is_not_written(other: Callable[[Any], Any]) -> None:
    @weft.function
    def program(x: Any, n: Any) -> Any:
        x = x.copy()
        both(x, other(x), n)
        return x

    with pytest.raises(weft.UnsupportedError, match="writes an array that it is given twice"):
        program(X, np.int64(3))


def test_an_array_that_may_be_missing_is_not_written() -> None:
    def go(a: Any, b: Any, n: Any) -> None:
        if n > 0:
            a[0] += 1
            if b is not None:
                b[0] += 2
            go(a, b, n - 1)

    @weft.function
    def program(x: Any, n: Any) -> Any:
        a, b = x.copy(), x * 3 if x[0] < 1 else None
        go(a, b, n)
        return a

    with pytest.raises(weft.UnsupportedError, match="writes an array that may be missing"):
        program(X, np.int64(3))
