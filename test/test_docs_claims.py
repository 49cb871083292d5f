"""What pages say in sentences, tried: each claim is here in the words of its page, beside a program that shows it."""

from __future__ import annotations

import math
import queue
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import REFUSED, Claims, refused, require, same

X: Any = np.arange(6.0)
CLAIMS = Claims()
claim = CLAIMS.claim


@claim("semantics.md", "`1 / 0` is `inf`, silently, whatever `np.seterr` says")
def _() -> None:
    with warnings.catch_warnings(), np.errstate(divide="raise"):
        warnings.simplefilter("error")
        assert weft.function(lambda x: 1 / x)(np.zeros(1))[0] == np.inf


@claim("semantics.md", "inside of a function may say `ignore` or `warn`")
def _() -> None:
    def quiet(x: Any, how: Any) -> Any:
        with np.errstate(divide=how):
            return 1 / x

    weft.function(quiet)(X, "ignore")
    weft.function(quiet)(X, "warn")
    refused(quiet, X, "raise")


@claim("semantics.md", "What else loops add up of floats keeps its order")
def _() -> None:
    def total(x: Any) -> Any:
        s = 0.0
        for i in range(len(x)):
            s = s + x[i] * x[i]
            x[i] = s
        return s

    values = np.random.default_rng(0).normal(size=1000)
    assert weft.function(total)(values.copy()) == total(values.copy())


@claim("semantics.md", "convert as on x86-64 (the smallest value of the widest integer, wrapped)")
def _() -> None:
    out = weft.function(lambda x: x.astype(np.int64))(np.array([1e30, np.nan, -1e30]))
    assert (out == np.iinfo(np.int64).min).all()


@claim("semantics.md", "raise where they raise in NumPy (`x[0] = 300` in int8)")
def _() -> None:
    def stored(x: Any) -> None:
        x[0] = 300

    refused(stored, np.zeros(2, np.int8), error=OverflowError)


@claim("semantics.md", "`1 / 0`, `0.0 ** -1` and `1 << -1` raise, `5 ** -2` is a float, `round`")
def _() -> None:
    for program, values in (
        (lambda a, b: a / b, (1, 0)),
        (lambda a, b: a**b, (0.0, -1)),
        (lambda a, b: a << b, (1, -1)),
    ):
        with pytest.raises((ZeroDivisionError, ValueError)):
            weft.function(program)(*values)
    assert weft.function(lambda a, b: a**b)(5, -2) == 5**-2
    assert weft.function(lambda x: round(x, 1))(2.675) == round(2.675, 1)


@claim("semantics.md", "does not fit raises `OverflowError` in `int`")
def _() -> None:
    refused(lambda x: int(x[0]), np.array([1e300]), error=OverflowError)
    refused(lambda x: math.floor(x[0]), np.array([1e300]), error=OverflowError)


@claim("semantics.md", "an argument or global that is returned is itself")
def _() -> None:
    x, y = X.copy(), X.copy()
    assert weft.function(lambda a, b, c: a if c[0] > 0 else b)(x, y, np.ones(1)) is x
    assert np.shares_memory(weft.function(lambda a: a[1:3])(x), x)
    whole = weft.function(lambda a: a[:])(x)
    assert whole is not x
    assert np.shares_memory(whole, x)


@claim("semantics.md", "The only view of a local array that is returned is an array of its own")
def _() -> None:
    assert weft.function(lambda a: (a + 1)[1:3])(X).base is None


@claim("semantics.md", "arguments may have any, and come back as they are when they are returned")
def _() -> None:
    big = X.astype(">f8")
    same(lambda a: a + 1, big)
    assert weft.function(lambda a: a)(big) is big
    refused(lambda a: a.astype(">i8"), X)


@claim("semantics.md", "must not be empty: that is an error, never")
def _() -> None:
    first = weft.function(lambda x: x[x > 3][:1] + 1)
    assert first(X)[0] == 5
    with pytest.raises((IndexError, ValueError)):
        first(np.zeros(6))


@claim("semantics.md", "Updates and reductions through a mask")
def _() -> None:
    def doubled(x: Any) -> Any:
        x[x > 3] *= 2
        return x[x > 3].sum()

    same(doubled, X.copy())


