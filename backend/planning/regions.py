"""Loops and branches between kernels: tensors that they carry become buffers, scalars stay values.

What a loop carries lies in one buffer from iteration to iteration: the initial value is moved there before, unless
its own memory may be overwritten, and the new value is made there or copied there at the end of the body. The
results of a branch are stored to one buffer from both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from ...dialect.made_ops import operation_of
from ...dialect.mlir import Block, Operation, Value, ir
from ...passes.rewriting import is_defined_inside, operations_in, terminator
from . import buffer_rotation
from .buffer_assignment import Buffer, BufferAssignment
from .lifetimes import Lifetimes
from .outlining.destinations import destination_of
from .outlining.op_kinds import updated_value


class Regions:
    """Plans ops with regions; `plan_block` rewrites the ops of a block at the current insertion point."""

    def __init__(
        self, assignment: BufferAssignment, mapping: dict[Value, Value], plan_block: Callable[[Block], None]
    ) -> None:
        self._assignment = assignment
        self._mapping = mapping
        self._plan_block = plan_block

    def plan_for(self, op: Operation) -> None:
        """An `scf.for`: as many buffers as tensors are carried."""
        body = op.regions[0].blocks[0]
        bounds, initials = list(op.operands)[:3], list(op.operands)[3:]
        carried = list(body.arguments)[1:]
        self._vacate_written(op)
        buffers = self._carry(op, initials, list(op.results), carried)
        rotation = buffer_rotation.BufferRotation(self._assignment, 1, initials, buffers)
        extents = self._varying_extents(initials, carried)
        new = self._create(op, [*bounds, *initials], extents, list(op.results), 1)
        block = self._add_block(new, 0, [body.arguments[0], *carried])
        self._run(new, block, body, buffers, carried, carried, rotation=rotation)
        self._replace(op, rotation.finish(new, _used(op, buffers)))
        self._finish(op, buffers, [buffer for buffer in buffers if buffer is not None])

    def plan_while(self, op: Operation) -> None:
        """An `scf.while`: the results are what the condition passes on."""
        before, after = (region.blocks[0] for region in op.regions)
        initials = list(op.operands)
        carried = list(before.arguments)
        condition = terminator(before)
        self._vacate_written(op)
        results: list[Value | None] = [self._result_of(op, initial) for initial in initials]
        buffers = self._carry(op, initials, results, carried)
        rotation = buffer_rotation.BufferRotation(self._assignment, 2, initials, buffers)
        extents = self._varying_extents(initials, carried)
        new = self._create(op, initials, extents, list(op.results), 2)
        first = self._add_block(new, 0, carried)
        passed: list[Buffer | None] = []
        wanted = [None] * len(condition.operands)
        with self._enter(new, first, before, buffers, carried, places=wanted), rotation.region(0, new):
            self._plan_block(before)
            for value in list(condition.operands)[1:]:
                passed.append(self._pin_home(value))
            self._terminate(condition, carried, [None, *after.arguments])
        second = self._add_block(new, 1, list(after.arguments))
        self._run(
            new, second, after, passed, list(after.arguments), carried, stored=buffers, rotation=rotation
        )
        self._replace(op, rotation.finish(new, _used(op, passed)))
        self._finish(op, passed, [buffer for buffer in [*buffers, *passed] if buffer is not None])

    def plan_if(self, op: Operation) -> None:
        """An `scf.if`: both branches store to the buffers of the results."""
        self._vacate_written(op)
        results = list(op.results)
        buffers: list[Buffer | None] = []
        owned: dict[Value, Buffer] = {}
        for result in results:
            busy = {buffer for buffer in buffers if buffer is not None}
            buffer = self._branch_buffer(op, result, owned, busy)
            buffers.append(buffer and self._assignment.pin(buffer))
        new = self._create(op, list(op.operands), [], results, 2)
        for number, region in enumerate(op.regions):
            for old in region:
                block = self._add_block(new, number, [])
                for value, buffer in owned.items():
                    self._assignment.settle(value, buffer)
                self._run(new, block, old, [], [], results, stored=buffers, owned=owned)
        for value in owned:
            owned[value].residents.discard(value)
        self._replace(op, new)
        self._finish(op, buffers, [buffer for buffer in buffers if buffer is not None])

    # Buffers

    def _vacate_written(self, op: Operation) -> None:
        """Old values of arguments that are written inside, and needed later, move before."""
        for value in self._assignment.lifetimes.captures.of(op):
            if isinstance(value.type, ir.MemRefType):
                self._assignment.vacate(self._assignment.written[value], self._assignment.position)

    def _carry(
        self, op: Operation, initials: list[Value], results: Sequence[Value | None], carried: list[Value]
    ) -> list[Buffer | None]:
        """Put the initial values where the loop carries them; None for scalars."""
        assignment = self._assignment
        busy = self._read_inside(op)
        buffers: list[Buffer | None] = []
        for initial, result, argument in zip(initials, results, carried, strict=True):
            if not isinstance(initial.type, ir.RankedTensorType):
                buffers.append(None)
                continue
            if assignment.sizes.shapes.varying_axes(argument):
                buffer = assignment.growing_destination(initial, busy)
            else:
                same = result is not None and not assignment.sizes.shapes.varying_axes(result)
                buffer = assignment.destination(result if same else None, initial, busy)
            buffer.residents.discard(assignment.lifetimes.root[initial])  # overwritten by the first iteration
            busy.add(buffer)
            buffers.append(assignment.pin(buffer))
        return buffers

    def _branch_buffer(
        self, op: Operation, result: Value, owned: dict[Value, Buffer], busy: set[Buffer]
    ) -> Buffer | None:
        """Where a result of a branch goes: to the memory of the value that both sides update, if that dies here.

        A result whose size depends on the branch goes to that of a value which one side gives, perhaps updated: a list
        that grows now and then is not moved in all other iterations.
        """
        if not isinstance(result.type, ir.RankedTensorType):
            return None
        assignment = self._assignment
        grows = bool(assignment.sizes.shapes.varying_axes(result))
        updated = _kept_value(op, result) if grows else updated_value(result, {op})
        buffer = None if updated is None else assignment.reusable(result, updated, busy)
        if buffer is None or (grows and buffer.block is None):
            return assignment.choose_growing(result, busy) if grows else assignment.choose(result, busy)
        owned[assignment.lifetimes.root[updated]] = buffer
        return buffer

    def _read_inside(self, op: Operation) -> set[Buffer]:
        """The buffers of all tensors that the regions of an op use from outside."""
        assignment = self._assignment
        inside = {
            value
            for region in op.regions
            for block in region
            for inner in operations_in(block)
            for value in assignment.lifetimes.captures.of(inner)
        }
        roots = {assignment.lifetimes.root.get(value) for value in inside}
        return {assignment.home[root] for root in roots if root is not None and root in assignment.home}

    def _result_of(self, op: Operation, initial: Value) -> Value | None:
        """The result of a while loop that is the last value of what starts as `initial`."""
        for result in op.results:
            if isinstance(result.type, ir.RankedTensorType):
                start = updated_value(result, {op})
                if start is not None and start == initial:
                    return result
        return None

    def _pin_home(self, value: Value) -> Buffer | None:
        if not isinstance(value.type, ir.RankedTensorType):
            return None
        self._assignment.memref(value)  # gives a home to what was never written
        return self._assignment.pin(self._assignment.home[self._assignment.lifetimes.root[value]])

    # Blocks

    def _run(
        self,
        new: Operation,
        block: Block,
        old: Block,
        buffers: Sequence[Buffer | None],
        arguments: list[Value],
        targets: list[Value],
        *,
        stored: Sequence[Buffer | None] | None = None,
        owned: Collection[Value] = (),
        rotation: buffer_rotation.BufferRotation | None = None,
    ) -> None:
        """Rewrite a block whose arguments lie in `buffers`, and store what it yields for the `targets`."""
        stored = buffers if stored is None else stored
        assignment = self._assignment
        for target, buffer in zip(targets, stored, strict=True):
            if buffer is not None:
                assignment.written[target] = buffer
        wanted = [
            target if buffer is not None else None for target, buffer in zip(targets, stored, strict=True)
        ]
        region = nullcontext() if rotation is None else rotation.region(len(new.regions) - 1, new)
        with self._enter(new, block, old, buffers, arguments, places=wanted, owned=owned), region:
            self._plan_block(old)
            last = terminator(old)
            values = list(last.operands)
            self._assignment.assign(values, stored if rotation is None else rotation.targets(values, stored))
            self._terminate(last, arguments, targets)

    @contextmanager
    def _enter(
        self,
        new: Operation,
        block: Block,
        old: Block,
        buffers: Sequence[Buffer | None],
        arguments: list[Value],
        *,
        places: Sequence[Value | None],
        owned: Collection[Value] = (),
    ) -> Iterator[None]:
        lifetimes = Lifetimes(
            old, self._assignment.lifetimes.kernels, self._assignment.lifetimes, owned, places
        )
        for argument, buffer in zip(arguments, buffers, strict=True):
            if buffer is not None:
                self._assignment.settle(argument, buffer)
                buffer.renew()
        with self._assignment.scope(lifetimes, new, old, block), ir.InsertionPoint(block):
            yield

    def _terminate(
        self, terminator: Operation, arguments: list[Value], targets: Sequence[Value | None]
    ) -> None:
        """End a block, and the life of what it defined; `targets` are what its operands become."""
        assignment = self._assignment
        extents = self._varying_extents(list(terminator.operands), targets)
        for value in [*assignment.lifetimes.ending.get(assignment.position, ()), *arguments]:
            assignment.leave(value)
        scalars = [
            self._mapping[v] for v in terminator.operands if not isinstance(v.type, ir.RankedTensorType)
        ]
        operation_of(terminator.name, [*scalars, *extents])

    def _varying_extents(self, values: Sequence[Value], targets: Sequence[Value | None]) -> list[Value]:
        """The sizes of tensors that vary in what they become, as index values."""
        sizes = self._assignment.sizes
        return [
            sizes.builder.value(sizes.of(value)[axis])
            for value, target in zip(values, targets, strict=True)
            if target is not None
            for axis in sizes.shapes.varying_axes(target)
        ]

    def _create(
        self, op: Operation, operands: list[Value], extents: list[Value], results: list[Value], regions: int
    ) -> Operation:
        """The new op, which carries scalars, and behind them the sizes that vary."""
        types = [result.type for result in results if not isinstance(result.type, ir.RankedTensorType)]
        types += [ir.IndexType.get()] * len(self._varying(results))
        kept = [self._mapping[value] for value in operands if not isinstance(value.type, ir.RankedTensorType)]
        attributes = dict(op.attributes.items())
        return operation_of(op.name, [*kept, *extents], types, regions=regions, **attributes)

    def _add_block(self, new: Operation, number: int, arguments: list[Value]) -> Block:
        types = [
            argument.type for argument in arguments if not isinstance(argument.type, ir.RankedTensorType)
        ]
        types += [ir.IndexType.get()] * len(self._varying(arguments))
        block = new.regions[number].blocks.append(*types)
        self._define(arguments, list(block.arguments))
        return block

    def _replace(self, op: Operation, new: Operation) -> None:
        self._define(list(op.results), list(new.results))

    def _define(self, old: list[Value], new: list[Value]) -> None:
        """Note what stands for scalars and sizes that vary; more values may follow."""
        scalars = [value for value in old if not isinstance(value.type, ir.RankedTensorType)]
        self._mapping.update(zip(scalars, new, strict=False))
        for (value, axis), extent in zip(self._varying(old), new[len(scalars) :], strict=False):
            self._assignment.sizes.know(value, axis, extent)

    def _varying(self, values: list[Value]) -> list[tuple[Value, int]]:
        return [
            (value, axis) for value in values for axis in self._assignment.sizes.shapes.varying_axes(value)
        ]

    def _finish(self, op: Operation, buffers: Sequence[Buffer | None], pinned: Sequence[Buffer]) -> None:
        for result, buffer in zip(op.results, buffers, strict=True):
            if buffer is not None:
                self._assignment.settle(result, buffer)
        for buffer in pinned:
            buffer.renew()
            self._assignment.unpin(buffer)


def _kept_value(branch: Operation, result: Value) -> Value | None:
    """The value from outside that one side of a branch gives: only the other one needs a block for another.

    It gives it as it is, or updated; a branch inside may let it grow. Of branches in a row both sides lead to the same
    values, each of which is looked at once.
    """
    pending, seen = _ends(branch, result), set[Value]()
    while pending:
        value = pending.pop(0)
        if not is_defined_inside(value, branch):
            return value
        if value in seen or isinstance(value.owner, ir.Block):  # which a loop carries
            continue
        seen.add(value)
        op = value.owner.operation
        if op.name == "scf.if":
            pending = [*_ends(op, value), *pending]
        else:
            updated = destination_of(op, value)
            pending = pending if updated is None else [updated, *pending]
    return None


def _ends(branch: Operation, result: Value) -> list[Value]:
    """What each side of a branch gives."""
    return [terminator(region.blocks[0]).operands[result.result_number] for region in branch.regions]


def _used(op: Operation, buffers: Sequence[Buffer | None]) -> set[Buffer]:
    """The buffers of the results that are used."""
    return {
        buffer
        for result, buffer in zip(op.results, buffers, strict=True)
        if buffer is not None and any(True for _ in result.uses)
    }
