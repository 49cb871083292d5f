"""Ufuncs that have no op of their own: compiled code calls the loops that NumPy and SciPy have for them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.errors import WeftTypeError
from ...dialect.ops.ufunc_loops import CallUfunc
from ...dialect.ufunc_loops import loop_of
from ..indexing.broadcasting import broadcast_arrays
from ..tracing.array import TracedArray
from ..tracing.staging import emit

if TYPE_CHECKING:
    from ..tracing.recorder import Recorder

_MODULES = ("numpy", "scipy.special", "scipy.special._ufuncs")
"""Where such ufuncs are found by their names."""


@cache
def library_name(ufunc: np.ufunc) -> str | None:
    """The name by which a program may call a ufunc; None for one that belongs to no library, or works on objects."""
    if ufunc.signature is not None:
        return None
    for module in _MODULES:
        if getattr(sys.modules.get(module), ufunc.__name__, None) is ufunc:
            return f"{module}.{ufunc.__name__}"
    return None


def has_loop(ufunc: np.ufunc, dtypes: Sequence[np.dtype[Any]]) -> bool:
    """Whether a library has a loop for operands of some dtypes."""
    name = library_name(ufunc)
    try:
        return name is not None and bool(loop_of(name, dtypes))
    except WeftTypeError:
        return False


def call_library(trace: Recorder, ufunc: np.ufunc, arrays: Sequence[Any]) -> tuple[TracedArray, ...]:
    """Stage a call of the loop for exactly the dtypes of arrays, which broadcast."""
    whole = [number for number, array in enumerate(arrays) if np.ndim(array)]
    broadcast = broadcast_arrays(*(arrays[number] for number in whole)) if len(whole) > 1 else None
    operands = list(arrays)
    for number, array in zip(whole, broadcast or (), strict=False):
        operands[number] = array
    results: tuple[TracedArray, ...] = emit(trace, CallUfunc, operands, {"ufunc": library_name(ufunc)})
    return results


__all__ = ["call_library", "has_loop", "library_name"]
