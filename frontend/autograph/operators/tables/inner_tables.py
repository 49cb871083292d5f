"""Dicts and sets that become values of a dict whose keys only the program knows: objects of a pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .....dialect.errors import UnsupportedError
from ....guards.inputs import BeginsAgain
from ....runtime_values.results import RuntimeTable
from ....tracing.current import required_trace
from ...library.inner_tables import (
    InnerCounter,
    InnerDefaultDict,
    InnerDict,
    InnerOrderedDict,
    InnerSet,
    InnerTable,
)
from ..interface import operators
from ..lists.dynamic_lists import is_known_outside
from ..lists.kept_items import require_no_copy
from ..values.control_flow_state import control_flow
from ..values.kinds import Container, Kind, Static, Tabled
from ..values.object_handles import ObjectPools, handle_of, with_row
from ..values.resolve_grown_lists import resolve_grown_list
from .from_before import may_be_from_before

_CLASSES: dict[Any, type[InnerTable]] = {
    kind.python_type: kind for kind in (InnerDict, InnerDefaultDict, InnerOrderedDict, InnerCounter, InnerSet)
}


class _OfPool:
    """An attribute that the pool of an object knows."""

    def __init__(self, find: Callable[[Any, Any], Any]) -> None:
        self._find = find

    def __get__(self, one: Any, kind: type) -> Any:
        return self._find(*handle_of(one))


InnerTable._number = _OfPool(lambda pool, number: number)
InnerTable._places = _OfPool(lambda pool, number: pool.places)


def as_inner(value: Any) -> Any:
    """What stands for a dict or set that is put into a dict; other values are themselves."""
    before, value = value, resolve_grown_list(value)
    kind = _CLASSES.get(value.python_type if isinstance(value, RuntimeTable) else type(value))
    if kind is None:
        return value
    trace, name = required_trace(), kind.python_type.__name__
    if _is_record(value):
        _pool_of(tuple(value))
        return with_row(value)
    is_outside = trace.python_state is not None and trace.python_state.knows(before)
    if is_outside:
        raise UnsupportedError(
            f"a {name} from outside of the function is, or becomes, a value of a dict whose keys only the program "
            f"knows: compiled code would have a copy; put one in (d[key] = {name}(items)), or make the dict anew"
        )
    if is_known_outside(before) or is_known_outside(value) or may_be_from_before(value):
        raise UnsupportedError(
            f"a {name} from before a loop or branch is put into a dict, which would hold the same one each time: "
            f"make it there (d[key] = {name}()), or put a copy in (d[key] = {name}(items))"
        )
    _pool_of(kind)
    require_no_copy(value)
    default = value.default_factory if kind is InnerDefaultDict else None
    made = operators().call(kind, *(default,) * (kind is InnerDefaultDict))
    if isinstance(value, RuntimeTable) or value:
        operators().call(made.update, value)
    control_flow(trace).grown[id(value)] = (value, made)  # by whatever name it has
    return made


def kind_of_inner(kind: Kind) -> Kind | None:
    """The abstract type of what stands for dicts and sets of an abstract type; None for other values."""
    if isinstance(kind, Container):
        if kind.kind is dict and kind.keys and all(isinstance(key, str) for key in kind.keys):
            return _row_kind(tuple(kind.keys))
        found = kind.kind
    elif isinstance(kind, Tabled):
        found = kind.made.python_type
    else:
        found = type(kind.value) if isinstance(kind, Static) else None
    return _row_kind(_CLASSES[found]) if found in _CLASSES else None


def _row_kind(key: Any) -> Kind:
    kind: Kind = _pool_of(key).kind_of_row()
    return kind


def _is_record(value: Any) -> bool:
    """Whether a dict has an entry for each of some names, which are not alike."""
    return type(value) is dict and bool(value) and all(isinstance(key, str) for key in value)


def _pool_of(key: Any) -> Any:
    """The pool of what stands for dicts or sets, which is there from the beginning of a recording on."""
    trace = required_trace()
    if key not in trace.choices.pooled:
        raise BeginsAgain(pooled=trace.choices.pooled | {key}, own_items=frozenset({False}), own_objects=None)
    pool: Any = trace.state(ObjectPools).of_class[key]
    return pool