@claim("semantics.md", "take all elements before they write one")
def _() -> None:
    def moved(x: Any) -> Any:
        x[1:] = x[:-1]
        return x.copy()

    same(moved, X)
    np.testing.assert_array_equal(weft.function(moved)(X.copy()), np.r_[0.0, X[:-1]])


@claim("semantics.md", "passing one array twice is one array, as in NumPy")
def _() -> None:
    def added(a: Any, b: Any) -> None:
        a[:] = a + 1
        b[:] = b * 2

    compiled, x = weft.function(added), X.copy()
    compiled(x, x)
    np.testing.assert_array_equal(x, (X + 1) * 2)
    with pytest.raises(ValueError, match="overlap in memory"):
        compiled(x[1:], x[:-1])


@claim("semantics.md", "also in lists (`np.max([a, b])`, `np.r_[a, 1:n]`)")
def _() -> None:
    same(lambda x: np.max([x[0], x[5]]), X)
    same(lambda x: np.r_[x[0], 1:4], X)


@claim("semantics.md", "the function may write computed values to it")
def _() -> None:
    def windowed(x: Any) -> Any:
        w = np.hanning(6)
        w[2] = x[3]
        return w * x

    same(windowed, X)


@claim("semantics.md", "`squeeze` without axes raises where one turns out to be 1")
def _() -> None:
    squeezed = weft.function(lambda x: x[x > 2].squeeze() * 2)
    np.testing.assert_array_equal(squeezed(X), X[X > 2] * 2)
    with pytest.raises(REFUSED):
        squeezed(np.array([0.0, 3.0, 0, 0, 0, 0]))


@claim("semantics.md", 'Characters of strings are found so, too (`".#"[cell]`)')
def _() -> None:
    assert weft.function(lambda n: ".#"[n])(np.int64(1)) == "#"

    def counted(x: Any) -> Any:
        d = {"low": 0, "high": 0}
        for v in x:
            d["low" if v < 3 else "high"] += 1
        return d

    assert weft.function(counted)(X) == {"low": 3, "high": 3}


@claim("semantics.md", "`isinstance(x, np.ndarray)`, `type(x[0]) is np.float64`,")
def _() -> None:
    assert weft.function(lambda x: (isinstance(x, np.ndarray), type(x[0]) is np.float64))(X) == (True, True)


@claim("semantics.md", "integers beyond 2**53 are not rounded")
def _() -> None:
    def chosen(x: Any, n: Any) -> Any:
        return n if x[0] > 0 else np.float32(0.5)

    assert weft.function(chosen)(np.ones(1), np.int64(2**53 + 1)) == 2**53 + 1
    assert type(weft.function(chosen)(np.zeros(1), np.int64(7))) is np.float32


