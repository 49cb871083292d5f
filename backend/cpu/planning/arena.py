"""The workspace of a compiled function: where its intermediates lie, and which of them share memory.

Intermediates of static size get constant offsets from a best-fit allocator that replays the program; those of
dynamic size follow behind, each in a slot that is reused by later intermediates of the same symbolic size.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass

from ....dialect.mlir import Value
from .shapes import Extent, IndexBuilder

"""Bytes; a cache line, and the widest vector."""


class StaticArena:
    """Best-fit allocation of byte ranges with coalescing of neighbours."""

    def __init__(self) -> None:
        self.size = 0
        self._by_offset: list[tuple[int, int]] = []  # free (offset, size), sorted

    def allocate(self, size: int) -> int:
        """The offset of a free range; the arena grows when none is large enough."""
        fitting = [(length, offset) for offset, length in self._by_offset if length >= size]
        if fitting:
            length, offset = min(fitting)
            self._by_offset.remove((offset, length))
            if length > size:
                insort(self._by_offset, (offset + size, length - size))
            return offset
        # A free range at the end is extended instead of left behind.
        if self._by_offset and sum(self._by_offset[-1]) == self.size:
            offset, _ = self._by_offset.pop()
        else:
            offset = self.size
        self.size = offset + size
        return offset

    def append(self, size: int) -> int:
        """The offset of a range that was never used before."""
        self.size += size
        return self.size - size

    def release(self, offset: int, size: int) -> None:
        """Give a range back."""
        index = bisect_left(self._by_offset, (offset, size))
        if index < len(self._by_offset) and self._by_offset[index][0] == offset + size:
            size += self._by_offset.pop(index)[1]
        if index and sum(self._by_offset[index - 1]) == offset:
            before, length = self._by_offset.pop(index - 1)
            offset, size = before, length + size
        insort(self._by_offset, (offset, size))


@dataclass(eq=False)
class Slot:
    """A place in the workspace."""

    size: Extent
    offset: Extent


class Workspace:
    """Hands out slots for intermediates of static and dynamic sizes.

    Dynamic slots lie behind the static ones, whose total is known only at the end: `base` stands for it, an
    index constant that the caller sets when everything is allocated.
    """

    def __init__(self, builder: IndexBuilder, base: Value) -> None:
        self.static = StaticArena()
        self._builder = builder
        self._free: dict[Value, list[Slot]] = {}
        self._end = base

    def allocate(self, size: Extent) -> Slot:
        """A slot of at least the given number of bytes, which is a multiple of the alignment."""
        if isinstance(size, int):
            return Slot(size, self.static.allocate(size))
        free = self._free.get(size)
        return free.pop() if free else self.append(size)

    def append(self, size: Extent) -> Slot:
        """A slot in memory that was never used before."""
        if isinstance(size, int):
            return Slot(size, self.static.append(size))
        slot = Slot(size, self._end)
        self._end = self._builder.value(self._builder.add(self._end, size))
        return slot

    def release(self, slot: Slot) -> None:
        """Let later intermediates use the slot."""
        if isinstance(slot.size, int) and isinstance(slot.offset, int):
            self.static.release(slot.offset, slot.size)
        else:
            self._free.setdefault(slot.size, []).append(slot)

    @property
    def end(self) -> Value:
        """The total size in bytes, once `base` is set."""
        return self._end
