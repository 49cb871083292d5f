"""The workspace of a compiled function: where its intermediates lie, and which of them share memory.

Intermediates get places when the whole function is planned and all lifetimes are known: in the memory of a result that
is not made yet, or in the workspace (see `packing`). Those of dynamic size lie behind those of static size: what is
needed at different times shares a place, which is as large as the largest of it; and the memory of a result of dynamic
size holds what has the same size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from ...dialect.mlir import Operation, Type, Value, ir
from ...dialect.records import dataclass
from ...dialect.sizes import Size
from ...passes.index_arithmetic import Extent, IndexArithmetic
from ...passes.notes import note, wanted
from .packing import ANY_SIZE, FOREVER, Range, group, pack, share
from .plan import ALIGNMENT
from .shown_sizes import elements_of
from .terms import Terms


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

    size: Extent | None
    """In bytes; None for a size that is not static, until all is planned, and rounded up from then on."""
    can_show: Callable[[Value], bool]
    """Whether it can be seen as a view of the workspace shows an intermediate."""
    show: Callable[[Value], Value]
    """Makes what replaces such a view."""
    extents: Sequence[Extent] = ()
    """Of an array whose size is not static: only views of these sizes can be shown."""
    until: int = FOREVER

    def shows(self, view: Value, terms: Terms) -> bool:
        """Whether it can be seen as a view of the workspace shows an intermediate."""
        if not self.can_show(view):
            return False
        wanted = [terms.of(extent) for extent in list(view.owner.operation.operands)[2:]]
        return isinstance(self.size, int) or wanted == [
            terms.of(extent) for extent in self.extents if not isinstance(extent, int)
        ]


class Workspace:
    """Hands out slots for intermediates of static and dynamic sizes."""

    def __init__(self, builder: IndexArithmetic) -> None:
        self.slots: list[Slot] = []
        """Those of static size."""
        self.dynamic: list[Slot] = []
        """Those whose sizes are known when the function is called."""
        self.now = 0
        """Counts what happens, to compare lifetimes."""
        self._region_start: int | None = None  # when the outermost loop or branch that is being planned began
        self._region_op: int | None = None  # the op that was planned last
        self._op_start = 0
        self._builder = builder
        self.names: list[str] = []
        """What the arguments of the function are called, for notes."""

    def allocate(self, size: Extent) -> Slot:
        """A slot of at least the given number of bytes, which is a multiple of the alignment."""
        return self._record(size, self._tick())

    def append(self, size: Extent) -> Slot:
        """A slot that shares no memory with anything in the loops and branches around."""
        start = self._tick()
        return self._record(size, start if self._region_start is None else self._region_start)

    def release(self, slot: Slot) -> None:
        """Let later intermediates use the slot."""
        slot.end = self._tick()

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

    def finish(self, holders: Sequence[Holder], terms: Terms) -> Extent:
        """Place all slots; returns the bytes that the workspace takes, computed at the insertion point."""
        self._place_in(holders, terms)
        slots = [slot for slot in self.slots if slot.holder is None]
        offsets, size = pack([slot.range() for slot in slots])
        shown: dict[tuple[int, Type], Value] = {}
        for slot, offset in zip(slots, offsets, strict=True):
            slot.offset = offset
            for view in slot.views:
                self._set_offset(view, offset, shown)
        end = self._finish_dynamic(size, terms)
        if wanted():
            self._note_slots(terms)
        return end

    def _note_slots(self, terms: Terms) -> None:
        """Note which arrays lie in memory between loops."""
        for slot in (*self.slots, *self.dynamic):
            if slot.size == ALIGNMENT:
                continue  # a number
            reason = "lies in {} as long as it is needed: {}"
            if slot.holder is not None:
                note("memory", slot.location, "lies in {} as long as it is needed", "the memory of a result")
            elif isinstance(slot.size, int):
                note("memory", slot.location, reason, "the workspace", f"{slot.size:,} bytes")
            else:
                note(
                    "memory",
                    slot.location,
                    reason,
                    "the workspace",
                    elements_of(slot.views, terms, self.names),
                )

    def _finish_dynamic(self, end: Extent, terms: Terms) -> Extent:
        """Place the slots of dynamic size behind those of static size."""
        slots = [slot for slot in self.dynamic if slot.holder is None]
        ranges = [Range(terms.guess(slot.size), slot.start, slot.end) for slot in slots]
        for members in group(ranges, [terms.kind(slot.size) for slot in slots]):
            sizes = {terms.of(slots[index].size): slots[index].size for index in members}
            largest, *others = map(terms.emit, sizes.values())
            for other in others:
                largest = self._builder.maximum(largest, other)
            offset = self._builder.value(end)
            for index in members:
                slots[index].offset = offset
                for view in slots[index].views:
                    view.owner.operation.operands[1] = offset
            end = self._builder.add(end, largest)
        return end

    def _place_in(self, holders: Sequence[Holder], terms: Terms) -> None:
        """Move slots to the memory of results that is there anyway."""
        static = [number for number, holder in enumerate(holders) if isinstance(holder.size, int)]
        self._move(self.slots, [slot.range() for slot in self.slots], holders, static, terms)
        alike: dict[Size, list[int]] = {}
        for number, holder in enumerate(holders):
            if holder.size is not None and number not in static:
                alike.setdefault(terms.of(holder.size), []).append(number)
        for size, numbers in alike.items():
            slots = [slot for slot in self.dynamic if terms.of(slot.size) == size]
            self._move(
                slots, [Range(ANY_SIZE, slot.start, slot.end) for slot in slots], holders, numbers, terms
            )

    def _move(
        self,
        slots: Sequence[Slot],
        ranges: Sequence[Range],
        holders: Sequence[Holder],
        numbers: Sequence[int],
        terms: Terms,
    ) -> None:
        """Move slots to the memory of some of the results."""
        free = [
            Range(holder.size if isinstance(holder.size, int) else ANY_SIZE, 0, holder.until)
            for holder in holders
        ]
        for slot, place in zip(slots, share(ranges, [free[number] for number in numbers]), strict=True):
            if place is None or not all(holders[numbers[place]].shows(view, terms) for view in slot.views):
                continue
            slot.holder = numbers[place]
            for view in slot.views:
                view.replace_all_uses_with(holders[slot.holder].show(view))
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

    def _record(self, size: Extent, start: int) -> Slot:
        slot = Slot(size, None, start, location=ir.Location.current)
        (self.slots if isinstance(size, int) else self.dynamic).append(slot)
        return slot

    def _tick(self) -> int:
        self.now += 1
        return self.now
