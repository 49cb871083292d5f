"""Find the loops that count: `scf.while` whose condition compares a counter becomes `scf.for`."""

from __future__ import annotations

import numpy as np

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.comparison import MIRRORED, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from ...dialect.ops.elementwise import Add, FloorDivide, Maximum, Minimum, Multiply, Subtract
from ...dialect.ops.selection import Select
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ...dialect.types import TensorType
from ..base import Pass, Statistics
from ..rewriting import type_of
from .speculation import is_pure
from .structure import (
    FOR,
    WHILE,
    body,
    constant_index,
    constant_of,
    constant_tensor,
    control_ops,
    copy_block,
    defined_inside,
    functions_with_control_flow,
    index_from,
    operation_of,
    operations_in,
    producer,
    replace_all,
    replace_terminator,
    tensor_from,
    tensor_of,
    terminator,
    weft_op,
    yielded,
)

_COUNTER = TensorType((), np.dtype(np.int64))
_MAX = int(np.iinfo(np.int64).max)


@dataclass(frozen=True)
class WhileToFor(Pass):
    """Replace loops that run while `i < n` (or <=, >, >=, !=) by loops that count.

    i is an i64 that every iteration advances by one constant towards n, which does not change; with `!=` the
    constant is 1 or -1. The test has no effects. Loops with a further condition, such as a flag that a break
    sets, stay.

    The number of iterations is exact wherever `i` does not pass the end of i64 on its way: for steps of 1 and
    -1 always; with larger steps a bound closer to that end than one step gives the loop of Python's own
    integers, which ends, where i64 would wrap around. 2**63 - 1 stands for more iterations.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner loops first: what an outer loop tests may be computed by them."""
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, WHILE):
                count = _find_count(loop)
                if count is not None:
                    _replace(loop, count)
                    statistics["loops replaced"] += 1


@dataclass(frozen=True)
class _Count:
    """How a loop counts."""

    place: int
    """Which of the values that the loop carries is the counter."""
    comparison: type[Op]
    """Counter on the left."""
    bound: Value
    step: int


def _find_count(loop: Operation) -> _Count | None:
    test = body(loop, 0)
    if not all(is_pure(operation) for operation in operations_in(test)):
        return None
    condition = tensor_of(terminator(test).operands[0])
    made = None if condition is None else producer(condition)
    comparison = None if made is None else op_class_of(made)
    if made is None or comparison not in MIRRORED or comparison is Equal:
        return None
    arguments = list(test.arguments)
    inside = defined_inside(loop)
    left, right = made.operands
    for op_class, counter, bound in ((comparison, left, right), (MIRRORED[comparison], right, left)):
        if counter in arguments and bound not in inside and {type_of(counter), type_of(bound)} == {_COUNTER}:
            place = arguments.index(counter)
            step = _step_of(loop, place)
            return _Count(place, op_class, bound, step) if _goes_towards(op_class, step) else None
    return None


def _step_of(loop: Operation, place: int) -> int:
    """The constant by which every iteration advances a carried value; 0 where there is none."""
    test, work = body(loop, 0), body(loop, 1)
    passed = yielded(test)
    counter = test.arguments[place]
    made = producer(yielded(work)[place])
    op_class = None if made is None else op_class_of(made)
    if made is None or op_class not in (Add, Subtract):
        return 0
    pairs = [tuple(made.operands)]
    if op_class is Add:
        pairs.append(pairs[0][::-1])
    for value, by in pairs:
        constant = constant_of(by)
        is_counter = value.owner == work and passed[value.arg_number] == counter
        if is_counter and constant is not None and type_of(by) == _COUNTER:
            return int(constant) if op_class is Add else -int(constant)
    return 0


def _goes_towards(comparison: type[Op], step: int) -> bool:
    if comparison in (Less, LessEqual):
        return step > 0
    return step < 0 if comparison in (Greater, GreaterEqual) else abs(step) == 1


