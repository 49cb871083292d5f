"""`weft.fft`: the standard's Fourier transform extension with NumPy's names, by the code of NumPy's pocketfft.

Transforms of single precision stay in it, half precision becomes single, everything else is computed in double. On
CPUs, lengths that are powers of two become code of their own (see backend/cpu/codegen/fourier).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike, as_dtype, kind
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.ops import fourier as ops
from ..tracing.array import TracedArray
from ..tracing.extents import Extent, known_shape
from ..tracing.staging import ArrayLike, ArrayResult, apply, asarray, cast, is_traced, raise_where, trace_of
from .arguments import FLOAT64, INT64, axis_index, axis_tuple, deliver
from .creation import arange, zeros
from .joining import concatenate
from .numpy_modules import where_traced
from .shape import moveaxis, roll

_SINGLE = np.dtype(np.float32)
_INVERSES = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


# One axis


@where_traced(np.fft)
def fft(a: ArrayLike, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None) -> ArrayResult:
    """The discrete Fourier transform along an axis, as `numpy.fft.fft`.

    Shape: that of a with n elements along the axis, to which a is cropped or filled with zeros. Dtype: complex128, or
    complex64 for single precision. Raises `ValueError` for n below 1 and for an unknown norm, `AxisError` for an axis
    that a does not have.

    >>> weft.fft.fft(np.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return deliver(_complex_transform(a, n, axis, norm, inverse=False), out)


@where_traced(np.fft)
def ifft(
    a: ArrayLike, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The inverse discrete Fourier transform along an axis, as `numpy.fft.ifft`.

    Shape, dtype, errors: those of `fft`.

    >>> weft.fft.ifft(np.array([4.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return deliver(_complex_transform(a, n, axis, _inverse(norm), inverse=True), out)


def _complex_transform(a: ArrayLike, n: Any, axis: int, norm: str | None, inverse: bool) -> ArrayResult:
    x, length, place = _rows(a, n, axis)
    precision = _precision(x)
    rows = cast(x, np.result_type(precision, np.complex64))
    made = apply(ops.Fft, asarray(rows), _scale(norm, length, x), inverse=inverse)
    return moveaxis(made, -1, place)


@where_traced(np.fft)
def rfft(
    a: ArrayLike, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The discrete Fourier transform of real numbers along an axis: its first half, as `numpy.fft.rfft`.

    Shape: that of a with n // 2 + 1 elements along the axis. Dtype and errors: those of `fft`; `TypeError` for complex
    numbers.

    >>> weft.fft.rfft(np.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    x, length, place = _rows(a, n, axis)
    if kind(x.dtype) == "c":
        raise WeftTypeError("rfft transforms real numbers, not complex ones: use fft")
    precision = _precision(x)
    scale = _scale(norm, length, x)
    if isinstance(length, TracedArray):  # which may be odd or even
        both = apply(ops.Fft, asarray(cast(x, np.result_type(precision, np.complex64))), scale, inverse=False)
        half = both[..., : np.floor_divide(length, 2) + 1]
    else:
        half = apply(ops.Rfft, asarray(cast(x, precision)), scale, odd=length % 2 == 1)
    return deliver(moveaxis(half, -1, place), out)


@where_traced(np.fft)
def irfft(
    a: ArrayLike, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The inverse of `rfft` along an axis, as `numpy.fft.irfft`.

    Shape: that of a with n elements along the axis, 2 * (m - 1) for m in a unless given. Dtype: float64, or float32 for
    single precision. Raises `ValueError` for n below 1 and for an unknown norm, `UnsupportedError` for n that is known
    at run time alone.

    >>> weft.fft.irfft(np.array([1.0, 1.0, 1.0]))
    array([1., 0., 0., 0.])
    """
    if is_traced(n):
        raise UnsupportedError(
            "irfft needs to know while tracing whether n is odd; pass n as a Python int that does not change"
        )
    if n is not None:
        _require_points(n)
    half = None if n is None else int(n) // 2 + 1
    x, count, place = _rows(a, half, axis, of_half=n is None)
    length = (count - 1) * 2 if n is None else int(n)
    precision = _precision(x)
    rows = asarray(cast(x, np.result_type(precision, np.complex64)))
    made = apply(ops.Irfft, rows, _scale(_inverse(norm), length, x), odd=n is not None and n % 2 == 1)
    return deliver(moveaxis(cast(made, _half_or(x, precision)), -1, place), out)


@where_traced(np.fft)
def hfft(
    a: ArrayLike, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The transform of a signal with Hermitian symmetry, which is real, as `numpy.fft.hfft`.

    Shape, dtype, errors: those of `irfft`.

    >>> weft.fft.hfft(np.array([1.0, 0.0, 0.0]))
    array([1., 1., 1., 1.])
    """
    return deliver(irfft(np.conjugate(asarray(a)), n, axis, _inverse(norm)), out)


@where_traced(np.fft)
def ihfft(
    a: ArrayLike, n: Any = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The inverse of `hfft`, as `numpy.fft.ihfft`.

    Shape, dtype, errors: those of `rfft`.

    >>> weft.fft.ihfft(np.array([4.0, 0.0]))
    array([2.-0.j, 2.-0.j])
    """
    return deliver(np.conjugate(rfft(a, n, axis, _inverse(norm))), out)


# Several axes


@where_traced(np.fft)
def fftn(
    a: ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The discrete Fourier transform along several axes, all unless given, as `numpy.fft.fftn`.

    Shape: that of a with the extents s along the axes. Dtype and errors: those of `fft`; `ValueError` for unequal
    numbers of extents and axes.

    >>> weft.fft.fftn(np.eye(2))
    array([[2.+0.j, 0.+0.j],
           [0.+0.j, 2.+0.j]])
    """
    return deliver(_along_axes(a, s, axes, lambda x, n, axis: fft(x, n, axis, norm)), out)


@where_traced(np.fft)
def ifftn(
    a: ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The inverse of `fftn`, as `numpy.fft.ifftn`.

    Shape, dtype, errors: those of `fftn`.

    >>> weft.fft.ifftn(np.eye(2))
    array([[0.5+0.j, 0. +0.j],
           [0. +0.j, 0.5+0.j]])
    """
    return deliver(_along_axes(a, s, axes, lambda x, n, axis: ifft(x, n, axis, norm)), out)


def _along_axes(a: ArrayLike, s: Any, axes: Any, transform: Callable[..., ArrayResult]) -> ArrayResult:
    x = asarray(a)
    for n, axis in reversed(_extents_and_axes(x, s, axes)):
        x = transform(x, n, axis)
    return x


@where_traced(np.fft)
def rfftn(
    a: ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The transform of real numbers along several axes: half of it along the last one, as `numpy.fft.rfftn`.

    Shape: as that of `fftn`, but for the last axis, as of `rfft`. Dtype and errors: those of `fftn`.

    >>> weft.fft.rfftn(np.eye(2)).shape
    (2, 2)
    """
    x = asarray(a)
    *others, (n, axis) = _extents_and_axes(x, s, axes)
    x = rfft(x, n, axis, norm)
    for extent, other in reversed(others):
        x = fft(x, extent, other, norm)
    return deliver(x, out)


@where_traced(np.fft)
def irfftn(
    a: ArrayLike, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The inverse of `rfftn`, as `numpy.fft.irfftn`.

    Shape: as that of `fftn`, but for the last axis, as of `irfft`. Dtype and errors: those of `irfft`.

    >>> weft.fft.irfftn(np.eye(2))
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    x = asarray(a)
    *others, (n, axis) = _extents_and_axes(x, s, axes)
    for extent, other in others:
        x = ifft(x, extent, other, norm)
    return deliver(irfft(x, n, axis, norm), out)


@where_traced(np.fft)
def fft2(
    a: ArrayLike, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The discrete Fourier transform along two axes, as `numpy.fft.fft2`.

    Shape, dtype, errors: those of `fftn`.

    >>> weft.fft.fft2(np.eye(2)).shape
    (2, 2)
    """
    return fftn(a, s, axes, norm, out)


@where_traced(np.fft)
def ifft2(
    a: ArrayLike, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The inverse of `fft2`, as `numpy.fft.ifft2`.

    Shape, dtype, errors: those of `fftn`.

    >>> weft.fft.ifft2(np.eye(2)).shape
    (2, 2)
    """
    return ifftn(a, s, axes, norm, out)


@where_traced(np.fft)
def rfft2(
    a: ArrayLike, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The transform of real numbers along two axes, as `numpy.fft.rfft2`.

    Shape, dtype, errors: those of `rfftn`.

    >>> weft.fft.rfft2(np.eye(2)).shape
    (2, 2)
    """
    return rfftn(a, s, axes, norm, out)


@where_traced(np.fft)
def irfft2(
    a: ArrayLike, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, out: Any = None
) -> ArrayResult:
    """The inverse of `rfft2`, as `numpy.fft.irfft2`.

    Shape, dtype, errors: those of `irfftn`.

    >>> weft.fft.irfft2(np.eye(2)).shape
    (2, 2)
    """
    return irfftn(a, s, axes, norm, out)


def _extents_and_axes(x: ArrayResult, s: Any, axes: Any) -> list[tuple[Any, int]]:
    """What each axis is cropped or filled to, None for what it has, and the axes."""
    if axes is None:
        places: Sequence[int] = range(x.ndim) if s is None else range(-len(s), 0)
    else:
        places = list(axes)
    given = [None] * len(places) if s is None else [None if not is_traced(n) and n == -1 else n for n in s]
    if len(given) != len(places):
        raise WeftValueError("Shape and axes have different lengths.")
    return list(zip(given, places, strict=True))


# Operands


def _rows(a: ArrayLike, n: Any, axis: int, of_half: bool = False) -> tuple[ArrayResult, Extent, int]:
    """The array with an axis moved to the end and cropped or filled to n elements; how many these are; the axis.

    Raises `ValueError` where there are none, or, of the half of a spectrum, none in the whole.
    """
    x = asarray(a)
    place = axis_index(axis, x.ndim)
    rows = moveaxis(x, place, -1)
    extent = known_shape(rows)[-1]
    if n is None:
        length = rows.shape[-1]
        _require_points((length - 1) * 2 if of_half else length)
        return rows, length, place
    _require_points(n)
    if not is_traced(n) and extent is not None and n <= extent:
        return rows[..., :n], n, place
    filled = zeros((*rows.shape[:-1], n), rows.dtype)
    count = np.minimum(n, rows.shape[-1]) if is_traced(n) or extent is None else extent
    filled[..., :count] = rows[..., :count]
    return filled, n, place


def _require_points(n: Extent) -> None:
    raise_where(n < 1, ValueError, "Invalid number of FFT data points ({}) specified.", n)


def _precision(x: ArrayResult) -> np.dtype[Any]:
    """The real dtype of the transform."""
    if kind(x.dtype) in "fc" and x.dtype.name in ("float16", "float32", "complex64"):
        return _SINGLE
    if kind(x.dtype) in "fc" and x.dtype.name not in ("float64", "complex128"):
        raise WeftTypeError(f"numpy.fft does not transform {x.dtype.name}")
    return FLOAT64


def _inverse(norm: str | None) -> str:
    if norm not in _INVERSES:
        raise _unknown(norm)
    return _INVERSES[norm]


def _unknown(norm: object) -> WeftValueError:
    return WeftValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')


def _scale(norm: str | None, length: Extent, x: ArrayResult) -> ArrayResult:
    """What results are multiplied by, computed in the precision of the operand."""
    if norm not in _INVERSES:
        raise _unknown(norm)
    count = cast(length, _half_or(x, _precision(x)))
    factor = {"ortho": lambda: np.reciprocal(np.sqrt(count)), "forward": lambda: np.reciprocal(count)}
    return cast(factor[norm]() if norm in factor else 1, _precision(x))


def _half_or(x: ArrayResult, precision: np.dtype[Any]) -> np.dtype[Any]:
    """Half precision where the operand has it, else another."""
    return x.dtype if x.dtype == np.float16 else precision


# Helpers


def fftfreq(n: Any, d: Any = 1.0, device: Any = None, *, dtype: DTypeLike | None = None) -> ArrayResult:
    """The frequencies of the elements of `fft`, as `numpy.fft.fftfreq`.

    Shape: (n,). Dtype: `dtype`, or float64. Raises `ValueError` where n is no integer.

    >>> weft.fft.fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    if trace_of((n, d)) is None:
        return _in_dtype(np.fft.fftfreq(n, d, device), dtype)
    _require_integer(n)
    middle = (n - 1) // 2 + 1
    places = concatenate([arange(0, middle, dtype=INT64), arange(-(n // 2), 0, dtype=INT64)])
    return _in_dtype(places * (1.0 / (n * d)), dtype)


def rfftfreq(n: Any, d: Any = 1.0, device: Any = None, *, dtype: DTypeLike | None = None) -> ArrayResult:
    """The frequencies of the elements of `rfft`, as `numpy.fft.rfftfreq`.

    Shape: (n // 2 + 1,). Dtype: `dtype`, or float64. Raises `ValueError` where n is no integer.

    >>> weft.fft.rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    if trace_of((n, d)) is None:
        return _in_dtype(np.fft.rfftfreq(n, d, device), dtype)
    _require_integer(n)
    return _in_dtype(arange(0, n // 2 + 1, dtype=INT64) * (1.0 / (n * d)), dtype)


def _in_dtype(frequencies: ArrayResult, dtype: DTypeLike | None) -> ArrayResult:
    """Frequencies in the floating-point dtype that is asked for."""
    return frequencies if dtype is None else cast(frequencies, as_dtype(dtype))


def _require_integer(n: Any) -> None:
    if not (isinstance(n, (int, np.integer)) or (is_traced(n) and n.ndim == 0 and kind(n.dtype) in "iu")):
        raise WeftValueError("n should be an integer")


@where_traced(np.fft)
def fftshift(x: ArrayLike, axes: Any = None) -> ArrayResult:
    """The elements with the zero frequency in the middle of axes, all unless given, as `numpy.fft.fftshift`.

    Shape and dtype: those of x. Raises `AxisError` for an axis that x does not have, `ValueError` where x has none.

    >>> weft.fft.fftshift(np.array([0, 1, -2, -1]))
    array([-2, -1,  0,  1])
    """
    a = asarray(x)
    places = axis_tuple(axes, a.ndim)
    return roll(a, tuple(a.shape[place] // 2 for place in places), places)


@where_traced(np.fft)
def ifftshift(x: ArrayLike, axes: Any = None) -> ArrayResult:
    """The inverse of `fftshift`, as `numpy.fft.ifftshift`.

    Shape and dtype: those of x. Raises `AxisError` for an axis that x does not have, `ValueError` where x has none.

    >>> weft.fft.ifftshift(np.array([-2, -1, 0, 1]))
    array([ 0,  1, -2, -1])
    """
    a = asarray(x)
    places = axis_tuple(axes, a.ndim)
    return roll(a, tuple(-(a.shape[place] // 2) for place in places), places)


__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
