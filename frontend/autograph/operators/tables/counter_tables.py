"""Counters whose keys only the program knows."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

from ..interface import operators
from .dict_tables import DictTable


class CounterTable(DictTable):
    """A `Counter`."""

    def __getitem__(self, key: Any) -> Any:
        return self.get(key, 0)

    def missing(self, key: Any) -> Any:
        return 0

    def update_item(self, key: Any, change: Callable[[Any], Any], is_read: bool = False) -> None:
        self.put(key, change(self.get(key, 0)))

    def __delitem__(self, key: Any) -> None:
        self.drop(key, False)

    def take_over(self, other: Any) -> None:
        """Add the counts of another counter or dict, or count the items of something else."""
        self._count(other, lambda old, new: old + new)

    def subtract(self, other: Any = (), **named: Any) -> None:
        """Subtract the counts of another counter or dict, or the number of items of something else."""
        for each in (other, named):
            self._count(each, lambda old, new: old - new)

    def _count(self, other: Any, change: Callable[[Any, Any], Any]) -> None:
        if isinstance(other, (dict, DictTable)):

            def counted(pair: Any) -> None:
                self.put(pair[0], change(self.get(pair[0], 0), pair[1]))

            operators().for_(other.items(), counted)
        else:
            operators().for_(other, lambda item: self.put(item, change(self.get(item, 0), 1)))

    def most_common(self, n: Any = None) -> Any:
        """Pairs of keys and counts, the largest counts first; of equal ones those that came first."""
        ordered = operators().call(sorted, self.listed(), key=lambda pair: pair[1], reverse=True)
        return ordered if n is None else ordered[: operators().call(max, n, 0)]

    def total(self) -> Any:
        """The sum of all counts."""
        return operators().call(sum, self.values())

    def elements(self) -> Any:
        """Refused: keys as often as their counts say."""
        self.refuse("elements()")

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, Counter):
            self.refuse("| behind a dict that is no Counter")
        return self._of(other) | self

    def __pos__(self) -> Any:
        return self._combined(Counter(), lambda one, two: one)

    def __neg__(self) -> Any:
        return self._combined(Counter(), lambda one, two: -one)

    def _of(self, other: Any) -> Any:
        """Another counter as one whose keys only the program knows."""
        if isinstance(other, CounterTable):
            return other
        if not isinstance(other, (dict, DictTable)):
            self.refuse(f"an operator with a {type(other).__name__}")
        made = type(self)(self.made)
        made.update(other)
        return made

    def _replaced(self, other: Any) -> Any:
        """This counter, with the counts of another from now on."""
        self.clear()
        self.update(other)
        return self

    def _combined(self, other: Any, combine: Callable[[Any, Any], Any]) -> Any:
        """The counters of all keys together that are more than zero, in the order of the first."""
        if not isinstance(other, (Counter, CounterTable)):
            return NotImplemented
        made = type(self)(self.made, self.kind)

        def keep(key: Any, count: Any) -> None:
            operators().if_(count > 0, lambda: made.put(key, count))

        def of_this(pair: Any) -> None:
            keep(pair[0], combine(pair[1], operators().item(other, pair[0])))

        def of_other(pair: Any) -> None:
            found = self.find(pair[0])
            new = True if found is None else operators().not_(found.truth)
            operators().if_(new, lambda: keep(pair[0], combine(0, pair[1])))

        operators().for_(self.items(), of_this)
        operators().for_(other.items(), of_other)
        return made

    def _equals(self, other: Any) -> Any:
        is_one = isinstance(other, (Counter, CounterTable))
        return self._relates("==", "==", other) if is_one else super()._equals(other)

    def _compared(self, symbol: str, other: Any) -> Any:
        if symbol in ("==", "!="):
            return super()._compared(symbol, other)
        signs = ("<=", ">=") if symbol in ("<", "<=") else (">=", "<=")
        fits = self._relates(*signs, other)
        is_whole = symbol in signs or fits is NotImplemented
        return fits if is_whole else operators().and_(fits, lambda: self != other)

    def _relates(self, symbol: str, reflected: str, other: Any) -> Any:
        """Whether a comparison is true of the counts of all keys of both."""
        if not isinstance(other, (Counter, CounterTable)):
            return NotImplemented
        other = self._of(other)
        return operators().and_(_has_counts(self, symbol, other), lambda: _has_counts(other, reflected, self))


def _has_counts(one: Any, symbol: str, other: Any) -> Any:
    """Whether a comparison is true of the counts of two counters, for all keys of the second."""
    items = other.items() if isinstance(other, DictTable) else list(other.items())

    def is_so(pair: Any) -> Any:
        return operators().compare(symbol, operators().item(one, pair[0]), pair[1])

    return operators().call(all, operators().call(map, is_so, items))


_COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "and": lambda one, two: operators().call(min, one, two),
    "or": lambda one, two: operators().call(max, one, two),
}
"""The operators of counters, with what they make of two counts."""


def _combining(combine: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: self._combined(other, combine)


def _reflected(name: str) -> Any:
    return lambda self, other: (
        getattr(self._of(other), name)(self) if isinstance(other, Counter) else NotImplemented
    )


def _in_place(name: str) -> Any:
    return lambda self, other: self._replaced(getattr(self, name)(self._of(other)))


for _name, _combine in _COMBINED.items():
    setattr(CounterTable, f"__{_name}__", _combining(_combine))
    setattr(CounterTable, f"__i{_name}__", _in_place(f"__{_name}__"))
    if _name != "or":
        setattr(CounterTable, f"__r{_name}__", _reflected(f"__{_name}__"))

CounterTable.__name__ = "Counter"  # as Python says in its messages
