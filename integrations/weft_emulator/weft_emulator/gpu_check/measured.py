"""What is measured of a program in another library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Measured(NamedTuple):
    """Seconds of each way in which a library runs a program, the name of what computes there, and slower choices."""

    seconds: Mapping[str, float]
    backends: Mapping[str, str]
    others: Mapping[str, float | str] = {}
    """Seconds of other back ends that the library has, or why one does not take the program."""


__all__ = ["Measured"]
