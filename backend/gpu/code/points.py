"""One point of a loop nest: its operands read, its body written, its results stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ....dialect.mlir import Operation, Value
from ....passes.rewriting import operations_in
from ...nests.emit import Emitter, ForLoop, Index, create, load, store
from ...nests.nest import Access, LoopNest
from .kernel import clone_with


def write_body(
    nest: LoopNest,
    positions: Sequence[Index],
    operands: Sequence[Value],
    emitter: Emitter,
    known: Callable[[Operation, list[Value]], Value | None] | None = None,
) -> list[Value]:
    """What the body of a nest makes of operands, one for each input and output, at a position.

    What operations of the body make of their operands may be `known`.
    """
    values = dict(zip(nest.body.arguments, operands, strict=True))

    def value(outer: Value) -> Value:
        return values.get(outer, outer)

    *ops, terminator = operations_in(nest.body)
    for op in ops:
        made = known(op, [value(operand) for operand in op.operands]) if known is not None else None
        if made is not None:
            values[op.results[0]] = made
        elif op.name == "linalg.index":
            values[op.results[0]] = emitter.value(positions[op.attributes["dim"].value])
        else:
            clone_with(op, values, value)
    return [value(operand) for operand in terminator.operands]


def write_lanes(
    nest: LoopNest,
    points: Sequence[Sequence[Index]],
    operand: Callable[[Access], Sequence[Value]],
    emitter: Emitter,
    known: Callable[[int, Operation, list[Value]], Value | None] | None = None,
) -> list[list[Value]]:
    """What bodies make at points side by side, of each output: all operands are read before, as far as bodies ask."""
    asked = [True] * len(nest.inputs) + asks_for_outputs(nest)
    operands = [
        operand(access)
        if is_asked
        else [create("ub.poison", [access.memref.type.element_type], [])] * len(points)
        for access, is_asked in zip(nest.accesses, asked, strict=True)
    ]
    made = [
        write_body(
            nest, point, [values[lane] for values in operands], emitter, known and partial(known, lane)
        )
        for lane, point in enumerate(points)
    ]
    return [[values[number] for values in made] for number in range(len(nest.outputs))]


def read(access: Access, positions: Sequence[Index], emitter: Emitter) -> Value:
    """The element of an operand at a position."""
    if access.is_scalar:
        return access.memref
    return load(access.memref, access.indices(emitter, positions))


def write(value: Value, access: Access, positions: Sequence[Index], emitter: Emitter) -> None:
    """Store the element of an output at a position."""
    store(value, access.memref, access.indices(emitter, positions))


def write_all(values: Iterable[Value], nest: LoopNest, positions: Sequence[Index], emitter: Emitter) -> None:
    """Store the elements of all outputs at a position."""
    for value, access in zip(values, nest.outputs, strict=True):
        write(value, access, positions, emitter)


def asks_for_outputs(nest: LoopNest) -> list[bool]:
    """For each output, whether the body uses what it was before."""
    arguments = list(nest.body.arguments)[len(nest.inputs) :]
    return [any(True for _ in argument.uses) for argument in arguments]


def write_point(
    nest: LoopNest,
    positions: list[Index],
    emitter: Emitter,
    initial: Sequence[Value | None] | None = None,
) -> list[Value]:
    """What a nest makes at a point of its parallel dimensions: loops over the others, innermost the last.

    `positions` has the point; where `initial` has no values, outputs start from what they hold.
    """
    reduced = [dim for dim, parallel in enumerate(nest.parallel) if not parallel]
    given = initial or [None] * len(nest.outputs)
    start = [
        read(access, [0 if dim in reduced else p for dim, p in enumerate(positions)], emitter)
        if value is None
        else value
        for access, value in zip(nest.outputs, given, strict=True)
    ]

    def at(carried: Sequence[Value], left: list[int]) -> list[Value]:
        if not left:
            inputs = [read(access, positions, emitter) for access in nest.inputs]
            return write_body(nest, positions, [*inputs, *carried], emitter)
        dim, *inner = left
        loop = ForLoop(emitter, 0, nest.extents[dim], 1, carried)
        with loop.body():
            positions[dim] = loop.position
            loop.end(at(loop.carried, inner))
        return loop.results

    return at(start, reduced)
