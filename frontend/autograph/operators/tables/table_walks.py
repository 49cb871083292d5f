"""The views `keys()`, `values()` and `items()` of tables."""

from __future__ import annotations

from collections.abc import ItemsView, KeysView
from typing import Any

from ....signature.traced_value import StandIn
from ...library.inner_tables import InnerKeys, InnerTable
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..lists.grown_tuples import GrownTuple
from ..values.iterables import Sequence
from .hash_tables import ITEMS, KEYS, VALUES, Table, TableWalk


def listed(value: Any) -> Any:
    """All keys of a table, or what a view shows or a tuple that grew holds, as a list; other values are themselves."""
    if isinstance(value, Table):
        return value.part(KEYS)
    return value.listed() if isinstance(value, (TableView, GrownTuple)) else value


class TableView(StandIn):
    """`d.keys()`, `d.values()` or `d.items()`: what is in the dict whenever it is looked at."""

    __weft_state__ = ("table",)

    def __init__(self, table: Table, part: int | None) -> None:
        self.table = table
        self.part = part

    @property
    def in_python(self) -> Any:
        """What Python has in its place, of an empty dict."""
        return {KEYS: {}.keys, VALUES: {}.values, ITEMS: {}.items}[self.part]()

    @property
    def length(self) -> Any:
        """The number of items."""
        return self.table.length

    def __weft_items__(self) -> Sequence:
        return TableWalk.of(self.table, self.part)

    def listed(self) -> GrowingList:
        """What is there now."""
        return self.table.part(self.part)

    def holds(self, item: Any) -> Any:
        """Whether something is there."""
        if self.part == VALUES:
            return self.listed().holds(item)
        if self.part == KEYS:
            return self.table.holds(item)
        key, value = item
        table: Any = self.table
        return operators().and_(table.holds(key), lambda: operators().compare("==", table[key], value))

    def isdisjoint(self, other: Any) -> Any:
        """Whether nothing of it is in something else."""
        return operators().call(set, self).isdisjoint(other)

    def _compared(self, symbol: str, other: Any) -> Any:
        return operators().compare(symbol, operators().call(set, self), _as_set(other))

    def __iter__(self) -> Any:
        return iter(self.listed())


def _of_sets(symbol: str, is_reflected: bool) -> Any:
    """An operator of a view: that of sets."""

    def method(self: TableView, other: Any) -> Any:
        one, two = operators().call(set, self), _as_set(other)
        return operators().binary(symbol, *((two, one) if is_reflected else (one, two)))

    return method


for _name, _symbol in {"and": "&", "or": "|", "sub": "-", "xor": "^"}.items():
    setattr(TableView, f"__{_name}__", _of_sets(_symbol, False))
    setattr(TableView, f"__r{_name}__", _of_sets(_symbol, _name == "sub"))


_INNER = (InnerTable, InnerKeys)


def as_sets(left: Any, right: Any) -> tuple[Any, Any]:
    """Two operands; views of a dict of Python's as sets where the other one is of what only the program knows."""
    own, views = (Table, TableView), (KeysView, ItemsView, *_INNER)
    if isinstance(left, views) and isinstance(right, own):
        return _as_plain(left), right
    if isinstance(right, views) and isinstance(left, (*own, set, frozenset, dict)):
        return left, _as_plain(right)
    return left, right


def _as_plain(value: Any) -> Any:
    """A set of a view; of a dict or set that is a value of a dict, a copy."""
    return operators().call(value.copy) if isinstance(value, _INNER) else set(value)


def _as_set(other: Any) -> Any:
    return operators().call(set, other)
