"""What the result pool takes, and how much memory it keeps; apart from the pool, so that few need to load it."""

from __future__ import annotations

from collections.abc import Callable

from ...processors.system import memory

POOLED_BYTES = 1 << 16
"""Smaller results are NumPy's business: malloc gives the same memory again, without page faults."""

_SHARE = 8
_LEAST, _MOST, _UNKNOWN = 1 << 25, 1 << 33, 1 << 28


def default_limit(memory: int | None) -> int:
    """The bytes in free blocks, unless the user says otherwise, on a machine or in a container with so much memory.

    A new result of more than what is kept costs page faults at each call; the pool holds no more than the arrays of the
    program did at their peak in any case. None is for memory that the system does not tell.

    >>> default_limit(24 << 30) >> 20, default_limit(128 << 20) >> 20, default_limit(None) >> 20
    (3072, 32, 256)
    """
    return _UNKNOWN if memory is None else min(max(memory // _SHARE, _LEAST), _MOST)


DEFAULT_LIMIT = default_limit(memory())
"""The bytes in free blocks on this machine."""

_limit = DEFAULT_LIMIT
_followers: list[Callable[[int], None]] = []


def set_limit(limit: int) -> None:
    """Bound the bytes in free blocks from now on; with 0 NumPy allocates the results that follow."""
    global _limit
    _limit = limit
    for follower in _followers:
        follower(limit)


def follow_limit(follower: Callable[[int], None]) -> None:
    """Call a function with the limit, now and whenever it changes."""
    _followers.append(follower)
    follower(_limit)
