"""Elementary functions inside of device kernels: weft's own, which have the same bits on every machine.

Roots and roundings are instructions, exactly rounded. They are written as intrinsic functions of LLVM here already:
upstream's lowering for GPUs knows them as functions of a library only, of which some are less exact.
"""

from __future__ import annotations

from collections.abc import Callable

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import operations_of
from ...functions.instructions import call_intrinsic
from ...functions.math_expansion import expand_math
from .approximations import approximate, may_be_approximate
from .remainder import call_remainder
from .shifts import is_opaque_shift, shift_by_instruction

_INTRINSICS = {
    "arith.maxnumf": "maxnum",
    "arith.minnumf": "minnum",
    "math.absf": "fabs",
    "math.ceil": "ceil",
    "math.copysign": "copysign",
    "math.floor": "floor",
    "math.fma": "fma",
    "math.roundeven": "roundeven",
    "math.sqrt": "sqrt",
    "math.trunc": "trunc",
}


@dataclass(frozen=True)
class ExpandDeviceMath(Pass):
    """Replace elementary functions in the modules of device kernels by arithmetic and instructions."""

    def run(self, module: Module, statistics: Statistics) -> None:
        module.context.get_dialect_descriptor("llvm")
        for view in module.body.operations:
            if view.operation.name == "gpu.module":
                for op in operations_of(view.operation):
                    if may_be_approximate(op):
                        _replace(op, approximate)
                statistics["functions expanded"] += expand_math(view.operation)
                for op in operations_of(view.operation):
                    if op.name in _INTRINSICS:
                        _replace(op, _call_instruction)
                    elif op.name == "arith.remf":
                        _replace(op, call_remainder)
                    elif is_opaque_shift(op):
                        _replace(op, shift_by_instruction)


def _replace(op: Operation, write: Callable[[Operation], Value]) -> None:
    with ir.InsertionPoint(op), op.location:
        op.results[0].replace_all_uses_with(write(op))
    op.erase()


def _call_instruction(op: Operation) -> Value:
    type = op.results[0].type
    return call_intrinsic(f"llvm.{_INTRINSICS[op.name]}.{type}", type, list(op.operands))
