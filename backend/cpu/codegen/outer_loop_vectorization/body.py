"""The body of a loop, written once for several iterations: numbers become vectors with a lane for each."""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Block, Operation, Value, ir
from .....passes.control_flow.structure import copy_of
from .....passes.rewriting import operations_in
from ....functions.number import any_lane
from ....nests.emit import create
from ....nests.nest import nested
from ..loops.vector_body import vector_of
from ..vectors.code import broadcast
from .rules import following, used


class LaneWriter:
    """Writes the body of a loop for a number of iterations at the insertion point."""

    def __init__(self, body: Block, lanes: int) -> None:
        self._body = body
        self._lanes = lanes
        self._vectors: dict[Value, Value] = {}
        """What differs from iteration to iteration."""
        self._scalars: dict[Value, Value] = {}
        """What is the same in all of them, where it is not the value of the loop itself."""
        self._active: Value | None = None
        """The lanes in which the inner loop goes on whose body is being written."""

    def write(self, position: Value, carried: list[Value], initial: Sequence[Value]) -> list[Value]:
        """Write it for the iterations from a position; returns the values carried to the next ones."""
        index, *arguments = self._body.arguments
        in_order = following(self._body)
        *operations, terminator = operations_in(self._body)
        type = vector_of(index.type, self._lanes)
        steps = create("vector.step", [type], [])
        self._vectors[index] = create("arith.addi", [type], [broadcast(position, type), steps])
        self._scalars.update(zip(arguments, initial, strict=True))
        for op in operations:
            if op not in in_order:
                self._emit(op)
        for lane in range(self._lanes):
            known = dict(zip(arguments, carried, strict=True))
            for op in operations:
                if op in in_order:
                    known.update(zip(op.results, self._copy_for_lane(op, known, lane), strict=True))
            carried = [self._in_lane(value, known, lane) for value in terminator.operands]
        return carried

    # One lane

    def _copy_for_lane(self, op: Operation, known: dict[Value, Value], lane: int) -> list[Value]:
        inner = {result for inside in nested(op) for result in inside.operation.results}
        replaced = {
            value: self._in_lane(value, known, lane)
            for value in dict.fromkeys(used(op))
            if value not in inner
        }
        return list(copy_of(op.operation, replaced).results)

    def _in_lane(self, value: Value, known: dict[Value, Value], lane: int) -> Value:
        if value in known:
            return known[value]
        if value not in self._vectors:
            return self._scalars.get(value, value)
        place = {"static_position": ir.DenseI64ArrayAttr.get([lane])}
        vector = self._vectors[value]
        return create("vector.extract", [vector.type.element_type], [vector], place)

    # All lanes

    def _vector(self, value: Value) -> Value:
        if value in self._vectors:
            return self._vectors[value]
        return broadcast(self._scalars.get(value, value), vector_of(value.type, self._lanes))

    def _emit(self, op: Operation) -> None:
        """Write an operation: as it is where its operands are the same in all lanes, else for vectors."""
        if not any(value in self._vectors for value in used(op)):
            copy_of(op.operation, self._scalars)
        elif op.name == "scf.while":
            self._while(op)
        elif op.name == "scf.if":
            self._branches(op)
        elif op.name == "tensor.from_elements" or (op.name == "tensor.extract" and len(op.operands) == 1):
            self._vectors[op.results[0]] = self._vectors[op.operands[0]]
        elif op.name == "tensor.extract":
            self._read(op)
        else:
            attributes = {name: op.attributes[name] for name in op.attributes}
            type = vector_of(op.results[0].type, self._lanes)
            operands = [self._vector(value) for value in op.operands]
            self._vectors[op.results[0]] = create(op.name, [type], operands, attributes)

    def _emit_block(self, block: Block) -> list[Value]:
        """Write the operations of a block; returns the vectors that its terminator takes."""
        *operations, terminator = operations_in(block)
        for op in operations:
            self._emit(op)
        return [self._vector(value) for value in terminator.operands]

    def _read(self, op: Operation) -> None:
        type = vector_of(op.results[0].type, self._lanes)
        elements = [self._copy_for_lane(op, {}, lane)[0] for lane in range(self._lanes)]
        self._vectors[op.results[0]] = create("vector.from_elements", [type], elements)

    def _branches(self, op: Operation) -> None:
        """Both branches, and in each lane the results of the one that it takes."""
        condition = self._vector(op.operands[0])
        chosen, other = (self._emit_block(region.blocks[0]) for region in op.regions)
        for result, left, right in zip(op.results, chosen, other, strict=True):
            self._vectors[result] = create("arith.select", [left.type], [condition, left, right])

    def _while(self, op: Operation) -> None:
        """A loop that goes on while the condition holds in some lane."""
        before, after = (region.blocks[0] for region in op.regions)
        state = [self._vector(value) for value in op.operands]
        passed = [vector_of(argument.type, self._lanes) for argument in after.arguments]
        mask = vector_of(ir.IntegerType.get_signless(1), self._lanes)
        states = [value.type for value in state]
        loop = ir.Operation.create("scf.while", [*passed, *states, mask], state, regions=2)
        for name in op.attributes:
            loop.attributes[name] = op.attributes[name]
        place = op.location
        test = loop.regions[0].blocks.append(*states, arg_locs=[place] * len(states))
        self._vectors.update(zip(before.arguments, test.arguments, strict=True))
        with ir.InsertionPoint(test):
            condition, *values = self._emit_block(before)
            if self._active is not None:
                # Lanes that an outer loop is done with must not keep this one going.
                condition = create("arith.andi", [mask], [condition, self._active])
            create("scf.condition", [], [any_lane(condition), *values, *test.arguments, condition])
        types = [*passed, *states, mask]
        body = loop.regions[1].blocks.append(*types, arg_locs=[place] * len(types))
        *arguments, active = body.arguments
        self._vectors.update(zip(after.arguments, arguments, strict=False))
        with ir.InsertionPoint(body):
            outer, self._active = self._active, active
            following = self._emit_block(after)
            self._active = outer
            kept = arguments[len(passed) :]
            merged = [
                create("arith.select", [new.type], [active, new, old])
                for new, old in zip(following, kept, strict=True)
            ]
            create("scf.yield", [], merged)
        self._vectors.update(zip(op.results, loop.results, strict=False))
