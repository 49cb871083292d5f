"""Check what loops read and write before them, instead of in each iteration.

    for i in range(n):                          if m < n:  the loop as it is, which ends with the error of an iteration
        for j in range(p): c[i] += a[i, j]      else:      the loop without checks

where `c` has m elements. Without checks, iterations may run in any order, so that loops become ops on arrays
(`raise-loops`) or code in vectors. Indices that come from arrays which do not change,

    cols = columns[starts[i]:starts[i + 1]]     a row of a sparse matrix each
    y[i] = values[starts[i]:starts[i + 1]] @ x[cols]

are looked at all, in one pass over memory: rows are short, and each would be read twice. Where such an index says what
an iteration writes, `counts[labels[i]] += 1`, iterations stay in order, and a check costs less than the pass.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial, reduce

import numpy as np

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.ops.casts import Cast
from ...dialect.ops.comparison import Less, LessEqual, LogicalAnd, LogicalNot, LogicalOr
from ...dialect.ops.creation import Constant
from ...dialect.ops.elementwise import Add, Multiply, Subtract
from ...dialect.ops.indexing import FindOutOfBounds, Scatter
from ...dialect.ops.shape import Dim
from ...dialect.ops.state import RaiseIf, ReadRef
from ...dialect.records import NamedTuple, dataclass
from ...dialect.register import create, op_class_of
from ...dialect.sizes import Product, Size, terms_of
from ..base import Pass, Statistics
from ..rewriting import is_defined_inside, operations_of, type_of
from .loop_checks import Needs, loops_before, needs_of
from .optimize import OptimizeControlFlow
from .structure import (
    FOR,
    add_yield,
    constant_tensor,
    control_ops,
    copy_of,
    extracted,
    functions_with_control_flow,
    new_if,
    producer,
    replace_all,
    scalar_constant,
    tensor_from,
    trip_count,
    weft_op,
)

INDICES_AN_ITERATION = 128
"""As many indices are checked in vectors (four to eight a cycle) in about the time in which an iteration calls a kernel
that checks a few: so an array of at most as many indices for each iteration is checked first at no loss, even if
the iterations read but a part of it."""

_MOST_OPS = 120
"""Longer loops are not written out twice."""


@dataclass(frozen=True)
class CheckLoopsFirst(Pass):
    """Write a nest of `scf.for` twice, with and without its checks, if it is known before it when none of them fails.

    That is where indices are sums of multiples of counters, where they come from arrays that do not change, of which
    there are not too many for the iterations, and where a `while` loop counts up to a number from outside what has a
    limit; where that is known at run time only, it is a part of the decision. Other checks do not depend on iterations.
    Inner loops are written twice where outer ones cannot be; outer ones with rows of indices also if other checks stay.
    A single index that is read from an array, and says where an iteration writes to one of the function's own, stays.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Outer loops first."""
        checks = 0
        for function in functions_with_control_flow(module):
            loops = control_ops(function, FOR)
            checks += sum(_check_first(loop) for loop in loops if _loop_around(loop) is None)
        if checks:
            statistics["checks made before a loop"] += checks
            OptimizeControlFlow().run(module, Counter())  # loops that end no call carry what they write


def _check_first(loop: Operation) -> int:
    """Write a loop twice, or those in it; how many checks that removes."""
    operations = operations_of(loop)
    checks = [_Check(op, needs_of(op.operands[0], loop)) for op in operations if op_class_of(op) is RaiseIf]
    if not checks:
        return 0
    made = [check for check in checks if check.needs is not None and _is_worthwhile(check.needs, loop)]
    is_short = len(operations) <= _MOST_OPS and scalar_constant(loop.operands[2]) == 1
    if is_short and (len(made) == len(checks) or any(map(_is_of_row, made))):
        in_order = [check.operation.block for check in made if _says_what_is_written(check)]
        made = [each for each in made if not each.reads_indices or each.operation.block not in in_order]
        if made:
            _write_twice(loop, made)
        return len(made)
    inner = [each for each in control_ops(loop, FOR) if _loop_around(each) == loop]
    return sum(map(_check_first, inner))


class _Check(NamedTuple):
    """A check in a loop, and what has to hold before the loop for it not to fail."""

    operation: Operation
    needs: Needs | None

    @property
    def reads_indices(self) -> bool:
        """Whether arrays of indices have to be looked at."""
        return self.needs is not None and bool(self.needs.arrays)


def _says_what_is_written(check: _Check) -> bool:
    """Whether a check is of an index that is read from an array in each iteration, which then writes there.

    Not to what others may see: after an exception it holds what was written before, which a device does not tell.
    """
    made = producer(check.operation.operands[0])
    if made is None or op_class_of(made) is not FindOutOfBounds or not check.reads_indices:
        return False
    index = made.operands[0]
    is_single, origin = not type_of(index).rank, producer(index)
    writes = (use.owner.operation for use in index.uses if use.operand_number >= _FIRST_INDEX)
    return any(
        is_single and origin is not None and op_class_of(write) is Scatter and write.block == origin.block
        for write in writes
        if not _is_read(write.operands[0])
    )


def _is_read(array: Value) -> bool:
    made = producer(array)
    return made is not None and op_class_of(made) is ReadRef


_FIRST_INDEX = 2
"""Which operand of a `weft.scatter` is its first index."""


def _is_of_row(check: _Check) -> bool:
    """Whether a check is one of several indices at once."""
    made = producer(check.operation.operands[0])
    is_of_indices = made is not None and op_class_of(made) is FindOutOfBounds
    return made is not None and is_of_indices and type_of(made.operands[0]).rank > 0


def _loop_around(operation: Operation) -> Operation | None:
    around = operation.parent
    while around is not None and around.operation.name != FOR:
        around = around.operation.parent
    return None if around is None else around.operation


