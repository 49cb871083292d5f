"""Packed copies of constant arrays, which compiled functions get besides their arguments."""

from __future__ import annotations

import weakref
from typing import Any, TypeAlias

import numpy as np

from ...backend.planning.packed_layout import PackedLayout
from ...dialect.types import TensorType
from .captures import Capture
from .inputs import Input

_Array: TypeAlias = "np.ndarray[Any, Any]"


def is_constant(array: Any) -> bool:
    """Whether an array cannot change: its memory is a `bytes` object, and it is all there in order."""
    if type(array) is not np.ndarray:
        return False
    memory: Any = array.base
    return type(memory) is bytes and bool(array.flags.c_contiguous)


class PackedInput:
    """A packed copy of a constant array from outside, as a further argument of a compiled function.

    It is kept as long as the place holds the same array, with the same memory.
    """

    def __init__(self, source: Capture | Input, layout: PackedLayout) -> None:
        self.source = source
        """The array that it is a copy of."""
        self._layout = layout
        type = source.type
        known = [extent for extent in type.shape if extent is not None]
        self.type: TensorType = type.with_shape(layout.shape(tuple(known)))
        self._kept: tuple[Any, Any, _Array] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedInput, (self.source, self._layout)

    @property
    def name(self) -> str:
        """The user's words for it."""
        return self.source.name

    def fetch(self) -> _Array | None:
        """The array of a call; None where there is one now that may be written."""
        array = self.source.fetch()
        if not is_constant(array):
            return None
        kept = self._kept
        if kept is None or kept[0]() is not array or kept[1] is not array.base:
            # The memory is held, so that no other can have its identity.
            kept = self._kept = weakref.ref(array), array.base, self._layout.pack(array)
        return kept[2]

    def changed(self) -> str:
        """Why `fetch` gives None."""
        return f"{self.name} is no weft.constant any more"
