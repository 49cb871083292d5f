"""How many digits integers have, computed without their texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tracing.array import TracedArray


def _magnitude(number: TracedArray) -> Any:
    """The integer without its sign, which the unsigned ones hold."""
    bits: Any = number.astype(np.uint64)
    return np.where(number < 0, np.uint64(0) - bits, bits)


def _as_int(number: Any) -> Any:
    return number.astype(np.int64).copy()._like_python(int)


def length_of_text(number: TracedArray, base: int, has_prefix: bool) -> Any:
    """How many characters the text of an integer has in a base, with its sign and perhaps the prefix of the base."""
    powers = [base**k for k in range(1, 64) if base**k < 2**64]
    further: Any = np.sum(_magnitude(number) >= np.array(powers, np.uint64))
    sign: Any = np.where(number < 0, 1, 0)
    return _as_int(further + sign + 1 + 2 * has_prefix)


def bit_length(number: TracedArray) -> Any:
    """How many binary digits an integer has without its sign; 0 has none."""
    return _as_int(np.sum(_magnitude(number) >= np.array([2**k for k in range(64)], np.uint64)))


def ones_of(number: TracedArray) -> Any:
    """How many binary digits of an integer are 1, without its sign."""
    return _as_int(np.bitwise_count(_magnitude(number)))
