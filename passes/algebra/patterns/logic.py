"""Identities of bits, comparisons and choices."""

from __future__ import annotations

import numpy as np

from ....dialect.dtypes import kind
from ....dialect.mlir import Value
from ....dialect.ops.comparison import (
    OPPOSITE,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    Equal,
    GreaterEqual,
    Invert,
    LeftShift,
    LessEqual,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    LogicalXor,
    NotEqual,
    RightShift,
)
from ....dialect.ops.selection import Select
from ...rewriting import Match, type_of
from . import simplifies

_AND, _OR, _XOR = (BitwiseAnd, LogicalAnd), (BitwiseOr, LogicalOr), (BitwiseXor, LogicalXor)


def _is_bitwise(m: Match) -> bool:
    """Whether an op works on bits; a logical op does on booleans only."""
    first = type_of(m.operands[0]).dtype
    bitwise = m.op_class in (BitwiseAnd, BitwiseOr, BitwiseXor)
    return first == type_of(m.operands[1]).dtype and (bitwise or kind(first) == "b")


def _all_bits(m: Match, operand: int, *, ones: bool) -> bool:
    """Whether an operand is a constant of zero bits or of one bits only."""
    value = m.splat(operand)
    return value is not None and bool(value == (~np.zeros_like(value) if ones else np.zeros_like(value)))


@simplifies(*_AND, *_OR)
def combine_with_itself(m: Match) -> Value | None:
    """x & x and x | x are x, bit by bit."""
    return m.operands[0] if m.operands[0] == m.operands[1] and _is_bitwise(m) else None


@simplifies(*_XOR)
def differ_from_itself(m: Match) -> Value | None:
    """x ^ x has no bit set."""
    return m.filled(0) if m.operands[0] == m.operands[1] and _is_bitwise(m) else None


@simplifies(*_AND, *_OR, *_XOR)
def combine_with_neutral(m: Match) -> Value | None:
    """x & ~0, x | 0 and x ^ 0 are x, bit by bit."""
    for constant, other in ((1, 0), (0, 1)):
        if _is_bitwise(m) and _all_bits(m, constant, ones=m.op_class in _AND):
            return m.operands[other]
    return None


@simplifies(*_AND, *_OR)
def combine_with_absorbing(m: Match) -> Value | None:
    """x & 0 is 0, and x | ~0 is ~0, bit by bit."""
    for constant in (1, 0):
        if _is_bitwise(m) and _all_bits(m, constant, ones=m.op_class in _OR):
            return m.filled(m.splat(constant))
    return None


@simplifies(Invert, LogicalNot)
def invert_twice(m: Match) -> Value | None:
    """~(~x) is x; `not not x` is x for booleans."""
    for op_class in (Invert, LogicalNot):
        inner = m.producer(0, op_class)
        if inner is not None and (m.op_class is op_class or m.result_type.dtype == bool):
            return inner.operands[0] if type_of(inner.operands[0]).dtype == m.result_type.dtype else None
    return None


@simplifies(Invert, LogicalNot)
def invert_comparison(m: Match) -> Value | None:
    """`not x == y` is `x != y` for all dtypes, `not x < y` is `x >= y` where there is no NaN."""
    if m.result_type.dtype != bool:
        return None
    for comparison, opposite in OPPOSITE.items():
        inner = m.producer(0, comparison)
        if inner is not None:
            total = all(kind(type_of(operand).dtype) in "biu" for operand in inner.operands)
            return m.create(opposite, *inner.operands) if total or comparison in (Equal, NotEqual) else None
    return None


@simplifies(*OPPOSITE)
def compare_with_itself(m: Match) -> Value | None:
    """x == x, x <= x and x >= x hold, and x != x, x < x and x > x do not, where there is no NaN."""
    if m.operands[0] != m.operands[1] or kind(type_of(m.operands[0]).dtype) not in "biu":
        return None
    return m.filled(m.op_class in (Equal, LessEqual, GreaterEqual))


@simplifies(LeftShift, RightShift)
def shift_by_nothing(m: Match) -> Value | None:
    """x << 0 and x >> 0 are x."""
    return m.operands[0] if _all_bits(m, 1, ones=False) else None


@simplifies(Select)
def select_known(m: Match) -> Value | None:
    """A choice whose condition is constant, or whose two values are one value, is no choice."""
    condition = m.splat(0)
    if m.operands[1] == m.operands[2]:
        return m.operands[1]
    return None if condition is None else m.operands[1 if condition else 2]


@simplifies(Select)
def select_inverted(m: Match) -> Value | None:
    """A choice by `not c` is the opposite choice by c."""
    for op_class in (LogicalNot, Invert):
        inverted = m.producer(0, op_class)
        if inverted is not None and type_of(inverted.operands[0]).dtype == bool:
            return m.create(Select, inverted.operands[0], m.operands[2], m.operands[1])
    return None


@simplifies(Select)
def select_boolean(m: Match) -> Value | None:
    """A choice between True and False is the condition, and between False and True its negation."""
    if m.result_type.dtype != bool or type_of(m.operands[0]) != m.result_type:
        return None
    first, second = m.splat(1), m.splat(2)
    if first is None or second is None or first == second:
        return None
    return m.operands[0] if first else m.create(LogicalNot, m.operands[0])
