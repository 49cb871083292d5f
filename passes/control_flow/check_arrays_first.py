"""Check the indices of a whole array before a loop, instead of those of a part of it in each iteration.

    for i in range(n):                                      a row of a sparse matrix each
        cols = columns[starts[i]:starts[i + 1]]
        y[i] = values[starts[i]:starts[i + 1]] @ x[cols]

has to look at `cols` twice in each iteration, once to check and once to read, and rows are short. That no element of
`columns` is out of bounds is found out in one pass over memory, before the loop:

    if anything out of bounds in columns:  the loop as it is, which ends with the error of the right iteration
    else:                                  the loop without the check
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.casts import Cast
from ...dialect.ops.comparison import Less, LogicalOr
from ...dialect.ops.creation import Constant
from ...dialect.ops.elementwise import Multiply, Subtract
from ...dialect.ops.indexing import FindOutOfBounds, Gather
from ...dialect.ops.shape import Dim, ExpandDims, Reshape, Squeeze, Transpose
from ...dialect.ops.slicing import DynamicSlice, Slice
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...dialect.register import create, op_class_of
from ..base import Pass, Statistics
from ..rewriting import is_defined_inside, operations_of, type_of
from .structure import (
    FOR,
    add_yield,
    body,
    constant_tensor,
    control_ops,
    copy_of,
    extracted,
    functions_with_control_flow,
    new_if,
    operations_in,
    producer,
    replace_all,
    scalar_constant,
    tensor_from,
    trip_count,
    weft_op,
)

_SELECTIONS: frozenset[type[Op]] = frozenset(
    {DynamicSlice, ExpandDims, Gather, Reshape, Slice, Squeeze, Transpose}
)
"""All elements of what these make are elements of their first operand."""

INDICES_AN_ITERATION = 128
"""As many indices are checked in vectors (four to eight a cycle) in about the time in which an iteration calls a kernel
that checks a few: so an array of at most as many indices for each iteration is checked first at no loss, even if
the iterations read but a part of it."""

_MOST_OPS = 120
"""Longer loops are not written out twice."""


@dataclass(frozen=True)
class CheckArraysFirst(Pass):
    """Write an `scf.for` twice, with and without checks of indices that come from arrays that do not change in it.

    Which one runs is decided by all elements of the arrays. Nothing is asked of the iterations but that there are not
    too few for the arrays; where that is known at run time only, it is a part of the decision.
    """

    name: ClassVar[str] = "check-arrays-first"
    summary: ClassVar[str] = (
        "check the indices that a loop reads from arrays before it, where they are all in bounds"
    )

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner loops first."""
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, FOR):
                checks = list(_checks(loop))
                if checks:
                    _write_twice(loop, checks)
                    statistics["checks made before a loop"] += len(checks)


@dataclass(frozen=True)
class _Check:
    """A check in the body of a loop."""

    operation: Operation
    array: Value
    """What is not changed by the loop and has all the indices."""
    extent: Value

    def is_worthwhile_for(self, iterations: int | None) -> bool:
        """Whether the array is, or may be, small enough to be checked before so many iterations."""
        extents = [extent for extent in type_of(self.array).shape if extent is not None]
        is_known = iterations is not None and type_of(self.array).is_static
        return not is_known or math.prod(extents) <= INDICES_AN_ITERATION * (iterations or 0)


def _checks(loop: Operation) -> Iterator[_Check]:
    """The checks of several indices at once that can be made before a loop."""
    if scalar_constant(loop.operands[2]) != 1 or len(operations_of(loop)) > _MOST_OPS:
        return
    iterations = trip_count(loop)
    for operation in operations_in(body(loop)):
        if op_class_of(operation) is not FindOutOfBounds or not type_of(operation.operands[0]).rank:
            continue
        array, extent = _selected_from(operation.operands[0], loop), operation.operands[1]
        if array is None or (is_defined_inside(extent, loop) and not _is_constant(extent)):
            continue
        check = _Check(operation, array, extent)
        if check.is_worthwhile_for(iterations):
            yield check


