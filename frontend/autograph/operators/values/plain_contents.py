"""What lists, dicts and sets hold that Python itself may work on while a function is traced, and held before it did."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ....tracing.recorder import Recorder
from ...convert.plain_loops import GLOBALS
from .control_flow_state import control_flow
from .plain_places import note_changed
from .unfollowed_changes import Copies, Remembered

MOST_VALUES = 20_000
"""So many values are looked at."""

_CONTAINERS = (list, tuple, dict, set, frozenset)
_IMMUTABLE = frozenset({*GLOBALS, bytes, range})


class PlainContents:
    """Containers all of whose items are Python's own, as they were when they were found."""

    def __init__(self, trace: Recorder, values: list[Any], read: list[Any]) -> None:
        self._trace = trace
        self._values = values
        self._read = read
        is_inside = bool(control_flow(trace).activations)  # and may be called often
        most = MOST_VALUES if is_inside else 100 * MOST_VALUES
        containers = containers_of(trace, [*values, *read], most)
        self.is_known = containers is not None and (not containers or is_alone(trace))
        """Whether that was all they are, and no branch or loop is being recorded that would take them back."""
        self._before = [(value, value.copy()) for value in containers or () if isinstance(value, _CHANGED)]

    def are_plain(self) -> bool:
        """Whether all that they hold now is Python's own, and those that were to be read alone are as they were."""
        read = containers_of(self._trace, self._read, math.inf) or []
        kept = {id(value) for value in read}
        return containers_of(self._trace, self._values, math.inf) is not None and not any(
            id(value) in kept and _differ(value, before) for value, before in self._before
        )

    def restore(self) -> None:
        """Give them back what they held."""
        for value, before in self._before:
            if isinstance(value, list):
                value[:] = before
            else:
                value.clear()
                value.update(before)


_CHANGED = (list, dict, set)


def _differ(value: Any, before: Any) -> bool:
    if isinstance(value, set):
        return bool(value != before)
    one, other = (list(items_of(each)) for each in (value, before))
    return len(one) != len(other) or any(map(lambda x, y: x is not y, one, other))


def is_alone(trace: Recorder) -> bool:
    """Whether what happens now happens in each call, and nothing has to take note of it."""
    return (
        trace.region.parent is None
        and not control_flow(trace).snapshots
        and not trace.state(Remembered).results
    )


def containers_of(trace: Recorder, values: list[Any], most: float) -> list[Any] | None:
    """The containers that values are, or hold, if all that they hold was made by the program and is Python's own."""
    grown, copies = control_flow(trace).grown, trace.state(Copies)
    seen: dict[int, Any] = {}
    values = [*values]
    while values:
        value = values.pop()
        kind = type(value)
        if kind in _IMMUTABLE or id(value) in seen:
            continue
        if kind not in _CONTAINERS or len(seen) + len(value) > most:
            return None
        if id(value) in grown or value in copies:
            return None
        seen[id(value)] = value
        if not set(map(type, items := items_of(value))) <= _IMMUTABLE:
            values.extend(items)
    for container in seen.values():
        note_changed(trace, container)
    return list(seen.values())


def items_of(value: Any) -> Iterable[Any]:
    """The items of a container; of a dict its keys, and its values."""
    return (*value, *value.values()) if isinstance(value, dict) else value
