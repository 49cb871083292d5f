"""Whether sets have the same order in all processes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

ORDER_OF_SETS = "the order of a set, which is another one in each process"

HASHED_BY_VALUE = (bool, int, float, np.int64, np.float64)
"""Values whose hashes are the same in all processes."""


def has_order(entries: Collection[Any]) -> bool:
    """Whether all processes walk a set of such entries in one order, if it was made in the same way."""
    return len(entries) < 2 or all(type(entry) in HASHED_BY_VALUE for entry in entries)
