"""Least squares of small matrices in the lanes of vectors, by singular values, as LAPACK's gelsd."""

from __future__ import annotations

import math

from .....dialect.mlir import Value, ir
from .....dialect.records import dataclass
from ....functions.number import Number, all_of, any_of, float_like
from ....nests.emit import Emitter, create
from .entries import Matrix, inner_product, sum_of, sum_of_squares
from .singular_values import decomposition

_ROUNDING = 2.0**-53
"""What thresholds are that are none."""
_USUAL = 2.0**500


@dataclass
class LeastSquares:
    """Solutions, what they leave over, how many singular values count, and these."""

    solutions: Matrix
    residuals: list[Number]
    """The sums of squares; NaN where a matrix has not as many singular values that count as columns."""
    rank: Number
    values: list[Number]
    reliable: Value


def least_squares(emitter: Emitter, a: Matrix, b: Matrix, threshold: Number) -> LeastSquares:
    """The smallest solutions of `a @ x = b`; singular values up to a threshold, beside the largest one, are zero."""
    found = decomposition(emitter, a, full=True)
    values, extent = found.values, len(a[0])
    columns = [list(column) for column in zip(*b, strict=True)]
    turned = [
        [inner_product(list(vector), column) for column in columns]
        for vector in zip(*found.left, strict=True)
    ]
    beyond = any_of(threshold.compare("<=", 0.0), threshold.compare(">=", 1.0))
    bound = threshold.constant(_ROUNDING).where(beyond, threshold) * values[0]
    counts = [value.compare(">", bound) for value in values]
    rank = sum_of([bound.constant(1.0).where(count, 0.0) for count in counts])
    inverses = [(1.0 / value).where(count, 0.0) for value, count in zip(values, counts, strict=True)]
    scaled = [[entry.times(inverse) for entry in row] for inverse, row in zip(inverses, turned, strict=False)]
    right = zip(*found.right[: len(values)], strict=True)  # rows of conjugates, as the product takes them
    solutions = [
        [inner_product(list(vector), list(column)) for column in zip(*scaled, strict=True)]
        for vector in right
    ]
    sizes = sum_of([entry.size() for row in b for entry in row])
    usual = [sizes.compare("<", _USUAL), values[0].compare("<", _USUAL), threshold.compare("==", threshold)]
    small = any_of(values[0].compare(">", 1 / _USUAL), values[0].compare("==", 0.0))
    return LeastSquares(
        solutions,
        _residuals(turned[extent:], len(columns), rank.compare("==", float(extent)), rank),
        _as_int32(rank),
        values,
        all_of(found.reliable, small, *usual),
    )


def _residuals(left_over: Matrix, count: int, is_full: Value, like: Number) -> list[Number]:
    if not left_over:
        return [like.constant(0.0).where(is_full, math.nan)] * count
    return [sum_of_squares(list(column)).where(is_full, math.nan) for column in zip(*left_over, strict=True)]


def _as_int32(number: Number) -> Number:
    type = float_like(number.type, ir.IntegerType.get_signless(32))
    return Number(create("arith.fptosi", [type], [number.value]))
