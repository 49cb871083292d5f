"""NumPy's protocols: which namespace function a call of a NumPy function or ufunc on traced arrays means."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from ...dialect.dtypes import as_dtype
from ...dialect.errors import UnsupportedError, WeftTypeError
from ...dialect.op import Op
from ...dialect.ops import scans as scan_ops
from ...dialect.ops.indexing import Scatter
from ..indexing.broadcasting import broadcast_to
from ..indexing.views import get_item
from ..signature.composite_arrays import holds_composite
from ..tracing.array import TracedArray
from ..tracing.behaviour import behaviour
from ..tracing.element_stores import cast_element
from ..tracing.staging import ArrayResult, apply, asarray, cast
from . import EXTENSIONS, contraction, lookup, names, reductions, special
from .accumulation import scan
from .arguments import BOOL, NO_VALUE, axis_tuple, deliver, write_into
from .creation import arange
from .joining import concatenate
from .keywords import called
from .methods import METHODS
from .run_time_calls import call_at_run_time, call_natively_or_at_run_time
from .selection import choose
from .shape import ravel, reshape
from .ufuncs import apply_ufunc, op_of

# Universal functions


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> ArrayResult:
    """What `ufunc.method(*inputs, **kwargs)` means on traced arrays (`__array_ufunc__`)."""
    if holds_composite((inputs, kwargs)):
        return behaviour().composite_ufunc(ufunc, method, inputs, kwargs)
    suffix = "" if method == "__call__" else f".{method}"
    name = f"{'np.' if getattr(np, ufunc.__name__, None) is ufunc else ''}{ufunc.__name__}{suffix}"

    def native() -> Any:
        handler = _METHODS.get(method)
        if handler is None:
            there = ", ".join(f"ufunc.{name}" for name in _METHODS if name != "__call__")
            raise UnsupportedError(
                f"{ufunc.__name__}.{method} is not supported in compiled code; supported are {there}"
            )
        return called(name, handler, (ufunc, *inputs), kwargs)

    theirs = getattr(ufunc, method) if suffix else ufunc
    return call_natively_or_at_run_time(name, native, theirs, inputs, kwargs, f"ufunc{suffix}")


def _call(ufunc: np.ufunc, *inputs: Any, **kwargs: Any) -> ArrayResult:
    product = _PRODUCTS.get(ufunc)
    if product is not None:
        return called(f"np.{ufunc.__name__}", product, inputs, kwargs, ufunc)
    return apply_ufunc(ufunc, *inputs, **kwargs)


_PRODUCTS: dict[np.ufunc, Callable[..., Any]] = {
    getattr(np, name): getattr(contraction, name)
    for name in ("matmul", "vecdot", "matvec", "vecmat")
    if hasattr(np, name)  # the last two came with NumPy 2.2
}


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

    # The places in the flattened array that the index selects, in the order in which NumPy visits them.
    places = get_item(reshape(arange(target.size), target.shape), index)
    values = broadcast_to(cast(addend, target.dtype), places.shape)
    flat = ravel(target)
    summed = apply(Scatter, flat, ravel(values), ravel(places), axes=(0,), position=0, mode="add")
    write_into(target, reshape(summed, target.shape))


def _no_method(ufunc: np.ufunc, method: str, there: Any) -> UnsupportedError:
    listing = ", ".join(f"{known.__name__}.{method}" for known in there)
    return UnsupportedError(
        f"{ufunc.__name__}.{method} is not supported in compiled code; supported are {listing}"
    )


_METHODS: dict[str, Callable[..., Any]] = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
}

# Functions


def call_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a NumPy function means on traced arrays (`__array_function__`): the namespace function of its name."""
    if holds_composite((args, kwargs)):
        return behaviour().composite_function(function, args, kwargs)
    module = getattr(function, "__module__", None) or "numpy"
    ours = _counterpart(function)
    name = f"{_shown(module)}.{function.__name__}"
    if ours is None:
        return call_at_run_time(name, function, args, kwargs, _unsupported_message(module, function.__name__))

    def native() -> Any:
        return called(name, ours, args, kwargs, function)

    return call_natively_or_at_run_time(name, native, function, args, kwargs, function.__name__)


def has_counterpart(function: Any) -> bool:
    """Whether the namespace has a function in the place of one of NumPy's."""
    return _counterpart(function) is not None


def _names_of(module: str) -> list[str]:
    """The supported functions of a module of NumPy, or of SciPy."""
    if module.startswith("scipy.special"):
        return special.__all__
    if (extension := _extension_of(module)) is not None:
        return list(lookup(extension).__all__)
    is_main = module == "numpy" or module.startswith(("numpy._core", "numpy.lib"))
    return sorted(name for name in names() if isinstance(lookup(name), FunctionType)) if is_main else []


@cache
def _function_of(module: str, name: str) -> Callable[..., Any] | None:
    if name not in _names_of(module):
        return None
    extension = _extension_of(module)
    if module.startswith("scipy.special"):
        return getattr(special, name)  # type: ignore[no-any-return]
    found: Callable[..., Any] = lookup(name) if extension is None else getattr(lookup(extension), name)
    return found


def _counterpart(function: Any) -> Callable[..., Any] | None:
    """The namespace function that stands for one of NumPy's; another module may have another one of its name."""
    module, name = getattr(function, "__module__", None) or "numpy", getattr(function, "__name__", "")
    if _extension_of(module) is None and getattr(np, name, function) is not function:
        return None
    return _function_of(module, name)


def _extension_of(module: str) -> str | None:
    """The extension that has the functions of a NumPy module."""
    return next((each for each in EXTENSIONS if module.startswith(f"numpy.{each}")), None)


def _shown(module: str) -> str:
    """The module of a function, as programs name it."""
    extension = _extension_of(module)
    return module.replace("numpy", "np", 1) if extension is None else f"np.{extension}"


def _unsupported_message(module: str, name: str) -> str:
    there = _names_of(module)
    hint = f"dir(weft) lists the {len(there)} functions there are" if there else f"no function of {module} is"
    return (
        f"{module}.{name} is not supported in compiled code; {hint}. Call it outside of the "
        "compiled function and pass the result as an argument"
    )


# Methods


@cache
def namespace_function(name: str) -> Callable[..., Any]:
    """The function behind a method or property of traced arrays."""
    function: Callable[..., Any] = METHODS[name] if name in METHODS else lookup(name)
    theirs = getattr(np.ndarray, name, None)

    def call(array: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(array, name)(*args, **kwargs)

    def method(*args: Any, **kwargs: Any) -> Any:
        def native() -> Any:
            return called(f"ndarray.{name}", function, args, kwargs, theirs)

        return call_natively_or_at_run_time(f"ndarray.{name}", native, call, args, kwargs, f"ndarray.{name}")

    return method


__all__ = ["call_function", "call_ufunc", "has_counterpart", "namespace_function"]
