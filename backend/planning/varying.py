"""Which sizes of carried tensors change from iteration to iteration, or with the branch that is taken.

    %r = scf.for ... iter_args(%x = %start) -> (tensor<?xf64>) { ... scf.yield %longer : tensor<?xf64> }

The type does not tell. Sizes are computed symbolically, as terms in the sizes and scalars that are not computed
further: a carried size that comes out of the body as it went in is fixed, and so is known before the loop. At first
all are taken to be fixed; what contradicts that is dropped until nothing does.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from ...dialect.mlir import Operation, Value, ir
from ...dialect.sizes import symbols
from ...passes.rewriting import is_defined_inside, operations_directly_in, terminator
from .shapes import Axis, Shapes, Varying, static_shape

_CARRIERS = frozenset({"scf.for", "scf.if", "scf.while"})


def varying_sizes(function: Operation) -> Varying:
    """The varying sizes of all control flow in a function."""
    carriers = [op for op in _carriers(function) if any(_dynamic_axes(value) for value in _tensors(op))]
    varying: set[Axis] = set()
    known = -1
    while len(varying) > known:
        known = len(varying)
        shapes = Shapes(frozenset(varying))
        for op in carriers:
            varying.update(_contradictions(op, shapes))
    return frozenset(varying)


def _carriers(op: Operation) -> Iterator[Operation]:
    for inner in operations_directly_in(op):
        if inner.name in _CARRIERS:
            yield from _carriers(inner)
            yield inner


def _tensors(op: Operation) -> list[Value]:
    arguments = [argument for region in op.regions for block in region for argument in block.arguments]
    return [value for value in [*op.results, *arguments] if isinstance(value.type, ir.RankedTensorType)]


def _dynamic_axes(value: Value) -> list[int]:
    if not isinstance(value.type, ir.RankedTensorType):
        return []
    return [axis for axis, extent in enumerate(static_shape(value.type)) if extent is None]


def _contradictions(op: Operation, shapes: Shapes) -> Iterator[Axis]:
    """What is not fixed, if `shapes` takes everything else to be."""
    blocks = [region.blocks[0] for region in op.regions if region.blocks]
    ends = [list(terminator(block).operands) for block in blocks]
    arguments = [list(block.arguments) for block in blocks]
    results = list(op.results)
    if op.name == "scf.for":
        initials = list(op.operands)[3:]
        for axis, index in _differing(initials, ends[0], shapes):
            yield Axis(arguments[0][1 + index], axis)
            yield Axis(results[index], axis)
    elif op.name == "scf.while":
        for axis, index in _differing(list(op.operands), ends[1], shapes):
            yield Axis(arguments[0][index], axis)
        for axis, index in _unknown_outside(ends[0][1:], op, shapes):
            yield Axis(arguments[1][index], axis)
            yield Axis(results[index], axis)
    elif results:
        for axis, index in [*_differing(ends[0], ends[1], shapes), *_unknown_outside(ends[0], op, shapes)]:
            yield Axis(results[index], axis)


def _differing(first: list[Value], second: list[Value], shapes: Shapes) -> Iterator[tuple[int, int]]:
    """The axes of pairs of tensors whose sizes differ, and the numbers of the pairs."""
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        axes = _dynamic_axes(one)
        sizes, others = (shapes.of(one), shapes.of(other)) if axes else ([], [])
        for axis in axes:
            if sizes[axis] != others[axis] and shapes.in_full(sizes[axis]) != shapes.in_full(others[axis]):
                yield axis, index


def _unknown_outside(values: list[Value], region_op: Operation, shapes: Shapes) -> Iterator[tuple[int, int]]:
    """The axes of tensors whose sizes depend on what is computed inside an op, and the numbers of the tensors."""
    for index, value in enumerate(values):
        for axis in _dynamic_axes(value):
            names = symbols(shapes.in_full(shapes.of(value)[axis]))
            if any(is_defined_inside(_value_of(name), region_op) for name in names):
                yield axis, index


def _value_of(name: Hashable) -> Value:
    return name.value if isinstance(name, Axis) else name
