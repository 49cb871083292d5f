"""Recognise contractions among loop nests: matrix products in all layouts, batched ones, and convolutions.

A contraction multiplies two operands and adds up over the dimensions they share. One dimension that only
`right` and the result have, contiguous in the result, becomes the vector dimension (`column`); one that only
`left` and the result have is held in registers (`row`). `left` may be addressed by any affine expression, as
its elements are read one by one: that makes a convolution a contraction too.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....dialect.mlir import Operation, Type, Value, ir
from .emit import Index
from .loop_nest import Access, LoopNest, unit_stride

_SUMS = {"arith.addf": "arith.mulf", "arith.addi": "arith.muli"}
_CONVERSIONS = {"arith.extf", "arith.extsi", "arith.extui", "arith.sitofp", "arith.uitofp"}


@dataclass
class Factor:
    """One factor of the products: where it lies, and how it is converted before it is multiplied."""

    access: Access
    conversion: str | None


@dataclass
class Contraction:
    """A loop nest in the roles its dimensions play."""

    nest: LoopNest
    left: Factor
    right: Factor
    row: int | None
    column: int
    summed: list[int]
    outer: list[int]
    """Everything else: batches, and further rows and columns."""
    element: Type
    """The type products are added up in."""

    @property
    def result(self) -> Access:
        """Where the sums go."""
        return self.nest.outputs[0]

    def extent(self, dim: int | None) -> Index:
        """The size of a dimension; 1 for one that is not there."""
        return 1 if dim is None else self.nest.extents[dim]


def match_contraction(nest: LoopNest) -> Contraction | None:
    """See a nest as a contraction, or say that it is none (that the emitter can do)."""
    if len(nest.inputs) != 2 or len(nest.outputs) != 1 or nest.fixed:
        return None
    factors = _match_body(nest)
    if factors is None or any(factor.access.is_scalar for factor in factors):
        return None
    result = nest.outputs[0]
    rank = len(result.expressions)
    if not rank or not unit_stride(result.memref):
        return None
    if not all(isinstance(expression, ir.AffineDimExpr) for expression in result.expressions):
        return None
    column = result.expressions[-1].position
    left, right = factors
    if left.access.mentions(column):
        left, right = right, left
    return _assign_roles(nest, left, right, column)


def _assign_roles(nest: LoopNest, left: Factor, right: Factor, column: int) -> Contraction | None:
    summed = [dim for dim, parallel in enumerate(nest.parallel) if not parallel]
    plain = all(isinstance(expression, ir.AffineDimExpr) for expression in right.access.expressions)
    if not summed or not plain or left.access.mentions(column) or right.access.axis_of(column) is None:
        return None
    if not all(left.access.mentions(dim) and right.access.mentions(dim) for dim in summed):
        return None
    others = [dim for dim, parallel in enumerate(nest.parallel) if parallel and dim != column]
    rows = [dim for dim in others if left.access.mentions(dim) and not right.access.mentions(dim)]
    row = max(rows, key=lambda dim: (_size(nest.extents[dim]), dim)) if rows else None
    outer = [dim for dim in others if dim != row]
    element = nest.outputs[0].memref.type.element_type
    return Contraction(nest, left, right, row, column, summed, outer, element)


def _size(extent: Index) -> int:
    return extent if isinstance(extent, int) else 1 << 20


def _match_body(nest: LoopNest) -> tuple[Factor, Factor] | None:
    """The factors of `yield accumulator + left * right`."""
    *operations, terminator = [op.operation for op in nest.body.operations]
    total = _owner(terminator.operands[0])
    if total is None or total.name not in _SUMS:
        return None
    accumulator = nest.body.arguments[2]
    terms = [operand for operand in total.operands if operand != accumulator]
    product = _owner(terms[0]) if len(terms) == 1 else None
    if product is None or product.name != _SUMS[total.name]:
        return None
    factors = [_factor(nest, operand) for operand in product.operands]
    if factors[0] is None or factors[1] is None or factors[0].access is factors[1].access:
        return None
    used = {total, product} | {owner for value in product.operands if (owner := _owner(value)) is not None}
    return (factors[0], factors[1]) if set(operations) == used else None


def _factor(nest: LoopNest, value: Value) -> Factor | None:
    owner, conversion = _owner(value), None
    if owner is not None:
        if owner.name not in _CONVERSIONS:
            return None
        value, conversion = owner.operands[0], owner.name
    if not isinstance(value.owner, ir.Block) or value.owner != nest.body or value.arg_number > 1:
        return None
    return Factor(nest.inputs[value.arg_number], conversion)


def _owner(value: Value) -> Operation | None:
    return None if isinstance(value.owner, ir.Block) else value.owner.operation
