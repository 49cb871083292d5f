"""What checks in a nest of loops ask of values from outside of it, so that none of them fails in any iteration.

    for i in range(n): for j in range(i): ... a[i, j + 1] ...     asks     n - 1 < a.shape[0]  and  n - 1 < a.shape[1]

An index is largest and smallest where the counters are, if it is a sum of multiples of them (`linear`); what is read
from an array is one of its elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import numpy as np

from ...dialect.mlir import Operation, Value
from ...dialect.op import Op
from ...dialect.ops.casts import Cast
from ...dialect.ops.comparison import Greater, Less, LogicalOr
from ...dialect.ops.indexing import FindOutOfBounds, Gather
from ...dialect.ops.overflow import Overflows
from ...dialect.ops.shape import ExpandDims, Reshape, Squeeze, Transpose
from ...dialect.ops.slicing import DynamicSlice, Slice
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ...dialect.sizes import Size, symbol, terms_of
from ...dialect.types import TensorType
from ..rewriting import is_defined_inside, type_of
from .intervals import Intervals, place_in_while
from .linear import (
    LARGEST,
    is_at_most_zero,
    is_moderate,
    linear,
    loops_around,
    relations,
    upper_bounds,
    values_in,
)
from .structure import (
    FOR,
    body,
    constant_of,
    control_ops,
    producer,
    scalar_constant,
    tensor_of,
    terminator,
    trip_count,
    yielded,
)

_SELECTIONS: frozenset[type[Op]] = frozenset(
    {DynamicSlice, ExpandDims, Gather, Reshape, Slice, Squeeze, Transpose}
)
"""All elements of what these make are elements of their first operand."""

_DEPTH = 8
_NUMBER = TensorType((), np.dtype(np.int64))


@dataclass
class Needs:
    """What has to hold in front of a loop."""

    negative: list[Size] = field(default_factory=list)
    """Sums that are not above zero, of values from outside."""
    flags: list[Value] = field(default_factory=list)
    """What does not hold, i1[]."""
    arrays: list[tuple[Value, Value]] = field(default_factory=list)
    """Arrays of indices, and the extents that they are in."""

    def add(self, other: Needs) -> None:
        """Ask for more."""
        self.negative += [each for each in other.negative if each not in self.negative]
        self.flags += [each for each in other.flags if each not in self.flags]
        self.arrays += [each for each in other.arrays if each not in self.arrays]


def needs_of(condition: Value, loop: Operation) -> Needs | None:
    """What has to hold in front of a loop so that a condition in it never does; None if that cannot be told there."""
    if not is_defined_inside(condition, loop):
        return Needs(flags=[condition])
    made = producer(condition)
    op_class = None if made is None else op_class_of(made)
    if made is None or op_class not in (LogicalOr, FindOutOfBounds):
        return None if made is None else _needs_of_numbers(made, loop)
    if op_class is LogicalOr:
        both = [needs_of(operand, loop) for operand in made.operands]
        found = Needs()
        for each in both:
            if each is None:
                return None
            found.add(each)
        return found
    index, extent = made.operands
    size = linear(extent)
    if any(is_defined_inside(name, loop) for name in values_in(size)):
        return None
    inside = None if type_of(index).rank else _inside(linear(index), size, loop)
    if inside is not None:
        return Needs(negative=inside)
    array = _selected_from(index, loop)
    return None if array is None else Needs(arrays=[(array, extent)])


def _needs_of_numbers(check: Operation, loop: Operation) -> Needs | None:
    """That ints are moderate, whose sum or product a check in a loop is of, or which it compares with large ones."""
    op_class, operands = op_class_of(check), list(check.operands)
    if op_class in (Less, Greater):
        limit = constant_of(operands[1])
        if limit is None or limit.ndim:
            return None
        if type_of(operands[0]) == _NUMBER:
            counted = _needs_of_count(operands[0], int(limit), op_class is Greater, loop)
            if counted is not None:
                return counted
        if not (limit >= LARGEST if op_class is Greater else limit <= -LARGEST):
            return None
        del operands[1]
    elif op_class is None or not issubclass(op_class, Overflows):
        return None
    found = Needs()
    for operand in operands:
        inside = _inside(linear(operand), LARGEST, loop) if type_of(operand) == _NUMBER else None
        if inside is None:
            return None
        found.add(Needs(negative=inside))
    return found


def _needs_of_count(number: Value, limit: int, is_upper: bool, loop: Operation) -> Needs | None:
    """That what a `while` loop counts stays on one side of a limit: its test compares it with a value from outside."""
    if not is_upper:
        return Needs() if Intervals().of(number)[0] >= limit else None
    found = place_in_while(tensor_of(number) or number)
    if found is None:
        return None
    counting, place = found
    begin = constant_of(counting.operands[place])
    made = linear(yielded(body(counting, 1))[place])
    if begin is None or begin.ndim or begin > limit:
        return None
    for counted, bound in _bounds_in(counting):
        step, names = made - symbol(counted), values_in(bound)
        is_up = not values_in(step) and terms_of(step).get((), 0) >= 0
        if is_up and not any(is_defined_inside(name, loop) for name in names):
            highest = bound + step - limit
            return Needs(negative=[highest, *_moderate(highest)])
    return None


def _bounds_in(counting: Operation) -> Iterator[tuple[Value, Size]]:
    """Values that an iteration of a `while` loop begins with, and what they are at most, as its test holds."""
    test, inside = body(counting, 0), body(counting, 1)
    handed = dict(zip(yielded(test), inside.arguments, strict=True))
    condition = tensor_of(terminator(test).operands[0])
    for left, right, relation in () if condition is None else relations(condition, True):
        if left in handed:
            yield handed[left], linear(right) - (relation is Less)


def loops_before(loop: Operation) -> list[Operation]:
    """The loops of a nest of which it is asked in front of it whether they run: it is not known, but can be."""
    return [each for each in (*control_ops(loop, FOR), loop) if _is_asked(each, loop)]


def _is_asked(each: Operation, loop: Operation) -> bool:
    bounds = list(each.operands)[:2]
    lower, upper = map(linear, bounds)
    names = [*bounds, *values_in(lower), *values_in(upper)]
    if trip_count(each) is not None or any(is_defined_inside(name, loop) for name in names):
        return False
    return not is_at_most_zero(lower - upper + 1, at=loop)


def _inside(place: Size, size: Size, loop: Operation) -> list[Size] | None:
    """What must not be above zero, for an index to be from -size to size - 1 in all iterations."""
    found = list[Size]()
    for form in (place - size + 1, -place - size):
        if is_at_most_zero(form):
            continue
        largest = min(_largest(form, loop, _DEPTH), key=lambda each: len(terms_of(each)), default=None)
        if largest is None:
            return None
        found.append(largest)
        found += _moderate(form, largest)
    return found


def _largest(form: Size, loop: Operation, depth: int) -> Iterator[Size]:
    """Values from outside of a loop that a sum in it is not above, if all loops that it has counters of run."""
    inside = [name for name in values_in(form) if is_defined_inside(name, loop)]
    if not inside:
        yield form
        return
    if not depth or any(_loop_of(name) is None for name in inside):
        return
    name = max(inside, key=loops_around)
    around = name.owner.owner.operation
    factor = values_in(form)[name]
    lower, upper = list(around.operands)[:2]
    bounds = [linear(upper), *upper_bounds(upper)] if factor > 0 else [linear(lower) + 1]
    for bound in dict.fromkeys(bounds):
        yield from _largest(form - factor * symbol(name) + factor * (bound - 1), loop, depth - 1)


def _loop_of(counter: Value) -> Operation | None:
    """The `scf.for` that counts up a value."""
    if producer(counter) is not None or counter.arg_number:
        return None
    loop = counter.owner.owner.operation
    step = scalar_constant(loop.operands[2]) if loop.name == FOR else None
    return loop if step is not None and step > 0 else None


def _moderate(*forms: Size) -> Iterator[Size]:
    """That sums do not wrap around, whatever their values are: extents and counters are far from the end of i64."""
    names = dict.fromkeys(name for form in forms for name in values_in(form))
    for name in names:
        if not is_moderate(name) and _loop_of(name) is None:
            yield symbol(name) - LARGEST
            yield -symbol(name) - LARGEST


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
