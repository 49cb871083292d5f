"""The steps from an array to a view of it, as NumPy makes them."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...dialect.op import Op
from ...dialect.ops.shape import Reshape
from ...dialect.records import dataclass
from ...dialect.types import MAX_BYTES, TensorType


@dataclass(frozen=True)
class ViewStep:
    """One step from a base to a view of it: an op whose NumPy counterpart returns a view."""

    op_class: type[Op]
    attributes: dict[str, Any]
    operands: tuple[Any, ...] = ()
    """Run-time extents (traced scalars) behind the array operand."""
    writable: bool = True
    """Whether NumPy lets one write through it (not through `broadcast_to`)."""


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


__all__ = ["ViewStep", "reshape_is_view"]
