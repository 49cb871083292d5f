"""Which sizes of carried tensors change from iteration to iteration, or with the branch that is taken.

    %r = scf.for ... iter_args(%x = %start) -> (tensor<?xf64>) { ... scf.yield %longer : tensor<?xf64> }

The type does not tell. Sizes are computed symbolically, as terms in the sizes and scalars that are not computed
further: a carried size that comes out of the body as it went in is fixed, and so is known before the loop. At first
all are taken to be fixed; what contradicts that is dropped until nothing does.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TypeAlias

from ...dialect.mlir import Operation, Value, ir
from ...passes.rewriting import operations_in, terminator
from .shapes import Extent, SymbolicSizes, is_inside, static_shape

Varying: TypeAlias = "Set[tuple[Value, int]]"
"""Tensors and axes: results and block arguments of control flow whose size there is not known before it."""

_CARRIERS = frozenset({"scf.for", "scf.if", "scf.while"})


def leaves(term: Extent) -> Iterator[Value]:
    """The values that a term is made of."""
    if isinstance(term, tuple):
        for part in term[1:]:
            yield from leaves(part)
    elif not isinstance(term, (int, str)):
        yield term


def is_known_at_entry(term: Extent) -> bool:
    """Whether a term depends on the sizes of arguments only."""
    if not isinstance(term, tuple):
        return isinstance(term, (int, str))
    if term[0] == "dim":
        owner = term[1].owner
        return isinstance(owner, ir.Block) and owner.owner.operation.name == "func.func"
    return all(is_known_at_entry(part) for part in term[1:])


def varying_sizes(function: Operation) -> Varying:
    """The varying sizes of all control flow in a function."""
    carriers = [op for op in _carriers(function) if any(_dynamic_axes(value) for value in _tensors(op))]
    varying: set[tuple[Value, int]] = set()
    known = -1
    while len(varying) > known:
        known = len(varying)
        sizes = SymbolicSizes(frozenset(varying))
        for op in carriers:
            varying.update(_contradictions(op, sizes))
    return frozenset(varying)


def _carriers(op: Operation) -> Iterator[Operation]:
    for region in op.regions:
        for block in region:
            for inner in operations_in(block):
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


def _contradictions(op: Operation, sizes: SymbolicSizes) -> Iterator[tuple[Value, int]]:
    """What is not fixed, if `sizes` takes everything else to be."""
    blocks = [region.blocks[0] for region in op.regions if region.blocks]
    ends = [list(terminator(block).operands) for block in blocks]
    arguments = [list(block.arguments) for block in blocks]
    results = list(op.results)
    if op.name == "scf.for":
        initials = list(op.operands)[3:]
        for axis, index in _differing(initials, ends[0], sizes):
            yield arguments[0][1 + index], axis
            yield results[index], axis
    elif op.name == "scf.while":
        for axis, index in _differing(list(op.operands), ends[1], sizes):
            yield arguments[0][index], axis
        for axis, index in _unknown_outside(ends[0][1:], op, sizes):
            yield arguments[1][index], axis
            yield results[index], axis
    elif results:
        for axis, index in [*_differing(ends[0], ends[1], sizes), *_unknown_outside(ends[0], op, sizes)]:
            yield results[index], axis


def _differing(first: list[Value], second: list[Value], sizes: SymbolicSizes) -> Iterator[tuple[int, int]]:
    """The axes of pairs of tensors whose sizes differ, and the numbers of the pairs."""
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        for axis in _dynamic_axes(one):
            if sizes.of(one)[axis] != sizes.of(other)[axis]:
                yield axis, index


def _unknown_outside(
    values: list[Value], region_op: Operation, sizes: SymbolicSizes
) -> Iterator[tuple[int, int]]:
    """The axes of tensors whose sizes depend on what is computed inside an op, and the numbers of the tensors."""
    for index, value in enumerate(values):
        for axis in _dynamic_axes(value):
            if any(is_inside(leaf, region_op) for leaf in leaves(sizes.of(value)[axis])):
                yield axis, index
