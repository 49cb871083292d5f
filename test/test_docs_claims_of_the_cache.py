"""What the page on the disk cache says in sentences, tried."""

from __future__ import annotations

import csv
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import Claims, require
from weft.tools.weft_command import main

CLAIMS = Claims()
claim = CLAIMS.claim
X: Any = np.arange(6.0)


@contextmanager
def own_cache() -> Iterator[Path]:
    """A disk cache that is empty, until the end of the block."""
    with TemporaryDirectory() as folder, weft.settings.scope(cache=True, cache_dir=folder):
        yield Path(folder)


LIMIT = 1.5


def limited(x: Any) -> Any:
    return np.minimum(x, LIMIT)


@claim("cache.md", "`trace_count` does not count it")
def _() -> None:
    with own_cache():
        first, second = weft.function(limited), weft.function(limited)
        np.testing.assert_array_equal(first(X), second(X))
        assert (first.trace_count, second.trace_count) == (1, 0)
        assert "minimum" in second.get_concrete_function(X).as_text(
            "weft"
        )  # `as_text` traces the function after all


@claim("cache.md", "It is used only where all of that is the same now")
def _() -> None:
    global LIMIT
    with own_cache():
        weft.function(limited)(X)
        before, LIMIT = LIMIT, 2.5
        try:
            other = weft.function(limited)
            np.testing.assert_array_equal(other(X), np.minimum(X, 2.5))
            assert other.trace_count == 1
        finally:
            LIMIT = before
        again = weft.function(limited)  # for each state of these that was met
        again(X)
        assert again.trace_count == 0


@claim("cache.md", "raises the same errors at the same lines")
def _() -> None:
    def taken(x: Any, i: Any) -> Any:
        return x[i]

    said = []
    with own_cache():
        for _ in range(2):
            with pytest.raises(IndexError) as caught:
                weft.function(taken)(X, np.int64(9))
            frame = caught.traceback[-1]
            said.append((str(caught.value), frame.lineno + 1))
    assert said[0] == said[1] == (said[0][0], taken.__code__.co_firstlineno + 1)


@claim("cache.md", "removes everything")
def _() -> None:
    with own_cache() as folder:
        weft.function(limited)(X)
        assert sum(path.is_file() for path in folder.rglob("*")) > 0
        assert main(["cache", "clear"]) == 0
        function = weft.function(limited)
        function(X)
        assert function.trace_count == 1


@claim(
    "cache.md",
    "writes all compiled code to one file",
)
def _() -> None:
    with TemporaryDirectory() as folder:
        file = str(Path(folder) / "code.zip")
        with own_cache():
            weft.function(limited)(X)
            assert main(["cache", "export", file]) == 0
        with own_cache():
            assert main(["cache", "import", file]) == 0
            function = weft.function(limited)
            function(X)
            assert function.trace_count == 0


def why_not_stored(function: Any, *arguments: Any) -> list[str]:
    """What the log says of a function that is not stored."""
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("weft.cache")
    with own_cache(), weft.settings.scope(log="cache"):
        logger.addHandler(handler)
        try:
            weft.function(function)(*arguments)
        finally:
            logger.removeHandler(handler)
    return [text for text in said if text.startswith("not stored")]


class Sized:
    def __init__(self) -> None:
        self.scale = 2.0

    def __len__(self) -> int:
        return 3


@claim("cache.md", "objects of classes with special methods such as `__getattr__`, `__len__` or operators")
def _() -> None:
    sized = Sized()
    assert why_not_stored(lambda x: x * sized.scale, X)


WORDS, NUMBERS = {"a", "bc"}, {1, 2}


@claim("cache.md", "whose trace may have walked a set of strings that is found around the function")
def _() -> None:
    def walked(x: Any) -> Any:
        return sum([x * len(word) for word in WORDS], 0 * x)

    assert any("order of a set" in said for said in why_not_stored(walked, X))


@claim("cache.md", "`in` does not walk; sets of numbers are compared in their order")
def _() -> None:
    assert not why_not_stored(lambda x: x * ("a" in WORDS), X)
    assert not why_not_stored(lambda x: sum([x * number for number in NUMBERS], 0 * x), X)


@claim("cache.md", "that are given a set: pass a sorted tuple")
def _() -> None:
    def counted(x: Any, members: Any) -> Any:
        return x * len(members)

    assert why_not_stored(counted, X, {1, 2})
    assert not why_not_stored(counted, X, (1, 2))


@claim("cache.md", "what depends on the process (`id`, the locale), the time, loggers")
def _() -> None:
    def keyed(x: Any) -> Any:
        return x + (id(X) > 0)

    (said,) = why_not_stored(keyed, X)
    assert "id, of which it is not known that it does nothing else than compute" in said


@claim("cache.md", "that use modules as values, but for NumPy, weft, `math` and the like")
def _() -> None:
    def chosen(x: Any) -> Any:
        return [np][0].sin(x)

    def quoted(x: Any) -> Any:
        return x + [csv][0].QUOTE_ALL

    assert not why_not_stored(chosen, X)
    assert any("used as a value" in said for said in why_not_stored(quoted, X))


@claim("cache.md", "they are those of the process: of a variable its dtype, shape and name are compared")
def _() -> None:
    with own_cache():
        found = []
        for start in (1.0, 5.0):
            variable = weft.Variable(np.full(2, start), name="level")
            function = weft.function(lambda x, variable=variable: x + variable)
            found.append((function(np.zeros(2))[0], function.trace_count))
    assert [value for value, _ in found] == [1.0, 5.0]


@pytest.mark.parametrize(("page", "words", "tried"), CLAIMS.parameters())
def test_what_a_page_says_is_so(page: str, words: str, tried: Callable[[], None]) -> None:
    require(page, words)
    tried()
