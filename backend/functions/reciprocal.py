"""Reciprocals that do not keep a loop waiting."""

from __future__ import annotations

from .instructions import by_registers, has_instructions, instruction
from .number import Number
from .registry import expands


def reciprocal(x: Number) -> Number:
    """1 / x, for numbers from 2**-100 to 2**100 in magnitude.

    AVX-512 has an approximation, and a step of Newton's method doubles its bits. The last step makes the result that of
    the division (Markstein 1990), which processors whose approximations differ, and devices, have all alike.
    """
    if not has_instructions(x):
        return 1.0 / x
    negative, result = -x, by_registers(_approximate, x)
    for _ in range(2 if x.bits == 32 else 3):
        result = result.times_plus(result.times_plus(negative, 1.0), result)
    return result


@expands("rsqrt")
def reciprocal_root(x: Number) -> Number:
    """1 / sqrt(x)."""
    return 1.0 / x.sqrt()


def _approximate(x: Number) -> Number:
    return instruction("rcp14", x, [x.value, x.value])
