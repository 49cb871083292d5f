"""How much memory the result pool keeps; apart from the pool, so that the settings need not load it."""

from __future__ import annotations

from collections.abc import Callable

DEFAULT_LIMIT = 1 << 28
"""Bytes in free blocks."""

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
