"""What the control of sorting calls besides itself: steps that `primitives.py` writes in vectors.

They cannot be called from Python; they are here so that the control is checked as Python.
"""

from __future__ import annotations

from ....dialect.errors import InternalError


def lanes() -> int:
    """How many keys a vector holds."""
    raise _only_native()


def registers() -> int:
    """How many vectors the largest sorting network takes."""
    raise _only_native()


def largest() -> int:
    """The largest key."""
    raise _only_native()


def alone() -> int:
    """1 if keys have no payloads, 0 if they have."""
    raise _only_native()


def gives_places() -> int:
    """1 if what is sorted are places, which are part of the keys."""
    raise _only_native()


def advance(keys: int, count: int) -> int:
    """The address of the key that is so many further on."""
    raise _only_native()


def encode(source: int, target: int, length: int, kind: int, apart: int) -> int:
    """Write the keys of elements, and their places where keys have payloads."""
    raise _only_native()


def decode(keys: int, length: int, kind: int, apart: int) -> int:
    """Write what keys stand for in their place."""
    raise _only_native()


def sort_vector(source: int, target: int, length: int, kind: int, apart: int) -> int:
    """Sort up to one vector of elements, from one place to another."""
    raise _only_native()


def bytes_of(count: int) -> int:
    """The bytes that so many elements take."""
    raise _only_native()


def choose_pivot(keys: int, length: int, apart: int, payload: int) -> int:
    """A key that is likely to stand near the middle; its payload goes to an address."""
    raise _only_native()


def partition(keys: int, length: int, apart: int, pivot: int, payload: int) -> int:
    """Put the keys before the pivot in front of all others; how many there are."""
    raise _only_native()


def network_1(keys: int, length: int, apart: int) -> int:
    """Sort up to one vector of keys."""
    raise _only_native()


def network_2(keys: int, length: int, apart: int) -> int:
    """Sort up to two vectors of keys."""
    raise _only_native()


def network_4(keys: int, length: int, apart: int) -> int:
    """Sort up to four vectors of keys."""
    raise _only_native()


def network_8(keys: int, length: int, apart: int) -> int:
    """Sort up to eight vectors of keys."""
    raise _only_native()


def network_16(keys: int, length: int, apart: int) -> int:
    """Sort up to sixteen vectors of keys."""
    raise _only_native()


def is_before(keys: int, left: int, right: int, apart: int) -> int:
    """Whether the key at one place stands before the key at another one."""
    raise _only_native()


def swap(keys: int, left: int, right: int, apart: int) -> int:
    """Exchange the keys at two places."""
    raise _only_native()


def _only_native() -> InternalError:
    return InternalError("native code was called as Python")
