"""The operators, for modules that need one which is defined on top of them: lists branch, `sorted` calls."""

from __future__ import annotations

from typing import Any, Protocol

from ..convert.operators import Operators


class StagingOperators(Operators, Protocol):
    """What the modules of this package use of each other from below: the operators, and lists that grow."""

    def types_of(self, kind: Any, /) -> list[Any]:
        """The types of what carries a list, dict or set whose size only the program knows."""

    def columns_of(self, items: Any, kind: Any, /) -> list[Any]:
        """What carries one, which gets an abstract type."""

    def of_columns(self, kind: Any, columns: list[Any], /) -> Any:
        """The one that is carried so."""

    def as_walked(self, items: list[Any], /) -> Any:
        """What a list becomes that is walked."""

    def lists_in_pool(self, kind: Any, /) -> Any:
        """The abstract type of lists of a new pool, whose items have one."""

    def grown_tuple(self) -> Any:
        """The class of what stands for a tuple of any length."""

    def rows_of_array(self, array: Any, /) -> Any:
        """The list of the rows of an array."""

    def is_spread(self, part: Any, /) -> bool:
        """Whether a part of a display is what `*items` stands for."""

    def join_tables(self, left: Any, right: Any, /) -> Any:
        """The abstract type of what two paths give, of which one is such a dict or set."""


_installed: list[StagingOperators] = []


def install_operators(operators: StagingOperators) -> None:
    """Say what the operators are, when the package is loaded."""
    _installed[:] = [operators]


def operators() -> StagingOperators:
    """The operators that converted code calls."""
    return _installed[0]
