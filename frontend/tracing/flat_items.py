"""`x.flat`: the elements of an array in row-major order, however it lies in memory."""

from __future__ import annotations

from .array import TracedArray


class FlatItems(TracedArray):
    """What stands for a `numpy.flatiter`: writing to its items reaches the array, reading them gives copies."""

    __slots__ = ()

    items_are_copies = True

    @classmethod
    def of(cls, flattened: TracedArray) -> FlatItems:
        """The items of an array, of which a flat view is given."""
        items = cls(flattened._storage, flattened._path, flattened.type)
        items._assumptions = flattened._assumptions
        return items


__all__ = ["FlatItems"]
