"""Symmetric products, x.T @ x and x @ x.T: one triangle of panels is computed, and the other is a transposed copy.

A sum adds the same products in the same order on both sides of the diagonal, so the copy has the same bits.
"""

from __future__ import annotations

from .....dialect.mlir import Value, ir
from ....nests.contraction import Contraction
from ....nests.emit import Emitter
from ....nests.nest import Access
from ..vectors.code import transpose, vector_load, vector_store
from ..vectors.temporaries import element_bytes
from .epilogue import Epilogue
from .plan import SHALLOW, Plan

LEAST_PANELS = 4
"""Of fewer panels too few tiles are left out."""

LEAST_BYTES = 4
"""Of an element: as many vectors as lanes are transposed in registers."""


def mirrored_result(contraction: Contraction, plan: Plan, epilogue: Epilogue | None) -> Value | None:
    """The memory of a result one triangle of which is the other's mirror image; None where all is to be computed."""
    if plan.by_rows or plan.rows_first or not _is_symmetric(contraction):
        return None
    columns, depth = contraction.columns, contraction.extent(contraction.summed[0])
    if isinstance(columns, int) and columns < LEAST_PANELS * plan.panel:
        return None
    if isinstance(depth, int) and depth <= SHALLOW:
        return None
    if epilogue is None:
        return contraction.result.memref
    return _mirrored_output(contraction, epilogue)


def _mirrored_output(contraction: Contraction, epilogue: Epilogue) -> Value | None:
    """Where an epilogue writes, if it does the same on both sides of the diagonal."""
    output, *others = epilogue.nest.outputs
    if others or epilogue.updates() or output.expressions != epilogue.source.expressions:
        return None
    if not all(access is epilogue.source or access.is_scalar for access in epilogue.nest.inputs):
        return None
    memref = output.memref
    fits = element_bytes(memref.type.element_type) == element_bytes(contraction.stored)
    return memref if fits else None


def _is_symmetric(contraction: Contraction) -> bool:
    left, right, row, column = contraction.left, contraction.right, contraction.row, contraction.column
    if row is None or contraction.outer or len(contraction.summed) != 1 or contraction.parts == 2:
        return False
    if contraction.packed is not None or contraction.element != contraction.stored:
        return False
    if element_bytes(contraction.element) < LEAST_BYTES or left.conversion != right.conversion:
        return False
    if left.access.memref != right.access.memref or contraction.result.axis_of(row) != 0:
        return False
    exchanged = {row: column, column: row}
    return all(
        isinstance(mine, ir.AffineDimExpr)
        and isinstance(other, ir.AffineDimExpr)
        and exchanged.get(mine.position, mine.position) == other.position
        for mine, other in zip(left.access.expressions, right.access.expressions, strict=True)
    )


def mirror(contraction: Contraction, plan: Plan, result: Value, emitter: Emitter) -> None:
    """Copy what is right of the panels on the diagonal to the other side, in squares of a vector's lanes."""
    columns, lanes, panel = contraction.columns, plan.lanes, plan.panel
    row, column = (ir.AffineExpr.get_dim(dim) for dim in (0, 1))
    access = Access(result, [row, column], is_scalar=False)
    type = ir.VectorType.get([lanes], result.type.element_type)
    with emitter.loop(columns, panel, panel, parallel=True) as first:
        stop = emitter.minimum(emitter.add(first, panel), columns)
        with emitter.loop(stop, lanes, first) as wanted, emitter.loop(first, lanes) as start:
            # Rows of the panel before are the same when they are copied again.
            place = emitter.minimum(wanted, emitter.subtract(columns, lanes))
            square = [
                vector_load(
                    emitter, result, access.indices(emitter, [emitter.add(start, lane), place]), type, None
                )
                for lane in range(lanes)
            ]
            for lane, vector in enumerate(transpose(square)):
                indices = access.indices(emitter, [emitter.add(place, lane), start])
                vector_store(vector, result, indices, None)
