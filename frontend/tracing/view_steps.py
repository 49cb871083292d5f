"""The steps from an array to a view of it, as NumPy makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ...dialect.errors import UnsupportedError, WeftValueError
from ...dialect.records import dataclass

if TYPE_CHECKING:
    from ...dialect.op import Op  # which programs of the disk cache do without


@dataclass(frozen=True)
class ViewStep:
    """One step from a base to a view of it: an op whose NumPy counterpart returns a view."""

    op_class: type[Op]
    attributes: dict[str, Any]
    operands: tuple[Any, ...] = ()
    """Run-time extents (traced scalars) behind the array operand."""
    writable: bool = True
    """Whether NumPy lets one write through it (not through `broadcast_to`)."""
    refusal: str = ""
    """Why compiled code cannot write through it where NumPy lets one; empty where it can."""
    is_flag: bool = False
    """Whether NumPy has the array itself here, which was made read-only."""
    write: Callable[[Any, Any], None] | None = None
    """Writes new elements to what a view that begins with this step shows; None where that is its base."""


def require_writable(path: Iterable[ViewStep], what: str) -> None:
    """Refuse to write through a view: a `ValueError` where NumPy raises one, which says what is read-only."""
    for step in path:
        if step.refusal:
            raise UnsupportedError(step.refusal)
        if not step.writable:
            raise WeftValueError(f"{what} is read-only")