@claim("semantics.md", "matrices, masked arrays and other subclasses of ndarray")
def _() -> None:
    refused(lambda x: x + 1, np.ma.masked_array(X, X > 2), error=TypeError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        matrix = np.matrix([[1.0]])
    refused(lambda x: x + 1, matrix, error=TypeError)


@claim("semantics.md", "Tensors that DLPack exchanges and mere")
def _() -> None:
    np.testing.assert_array_equal(weft.function(lambda x: x + 1)(memoryview(X)), X + 1)


@claim("semantics.md", "`np.empty`\n  gives zeros")
def _() -> None:
    assert not weft.function(lambda x: np.empty(3) + 0 * x[0])(X).any()


@claim("semantics.md", "`at` of other ufuncs than `np.add` and `np.subtract`")
def _() -> None:
    def counted(x: Any, at: Any) -> Any:
        np.add.at(x, at, 1.0)
        return x

    def powered(x: Any, at: Any) -> Any:
        np.exp.at(x, at)
        return x

    at = np.array([1, 1, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(counted, X, at)
    with pytest.warns(weft.FallbackWarning, match=r"np\.exp\.at"):
        same(powered, X, at)


@claim("semantics.md", "All else that happened before an exception has happened")
def _() -> None:
    def stopped(x: Any, n: Any) -> None:
        for i in range(n):
            x[i] = -1.0
            assert x[i + 1] < 3, "too much"

    x = X.copy()
    with pytest.raises(AssertionError, match="too much"):
        weft.function(stopped)(x, np.int64(5))
    assert list(x) == [-1, -1, -1, 3, 4, 5]


@claim("semantics.md", "takes exceptions that tracing finds and those of run time")
def _() -> None:
    def looked(x: Any, i: Any) -> Any:
        try:
            return x[i]
        except IndexError:
            return -1.0

    assert weft.function(looked)(X, np.int64(9)) == -1
    assert weft.function(looked)(X, np.int64(2)) == 2


@claim("semantics.md", "are complex numbers in compiled code,")
def _() -> None:
    out = weft.function(lambda x: np.linalg.eigvals(x))(np.diag([1.0, 2.0]))
    assert out.dtype == np.complex128


@claim("semantics.md", "what fails there ends the call with `LinAlgError`")
def _() -> None:
    refused(lambda x: np.linalg.inv(x), np.zeros((20, 20)), error=np.linalg.LinAlgError)


@claim(
    "semantics.md",
    "are numbers, dates, records or arrays of these are read and written by name",
)
def _() -> None:
    records = np.zeros(3, [("x", "f8"), ("n", "i4")])

    def filled(r: Any) -> Any:
        r[0]["x"] = 2.5
        r["n"] = 7
        return r["x"] * r["n"]

    other = records.copy()
    np.testing.assert_array_equal(weft.function(filled)(records), filled(other))
    np.testing.assert_array_equal(records, other)


@claim("semantics.md", '`weft.TensorSpec((None,), "datetime64[D]")` stands for dates')
def _() -> None:
    days = np.array(["2024-02-29", "NaT", "2025-01-01"], "datetime64[D]")
    later = weft.function(lambda d: d + 1, input_signature=[weft.TensorSpec((None,), "datetime64[D]")])
    np.testing.assert_array_equal(later(days), days + 1)


@claim("semantics.md", 'compared with each other and with Python\'s texts (`s == "a"`')
def _() -> None:
    same(lambda s: (s == "a").sum(), np.array(["a", "bc", "a"]))


@claim("semantics.md", "`weft.settings.fallback = False` refuses")
def _() -> None:
    with pytest.warns(weft.FallbackWarning):
        weft.function(lambda x: np.polyfit(np.arange(6.0), x, 1))(X)
    with weft.settings.scope(fallback=False):
        refused(lambda x: np.polyfit(np.arange(6.0), x, 2), X)


@claim("semantics.md", "called at each call, in its place, from the user's line")
def _() -> None:
    timed = weft.function(lambda x: (x[0], time.perf_counter()))
    assert timed(X)[1] < timed(X)[1]


@claim("semantics.md", "`eval` and `exec` are refused")
def _() -> None:
    refused(lambda x: eval("x + 1"), X)
    refused(lambda x: x + len(input()), X)


@claim("semantics.md", "a queue that would wait raises `queue.Empty` or `queue.Full`")
def _() -> None:
    def waited(x: Any) -> Any:
        waiting: Any = queue.Queue()
        waiting.put(x[0])
        return waiting.get() + waiting.get()

    refused(waited, X, error=queue.Empty)


@claim("limits.md", "`async`, generators as compiled functions")
def _() -> None:
    async def waiting(x: Any) -> Any:
        return x

    def items(x: Any) -> Any:
        yield x

    refused(waiting, X)
    refused(items, X)


@claim("limits.md", "refused, with the place of the first such element")
def _() -> None:
    with pytest.raises(TypeError, match="1"):
        weft.function(lambda x: x)(np.array([1.0, {}], dtype=object))


@claim("limits.md", "long doubles, integers above 64 bits in arrays")
def _() -> None:
    refused(lambda x: x + 1, np.zeros(2, np.longdouble), error=TypeError)


@claim("limits.md", "threads, processes, sockets, files, `input()` in the function")
def _() -> None:
    refused(lambda x: x + float(open(__file__).read(1) == "a"), X)  # noqa: SIM115


@claim("threads.md", "inside of\n`threadpool_limits(1)` compiled functions use one thread")
def _() -> None:
    threadpoolctl = pytest.importorskip("threadpoolctl")
    weft.function(lambda x: np.sin(x).sum())(np.ones(1_000_000))
    with threadpoolctl.threadpool_limits(1):
        assert weft.get_num_threads() == 1


@claim("threads.md", "do so from the calling thread")
def _() -> None:
    seen: list[int] = []

    weft.function(lambda x: weft.py_call(lambda _: seen.append(threading.get_ident()), x))(X)
    assert seen == [threading.get_ident()]


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
