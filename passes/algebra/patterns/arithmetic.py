"""Identities of arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialect.dtypes import kind
from ....dialect.mlir import Value
from ....dialect.op import Array
from ....dialect.ops.comparison import BitwiseAnd, RightShift
from ....dialect.ops.creation import Constant
from ....dialect.ops.elementwise import (
    Absolute,
    Add,
    Ceil,
    Conjugate,
    Divide,
    Fabs,
    Floor,
    FloorDivide,
    Fmax,
    Fmin,
    Maximum,
    Minimum,
    Multiply,
    Negative,
    Positive,
    Power,
    Reciprocal,
    Remainder,
    Rint,
    Square,
    Subtract,
    Trunc,
)
from ...rewriting import Match, type_of
from . import simplifies

_ROUNDINGS = (Floor, Ceil, Trunc, Rint)


def result_kind(match: Match) -> str:
    """NumPy's kind letter of the result."""
    return kind(match.result_type.dtype)


def is_zero(value: Any, *, negative: bool) -> bool:
    """Whether a float or both parts of a complex number are the zero of a sign.

    >>> is_zero(np.float32(-0.0), negative=True), is_zero(np.complex64(complex(0.0, -0.0)), negative=False)
    (True, False)
    """
    parts = [value.real, value.imag] if np.iscomplexobj(value) else [value]
    return all(part == 0 and bool(np.signbit(part)) == negative for part in parts)


# Sums


@simplifies(Add)
def add_zero(m: Match) -> Value | None:
    """x + 0 is x for integers and booleans; for floats x + -0.0 is: x + 0.0 would turn -0.0 into 0.0."""
    for zero, other in ((1, 0), (0, 1)):
        value = m.splat(zero)
        if value is not None and (value == 0 if result_kind(m) in "biu" else is_zero(value, negative=True)):
            return m.operands[other]
    return None


@simplifies(Subtract)
def subtract_zero(m: Match) -> Value | None:
    """x - 0 is x, also for floats: -0.0 - 0.0 is -0.0. x - -0.0 is not: -0.0 would become 0.0."""
    value = m.splat(1)
    if value is None or not (value == 0 if result_kind(m) in "iu" else is_zero(value, negative=False)):
        return None
    return m.operands[0]


@simplifies(Subtract)
def subtract_from_zero(m: Match) -> Value | None:
    """0 - x is -x for integers, -0.0 - x for floats: 0.0 - 0.0 is 0.0, but -0.0 - 0.0 is -0.0."""
    value = m.splat(0)
    if value is None or not (value == 0 if result_kind(m) in "iu" else is_zero(value, negative=True)):
        return None
    return m.create(Negative, m.operands[1]) if type_of(m.operands[1]) == m.result_type else None


@simplifies(Subtract)
def subtract_itself(m: Match) -> Value | None:
    """x - x is 0 for integers; for floats it is NaN where x is infinite."""
    return m.filled(0) if m.operands[0] == m.operands[1] and result_kind(m) in "iu" else None


@simplifies(Add)
def add_negative(m: Match) -> Value | None:
    """x + -y is x - y, and -x + y is y - x: IEEE defines subtraction so; integers wrap alike."""
    for negated, other in ((1, 0), (0, 1)):
        negative = m.producer(negated, Negative)
        if negative is not None:
            return m.create(Subtract, m.operands[other], negative.operands[0])
    return None


@simplifies(Subtract)
def subtract_negative(m: Match) -> Value | None:
    """x - -y is x + y: IEEE defines subtraction as adding the negative; integers wrap alike."""
    negative = m.producer(1, Negative)
    return None if negative is None else m.create(Add, m.operands[0], negative.operands[0])


@simplifies(Add, Subtract)
def join_constants(m: Match) -> Value | None:
    """(x + a) - b is x + (a - b) for integers, which wrap around alike; likewise for the other signs."""
    if result_kind(m) not in "iu":
        return None
    last = m.splat(1)
    inner = next((made for op_class in (Add, Subtract) if (made := m.producer(0, op_class))), None)
    first = None if inner is None else inner.splat(1)
    if last is None or inner is None or first is None:
        return None
    if not type_of(inner.operands[0]) == inner.result_type == m.result_type:
        return None
    zero: Any = np.zeros((), m.result_type.dtype)[()]
    with np.errstate(over="ignore"):
        before = zero - first if inner.op_class is Subtract else zero + first
        total = before - last if m.op_class is Subtract else before + last
    if total == 0:
        return inner.operands[0]
    return m.create(Add, inner.operands[0], m.create(Constant, value=np.asarray(total, zero.dtype)))


