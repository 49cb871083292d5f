"""What a traced array refers to: a storage that may be written, seen through a path of views.

A storage holds the SSA value of a freshly computed array. The first write to it makes it a cell
(`weft.alloc_ref` right behind the value's definition); from then on reads are `weft.read_ref` at the current
place, so that a view sees what was written to its base, in program order, as in NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dialect.op import Op
from ..dialect.types import TensorType

if TYPE_CHECKING:
    from .trace import Trace


@dataclass(frozen=True)
class ViewStep:
    """One step from a base to a view of it: an op whose NumPy counterpart returns a view."""

    op_class: type[Op]
    attributes: dict[str, Any]
    operands: tuple[Any, ...] = ()
    """Run-time extents (traced scalars) behind the array operand."""
    writable: bool = True
    """Whether NumPy lets one write through it (not through `broadcast_to`)."""


class Storage:
    """An array that a trace computed or was given, before any view of it."""

    __slots__ = ("argument", "made_at", "ref", "trace", "type", "value", "version")

    def __init__(
        self, trace: Trace, value: Any, tensor_type: TensorType, argument: int | None = None
    ) -> None:
        self.trace = trace
        self.value = value
        """The SSA value, as long as nothing was written."""
        self.type = tensor_type
        self.ref: Any = None
        """The SSA value of the cell, once something was written."""
        self.version = 0
        """Counts the writes, so that views know when what they read is stale."""
        self.argument = argument
        """The position among the function's array arguments, or None for a local array."""
        self.made_at = trace.user_location()
        """Where the user's program made it, for messages."""


def simulated_view(base: TensorType, path: tuple[ViewStep, ...]) -> np.ndarray[Any, Any] | None:
    """A NumPy array of the view's shape and strides on no real memory, or None when a shape is not known.

    NumPy decides with strides whether a reshape is a view or a copy; this lets us ask it.
    """
    if not base.is_static or any(step.operands for step in path):
        return None
    shape = tuple(extent or 0 for extent in base.shape)
    strides = np.cumprod((base.dtype.itemsize, *shape[:0:-1]))[::-1] if shape else ()
    view = np.lib.stride_tricks.as_strided(np.empty(1, base.dtype), shape, tuple(int(s) for s in strides))
    for step in path:
        view = step.op_class.evaluate(
            view, *((),) * (len(step.op_class.operand_fields()) - 1), **step.attributes
        )
    return view


def reshape_is_view(base: TensorType, path: tuple[ViewStep, ...], shape: tuple[int, ...]) -> bool:
    """Whether NumPy's `reshape` of the view would be a view (True for what cannot be known and is contiguous)."""
    if not path:
        return True
    view = simulated_view(base, path)
    if view is None:
        return False
    alias = view.view()
    try:
        alias.shape = shape  # unlike reshape, never copies
    except AttributeError:
        return False
    return True
