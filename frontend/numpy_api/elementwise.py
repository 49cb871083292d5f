"""Elementwise functions.

There is one for every op of the family, under NumPy's and the Array API's names; the others are made of them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialect.dtypes import as_dtype, kind
from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.op import OPS, Ufunc
from ...dialect.ops.complex_parts import Complex, Imag, Real
from ...dialect.ops.elementary import RealFunction
from ...dialect.ops.special import I0
from ..indexing.broadcasting import broadcast_to
from ..tracing.array import TracedArray
from ..tracing.element_stores import require_in_range
from ..tracing.number_types import number_type
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast, staged, trace_of, view_of
from ..tracing.stretching import broadcast_together
from .arguments import (
    NO_VALUE,
    as_inexact,
    as_mask,
    common_dtype,
    deliver,
    is_inexact,
    promoted,
    require_castable,
)
from .info import finfo
from .selection import as_weak_operand, blend, is_python_number
from .ufuncs import apply_ufunc, ops_of_ufuncs


def _unary(ufunc: np.ufunc) -> Callable[..., ArrayResult]:
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
        given = {"where": where, "casting": casting, "order": order, "dtype": dtype, "subok": subok}
        return apply_ufunc(ufunc, x, out=out, **given)

    return function


def _binary(ufunc: np.ufunc) -> Callable[..., ArrayResult]:
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

    return function


def _functions_of_ops() -> dict[str, Callable[..., ArrayResult]]:
    """A function for each name that NumPy has for a ufunc with an op, the Array API's among them, and for other ops."""
    functions = {ufunc: _function_of(ufunc, op_class) for ufunc, op_class in ops_of_ufuncs().items()}
    named = {name: value for name, value in vars(np).items() if isinstance(value, np.ufunc)}
    others = {op.name: _real(op) for op in OPS.values() if issubclass(op, RealFunction)}
    return others | {name: functions[ufunc] for name, ufunc in named.items() if ufunc in functions}


def _function_of(ufunc: np.ufunc, op_class: type[Ufunc]) -> Callable[..., ArrayResult]:
    function = _unary(ufunc) if ufunc.nin == 1 else _binary(ufunc)
    function.__name__ = function.__qualname__ = ufunc.__name__
    function.__doc__ = _docstring(ufunc.__name__, op_class)
    return function


def _real(op_class: type[RealFunction]) -> Callable[..., ArrayResult]:
    def function(x: ArrayLike, /) -> ArrayResult:
        return apply(op_class, as_inexact(asarray(x)))

    name = function.__name__ = function.__qualname__ = op_class.name
    (shown,) = op_class.compute([np.array([0.0, 1.0])], {})
    function.__doc__ = (
        f"{op_class.summary()} As `math.{name}` of every element.\n\n"
        "Shape: that of x. Dtype: that of x; of integers float64.\n"
        f"Raises `TypeError` for complex numbers.\n\n>>> weft.{name}(np.array([0.0, 1.0]))\n{shown!r}"
    )
    return function


def _docstring(name: str, op_class: type[Ufunc]) -> str:
    """What the loops of a ufunc say about shapes, dtypes and errors, and an example."""
    ufunc = op_class.ufunc
    taken, made = ("".join(loop.split("->")[side] for loop in ufunc.types) for side in (0, 1))
    refused = (
        "" if "D" in taken else "for complex numbers" if "d" in taken else "for numbers that are no integers"
    )
    errors = [f"`TypeError` {refused or 'for dtypes that weft does not have'}"]
    errors += ["`ValueError` for shapes that do not broadcast"] * (ufunc.nin > 1)
    call, _, shown = op_class.example.partition(" -> ")
    return (
        f"{op_class.summary()} As `numpy.{name}`, with its arguments.\n\n"
        f"Shape: {'that of x' if ufunc.nin == 1 else 'the common one of x1 and x2'}. "
        f"Dtype: {'bool' if set(made) <= set('?O') else 'that of the loop that NumPy takes'}.\n"
        f"Raises {', '.join(errors)}.\n\n>>> weft.{name}{call}\n{shown}"
    )


