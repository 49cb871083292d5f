"""Dicts and sets that become values of a dict whose keys only the program knows: objects of a pool."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .....dialect.errors import UnsupportedError
from ....guards.inputs import BeginsAgain
from ....tracing.current import required_trace
from ...library.inner_tables import InnerDefaultDict, InnerDict, InnerSet, InnerTable
from ..interface import operators
from ..lists.dynamic_lists import is_known_outside
from ..lists.kept_items import require_no_copy
from ..values.control_flow_state import control_flow
from ..values.resolve_grown_lists import resolve_grown_list

_CLASSES: dict[type, type[InnerTable]] = {dict: InnerDict, defaultdict: InnerDefaultDict, set: InnerSet}


def as_inner(value: Any) -> Any:
    """What stands for an empty dict or set that is put into a dict; other values are themselves."""
    if type(value) not in _CLASSES or value:
        return value
    now = resolve_grown_list(value)
    if now is not value:
        return now
    trace, kind = required_trace(), _CLASSES[type(value)]
    if is_known_outside(value):
        raise UnsupportedError(
            f"a {type(value).__name__} from before a loop or branch is put into a dict in it, which would hold the "
            f"same one each time: make it there (d[key] = {type(value).__name__}())"
        )
    if kind not in trace.choices.pooled:
        raise BeginsAgain(
            pooled=trace.choices.pooled | {kind}, own_items=frozenset({False}), own_objects=None
        )
    require_no_copy(value)
    factory = (value.default_factory,) if isinstance(value, defaultdict) else ()
    made = operators().call(kind, *factory)
    control_flow(trace).grown[id(value)] = (value, made)  # by whatever name it has
    return made
