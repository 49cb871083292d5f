"""Products that are computed transposed: x.T @ y as (y.T @ x).T.

Vectors run along the columns of the result. Where these are few, or the right operand is not contiguous along them,
and the left one is contiguous along the rows, the operands change roles: the transposed result is made in a buffer,
and copied.
"""

from __future__ import annotations

from .....dialect.mlir import Operation, Value, ir
from .....dialect.records import replace
from .....passes.rewriting import new_generic
from ....nests.contraction import Contraction, Factor, without_unit_axis
from ....nests.emit import Emitter
from ....nests.nest import Access, LoopNest, loop_nest
from ..vectors.temporaries import element_bytes, scratch
from ..vectors.width import vector_bytes
from .plan import FEW_ROWS

LEAST_DEPTH = 16
"""Shorter sums are not worth the copy."""

MOST_BYTES = 256 * 1024
"""Of a result that is copied: it is in the second-level cache then."""


def may_transpose(contraction: Contraction) -> bool:
    """Whether computing the transposed result takes less time, with the copy."""
    row, column = contraction.row, contraction.column
    if row is None or len(contraction.summed) != 1 or contraction.parts == 2:
        return False
    if contraction.extent(column) == 1:
        return _is_vector(contraction)
    if contraction.outer:
        return False
    rows, columns, depth = (contraction.extent(dim) for dim in (row, column, contraction.summed[0]))
    if not isinstance(rows, int) or not isinstance(columns, int) or not isinstance(depth, int):
        return False
    left, right = contraction.left, contraction.right
    lanes = vector_bytes() // element_bytes(contraction.element)
    plain = left.conversion is None and right.conversion is None and contraction.packed is None
    if not plain or contraction.element != contraction.stored or not left.is_contiguous_in(row):
        return False
    if depth < LEAST_DEPTH or rows * columns * element_bytes(contraction.element) > MOST_BYTES:
        return False
    many = rows >= 2 * lanes
    if right.is_contiguous_in(column):
        return many and 1 < columns <= lanes // 2
    # The right operand would be copied otherwise: as many numbers as the sums are long, for each column.
    return columns > 1 and (1 < rows <= FEW_ROWS or (many and (rows <= depth or 4 * columns <= rows)))


def _is_vector(contraction: Contraction) -> bool:
    """Whether it is a matrix times a vector, whose result is a vector in memory."""
    row, result, left = contraction.row, contraction.result, contraction.left
    assert row is not None
    summed = contraction.summed[0]
    rows, depth = contraction.extent(row), contraction.extent(summed)
    if not isinstance(rows, int) or not isinstance(depth, int) or rows < 2 or len(result.expressions) < 2:
        return False
    type = result.memref.type
    whole = isinstance(type.layout, ir.AffineMapAttr) and type.get_strides_and_offset()[0][-2] == 1
    plain = contraction.packed is None and contraction.element == contraction.stored
    in_order = left.is_contiguous_in(row) or left.is_contiguous_in(summed)
    return plain and whole and in_order and result.expressions[-2] == ir.AffineExpr.get_dim(row)


def transposed(contraction: Contraction, emitter: Emitter) -> Contraction:
    """The contraction with its operands in each other's role, and its result in a buffer, unless that is a vector."""
    row, column = contraction.row, contraction.column
    assert row is not None
    left = contraction.right
    if contraction.extent(column) == 1:
        result = without_unit_axis(contraction.result)
        left = Factor(without_unit_axis(left.access), left.conversion)
    else:
        shape = [contraction.extent(column), contraction.extent(row)]
        buffer = scratch(emitter, shape, contraction.stored)
        dims = [ir.AffineExpr.get_dim(column), ir.AffineExpr.get_dim(row)]
        result = Access(buffer, dims, is_scalar=False)
    return replace(
        contraction,
        left=left,
        right=contraction.left,
        result=result,
        row=column,
        column=row,
        columns=contraction.extent(row),
    )


def copy_back(source: Contraction, contraction: Contraction) -> LoopNest:
    """The nest that copies what was computed transposed to where it belongs."""
    operation = _copy(source.result.memref, contraction.nest.outputs[0].memref, contraction)
    block = operation.regions[0].blocks[0]
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", [], [block.arguments[0]])
    return loop_nest(operation)


def _copy(source: Value, target: Value, contraction: Contraction) -> Operation:
    """Loops over rows and columns."""
    row, column = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_dim(1)
    axes = [expression.position for expression in contraction.result.expressions]
    into = [row if axis == contraction.row else column for axis in axes]
    maps = [ir.AffineMap.get(2, 0, expressions) for expressions in ([column, row], into)]
    return new_generic([source], [target], maps, ["parallel"] * 2, [])
