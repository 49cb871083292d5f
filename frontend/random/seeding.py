"""What `numpy.random.SeedSequence` makes of a seed that only the program knows, computed by the program itself.

A generator that is made for each step or epoch then needs no Python. The state is NumPy's, to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tracing.array import TracedArray

_POOL = 4
_INIT_A, _MULT_A = 0x43B0D7E5, 0x931E8875
_INIT_B, _MULT_B = 0x8B51F9DD, 0x58F38DED
_MIX_LEFT, _MIX_RIGHT = 0xCA01F9DD, 0x4973F715
_SHIFT = np.uint32(16)
_MASK = (1 << 32) - 1

_PCG_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_HALF = np.uint64(32)
_LOW = np.uint64(_MASK)


def words_of_seed(seed: Any, count: int) -> Any:
    """The state of a PCG64 with so many words, by a seed in an array; None where NumPy is asked for it.

    That is an array of `uint32` of known length (not 0), each entry of which is one word of the seed.
    """
    if not isinstance(seed, TracedArray) or seed.dtype != np.uint32 or seed.ndim != 1:
        return None
    length = seed.type.shape[0]
    if not length:
        return None
    state = _generated(_pool_of([seed[place] for place in range(length)]))
    start, sequence = (state[1], state[0]), (state[3], state[2])
    one = np.uint64(1)
    increment = ((sequence[0] << one) | one, (sequence[1] << one) | (sequence[0] >> np.uint64(63)))
    low, high = _plus(_times_multiplier(_plus(start, increment)), increment)
    zero = low ^ low
    rest = [zero] * (count - 5)
    return np.stack([zero, *rest, low, high, *increment])


class _Hash:
    """The hash of a seed sequence, whose constant changes from value to value."""

    def __init__(self, constant: int, multiplier: int) -> None:
        self._constant = constant
        self._multiplier = multiplier

    def of(self, value: Any) -> Any:
        """The hash of the next value."""
        before = np.uint32(self._constant)
        self._constant = self._constant * self._multiplier & _MASK
        hashed = (value ^ before) * np.uint32(self._constant)
        return hashed ^ (hashed >> _SHIFT)


def _pool_of(words: list[Any]) -> list[Any]:
    """The pool of entropy of some words."""
    hashed = _Hash(_INIT_A, _MULT_A)
    zero = words[0] ^ words[0]
    pool = [hashed.of(word) for word in (*words, *[zero] * _POOL)[:_POOL]]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                pool[target] = _mixed(pool[target], hashed.of(pool[source]))
    for word in words[_POOL:]:
        for target in range(_POOL):
            pool[target] = _mixed(pool[target], hashed.of(word))
    return pool


def _mixed(left: Any, right: Any) -> Any:
    mixed = left * np.uint32(_MIX_LEFT) - right * np.uint32(_MIX_RIGHT)
    return mixed ^ (mixed >> _SHIFT)


def _generated(pool: list[Any]) -> list[Any]:
    """Four words of 64 bits."""
    hashed = _Hash(_INIT_B, _MULT_B)
    halves = [hashed.of(pool[place % _POOL]).astype(np.uint64) for place in range(8)]
    return [halves[place] | (halves[place + 1] << _HALF) for place in range(0, 8, 2)]


Wide = tuple[Any, Any]
"""A number of 128 bits: its lower half, and the upper one."""


def _plus(left: Wide, right: Wide) -> Wide:
    low = left[0] + right[0]
    return low, left[1] + right[1] + (low < right[0]).astype(np.uint64)


def _times_multiplier(number: Wide) -> Wide:
    """A number times the multiplier of PCG64, modulo 2**128."""
    lower, upper = np.uint64(_PCG_MULTIPLIER & (1 << 64) - 1), np.uint64(_PCG_MULTIPLIER >> 64)
    low, carried = _product(number[0], lower)
    return low, carried + number[0] * upper + number[1] * lower


def _product(left: Any, right: Any) -> Wide:
    """All 128 bits of a product of two words."""
    a, b, c, d = left & _LOW, left >> _HALF, right & _LOW, right >> _HALF
    middle = b * c + (a * c >> _HALF)
    other = a * d + (middle & _LOW)
    return left * right, b * d + (middle >> _HALF) + (other >> _HALF)
