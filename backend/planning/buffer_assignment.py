"""Where the values of a planned function are in memory, and where a new value is best put."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from enum import Enum, auto

from ...dialect.mlir import Operation, Type, Value, dialect, ir
from ...dialect.records import dataclass
from ...dialect.sizes import limits
from ...passes.index_arithmetic import Extent, IndexArithmetic
from ...passes.notes import note, place_of_value, wanted
from ...passes.rewriting import copy_with
from .arena import Holder, Slot, Workspace
from .boundaries import memref_type
from .heap import Block, Heap
from .lifetimes import Lifetimes, Write
from .plan import ALIGNMENT
from .shapes import Sizes, is_known_at_entry, static_shape

_SMALL = 1 << 16
"""Bytes that are kept for what may be as large, and need not be."""

_CHANGED = "is copied, as {} changes it and what it was is needed later"
_CARRIED = "is copied to where the next iteration, or what follows a branch, finds it"


class Kind(Enum):
    """What memory a buffer is."""

    INPUT = auto()  # an argument that is only read
    WRITTEN = auto()  # an argument that the program writes
    RESULT = auto()  # an out-parameter
    TEMPORARY = auto()  # a slot of the workspace
    CONSTANT = auto()
    BLOCK = auto()  # a heap block, which grows


@dataclass(eq=False)
class Buffer:
    """Memory, and the classes of values that lie in it now."""

    kind: Kind
    memref: Value | None  # None for temporaries, but while a loop lets them change places
    slot: Slot | None = None
    block: Block | None = None
    most: int | None = None  # the bytes of a slot for what may be smaller
    holder: Holder | None = None  # of a result whose memory is there before the call
    residents: set[Value] = field(default_factory=set)
    pins: int = 0  # control flow that keeps the buffer although no value lies in it now

    def renew(self) -> None:
        """Note that the memory may be elsewhere from now on."""
        if self.block is not None:
            self.block.renew()

    @property
    def where(self) -> object:
        """What tells it from other memory: the memref, or else the slot."""
        if self.memref is not None:
            return self.memref
        assert self.slot is not None
        return self.slot if self.slot.offset is None else self.slot.offset


class BufferAssignment:
    """Keeps track of the buffer of every class of values while a function is rewritten in program order.

    `written` names the buffers that the program stores to at a later point of the current block: arguments written
    in place, what loops carry and what branches give, by their value in the old function.
    """

    def __init__(
        self, lifetimes: Lifetimes, sizes: Sizes, workspace: Workspace, workspace_memref: Value, heap: Heap
    ) -> None:
        self.lifetimes = lifetimes
        self.position = 0
        self.sizes = sizes
        self.builder: IndexArithmetic = sizes.builder
        self.workspace = workspace
        self.workspace_memref = workspace_memref
        self.heap = heap
        self.results: list[Buffer] = []
        self.written: dict[Value, Buffer] = {}
        self.home: dict[Value, Buffer] = {}
        self.spare_for: Callable[[Value, Buffer], Buffer | None] = lambda value, buffer: None
        """Gives other memory for a value that cannot be made in a buffer which it is stored to later."""
        self.copies = 0
        self._memrefs: ChainMap[tuple[object, ...], Value] = ChainMap()
        self._byte_sizes: dict[tuple[object, ...], Extent] = {}
        self._hoisted: dict[Value, Value] = {}
        self._outermost: Operation | None = (
            None  # the region op of the function's own block that is being planned
        )

    @contextmanager
    def scope(self, lifetimes: Lifetimes, region_op: Operation, *blocks: ir.Block) -> Iterator[None]:
        """Work on a block inside a new op with regions; what is made in the blocks is not used outside."""
        saved = self.lifetimes, self.position, self._memrefs, self._outermost
        self.lifetimes, self.position = lifetimes, 0
        self._memrefs = self._memrefs.new_child()
        if self._outermost is None:
            self._outermost = region_op
            self.workspace.enter_region(region_op)
        self.heap.forget()
        with self.sizes.scope(*blocks):
            yield
        self.heap.forget()
        if saved[3] is None:
            self.workspace.leave_region()
        self.lifetimes, self.position, self._memrefs, self._outermost = saved

    # The life of a value

    def settle(self, value: Value, buffer: Buffer) -> None:
        """A class lies in a buffer from now on."""
        previous = self.home.get(value)
        if previous is not None:
            previous.residents.discard(value)
        self.home[value] = buffer
        buffer.residents.add(value)
        if buffer.holder is not None:
            self.workspace.note_use(buffer.holder)

    def leave(self, value: Value) -> None:
        """A class is not used any more; its memory is free unless something else lies there."""
        buffer = self.home.get(value)
        if buffer is not None and value in buffer.residents:
            buffer.residents.remove(value)
            self._release(buffer)

    def pin(self, buffer: Buffer) -> Buffer:
        """Keep a buffer although its values may come and go."""
        buffer.pins += 1
        return buffer

    def unpin(self, buffer: Buffer) -> None:
        """Undo one `pin`."""
        buffer.pins -= 1
        self._release(buffer)

    def _release(self, buffer: Buffer) -> None:
        if buffer.residents or buffer.pins:
            return
        if buffer.slot is not None:
            self.workspace.release(buffer.slot)
        elif buffer.block is not None and buffer.block.is_spare:
            self.heap.release(buffer.block)

    # Choosing memory

    def choose(self, value: Value, busy: Collection[Buffer] = ()) -> Buffer:
        """The best buffer for a new value: where it must end up, if it may be written there now."""
        write = self.lifetimes.write_of.get(value)
        if write is not None:
            place = self.written[write.place]
            if place not in busy and self._is_free(write, None):
                return self.prepare(value, place)
            spare = self.spare_for(value, place)
            if spare is not None:
                return spare
        result = self.lifetimes.result_of.get(value)
        return (
            self.temporary(value)
            if result is not None and self.results[result] in busy
            else self.elsewhere(value)
        )

    def elsewhere(self, value: Value) -> Buffer:
        """A buffer for a new value that is no memory written later."""
        result = self.lifetimes.result_of.get(value)
        if result is not None and not self.results[result].pins and self._is_dead(self.results[result], None):
            return self.prepare(value, self.results[result])
        return self.temporary(value)

    def temporary(self, value: Value) -> Buffer:
        """A new slot of the workspace for a value, or a heap block if its size is not known at the entry.

        What cannot be large has a slot for the most that it can be.
        """
        return self._in_workspace(value, self.workspace.allocate) or self.prepare(value, self.growing())

    def _most_bytes(self, value: Value) -> int | None:
        """The bytes that a value of unknown size has at most, rounded up; None for what may be large."""
        shapes = self.sizes.shapes
        extents = [limits(shapes.in_full(size))[1] for size in shapes.of(value)]
        if not all(map(math.isfinite, extents)):
            return None
        size = math.prod(max(0, int(extent)) for extent in extents) * byte_width(value.type.element_type)
        return -(-size // ALIGNMENT) * ALIGNMENT if size <= _SMALL else None

    def growing(self) -> Buffer:
        """A heap block for values of any size; `prepare` makes it large enough for one."""
        return Buffer(Kind.BLOCK, None, block=self.heap.allocate())

    def choose_growing(self, value: Value, busy: Collection[Buffer]) -> Buffer:
        """A block for a value whose size is not known yet: the one of the result that it becomes, if that is free."""
        number = self.lifetimes.result_of.get(value)
        result = None if number is None else self.results[number]
        if result is None or result.block is None or result in busy or result.pins:
            return self.growing()
        return result if self._is_dead(result, None) else self.growing()

    def growing_destination(self, operand: Value, busy: set[Buffer]) -> Buffer:
        """A block that holds an operand, and what it grows to."""
        buffer = self.reusable(None, operand, busy)
        if buffer is None or buffer.block is None:
            buffer = self.growing()
            self.copy(operand, buffer, _CHANGED)
        return buffer

    def prepare(self, value: Value, buffer: Buffer) -> Buffer:
        """Make a buffer large enough for a value that is written there now; old contents are lost."""
        if buffer.block is not None:
            extents = [*self.sizes.of(value), byte_width(value.type.element_type)]
            self.heap.reserve(buffer.block, extents)
        return buffer

    def separate(self, value: Value) -> Buffer:
        """A slot, for a value that others of its size have, that shares no memory with what was there so far."""
        buffer = self._in_workspace(value, self.workspace.append)
        assert buffer is not None
        return buffer

    def _in_workspace(self, value: Value, allocate: Callable[[Extent], Slot]) -> Buffer | None:
        """A slot for a value; None where its size is not known at the entry and may be large."""
        extents = self.sizes.of(value)
        if all(map(self._is_fixed, extents)):
            with self._before_regions():
                size = self._rounded_bytes([self._hoist(extent) for extent in extents], value.type)
                return Buffer(Kind.TEMPORARY, None, allocate(size))
        most = self._most_bytes(value)
        return None if most is None else Buffer(Kind.TEMPORARY, None, allocate(most), most=most)

    def _rounded_bytes(self, extents: Sequence[Extent], type: Type) -> Extent:
        """The bytes of a slot for an array."""
        width = byte_width(type.element_type)
        key = (*extents, "x", width)
        size = self._byte_sizes.get(key)
        if size is None:
            size = self.builder.multiply(self.builder.product(extents), width)
            size = self._byte_sizes[key] = self.builder.round_up(size, ALIGNMENT)
        return size

    def know_holders(self, returned: Sequence[Value]) -> None:
        """Note the sizes of results that are not static, at the end of the function."""
        for value, buffer in zip(returned, self.results, strict=True):
            if buffer.holder is not None and buffer.holder.size is None:
                buffer.holder.extents = self.sizes.of(value)
                buffer.holder.size = self._rounded_bytes(buffer.holder.extents, value.type)

    def destination(self, result: Value | None, operand: Value, busy: set[Buffer]) -> Buffer:
        """The buffer for a result that is made from an operand by overwriting it; it holds the operand's value.

        `busy` are the buffers that the op reads or writes otherwise. Without a result it is a copy to work on.
        """
        buffer = self.reusable(result, operand, busy)
        if buffer is None:
            buffer = self.temporary(operand) if result is None else self.choose(result, busy)
            self.copy(operand, buffer, _CHANGED)
        return buffer

    def reusable(self, result: Value | None, operand: Value, busy: set[Buffer]) -> Buffer | None:
        """The buffer of an operand, if its value may be overwritten now."""
        updated = self.lifetimes.root[operand]
        home = self.home.get(updated)
        last_use = self.lifetimes.last_use
        if home is None or home in busy:
            return None
        if any(last_use(value) >= self.position + (value == updated) for value in home.residents):
            return None
        if home.kind is Kind.WRITTEN:
            write = None if result is None else self.lifetimes.write_of.get(result)
            if write is None or self.written[write.place] is not home or not self._is_free(write, updated):
                return None
        return None if home.kind in (Kind.INPUT, Kind.CONSTANT) else home

    def _is_free(self, write: Write, updated: Value | None) -> bool:
        """Whether memory may get its next value now; `updated` is the value that it replaces."""
        buffer = self.written[write.place]
        carried = write.observable and buffer.pins > 0  # an argument that a loop around keeps its value in
        early = self.lifetimes.may_write_early(write, self.position)
        return early and not carried and self._is_dead(buffer, updated)

    def _is_dead(self, buffer: Buffer, updated: Value | None) -> bool:
        """Whether nobody reads, now or later, what lies in a buffer, but for a value that is to be replaced."""
        last_use = self.lifetimes.last_use
        return all(
            last_use(value) < self.position
            for value in buffer.residents
            if updated is None or value != updated
        )

    # Moving values

    def store(self, value: Value, buffer: Buffer) -> None:
        """Store a value to memory that is written now; old contents still needed are moved elsewhere first."""
        if self.home.get(self.lifetimes.root[value]) is not buffer:
            self.vacate(buffer, self.position + 1)
            self.copy(value, buffer, "is copied into the argument that the program writes")

    def vacate(self, buffer: Buffer, position: int) -> None:
        """Move values that are used at a position or later out of a buffer that is about to be overwritten."""
        for resident in list(buffer.residents):
            if self.lifetimes.last_use(resident) >= position:
                place = self.elsewhere(resident)
                self.copy(resident, place, "is copied, as {} writes to its memory while it is still needed")
                self.settle(resident, place)

    def copy(self, value: Value, buffer: Buffer, why: str) -> None:
        """Copy a value into a buffer, unless it is there; for what was never written, there only is room."""
        home = self.home.get(self.lifetimes.root[value])
        if home is buffer:
            return
        self.prepare(value, buffer)
        if home is None:
            return
        self.copies += 1
        if wanted():
            note("copy", place_of_value(value), why, ir.Location.current)
        dialect("memref").copy(self.memref(value), self.view(value, buffer))

    def assign(self, values: Sequence[Value], buffers: Sequence[Buffer | None]) -> None:
        """Store values all at once; blocks exchange their contents, and what lies where another goes moves before."""
        finished: set[Buffer] = set()
        root = self.lifetimes.root
        for index, (value, buffer) in enumerate(zip(values, buffers, strict=True)):
            if buffer is None:
                continue
            home = self.home.get(root[value])
            following = [other for other in buffers[index + 1 :] if other is not None]
            if home is not buffer and (home is not None or buffer.block is not None):
                if home is not None and home not in finished and self._may_exchange(home, buffer, following):
                    self._exchange(home, buffer)
                else:
                    self._copy_over(value, buffer, values[index + 1 :], buffers[index + 1 :])
            finished.add(buffer)

    def _copy_over(
        self, value: Value, buffer: Buffer, values: Sequence[Value], buffers: Sequence[Buffer | None]
    ) -> None:
        """Copy a value into a buffer; what lies there and is stored elsewhere later moves before."""
        root = self.lifetimes.root
        for later, other in zip(values, buffers, strict=True):
            if other is not None and other is not buffer and self.home.get(root[later]) is buffer:
                saved = self.temporary(later)
                self.copy(later, saved, _CARRIED)
                self.settle(root[later], saved)
        self.copy(value, buffer, _CARRIED)

    def _may_exchange(self, home: Buffer, buffer: Buffer, following: Collection[Buffer]) -> bool:
        """Whether two blocks may change their contents: nobody else needs what lies in the first later."""
        if home.block is None or buffer.block is None:
            return False
        if home.pins and home not in following:
            return False
        return all(self.lifetimes.last_use(value) <= self.position for value in home.residents)

    def _exchange(self, first: Buffer, second: Buffer) -> None:
        assert first.block is not None
        assert second.block is not None
        self.heap.exchange(first.block, second.block)
        first.residents, second.residents = second.residents, first.residents
        for buffer in (first, second):
            for value in buffer.residents:
                self.home[value] = buffer
        self._release(first)

    # Making memrefs

    def memref(self, value: Value) -> Value:
        """The memory of a value, in its own shape."""
        root = self.lifetimes.root[value]
        home = self.home.get(root)
        if home is None:
            home = self.temporary(value)  # a tensor that nothing was written to
            self.settle(root, home)
        return self.view(value, home)

    def view(self, value: Value, buffer: Buffer) -> Value:
        """A buffer in the shape of a value."""
        type = memref_type(value.type)
        extents = self.sizes.typed(value)
        if buffer.holder is not None:
            self.workspace.note_use(buffer.holder)
        # Two unknown sizes may be swapped by a reshape, although the type is the same.
        if buffer.memref is not None and buffer.memref.type == type and static_shape(type).count(None) < 2:
            return buffer.memref
        where = (buffer.where,) if buffer.block is None else (buffer.block, buffer.block.generation)
        key = (*where, type, *extents)
        found = self._memrefs.get(key)
        if found is None:
            found = self._memrefs[key] = self._make_view(type, extents, buffer)
        return found

    def _make_view(self, type: Type, extents: list[Extent], buffer: Buffer) -> Value:
        if buffer.memref is not None:
            return reshape(buffer.memref, type, extents, self.builder)
        if buffer.block is not None:
            return self.heap.view(buffer.block, type, extents)
        slot = buffer.slot
        assert slot is not None
        offset = self.builder.value(0 if slot.offset is None else slot.offset)
        dynamic = [extent for extent in extents if not isinstance(extent, int)]
        if buffer.most is None:
            view = dialect("memref").view(type, self.workspace_memref, offset, dynamic)
            slot.views.append(view)
            return view
        all_bytes = ir.MemRefType.get([buffer.most], ir.IntegerType.get_signless(8))
        view = dialect("memref").view(all_bytes, self.workspace_memref, offset, [])
        slot.views.append(view)
        return dialect("memref").view(type, view, self.builder.value(0), dynamic)

    # Sizes of the workspace are known before any loop

    @contextmanager
    def _before_regions(self) -> Iterator[None]:
        if self._outermost is None:
            yield
        else:
            with ir.InsertionPoint(self._outermost):
                yield

    def _hoist(self, extent: Extent) -> Extent:
        """A size as a value from outside all loops and branches."""
        if isinstance(extent, int) or self._outermost is None or self._is_outside(extent):
            return extent
        known = self._hoisted.get(extent)
        if known is None:
            op = extent.owner.operation
            operands = [self.builder.value(self._hoist(operand)) for operand in op.operands]
            known = self._hoisted[extent] = copy_with(op, operands).results[extent.result_number]
        return known

    def _is_fixed(self, extent: Extent) -> bool:
        """Whether a size depends on the sizes of arguments only, so that it is known at the entry."""
        return isinstance(extent, int) or is_known_at_entry(self.sizes.shapes.read(extent))

    def _is_outside(self, value: Value) -> bool:
        block = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
        return bool(block.owner.operation.name == "func.func")


def reshape(memref: Value, type: Type, extents: list[Extent], builder: IndexArithmetic) -> Value:
    """The same contiguous memory in another shape."""
    strides: list[Extent] = [1] * len(extents)
    for axis in range(len(extents) - 2, -1, -1):
        strides[axis] = builder.multiply(strides[axis + 1], extents[axis + 1])
    dynamic = ir.ShapedType.get_dynamic_size()
    static_sizes = [extent if isinstance(extent, int) else dynamic for extent in extents]
    static_strides = [stride if isinstance(stride, int) else dynamic for stride in strides]
    strided = ir.MemRefType.get(static_sizes, type.element_type, ir.StridedLayoutAttr.get(0, static_strides))
    ops = dialect("memref")
    cast = ops.reinterpret_cast(
        strided,
        memref,
        [],
        [extent for extent in extents if not isinstance(extent, int)],
        [stride for stride in strides if not isinstance(stride, int)],
        [0],
        static_sizes,
        static_strides,
    )
    return ops.cast(type, cast)


def result_holder(memref: Value, builder: IndexArithmetic) -> Holder:
    """The memory of a result, which intermediates of the same element type may use."""
    type = memref.type
    is_static = type.has_static_shape

    def can_show(view: Value) -> bool:
        if not is_static:
            return bool(view.type == type)
        return bool(view.type.has_static_shape and view.type.element_type == type.element_type)

    def show(view: Value) -> Value:
        if view.type == type:
            return memref
        with ir.InsertionPoint(view.owner.operation), view.owner.operation.location:
            return reshape(memref, view.type, list(view.type.shape), builder)

    size = math.prod(type.shape) * byte_width(type.element_type) if is_static else None
    return Holder(size, can_show, show)


def byte_width(type: Type) -> int:
    """The bytes of one element in memory."""
    if isinstance(type, ir.ComplexType):
        return 2 * byte_width(type.element_type)
    if isinstance(type, ir.IndexType):
        return 8
    return max(1, int(type.width) // 8)
