"""Data that has one form in all processes, and what is said of what has none."""

from __future__ import annotations

from typing import Any, TypeAlias

Data: TypeAlias = Any
"""Nested tuples of None, bool, int, float, complex, str and bytes."""


class NotPortable(Exception):
    """A value, or something that a trace did, means nothing in another process; the message says what it is."""


class Elsewhere(NotPortable):
    """What a stored program refers to is not here, or is another one: the program is not for this process."""
