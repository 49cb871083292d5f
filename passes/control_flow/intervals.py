"""What the integers of a program lie between: i64s of rank 0, where arithmetic that wraps around is everything.

Loops carry what they begin with and what iterations make of it. What an iteration adds to it is small in most programs:

    count += 1          at most 2**48 times, as neither memory nor time suffices for more; so count is far from 2**63
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from ...dialect.mlir import Operation, Value
from ...dialect.op import Op
from ...dialect.ops import comparison, elementwise, overflow
from ...dialect.ops.casts import Cast
from ...dialect.ops.indexing import FindOutOfBounds
from ...dialect.ops.selection import Select
from ...dialect.ops.shape import Dim, Reshape, Squeeze
from ...dialect.register import op_class_of
from ..rewriting import type_of
from .linear import relations
from .structure import (
    EXTRACT,
    FOR,
    FROM_ELEMENTS,
    IF,
    INDEX_CAST,
    WHILE,
    body,
    constant_of,
    handed_over,
    has_else,
    producer,
    scalar_constant,
    tensor_of,
    terminator,
    yielded,
)

Interval: TypeAlias = "tuple[int, int]"

EVERYTHING: Interval = (-(2**63), 2**63 - 1)
MOST = 2**48
"""More elements than memory holds, and more iterations than a program runs."""
_DEPTH = 40

_SAME = frozenset({INDEX_CAST, EXTRACT, FROM_ELEMENTS, Reshape.mlir_name(), Squeeze.mlir_name()})
"""What hands on the number of its first operand, where that has rank 0."""


def fits(interval: Interval) -> bool:
    """Whether all integers of an interval have 64 bits."""
    return EVERYTHING[0] <= interval[0] and interval[1] <= EVERYTHING[1]


def common(one: Interval, other: Interval) -> Interval:
    """What both hold; the first where that is nothing, as in code that never runs."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else one


def _hull(*intervals: Interval) -> Interval:
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _corners(compute: Callable[[int, int], int], x: Interval, y: Interval) -> Interval:
    found = [compute(a, b) for a, b in product(x, y)]
    return min(found), max(found)


def _sum(x: Interval, y: Interval) -> Interval:
    return x[0] + y[0], x[1] + y[1]


def _difference(x: Interval, y: Interval) -> Interval:
    return x[0] - y[1], x[1] - y[0]


def _product(x: Interval, y: Interval) -> Interval:
    return _corners(int.__mul__, x, y)


def _quotient(x: Interval, y: Interval) -> Interval:
    if y[0] > 0:
        return _corners(int.__floordiv__, x, y)
    size = max(map(abs, x))
    return (0, size) if x[0] >= 0 and y[0] >= 0 else (-size, size)


def _remainder(x: Interval, y: Interval) -> Interval:
    high = max(y[1] - 1, 0)
    return min(y[0] + 1, 0), min(high, x[1]) if x[0] >= 0 and y[0] >= 0 else high


def _and(x: Interval, y: Interval) -> Interval:
    highs = [high for low, high in (x, y) if low >= 0]
    return (0, min(highs)) if highs else EVERYTHING


def _or(x: Interval, y: Interval) -> Interval:
    return (0, (1 << max(x[1], y[1]).bit_length()) - 1) if min(x[0], y[0]) >= 0 else EVERYTHING


def _left(x: Interval, y: Interval) -> Interval:
    return _corners(int.__lshift__, x, y) if y[0] >= 0 and y[1] < 64 else EVERYTHING


def _right(x: Interval, y: Interval) -> Interval:
    return (_corners(int.__rshift__, x, (y[0], min(y[1], 64)))) if 0 <= y[0] <= 64 else EVERYTHING


def _absolute(x: Interval) -> Interval:
    return (0 if x[0] <= 0 <= x[1] else min(map(abs, x))), max(map(abs, x))


_RULES: dict[type[Op], Callable[..., Interval]] = {
    elementwise.Add: _sum,
    elementwise.Subtract: _difference,
    elementwise.Multiply: _product,
    elementwise.FloorDivide: _quotient,
    elementwise.Remainder: _remainder,
    elementwise.Negative: lambda x: (-x[1], -x[0]),
    elementwise.Absolute: _absolute,
    elementwise.Maximum: lambda x, y: (max(x[0], y[0]), max(x[1], y[1])),
    elementwise.Minimum: lambda x, y: (min(x[0], y[0]), min(x[1], y[1])),
    comparison.BitwiseAnd: _and,
    comparison.BitwiseOr: _or,
    comparison.BitwiseXor: _or,
    comparison.LeftShift: _left,
    comparison.RightShift: _right,
    Select: lambda condition, x, y: _hull(x, y),
    Dim: lambda x: (0, MOST),
}

_EXACT: dict[type[Op], Callable[[Interval, Interval], Interval]] = {
    overflow.AddOverflows: _sum,
    overflow.SubtractOverflows: _difference,
    overflow.MultiplyOverflows: _product,
}

