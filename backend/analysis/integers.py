"""Integers of a program that are known before it runs: sizes, bounds of loops, counters."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping

from ...dialect.formulas import ExtentName, simplified
from ...dialect.mlir import Operation, Value, ir
from ...dialect.sizes import UNLIMITED, Limits, Size, ceildiv, computed, floordiv, limits
from ..ranges.comparisons import SIGNED, compared
from ..ranges.interval import ARITHMETIC, WIDEST

_UNCHANGED = frozenset(
    {"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"}
)


def evaluate(
    op: Operation, numbers: Mapping[Value, Size], shapes: Mapping[Value, list[Size | None]]
) -> Size | None:
    """The integer that an op gives, in terms of what is known; None where it is not known, or is none."""
    name = op.name
    if name == "arith.constant":
        value = op.attributes["value"]
        return int(value.value) if isinstance(value, (ir.IntegerAttr, ir.BoolAttr)) else None
    if name in ("tensor.dim", "memref.dim"):
        axis, shape = numbers.get(op.operands[1]), shapes.get(op.operands[0])
        return shape[axis] if isinstance(axis, int) and shape is not None else None
    if name in ("tensor.extract", "memref.load") and len(op.operands) == 1:
        return numbers.get(op.operands[0])  # of a tensor of rank 0
    if name == "bufferization.to_tensor" or name in _UNCHANGED:
        return numbers.get(op.operands[0])
    if name == "tensor.from_elements" and len(op.operands) == 1 and not op.results[0].type.shape:
        return numbers.get(op.operands[0])
    if name == "arith.select":
        chosen = numbers.get(op.operands[0])
        return numbers.get(op.operands[1 if chosen else 2]) if isinstance(chosen, int) else None
    return _of_two(op, numbers)


def limits_of(name: Hashable) -> Limits:
    """The least and the largest number that a symbol of a formula stands for."""
    return (0, math.inf) if isinstance(name, ExtentName) else UNLIMITED


def _sorted(one: Size, other: Size, function: Callable[[int, int], int]) -> tuple[Size, Size]:
    """The smaller and the larger of two numbers; both what a function makes of them where that is not known."""
    least, most = limits(other - one, limits_of)
    if least >= 0 or most <= 0:
        return (one, other) if least >= 0 else (other, one)
    found = computed(function, one, other)
    return found, found


def smaller(one: Size, other: Size) -> Size:
    """The smaller one of two numbers.

    >>> from weft.dialect.sizes import symbol
    >>> print(smaller(symbol(ExtentName("n")), -1), smaller(symbol("n"), 8))
    -1 min(8, n)
    """
    return _sorted(one, other, min)[0]


_TERMS: Mapping[str, Callable[[Size, Size], Size | None]] = {
    "arith.addi": lambda left, right: left + right,
    "arith.subi": lambda left, right: left - right,
    "arith.muli": lambda left, right: left * right,
    "arith.maxsi": lambda left, right: _sorted(left, right, max)[1],
    "arith.minsi": lambda left, right: smaller(left, right),
    "arith.floordivsi": lambda left, right: computed(floordiv, left, right),
    "arith.ceildivsi": lambda left, right: computed(ceildiv, left, right),
    "arith.divsi": lambda left, right: _divided(left, right),
    "arith.divui": lambda left, right: _divided(left, right),
}
"""What is known of numbers that are not, in terms of these."""


def _divided(left: Size, right: Size) -> Size | None:
    """A quotient that is rounded to zero, which is down where neither is negative, as sizes are not."""
    is_positive = isinstance(right, int) and right > 0 and limits(left, limits_of)[0] >= 0
    return computed(floordiv, left, right) if is_positive else None


def _of_signs(predicate: int, left: Size, right: Size) -> int | None:
    """Whether a comparison holds of all sizes that there can be: no extent is negative."""
    if predicate in SIGNED:
        return None
    low, high = compared(predicate, limits(left - right, limits_of), (0, 0))  # type: ignore[arg-type]
    return low if low == high else None


def _of_two(op: Operation, numbers: Mapping[Value, Size]) -> Size | None:
    arithmetic = ARITHMETIC.get(op.name)
    if arithmetic is None and op.name != "arith.cmpi":
        return None
    left, right = (numbers.get(operand) for operand in op.operands)
    if left is None or right is None:
        return None
    if arithmetic is None and not (isinstance(left, int) and isinstance(right, int)):
        return _of_signs(op.attributes["predicate"].value, left, right)
    if not isinstance(left, int) or not isinstance(right, int):
        formula = _TERMS.get(op.name)
        found = None if formula is None else formula(left, right)
        return None if found is None else simplified(found)
    one, other = (left, left), (right, right)
    if arithmetic is None:
        low, high = compared(op.attributes["predicate"].value, one, other)
    else:
        low, high = arithmetic(one, other, WIDEST)
    return low if low == high else None
