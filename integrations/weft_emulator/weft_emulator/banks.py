"""How many cycles shared memory takes to give what warps ask for: it has 32 banks of 4 bytes.

A cycle gives a word of each bank, to all threads that ask for it. Accesses of 8 bytes are made by half a warp at a
time, those of 16 bytes by a quarter. Two halves, or the two quarters of a half, are one where each thread has a
neighbour, the next or the next but one, that asks for the same: so much was measured on cards, and is said nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .memory import Array

_WARP, _BANKS, _WORD = 32, 32, 4
_NOBODY = -1


class Banks:
    """Counts the cycles of a launch.

    >>> banks = Banks()
    >>> lanes = np.arange(32)
    >>> banks.count(lanes, 4 * lanes, 4)  # neighbours
    >>> banks.count(lanes, 128 * lanes, 4)  # words of one bank
    >>> banks.count(lanes, 16 * (lanes // 2 % 8), 16)  # the same 128 bytes for each half of a warp
    >>> banks.requests, banks.cycles
    (3, 35)
    """

    def __init__(self) -> None:
        self.requests = 0
        """Instructions of warps."""
        self.cycles = 0

    def count(self, threads: Array, addresses: Array, size: int) -> None:
        """Count an instruction of threads with such numbers, which access so many bytes each, at addresses."""
        warps = np.full((int(threads.max()) // _WARP + 1, _WARP), _NOBODY, np.int64)
        warps[threads // _WARP, threads % _WARP] = addresses
        for lanes in warps[(warps != _NOBODY).any(axis=1)]:
            self.requests += 1
            self.cycles += sum(_cycles(part, size) for part in _parts(lanes, size))


def _parts(lanes: Array, size: int) -> Iterator[Array]:
    """The addresses of the threads that are served together."""
    length = min(_WARP, _WARP * _WORD // size)
    together = min(2 * length, _WARP)
    for both in lanes.reshape(-1, together):
        pairs = both.reshape(-1, 4)
        if (pairs[:, ::2] == pairs[:, 1::2]).all() or (pairs[:, :2] == pairs[:, 2:]).all():
            yield both
        else:
            yield from both.reshape(-1, length)


def _cycles(addresses: Array, size: int) -> int:
    """How many words are asked of the bank that most are asked of."""
    asked = np.unique(addresses[addresses != _NOBODY])
    words = (asked[:, np.newaxis] + np.arange(0, size, _WORD)) // _WORD
    most: Any = np.bincount(np.unique(words) % _BANKS, minlength=_BANKS).max()
    return int(most)


__all__ = ["Banks"]
