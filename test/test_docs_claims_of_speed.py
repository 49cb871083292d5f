"""What the pages on speed and on libraries say in sentences, tried."""

from __future__ import annotations

import timeit
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import Claims, refused, require

X: Any = np.arange(6.0)
CLAIMS = Claims()
claim = CLAIMS.claim


@claim("../README.md", "some thousand times as fast as Python")
def _() -> None:
    def smallest_distance(points: Any) -> Any:
        best = np.inf
        for i in range(len(points)):
            for j in range(i):
                best = min(best, np.sqrt(((points[i] - points[j]) ** 2).sum()))
        return best

    def seconds(function: Any, number: int) -> float:
        return min(timeit.repeat(lambda: function(points), number=number, repeat=5)) / number

    points = np.random.default_rng(0).random((80, 3))
    fast = weft.function(smallest_distance)
    assert fast(points) == pytest.approx(smallest_distance(points))
    assert seconds(smallest_distance, 1) / seconds(fast, 10) > 500  # of few points, and beside other work


@claim("performance.md", "*reads memory in steps of*")
def _() -> None:
    concrete = weft.function(lambda x: np.exp(x[:, 1])).get_concrete_function(np.ones((500, 40)))
    assert "reads memory in steps of 320 bytes" in str(concrete.explain())


@claim("performance.md", "NumPy's promotion makes float64 of a Python float beside an int array")
def _() -> None:
    assert weft.function(lambda x: x * 2.0)(np.arange(3)).dtype == np.float64
    assert weft.function(lambda x: x * 2.0)(np.arange(3, dtype=np.float32)).dtype == np.float32


@claim("performance.md", "a compiled function needs no temporary arrays for it")
def _() -> None:
    def changed(x: Any, out: Any) -> None:
        x *= 2
        out[...] = np.sqrt(x) + 1

    concrete = weft.function(changed).get_concrete_function(X.copy(), X.copy())
    assert concrete.memory_analysis().workspace_bytes == 0


@claim("performance.md", "in one `weft.function` it does not")
def _() -> None:
    def half(x: Any) -> Any:
        return np.sqrt(x) / 2

    memory = weft.function(lambda x: half(x) + half(x + 1)).get_concrete_function(X).memory_analysis()
    assert memory.workspace_bytes == 0


@claim("performance.md", "*calls* a function, under *Calls of Python*")
def _() -> None:
    def program(x: Any, i: Any) -> Any:
        y = x * 2
        smooth = np.cumsum(np.exp(y))
        weft.py_call(print, x[i])
        x[0] = smooth[2]
        return y / y.sum(), smooth, y[::-1]

    told = str(weft.function(program).get_concrete_function(X.copy(), np.int64(1)).explain())
    page = (
        "Calls of Python",
        "` calls `",
        "runs one element at a time",
        "is checked, and raises",
        "too short for threads",
    )
    assert [words for words in page if words not in told] == []


@claim("libraries.md", "Traced arrays can be referred to weakly")
def _() -> None:
    ended: list[int] = []

    def program(x: Any) -> Any:
        y = x + 1
        weakref.finalize(y, ended.append, id(y))
        return y * 2

    weft.function(program, autograph=False)(X)
    assert len(ended) == 1


@claim("libraries.md", "as NumPy's they have no attributes of their own and are no keys")
def _() -> None:
    refused(lambda x: setattr(x, "label", "a"), X, error=AttributeError)
    refused(lambda x: {x: 1}, X, error=TypeError)


@claim("libraries.md", "Such functions are not kept on disk")
def _() -> None:
    kept: dict[str, Any] = {}

    def program(x: Any) -> Any:
        with weft.init_scope():
            kept.setdefault("w", weft.Variable(2.0))
        return x * kept["w"]

    with weft.settings.scope(cache=True):
        told = str(weft.function(program).get_concrete_function(X).explain())
    assert "the disk cache does not keep it: " in told


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
