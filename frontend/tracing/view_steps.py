"""The steps from an array to a view of it, as NumPy makes them."""

from __future__ import annotations

from typing import Any

from ...dialect.op import Op
from ...dialect.records import dataclass


@dataclass(frozen=True)
class ViewStep:
    """One step from a base to a view of it: an op whose NumPy counterpart returns a view."""

    op_class: type[Op]
    attributes: dict[str, Any]
    operands: tuple[Any, ...] = ()
    """Run-time extents (traced scalars) behind the array operand."""
    writable: bool = True
    """Whether NumPy lets one write through it (not through `broadcast_to`)."""


__all__ = ["ViewStep"]
