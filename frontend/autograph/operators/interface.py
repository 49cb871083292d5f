"""The operators, for modules that need one which is defined on top of them: lists branch, `sorted` calls."""

from __future__ import annotations

from typing import Any, Protocol

from ...runtime_values.results import RuntimeLength, RuntimeTable
from ..convert.operators import Operators


class StagingOperators(Operators, Protocol):
    """What the modules of this package use of each other from below: the operators, and lists that grow."""

    def columns_of_list(self, items: Any, kind: Any, /) -> list[Any]:
        """What carries a list whose items get an abstract type: the arrays, and the number of items."""

    def list_of_columns(self, kind: Any, columns: list[Any], /) -> RuntimeLength:
        """The list that is carried so."""

    def as_walked(self, items: list[Any], /) -> Any:
        """What a list becomes that is walked."""

    def lists_in_pool(self, kind: Any, /) -> Any:
        """The abstract type of lists of a new pool, whose items have one."""

    def is_spread(self, part: Any, /) -> bool:
        """Whether a part of a display is what `*items` stands for."""

    def walk_of_table(self, table: Any, /) -> Any:
        """What a loop over one walks."""

    def kind_of_table(self, table: Any, /) -> Any:
        """The abstract type of a dict or set whose keys only the program knows."""

    def join_tables(self, left: Any, right: Any, /) -> Any:
        """The abstract type of what two paths give, of which one is such a dict or set."""

    def types_of_table(self, kind: Any, /) -> list[Any]:
        """The types of what carries one."""

    def columns_of_table(self, items: Any, kind: Any, /) -> list[Any]:
        """What carries one, which gets an abstract type."""

    def table_of_columns(self, kind: Any, columns: list[Any], /) -> RuntimeTable:
        """The dict or set that is carried so."""


_installed: list[StagingOperators] = []


def install_operators(operators: StagingOperators) -> None:
    """Say what the operators are, when the package is loaded."""
    _installed[:] = [operators]


def operators() -> StagingOperators:
    """The operators that converted code calls."""
    return _installed[0]
