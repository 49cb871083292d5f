"""Identities of conversions between dtypes, and of the parts of complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialect.dtypes import kind
from ....dialect.mlir import Value
from ....dialect.ops.casts import Bitcast, Cast
from ....dialect.ops.complex_parts import Complex, Imag, Real
from ....dialect.ops.elementwise import Conjugate, Negative
from ...rewriting import Match, type_of
from . import simplifies


def is_widening(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    """Whether the target has every value of the source.

    >>> int8, int64 = np.dtype("int8"), np.dtype("int64")
    >>> is_widening(int8, np.dtype("float16")), is_widening(int64, np.dtype("float64"))
    (True, False)
    """
    if kind(source) in "iu" and kind(target) in "fc":
        # NumPy calls int64 to float64 safe, which it is not.
        part = target.itemsize // (2 if kind(target) == "c" else 1)
        return source.itemsize < part and bool(np.can_cast(source, target, "safe"))
    return bool(np.can_cast(source, target, "safe"))


@simplifies(Cast, Bitcast)
def cast_to_same(m: Match) -> Value | None:
    """A conversion to the dtype that the operand has changes nothing."""
    return m.operands[0] if type_of(m.operands[0]) == m.result_type else None


@simplifies(Cast)
def cast_twice(m: Match) -> Value | None:
    """A conversion to a dtype that has all values of the first one is not needed before another conversion.

    What follows sees the same number, so it rounds and wraps alike. Floats are not taken from one width to
    another on the way to an integer, nor integers through floats: what does not fit is defined by the widths.
    """
    inner = m.producer(0, Cast)
    if inner is None:
        return None
    first, middle, last = (t.dtype for t in (type_of(inner.operands[0]), inner.result_type, m.result_type))
    kinds = kind(first) + kind(middle) + kind(last)
    follows = kinds[1] in "biu" or kinds[2] in "fcb" or first == last
    if not is_widening(first, middle) or not follows:
        return None
    return inner.operands[0] if first == last else m.create(Cast, inner.operands[0], dtype=last)


@simplifies(Bitcast)
def bitcast_twice(m: Match) -> Value | None:
    """The bits of the bits are the bits."""
    inner = m.producer(0, Bitcast)
    return None if inner is None else m.create(Bitcast, inner.operands[0], dtype=m.result_type.dtype)


@simplifies(Real, Imag)
def part_of_complex(m: Match) -> Value | None:
    """The parts of complex(a, b) are a and b, unless they were broadcast."""
    made = m.producer(0, Complex)
    return None if made is None else made.operands[0 if m.op_class is Real else 1]


@simplifies(Real, Imag)
def part_of_conjugate(m: Match) -> Value | None:
    """conj(z) has the real part of z and its imaginary part negated."""
    inner = m.producer(0, Conjugate)
    if inner is None:
        return None
    part = m.create(m.op_class, inner.operands[0])
    return part if m.op_class is Real else m.create(Negative, part)


@simplifies(Complex)
def complex_of_parts(m: Match) -> Value | None:
    """complex(z.real, z.imag) is z."""
    real, imaginary = m.producer(0, Real), m.producer(1, Imag)
    if real is None or imaginary is None or real.operands[0] != imaginary.operands[0]:
        return None
    return real.operands[0]
