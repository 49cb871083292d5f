"""Lowerings of the scans: loops in memory order that combine every element with the one before it."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.mlir import Value, dialect
from ...dialect.op import Op
from ...dialect.ops.elementwise import Add, Maximum, Minimum, Multiply
from ...dialect.ops.scans import CumulativeMax, CumulativeMin, CumulativeProd, CumulativeSum
from ...dialect.types import normalize_axis
from .conversion import Conversion, OpInstance, lowers
from .emission import emit
from .loops import branch, extract, insert, loop_nest

arith = dialect("arith")

_COMBINING: dict[type[Op], type[Op]] = {
    CumulativeSum: Add,
    CumulativeProd: Multiply,
    CumulativeMax: Maximum,
    CumulativeMin: Minimum,
}


@lowers(*_COMBINING)
def lower_scan(c: Conversion, op: OpInstance) -> Value:
    """Start with the first element itself, as NumPy does: no identity is exact for every dtype."""
    x, dtype = op.operands[0], op.result_type.dtype
    axis = normalize_axis(op.attributes["axis"], op.result_type.rank)
    combining = _COMBINING[op.op_class]
    extents = c.extents(x)

    def step(indices: list[Value], carried: list[Value]) -> Sequence[Value]:
        (out,) = carried
        element = extract(x, indices)

        def combined() -> list[Value]:
            before = arith.SubIOp(indices[axis], c.index(1)).result
            previous = extract(out, [*indices[:axis], before, *indices[axis + 1 :]])
            scalars = [c.load(scalar, dtype) for scalar in (previous, element)]
            return [c.store(emit(c, combining, (dtype, dtype), (dtype,), *scalars)[0], dtype)]

        is_first = arith.CmpIOp(arith.CmpIPredicate.eq, indices[axis], c.index(0)).result
        value = branch(is_first, lambda: [element], combined, element)
        return [insert(value, out, indices)]

    return loop_nest(c, extents, [c.empty(op.result_type, extents)], step)[0]
