"""Reading and writing an entry of an array at a place that is known to be there, without checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.ops.indexing import Gather, Scatter
from ....tracing.array import TracedArray, wrap
from ....tracing.current import required_trace
from ....tracing.staging import emit, value_of


def read(array: Any, place: Any) -> Any:
    """The entry at a place."""
    return emit(required_trace(), Gather, (array, place), {"axes": (0,), "position": 0})


def write(array: Any, value: Any, place: Any) -> Any:
    """The array with another entry at a place."""
    attributes = {"axes": (0,), "position": 0, "mode": "set"}
    return emit(required_trace(), Scatter, (array, value, place), attributes)


def traced(array: Any) -> TracedArray:
    """An array, perhaps one of NumPy's, as one of the trace."""
    return wrap(required_trace(), value_of(required_trace(), array))


def count(number: int) -> TracedArray:
    """A number of the trace, which is counted up."""
    return traced(np.int64(number))