def _is_worthwhile(needs: Needs, loop: Operation) -> bool:
    """Whether arrays of indices are, or may be, small enough to be checked before the iterations, and that once."""
    iterations, around = trip_count(loop), _loop_around(loop)
    if around is not None and any(not is_defined_inside(array, around) for array, _ in needs.arrays):
        return False  # they would be looked at again and again
    for array, _ in needs.arrays:
        extents = [extent for extent in type_of(array).shape if extent is not None]
        is_known = iterations is not None and type_of(array).is_static
        if is_known and math.prod(extents) > INDICES_AN_ITERATION * (iterations or 0):
            return False
    return True


def _write_twice(loop: Operation, checks: Sequence[_Check]) -> None:
    """Decide before a loop whether it needs its checks."""
    needs = Needs()
    for check in checks:
        assert check.needs is not None
        needs.add(check.needs)
    results: list[Value] = list(loop.results)
    with ir.InsertionPoint(loop), loop.location:
        branch, unchecked, checked = new_if(
            _holds(needs, loop), [value.type for value in results], loop.location
        )
    replace_all(results, branch.results)
    numbers = [number for number, op in enumerate(operations_of(loop)) if _is_one_of(op, checks)]
    with ir.InsertionPoint(unchecked):
        copy = copy_of(loop, {})
        add_yield(copy.results, loop.location)
    copies = operations_of(copy)
    for number in numbers:
        copies[number].erase()
    checked.append(loop)
    with ir.InsertionPoint(checked):
        add_yield(results, loop.location)


def _is_one_of(operation: Operation, checks: Sequence[_Check]) -> bool:
    return op_class_of(operation) is RaiseIf and any(check.operation == operation for check in checks)


def _holds(needs: Needs, loop: Operation) -> Value:
    """An i1 at the current insertion point: whether no check fails."""
    known = [_runs(each) for each in loops_before(loop)]
    known += map(_is_not_positive, needs.negative)
    known += [weft_op(LogicalNot, flag) for flag in needs.flags]
    if trip_count(loop) is None or not all(type_of(array).is_static for array, _ in needs.arrays):
        known += _are_few(needs, loop)
    if not needs.arrays:
        return extracted(_all(known))
    if not known:
        return extracted(weft_op(LogicalNot, _found_in_any(needs)))
    branch, small, large = new_if(extracted(_all(known)), [ir.IntegerType.get_signless(1)], loop.location)
    with ir.InsertionPoint(large):
        _yield_flag(constant_tensor(False, np.bool_), loop)
    with ir.InsertionPoint(small):
        _yield_flag(weft_op(LogicalNot, _found_in_any(needs)), loop)
    return branch.results[0]


def _runs(loop: Operation) -> Value:
    """Whether a loop runs at all, as `hoist-checks` asks that."""
    lower, upper = list(loop.operands)[:2]
    return weft_op(Less, tensor_from(lower), tensor_from(upper))


def _is_not_positive(form: Size) -> Value:
    """Whether a sum of multiples of values is at most 0: no difference is computed, which is easier to find again."""
    terms = terms_of(form)
    constant = terms.get((), 0)
    less = {product: factor for product, factor in terms.items() if factor > 0 and product}
    more = {product: -factor for product, factor in terms.items() if factor < 0 and product}
    if constant > 0:
        return weft_op(Less, _sum(less, constant - 1), _sum(more, 0))
    return weft_op(LessEqual, _sum(less, 0), _sum(more, -constant))


def _sum(terms: Mapping[Product, int], constant: int) -> Value:
    values = [constant_tensor(constant)] if constant or not terms else []
    for (name,), factor in terms.items():
        value = tensor_from(name) if _is_scalar(name) else name
        values.append(value if factor == 1 else weft_op(Multiply, value, constant_tensor(factor)))
    return reduce(partial(weft_op, Add), values)


def _is_scalar(value: Value) -> bool:
    return not isinstance(value.type, ir.RankedTensorType)


def _yield_flag(flag: Value, loop: Operation) -> None:
    add_yield([extracted(flag)], loop.location)


def _are_few(needs: Needs, loop: Operation) -> Iterator[Value]:
    """Whether the arrays have not too many indices for the iterations."""
    lower, upper = (tensor_from(bound) for bound in list(loop.operands)[:2])
    most = weft_op(Multiply, weft_op(Subtract, upper, lower), constant_tensor(INDICES_AN_ITERATION))
    for array, _ in needs.arrays:
        yield weft_op(LogicalNot, weft_op(Less, most, _count(array)))


def _count(array: Value) -> Value:
    """How many elements an array has."""
    count = constant_tensor(1)
    for axis in range(type_of(array).rank):
        count = weft_op(Multiply, count, weft_op(Dim, array, axis=axis))
    return count


def _found_in_any(needs: Needs) -> Value:
    """Whether an index of the arrays is out of bounds."""
    flags = []
    for indices, extent in needs.arrays:
        made = producer(extent)
        if made is not None and op_class_of(made) is Constant:
            extent = copy_of(made, {}).results[0]
        if type_of(indices).dtype != np.int64:
            indices = weft_op(Cast, indices, dtype=np.dtype(np.int64))
        flags.append(create(FindOutOfBounds, [indices, extent], {}).results[0])
    return reduce(partial(weft_op, LogicalOr), flags)


def _all(known: list[Value]) -> Value:
    """Whether all hold, also where nothing is asked: a tree that is not deep, for those who ask later."""
    while len(known) > 1:
        pairs = [known[place : place + 2] for place in range(0, len(known), 2)]
        known = [weft_op(LogicalAnd, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return known[0] if known else constant_tensor(True, np.bool_)
