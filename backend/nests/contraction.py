"""Recognise contractions among loop nests: matrix products in all layouts, batched ones, and convolutions.

A contraction multiplies two operands and adds up over the dimensions they share. One dimension that only
`right` and the result have, contiguous in the result, becomes the vector dimension (`column`); one that only
`left` and the result have is held in registers (`row`). `left` may be addressed by any affine expression, as
its elements are read one by one: that makes a convolution a contraction too.

Complex operands are seen as their parts in memory. With twice the columns, a row of the right operand and of the
result is a row of real numbers; an element of the left one has two parts, and each is multiplied with the whole row.
"""

from __future__ import annotations

from ...dialect.mlir import Type, Value, ir
from ...dialect.records import dataclass
from ...passes.control_flow.structure import producer
from ...passes.rewriting import operations_in, reassociation
from .complex_parts import flat_parts, split_parts
from .emit import Emitter, Index, create
from .nest import Access, LoopNest, unit_stride

_PRODUCTS = {
    "arith.addf": "arith.mulf",
    "arith.addi": "arith.muli",
    "arith.ori": "arith.andi",
    "complex.add": "complex.mul",
}
ENOUGH_ROWS = 28
"""Of dimensions that have so many rows, the last one is used: its rows are next to each other."""

_CONVERSIONS = {"arith.extf", "arith.extsi", "arith.extui", "arith.sitofp", "arith.uitofp"}


@dataclass
class Factor:
    """One factor of the products: where it lies, and how it is converted before it is multiplied."""

    access: Access
    conversion: str | None
    in_parts: bool = False
    """Whether the memref has a last axis for the parts of complex numbers, which `access` does not address."""

    def is_contiguous_in(self, dim: int) -> bool:
        """Whether neighbours along a dimension are neighbours in memory."""
        return not self.in_parts and self.access.is_contiguous_in(dim)


@dataclass
class Contraction:
    """A loop nest in the roles its dimensions play."""

    nest: LoopNest
    left: Factor
    right: Factor
    result: Access
    """Where the sums go."""
    row: int | None
    column: int
    summed: list[int]
    outer: list[int]
    """Everything else: batches, and further rows and columns."""
    element: Type
    """The type products are added up in: a real number or an integer."""
    columns: Index
    """The extent of `column`, in parts if numbers are complex."""
    parts: int = 1
    """2 for complex numbers."""
    logical: bool = False
    """Whether bits are joined by and, then or."""
    packed: int | None = None
    """The columns of a panel, if the right operand lies in memory as such."""
    whole: tuple[Access, Access] | None = None
    """The accesses of the factors to complex numbers, which are not seen as their parts."""

    def extent(self, dim: int | None) -> Index:
        """The size of a dimension; 1 for one that is not there."""
        return 1 if dim is None else self.nest.extents[dim]

    @property
    def stored(self) -> Type:
        """The element type of the result in memory; the sums of bytes are kept in two."""
        return self.result.memref.type.element_type


def known_contraction(nest: LoopNest) -> Contraction:
    """A nest of numbers that are not complex, which is known to be a contraction, as one."""
    found = match_contraction(nest, None)
    assert found is not None
    return found


def match_contraction(nest: LoopNest, emitter: Emitter | None) -> Contraction | None:
    """See a nest as a contraction, or say that it is none (that the emitter can do).

    Without an emitter, which writes views of their parts, those of complex numbers are not seen.
    """
    if len(nest.inputs) != 2 or len(nest.outputs) != 1 or nest.fixed:
        return None
    found = _match_body(nest)
    if found is None or any(factor.access.is_scalar for factor in found[1:]):
        return None
    total, left, right = found
    result = nest.outputs[0]
    rank = len(result.expressions)
    if not rank or not unit_stride(result.memref):
        return None
    if not all(isinstance(expression, ir.AffineDimExpr) for expression in result.expressions):
        return None
    column = result.expressions[-1].position
    if left.access.mentions(column):
        left, right = right, left
    contraction = _assign_roles(nest, left, right, column)
    if contraction is None:
        return None
    contraction.logical = total == "arith.ori"
    if isinstance(contraction.element, ir.ComplexType):
        return None if emitter is None else _in_parts(contraction, emitter)
    if contraction.element == ir.IntegerType.get_signless(8) and not contraction.logical:
        return _in_words(contraction)
    return contraction


def _assign_roles(nest: LoopNest, left: Factor, right: Factor, column: int) -> Contraction | None:
    summed = [dim for dim, parallel in enumerate(nest.parallel) if not parallel]
    packed = _packed_panel(right.access, column)
    plain = all(isinstance(expression, ir.AffineDimExpr) for expression in right.access.expressions)
    if packed is None and (not plain or right.access.axis_of(column) is None):
        return None
    if not summed or left.access.mentions(column):
        return None
    if not all(left.access.mentions(dim) and right.access.mentions(dim) for dim in summed):
        return None
    others = [dim for dim, parallel in enumerate(nest.parallel) if parallel and dim != column]
    rows = [dim for dim in others if left.access.mentions(dim) and not right.access.mentions(dim)]
    row = max(rows, key=lambda dim: (min(_size(nest.extents[dim]), ENOUGH_ROWS), dim)) if rows else None
    outer = [dim for dim in others if dim != row]
    result = nest.outputs[0]
    element, columns = result.memref.type.element_type, nest.extents[column]
    return Contraction(nest, left, right, result, row, column, summed, outer, element, columns, packed=packed)


