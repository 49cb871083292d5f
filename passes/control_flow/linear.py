"""Bounds of the indices in loops: integers as sums of multiples of values, and what these lie between."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...dialect.extents import SIZE_FUNCTIONS
from ...dialect.mlir import Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.comparison import MIRRORED, OPPOSITE, Less, LessEqual
from ...dialect.ops.elementwise import Maximum, Minimum
from ...dialect.ops.selection import Select
from ...dialect.ops.shape import Dim
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ...dialect.sizes import Size, symbol, terms_of
from ...dialect.types import TensorType
from ..rewriting import type_of
from .facts import facts_of
from .structure import (
    FOR,
    FROM_ELEMENTS,
    IF,
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
LARGEST = 2**31
"""Larger factors and constants are not followed, so that sums of a few stay far from the end of i64."""


def _is_small(form: Size) -> bool:
    """Whether a size is a sum of multiples of values, and all factors are small."""
    return all(
        len(product) <= 1 and all(isinstance(name, ir.Value) for name in product) and abs(factor) < LARGEST
        for product, factor in terms_of(form).items()
    )


def values_in(form: Size) -> dict[Value, int]:
    """The values of a sum of multiples, and their factors."""
    return {product[0]: factor for product, factor in terms_of(form).items() if product}


def _constant(form: Size) -> int:
    return terms_of(form).get((), 0)


def linear(value: Value, depth: int = _DEPTH) -> Size:
    """An i64 tensor of rank 0, or an index, in terms of values that are not sums; equal up to wrapping around."""
    found = _linear(value, depth) if depth else None
    return found if found is not None and _is_small(found) else symbol(value)


def _linear(value: Value, depth: int) -> Size | None:
    number = scalar_constant(value) if str(value.type) == "index" else None
    if number is not None:
        return number
    operation = producer(value)
    if operation is None:
        return None
    if operation.name == INDEX_CAST or (operation.name == FROM_ELEMENTS and len(operation.operands) == 1):
        return linear(operation.operands[0], depth - 1)
    if (tensor := tensor_of(value)) is not None:
        return linear(tensor, depth - 1)
    constant = constant_of(value)
    if constant is not None:
        return int(constant) if type_of(value) == _NUMBER else None
    op_class = op_class_of(operation)
    function = None if op_class is None else SIZE_FUNCTIONS.get(op_class)
    operands = list(operation.operands)
    if function is None or any(type_of(operand) != _NUMBER for operand in operands):
        return None
    return function(*(linear(operand, depth - 1) for operand in operands))


# What values lie between


def upper_bounds(value: Value, depth: int = _DEPTH) -> Iterator[Size]:
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
        same = next(iter(values_in(form)), value)
        if depth and same != value and form == symbol(same):  # the value, in other words
            yield from upper_bounds(same, depth - 1)


def is_exact(form: Size) -> bool:
    """Whether a sum of i64s is the sum of the integers, because it cannot wrap around.

    Extents and counters of loops are far from the end of i64: neither memory nor time suffices for more.
    """
    values = values_in(form)
    return all(map(is_moderate, values)) or (list(values.values()) == [1] and _constant(form) == 0)


def is_moderate(value: Value, depth: int = _DEPTH) -> bool:
    """Whether a value is an extent, a counter, or the larger or smaller one of sums of such."""
    made = producer(value)
    if made is not None and op_class_of(made) in (Maximum, Minimum):
        names = [name for operand in made.operands for name in values_in(linear(operand))]
        return depth > 0 and value not in names and all(is_moderate(name, depth - 1) for name in names)
    return is_extent(value) or counter_of(value) is not None


def is_extent(value: Value) -> bool:
    """Whether a value is the extent of an axis, which is not negative."""
    made = producer(value)
    return made is not None and op_class_of(made) is Dim


@dataclass(frozen=True)
class Counter:
    """What the counter of a loop lies between in the body of the loop."""

    lower: Size
    upper: tuple[Size, ...]
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
        return Counter(first, tuple(bound - 1 for bound in upper_bounds(upper)))
    return _counter_of_while(loop, value) if loop.name == WHILE and block == body(loop, 1) else None


def _counter_of_while(loop: Operation, value: Value) -> Counter | None:
    """A value that begins at a constant, grows by 1 and is below something whenever the body runs."""
    test, work = body(loop, 0), body(loop, 1)
    tested = yielded(test)[value.arg_number]
    if tested not in list(test.arguments) or type_of(tested) != _NUMBER:
        return None
    place = tested.arg_number
    start = constant_of(loop.operands[place])
    if start is None or start < 0 or linear(yielded(work)[place]) != symbol(value) + 1:
        return None
    condition = tensor_of(terminator(test).operands[0])
    limits = [] if condition is None else _limits(tested, condition)
    bounds = tuple(
        bound for bound in limits if is_exact(bound) and not values_in(bound).keys() & set(test.arguments)
    )
    return Counter(int(start), bounds) if bounds else None


def _limits(value: Value, condition: Value) -> Iterator[Size]:
    """What an i64 is not above where a condition holds."""
    for left, right, relation in relations(condition, holds=True):
        if left == value:
            yield linear(right) - (1 if relation is Less else 0)


def relations(condition: Value, holds: bool) -> Iterator[tuple[Value, Value, type[Op]]]:
    """Pairs of i64s, the first less than the second or at most that, where a condition holds or does not."""
    for known, is_true in facts_of(condition, holds).items():
        made = producer(known)
        op_class = None if made is None else op_class_of(made)
        if made is None or op_class not in OPPOSITE:
            continue
        comparison = op_class if is_true else OPPOSITE[op_class]
        left, right = made.operands
        for relation, one, other in ((comparison, left, right), (MIRRORED[comparison], right, left)):
            if relation in (Less, LessEqual) and type_of(one) == type_of(other) == _NUMBER:
                yield one, other, relation


def is_at_most_zero(form: Size, depth: int = _DEPTH, at: Operation | None = None) -> bool:
    """Whether a sum cannot be positive, by the bounds of the counters and since extents are not negative.

    Counters of inner loops first: what they lie between depends on those of outer ones. Where an op is given, or there
    are counters, the branches around it, or around their loops, were taken.
    """
    values = values_in(form)
    counters = [(loops_around(value), value, counter) for value in values if (counter := counter_of(value))]
    if counters:
        _, value, counter = max(counters, key=lambda found: found[0])
        factor = values[value]
        rest = form - factor * symbol(value)
        bounds = counter.upper if factor > 0 else (counter.lower,)
        at = at or value.owner.owner.operation
        return depth > 0 and any(is_at_most_zero(rest + factor * bound, depth - 1, at) for bound in bounds)
    if _is_never_positive(form):
        return True
    known = () if at is None else _known_around(at)
    return any(_is_never_positive(form - other) for other in known)


def _is_never_positive(form: Size) -> bool:
    negative = all(factor < 0 and is_extent(value) for value, factor in values_in(form).items())
    return negative and _constant(form) <= 0


def _known_around(operation: Operation) -> Iterator[Size]:
    """Sums that are not positive where an op runs, by the conditions of the branches around it."""
    around = operation.parent
    while around is not None and around.name != "func.func":
        inner, operation = operation, around.operation
        condition = tensor_of(operation.operands[0]) if operation.name == IF else None
        if condition is not None:
            holds = inner.block == body(operation)
            for left, right, relation in relations(condition, holds):
                form = linear(left) - linear(right) + (1 if relation is Less else 0)
                if is_exact(linear(left)) and is_exact(linear(right)):
                    yield form
        around = operation.parent


def loops_around(argument: Value) -> int:
    """How deep in a function the loop is that an argument of its body is of."""
    depth, around = 0, argument.owner.owner
    while around.name != "func.func":
        depth, around = depth + 1, around.operation.parent
    return depth


def iterations_around(operation: Operation) -> Iterator[Size]:
    """Numbers that are not negative where an op runs, because the counting loops around it run."""
    around = operation.parent
    while around is not None and around.name != "func.func":
        if around.name == FOR and scalar_constant(around.operands[0]) == 0:
            for bound in upper_bounds(around.operands[1]):
                yield bound - 1
        around = around.operation.parent


def is_within(index: Value, extent: Value, at: Operation) -> bool:
    """Whether an index is known to be from -extent to extent - 1 where an op runs."""
    place, size = linear(index), linear(extent)
    if not is_exact(size) or not is_at_most_zero(place - size + 1):
        return False
    if is_at_most_zero(-place) or is_at_most_zero(-place - size):
        return True
    return any(is_at_most_zero(bound - place - size) for bound in iterations_around(at))
