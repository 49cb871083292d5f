"""Bounds of the indices in loops: integers as sums of multiples of values, and what these lie between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...dialect.mlir import Operation, Value
from ...dialect.op import Op
from ...dialect.ops.elementwise import (
    Add,
    BitwiseAnd,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LogicalAnd,
    Maximum,
    Minimum,
    Multiply,
    Negative,
    Subtract,
)
from ...dialect.ops.selection import Select
from ...dialect.ops.shape import Dim
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ...dialect.types import TensorType
from ..rewriting import type_of
from .structure import (
    FOR,
    FROM_ELEMENTS,
    INDEX_CAST,
    WHILE,
    body,
    constant_of,
    producer,
    scalar_constant,
    tensor_of,
    terminator,
    yielded,
)

_NUMBER = TensorType((), np.dtype(np.int64))
_DEPTH = 12
_LARGEST = 2**31
"""Larger factors and constants are not followed, so that sums of a few stay far from the end of i64."""


@dataclass(frozen=True)
class Linear:
    """A sum of multiples of values and a constant, as an integer that does not wrap around."""

    terms: Mapping[Value, int]
    constant: int = 0

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """This and a multiple of another."""
        terms = dict(self.terms)
        for value, coefficient in other.terms.items():
            terms[value] = terms.get(value, 0) + factor * coefficient
        kept = {value: coefficient for value, coefficient in terms.items() if coefficient}
        return Linear(kept, self.constant + factor * other.constant)

    def shifted(self, by: int) -> Linear:
        """This and a constant."""
        return Linear(self.terms, self.constant + by)

    def without(self, value: Value) -> Linear:
        """This without the multiples of a value."""
        return Linear({v: c for v, c in self.terms.items() if v != value}, self.constant)

    @property
    def is_small(self) -> bool:
        """Whether factors and constant are."""
        return all(abs(number) < _LARGEST for number in (*self.terms.values(), self.constant))


def linear(value: Value, depth: int = _DEPTH) -> Linear:
    """An i64 tensor of rank 0, or an index, in terms of values that are not sums; equal up to wrapping around."""
    found = _linear(value, depth) if depth else None
    return found if found is not None and found.is_small else Linear({value: 1})


def _linear(value: Value, depth: int) -> Linear | None:
    number = scalar_constant(value) if str(value.type) == "index" else None
    if number is not None:
        return Linear({}, number)
    operation = producer(value)
    if operation is None:
        return None
    if operation.name == INDEX_CAST or (operation.name == FROM_ELEMENTS and len(operation.operands) == 1):
        return linear(operation.operands[0], depth - 1)
    if (tensor := tensor_of(value)) is not None:
        return linear(tensor, depth - 1)
    constant = constant_of(value)
    if constant is not None:
        return Linear({}, int(constant)) if type_of(value) == _NUMBER else None
    op_class = op_class_of(operation)
    if op_class not in (Add, Subtract, Multiply, Negative):
        return None
    operands = list(operation.operands)
    if any(type_of(operand) != _NUMBER for operand in operands):
        return None
    parts = [linear(operand, depth - 1) for operand in operands]
    if op_class is Negative:
        return Linear({}).plus(parts[0], -1)
    if op_class is not Multiply:
        return parts[0].plus(parts[1], 1 if op_class is Add else -1)
    for factor, other in (parts, parts[::-1]):
        if not factor.terms:
            return Linear({}).plus(other, factor.constant)
    return None


# What values lie between


def upper_bounds(value: Value, depth: int = _DEPTH) -> Iterator[Linear]:
    """What the number of iterations of a loop is at most, given that there is one at all."""
    operation = producer(value)
    if operation is not None and operation.name == INDEX_CAST:
        tensor = tensor_of(operation.operands[0])
        operation, value = (None, value) if tensor is None else (producer(tensor), tensor)
    op_class = None if operation is None else op_class_of(operation)
    operands = [] if operation is None else list(operation.operands)
    if depth and op_class is Minimum:
        for operand in operands:
            yield from upper_bounds(operand, depth - 1)
    elif depth and op_class in (Maximum, Select):
        for one, other in (operands[-2:], operands[:-3:-1]):
            constant = constant_of(other)
            if constant is not None and not constant.ndim and constant <= 0:
                yield from upper_bounds(one, depth - 1)
    form = linear(value)
    if is_exact(form):
        yield form
        terms = list(form.terms)
        if len(terms) == 1 and terms[0] != value and depth:  # the value, in other words
            yield from upper_bounds(terms[0], depth - 1) if form == Linear({terms[0]: 1}) else ()


def is_exact(form: Linear) -> bool:
    """Whether a sum of i64s is the sum of the integers, because it cannot wrap around.

    Extents and counters of loops are far from the end of i64: neither memory nor time suffices for more.
    """
    if form.terms and all(_is_moderate(value) for value in form.terms):
        return True
    return not form.terms or (list(form.terms.values()) == [1] and form.constant == 0)


def _is_moderate(value: Value) -> bool:
    return is_extent(value) or counter_of(value) is not None


def is_extent(value: Value) -> bool:
    """Whether a value is the extent of an axis, which is not negative."""
    made = producer(value)
    return made is not None and op_class_of(made) is Dim


@dataclass(frozen=True)
class Counter:
    """What the counter of a loop lies between in the body of the loop."""

    lower: Linear
    upper: tuple[Linear, ...]
    """Several bounds that hold all."""


def counter_of(value: Value) -> Counter | None:
    """What is known about the induction variable of an `scf.for`, or what an `scf.while` counts up."""
    if producer(value) is not None:
        return None
    block = value.owner
    loop = block.owner.operation
    if loop.name == FOR and value.arg_number == 0:
        lower, upper, step = list(loop.operands)[:3]
        first, stride = scalar_constant(lower), scalar_constant(step)
        if first is None or first < 0 or stride is None or stride < 1:
            return None
        return Counter(Linear({}, first), tuple(bound.shifted(-1) for bound in upper_bounds(upper)))
    return _counter_of_while(loop, value) if loop.name == WHILE and block == body(loop, 1) else None


_BELOW: dict[type[Op] | None, tuple[int, int, int]] = {
    Less: (0, 1, -1),
    LessEqual: (0, 1, 0),
    Greater: (1, 0, -1),
    GreaterEqual: (1, 0, 0),
}
"""Comparisons that bound a value from above: which operand, by which, and what to add to that."""


def _counter_of_while(loop: Operation, value: Value) -> Counter | None:
    """A value that begins at a constant, grows by 1 and is below something whenever the body runs."""
    test, work = body(loop, 0), body(loop, 1)
    tested = yielded(test)[value.arg_number]
    if tested not in list(test.arguments) or type_of(tested) != _NUMBER:
        return None
    place = tested.arg_number
    start = constant_of(loop.operands[place])
    if start is None or start < 0 or linear(yielded(work)[place]) != Linear({value: 1}, 1):
        return None
    bounds: list[Linear] = []
    for comparison in _conjuncts(tensor_of(terminator(test).operands[0])):
        smaller, larger, distance = _BELOW[op_class_of(comparison)]
        if comparison.operands[smaller] == tested and type_of(comparison.operands[larger]) == _NUMBER:
            bound = linear(comparison.operands[larger])
            if is_exact(bound) and not set(bound.terms) & set(test.arguments):
                bounds.append(bound.shifted(distance))
    return Counter(Linear({}, int(start)), tuple(bounds)) if bounds else None


def _conjuncts(condition: Value | None, depth: int = _DEPTH) -> Iterator[Operation]:
    """The comparisons that hold where a condition does."""
    made = None if condition is None else producer(condition)
    op_class = None if made is None else op_class_of(made)
    if made is None or op_class is None or not depth:
        return
    if op_class in _BELOW:
        yield made
    elif op_class in (LogicalAnd, BitwiseAnd):
        for operand in made.operands:
            if type_of(operand).dtype == np.bool_:
                yield from _conjuncts(operand, depth - 1)


def is_at_most_zero(form: Linear, depth: int = _DEPTH) -> bool:
    """Whether a sum cannot be positive, by the bounds of the counters and since extents are not negative.

    Counters of inner loops first: what they lie between depends on those of outer ones.
    """
    counters = [
        (_loops_around(value), value, counter) for value in form.terms if (counter := counter_of(value))
    ]
    if counters:
        _, value, counter = max(counters, key=lambda found: found[0])
        coefficient, rest = form.terms[value], form.without(value)
        bounds = counter.upper if coefficient > 0 else (counter.lower,)
        return depth > 0 and any(
            is_at_most_zero(rest.plus(bound, coefficient), depth - 1) for bound in bounds
        )
    negative = all(coefficient < 0 and is_extent(value) for value, coefficient in form.terms.items())
    return negative and form.constant <= 0


def _loops_around(argument: Value) -> int:
    """How deep in a function the loop is that an argument of its body is of."""
    depth, around = 0, argument.owner.owner
    while around.name != "func.func":
        depth, around = depth + 1, around.operation.parent
    return depth


def iterations_around(operation: Operation) -> Iterator[Linear]:
    """Numbers that are not negative where an op runs, because the counting loops around it run."""
    around = operation.parent
    while around is not None and around.name != "func.func":
        if around.name == FOR and scalar_constant(around.operands[0]) == 0:
            for bound in upper_bounds(around.operands[1]):
                yield bound.shifted(-1)
        around = around.operation.parent


def is_within(index: Value, extent: Value, at: Operation) -> bool:
    """Whether an index is known to be from -extent to extent - 1 where an op runs."""
    place, size = linear(index), linear(extent)
    if not is_exact(size) or not is_at_most_zero(place.plus(size, -1).shifted(1)):
        return False
    below = [Linear({}).plus(place, -1), Linear({}).plus(place, -1).plus(size, -1)]
    if any(is_at_most_zero(form) for form in below):
        return True
    return any(is_at_most_zero(below[1].plus(bound)) for bound in iterations_around(at))
