"""What a traced array refers to: a storage that may be written, seen through a path of views.

A storage holds the SSA value of a freshly computed array. The first write to it makes it a cell
(`weft.alloc_ref` right behind the value's definition); from then on reads are `weft.read_ref` at the current
place, so that a view sees what was written to its base, in program order, as in NumPy.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.op import Op
from ...dialect.ops.shape import Reshape
from ...dialect.records import dataclass
from ...dialect.types import MAX_BYTES, TensorType
from .may_alias import Sources

if TYPE_CHECKING:
    from ..source.locations import SourceRange
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

    __slots__ = (
        "argument",
        "known",
        "made_at",
        "ref",
        "region",
        "sources",
        "trace",
        "type",
        "value",
        "version",
        "written_at",
    )

    def __init__(
        self,
        trace: Trace,
        value: Any,
        tensor_type: TensorType,
        argument: int | None = None,
        made_at: SourceRange | None = None,
    ) -> None:
        self.trace = trace
        self.value = value
        """The SSA value, as long as nothing was written."""
        self.type = tensor_type
        self.ref: Any = None
        """The SSA value of the cell, once something was written."""
        self.version = 0
        """Counts the writes, so that views know when what they read is stale."""
        self.written_at = 0
        """When it was written last, by the clock of the trace."""
        self.argument = argument
        """The position among the function's array arguments, or None for a local array."""
        self.region = trace.region
        """Where the value is defined: it can be used as long as the region is open."""
        self.known: np.ndarray[Any, Any] | None = None
        """The elements, where the trace knows them and nothing was written: Python may look at these."""
        self.sources = Sources()
        """What this may be at run time: `y = a if c else b` is a or b."""
        self.made_at = made_at or trace.user_location()
        """Where the user's program made it, for messages."""


def reshape_is_view(base: TensorType, path: tuple[ViewStep, ...], shape: tuple[int, ...]) -> bool:
    """Whether NumPy's `reshape` of the view would be a view; a -1 in the shape stands for a run-time extent.

    NumPy decides with strides, so we ask it with an array on no real memory. Run-time extents are simulated by
    sizes that have many divisors: no size changes the answer, except that of 0 or 1. Where the steps or the shape
    depend on more than one unknown, only what was never sliced or transposed counts as a view.
    """
    view = _simulated_base(base)
    for step in path:
        if step.operands and step.op_class is Reshape:
            view = _reshaped(view, step.attributes["shape"])
        elif step.operands:
            view = None
        if view is None:
            break
        if not step.operands:
            absent = ((),) * (len(step.op_class.operand_fields()) - 1)
            view = step.op_class.evaluate(view, *absent, **step.attributes)
    if view is None or shape.count(-1) > 1:
        return all(step.op_class is Reshape for step in path)
    # The simulated size may not divide as the real one does; what is contiguous is a view in any shape.
    return view.flags.c_contiguous or _reshaped(view, shape) is not None


def _simulated_base(base: TensorType) -> np.ndarray[Any, Any] | None:
    """An array of a type without memory behind it, or None when it would be larger than an array can be."""
    shape = [12 * (axis + 1) if extent is None else extent for axis, extent in enumerate(base.shape)]
    if prod(shape) * base.dtype.itemsize > MAX_BYTES:
        return None
    strides = [base.dtype.itemsize * prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return np.lib.stride_tricks.as_strided(np.empty(1, base.dtype), shape, strides)


def _reshaped(view: np.ndarray[Any, Any] | None, shape: tuple[int, ...]) -> np.ndarray[Any, Any] | None:
    """A view of a view in another shape, or None when NumPy would copy or the sizes do not fit."""
    if view is None or shape.count(-1) > 1:
        return None
    try:
        return np.reshape(view, shape, copy=False)
    except ValueError:
        return None
