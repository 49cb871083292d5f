"""Arrays that a loop carries crosswise or makes anew: their memory changes places, and nothing is copied.

    for _ in range(n):                       scf.for ... iter_args(%p = %a, %q = %b) {
        b[1:-1] = a[:-2] + a[2:]      =>       call @kernel(%p, %q)
        a, b = b, a                            scf.yield %q, %p
                                             }

A carried array that is computed from itself, and so cannot be made in its own memory, gets spare memory to be made
in, and the two change assignment. Around the loop, everything is where it was put: what ended up elsewhere after the
last iteration is copied there, once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field

from ...dialect.mlir import Block, Operation, Value, dialect, ir
from ...dialect.records import dataclass
from ...passes.notes import note
from ...passes.rewriting import made_again, terminator
from .buffer_assignment import Buffer, BufferAssignment, Kind


@dataclass(eq=False)
class _Member:
    """Memory that may change assignment."""

    value: Value
    """The carried array whose memory it is, or would be."""
    outside: Value
    """What it is before and after the loop."""
    original: Value | None
    """The memref that the buffer has outside of the loop."""
    handles: list[Value] = field(default_factory=list)
    """What stands for it in each region of the loop while that is planned."""


class BufferRotation:
    """The buffers of one loop that may change places at the end of its body.

    Made before the loop. `arguments` are what the loop carries, in `buffers`, None for scalars.
    """

    def __init__(
        self,
        assignment: BufferAssignment,
        regions: int,
        arguments: Sequence[Value],
        buffers: Sequence[Buffer | None],
    ) -> None:
        self._assignment = assignment
        self._regions = regions
        self._members: dict[Buffer, _Member] = {}
        self._spares: dict[Buffer, Buffer] = {}
        self._next: dict[Buffer, Buffer] = {}
        for argument, buffer in zip(arguments, buffers, strict=True):
            if buffer is not None and buffer.kind in (Kind.TEMPORARY, Kind.RESULT):
                self._add(buffer, argument)

    def _add(self, buffer: Buffer, value: Value) -> None:
        outside = self._assignment.view(value, buffer)
        member = self._members[buffer] = _Member(value, outside, buffer.memref)
        cast = dialect("memref").cast
        member.handles = [cast(outside.type, outside) for _ in range(self._regions)]

    @contextmanager
    def region(self, number: int, loop: Operation) -> Iterator[None]:
        """Plan a region; what the last one yields and cannot make in its place may be made in spare memory."""
        assignment = self._assignment
        for buffer, member in self._members.items():
            buffer.memref = member.handles[number]
        if number < self._regions - 1:
            yield
            return
        lifetimes, outer = assignment.lifetimes, assignment.spare_for

        def spare_for(value: Value, buffer: Buffer) -> Buffer | None:
            return self._spare(value, buffer, loop) if assignment.lifetimes is lifetimes else None

        assignment.spare_for = spare_for
        yield
        assignment.spare_for = outer

    def _spare(self, value: Value, buffer: Buffer, loop: Operation) -> Buffer | None:
        """Memory for a value that is to be in a buffer in the next iteration."""
        assignment, member = self._assignment, self._members.get(buffer)
        if member is None or not _are_alike(assignment, value, member.value):
            return None
        spare = self._spares.get(buffer)
        if spare is None:
            with ir.InsertionPoint(loop):
                spare = self._spares[buffer] = assignment.pin(assignment.separate(member.value))
                self._add(spare, member.value)
            spare.memref = self._members[spare].handles[-1]
        return (
            None if spare.residents or spare.pins > 1 else spare
        )  # pinned: a loop inside carries something there

    def targets(self, values: Sequence[Value], buffers: Sequence[Buffer | None]) -> list[Buffer | None]:
        """Where to store each value that the body yields: it may stay where it is if that may change assignment."""
        assignment = self._assignment
        chosen: dict[Buffer, Buffer] = {}
        free = list(self._members)

        def choose(buffer: Buffer, target: Buffer | None) -> None:
            if buffer not in chosen and target in free and self._may_change(buffer, target):
                chosen[buffer] = target
                free.remove(target)

        pairs = [
            (assignment.home.get(assignment.lifetimes.root[value]), buffer)
            for value, buffer in zip(values, buffers, strict=True)
            if buffer in self._members
        ]
        for home, buffer in pairs:
            if home is buffer:
                choose(buffer, buffer)
        for home, buffer in pairs:
            choose(buffer, home)
        for buffer in self._members:  # what is copied, and spare memory
            for target in [buffer, *free]:
                choose(buffer, target)
        self._next = chosen
        return [buffer if buffer is None else chosen.get(buffer, buffer) for buffer in buffers]

    def _may_change(self, buffer: Buffer, target: Buffer) -> bool:
        first, second = self._members[buffer], self._members[target]
        return _are_alike(self._assignment, first.value, second.value)

    def finish(self, loop: Operation, live: set[Buffer]) -> Operation:
        """Let the loop, all of which is planned, carry what changes places; returns the loop that takes its place.

        The current insertion point is behind it. `live` are the buffers that are read later.
        """
        moving = [buffer for buffer, target in self._next.items() if buffer is not target]
        for buffer, member in self._members.items():
            if buffer not in moving:
                _replace(member.handles, [member.outside] * self._regions)
        if moving:
            count = sum(1 for _ in loop.results)
            loop = self._carry(loop, moving)
            for member in self._members.values():
                member.handles = []
            after = dict(zip(moving, list(loop.results)[count:], strict=True))
            self._bring_home(after, live)
        for buffer, member in self._members.items():
            buffer.memref = member.original
        for spare in self._spares.values():
            self._assignment.unpin(spare)
        return loop

    def _carry(self, loop: Operation, moving: list[Buffer]) -> Operation:
        members = [self._members[buffer] for buffer in moving]
        outside = [member.outside for member in members]
        types = [value.type for value in (*loop.results, *outside)]
        new = made_again(loop, types, [*loop.operands, *outside])
        for number, region in enumerate(new.regions):
            last = number == self._regions - 1
            passed = [
                self._members[self._next[buffer] if last else buffer].handles[number] for buffer in moving
            ]
            block = region.blocks[0]
            _pass_more(block, passed)
            arguments = [block.add_argument(value.type, loop.location) for value in outside]
            _replace([member.handles[number] for member in members], arguments)
        for old_result, result in zip(loop.results, new.results, strict=False):
            old_result.replace_all_uses_with(result)
        loop.erase()
        return new

    def _bring_home(self, after: dict[Buffer, Value], live: set[Buffer]) -> None:
        """Copy what is needed later back to where the loop found it, unless it is there."""
        waiting = dict.fromkeys(after)
        while waiting:
            circle = [next(iter(waiting))]
            while (following := self._next[circle[-1]]) is not circle[0]:
                circle.append(following)
            for buffer in circle:
                del waiting[buffer]
            needed = [buffer for buffer in circle if buffer in live]
            if needed:
                self._copy_back(needed, after)

    def _copy_back(self, needed: list[Buffer], after: dict[Buffer, Value]) -> None:
        """Copy arrays that changed places in one circle: all of them are back, or none is."""
        assignment, memref, scf = self._assignment, dialect("memref"), dialect("scf")
        pairs = [(after[buffer], self._members[buffer].outside) for buffer in needed]
        saved = [assignment.separate(self._members[buffer].value) for buffer in needed[1:]]
        views = [
            assignment.view(self._members[buffer].value, copy)
            for buffer, copy in zip(needed[1:], saved, strict=True)
        ]
        with ir.InsertionPoint(_if_elsewhere(*pairs[0]).then_block):
            for (source, _), view in zip(pairs[1:], views, strict=True):
                memref.copy(source, view)
            memref.copy(*pairs[0])
            note(
                "copy", ir.Location.current, "is copied back behind the loop if it ran an odd number of times"
            )
            for (_, target), view in zip(pairs[1:], views, strict=True):
                memref.copy(view, target)
            scf.YieldOp([])
        assignment.copies += len(pairs) + len(saved)
        for copy in saved:
            assignment.unpin(assignment.pin(copy))


def _are_alike(assignment: BufferAssignment, first: Value, second: Value) -> bool:
    """Whether two arrays have the same type and sizes."""
    if first.type != second.type:
        return False
    pairs = zip(assignment.sizes.of(first), assignment.sizes.of(second), strict=True)
    return all(isinstance(a, int) == isinstance(b, int) and a == b for a, b in pairs)


def _replace(old: Sequence[Value], new: Sequence[Value]) -> None:
    """Replace the results of ops and erase these."""
    for handle, value in zip(old, new, strict=True):
        handle.replace_all_uses_with(value)
        handle.owner.operation.erase()


def _pass_more(block: Block, values: Sequence[Value]) -> None:
    """Add operands to the terminator of a block."""
    last = terminator(block)
    with ir.InsertionPoint(last), last.location:
        ir.Operation.create(last.name, operands=[*last.operands, *values])
    last.erase()


def _if_elsewhere(memref: Value, place: Value) -> Operation:
    """Make an `scf.if` for when a memref does not start at a place."""
    arith, ops = dialect("arith"), dialect("memref")
    addresses = [ops.extract_aligned_pointer_as_index(value) for value in (memref, place)]
    return dialect("scf").IfOp(arith.cmpi(arith.CmpIPredicate.ne, *addresses))
