"""Arrays of dates and records from outside that are no arguments: constants of the trace, unless it writes to them.

Compiled code reads arrays of numbers from outside at each call. Of these it has the elements that they had while the
function was traced; another one is compiled when they have changed. Those that the function writes to are data: the
arrays that they are taken apart into are further arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.records import NamedTuple
from ..guards.handles import ArrayPart, Handle
from ..signature.composite_arrays import is_composite, parts_of_array
from ..source.plain_items import contents
from ..tracing.behaviour import behaviour
from ..tracing.recorder import Recorder


class StandIn(NamedTuple):
    """What stands in a trace for an array that is found at later calls by a handle."""

    handle: Handle
    value: Any
    traced: Any


def watch_composites(
    trace: Recorder, value: Any, is_data: Callable[[Any], bool], around: frozenset[int] = frozenset()
) -> None:
    """Take note that what is recorded depends on the elements of the dates and records in a value which are no data."""
    if isinstance(value, np.ndarray):
        if is_composite(value.dtype) and not is_data(value):
            trace.watch(value)
    elif isinstance(value, (list, tuple, dict)) and id(value) not in around:
        around |= {id(value)}
        for item in contents(value):
            if isinstance(item, (np.ndarray, list, tuple, dict)):
                watch_composites(trace, item, is_data, around)


def stand_in_of_parts(handle: Handle, value: Any, stand_in: Callable[[Handle, Any], Any]) -> StandIn:
    """What stands for an array of dates, records or texts, made of what stands for its parts."""
    parts = parts_of_array(value)
    assert parts is not None
    made = [
        stand_in(ArrayPart(handle, parts.dtype, number), part) for number, part in enumerate(parts.arrays)
    ]
    return StandIn(handle, value, behaviour().composite(parts.dtype, tuple(made)))
