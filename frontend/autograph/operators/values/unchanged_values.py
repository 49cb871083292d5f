"""Values that nothing of the user's can change, or that have a way of their own to follow changes."""

from __future__ import annotations

import types
from collections import deque
from typing import Any

import numpy as np

from ....guards.unbound import Unbound
from ....reach.walks import attributes_of
from ....source.modules import is_library
from ....tracing.array import TracedArray

LEAVES = (
    TracedArray,
    np.ndarray,
    np.generic,
    np.dtype,
    str,
    bytes,
    int,
    float,
    complex,
    type(None),
    types.ModuleType,
    range,
    slice,
    Unbound,
)
"""The classes of such values."""

PLAIN = frozenset(
    {int, float, str, bool, type(None), bytes, complex, np.float64, np.int64, np.bool_, TracedArray}
)
"""Types of the most frequent of them."""


def can_change(value: Any) -> bool:
    """Whether a value is a container or an object whose changes are followed."""
    if isinstance(value, LEAVES) or is_library(type(value).__module__):
        return isinstance(value, (list, dict, set, deque))
    return not isinstance(value, types.FunctionType) and attributes_of(value) is not None
