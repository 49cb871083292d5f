"""The workspace of a compiled function: where its intermediates lie, and which of them share memory.

Intermediates of static size get places when the whole function is planned and all lifetimes are known: in the memory of
a result that is not made yet, or in the workspace (see `packing`). Those of dynamic size follow behind, each in a slot
that is reused by later intermediates of the same symbolic size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from ....dialect.mlir import Operation, Type, Value, ir
from ....dialect.records import dataclass
from ..plan import ALIGNMENT
from .packing import FOREVER, Range, pack, share
from .shapes import Extent, IndexBuilder


@dataclass(eq=False)
class Slot:
    """A place for an intermediate. `start` and `end` count what is allocated and released."""

    size: Extent
    offset: Extent | None
    """In the workspace; None while it is not known, or if the slot is in the memory of a result."""
    start: int
    end: int = FOREVER
    location: ir.Location | None = None
    """Of the op that makes what is there first."""
    holder: int | None = None
    """The result in whose memory it is."""
    views: list[Value] = field(default_factory=list)

    def range(self) -> Range:
        """When how many bytes are needed, of a slot of static size."""
        assert isinstance(self.size, int)
        return Range(self.size, self.start, self.end)


@dataclass
class Holder:
    """The memory of a result, which holds intermediates until the result is made there."""

    size: int
    can_show: Callable[[Value], bool]
    """Whether it can be seen as a view of the workspace shows an intermediate."""
    show: Callable[[Value], Value]
    """Makes what replaces such a view."""
    until: int = FOREVER


class Workspace:
    """Hands out slots for intermediates of static and dynamic sizes.

    Dynamic slots lie behind the static ones, whose total is known only at the end: `base` stands for it, an
    index constant that the caller sets when everything is allocated.
    """

    def __init__(self, builder: IndexBuilder, base: Value) -> None:
        self.slots: list[Slot] = []
        """Those of static size."""
        self.now = 0
        """Counts what happens, to compare lifetimes."""
        self._region_start: int | None = None  # when the outermost loop or branch that is being planned began
        self._region_op: int | None = None  # the op that was planned last
        self._op_start = 0
        self._builder = builder
        self._free: dict[Value, list[Slot]] = {}
        self._end = base

    def allocate(self, size: Extent) -> Slot:
        """A slot of at least the given number of bytes, which is a multiple of the alignment."""
        if isinstance(size, int):
            return self._record(size, self._tick())
        free = self._free.get(size)
        return free.pop() if free else self.append(size)

    def append(self, size: Extent) -> Slot:
        """A slot that shares no memory with anything in the loops and branches around."""
        if isinstance(size, int):
            start = self._tick()
            return self._record(size, start if self._region_start is None else self._region_start)
        slot = Slot(size, self._end, self._tick())
        self._end = self._builder.value(self._builder.add(self._end, size))
        return slot

    def release(self, slot: Slot) -> None:
        """Let later intermediates use the slot."""
        if isinstance(slot.size, int):
            slot.end = self._tick()
        else:
            self._free.setdefault(slot.size, []).append(slot)

    def enter_region(self, op: Operation) -> None:
        """A region of the outermost loop or branch is planned from now on: all of them begin with the first.

        The condition of a loop runs between iterations, when the memory that its body carries is in use.
        """
        if self._region_op != hash(op):  # an address: the op may be replaced, and erased
            self._region_op, self._op_start = hash(op), self._tick()
        self._region_start = self._op_start

    def leave_region(self) -> None:
        """It is planned."""
        self._region_start = None

    def note_use(self, holder: Holder) -> None:
        """A result is made in its memory from now on, in the next iteration of a loop around, too."""
        now = self._tick() if self._region_start is None else self._region_start
        holder.until = min(holder.until, now)

    def finish(self, holders: Sequence[Holder]) -> int:
        """Place all slots of static size; returns how many bytes of the workspace they take."""
        self._place_in(holders)
        slots = [slot for slot in self.slots if slot.holder is None]
        offsets, size = pack([slot.range() for slot in slots])
        shown: dict[tuple[int, Type], Value] = {}
        for slot, offset in zip(slots, offsets, strict=True):
            slot.offset = offset
            for view in slot.views:
                self._set_offset(view, offset, shown)
        return size

    def _place_in(self, holders: Sequence[Holder]) -> None:
        """Move slots to the memory of results that is there anyway."""
        if not holders:
            return
        slots = self.slots
        ranges = [Range(holder.size, 0, holder.until) for holder in holders]
        for slot, number in zip(slots, share([slot.range() for slot in slots], ranges), strict=True):
            if number is None or not all(map(holders[number].can_show, slot.views)):
                continue
            slot.holder = number
            for view in slot.views:
                view.replace_all_uses_with(holders[number].show(view))
                view.owner.operation.erase()

    def _set_offset(self, view: Value, offset: int, shown: dict[tuple[int, Type], Value]) -> None:
        """Let a view begin at an offset; equal views of the function's own block are one."""
        op = view.owner.operation
        same = shown.get((offset, view.type))
        if same is not None:
            view.replace_all_uses_with(same)
            op.erase()
            return
        op.operands[1] = self._builder.value(offset)
        if view.type.has_static_shape and op.parent.name == "func.func":
            shown[offset, view.type] = view

    @property
    def end(self) -> Value:
        """The total size in bytes, once `base` is set."""
        return self._end

    def _record(self, size: int, start: int) -> Slot:
        slot = Slot(size, None, start, location=ir.Location.current)
        self.slots.append(slot)
        return slot

    def _tick(self) -> int:
        self.now += 1
        return self.now


__all__ = ["ALIGNMENT", "Holder", "Slot", "Workspace"]
