"""Dates and records where paths join: the arrays that hold them are joined, one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....runtime_values.values import RuntimeValue
from ....signature.traced_value import CompositeValue

COMPOSITES = (CompositeValue, np.datetime64, np.timedelta64)

IMMUTABLE = (tuple, *COMPOSITES, RuntimeValue)
"""What has entries that never become others, and is told by these alone."""


def container_class(value: Any) -> type:
    """What a container is made again as: dates and records by their dtype, which their keys tell."""
    return CompositeValue if isinstance(value, COMPOSITES) else type(value)


def parts_of_composite(value: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """Keys and entries of dates, records or texts, as a container has them."""
    parts = list(value.parts) if isinstance(value, CompositeValue) else [value.view(np.int64)]
    return tuple((value.dtype, number) for number in range(len(parts))), parts
