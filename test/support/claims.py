"""What pages of the documentation say in sentences, tried: each claim in the words of its page, with a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import weft

from .package import ROOT

REFUSED = (weft.WeftError, TypeError, ValueError)


class Claims(list[tuple[str, str, Callable[[], None]]]):
    """The claims of a file of tests."""

    def claim(self, page: str, words: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
        """Try this for what a page says."""

        def noted(tried: Callable[[], None]) -> Callable[[], None]:
            self.append((page, words, tried))
            return tried

        return noted

    def parameters(self) -> list[Any]:
        """The claims as parameters of a test."""
        return [pytest.param(*each, id=each[1][:40]) for each in self]


def require(page: str, words: str) -> None:
    """Fail unless a page says so, wherever its lines end."""
    assert " ".join(words.split()) in " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())


def same(function: Callable[..., Any], *arguments: Any) -> None:
    """The compiled function returns what the function returns, given the same."""
    compiled, eager = (f(*(x.copy() for x in arguments)) for f in (weft.function(function), function))
    np.testing.assert_array_equal(compiled, eager)
    assert np.asarray(compiled).dtype == np.asarray(eager).dtype


def refused(function: Callable[..., Any], *arguments: Any, error: Any = REFUSED, **options: Any) -> None:
    """The function is not compiled, or its call raises."""
    with pytest.raises(error):
        weft.function(function, **options)(*arguments)


def require_shown(page: str, claims: Iterable[tuple[str, str]]) -> None:
    """Require that a page says something, and that there is the test that shows it.

    That is `file::name`, or `file.mlir::function` for a function of a test of a pass.
    """
    for words, shown in claims:
        require(page, words)
        file, test = shown.split("::")
        of_a_pass = file.endswith(".mlir")
        text = (ROOT / "test" / (file if of_a_pass else f"{file}.py")).read_text(encoding="utf-8")
        assert re.search(rf"CHECK.*@{test}\b" if of_a_pass else rf"def test_{test}\(", text), shown
