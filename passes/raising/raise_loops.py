"""Write loops whose iterations do not need each other, or only add up, as ops on whole arrays.

    for i in range(n):
        for j in range(m):
            s = 0.0
            for k in range(p): s += a[i, k] * b[k, j]       s = contract(a[i, :], b[:, j])
            c[i, j] = s                                 c[i, :] = contract(a[i, :], b)
                                                    c = contract(a, b)

The innermost loop goes first, then what is left of the one around it. How the loops are written, in which order, with
names or in place, does not matter: what an iteration reads and writes does (`relations.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...dialect.mlir import Module, Operation, ir
from ...dialect.op import Elementwise
from ...dialect.ops.comparison import Less
from ...dialect.ops.contraction import Contract
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.records import NamedTuple, dataclass
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.sizes import terms_of
from ...dialect.types import TensorType
from ..algebra.simplify import SimplifyAlgebra
from ..base import Pass, Statistics
from ..control_flow.linear import linear
from ..control_flow.speculation import is_pure, is_speculatable
from ..control_flow.structure import (
    FOR,
    IF,
    LOOPS,
    add_yield,
    body,
    control_ops,
    functions_with_control_flow,
    has_else,
    operation_of,
    operations_in,
    producer,
    replace_all,
    scalar_constant,
    splice,
    tensor_of,
    trip_count,
    yielded,
)
from ..rewriting import type_of
from .accumulators import accumulator_of
from .gather_windows import GatherWindows
from .vectorise import LEAST_TRIPS, Vectorised

_INDEX = TensorType((), np.dtype(np.int64))

_MOST_OPS = 48
"""Longer bodies keep more between their ops than a cache holds, if all iterations run at once."""


@dataclass(frozen=True)
class RaiseLoops(Pass):
    """Replace an `scf.for` by ops on whole arrays, if its iterations write to parts of their own, or add up.

    Parts are what is at one index of an axis. Sums of products are contractions, with an order of their own, like all;
    sums of integers, and largest and smallest elements, are reductions. Sums of other floats keep their order.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner loops first."""
        raised = 0
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, FOR):
                if not _is_inside_loop(loop, FOR):
                    raised += _raise_nest(loop)
        if raised:
            statistics["loops raised"] += raised
            GatherWindows().run(module, Counter())  # inner loops were in their way
            for _ in range(2):  # what was read of updates goes first, then updates that nobody reads
                SimplifyAlgebra().run(module, Counter())


def _raise_nest(root: Operation) -> int:
    """Raise the loops of a nest, inner ones first; how many are.

    Loops on numbers that become elementwise ops only, inside of a loop that stays, are kernels as they are: it shows
    when all of the nest is raised whether that is so. What was raised then is a copy, which is thrown away.
    """
    if not _is_nested(root):
        return sum(loop.is_raised for loop in _raise_all(root))
    with ir.InsertionPoint(root):
        scratch = operation_of("scf.execute_region", [], [], regions=1, location=root.location)
    block = scratch.regions[0].blocks.append()
    with ir.InsertionPoint(block):
        copy = root.clone().operation
        add_yield(copy.results, root.location)
    raised = _raise_all(copy)
    is_inside = _loop_around(root) is not None
    wanted = [_pays(loop, raised, is_inside) for loop in raised]
    if all(wanted):
        replace_all(root.results, splice(block, root))
        root.erase()
    scratch.erase()
    tried = raised if all(wanted) else _raise_all(root, wanted)
    return sum(loop.is_raised for loop in tried)


class _Raised(NamedTuple):
    """What was tried with one loop of a nest."""

    is_raised: bool
    is_worthwhile: bool
    """Whether there are sums or arrays in it, or its iterations are apart in memory."""
    around: int | None
    """The number of the loop around it."""


def _raise_all(root: Operation, wanted: Sequence[bool] | None = None) -> list[_Raised]:
    """Raise the loops of a nest, or those of them that are wanted."""
    loops = [*control_ops(root, FOR), root]
    numbers = {loop: number for number, loop in enumerate(loops)}
    around = [numbers.get(_loop_around(loop)) for loop in loops]
    pays = {
        number for number, loop in enumerate(loops) if any(map(_works_on_arrays, operations_in(body(loop))))
    }
    found: list[_Raised] = []
    for number, loop in enumerate(loops):
        is_raised = False
        if (wanted is None or wanted[number]) and _is_candidate(loop):
            guard = _guard_of(loop)
            pays.update({number} if _is_worthwhile(loop) else ())
            is_raised = _raise(loop)
            _remove(guard if is_raised else None)
        outer = around[number]
        if is_raised and number in pays and outer is not None:
            pays.add(outer)
        found.append(_Raised(is_raised, number in pays, around[number]))
    return found


def _pays(loop: _Raised, raised: Sequence[_Raised], is_inside: bool) -> bool:
    """Whether raising a loop pays: none stays around it, or one that is raised with it is worthwhile."""
    group: list[_Raised] = []
    last: _Raised | None = loop
    while last is not None and last.is_raised:
        group.append(last)
        last = None if last.around is None else raised[last.around]
    stays = is_inside if last is None else bool(group)
    return not stays or any(each.is_worthwhile for each in group)


def _is_candidate(loop: Operation) -> bool:
    """Whether a loop counts by 1, only computes, and is long enough, which those on arrays always are."""
    trips = trip_count(loop)
    if not len(loop.results) or scalar_constant(loop.operands[2]) != 1:
        return False
    *operations, _ = operations_in(body(loop))
    if trips is not None and (
        trips < 2 or (trips < LEAST_TRIPS and not any(map(_works_on_arrays, operations)))
    ):
        return False
    if any(len(op.regions) or not is_pure(op) for op in operations):
        return False
    return sum(map(_computes, operations)) <= _MOST_OPS


def _loop_around(operation: Operation) -> Operation | None:
    around = operation.parent
    while around is not None and around.operation.name not in LOOPS:
        around = around.operation.parent
    return None if around is None else around.operation


def _is_inside_loop(loop: Operation, name: str) -> bool:
    around = _loop_around(loop)
    while around is not None and around.name != name:
        around = _loop_around(around)
    return around is not None


def _is_nested(root: Operation) -> bool:
    """Whether there are loops in a loop, or around it."""
    return bool(control_ops(root, FOR)) or _loop_around(root) is not None


def _works_on_arrays(operation: Operation) -> bool:
    return _computes(operation) and any(type_of(operand).rank for operand in operation.operands)


def _computes(operation: Operation) -> bool:
    """Whether an op makes another array of elements of others, and no index."""
    op_class = op_class_of(operation)
    is_computed = op_class is not None and (op_class is Contract or issubclass(op_class, Elementwise))
    return is_computed and type_of(operation.results[0]) != _INDEX


def _guard_of(loop: Operation) -> Operation | None:
    """A branch that only asks whether a loop runs at all, and else has what the loop begins with."""
    around = loop.parent.operation
    if around.name != IF or not has_else(around) or loop.block != body(around):
        return None
    lower, upper, _, *initial = loop.operands
    condition = tensor_of(around.operands[0])
    made = None if condition is None else producer(condition)
    if made is None or op_class_of(made) is not Less:
        return None
    asked = [linear(operand) for operand in made.operands]
    if asked != [linear(lower), linear(upper)] or len(operations_in(body(around, 1))) != 1:
        return None
    starts = dict(zip(loop.results, initial, strict=True))
    is_same = [starts.get(value, value) for value in yielded(body(around))] == yielded(body(around, 1))
    is_free = all(op == loop or is_speculatable(op) for op in operations_in(body(around))[:-1])
    return around if is_same and is_free else None


def _remove(guard: Operation | None) -> None:
    """Write what a branch does in front of it."""
    if guard is not None:
        replace_all(guard.results, splice(body(guard), guard))
        guard.erase()


def _raise(loop: Operation) -> bool:
    """Try both places of the axis of lanes: that of the last axis first where iterations write along it."""
    first = _goes_along_last_axes(loop)
    return any(Vectorised(loop, is_last).write() for is_last in (first, not first))


def _is_worthwhile(loop: Operation) -> bool:
    """Whether a loop adds up, or goes through memory in strides."""
    carried = list(body(loop).arguments)[1:]
    return any(accumulator_of(loop, value) is not None for value in carried) or not _goes_along_last_axes(
        loop, of_numbers=True
    )


def _goes_along_last_axes(loop: Operation, of_numbers: bool = False) -> bool:
    """Whether iterations write to (or else read) columns rather than rows: what lies at an index of the last axis."""
    votes = {Scatter: 0, Gather: 0}
    counter = body(loop).arguments[0]
    for operation in operations_in(body(loop)):
        op_class = op_class_of(operation)
        if op_class is Scatter or op_class is Gather:
            axes = decode_attributes(op_class, operation)["axes"]
            indices = list(operation.operands)[-len(axes) :]
            moving = [a for a, i in zip(axes, indices, strict=True) if (counter,) in terms_of(linear(i))]
            every = set(range(type_of(operation.operands[0]).rank))
            rest = every - set(moving if of_numbers else axes)
            if moving and rest and not (of_numbers and len(axes) < len(every)):
                votes[op_class] += 1 if max(moving) > max(rest) else -1
    return (votes[Scatter] or votes[Gather]) >= 0
