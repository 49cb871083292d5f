"""Write out loops that run a few times."""

from __future__ import annotations

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from ..rewriting import operations_of
from .speculation import is_scalar_op
from .structure import (
    FOR,
    body,
    constant_index,
    control_ops,
    copy_block,
    functions_with_control_flow,
    replace_all,
    scalar_constant,
    trip_count,
)

_OPS_PER_ARRAY_OP = 4


@dataclass(frozen=True)
class UnrollLoops(Pass):
    """Replace an `scf.for` by its iterations where there are at most `max-trips` and `max-ops` ops in them.

    Each has its own constant for the induction variable, so that indices, shapes and branches become known. An
    op on arrays counts as four: it may become a kernel.
    """

    max_trips: int = 8
    max_ops: int = 64

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner loops first, as long as the outer one stays small enough."""
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, FOR):
                trips = trip_count(loop)
                if trips is None or trips > self.max_trips:
                    continue
                if trips * _size(loop) <= self.max_ops:
                    write_out(loop, trips)
                    statistics["loops unrolled"] += 1


def _size(loop: Operation) -> int:
    """How many ops a body has, by what they cost to compile."""
    return sum(1 if is_scalar_op(operation) else _OPS_PER_ARRAY_OP for operation in operations_of(loop))


def write_out(loop: Operation, trips: int) -> None:
    """Put so many iterations in the place of a loop."""
    block = body(loop)
    lower, _, step, *carried = loop.operands
    first, stride = scalar_constant(lower) or 0, scalar_constant(step) or 0
    with ir.InsertionPoint(loop), loop.location:
        for trip in range(trips):
            values: dict[Value, Value] = dict(zip(list(block.arguments)[1:], carried, strict=True))
            values[block.arguments[0]] = constant_index(first + trip * stride)
            carried = copy_block(block, values)
    replace_all(loop.results, carried)
    loop.erase()