_NEVER: dict[type[Op], Callable[[Interval, Interval], bool]] = {
    comparison.Less: lambda x, y: x[0] >= y[1],
    comparison.LessEqual: lambda x, y: x[0] > y[1],
    comparison.Greater: lambda x, y: x[1] <= y[0],
    comparison.GreaterEqual: lambda x, y: x[1] < y[0],
    comparison.Equal: lambda x, y: x[1] < y[0] or y[1] < x[0],
}


class Intervals:
    """What values lie between, where some are known to lie between others than everywhere."""

    def __init__(
        self, everywhere: Intervals | None = None, facts: dict[Value, Interval] | None = None
    ) -> None:
        self._everywhere = everywhere or self
        self.facts = facts or {}
        self._known: dict[Value, Interval] = {}
        self._tests: set[Operation] = set()
        """The `while` loops whose tests are being asked."""
        self._asked = 0
        """How many values are being asked, of which all others that are asked then hear that they are everything."""
        self._loops: dict[Value, Interval] = {}
        """What loops carry, found while nothing else was being asked."""

    def of(self, value: Value, depth: int = _DEPTH) -> Interval:
        """What a value lies between; everything while that is being asked."""
        if value not in self._known:
            self._known[value] = EVERYTHING
            self._asked += 1
            found = self._of(value, depth) if depth else EVERYTHING
            self._asked -= 1
            found = found if fits(found) else EVERYTHING
            self._known[value] = common(found, self.facts[value]) if value in self.facts else found
        return self._known[value]

    def never_holds(self, condition: Value) -> bool:
        """Whether a condition of rank 0 is surely false: one that arithmetic overflows, or a comparison."""
        constant, operation = constant_of(condition), producer(condition)
        if constant is not None:
            return not constant
        op_class = None if operation is None else op_class_of(operation)
        if operation is None or op_class is None:
            return False
        operands = list(operation.operands)
        if op_class in (comparison.LogicalOr, comparison.LogicalAnd):
            decide = all if op_class is comparison.LogicalOr else any
            return decide(map(self.never_holds, operands))
        if not all(map(_is_number, operands)):
            return False
        if op_class is FindOutOfBounds:
            (low, high), (size, _) = map(self.of, operands)
            return -size <= low and high < size
        if op_class in _EXACT:
            return fits(_EXACT[op_class](*map(self.of, operands)))
        return op_class in _NEVER and _NEVER[op_class](*map(self.of, operands))

    def _of(self, value: Value, depth: int) -> Interval:
        if not _is_number(value):
            return EVERYTHING
        operation = producer(value)
        if operation is None:
            around = value.owner.owner.operation
            if around.name == FOR and value.arg_number == 0:
                return self._counted(around)
            return self._everywhere._carried(value, depth) if around.name in (FOR, WHILE) else EVERYTHING
        number = scalar_constant(value)
        if number is None and (constant := constant_of(value)) is not None and not constant.ndim:
            number = int(constant)
        if number is not None:
            return number, number
        if operation.name in _SAME and _is_number(operation.operands[0]):
            return self.of(operation.operands[0], depth - 1)
        if operation.name in (IF, FOR, WHILE):
            if operation.name != IF:
                return self._everywhere._carried(value, depth)
            return _hull(*(self.of(each, depth - 1) for each in _sources(value)))
        op_class = op_class_of(operation)
        if op_class is Cast:
            return _of_dtype(type_of(operation.operands[0]).dtype)
        if op_class not in _RULES:
            return EVERYTHING
        return _RULES[op_class](*(self.of(operand, depth - 1) for operand in operation.operands))

    def _counted(self, loop: Operation) -> Interval:
        """What the counter of an `scf.for` lies between."""
        lower, upper, step = list(loop.operands)[:3]
        (low, highest), stride = self.of(lower), self.of(step)[1]
        return low, max(low, min(self.of(upper)[1] - 1, highest + MOST * stride))

    def _carried(self, value: Value, depth: int) -> Interval:
        """What loops carry, which is the same wherever it is asked, and so is found once."""
        if value in self._loops:
            return self._loops[value]
        is_first = not self._asked
        self._asked += 1
        found = self._gathered(value, depth)
        self._asked -= 1
        if is_first:
            self._loops[value] = found
        return found

    def _gathered(self, value: Value, depth: int) -> Interval:
        """What is handed on from place to place in loops, and all that is added to it on the way."""
        sources, added = self._handed_on_from(value)
        begins = [place for place in sources if not sources[place]]
        found = self._repeated(begins, added.values(), _DEPTH)
        cycle = _cycle_of(value, sources)
        begins = [source for place in cycle for source in sources[place] if source not in cycle]
        if depth and len(cycle) + len(begins) < len(sources):
            # What is added on the way to the cycle is added once.
            found = common(self._repeated(begins, map(added.__getitem__, cycle), depth - 1), found)
        return common(found, self._tested(value)) if fits(found) else found

    def _repeated(self, begins: Iterable[Value], added: Iterable[Interval], depth: int) -> Interval:
        """Numbers to which others are added again and again."""
        low, high = _hull(*(self.of(begin, depth) for begin in begins)) if begins else EVERYTHING
        for least, most in added:
            low, high = low + MOST * min(least, 0), high + MOST * max(most, 0)
        return low, high

    def _handed_on_from(self, value: Value) -> tuple[dict[Value, list[Value]], dict[Value, Interval]]:
        """What is handed on to a value, directly or not: of what each of that is one, and what is added there."""
        waiting, sources, added = [value], dict[Value, list[Value]](), dict[Value, Interval]()
        while waiting:
            place = waiting.pop()
            if place not in sources:
                sources[place], added[place] = self._handed_on(place)
                waiting += sources[place]
        return sources, added

    def _tested(self, value: Value) -> Interval:
        """What a `while` loop carries: what it begins with, or what an iteration makes where the test holds."""
        found = place_in_while(value)
        if found is None or found[0] in self._tests:
            return EVERYTHING
        loop, place = found
        self._tests.add(loop)
        inside = Intervals(self, dict(tested(loop, self)))
        made = _hull(self.of(loop.operands[place]), inside.of(handed_over(body(loop, 1), place)))
        self._tests.discard(loop)
        return made

    def _handed_on(self, value: Value) -> tuple[list[Value], Interval]:
        """The values of which a value is one, but for what is added to it; none where it begins."""
        operation = producer(value)
        if operation is None or operation.name in (IF, FOR, WHILE):
            return list(_sources(value)), (0, 0)
        if operation.name in _SAME and _is_number(operation.operands[0]):
            return [operation.operands[0]], (0, 0)
        op_class = op_class_of(operation)
        if op_class is Select:
            return list(operation.operands)[1:], (0, 0)
        if op_class in (elementwise.Add, elementwise.Subtract):
            x, y = operation.operands
            pairs = [(x, y), (y, x)] if op_class is elementwise.Add else [(x, y)]
            for source, term in pairs:
                low, high = self.of(term)
                if max(-low, high) < 2**14:
                    return [source], (low, high) if op_class is elementwise.Add else (-high, -low)
        return [], (0, 0)


