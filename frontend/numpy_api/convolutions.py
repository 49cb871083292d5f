"""Sums of products of vectors: convolution, correlation, and the values of polynomials."""

from __future__ import annotations

import functools
import operator

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ..tracing.extents import known_extent, known_shape
from ..tracing.staging import ArrayLike, ArrayResult, asarray, raise_where
from .arguments import promoted
from .contraction import matmul
from .indexing import take
from .joining import concat
from .padding import pad
from .shape import atleast_1d
from .sliding_windows import conv


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> ArrayResult:
    """The discrete convolution of two vectors, as `numpy.convolve`.

    Shape: (m + n - 1,), for "same" (max(m, n),), for "valid" (abs(m - n) + 1,). Dtype: the common one. Raises
    `ValueError` for empty vectors and other numbers of axes, and but for "valid" for infinities and NaN in a kernel
    of more than 16 numbers, which is multiplied by zeros beyond the ends; `UnsupportedError` for lengths known only
    when the function runs.

    >>> weft.convolve(np.array([1, 2]), np.array([1, 1]))
    array([1, 3, 2])
    """
    x, kernel = _vectors(atleast_1d(a), atleast_1d(v))
    if 0 in (known_shape(x)[0], known_shape(kernel)[0]):
        raise WeftValueError("a cannot be empty" if known_shape(x)[0] == 0 else "v cannot be empty")
    if None not in (known_shape(x)[0], known_shape(kernel)[0]) and len(kernel) > len(x):
        x, kernel = kernel, x
    return _slide(x, kernel[::-1], mode)


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> ArrayResult:
    """The cross-correlation of two vectors, of which the second is conjugated, as `numpy.correlate`.

    Shape and dtype: those of `convolve`, whose `mode` is "valid" here unless given. Raises what `convolve` raises.

    >>> weft.correlate(np.array([1, 2, 3]), np.array([1, 1]))
    array([3, 5])
    """
    x, kernel = _vectors(a, v)
    for operand, name in ((x, "first"), (kernel, "second")):
        if known_shape(operand)[0] == 0:
            raise WeftValueError(f"{name} array argument cannot be empty")
    kernel = np.conjugate(kernel) if kind(kernel.dtype) == "c" else kernel
    if None not in (known_shape(x)[0], known_shape(kernel)[0]) and len(kernel) > len(x):
        return _slide(kernel, x, mode)[::-1]
    return _slide(x, kernel, mode)


def _vectors(a: ArrayLike, v: ArrayLike) -> list[ArrayResult]:
    """The operands in their common dtype; numbers of Python's are strong here."""
    operands = promoted(asarray(a), asarray(v))
    for operand in operands:
        if operand.ndim != 1:
            raise WeftValueError(
                f"object {'too deep' if operand.ndim else 'of too small depth'} for desired array"
            )
    return operands


MOST_TERMS = 16
"""The longest kernel whose products are added up as one expression, which reads the vector once."""


def _slide(x: ArrayResult, kernel: ArrayResult, mode: str) -> ArrayResult:
    """The sums of products of a kernel, which is not longer, laid on every place of a vector."""

    count, extent = known_shape(kernel)[0], known_shape(x)[0]
    if count is None or extent is None:
        raise UnsupportedError("convolve() and correlate() need the lengths of both vectors while tracing")
    borders = {"full": (count - 1, count - 1), "same": (count // 2, (count - 1) // 2), "valid": (0, 0)}
    if mode not in borders:
        raise WeftValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    before, behind = borders[mode]
    if count <= MOST_TERMS and kind(x.dtype) in "iufc" and x.dtype.itemsize >= 4:
        inside = extent - count + 1
        terms = [x[place : place + inside] * kernel[place] for place in range(count)]
        parts = [_border(x, kernel, -before, before), functools.reduce(operator.add, terms)]
        return concat([*parts, _border(x, kernel, inside, behind)])
    if before + behind:
        _refuse_what_zeros_spoil(kernel, mode)
    size, padded = extent + before + behind - count + 1, pad(x, (borders[mode],))
    if kind(x.dtype) in "fc" and x.dtype.itemsize < 4:
        return matmul(take(padded, np.arange(size)[:, None] + np.arange(count)), kernel)
    # Sums of short integers are what is left of those of long ones; those of booleans tell whether there are some.
    wide = np.dtype(np.int32) if x.dtype.itemsize < 4 else x.dtype
    sums = conv(padded.astype(wide)[None, :, None], kernel.astype(wide)[:, None, None]).reshape(size)
    return np.not_equal(sums, 0) if kind(x.dtype) == "b" else sums.astype(x.dtype)


def _border(x: ArrayResult, kernel: ArrayResult, first: int, count: int) -> ArrayResult:
    """The sums at so many places from one on, where a kernel reaches beyond the vector: only what meets is multiplied.

    A zero beyond the end would make a NaN of an infinity in the kernel.
    """
    extent = known_extent(x, 0, "convolve")
    places = first + np.arange(count)[:, None] + np.arange(known_extent(kernel, 0, "convolve"))
    meets = (places >= 0) & (places < extent)
    products = take(x, np.clip(places, 0, extent - 1)) * kernel
    return np.where(meets, products, x.dtype.type(0)).sum(1, dtype=x.dtype)


def _refuse_what_zeros_spoil(kernel: ArrayResult, mode: str) -> None:
    """Refuse infinities and NaN in a kernel that is multiplied by zeros beyond the ends of the vector."""
    if kind(kernel.dtype) in "fc":
        raise_where(
            np.logical_not(np.isfinite(kernel).all()),
            WeftValueError,
            f"some numbers of the kernel are infinite or NaN: kernels of more than {MOST_TERMS} numbers, and those of "
            f"half types, are compiled with such for mode='valid' only, not for {mode!r}",
        )


def polyval(p: ArrayLike, x: ArrayLike) -> ArrayResult:
    """The value of a polynomial, highest coefficient first, by Horner's rule, as `numpy.polyval`.

    Shape: that of x; p is a vector. Dtype: the common one. Raises `UnsupportedError` where the number of coefficients
    is known only when the function runs.

    >>> weft.polyval(np.array([1, 2, 3]), 10)
    np.int64(123)
    """
    coefficients, place = asarray(p), asarray(x)
    if coefficients.ndim == 0:
        raise WeftTypeError("the coefficients of polyval() are a vector, not a number")
    count = known_extent(coefficients, 0, "polyval")
    result = np.zeros_like(place)
    for index in range(count):
        result = result * place + coefficients[index]
    return result
