"""Elementwise functions.

There is one for every ufunc that has an op, under NumPy's and the Array API's names; the others are made of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.ops.complex_parts import Complex, Imag, Real
from ...dialect.ops.elementwise import Erf
from ..indexing.broadcasting import broadcast_to
from ..tracing.array import TracedArray
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast, view_of
from .arguments import NO_VALUE, as_inexact, common_dtype, deliver, is_inexact, promoted
from .info import finfo
from .selection import as_weak_operand, blend
from .ufuncs import apply_ufunc, ops_of_ufuncs

ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift",
    "conj": "conjugate",
    "mod": "remainder",
    "pow": "power",
    "true_divide": "divide",
}
"""Further names of ufuncs, from NumPy and from the Array API."""


def _unary(ufunc: np.ufunc, summary: str) -> Callable[..., ArrayResult]:
    def function(
        x: ArrayLike,
        /,
        out: Any = None,
        *,
        where: Any = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
    ) -> ArrayResult:
        return apply_ufunc(
            ufunc, x, out=out, where=where, casting=casting, order=order, dtype=dtype, subok=subok
        )

    return _named(function, ufunc.__name__, summary)


def _binary(ufunc: np.ufunc, summary: str) -> Callable[..., ArrayResult]:
    def function(
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: Any = None,
        *,
        where: Any = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        subok: bool = True,
    ) -> ArrayResult:
        given = {"where": where, "casting": casting, "order": order, "dtype": dtype, "subok": subok}
        return apply_ufunc(ufunc, x1, x2, out=out, **given)

    return _named(function, ufunc.__name__, summary)


def _named(function: Callable[..., Any], name: str, summary: str) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary}\n\nElementwise; takes the arguments of `numpy.{name}`."
    return function


def _functions_of_ufuncs() -> dict[str, Callable[..., ArrayResult]]:
    functions = {}
    for ufunc, op_class in ops_of_ufuncs().items():
        make = _unary if ufunc.nin == 1 else _binary
        name = op_class.name if op_class.ufunc is ufunc else ufunc.__name__
        functions[name] = make(ufunc, op_class.summary())
    for alias, name in ALIASES.items():
        functions[alias] = functions[name]
    return functions


UFUNC_FUNCTIONS = _functions_of_ufuncs()
globals().update(UFUNC_FUNCTIONS)


def clip(
    a: ArrayLike,
    min: Any = NO_VALUE,
    max: Any = NO_VALUE,
    out: Any = None,
    *,
    a_min: Any = NO_VALUE,
    a_max: Any = NO_VALUE,
    dtype: Any = None,
) -> ArrayResult:
    """Limit the elements to an interval, as `numpy.clip`; a bound that is None does not limit.

    >>> clip(np.array([1, 5, 9]), 2, 6)
    array([2, 5, 6])
    """
    low = a_min if a_min is not NO_VALUE else min
    high = a_max if a_max is not NO_VALUE else max
    bounds = [None if bound is NO_VALUE else bound for bound in (low, high)]
    x = asarray(a)
    if kind(x.dtype) in "iu":
        # A Python int that the dtype cannot hold, on the side where it does not limit, is left out (NEP 50).
        limits = np.iinfo(x.dtype)
        bounds[0] = None if type(bounds[0]) is int and bounds[0] <= limits.min else bounds[0]
        bounds[1] = None if type(bounds[1]) is int and bounds[1] >= limits.max else bounds[1]
    result_dtype = common_dtype(x, *(as_weak_operand(bound) for bound in bounds if bound is not None))
    result = cast(x, result_dtype)
    for ufunc, bound in ((np.maximum, bounds[0]), (np.minimum, bounds[1])):
        if bound is not None:
            result = apply_ufunc(ufunc, result, cast(as_weak_operand(bound), result_dtype))
    if bounds[0] is None and bounds[1] is None:
        result = apply_ufunc(np.positive, result) if result.dtype != bool else result.copy()
    return deliver(result if dtype is None else cast(result, np.dtype(dtype)), out)


def round(a: ArrayLike, decimals: int = 0, out: Any = None) -> ArrayResult:
    """Round to a number of decimals, halves to even, as `numpy.round`.

    >>> round(np.array([0.5, 1.5, 2.25]))
    array([0., 2., 2.])
    """
    x = asarray(a)
    if kind(x.dtype) in "iu" and decimals >= 0:
        return deliver(x.copy(), out)
    if kind(x.dtype) == "c":
        result = apply(Complex, round(real(x), decimals), round(imag(x), decimals))
    elif decimals == 0:
        result = np.rint(x)
    elif decimals > 0:
        factor = 10.0**decimals
        result = np.rint(x * factor) / factor
    else:
        factor = 10.0**-decimals
        result = cast(np.rint(x / factor) * factor, x.dtype)
    return deliver(result, out)


def fix(x: ArrayLike, out: Any = None) -> ArrayResult:
    """Round towards zero, as `numpy.fix`."""
    return apply_ufunc(np.trunc, x, out=out)


def erf(x: ArrayLike, /) -> ArrayResult:
    """The error function of real floating-point numbers."""
    return apply(Erf, as_inexact(asarray(x)))


def nan_to_num(
    x: ArrayLike, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> ArrayResult:
    """Replace NaN by a number and infinities by the largest numbers there are, as `numpy.nan_to_num`.

    >>> nan_to_num(np.array([np.nan, 1.0]))
    array([0., 1.])
    """
    array = asarray(x)
    if not is_inexact(array.dtype):
        return array.copy() if copy else array
    if kind(array.dtype) == "c":
        parts = [nan_to_num(part, True, nan, posinf, neginf) for part in (real(array), imag(array))]
        result = apply(Complex, *parts)
    else:
        limits = finfo(array.dtype)
        result = array
        for test, number in (
            (np.isnan(array), nan),
            (array == np.inf, limits.max if posinf is None else posinf),
            (array == -np.inf, limits.min if neginf is None else neginf),
        ):
            result = blend(test, cast(asarray(number), array.dtype), result)
    return result if copy else deliver(result, array)


def real(val: ArrayLike) -> ArrayResult:
    """The real part, a view; of real numbers, the array itself."""
    x = asarray(val)
    if not isinstance(x, TracedArray):
        return x.real
    return view_of(x, Real) if kind(x.dtype) == "c" else x


def imag(val: ArrayLike) -> ArrayResult:
    """The imaginary part, a view; of real numbers, zeros."""
    x = asarray(val)
    if not isinstance(x, TracedArray):
        return x.imag
    if kind(x.dtype) == "c":
        return view_of(x, Imag)
    return broadcast_to(np.zeros((), x.dtype), x.shape)


def complex_of(real_part: ArrayLike, imaginary_part: ArrayLike) -> ArrayResult:
    """Complex numbers of two arrays of parts."""
    return apply(Complex, *promoted(*(as_inexact(asarray(part)) for part in (real_part, imaginary_part))))


def angle(z: ArrayLike, deg: bool = False) -> ArrayResult:
    """The angle of complex numbers, as `numpy.angle`."""
    x = asarray(z)
    if kind(x.dtype) == "c":
        result = np.arctan2(imag(x), real(x))
    else:
        result = np.arctan2(np.zeros((), as_inexact(x[..., :0] if x.ndim else x).dtype), x)
    return result * (180 / np.pi) if deg else result


def isreal(x: ArrayLike) -> ArrayResult:
    """Whether the imaginary part is zero."""
    return imag(x) == 0


def iscomplex(x: ArrayLike) -> ArrayResult:
    """Whether the imaginary part is not zero."""
    return imag(x) != 0


def isposinf(x: ArrayLike, out: Any = None) -> ArrayResult:
    """Whether an element is plus infinity."""
    return deliver(np.logical_and(np.isinf(asarray(x)), ~np.signbit(asarray(x))), out)


def isneginf(x: ArrayLike, out: Any = None) -> ArrayResult:
    """Whether an element is minus infinity."""
    return deliver(np.logical_and(np.isinf(asarray(x)), np.signbit(asarray(x))), out)


def sinc(x: ArrayLike) -> ArrayResult:
    """sin(pi x) / (pi x), 1 at 0, as `numpy.sinc`."""
    array = as_inexact(asarray(x))
    scaled = np.multiply(array, np.pi)
    at_zero = asarray(scaled == 0)
    safe = blend(at_zero, np.ones((), scaled.dtype), scaled)
    return blend(at_zero, np.ones((), scaled.dtype), np.sin(safe) / safe)


def isclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> ArrayResult:
    """Whether elements agree within tolerances, as `numpy.isclose`."""
    x, y = asarray(a), asarray(b)
    if not is_inexact(y.dtype):
        y = cast(y, common_dtype(y, 1.0))
    with np.errstate(invalid="ignore"):
        near = np.less_equal(np.absolute(x - y), atol + rtol * np.absolute(y)) & np.isfinite(y)
    result = near | (x == y)
    return result | (np.isnan(as_inexact(x)) & np.isnan(y)) if equal_nan else result