# Products and quotients


@simplifies(Multiply)
def multiply_by_one(m: Match) -> Value | None:
    """x * 1 is x, exactly; for booleans, x and True is x."""
    for one, other in ((1, 0), (0, 1)):
        if result_kind(m) != "c" and m.splat(one) == 1:
            return m.operands[other]
    return None


@simplifies(Multiply)
def multiply_by_zero(m: Match) -> Value | None:
    """x * 0 is 0 for integers and booleans; for floats it is NaN or -0.0 for some x."""
    for zero in (1, 0):
        if result_kind(m) in "biu" and m.splat(zero) == 0:
            return m.filled(0)
    return None


@simplifies(Multiply)
def multiply_by_minus_one(m: Match) -> Value | None:
    """x * -1 is -x: only the sign changes, and integers wrap alike."""
    for one, other in ((1, 0), (0, 1)):
        if result_kind(m) in "if" and m.splat(one) == -1 and type_of(m.operands[other]) == m.result_type:
            return m.create(Negative, m.operands[other])
    return None


@simplifies(Multiply, Divide)
def cancel_signs(m: Match) -> Value | None:
    """-x * -y is x * y, and -x / -y is x / y: the sign is that of the operands together."""
    left, right = m.producer(0, Negative), m.producer(1, Negative)
    if left is None or right is None or (m.op_class is Divide and result_kind(m) == "c"):
        return None
    return m.create(m.op_class, left.operands[0], right.operands[0])


@simplifies(Divide, FloorDivide)
def divide_by_one(m: Match) -> Value | None:
    """x / 1 is x for floats, and x // 1 for integers; a float x // 1 is rounded."""
    exact = "f" if m.op_class is Divide else "iu"
    return m.operands[0] if result_kind(m) in exact and m.splat(1) == 1 else None


@simplifies(FloorDivide)
def floor_divide_by_minus_one(m: Match) -> Value | None:
    """x // -1 is -x for integers, also for the least one, which both leave as it is: extents are rounded up so."""
    is_exact = result_kind(m) == "i" and m.splat(1) == -1 and type_of(m.operands[0]) == m.result_type
    return m.create(Negative, m.operands[0]) if is_exact else None


@simplifies(Divide)
def divide_by_power_of_two(m: Match) -> Value | None:
    """x / 2**k is x * 2**-k: both round the same real number, once. 2**-k must be a normal number."""
    if result_kind(m) != "f":
        return None
    divisor = m.graph.constant(m.operands[1])
    splat = m.splat(1)
    if divisor is None and splat is not None:
        divisor = np.asarray(splat)
    if divisor is None or not _is_power_of_two(divisor) or (splat is not None and splat == 1):
        return None
    with np.errstate(all="ignore"):
        reciprocal = (1 / divisor.astype(np.float64)).astype(divisor.dtype)
    return m.create(Multiply, m.operands[0], m.create(Constant, value=reciprocal))


def _is_power_of_two(array: Array) -> bool:
    """Whether all elements are plus or minus powers of two whose reciprocals are normal numbers."""
    wide = array.astype(np.float64)
    smallest = float(np.finfo(array.dtype).tiny) if array.dtype.kind == "f" else 2.0**-126
    with np.errstate(all="ignore"):
        mantissas, _ = np.frexp(wide)
        reciprocals = np.abs(1 / wide)
    largest = 1 / smallest
    return bool(np.all((np.abs(mantissas) == 0.5) & (reciprocals >= smallest) & (reciprocals <= largest)))


@simplifies(FloorDivide)
def floor_divide_by_power_of_two(m: Match) -> Value | None:
    """x // 2**k is x >> k for integers: the arithmetic shift rounds down, too."""
    shift = _integer_logarithm(m)
    if shift is None or shift == 0:
        return None
    count = m.create(Constant, value=np.asarray(shift, m.result_type.dtype))
    return m.create(RightShift, m.operands[0], count)


@simplifies(Remainder)
def remainder_of_power_of_two(m: Match) -> Value | None:
    """x % 2**k is x & (2**k - 1) for integers: the remainder has the sign of the divisor."""
    shift = _integer_logarithm(m)
    if shift is None:
        return None
    mask = m.create(Constant, value=np.asarray((1 << shift) - 1, m.result_type.dtype))
    return m.create(BitwiseAnd, m.operands[0], mask)


def _integer_logarithm(m: Match) -> int | None:
    """The k of an integer divisor 2**k, if the dividend alone has the shape of the result."""
    value = m.splat(1)
    if value is None or result_kind(m) not in "iu" or type_of(m.operands[0]) != m.result_type:
        return None
    number = int(value)
    return number.bit_length() - 1 if number > 0 and number & (number - 1) == 0 else None


