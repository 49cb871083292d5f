"""Functions of single numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.dtypes import INT_TYPES

from ...conversion import convert_to_tensor
from ..promotion import (
    Rule,
    as_dtype,
    double_of_long,
    dtype_of,
    floating,
    floatx_of_integers,
    is_integer,
    number,
    result_type,
    same,
    tensor,
    tensors,
)


def _unary(function: Callable[..., Any], rule: Rule = same) -> Callable[[Any], Any]:
    """A function of one array, which is computed in the dtype that a rule names."""

    def called(x: Any) -> Any:
        return function(tensor(x, rule))

    return called


def _binary(function: Callable[..., Any], rule: Rule = same) -> Callable[[Any, Any], Any]:
    """A function of two arrays, which are promoted first."""

    def called(x1: Any, x2: Any) -> Any:
        return function(*tensors(x1, x2, rule=rule))

    return called


def _comparison(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """A function to truth values, for which nothing is rounded."""

    def called(x1: Any, x2: Any) -> Any:
        return function(*[x if isinstance(x, (int, float)) else convert_to_tensor(x) for x in (x1, x2)])

    return called


# Of one array

abs = absolute = _unary(np.absolute)
angle = _unary(np.angle, floating)
arccos = _unary(np.arccos, floating)
arccosh = _unary(np.arccosh, floating)
arcsin = _unary(np.arcsin, floating)
arcsinh = _unary(np.arcsinh, floating)
arctan = _unary(np.arctan, floating)
arctanh = _unary(np.arctanh, floating)
bitwise_invert = bitwise_not = _unary(np.bitwise_not)
cbrt = _unary(np.cbrt, double_of_long)
ceil = _unary(np.ceil, floating)
cos = _unary(np.cos, floating)
cosh = _unary(np.cosh, floating)
deg2rad = _unary(np.deg2rad, double_of_long)
exp = _unary(np.exp, floatx_of_integers)
exp2 = _unary(np.exp2, floatx_of_integers)
expm1 = _unary(np.expm1, floatx_of_integers)
fabs = _unary(np.fabs, floatx_of_integers)
floor = _unary(np.floor, floating)
imag = _unary(np.imag)
isfinite = _unary(np.isfinite)
isinf = _unary(np.isinf)
isnan = _unary(np.isnan)
isneginf = _unary(np.isneginf)
isposinf = _unary(np.isposinf)
isreal = _unary(np.isreal)
log = _unary(np.log, floating)
log10 = _unary(np.log10, floating)
log1p = _unary(np.log1p, floating)
log2 = _unary(np.log2, floating)
logical_not = _unary(np.logical_not)
negative = _unary(np.negative)
rad2deg = _unary(np.rad2deg, double_of_long)
real = _unary(np.real)
reciprocal = _unary(np.reciprocal, floatx_of_integers)
sign = _unary(np.sign)
signbit = _unary(np.signbit)
sin = _unary(np.sin, floating)
sinh = _unary(np.sinh, floating)
sqrt = _unary(np.sqrt, floating)
square = _unary(np.square, number)
tan = _unary(np.tan, floating)
tanh = _unary(np.tanh, floating)


def conjugate(x: Any) -> Any:
    """Numbers with the other sign of the imaginary part."""
    x = convert_to_tensor(x)
    return np.conjugate(x) if x.dtype.kind == "c" else x


conj = conjugate


def i0(x: Any) -> Any:
    """The modified Bessel function of the first kind, of order 0."""
    x = tensor(x, lambda dtype: "float64" if dtype in ("int64", "float64") else floating(dtype))
    return as_dtype(np.i0(x), dtype_of(x))


def nan_to_num(x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    """Numbers in the places of those that are not finite."""
    return np.nan_to_num(convert_to_tensor(x), nan=nan, posinf=posinf, neginf=neginf)


def round(x: Any, decimals: int = 0) -> Any:
    """The nearest numbers with so many decimals."""
    x = convert_to_tensor(x)
    return x if dtype_of(x) == "bool" else np.round(x, decimals)


def sinc(x: Any) -> Any:
    """The sine of pi times a number, by that."""
    x = tensor(x, floating)
    return as_dtype(np.sinc(x), dtype_of(x))


def trunc(x: Any) -> Any:
    """The integers next to zero; integers are theirs."""
    x = convert_to_tensor(x)
    return x if is_integer(dtype_of(x)) else np.trunc(x)


def view(x: Any, dtype: Any = None) -> Any:
    """The memory of an array, read as another dtype."""
    x = convert_to_tensor(x)
    return x if dtype is None else x.view(standardize_dtype(dtype))


# Of two arrays

add = _binary(np.add)
arctan2 = _binary(np.arctan2, floating)
bitwise_and = _binary(np.bitwise_and)
bitwise_left_shift = left_shift = _binary(np.left_shift)
bitwise_or = _binary(np.bitwise_or)
bitwise_right_shift = right_shift = _binary(np.right_shift)
bitwise_xor = _binary(np.bitwise_xor)
divide = true_divide = _binary(np.divide, floating)
floor_divide = _binary(np.floor_divide, number)
fmax = _binary(np.fmax)
fmin = _binary(np.fmin)
fmod = _binary(np.fmod, number)
gcd = _binary(np.gcd)
heaviside = _binary(np.heaviside, double_of_long)
hypot = _binary(np.hypot, double_of_long)
lcm = _binary(np.lcm)
logaddexp = _binary(np.logaddexp, floating)
logaddexp2 = _binary(np.logaddexp2, floating)
maximum = _binary(np.maximum)
minimum = _binary(np.minimum)
mod = _binary(np.mod, number)
multiply = _binary(np.multiply)
nextafter = _binary(np.nextafter, floating)
power = _binary(np.power, number)
subtract = _binary(np.subtract)

equal = _comparison(np.equal)
greater = _comparison(np.greater)
greater_equal = _comparison(np.greater_equal)
less = _comparison(np.less)
less_equal = _comparison(np.less_equal)
logical_and = _comparison(np.logical_and)
logical_or = _comparison(np.logical_or)
logical_xor = _comparison(np.logical_xor)
not_equal = _comparison(np.not_equal)


def allclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether all numbers differ by little."""
    return np.all(isclose(x1, x2, rtol, atol, equal_nan))


def isclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Where numbers differ by little."""
    return np.isclose(convert_to_tensor(x1), convert_to_tensor(x2), rtol, atol, equal_nan)


def divide_no_nan(x1: Any, x2: Any) -> Any:
    """Quotients, and zeros in the places of those by zero, where derivatives are zero, too."""
    x1, x2 = tensors(x1, x2, rule=floating)
    zero, one = np.asarray(0, x2.dtype)[()], np.asarray(1, x2.dtype)[()]
    divides = x2 != zero
    return np.where(divides, np.divide(x1, np.where(divides, x2, one)), zero)


def ldexp(x1: Any, x2: Any) -> Any:
    """Numbers times powers of two."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    if dtype_of(x2) not in INT_TYPES:
        raise TypeError(f"ldexp exponent must be an integer type. Received: x2 dtype={x2.dtype}")
    dtype = result_type(x1.dtype, x2.dtype, float)
    return as_dtype(np.ldexp(x1, x2), dtype)


# Of several


def clip(x: Any, x_min: Any, x_max: Any) -> Any:
    """Numbers that are moved to the nearest within limits."""
    x = tensor(x, number)
    lower, upper = (
        limit if limit is None or isinstance(limit, (int, float)) else convert_to_tensor(limit)
        for limit in (x_min, x_max)
    )
    return as_dtype(np.clip(x, lower, upper), dtype_of(x))


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """The numbers of the first array whose condition is true."""
    choices = tensors(*choicelist, default)
    return np.select([convert_to_tensor(condition) for condition in condlist], choices[:-1], choices[-1])


def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    """The numbers of one array where a condition is true, of another where not; without them, where it is true."""
    condition = convert_to_tensor(condition)
    if x1 is None or x2 is None:
        return np.where(condition)
    return np.where(condition, *tensors(x1, x2))


__all__ = [
    "abs",
    "absolute",
    "add",
    "allclose",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clip",
    "conj",
    "conjugate",
    "cos",
    "cosh",
    "deg2rad",
    "divide",
    "divide_no_nan",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "i0",
    "imag",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "nan_to_num",
    "negative",
    "nextafter",
    "not_equal",
    "power",
    "rad2deg",
    "real",
    "reciprocal",
    "right_shift",
    "round",
    "select",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
    "view",
    "where",
]
