"""How operands of contractions lie in memory when they are packed once: plain data, which no MLIR is needed for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dialect.records import NamedTuple

ALIGNMENT = 64

CONSTANT_ARGUMENTS = "weft.constant_arguments"
"""The attribute of a function with the numbers of its arguments that are the same array at all calls."""

PACKED_ARGUMENTS = "weft.packed_arguments"
"""The attribute with what its last arguments are packed copies of."""


class PackedLayout(NamedTuple):
    """Panels of columns: an axis is split into panels, the last of which is filled up with zeros."""

    axis: int
    """The axis of the columns."""
    panel: int
    """Columns of a panel."""
    order: tuple[int, ...]
    """The axes of the packed array: which ones they are of the array, when the axis of columns is split in two."""

    def shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of a packed array.

        >>> PackedLayout(1, 4, (1, 0, 2)).shape((3, 10))
        (3, 3, 4)
        """
        split = self.split(shape)
        return tuple(split[axis] for axis in self.order)

    def split(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape when the axis of the columns is two."""
        panels = -(-shape[self.axis] // self.panel)
        return (*shape[: self.axis], panels, self.panel, *shape[self.axis + 1 :])

    def pack(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """A packed copy of an array; it begins with a line of the caches, as vectors do then.

        >>> PackedLayout(1, 2, (1, 0, 2)).pack(np.arange(6).reshape(2, 3)).tolist()
        [[[0, 1], [3, 4]], [[2, 0], [5, 0]]]
        """
        split = self.split(array.shape)
        missing = split[self.axis] * self.panel - array.shape[self.axis]
        widths = [(0, missing if axis == self.axis else 0) for axis in range(array.ndim)]
        packed = np.pad(array, widths).reshape(split).transpose(self.order)
        made = _aligned(packed.shape, array.dtype)
        made[...] = packed
        return made


def _aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    first = -memory.ctypes.data % ALIGNMENT
    return memory[first : first + size].view(dtype).reshape(shape)


class PackedArgument(NamedTuple):
    """A further argument of a compiled function: another one, packed."""

    argument: int
    layout: PackedLayout
