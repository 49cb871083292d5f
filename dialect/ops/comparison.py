"""Comparisons, logic and bits of every element: results are booleans or integers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..op import BinaryUfunc, Case, Cost, Op, UnaryUfunc

# Comparison


class Comparison(BinaryUfunc):
    """Base of the comparisons, which also take int64 and uint64 together and compare them exactly."""

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Every loop of one dtype, and the two of mixed signs."""
        yield from super().operand_dtypes()
        yield np.dtype(np.int64), np.dtype(np.uint64)
        yield np.dtype(np.uint64), np.dtype(np.int64)


class Equal(Comparison, name="equal", cost=Cost.CHEAP, example="([1, 2], 2) -> array([False,  True])"):
    """Whether the operands are equal."""


class NotEqual(Comparison, name="not_equal", cost=Cost.CHEAP, example="([1, 2], 2) -> array([ True, False])"):
    """Whether the operands differ; a NaN differs from everything."""


class Less(Comparison, name="less", cost=Cost.CHEAP, example="([1, 2], 2) -> array([ True, False])"):
    """Whether the first operand is smaller."""


class LessEqual(
    Comparison, name="less_equal", cost=Cost.CHEAP, example="([1, 2], 2) -> array([ True,  True])"
):
    """Whether the first operand is smaller or equal."""


class Greater(Comparison, name="greater", cost=Cost.CHEAP, example="([1, 2], 1) -> array([False,  True])"):
    """Whether the first operand is larger."""


class GreaterEqual(
    Comparison, name="greater_equal", cost=Cost.CHEAP, example="([1, 2], 2) -> array([False,  True])"
):
    """Whether the first operand is larger or equal."""


OPPOSITE: dict[type[Op], type[Op]] = {
    Equal: NotEqual,
    NotEqual: Equal,
    Less: GreaterEqual,
    GreaterEqual: Less,
    Greater: LessEqual,
    LessEqual: Greater,
}
"""The comparisons that hold where others do not, if no operand is a NaN."""
MIRRORED: dict[type[Op], type[Op]] = {
    Equal: Equal,
    NotEqual: NotEqual,
    Less: Greater,
    Greater: Less,
    LessEqual: GreaterEqual,
    GreaterEqual: LessEqual,
}
"""What comparisons are with their operands exchanged."""


class Isnan(UnaryUfunc, name="isnan", cost=Cost.CHEAP, example="([1, np.nan]) -> array([False,  True])"):
    """Whether the operand, or a part of it, is NaN."""


class Isinf(UnaryUfunc, name="isinf", cost=Cost.CHEAP, example="([1, -np.inf]) -> array([False,  True])"):
    """Whether the operand, or a part of it, is infinite."""


class Isfinite(
    UnaryUfunc, name="isfinite", cost=Cost.CHEAP, example="([1, np.nan]) -> array([ True, False])"
):
    """Whether the operand is neither infinite nor NaN."""


# Logic and bits


class LogicalAnd(
    BinaryUfunc, name="logical_and", cost=Cost.CHEAP, example="([0, 2], 1) -> array([False,  True])"
):
    """Whether both operands are nonzero."""


class LogicalOr(
    BinaryUfunc, name="logical_or", cost=Cost.CHEAP, example="([0, 2], 0) -> array([False,  True])"
):
    """Whether one of the operands is nonzero."""


class LogicalXor(
    BinaryUfunc, name="logical_xor", cost=Cost.CHEAP, example="([0, 2], 1) -> array([ True, False])"
):
    """Whether exactly one of the operands is nonzero."""


class LogicalNot(
    UnaryUfunc, name="logical_not", cost=Cost.CHEAP, example="([0, 2]) -> array([ True, False])"
):
    """Whether the operand is zero."""


class BitwiseAnd(BinaryUfunc, name="bitwise_and", cost=Cost.CHEAP, example="([6, 5], 3) -> array([2, 1])"):
    """And of the bits of integers or booleans."""


class BitwiseOr(BinaryUfunc, name="bitwise_or", cost=Cost.CHEAP, example="([6, 5], 3) -> array([7, 7])"):
    """Or of the bits of integers or booleans."""


class BitwiseXor(BinaryUfunc, name="bitwise_xor", cost=Cost.CHEAP, example="([6, 5], 3) -> array([5, 6])"):
    """Exclusive or of the bits of integers or booleans."""


class Invert(UnaryUfunc, name="invert", cost=Cost.CHEAP, example="([0, 5]) -> array([-1, -6])"):
    """All bits flipped; logical not of booleans."""

    aliases = (
        "bitwise_invert",
        "bitwise_not",
    )


_SHIFT_CASES = tuple(Case(case.shapes, low=0, high=70) for case in BinaryUfunc.cases)


class LeftShift(BinaryUfunc, name="left_shift", cost=Cost.CHEAP, example="([1, 2], 3) -> array([ 8, 16])"):
    """Bits moved up; by the width or more, or by a negative count, 0."""

    cases = _SHIFT_CASES


class RightShift(BinaryUfunc, name="right_shift", cost=Cost.CHEAP, example="([8, 17], 3) -> array([1, 2])"):
    """Bits moved down, filled with the sign; by the width or more, or by a negative count, all sign."""

    cases = _SHIFT_CASES


class BitwiseCount(
    UnaryUfunc, name="bitwise_count", cost=Cost.CHEAP, example="([7, 8]) -> array([3, 1], dtype=uint8)"
):
    """The number of bits set in the absolute value, as uint8."""


class Gcd(BinaryUfunc, name="gcd", cost=Cost.EXPENSIVE, example="([12, 7], 8) -> array([4, 1])"):
    """Greatest common divisor of the absolute values."""


class Lcm(BinaryUfunc, name="lcm", cost=Cost.EXPENSIVE, example="([4, 5], 6) -> array([12, 30])"):
    """Least common multiple of the absolute values; 0 if one is 0."""