FUNCTIONS_OF_OPS = _functions_of_ops()
globals().update(FUNCTIONS_OF_OPS)


def clip(
    a: ArrayLike,
    min: Any = NO_VALUE,
    max: Any = NO_VALUE,
    out: Any = None,
    *,
    a_min: Any = NO_VALUE,
    a_max: Any = NO_VALUE,
    dtype: Any = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
) -> ArrayResult:
    """The elements limited to an interval, as `numpy.clip`; a bound that is None does not limit.

    Shape: the common one of a and the bounds. Dtype: `dtype`, or the common one. Raises `OverflowError` for a Python
    int that limits and does not fit the dtype.

    >>> weft.clip(np.array([1, 5, 9]), 2, 6)
    array([2, 5, 6])
    """
    if not (a_min is NO_VALUE and a_max is NO_VALUE) and not (min is NO_VALUE and max is NO_VALUE):
        raise WeftValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden."
        )
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
    if dtype is not None:
        require_castable(result_dtype, as_dtype(dtype), casting)
        result_dtype = as_dtype(dtype)
    result = cast(x, result_dtype)
    ends = [
        None
        if bound is None
        else cast(_fitting_bound(as_weak_operand(bound), result_dtype, ufunc), result_dtype)
        for bound, ufunc in zip(bounds, (np.maximum, np.minimum), strict=True)
    ]
    keeps_zeros = all(limit is not None and np.ndim(limit) == 0 for limit in ends)
    for ufunc, limit in zip((np.maximum, np.minimum), ends, strict=True):
        if limit is not None:
            result = _limited(ufunc, result, limit, keeps_zeros)
    if bounds[0] is None and bounds[1] is None:
        result = apply_ufunc(np.positive, result) if result.dtype != bool else result.copy()
    if out is not None and where is not True:
        result = blend(as_mask(where), result, cast(asarray(out), result_dtype))
    return deliver(result, out, casting)


def _fitting_bound(bound: Any, dtype: np.dtype[Any], ufunc: np.ufunc) -> Any:
    """A bound; of a Python int that is known when the program runs, what the dtype holds of the side that limits."""
    if not isinstance(bound, TracedArray) or number_type(bound) is not int or kind(dtype) not in "iu":
        return bound
    limits = np.iinfo(dtype)
    if ufunc is np.maximum and (limits.bits < 64 or kind(dtype) == "u"):
        bound = np.maximum(bound, limits.min)
    elif ufunc is np.minimum and limits.bits < 64:
        bound = np.minimum(bound, limits.max)
    require_in_range(bound, dtype)
    return bound


def _limited(ufunc: np.ufunc, x: ArrayResult, limit: ArrayResult, keeps_zeros: bool) -> ArrayResult:
    """The maximum or minimum; of zeros with different signs NumPy takes the bound, but not between two numbers."""
    is_known = not isinstance(limit, TracedArray) and np.ndim(limit) == 0
    if kind(x.dtype) != "f" or (is_known and limit != 0):
        return apply_ufunc(ufunc, x, limit)
    if keeps_zeros:
        beyond = np.less(x, limit) if ufunc is np.maximum else np.greater(x, limit)
        return blend(np.logical_or(beyond, np.isnan(limit)), limit, x)
    inside = np.greater(x, limit) if ufunc is np.maximum else np.less(x, limit)
    return blend(np.logical_or(inside, np.isnan(x)), x, limit)


def round(a: ArrayLike, decimals: int = 0, out: Any = None) -> ArrayResult:
    """The elements rounded to a number of decimals, halves to even, as `numpy.round`.

    Shape and dtype: those of a. Raises `TypeError` for decimals that are no number.

    >>> weft.round(np.array([0.5, 1.5, 2.25]))
    array([0., 2., 2.])
    """
    x, decimals = asarray(a), operator.index(decimals)
    if kind(x.dtype) in "iu" and decimals >= 0:
        return deliver(apply_ufunc(np.positive, x), out)
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


