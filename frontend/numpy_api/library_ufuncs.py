"""Ufuncs that NumPy's namespace has no op for: those of SciPy that have an op, and loops of both that are called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.errors import WeftTypeError
from ...dialect.op import OPS, Op
from ...dialect.ops.elementary import Exp2, Expm1, Log1p, RealFunction
from ...dialect.ops.elementwise import Cbrt
from ...dialect.ops.special import ZETA, Special, Trigamma
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


@cache
def ops_of_special_functions() -> dict[str, type[Op]]:
    """The ops that are ufuncs of `scipy.special` on real numbers, by the ufuncs' names."""
    found: dict[str, type[Op]] = {op.name: op for op in (Cbrt, Exp2, Expm1, Log1p)}
    for op in OPS.values():
        if issubclass(op, (RealFunction, Special)):
            found[getattr(op, "ufunc_name", "") or op.name] = op
    return found


def special_op(ufunc: np.ufunc) -> type[Op] | None:
    """The op of a ufunc of SciPy for operands in float32 or float64."""
    module, _, name = (library_name(ufunc) or "").rpartition(".")
    return ops_of_special_functions().get(name) if module.startswith("scipy.special") else None


def special_call(ufunc: np.ufunc, operands: Sequence[Any]) -> tuple[type[Op], Sequence[Any]] | None:
    """The op of a ufunc of SciPy for some operands, and the operands of the op; None where its loop is to be called."""
    if any(operand.dtype not in (np.float32, np.float64) for operand in operands):
        return None
    order = operands[0]
    if library_name(ufunc) == ZETA and not isinstance(order, TracedArray) and order.ndim == 0 and order == 2:
        return Trigamma, operands[1:]
    op_class = special_op(ufunc)
    return None if op_class is None else (op_class, operands)


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
