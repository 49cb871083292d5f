"""Elements in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..namespace import weft
from ..sizes import as_array
from ..table import Refused, Visit, rule
from .shapes import extents_in, part


@rule("TopK", takes_sizes=True)
def top_k(x: Any, k: Any, *, axis: int, largest: int = 1, sorted: int = 1) -> tuple[Any, Any]:
    """The largest or smallest elements along an axis, with their places; of equal ones the first."""
    x, (count,) = as_array(x), extents_in(k, "k")
    places = weft.argsort(x, axis=axis, stable=True, descending=bool(largest))
    first = part(places, axis, slice(None, count))
    return weft.take_along_axis(x, first, axis=axis), weft.astype(first, np.int64)


@rule("Unique")
def unique(x: Any, *, axis: int | None = None, sorted: int, node: Visit) -> tuple[Any, ...]:
    """`weft.unique`, with first places, places in the result, and counts."""
    if axis is not None:
        raise Refused("compares parts along an axis")
    flat = weft.reshape(x, (-1,))
    values, first, inverse, counts = weft.unique(
        flat, return_index=True, return_inverse=True, return_counts=True
    )
    if not sorted:
        order = weft.argsort(first)
        back = weft.argsort(order)
        values, first, counts = values[order], first[order], counts[order]
        inverse = back[inverse]
    return values, first, inverse, counts
