"""Choices of choices, of booleans, and what is compared with them: what branches on status codes leave."""

from __future__ import annotations

import numpy as np

from ....dialect.mlir import Value
from ....dialect.ops.comparison import (
    MIRRORED,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
)
from ....dialect.ops.elementwise import Maximum, Minimum
from ....dialect.ops.selection import Select
from ....dialect.ops.shape import Dim
from ...rewriting import Match, type_of
from . import simplifies

_COMPARISONS = tuple(MIRRORED)


@simplifies(Select)
def select_and_or(m: Match) -> Value | None:
    """A choice between a boolean and True or False is `and` or `or`, maybe with the condition negated."""
    condition, first, second = m.operands
    if m.result_type.dtype != np.bool_ or type_of(condition) != m.result_type:
        return None
    chosen, other = m.splat(1), m.splat(2)
    if (chosen is None) == (other is None) or type_of(first if chosen is None else second) != m.result_type:
        return None
    if chosen is None:
        if other:
            return m.create(LogicalOr, m.create(LogicalNot, condition), first)
        return m.create(LogicalAnd, condition, first)
    if chosen:
        return m.create(LogicalOr, condition, second)
    return m.create(LogicalAnd, m.create(LogicalNot, condition), second)


@simplifies(Select)
def select_again(m: Match) -> Value | None:
    """A choice by a condition inside a choice by the same condition is decided."""
    condition, first, second = m.operands
    for place, value in ((1, first), (2, second)):
        inner = m.producer(place, Select)
        if inner is not None and inner.operands[0] == condition:
            decided = inner.operands[place]
            if type_of(decided) == type_of(value):
                return m.create(Select, condition, *((decided, second) if place == 1 else (first, decided)))
    return None


@simplifies(Select)
def select_smaller(m: Match) -> Value | None:
    """The one of two integers that compares less or greater is the minimum or maximum; floats may be NaN."""
    _, first, second = m.operands
    if m.result_type.dtype.kind not in "iu" or not type_of(first) == type_of(second) == m.result_type:
        return None
    for place, op_classes in enumerate(((Less, LessEqual), (Greater, GreaterEqual))):
        comparison = next((made for op_class in op_classes if (made := m.producer(0, op_class))), None)
        if comparison is not None and {*comparison.operands} == {first, second}:
            is_first = comparison.operands[0] == first
            return m.create(Minimum if is_first == (place == 0) else Maximum, first, second)
    return None


@simplifies(Maximum)
def maximum_of_extent(m: Match) -> Value | None:
    """An extent is not negative: `range(len(x))` counts up to it."""
    if m.result_type.dtype.kind != "i":
        return None
    for place in (0, 1):
        least = m.splat(1 - place)
        if (
            least is not None
            and int(least) <= 0
            and m.producer(place, Dim) is not None
            and type_of(m.operands[place]) == m.result_type
        ):
            return m.operands[place]
    return None


@simplifies(*_COMPARISONS)
def compare_chosen(m: Match) -> Value | None:
    """A choice between two constants compared with a constant is the condition, its negation, or known."""
    for place in (0, 1):
        choice, other = m.producer(place, Select), m.splat(1 - place)
        if choice is None or other is None or type_of(choice.operands[0]) != m.result_type:
            continue
        chosen = [value for value in (choice.splat(1), choice.splat(2)) if value is not None]
        if len(chosen) < 2:
            continue
        pairs = [(value, other) if place == 0 else (other, value) for value in chosen]
        first, second = (bool(m.op_class.compute([np.asarray(x) for x in pair], {})[0]) for pair in pairs)
        if first == second:
            return m.filled(first)
        return choice.operands[0] if first else m.create(LogicalNot, choice.operands[0])
    return None
