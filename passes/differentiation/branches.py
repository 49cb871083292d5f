"""The reverse of `scf.if`: a branch on the same condition, which hands out the cotangents of what the branches read.

A branch hands out what its reverse needs of it and cannot compute again; the other branch hands out nothing written.
"""

from __future__ import annotations

from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.creation import Empty
from ...dialect.register import create
from ..control_flow.structure import (
    IF,
    add_yield,
    body,
    constant_index,
    constant_tensor,
    has_else,
    operation_of,
    replace_terminator,
    terminator,
    yielded,
)
from ..rewriting import operations_in, type_of
from .activity import is_numeric
from .adjoints import Adjoints
from .residuals import ForwardRegion, rebuilt
from .sweep import Sweep, captured


def reverse_branch(sweep: Sweep, operation: Operation, adjoints: Adjoints) -> None:
    """Emit the reverse of a branch at the current insertion point."""
    b = OpEmitter(operation.location)
    seeds = [adjoints.take(result) for result in operation.results]
    read = captured(operation, sweep.activity)
    taken = {value: adjoints.take(value) for value in read}
    before = {value: known for value, known in taken.items() if known is not None}
    types = [held.type for held in {**dict(zip(read, read, strict=True)), **before}.values()]
    made = operation_of(IF, [operation.operands[0]], types, regions=2, location=operation.location)
    sides: list[tuple[Block, Operation]] = []
    if not has_else(operation):  # a branch for what it does to cells
        with ir.InsertionPoint(operation.regions[1].blocks.append()):
            add_yield([], operation.location)
    for number in (0, 1):
        block = made.regions[number].blocks.append()
        with ir.InsertionPoint(block):
            anchor = constant_index(0).owner.operation
            inner = Adjoints(dict(before))
            for value, seed in zip(yielded(body(operation, number)), seeds, strict=True):
                if seed is not None and value in sweep.activity:
                    inner.add(b, value, b.value(seed))
            sweep.run(operations_in(body(operation, number))[:-1], inner)
            operation_of(
                "scf.yield", [inner.total(b, value) for value in read], [], location=operation.location
            )
        sides.append((block, anchor))
    _hand_out(sweep, operation, sides)
    for value, result in zip(read, made.results, strict=True):
        adjoints.values[value] = result


def _hand_out(sweep: Sweep, operation: Operation, sides: list[tuple[Block, Operation]]) -> None:
    """Let both reverse branches use what their forward ones computed."""
    forwards = []
    kept: list[tuple[int, Value]] = []
    for number, (block, _) in enumerate(sides):
        ForwardRegion(operation, body(operation, number), ()).ask_for_extents(operations_in(block))
        forward = ForwardRegion(operation, body(operation, number), ())
        forwards.append(forward)
        kept += [(number, value) for value in forward.keep(forward.used_by(operations_in(block)))]
    results: list[Value] = []
    if kept:
        for number in (0, 1):
            block = body(operation, number)
            with ir.InsertionPoint(terminator(block)):
                values = [value if side == number else _nothing(value) for side, value in kept]
            replace_terminator(block, [*yielded(block), *values])
        made = rebuilt(operation, [], [value for _, value in kept])
        sweep.retire(operation, made)
        results = list(made.results)[len(made.results) - len(kept) :]
    for number, (forward, (block, anchor)) in enumerate(zip(forwards, sides, strict=True)):
        pairs = zip(kept, results, strict=True)
        known = {value: result for (side, value), result in pairs if side == number}
        forward.provide(operations_in(block), known, anchor)


def _nothing(value: Value) -> Value:
    """A value of a type that nobody reads."""
    if not isinstance(value.type, ir.RankedTensorType):
        zero = (
            ir.IntegerAttr.get(value.type, 0) if not is_numeric(value) else ir.FloatAttr.get(value.type, 0.0)
        )
        return operation_of("arith.constant", [], [value.type], value=zero).results[0]
    tensor = type_of(value)
    dims = [constant_tensor(0) for extent in tensor.shape if extent is None]
    shape = tuple(-1 if extent is None else extent for extent in tensor.shape)
    return create(Empty, dims, {"shape": shape, "dtype": tensor.dtype}).results[0]
