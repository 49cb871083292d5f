"""Lists that became ones that grow, by the names that no staged code mentions: what the list is now."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

from ....runtime_values.results import RuntimeLength
from ....tracing.current import current_trace
from ....tracing.recorder import Recorder
from .control_flow_state import control_flow
from .optional import Optional

_BECOMING = (list, dict, set, OrderedDict, Counter, defaultdict)
"""The classes of what may become something that grows; a list that grows may become one of those in a dict."""


def resolve_grown_list(value: Any) -> Any:
    """What a list of Python's has become; any other value as it is.

    Converted code asks wherever Python itself would look into a list: `b + [x]`, `b == c`, `[*b]`, `first, *rest = b`.
    """
    if type(value) not in _BECOMING and not isinstance(value, RuntimeLength):
        return value
    trace = current_trace()
    return value if trace is None or not control_flow(trace).grown else _grown(trace, value)


def resolve_grown_lists(trace: Recorder, value: Any) -> Any:
    """A nested value with what the lists in it have become."""
    if not control_flow(trace).grown:
        return value
    if type(value) is list:
        grown = _grown(trace, value)
        return [resolve_grown_lists(trace, item) for item in value] if grown is value else grown
    if (type(value) in _BECOMING or isinstance(value, RuntimeLength)) and (
        grown := _grown(trace, value)
    ) is not value:
        return grown
    if type(value) is dict:
        return {key: resolve_grown_lists(trace, item) for key, item in value.items()}
    if isinstance(value, Optional):
        return Optional(value.is_none, resolve_grown_lists(trace, value.value))
    if isinstance(value, tuple):
        items = [resolve_grown_lists(trace, item) for item in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    return value


def _grown(trace: Recorder, items: Any) -> Any:
    found = control_flow(trace).grown.get(id(items))
    return items if found is None or found[0] is not items else found[1]


__all__ = ["resolve_grown_list", "resolve_grown_lists"]
