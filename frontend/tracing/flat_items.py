"""`x.flat`: the elements of an array in row-major order, however it lies in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.errors import UnsupportedError
from .array import TracedArray
from .staging import raise_where

if TYPE_CHECKING:
    from .regions import Region


class FlatItems(TracedArray):
    """What stands for a `numpy.flatiter`: writing to its items reaches the array, reading them gives copies.

    It is an iterator, too: how many items were taken one by one is followed outside of staged branches and loops.
    """

    __slots__ = ("_region", "_taken", "_whole")

    items_are_copies = True

    _whole: TracedArray
    """The array itself."""
    _taken: int | None
    """How many items were taken; None where a loop took some."""
    _region: Region
    """Where it was made."""

    @classmethod
    def of(cls, flattened: TracedArray, whole: TracedArray) -> FlatItems:
        """The items of an array, of which a flat view is given."""
        items = cls(flattened._storage, flattened._path, flattened.type)
        items._assumptions = flattened._assumptions
        items._whole, items._taken, items._region = whole, 0, whole._storage.trace.region
        return items

    @property
    def index(self) -> int:
        """How many items were taken."""
        if self._taken is None or self._storage.trace.region is not self._region:
            raise UnsupportedError(
                "items of x.flat are taken one by one in a branch or loop, or after one took some, and which is next "
                "is not followed there: take them of an iterator, items = iter(x.ravel())"
            )
        return self._taken

    @property
    def coords(self) -> tuple[Any, ...]:
        """The index of the next item in the array."""
        place, places = self.index, []
        extents = self._whole.shape
        for extent in extents[:0:-1]:
            places.append(place % extent)
            place = place // extent
        return (*[place] * bool(extents), *reversed(places))

    def begin_again(self) -> None:
        """Begin again with the first item, as NumPy's iterator does when it is indexed."""
        if self._taken != 0:
            self._taken = 0 if self._storage.trace.region is self._region else None

    def __next__(self) -> Any:
        taken = self.index
        if isinstance(self.size, int) and taken >= self.size:
            raise StopIteration
        raise_where(np.greater_equal(taken, self.size), StopIteration, "")
        item = self[taken]
        self._taken = taken + 1
        return item

    def left(self) -> TracedArray:
        """The items that are left, for a loop to take them."""
        taken = 0 if self._taken == 0 else self.index
        self._taken = None
        items = TracedArray(self._storage, self._path, self.type)
        items._assumptions = self._assumptions
        return items[taken:] if taken else items
