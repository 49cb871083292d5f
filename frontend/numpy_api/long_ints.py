"""What Python's operators on its ints give in more than 64 bits: an error at the line, never another number.

Operators and builtins of programs ask; what weft itself computes (extents, lengths of lists) is of small numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import PythonNumberError
from ...dialect.op import Op
from ...dialect.ops.overflow import AddOverflows, MultiplyOverflows, SubtractOverflows
from ..tracing.array import TracedArray
from ..tracing.needed_numbers import need_deciding_numbers, need_number
from ..tracing.number_types import number_type
from ..tracing.staging import apply, cast, raise_where

_INT64 = np.dtype(np.int64)
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def require_64_bits(symbol: str, *operands: Any) -> None:
    """Announce where an operator's result on ints, of which one is traced, has more than 64 bits, or an operand has."""
    overflows = _CHECKS.get(symbol)
    traced = [operand for operand in operands if isinstance(operand, TracedArray)]
    if not traced or (overflows is None and symbol not in _BITWISE):
        return
    if all(number_type(operand) in (int, bool) for operand in operands):
        if not all(isinstance(each, TracedArray) or _SMALLEST <= each <= _LARGEST for each in operands):
            _need_constants(traced, symbol)
        if overflows is None:
            return
        shown = f"{{}} {symbol} {{}}" if len(operands) == 2 else "-({})"
        message = f"the result of {shown} has more than 64 bits, and compiled code has ints of 64 bits"
        numbers = [
            cast(operand, _INT64) if isinstance(operand, TracedArray) else int(operand)
            for operand in operands
        ]
        raise_where(overflows(*numbers), PythonNumberError, message, *numbers, is_own=True)


def _need_constants(traced: list[TracedArray], symbol: str) -> None:
    """Begin again with ints of Python's where there may be some, as one of the operands has more than 64 bits."""
    what = "an int of more than 64 bits"
    for number in traced:
        need_number(number, what)
    need_deciding_numbers(traced[0]._storage.trace, what)
    raise PythonNumberError(
        f"an operand of {symbol} has more than 64 bits, and the other is an int that is known when the program runs: "
        "compiled code has ints of 64 bits"
    )


def _by(op_class: type[Op]) -> Callable[[Any, Any], Any]:
    return lambda x, y: apply(op_class, _scalar(x), _scalar(y))


def _scalar(value: Any) -> Any:
    return value if isinstance(value, TracedArray) else np.int64(value)


def _product(x: Any, y: Any) -> Any:
    if isinstance(x, TracedArray) and isinstance(y, TracedArray):
        return apply(MultiplyOverflows, x, y)
    x, factor = (x, y) if isinstance(x, TracedArray) else (y, x)
    if factor in (0, 1):
        return False
    # Comparisons say of x what it is behind them, so that `3 * n + 1` needs no second check.
    below, above = _SMALLEST // factor, _LARGEST // factor
    lowest, highest = (-(-_SMALLEST // factor), above) if factor > 0 else (-(-_LARGEST // factor), below)
    return np.logical_or(np.less(x, lowest), np.greater(x, highest))


def _negated(x: Any) -> Any:
    return np.less(x, -_LARGEST)  # which is one, but ordered ones tell more of what loops count


def _quotient(x: Any, y: Any) -> Any:
    if not isinstance(y, TracedArray):
        return _negated(x) if y == -1 else False
    return np.logical_and(np.equal(y, -1), np.equal(x, _SMALLEST))


def _shifted(x: Any, count: Any) -> Any:
    if isinstance(x, TracedArray):
        is_count = np.greater_equal(count, 0)  # others are refused by Python
        return np.logical_and(is_count, np.not_equal(np.right_shift(np.left_shift(x, count), count), x))
    return False if x == 0 else np.greater(count, _last(lambda n: x << n))


def _power(base: Any, exponent: Any) -> Any:
    if not isinstance(base, TracedArray):
        return False if abs(base) < 2 else np.greater(exponent, _last(lambda n: base**n))
    if isinstance(exponent, TracedArray):
        size = np.power(np.abs(base.astype(np.float64)), exponent.astype(np.float64))
        return np.greater(
            size, 2.0**63 * (1 - 2.0**-40)
        )  # rounded: what is next to the limit counts as beyond it
    if exponent < 2:
        return False
    root = int(_LARGEST ** (1 / exponent)) + 2  # and then down to the largest base whose power fits
    root = next(n for n in range(root, 0, -1) if n**exponent <= _LARGEST)
    return np.logical_or(np.greater(base, root), np.less(base, -root))


def _last(value: Callable[[int], int]) -> int:
    """The last of the numbers from 0 for which a value has 64 bits; the values of more have more."""
    return next(n for n in range(64) if not _SMALLEST <= value(n + 1) <= _LARGEST)


_CHECKS: dict[str, Callable[..., Any]] = {
    "+": _by(AddOverflows),
    "-": _by(SubtractOverflows),
    "*": _product,
    "//": _quotient,
    "<<": _shifted,
    "**": _power,
    "unary -": _negated,
}

_BITWISE = frozenset({"&", "|", "^", "%", ">>"})
"""These have results of 64 bits where their operands have."""
