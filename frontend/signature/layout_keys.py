"""How arrays of callers lie in memory, as far as compiled code asks: keys that differ where views and copies would."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ...backend.gpu.devices.on_device import memory_of

Order: TypeAlias = "tuple[int, ...]"
"""The axes of an array without gaps, from the one whose elements are furthest apart to that of neighbours."""

LayoutKey: TypeAlias = "tuple[Any, ...]"


def layout_key(array: np.ndarray[Any, Any]) -> LayoutKey:
    """Equal for arrays whose views and copies are the same ones."""
    order, flags = order_of(array), array.flags
    apart: Any = None
    if order is None:
        apart = array.strides if array.ndim > 1 else array.strides[0] == -array.itemsize
    return (order, apart, bool(flags.aligned), bool(array.dtype.isnative))


def lies_as(key: LayoutKey, value: Any) -> bool:
    """Whether an array has a layout; what stands for one of which only the type is known is row-major."""
    array = memory_of(value)
    return (layout_key(array) if hasattr(array, "flags") else row_major_key(len(array.shape))) == key


def row_major_key(rank: int) -> LayoutKey:
    """The key of arrays that compiled code takes as they are."""
    return (tuple(range(rank)), None, True, True)


def order_of(array: np.ndarray[Any, Any]) -> Order | None:
    """The order of the axes of an array without gaps, None for another one."""
    flags, rank = array.flags, array.ndim
    if flags.c_contiguous:
        return tuple(range(rank))
    if flags.f_contiguous:
        return tuple(reversed(range(rank)))
    order = sorted(range(rank), key=lambda axis: -array.strides[axis])
    stride = array.itemsize
    for axis in reversed(order):
        if array.shape[axis] != 1 and array.strides[axis] != stride:
            return None
        stride *= array.shape[axis]
    return tuple(order)
