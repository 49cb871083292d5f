"""Dicts whose keys only the program knows: their methods and operators."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from ....tracing.current import required_trace
from ....tracing.staging import raise_if
from ...library.inner_tables import InnerDict
from ..interface import operators
from ..lists.dynamic_lists import GrowingList
from ..lists.kept_items import keep_read
from ..values.control_flow_state import control_flow
from ..values.kinds import Container
from ..values.object_handles import object_pool_of, object_pools_in
from .hash_tables import ITEMS, KEYS, VALUES, Found, Table, missing_key
from .inner_tables import as_inner
from .python_classes import PythonClass
from .table_walks import TableView

_NO_DEFAULT = object()


class DictTable(Table):
    """A `dict` or `OrderedDict`."""

    def __deepcopy__(self, memo: Any) -> Any:
        rows = [] if self.kind is None else object_pools_in(self.kind.children[1:])
        if not rows:
            return super().__deepcopy__(memo)
        assert self.kind is not None
        if object_pool_of(self.kind.children[1]) is None:
            rows[0].refuse_deep_copy()
        return rows[0].deep_copies(self, type(self)(self.made))

    # Looking

    def read(self, found: Found) -> Any:
        """The value that was found."""
        value = self.value(found.place)
        keep_read(value)
        return value

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key, or the default."""
        found = self.find(key)
        if found is None:
            return default
        default = self.as_value(default)
        return operators().if_exp(found.truth, lambda: self.read(found), lambda: default)

    def as_value(self, default: Any) -> Any:
        """What stands in the place of a value that is missing: a list is one of those that values are."""
        if self.kind is not None:
            default = as_inner(default)
        is_list = self.pool is not None and isinstance(default, (list, GrowingList))
        return self.owned(default) if is_list else default

    def __getitem__(self, key: Any) -> Any:
        found = self.find(key)
        if found is None:
            return self.missing(key)
        self.require(key, found)
        return self.read(found)

    def missing(self, key: Any) -> Any:
        """What a key has that is surely not there."""
        return missing_key(key)

    def update_item(self, key: Any, change: Callable[[Any], Any], is_read: bool = False) -> None:
        """`d[key] = change(d[key])`: the key itself stays; `change` may look into the dict."""
        value = change(self[key])
        if self.kind is not None:
            self.replace_value(self.find(key), value)

    def keys(self) -> TableView:
        """The keys."""
        return TableView(self, KEYS)

    def values(self) -> TableView:
        """The values."""
        return TableView(self, VALUES)

    def items(self) -> TableView:
        """Pairs of keys and values."""
        return TableView(self, ITEMS)

    # Changing

    def __setitem__(self, key: Any, value: Any) -> None:
        self.put(key, value)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of a key, which has the default from now on if it had none."""
        default = as_inner(default)
        found = self.find(key)
        if found is None:
            self.put(key, default)
            return default
        if self.pool is not None:
            default = self.owned(default)
            operators().if_(operators().not_(found.truth), lambda: self.put(key, default))
            return self.read(self.surely(key))
        value = operators().if_exp(found.truth, lambda: self.read(found), lambda: default)
        self.put(key, value)
        return value

    def surely(self, key: Any) -> Found:
        """Where a key is that is there."""
        found = self.find(key)
        assert found is not None, "a key that was put in"
        return found

    def __delitem__(self, key: Any) -> None:
        self.drop(key, True)

    def pop(self, key: Any, default: Any = _NO_DEFAULT) -> Any:
        """The value of a key, which is taken out; the default where it is not there."""
        self.expect_loss()
        found = self.find(key)
        if found is None:
            return missing_key(key) if default is _NO_DEFAULT else default
        if default is _NO_DEFAULT:
            self.require(key, found)
            value = self.read(found)
        else:
            default = self.as_value(default)
            value = operators().if_exp(found.truth, lambda: self.read(found), lambda: default)
        self.take_out(found)
        return value

    def popitem(self) -> Any:
        """The last key and its value, which are taken out."""
        return self.take_item(self.last_place)

    def take_item(self, find: Callable[[], Any]) -> Any:
        """Take the item at a place out, which is looked for if there is one."""
        if self.kind is None:
            return operators().raise_(lambda: KeyError("popitem(): dictionary is empty"))
        self.expect_loss()
        raise_if(np.equal(self.length, 0), "KeyError", "popitem(): dictionary is empty")
        place = find()
        item = self.item(place)
        keep_read(item)
        self.take_out(Found(None, place, np.bool_(True)))
        return item

    def update(self, /, *others: Any, **named: Any) -> None:
        """Take over the items of another dict, or pairs of keys and values."""
        for other in (*others, named):
            self.take_over(other)

    def take_over(self, other: Any) -> None:
        """Put all items of a dict, or all pairs of keys and values, in."""
        pairs = operators().call(other.items) if isinstance(other, (dict, DictTable, InnerDict)) else other
        operators().for_(pairs, lambda pair: self.put(*_pair(pair)))

    # Operators

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, (dict, DictTable)):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        made = type(self)(self.made)
        made.update(other)
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def _compared(self, symbol: str, other: Any) -> Any:
        if symbol not in ("==", "!=") or not isinstance(other, (dict, DictTable)):
            return NotImplemented
        equal = self._equals(other)
        return equal if symbol == "==" else operators().not_(equal)

    def _equals(self, other: Any) -> Any:
        """Whether another dict holds the same."""
        same = np.equal(self.length, operators().call(len, other))._like_python(bool)
        return operators().and_(same, lambda: self._holds_all_of(other))

    def _holds_all_of(self, other: Any) -> Any:
        """Whether all items of another dict are here."""

        def is_here(pair: Any) -> Any:
            key, value = pair
            return operators().and_(self.holds(key), lambda: operators().compare("==", self[key], value))

        items = other.items() if isinstance(other, DictTable) else list(other.items())
        return operators().call(all, operators().call(map, is_here, items))


class OrderedTable(DictTable):
    """An `OrderedDict`."""

    def popitem(self, last: Any = True) -> Any:
        """The last key and its value, or the first, which are taken out."""
        return self.take_item(self.last_place if last else self.first_place)

    def move_to_end(self, key: Any, last: Any = True) -> None:
        """Put an item of an `OrderedDict` behind all others."""
        if last is not True:
            self.refuse("move_to_end(last=False)")
        self.put(key, self.pop(key))

    def _equals(self, other: Any) -> Any:
        if not isinstance(other, (OrderedDict, OrderedTable)):
            return super()._equals(other)
        one, two = (operators().call(list, each.items()) for each in (self, other))
        return operators().compare("==", one, two)


class DefaultTable(DictTable):
    """A `defaultdict`."""

    def __init__(self, made: PythonClass, kind: Container | None = None, loses: bool = False) -> None:
        super().__init__(made, kind, loses)
        followed = control_flow(required_trace()).followed
        if made.default not in (None, *_CONSTANT) and all(
            made.default is not known for known, *_ in followed
        ):
            followed.append((made.default, "default_factory", ()))

    def missing(self, key: Any) -> Any:
        if self.made.default is None:
            return missing_key(key)
        value = operators().call(self.made.default)
        self.put(key, value)
        return value

    def __getitem__(self, key: Any) -> Any:
        if self.made.default is None:
            return super().__getitem__(key)
        default = self.made.default
        if default in _CONSTANT and self.pool is None:
            return self.setdefault(key, default())
        found = self.find(key)
        if found is None:
            return self.missing(key)
        operators().if_(  # which follows what the function changes
            operators().not_(found.truth), lambda: self.put(key, operators().call(default))
        )
        return self.read(self.surely(key))

    def update_item(self, key: Any, change: Callable[[Any], Any], is_read: bool = False) -> None:
        if is_read or self.made.default not in _CONSTANT:
            super().update_item(key, change)
        else:
            self.put(key, change(self.get(key, self.made.default())))

    @property
    def default_factory(self) -> Any:
        """What makes the values of missing keys."""
        return self.made.default

    @default_factory.setter
    def default_factory(self, value: Any) -> None:
        self.refuse("setting default_factory")


DictTable.__name__, OrderedTable.__name__ = "dict", "collections.OrderedDict"
DefaultTable.__name__ = "collections.defaultdict"

_CONSTANT = (int, float, bool, complex, list)
"""What makes equal values whenever it is called, and does nothing else."""


def _pair(pair: Any) -> Any:
    """A key and its value."""
    if isinstance(pair, (tuple, list)) and len(pair) != 2:
        raise ValueError(f"dictionary update sequence element #0 has length {len(pair)}; 2 is required")
    return operators().unpack(pair, 2, None)