def _packed_panel(access: Access, column: int) -> int | None:
    """The columns of a panel, if `pack_operands` packed the operand: one axis has panels, the last what is in one."""
    if not access.expressions:
        return None  # one number, which all that is added up is multiplied with
    *others, last = access.expressions
    if not isinstance(last, ir.AffineModExpr):
        return None
    panel = ir.AffineConstantExpr(last.rhs).value
    dim = ir.AffineExpr.get_dim(column)
    panels = [expression for expression in others if isinstance(expression, ir.AffineFloorDivExpr)]
    plain = all(isinstance(e, ir.AffineDimExpr) for e in others if not isinstance(e, ir.AffineFloorDivExpr))
    if not plain or last.lhs != dim or panels != [ir.AffineExpr.get_floor_div(dim, panel)]:
        return None
    return int(panel) if unit_stride(access.memref) else None


def _size(extent: Index) -> int:
    return extent if isinstance(extent, int) else 1 << 20


def _in_parts(contraction: Contraction, emitter: Emitter) -> Contraction | None:
    """A contraction of complex numbers as one of their parts."""
    left, right, result = contraction.left, contraction.right, contraction.result
    if left.conversion or right.conversion:
        return None
    contraction.whole = left.access, without_unit_axis(right.access)
    contraction.element = contraction.element.element_type
    contraction.parts = 2
    contraction.columns = emitter.multiply(contraction.columns, 2)
    contraction.left = Factor(_parts_access(left.access, emitter), None, in_parts=True)
    contiguous = right.access.is_contiguous_in(contraction.column)
    access = (_flat_access if contiguous else _parts_access)(right.access, emitter)
    contraction.right = Factor(access, None, in_parts=not contiguous)
    contraction.result = _flat_access(result, emitter)
    return contraction


def without_unit_axis(access: Access) -> Access:
    """The same addresses without a last axis of extent 1, so that what is contiguous looks like it."""
    type = access.memref.type
    rank = type.rank
    if rank < 2 or type.shape[-1] != 1 or not isinstance(type.layout, ir.AffineMapAttr):
        return access
    attributes = {
        "reassociation": reassociation([*([axis] for axis in range(rank - 2)), [rank - 2, rank - 1]])
    }
    merged = ir.MemRefType.get(type.shape[:-1], type.element_type, None, type.memory_space)
    view = create("memref.collapse_shape", [merged], [access.memref], attributes)
    return Access(view, access.expressions[:-1], is_scalar=False)


def _parts_access(access: Access, emitter: Emitter) -> Access:
    return Access(split_parts(access.memref, emitter), access.expressions, is_scalar=False)


def _flat_access(access: Access, emitter: Emitter) -> Access:
    return Access(flat_parts(access.memref, emitter), access.expressions, is_scalar=False)


def _in_words(contraction: Contraction) -> Contraction | None:
    """Add up bytes in words of 16 bits: there are no instructions that multiply bytes, and it wraps alike."""
    if contraction.left.conversion or contraction.right.conversion:
        return None
    contraction.element = ir.IntegerType.get_signless(16)
    contraction.left.conversion = contraction.right.conversion = "arith.extsi"
    return contraction


def _match_body(nest: LoopNest) -> tuple[str, Factor, Factor] | None:
    """The addition and the factors of `yield accumulator + left * right`."""
    *operations, terminator = operations_in(nest.body)
    total = producer(terminator.operands[0])
    if total is None or total.name not in _PRODUCTS:
        return None
    accumulator = nest.body.arguments[2]
    terms = [operand for operand in total.operands if operand != accumulator]
    product = producer(terms[0]) if len(terms) == 1 else None
    if product is None or product.name != _PRODUCTS[total.name]:
        return None
    left, right = (_factor(nest, operand) for operand in product.operands)
    if left is None or right is None or left.access is right.access:
        return None
    used = {total, product} | {owner for value in product.operands if (owner := producer(value)) is not None}
    return (total.name, left, right) if set(operations) == used else None


def _factor(nest: LoopNest, value: Value) -> Factor | None:
    owner, conversion = producer(value), None
    if owner is not None:
        if owner.name not in _CONVERSIONS:
            return None
        value, conversion = owner.operands[0], owner.name
    if not isinstance(value.owner, ir.Block) or value.owner != nest.body or value.arg_number > 1:
        return None
    return Factor(nest.inputs[value.arg_number], conversion)