def _selected_from(indices: Value, loop: Operation) -> Value | None:
    """An array from outside of a loop whose elements all indices are, but for their dtype; else None."""
    while is_defined_inside(indices, loop):
        made = producer(indices)
        if made is None:
            return None
        op_class = op_class_of(made)
        if op_class not in _SELECTIONS and not (op_class is Cast and _widens(made)):
            return None
        indices = made.operands[0]
    return indices if type_of(indices).dtype.kind in "iu" else None


def _widens(cast: Operation) -> bool:
    source, result = (type_of(value).dtype for value in (cast.operands[0], cast.results[0]))
    return source.kind in "iu" and np.can_cast(source, result)


def _is_constant(value: Value) -> bool:
    made = producer(value)
    return made is not None and op_class_of(made) is Constant


def _write_twice(loop: Operation, checks: list[_Check]) -> None:
    """Decide before a loop whether it needs its checks."""
    results: list[Value] = list(loop.results)
    with ir.InsertionPoint(loop), loop.location:
        fails = _anything_out_of_bounds(loop, checks)
        branch, checked, unchecked = new_if(fails, [value.type for value in results], loop.location)
    replace_all(results, branch.results)
    with ir.InsertionPoint(unchecked):
        values: dict[Value, Value] = {}
        copy = copy_of(loop, values)
        add_yield(copy.results, loop.location)
    numbers = [operations_in(body(loop)).index(check.operation) for check in checks]
    copies = operations_in(body(copy))
    for number in numbers:
        _remove_check(copies[number])
    checked.append(loop)
    with ir.InsertionPoint(checked):
        add_yield(results, loop.location)


def _remove_check(find: Operation) -> None:
    """Remove a check that does not fail."""
    for use in list(find.results[0].uses):
        user = use.owner.operation
        if op_class_of(user) is RaiseIf and user.operands[0] == find.results[0]:
            user.erase()
    with ir.InsertionPoint(find), find.location:
        replace_all(find.results, [constant_tensor(False, np.bool_), constant_tensor(0)])
    find.erase()


def _anything_out_of_bounds(loop: Operation, checks: list[_Check]) -> Value:
    """An i1 at the current insertion point: whether the loop needs its checks, or its arrays are too large to know."""
    if trip_count(loop) is not None and all(type_of(check.array).is_static for check in checks):
        return extracted(_found_in_any(checks))
    branch, large, small = new_if(_are_large(loop, checks), [ir.IntegerType.get_signless(1)], loop.location)
    with ir.InsertionPoint(large):
        _yield_flag(constant_tensor(True, np.bool_), loop)
    with ir.InsertionPoint(small):
        _yield_flag(_found_in_any(checks), loop)
    return branch.results[0]


def _yield_flag(flag: Value, loop: Operation) -> None:
    add_yield([extracted(flag)], loop.location)


def _are_large(loop: Operation, checks: list[_Check]) -> Value:
    """Whether the arrays have too many indices for the iterations."""
    lower, upper = (tensor_from(bound) for bound in list(loop.operands)[:2])
    most = weft_op(Multiply, weft_op(Subtract, upper, lower), constant_tensor(INDICES_AN_ITERATION))
    return extracted(_any([weft_op(Less, most, _count(check.array)) for check in checks]))


def _count(array: Value) -> Value:
    """How many elements an array has."""
    count = constant_tensor(1)
    for axis in range(type_of(array).rank):
        count = weft_op(Multiply, count, weft_op(Dim, array, axis=axis))
    return count


def _found_in_any(checks: list[_Check]) -> Value:
    """Whether an index of the arrays is out of bounds."""
    flags = []
    for check in checks:
        extent = check.extent
        made = producer(extent)
        if made is not None and op_class_of(made) is Constant:
            extent = copy_of(made, {}).results[0]
        indices = check.array
        if type_of(indices).dtype != np.int64:
            indices = weft_op(Cast, indices, dtype=np.dtype(np.int64))
        flags.append(create(FindOutOfBounds, [indices, extent], {}).results[0])
    return _any(flags)


def _any(flags: list[Value]) -> Value:
    found, *others = flags
    for other in others:
        found = weft_op(LogicalOr, found, other)
    return found
