"""Decide the checks of indices that loops keep in bounds."""

from __future__ import annotations

import numpy as np

from ...dialect.mlir import Module, ir
from ...dialect.ops.indexing import FindOutOfBounds
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from ..rewriting import operations_of, type_of
from .linear import is_within
from .structure import constant_tensor, functions_with_control_flow, is_used, replace_all


@dataclass(frozen=True)
class ProveBounds(Pass):
    """Replace what `weft.find_out_of_bounds` finds by nothing, where loops bound the index.

    An index that is a sum of multiples of counters, extents and constants is in bounds when the largest and the
    smallest sum are: `i + 1` in a loop over `range(n - 1)`, where n is the extent. `weft-fold` then removes the
    check. Counters are those of `scf.for`, and of an `scf.while` that has another condition as well.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at every check of a single index."""
        for function in functions_with_control_flow(module):
            for operation in operations_of(function):
                if op_class_of(operation) is not FindOutOfBounds or type_of(operation.operands[0]).rank:
                    continue
                index, extent = operation.operands
                if is_used(operation.results[0]) and is_within(index, extent, operation):
                    with ir.InsertionPoint(operation), operation.location:
                        found = [constant_tensor(False, np.bool_), constant_tensor(0)]
                    replace_all(operation.results, found)
                    statistics["checks proved"] += 1
