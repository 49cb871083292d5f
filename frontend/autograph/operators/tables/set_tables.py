"""Sets whose members only the program knows: their methods and operators. Members are walked as they came in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....signature.traced_value import COMPARISONS
from ....tracing.staging import raise_if
from ..interface import operators
from ..values.kinds import ArrayKind
from .dict_tables import DictTable
from .hash_tables import Found, Table
from .table_walks import TableView


def _combining(combine: Callable[..., Any]) -> Any:
    """An operator of two sets."""
    return lambda self, other: combine(self, other) if isinstance(other, _SETS) else NotImplemented


def _changing(change: Callable[..., None]) -> Any:
    """An operator that changes a set; a view of a dict does it itself, and makes a set of both."""

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, _SETS):
            return NotImplemented
        change(self, other)
        return self

    return method


class SetTable(Table):
    """A `frozenset`, and what a `set` shares with it."""

    def take_over(self, *others: Any) -> None:
        """Add the members of others."""
        for other in others:
            operators().for_(other, self.put)

    def union(self, *others: Any) -> Any:
        """The members of this one and of others."""
        made = self.copy()
        made.take_over(*others)
        return made

    def intersection(self, *others: Any) -> Any:
        """The members that are in all others, too."""
        made = self
        for other in others:
            made = made._of_those(self._holding(other))
        return made if others else self.copy()

    def difference(self, *others: Any) -> Any:
        """The members that are in no other."""
        made = self
        for other in others:
            made = made._of_those(self._not_holding(other))
        return made if others else self.copy()

    def symmetric_difference(self, other: Any) -> Any:
        """The members of one of two sets that are not in the other."""
        other = self._as_set(other)
        return self.difference(other).union(other.difference(self))

    def _of_those(self, holds: Callable[[Any], Any]) -> Any:
        """The members for which something holds."""
        made = type(self)(self.made, self.kind)

        def look(member: Any) -> None:
            operators().if_(holds(member), lambda: made.put(member))

        operators().for_(self, look)
        return made

    def _as_set(self, other: Any) -> Any:
        if isinstance(other, SetTable):
            return other
        made = type(self)(self.made)
        made.take_over(other)
        return made

    def _holding(self, other: Any) -> Callable[[Any], Any]:
        """Whether a member is in a collection."""
        if isinstance(other, (set, frozenset, dict)):
            other = other if self._has_numbers else self._as_set(other)
        elif not isinstance(other, (SetTable, DictTable, TableView)):
            other = operators().call(set, other)
        return lambda member: operators().in_(member, other)

    def _not_holding(self, other: Any) -> Callable[[Any], Any]:
        """Whether a member is not in a collection."""
        holds = self._holding(other)
        return lambda member: operators().not_(holds(member))

    @property
    def _has_numbers(self) -> bool:
        """Whether members are numbers, which are found among those of Python's without a table."""
        return self.kind is None or isinstance(self.key_kind, ArrayKind)

    # Comparing

    def issubset(self, other: Any) -> Any:
        """Whether all members are in another set."""
        return operators().call(all, operators().call(map, self._holding(other), self))

    def issuperset(self, other: Any) -> Any:
        """Whether all members of another set are here."""
        members = list(other) if isinstance(other, (set, frozenset, dict)) else other
        return operators().call(all, operators().call(map, self.holds, members))

    def isdisjoint(self, other: Any) -> Any:
        """Whether no member is in another set."""
        return operators().not_(operators().call(any, operators().call(map, self._holding(other), self)))

    def _compared(self, symbol: str, other: Any) -> Any:
        if not isinstance(other, _SETS):
            return NotImplemented
        if symbol == "!=":
            return operators().not_(self._compared("==", other))
        holds = self.issuperset if symbol in (">", ">=") else self.issubset
        if symbol in ("<=", ">="):
            return holds(other)
        fits = COMPARISONS[symbol](self.length, operators().call(len, other))._like_python(bool)
        return operators().and_(fits, lambda: holds(other))

    __or__ = __ror__ = _combining(union)
    __and__ = __rand__ = _combining(intersection)
    __sub__ = _combining(difference)
    __rsub__ = _combining(lambda self, other: self._as_set(other).difference(self))
    __xor__ = __rxor__ = _combining(symmetric_difference)


class ChangingSet(SetTable):
    """A `set`."""

    def add(self, member: Any) -> None:
        """Add a member."""
        self.put(member)

    def discard(self, member: Any) -> None:
        """Take a member out, if it is there."""
        self.drop(member, False)

    def remove(self, member: Any) -> None:
        """Take a member out."""
        self.drop(member, True)

    def pop(self) -> Any:
        """Take a member out and return it."""
        if self.kind is None:
            return operators().raise_(lambda: KeyError("pop from an empty set"))
        self.expect_loss()
        raise_if(np.equal(self.length, 0), "KeyError", "pop from an empty set")
        place = self.first_place()
        member = self.key(place)
        self.take_out(Found(None, place, np.bool_(True)))
        return member

    # Of several sets

    def update(self, *others: Any) -> None:
        """Add the members of others."""
        self.take_over(*others)

    def intersection_update(self, *others: Any) -> None:
        """Keep the members that are in all others, too."""
        self.replace(self.intersection(*others))

    def difference_update(self, *others: Any) -> None:
        """Take the members out that are in others."""
        for other in others:
            operators().for_(other if other is not self else self.copy(), self.discard)

    def symmetric_difference_update(self, other: Any) -> None:
        """Keep the members that are not in another set, and add those that are only there."""
        self.replace(self.symmetric_difference(other))

    def replace(self, other: Any) -> None:
        """Hold the members of another set."""
        self.clear()
        self.take_over(other)

    __ior__ = _changing(update)
    __iand__ = _changing(intersection_update)
    __isub__ = _changing(difference_update)
    __ixor__ = _changing(symmetric_difference_update)


_SETS = (set, frozenset, SetTable)


SetTable.__name__, ChangingSet.__name__ = "frozenset", "set"  # as Python says in its messages
