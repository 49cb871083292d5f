"""Arrays of dates and records from outside that are no arguments: they are constants of the trace.

Compiled code reads arrays of numbers from outside at each call. Of these it has the elements that they had while the
function was traced; another one is compiled when they have changed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..signature.composite_arrays import is_composite
from ..tracing.recorder import Recorder

_DEPTH = 3
"""Levels of containers that are looked into."""


def watch_composites(trace: Recorder, value: Any, depth: int = _DEPTH) -> None:
    """Take note that what is recorded depends on the elements of the dates and records in a value."""
    if isinstance(value, np.ndarray):
        if is_composite(value.dtype):
            trace.watch(value)
    elif depth and isinstance(value, (list, tuple)):
        for item in value:
            watch_composites(trace, item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in value.values():
            watch_composites(trace, item, depth - 1)


__all__ = ["watch_composites"]
