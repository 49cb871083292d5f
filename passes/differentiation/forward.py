"""Forward mode: tangents beside the values, in program order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...dialect.derivatives import tangents
from ...dialect.errors import WeftError
from ...dialect.mlir import Block, Location, Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.differentiation import EXACT, Custom
from ...dialect.ops.state import AllocRef, ReadRef, WriteRef
from ...dialect.register import create, decode_attributes, op_class_of
from ..control_flow.structure import FOR, IF, WHILE, body, replace_terminator, terminator, yielded
from ..rewriting import blocks_of, operations_in
from .activity import Activity, refuse
from .cells import cells_read, is_argument, new_shadow
from .residuals import rebuilt
from .sweep import require_known


class ForwardSweep:
    """Walks ops in program order and emits the ops of their tangents behind them; loops carry tangents."""

    def __init__(
        self,
        activity: Activity,
        known: dict[Value, Value],
        call: Callable[[ForwardSweep, Operation], None],
        retired: Block,
    ) -> None:
        self.activity = activity
        self._call = call
        """What lets a call return tangents."""
        self.tangents = known
        self._shadows: dict[Value, Value] = {}
        """The cells of the tangents of what cells hold."""
        self._read_cells: set[Value] = set()
        self.retired = retired
        """Where branches, loops and calls are that others took the place of, so that handles of them stay valid."""

    def follow_cells(self, operations: Sequence[Operation]) -> None:
        """Make cells for the tangents of what cells hold, in front of the first op of a function."""
        self._read_cells = set(cells_read(operations, self.activity))
        arguments = [cell for cell in self._read_cells if is_argument(cell)]
        if arguments:
            with ir.InsertionPoint(operations[0]):
                self._shadows.update((cell, new_shadow(cell, operations[0].location)) for cell in arguments)

    def run(self, operations: Sequence[Operation]) -> None:
        """Go through the ops of a block."""
        for operation in operations:
            if self._read_cells and self._cell(operation):
                continue
            if operation.name == FOR:
                self._for(operation)
            elif operation.name == IF:
                self._if(operation)
            elif operation.name == WHILE:
                self._while(operation)
            elif operation.name == "func.call" and any(r in self.activity for r in operation.results):
                self._call(self, operation)
            elif any(r in self.activity and r not in self.tangents for r in operation.results):
                self._simple(operation)

    def tangent(self, value: Value, location: Location) -> Value:
        """The tangent of a value, at the current insertion point where it is zero."""
        b = OpEmitter(location)
        found = self.tangents.get(value)
        return b.zeros_like(b.value(value)).handle if found is None else found

    def _simple(self, operation: Operation) -> None:
        op_class = op_class_of(operation)
        b = OpEmitter(operation.location)
        if op_class is Custom and EXACT in operation.attributes:
            if (move := self.tangents.get(operation.operands[0])) is not None:
                self.tangents[operation.results[0]] = move
            return
        if op_class is Custom:
            raise refuse(
                operation,
                "a function under weft.custom_gradient has no tangents: it tells only cotangents; use weft.vjp or "
                "weft.grad",
            )
        require_known(operation)
        with ir.InsertionPoint.after(operation):
            given = [self.tangents.get(operand) for operand in operation.operands]
            if op_class is None:
                if given[0] is not None:
                    wanted = b.value(operation.results[0]).type
                    self.tangents[operation.results[0]] = b.refined(b.value(given[0]), wanted).handle
                return
            operands = [b.value(operand) for operand in operation.operands]
            results = [b.value(result) for result in operation.results]
            moves = [None if t is None else b.value(t) for t in given]
            try:
                found = tangents(
                    b, op_class, operands, results, moves, decode_attributes(op_class, operation)
                )
            except WeftError as error:
                raise refuse(operation, str(error)) from error
            for result, tangent in zip(operation.results, found, strict=True):
                if tangent is not None:
                    self.tangents[result] = tangent.handle

    def _cell(self, operation: Operation) -> bool:
        """Let what works on a cell work on that of its tangent, too; whether it was that."""
        op_class = op_class_of(operation)
        if op_class is AllocRef and operation.results[0] in self._read_cells:
            with ir.InsertionPoint.after(operation):
                start = self.tangent(operation.operands[0], operation.location)
                made = create(AllocRef, [start], {}, location=operation.location)
            self._shadows[operation.results[0]] = made.results[0]
            return True
        if op_class not in (ReadRef, WriteRef) or operation.operands[0] not in self._read_cells:
            return False
        shadow = self._shadows[operation.operands[0]]
        with ir.InsertionPoint.after(operation):
            if op_class is ReadRef:
                found = create(ReadRef, [shadow], {}, location=operation.location)
                self.tangents[operation.results[0]] = found.results[0]
            else:
                move = self.tangent(operation.operands[1], operation.location)
                create(WriteRef, [shadow, move], {}, location=operation.location)
        return True

    def _active(self, *groups: Sequence[Value]) -> list[int]:
        """The places at which a value of one of the groups is active."""
        return [
            i for i, values in enumerate(zip(*groups, strict=True)) if any(v in self.activity for v in values)
        ]

    def retire(self, old: Operation, new: Operation) -> None:
        """Take note that an op has taken the place of another, with results of the same meaning."""
        self.retired.append(old)
        self.activity.add(n for o, n in zip(old.results, new.results, strict=False) if o in self.activity)

    def _for(self, loop: Operation) -> None:
        block = body(loop)
        initial, arguments = list(loop.operands)[3:], list(block.arguments)[1:]
        places = self._active(initial, arguments, list(loop.results))
        if not places:
            self.run(operations_in(block)[:-1])
            return
        with ir.InsertionPoint(loop):
            starts = [self.tangent(initial[i], loop.location) for i in places]
        made = rebuilt(loop, starts, starts)
        self.retire(loop, made)
        for i, start in zip(places, starts, strict=True):
            self.tangents[arguments[i]] = block.add_argument(start.type, loop.location)
        self.run(operations_in(block)[:-1])
        self._hand_over(block, places, loop.location)
        self._leave(made, places)

    def _hand_over(self, block: Block, places: list[int], location: Location) -> None:
        """Let a block hand over the tangents of some of the values that it hands over."""
        values = yielded(block)
        with ir.InsertionPoint(terminator(block)):
            moves = [self.tangent(values[i], location) for i in places]
        replace_terminator(block, [*values, *moves])

    def _leave(self, made: Operation, places: list[int]) -> None:
        results = list(made.results)
        for i, result in zip(places, results[len(results) - len(places) :], strict=True):
            self.tangents[results[i]] = result

    def _if(self, branch: Operation) -> None:
        places = self._active(list(branch.results))
        for block in blocks_of(branch):
            self.run(operations_in(block)[:-1])
            if places:
                self._hand_over(block, places, branch.location)
        if places:
            made = rebuilt(branch, [], [branch.results[i] for i in places])
            self.retire(branch, made)
            self._leave(made, places)

    def _while(self, loop: Operation) -> None:
        before, after = body(loop), body(loop, 1)
        initial, arguments = list(loop.operands), list(before.arguments)
        places = self._active(initial, arguments)
        passed = self._active(yielded(before), list(after.arguments))
        if not places and not passed:
            for block in (before, after):
                self.run(operations_in(block)[:-1])
            return
        with ir.InsertionPoint(loop):
            starts = [self.tangent(initial[i], loop.location) for i in places]
        made = rebuilt(loop, starts, [loop.results[i] for i in passed])
        self.retire(loop, made)
        for i, start in zip(places, starts, strict=True):
            self.tangents[arguments[i]] = before.add_argument(start.type, loop.location)
        self.run(operations_in(before)[:-1])
        self._hand_over(before, passed, loop.location)
        for i in passed:
            argument = after.arguments[i]
            self.tangents[argument] = after.add_argument(argument.type, loop.location)
        self.run(operations_in(after)[:-1])
        self._hand_over(after, places, loop.location)
        self._leave(made, passed)