# Powers


@simplifies(Power)
def power_of_one(m: Match) -> Value | None:
    """x ** 1 is x for integers and floats; C's pow is exact there."""
    return m.operands[0] if result_kind(m) in "iuf" and m.splat(1) == 1 else None


@simplifies(Power)
def power_of_zero(m: Match) -> Value | None:
    """x ** 0 is 1 for integers and floats, also for NaN."""
    return m.filled(1) if result_kind(m) in "iuf" and m.splat(1) == 0 else None


@simplifies(Power)
def power_of_two(m: Match) -> Value | None:
    """x ** 2 is x * x: integers wrap alike, and NumPy computes a number to the power of a scalar 2 so."""
    if m.splat(1) != 2 or type_of(m.operands[0]) != m.result_type:
        return None
    return m.create(Square, m.operands[0])


@simplifies(Power)
def power_of_integers(m: Match) -> Value | None:
    """A known power of integers is a few products: these wrap around alike, in whatever order."""
    exponent = m.splat(1)
    if exponent is None or result_kind(m) not in "iu" or type_of(m.operands[0]) != m.result_type:
        return None
    if not 3 <= int(exponent) <= _MOST_MULTIPLIED:
        return None
    power = m.operands[0]
    for bit in bin(int(exponent))[3:]:
        power = m.create(Square, power)
        power = m.create(Multiply, power, m.operands[0]) if bit == "1" else power
    return power


_MOST_MULTIPLIED = 64


@simplifies(Power)
def power_of_minus_one(m: Match) -> Value | None:
    """x ** -1 is 1 / x for floats, which C's pow rounds to, or nearly so."""
    if result_kind(m) != "f" or m.splat(1) != -1 or type_of(m.operands[0]) != m.result_type:
        return None
    return m.create(Reciprocal, m.operands[0])


# Ops of one operand


@simplifies(Negative, Conjugate)
def undo_twice(m: Match) -> Value | None:
    """-(-x) is x, conj(conj(x)) is x: a sign changes twice; the smallest integer is its own negative."""
    inner = m.producer(0, m.op_class)
    return None if inner is None else inner.operands[0]


@simplifies(Positive, Conjugate)
def change_nothing(m: Match) -> Value | None:
    """+x is x, and so is conj(x) of a real x."""
    return m.operands[0] if m.op_class is Positive or result_kind(m) != "c" else None


@simplifies(Absolute, Fabs, Square)
def ignore_sign(m: Match) -> Value | None:
    """abs(-x), abs(abs(x)), (-x)**2 and abs(x)**2 need no sign."""
    operand_kind = kind(type_of(m.operands[0]).dtype)
    if operand_kind == "u" and m.op_class is not Square:
        return None
    for op_class in (Negative, Absolute, Fabs) if operand_kind != "c" else (Negative,):
        inner = m.producer(0, op_class)
        if inner is not None and type_of(inner.operands[0]) == type_of(m.operands[0]):
            return m.create(m.op_class, inner.operands[0])
    return None


@simplifies(Absolute)
def absolute_of_unsigned(m: Match) -> Value | None:
    """abs(x) of an unsigned integer or a boolean is x."""
    return m.operands[0] if result_kind(m) in "bu" else None


@simplifies(*_ROUNDINGS)
def round_rounded(m: Match) -> Value | None:
    """A whole number is its own rounding, in every direction: integers, and what any rounding gives."""
    if result_kind(m) in "biu":
        return m.operands[0]
    if result_kind(m) == "f" and any(m.producer(0, rounding) for rounding in _ROUNDINGS):
        return m.operands[0]
    return None


@simplifies(Maximum, Minimum, Fmax, Fmin)
def choose_between_equals(m: Match) -> Value | None:
    """The larger and the smaller of x and x is x; NaN stays NaN."""
    return m.operands[0] if m.operands[0] == m.operands[1] and result_kind(m) != "c" else None


@simplifies(Maximum, Minimum)
def choose_again(m: Match) -> Value | None:
    """The larger of x and of the larger of x and y is that already; integers, of which equal ones are one."""
    for place in (0, 1):
        inner, again = m.producer(place, m.op_class), m.splat(1 - place)
        if inner is None or result_kind(m) not in "iu" or type_of(m.operands[place]) != m.result_type:
            continue
        is_constant = again is not None and again in (inner.splat(0), inner.splat(1))
        if is_constant or m.operands[1 - place] in (inner.operands[0], inner.operands[1]):
            return m.operands[place]
    return None