def _cycle_of(value: Value, sources: Mapping[Value, Iterable[Value]]) -> set[Value]:
    """The values that one is handed on to, of those that are handed on to it."""
    users: dict[Value, list[Value]] = {}
    for place, handed in sources.items():
        for source in handed:
            users.setdefault(source, []).append(place)
    found, waiting = {value}, [value]
    while waiting:
        more = [user for user in users.get(waiting.pop(), ()) if user not in found]
        found.update(more)
        waiting += more
    return found


def _sources(value: Value) -> Iterator[Value]:
    """What a result of a branch or loop, or an argument in a loop, may be."""
    operation = producer(value)
    if operation is None:
        block = value.owner
        loop, place = block.owner.operation, value.arg_number
        if loop.name == FOR and place:
            yield loop.operands[place + 2]
            yield handed_over(block, place - 1)
        elif loop.name == WHILE and block == body(loop, 1):
            yield handed_over(body(loop, 0), place)
        elif loop.name == WHILE:
            yield loop.operands[place]
            yield handed_over(body(loop, 1), place)
        return
    place = value.result_number
    if operation.name == IF:
        for region in range(2 if has_else(operation) else 1):
            yield handed_over(body(operation, region), place)
    elif operation.name == FOR:
        yield operation.operands[place + 3]
        yield handed_over(body(operation), place)
    elif operation.name == WHILE:
        yield handed_over(body(operation, 0), place)


def place_in_while(value: Value) -> tuple[Operation, int] | None:
    """The `scf.while` that carries a value, and the place of it among what the loop begins with."""
    operation = producer(value)
    loop = value.owner.owner.operation if operation is None else operation
    if loop.name != WHILE:
        return None
    test = body(loop, 0)
    if operation is None and value.owner == test:
        return loop, value.arg_number
    handed = handed_over(test, value.arg_number if operation is None else value.result_number)
    is_carried = producer(handed) is None and handed.owner == test
    return (loop, handed.arg_number) if is_carried else None


def tested(loop: Operation, known: Intervals) -> Iterator[tuple[Value, Interval]]:
    """What is known in the body of an `scf.while`: its test holds."""
    test = body(loop, 0)
    condition = tensor_of(terminator(test).operands[0])
    handed = dict(zip(yielded(test), body(loop, 1).arguments, strict=True))
    for value, interval in () if condition is None else compared(condition, True, known):
        yield value, interval
        if value in handed:
            yield handed[value], interval


def compared(condition: Value, holds: bool, known: Intervals) -> Iterator[tuple[Value, Interval]]:
    """What comparisons say of their operands where a condition holds, or does not."""
    for left, right, relation in relations(condition, holds):
        distance = 1 if relation is comparison.Less else 0
        yield left, (EVERYTHING[0], known.of(right)[1] - distance)
        yield right, (known.of(left)[0] + distance, EVERYTHING[1])


def _is_number(value: Value) -> bool:
    """Whether a value is an i64 of rank 0, or an index."""
    return str(value.type) in ("tensor<i64>", "index", "i64")


def _of_dtype(dtype: np.dtype[Any]) -> Interval:
    if dtype == np.bool_:
        return 0, 1
    return (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) if dtype.kind in "iu" else EVERYTHING
