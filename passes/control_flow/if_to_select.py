"""Turn branches that only choose between small values into `weft.select`."""

from __future__ import annotations

from ...dialect.attributes import type_from_mlir
from ...dialect.errors import WeftTypeError
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.comparison import LogicalAnd, LogicalNot
from ...dialect.ops.selection import Select
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ..base import Pass, Statistics
from ..rewriting import is_defined_inside
from .speculation import cost, is_speculatable
from .structure import (
    IF,
    body,
    constant_of,
    control_ops,
    copy_of,
    functions_with_control_flow,
    has_else,
    is_number_check,
    is_used,
    keep_results,
    operations_in,
    producer,
    splice,
    tensor_from,
    tensor_of,
    weft_op,
    yielded,
)


@dataclass(frozen=True)
class IfToSelect(Pass):
    """Compute both branches and choose, where that is safe and cheaper than to branch.

    Both branches may hold ops only that are safe whatever their operands are (no effects, no reads that a check
    protects), and checks of Python's ints, which ask then whether the branch is taken;
    on at most `max-elements` elements, and cost `max-cost` simple instructions together. Of a branch
    that stays, results leave that are such values in any case, or one value in both branches.
    """

    max_cost: int = 16
    """About what a mispredicted branch costs."""
    max_elements: int = 16

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner branches first, so that outer ones may follow."""
        for function in functions_with_control_flow(module):
            for branch in control_ops(function, IF):
                if len(branch.results) == 0 or not has_else(branch):
                    continue
                if self._is_cheap(branch):
                    _replace_by_selects(branch)
                    statistics["branches replaced"] += 1
                elif moved := self._move_results_out(branch):
                    statistics["results replaced"] += moved

    def _is_cheap(self, branch: Operation) -> bool:
        if not all(self._is_small(result) for result in branch.results):
            return False
        total = 0
        for region in (0, 1):
            *operations, _ = operations_in(body(branch, region))
            for operation in operations:
                is_safe = is_speculatable(operation) or is_number_check(operation)
                if len(operation.regions) or not is_safe:
                    return False
                sizes = [_size(value) for value in (*operation.operands, *operation.results)]
                if any(size is None or size > self.max_elements for size in sizes):
                    return False
                total += cost(operation) * max(size or 1 for size in sizes)
        return total <= self.max_cost

    def _is_small(self, value: Value) -> bool:
        size = _size(value)
        return size is not None and size <= self.max_elements and str(value.type).startswith("tensor<")

    def _move_results_out(self, branch: Operation) -> int:
        """Replace the results that do not need the branches; returns how many these were."""
        kept: list[bool] = []
        pairs = zip(yielded(body(branch, 0)), yielded(body(branch, 1)), strict=True)
        for result, (first, second) in zip(list(branch.results), pairs, strict=True):
            same = first == second  # so it is defined outside of both
            small = self._is_small(result) and all(
                constant_of(value) is not None or not is_defined_inside(value, branch)
                for value in (first, second)
            )
            if is_used(result) and (same or small):
                with ir.InsertionPoint(branch), branch.location:
                    value = (
                        first if same else _chosen(branch, *(_outside(v, branch) for v in (first, second)))
                    )
                result.replace_all_uses_with(value)
            kept.append(not (same or small))
        if not all(kept):
            keep_results(branch, kept)
        return kept.count(False)


def _size(value: Value) -> int | None:
    """The number of elements of a tensor, 1 for a scalar; None where it is not known."""
    try:
        value_type = type_from_mlir(value.type)
    except WeftTypeError:
        return 1
    return value_type.size if isinstance(value_type, TensorType) else None


def _outside(value: Value, branch: Operation) -> Value:
    """A value from outside of a branch: a copy of a constant that is inside."""
    made = producer(value) if is_defined_inside(value, branch) else None
    copied: Value = value if made is None else copy_of(made, {}).results[0]
    return copied


def _chosen(branch: Operation, first: Value, second: Value) -> Value:
    """The choice between two values by the condition of a branch, at the insertion point."""
    return weft_op(Select, _condition(branch), first, second)


def _condition(branch: Operation) -> Value:
    """The condition of a branch as a tensor, at the insertion point."""
    condition = tensor_of(branch.operands[0])
    return tensor_from(branch.operands[0]) if condition is None else condition


def _replace_by_selects(branch: Operation) -> None:
    for region in (0, 1):
        for check in filter(is_number_check, operations_in(body(branch, region))):
            with ir.InsertionPoint(check), check.location:
                taken = _condition(branch)
                taken = weft_op(LogicalNot, taken) if region else taken
                check.operands[0] = weft_op(LogicalAnd, taken, check.operands[0])
    first, second = (splice(body(branch, region), branch) for region in (0, 1))
    with ir.InsertionPoint(branch), branch.location:
        for result, left, right in zip(branch.results, first, second, strict=True):
            result.replace_all_uses_with(left if left == right else _chosen(branch, left, right))
    branch.erase()
