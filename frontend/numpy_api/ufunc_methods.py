"""Methods of ufuncs on traced arrays: `reduce`, `accumulate`, `outer` and `at`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.dtypes import as_dtype
from ...dialect.errors import UnsupportedError, WeftTypeError
from ...dialect.op import Op
from ...dialect.ops import scans as scan_ops
from ...dialect.ops.indexing import Scatter
from ..indexing.broadcasting import broadcast_to
from ..indexing.views import get_item
from ..tracing.array import TracedArray
from ..tracing.element_stores import cast_element
from ..tracing.staging import ArrayResult, apply, asarray, cast, staged, trace_of
from . import reductions
from .accumulation import scan
from .arguments import BOOL, NO_VALUE, axis_tuple, deliver, write_into
from .creation import arange
from .joining import concatenate
from .selection import choose
from .shape import ravel, reshape
from .ufuncs import apply_ufunc, op_of


def _reduce_logaddexp(
    a: ArrayResult,
    axes: tuple[int, ...] | None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = -np.inf,
    where: Any = True,
) -> ArrayResult:
    loop = np.logaddexp.resolve_dtypes((a.dtype, a.dtype, None if dtype is None else np.dtype(dtype)))
    x = cast(a, as_dtype(loop[0]))
    if where is not True:
        x = choose(where, x, -np.inf)
    # An element more keeps axes from being empty, and adds nothing.
    start = asarray(cast_element(initial, x.dtype))
    if axes == () or (axes is None and x.ndim == 0):
        return deliver(np.logaddexp(start, x), out, "unsafe")
    axis = range(x.ndim)[0] if axes is None else axes[0]
    edge = tuple(1 if place == axis else extent for place, extent in enumerate(x.shape))
    joined = concatenate([broadcast_to(start, edge), x], axis=axis)
    result = reductions.logsumexp(joined, axes, keepdims)
    return deliver(result if result.ndim else result[()], out, "unsafe")


_REDUCTIONS: dict[np.ufunc, Callable[..., ArrayResult]] = {
    np.add: reductions.sum,
    np.multiply: reductions.prod,
    np.maximum: reductions.max,
    np.minimum: reductions.min,
    np.fmax: reductions.nanmax,
    np.fmin: reductions.nanmin,
    np.logical_and: reductions.all,
    np.logical_or: reductions.any,
    np.logaddexp: _reduce_logaddexp,
}
_BOOLEAN_REDUCTIONS: dict[np.ufunc, Callable[..., ArrayResult]] = {
    np.bitwise_and: reductions.all,
    np.bitwise_or: reductions.any,
}

_SCANS: dict[np.ufunc, type[Op]] = {
    np.add: scan_ops.CumulativeSum,
    np.multiply: scan_ops.CumulativeProd,
    np.maximum: scan_ops.CumulativeMax,
    np.minimum: scan_ops.CumulativeMin,
}


def _reduce(
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> ArrayResult:
    x = asarray(array)
    function = _REDUCTIONS.get(ufunc)
    if function is None and x.dtype == BOOL:
        function = _BOOLEAN_REDUCTIONS.get(ufunc)
    if function is None:
        raise _no_method(ufunc, "reduce", _REDUCTIONS)
    axes = None if axis is None else axis_tuple(axis, x.ndim) if x.ndim or axis not in (0, -1) else None
    given: dict[str, Any] = {"keepdims": keepdims, "out": out}
    if initial is not NO_VALUE:
        given["initial"] = initial
    if where is not True:
        given["where"] = where
    if ufunc in (np.add, np.multiply, np.logaddexp):
        given["dtype"] = dtype
    elif dtype is not None:
        x = cast(x, np.dtype(dtype))
    return function(x, axes, **given)


def _accumulate(
    ufunc: np.ufunc, array: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> ArrayResult:
    op_class = _SCANS.get(ufunc)
    if op_class is None:
        raise _no_method(ufunc, "accumulate", _SCANS)
    if asarray(array).ndim == 0:
        raise WeftTypeError("cannot accumulate on a scalar")
    return deliver(scan(op_class, array, axis, dtype), out)


def _outer(ufunc: np.ufunc, first: Any, second: Any, /, **kwargs: Any) -> ArrayResult:
    x, y = asarray(first), asarray(second)
    return apply_ufunc(ufunc, x.reshape((*x.shape, *(1,) * y.ndim)), y, **kwargs)


def _at(ufunc: np.ufunc, array: Any, index: Any, *values: Any) -> None:
    """Apply in place at an index; where it names an element several times, `add` and `subtract` add up."""
    op_of(ufunc)
    if not values:
        _require_once(ufunc, index)
        array[index] = ufunc(array[index])
        return
    if ufunc not in (np.add, np.subtract):
        raise _no_method(ufunc, "at", (np.add, np.subtract))
    addend = asarray(values[0])
    _scatter_add(array, index, np.negative(addend) if ufunc is np.subtract else addend)


def _require_once(ufunc: np.ufunc, index: Any) -> None:
    """Refuse indices that may name an element twice, to which NumPy applies the ufunc twice."""
    for entry in index if isinstance(index, tuple) else (index,):
        if isinstance(entry, (slice, type(None), type(Ellipsis), int, np.integer)) and not isinstance(
            entry, bool
        ):
            continue
        places = asarray(entry)
        if places.ndim == 0 or places.dtype == BOOL:
            continue
        known = None if isinstance(places, TracedArray) else places
        if known is None or known.size != len(set(known.reshape(-1).tolist())) or (known < 0).any():
            raise UnsupportedError(
                f"{ufunc.__name__}.at with an array of indices, which may name an element several times, is not "
                f"supported in compiled code; where it does not, write x[i] = np.{ufunc.__name__}(x[i])"
            )


def _scatter_add(target: Any, index: Any, addend: Any) -> None:
    """Add to the elements at an index, in place; index arrays may name one several times."""

    if not hasattr(target, "_write"):
        raise UnsupportedError(
            "ufunc.at writes traced values into a NumPy array; make the array with weft.zeros"
        )

    recorder = trace_of((target, index, addend))
    assert recorder is not None
    # The places in the flattened array that the index selects, in the order in which NumPy visits them.
    places = get_item(reshape(arange(target.size), target.shape), index)
    only = index[0] if isinstance(index, tuple) and len(index) == 1 else index
    if target.ndim == 1 and isinstance(only, (TracedArray, np.ndarray)) and only.dtype.kind in "iu":
        places = cast(asarray(only), np.dtype(np.int64))  # they are these, counted from the end or not
    # What is added is repeated in the program: repeated by NumPy, it would be an array that each call reads.
    values = broadcast_to(staged(recorder, cast(addend, target.dtype)), places.shape)
    flat = ravel(target)
    summed = apply(Scatter, flat, ravel(values), ravel(places), axes=(0,), position=0, mode="add")
    write_into(target, reshape(summed, target.shape))


def _no_method(ufunc: np.ufunc, method: str, there: Any) -> UnsupportedError:
    listing = ", ".join(f"{known.__name__}.{method}" for known in there)
    return UnsupportedError(
        f"{ufunc.__name__}.{method} is not supported in compiled code; supported are {listing}"
    )


METHODS: dict[str, Callable[..., Any]] = {
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
}