def _replace(loop: Operation, count: _Count) -> None:
    """Build the `scf.for` in front of the loop: it carries what the loop tests, but for the counter."""
    work = body(loop, 1)
    initial = list(loop.operands)
    carried = [place for place in range(len(initial)) if place != count.place]
    with ir.InsertionPoint(loop), loop.location:
        trips = _trips(count, initial[count.place])
        bounds = [constant_index(0), index_from(trips), constant_index(1)]
        inputs = [initial[place] for place in carried]
        made = operation_of(FOR, [*bounds, *inputs], [value.type for value in inputs], regions=1)
    block = made.regions[0].blocks.append(ir.IndexType.get(), *(value.type for value in inputs))
    start = initial[count.place]
    with ir.InsertionPoint(block), loop.location:
        counter = _counter_after(start, tensor_from(block.arguments[0]), count.step)
        passed = _tested(loop, count, counter, list(block.arguments)[1:])
    replace_all(work.arguments, passed)
    for operation in operations_in(work):
        block.append(operation)
    kept = yielded(block)
    replace_terminator(block, [kept[place] for place in carried])
    with ir.InsertionPoint(loop), loop.location:
        ran = weft_op(Maximum, trips, constant_tensor(0))
        counter = _counter_after(start, ran, count.step)
        replace_all(loop.results, _tested(loop, count, counter, list(made.results)))
    loop.erase()


def _tested(loop: Operation, count: _Count, counter: Value, others: list[Value]) -> list[Value]:
    """What the test hands over for carried values; where it computes something, by a copy of its ops."""
    test = body(loop, 0)
    carried = [*others[: count.place], counter, *others[count.place :]]
    values = dict(zip(test.arguments, carried, strict=True))
    if defined_inside(loop).isdisjoint(set(yielded(test)) - values.keys()):
        return [values.get(value, value) for value in yielded(test)]
    return copy_block(test, values)


def _counter_after(start: Value, iterations: Value, step: int) -> Value:
    """start + iterations * step."""
    distance = iterations if step == 1 else weft_op(Multiply, iterations, constant_tensor(step))
    return distance if _is(start, 0) else weft_op(Add, start, distance)


def _is(value: Value, number: int) -> bool:
    constant = constant_of(value)
    return constant is not None and int(constant) == number


def _trips(count: _Count, start: Value) -> Value:
    """How often the loop runs; a negative number stands for not at all.

    The distance from start to bound is exact as an unsigned number; where it is negative as an i64, it is
    larger than any loop will run.
    """
    up, inclusive = count.step > 0, count.comparison in (LessEqual, GreaterEqual)
    low, high = (start, count.bound) if up else (count.bound, start)
    if up and count.step == 1 and not inclusive and _is(start, 0) and count.comparison is Less:
        return count.bound
    distance = weft_op(Subtract, high, low)
    constants = [constant_of(value) for value in (low, high)]
    if not _has_no_overflow(*constants):
        wrapped = weft_op(Less, distance, constant_tensor(0))
        distance = weft_op(Select, wrapped, constant_tensor(_MAX), distance)
    if inclusive:
        steps = _divided(distance, abs(count.step))
        if abs(count.step) == 1:
            steps = weft_op(Minimum, steps, constant_tensor(_MAX - 1))
        trips = weft_op(Add, steps, constant_tensor(1))
    elif abs(count.step) == 1:
        trips = distance
    else:
        last = weft_op(Subtract, distance, constant_tensor(1))
        trips = weft_op(Add, _divided(last, abs(count.step)), constant_tensor(1))
    if count.comparison is NotEqual:
        return trips
    runs = weft_op(LessEqual if inclusive else Less, low, high)
    return weft_op(Select, runs, trips, constant_tensor(0))


def _has_no_overflow(low: object, high: object) -> bool:
    """Whether high - low fits i64 wherever low <= high."""
    return (low is not None and int(low) >= 0) or (high is not None and int(high) < 0)  # type: ignore[call-overload]


def _divided(value: Value, by: int) -> Value:
    return value if by == 1 else weft_op(FloorDivide, value, constant_tensor(by))