def around(a: ArrayLike, decimals: int = 0, out: Any = None) -> ArrayResult:
    """The elements rounded to a number of decimals, another name of `round`, as `numpy.around`.

    Shape and dtype: those of a. Raises what `round` raises.

    >>> weft.around(np.array([1.26, 2.0]), 1)
    array([1.3, 2. ])
    """
    return round(a, decimals, out)


def fix(x: ArrayLike, out: Any = None) -> ArrayResult:
    """The elements rounded towards zero, as `numpy.fix`.

    Shape and dtype: those of x. Raises `TypeError` for complex numbers.

    >>> weft.fix(np.array([1.7, -1.7]))
    array([ 1., -1.])
    """
    return apply_ufunc(np.trunc, x, out=out)


def nan_to_num(
    x: ArrayLike, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> ArrayResult:
    """The elements with numbers for NaN and infinities, as `numpy.nan_to_num`.

    Shape and dtype: those of x, into which they are written unless `copy`. Raises `TypeError` for dtypes that weft
    does not have.

    >>> weft.nan_to_num(np.array([np.nan, 1.0]))
    array([0., 1.])
    """
    array = asarray(x)
    if not copy and not _is_array(x):
        raise WeftValueError("Unable to avoid copy while creating an array as requested: this is no array")
    if not is_inexact(array.dtype):
        return array[()] if array.ndim == 0 else array.copy() if copy else array
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
    if copy:
        return result
    written = deliver(result, array)
    return written if written.ndim else written[()]


def _is_array(value: Any) -> bool:
    """Whether a value is an array in NumPy, of whatever rank, and no scalar, number or list."""
    return not value._is_number if isinstance(value, TracedArray) else isinstance(value, np.ndarray)


def real(val: ArrayLike) -> ArrayResult:
    """The real part, as `numpy.real`: a view; of real numbers the array itself.

    Shape: that of val. Dtype: that of the parts. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.real(np.array([1 + 2j]))
    array([1.])
    """
    if is_python_number(val) and isinstance(val, TracedArray) and kind(val.dtype) != "c":
        return val
    x = asarray(val)
    if not isinstance(x, TracedArray):
        return x.real
    return view_of(x, Real) if kind(x.dtype) == "c" else x


def imag(val: ArrayLike) -> ArrayResult:
    """The imaginary part, as `numpy.imag`: a view; of real numbers zeros.

    Shape: that of val. Dtype: that of the parts. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.imag(np.array([1 + 2j]))
    array([2.])
    """
    if is_python_number(val) and isinstance(val, TracedArray) and kind(val.dtype) != "c":
        return val._python_type(0) if val._python_type is not None else 0
    x = asarray(val)
    if not isinstance(x, TracedArray):
        return x.imag
    if kind(x.dtype) == "c":
        return view_of(x, Imag)
    zero = np.zeros((), x.dtype)
    if isinstance(val, TracedArray) and val._is_scalar:
        return zero[()]
    return broadcast_to(staged(x._storage.trace, zero), x.shape)


def complex_of(real_part: ArrayLike, imaginary_part: ArrayLike) -> ArrayResult:
    """Complex numbers of arrays of real and imaginary parts.

    Shape: the common one. Dtype: complex64 for parts in float32, else complex128. Raises `ValueError` for shapes that
    do not broadcast.

    >>> weft.complex_of(np.array([1.0]), np.array([2.0]))
    array([1.+2.j])
    """
    parts: Sequence[Any] = promoted(*(as_inexact(asarray(part)) for part in (real_part, imaginary_part)))
    trace = trace_of(parts)
    return apply(Complex, *(parts if trace is None else broadcast_together(trace, parts)))


def angle(z: ArrayLike, deg: bool = False) -> ArrayResult:
    """The angle of complex numbers in radians, or in degrees, as `numpy.angle`.

    Shape: that of z. Dtype: that of the parts; of integers that of `numpy.arctan2`. Raises `TypeError` for dtypes that
    weft does not have.

    >>> weft.angle(np.array([1j]), deg=True)
    array([90.])
    """
    x = asarray(z)
    if kind(x.dtype) == "c":
        result = np.arctan2(imag(x), real(x))
    else:
        result = np.arctan2(0, x)
    return result * (180 / np.pi) if deg else result


def isreal(x: ArrayLike) -> ArrayResult:
    """Whether imaginary parts are zero, as `numpy.isreal`.

    Shape: that of x. Dtype: bool. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.isreal(np.array([1j, 1]))
    array([False,  True])
    """
    return imag(x) == 0


def iscomplex(x: ArrayLike) -> ArrayResult:
    """Whether imaginary parts are not zero, as `numpy.iscomplex`.

    Shape: that of x. Dtype: bool. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.iscomplex(np.array([1j, 1]))
    array([ True, False])
    """
    return imag(x) != 0


def isposinf(x: ArrayLike, out: Any = None) -> ArrayResult:
    """Whether elements are plus infinity, as `numpy.isposinf`.

    Shape: that of x. Dtype: bool. Raises `TypeError` for complex numbers.

    >>> weft.isposinf(np.array([np.inf, -np.inf]))
    array([ True, False])
    """
    return deliver(np.logical_and(np.isinf(asarray(x)), ~np.signbit(asarray(x))), out)


def isneginf(x: ArrayLike, out: Any = None) -> ArrayResult:
    """Whether elements are minus infinity, as `numpy.isneginf`.

    Shape: that of x. Dtype: bool. Raises `TypeError` for complex numbers.

    >>> weft.isneginf(np.array([np.inf, -np.inf]))
    array([False,  True])
    """
    return deliver(np.logical_and(np.isinf(asarray(x)), np.signbit(asarray(x))), out)


def sinc(x: ArrayLike) -> ArrayResult:
    """sin(pi x) / (pi x), which is 1 at 0, as `numpy.sinc`.

    Shape: that of x. Dtype: that of x; of integers float64. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.sinc(np.array([0.0, 0.5]))
    array([1.        , 0.63661977])
    """
    array = as_inexact(asarray(x))
    scaled = np.multiply(array, np.pi)
    at_zero = asarray(scaled == 0)
    safe = blend(at_zero, np.ones((), scaled.dtype), scaled)
    return blend(at_zero, np.ones((), scaled.dtype), np.sin(safe) / safe)


def i0(x: ArrayLike) -> ArrayResult:
    """Modified Bessel function of the first kind of order 0, as `numpy.i0`; infinite at infinities.

    Shape: that of x, an array also of rank 0. Dtype: that of x; of integers float64. Raises `TypeError` for complex
    numbers.

    >>> weft.i0(np.array([0.0, 1.0]))
    array([1.        , 1.26606588])
    """
    array = asarray(x)
    if kind(array.dtype) == "c":
        raise WeftTypeError("i0 not supported for complex values")
    if not isinstance(array, TracedArray):
        return np.i0(array)
    result: TracedArray = apply(I0, as_inexact(array))
    return result._as_array(True)


def isclose(
    a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> ArrayResult:
    """Whether elements agree within tolerances, as `numpy.isclose`.

    Shape: the common one. Dtype: bool. Raises `ValueError` for shapes that do not broadcast.

    >>> weft.isclose(np.array([1.0, 2.0]), np.array([1.0 + 1e-9, 2.1]))
    array([ True, False])
    """
    x, y = as_weak_operand(a), as_weak_operand(b)
    if isinstance(y, (bool, int)) or (hasattr(y, "dtype") and not is_inexact(y.dtype)):
        y = asarray(cast(asarray(y), common_dtype(y, 1.0)))
    with np.errstate(invalid="ignore"):
        near = np.less_equal(np.absolute(np.subtract(x, y)), atol + rtol * np.absolute(y)) & np.isfinite(y)
    result = near | (x == y)
    return result | (np.isnan(as_inexact(asarray(x))) & np.isnan(y)) if equal_nan else result
