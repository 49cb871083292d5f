"""What the page on control flow says in sentences, tried."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import Claims, refused, require

CLAIMS = Claims()
claim = CLAIMS.claim
X: Any = np.arange(6.0)


@claim(
    "autograph.md",
    "Without one a function is traced as it is, which is all it takes as long as no array decides in it",
)
def _() -> None:
    made: dict[str, Any] = {}
    exec(
        "def plain(x):\n    return x * 2\n\n\ndef decides(x):\n    if x > 0:\n        return x\n    return -x\n",
        made,
    )
    np.testing.assert_array_equal(weft.function(made["plain"])(X), X * 2)
    with pytest.raises(weft.WeftError, match="source"):
        weft.function(made["decides"])(np.float64(2))


@claim("autograph.md", "`if`, `while`, `and`, `or`, `not`, `a if c else b`, `assert`, guards of `match`")
def _() -> None:
    @weft.function
    def chosen(x: Any) -> Any:
        assert x < 100, "large"
        y = 1 if x > 2 and not x > 8 else 2
        match y:
            case 1 if x > 4:
                y = 3
        while y < x or y < 2:
            y = y * 2
        return y

    assert [chosen(np.float64(x)) for x in (1.0, 3.0, 5.0, 9.0)] == [2, 4, 6, 16]
    assert chosen.trace_count == 1
    with pytest.raises(AssertionError, match="large"):
        chosen(np.float64(100))


@claim("autograph.md", "`weft.unroll(iterable)` unrolls in any case, `weft.range(n)` never does")
def _() -> None:
    def looped(over: Callable[[int], Any]) -> str:
        def total(x: Any) -> Any:
            s = 0.0
            for i in over(4):
                s = s + x[i] * i
            return s

        return weft.function(total).get_concrete_function(X).as_text("weft")

    assert "scf.for" in looped(weft.range)
    assert "scf.for" not in looped(lambda n: weft.unroll(range(n)))
    with weft.settings.scope(max_trace_ops=1000):  # however long it is
        refused(lambda x: sum_of_steps(x, weft.unroll(range(10_000))), X, error=weft.TraceSizeError)


def sum_of_steps(x: Any, steps: Any) -> Any:
    for i in steps:
        x = x + i
    return x


@claim("autograph.md", "Longer ones are staged")
def _() -> None:
    @weft.function
    def total(x: Any) -> Any:
        s = 0.0
        for i in range(weft.settings.unroll_limit + 1):
            s = s + x[i]
        return s

    assert "scf.for" in total.get_concrete_function(np.ones(20)).as_text("weft")


@claim("autograph.md", "`print` and `weft.py_call`, which ask for Python, give none.")
def _() -> None:
    seen: list[float] = []

    @weft.function
    def tells(x: Any) -> Any:
        for v in x:
            weft.py_call(lambda value: seen.append(float(value)), v)
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tells(np.arange(40.0))
    assert seen == list(range(40))


@claim("autograph.md", "an index out of range is that of the nearest")
def _() -> None:
    function = weft.function(lambda i, x: weft.switch(i, [lambda x: x, lambda x: -x], x))
    assert [function(np.int64(i), np.float64(3)) for i in (-5, 0, 1, 7)] == [3, 3, -3, -3]


@claim("autograph.md", "it keeps its structure, shapes and dtypes (`TypeError` otherwise, eagerly, too)")
def _() -> None:
    def widens(x: Any) -> Any:
        return weft.while_loop(lambda carry: carry.sum() < 9, lambda carry: np.concatenate([carry, carry]), x)

    refused(widens, np.ones(2), error=TypeError)
    with pytest.raises(TypeError):
        widens(np.ones(2))


@claim("autograph.md", "so that no rows give empty arrays of the right shapes")
def _() -> None:
    scan = weft.function(lambda xs: weft.scan(lambda s, x: (s + x.sum(), x[:2] * 2), 0.0, xs)[1])
    assert scan(np.zeros((0, 5))).shape == (0, 2)


@claim("autograph.md", "reading it where it is not is Python's `UnboundLocalError`")
def _() -> None:
    @weft.function
    def sometimes(x: Any) -> Any:
        if x > 0:
            y = x
        return y

    assert sometimes(np.float64(2)) == 2
    with pytest.raises(UnboundLocalError):
        sometimes(np.float64(-2))


@claim("autograph.md", "using it then is Python's `TypeError` or `AttributeError`")
def _() -> None:
    @weft.function
    def added(x: Any) -> Any:
        found = None
        if x > 0:
            found = x
        return found + 1  # type: ignore[operator]

    assert added(np.float64(2)) == 3
    with pytest.raises(TypeError):
        added(np.float64(-2))


@claim("autograph.md", "one of several strings and functions, which can be compared, called and returned")
def _() -> None:
    @weft.function
    def named_sign(x: Any) -> Any:
        name, function = ("positive", np.sin) if x > 0 else ("negative", np.cos)
        return name, name == "positive", function(x)

    assert named_sign(np.float64(1)) == ("positive", True, np.sin(1.0))
    assert named_sign(np.float64(-1)) == ("negative", False, np.cos(-1.0))


@claim("autograph.md", "`isinstance` and `match` do what the class of the path does")
def _() -> None:
    class Ok:
        def __init__(self, value: Any) -> None:
            self.value = value

        def reported(self) -> Any:
            return self.value

    class Failed:
        def __init__(self, reason: str) -> None:
            self.reason = reason

        def reported(self) -> Any:
            return -1.0

    @weft.function
    def tried(x: Any) -> Any:
        found = Ok(x) if x > 0 else Failed("small")
        return found, found.reported(), isinstance(found, Ok)

    good, bad = tried(np.float64(2)), tried(np.float64(-2))
    assert (type(good[0]), good[1:]) == (Ok, (2.0, True))
    assert (bad[0].reason, bad[1:]) == ("small", (-1.0, False))


@claim("autograph.md", "another number of items than targets raises Python's `ValueError`")
def _() -> None:
    @weft.function
    def halves(n: Any) -> Any:
        items = []
        while n > 1:
            items.append(n)
            n = n // 2
        first, *rest = items
        a, b = items
        return first, rest, a, b

    assert halves(np.int64(4)) == (4, [2], 4, 2)
    with pytest.raises(ValueError, match="unpack"):
        halves(np.int64(16))


@claim("autograph.md", "A missing key is a `KeyError` with the key")
def _() -> None:
    @weft.function
    def looked_up(keys: Any, wanted: Any) -> Any:
        places = {}
        for i in range(len(keys)):
            places[int(keys[i])] = i
        return places[int(wanted)]

    assert looked_up(np.array([5, 7]), np.int64(7)) == 1
    with pytest.raises(KeyError) as caught:
        looked_up(np.array([5, 7]), np.int64(8))
    assert caught.value.args == (8,)


@claim("autograph.md", "A NaN that is put in raises a `ValueError`")
def _() -> None:
    @weft.function
    def counted(x: Any) -> Any:
        counts: dict[float, int] = {}
        for v in x:
            counts[float(v)] = counts.get(float(v), 0) + 1
        return counts

    assert counted(np.array([0.0, -0.0, 1.0])) == {0.0: 2, 1.0: 1}  # zeros of either sign are one key
    with pytest.raises(ValueError, match="a nan is a key"):
        counted(np.array([np.nan]))


@claim("autograph.md", "**Order** is that of insertion.")
def _() -> None:
    @weft.function
    def firsts(keys: Any) -> Any:
        found: OrderedDict[int, int] = OrderedDict()
        for i in range(len(keys)):
            found.setdefault(int(keys[i]), i)
        return found

    assert list(firsts(np.array([9, 2, 9, 5])).items()) == [(9, 0), (2, 1), (5, 3)]


@claim(
    "autograph.md",
    "writing an entry twice, or reading one twice that is cleared after reading, a `ValueError`",
)
def _() -> None:
    def twice(x: Any) -> Any:
        return weft.TensorArray(x.dtype, size=2).write(0, x).write(0, x).read(0)

    refused(twice, X, error=ValueError)
    with pytest.raises(ValueError, match=r"twice|again|already"):
        twice(X)


@claim(
    "autograph.md",
    "where they are Python's again; a dict of the caller's gets the new entries after the call",
)
def _() -> None:
    @weft.function
    def entered(table: Any, keys: Any) -> None:
        for k in keys:
            table[int(k)] = int(k) * 2

    table = {1: 0}
    entered(table, np.array([1, 4]))
    assert table == {1: 2, 4: 8}


@claim("autograph.md", "`Counter`s and sets are values, too")
def _() -> None:
    def nested(keys: Any) -> Any:
        table: dict[int, dict[int, int]] = {}
        for k in keys:
            table[int(k)] = {int(k): 1}
            table[int(k)][7] = 2
        return table

    assert weft.function(nested)(np.array([1, 2, 1])) == {1: {1: 1, 7: 2}, 2: {2: 1, 7: 2}}


@claim("autograph.md", "Showing them, those of the caller's, and\n  such values in these again are refused")
def _() -> None:
    def in_these_again(keys: Any) -> Any:
        table: dict[int, dict[int, dict[int, int]]] = {}
        for k in keys:
            table.setdefault(int(k), {})[int(k)] = {int(k): 2}
        return table

    refused(in_these_again, np.array([1, 2]))


@claim(
    "autograph.md",
    "When the loop is left, the generator ends where it\nstands, and its `finally` blocks run.",
)
def _() -> None:
    ended: list[str] = []

    def counting() -> Iterator[int]:
        try:
            yield from range(10)
        finally:
            ended.append("finally")

    def first_above(x: Any) -> Any:
        for i in counting():
            if i > x:
                return i
        return -1

    assert weft.function(first_above)(np.int64(3)) == 4
    assert ended


@claim("autograph.md", "`any` and `all` of a generator expression that calls functions ask its items in turn")
def _() -> None:
    asked: list[float] = []

    def large(v: Any) -> Any:
        weft.py_call(lambda value: asked.append(float(value)), v)
        return v > 2

    assert weft.function(lambda x: any(large(v) for v in x))(X)
    assert asked == [0, 1, 2, 3]


@claim("autograph.md", "constants; what cannot be joined is a `ControlFlowError`, which names the variables.")
def _() -> None:
    def ranks(x: Any) -> Any:
        y = x
        for _ in range(40):
            if x.sum() < 0:
                y = y[None]
        return y

    with pytest.raises(weft.ControlFlowError, match="y"):
        weft.function(ranks)(X)


@claim("autograph.md", "is None` tell them apart, and what is done with one is done on a path of its own")
def _() -> None:
    def larger(x: Any, least: Any) -> Any:
        found = x if x[0] > least else "none"
        return found if isinstance(found, str) else found.sum()

    assert [weft.function(larger)(X, least) for least in (-1.0, 100.0)] == [X.sum(), "none"]


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
