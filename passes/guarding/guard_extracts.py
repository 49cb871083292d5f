"""Check the indices of elements that are read: modules from files may read outside of arrays, traces never do."""

from __future__ import annotations

import numpy as np

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import OPS
from ...dialect.ops.creation import Constant
from ...dialect.ops.shape import Dim
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import create
from ..base import Pass, Statistics
from ..rewriting import constant_integer, operations_of

EXTRACT = "tensor.extract"


@dataclass(frozen=True)
class GuardExtracts(Pass):
    """Raise IndexError in front of each `tensor.extract` whose index is not known to be inside of the array."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Put a check in front of each op that needs one."""
        for op in operations_of(module.operation):
            if op.name == EXTRACT:
                array, *indices = op.operands
                for axis, index in enumerate(indices):
                    if not _is_inside(array, axis, index):
                        _check(op, array, axis, index)
                        statistics["indices checked"] += 1


def _is_inside(array: Value, axis: int, index: Value) -> bool:
    known = constant_integer(index)
    if known is None or array.type.is_dynamic_dim(axis):
        return False
    return bool(0 <= known < array.type.get_dim_size(axis))


def _check(op: Operation, array: Value, axis: int, index: Value) -> None:
    """Raise in front of an op where an index is outside of an axis."""
    with ir.InsertionPoint(op), op.location:
        word = ir.IntegerType.get_signless(64)
        number = ir.Operation.create("arith.index_cast", [word], [index]).results[0]
        scalar = ir.RankedTensorType.get([], word)
        place = ir.Operation.create("tensor.from_elements", [scalar], [number]).results[0]
        extent = create(Dim, [array], {"axis": axis}).results[0]
        zero = create(Constant, [], {"value": np.zeros((), np.int64)}).results[0]
        below = create(OPS["less"], [place, zero], {}).results[0]
        above = create(OPS["greater_equal"], [place, extent], {}).results[0]
        outside = create(OPS["logical_or"], [below, above], {}).results[0]
        message = f"index {{0}} is out of bounds for axis {axis} with size {{1}}"
        create(RaiseIf, [outside, place, extent], {"error": "IndexError", "message": message})
