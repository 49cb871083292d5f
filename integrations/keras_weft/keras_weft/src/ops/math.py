"""The functions of `keras.ops.math`: segments, largest numbers, special functions, Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import weft

from ..conversion import convert_to_tensor
from .namespace import namespace
from .numpy.contraction import slogdet
from .numpy.reductions import axes_of
from .numpy.selection import combine_rows
from .numpy.statistics import histogram
from .promotion import (
    Rule,
    as_dtype,
    dtype_of,
    floating,
    floatx_of_integers,
    in_single,
    is_integer,
    promoted,
    tensor,
)

# Segments


def _segments(function: Any, neutral: Callable[[np.dtype[Any]], Any]) -> Callable[..., Any]:
    """A reduction of all entries with the same number; entries with negative numbers are left out."""

    def called(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:
        data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        if num_segments is None:
            last = np.max(ids, initial=-1)
            num_segments = (last if weft.is_traced(last) else int(last)) + 1
        shape = (num_segments + 1, *data.shape[ids.ndim :])  # one more, in front, for what is left out
        result = namespace().full(shape, neutral(data.dtype), dtype=data.dtype)
        return combine_rows(function, result, np.maximum(ids, -1) + 1, data)[1:]

    return called


def _lowest(dtype: np.dtype[Any]) -> Any:
    return dtype.type(_limit(dtype, "min"))


def _highest(dtype: np.dtype[Any]) -> Any:
    return dtype.type(_limit(dtype, "max"))


def _limit(dtype: np.dtype[Any], name: str) -> Any:
    if not is_integer(dtype.name):
        return -np.inf if name == "min" else np.inf
    return name == "max" if dtype.kind == "b" else getattr(np.iinfo(dtype), name)


segment_max = _segments(np.maximum, _lowest)
segment_min = _segments(np.minimum, _highest)
segment_prod = _segments(np.multiply, lambda dtype: dtype.type(1))
segment_sum = _segments(np.add, lambda dtype: dtype.type(0))


# The largest numbers


def top_k(x: Any, k: int, sorted: bool = True) -> tuple[Any, Any]:
    """The largest numbers of each row and their places: of equal ones the first; NaN is larger than all."""
    x = convert_to_tensor(x)
    backwards = np.argsort(np.flip(x, -1), axis=-1, stable=True)
    places = np.flip(x.shape[-1] - 1 - backwards, -1)[..., :k]
    return np.take_along_axis(x, places, axis=-1), as_dtype(places, "int32")


def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Whether the prediction for the target is among the largest of its row; NaN is not."""
    predictions = convert_to_tensor(predictions)
    chosen = np.take_along_axis(predictions, convert_to_tensor(targets)[..., None], axis=-1)
    above = np.sum(predictions > chosen, axis=-1)
    return (above < k) & ~np.isnan(chosen[..., 0])


# Special functions


def _special(function: Callable[[Any], Any], rule: Rule) -> Callable[[Any], Any]:
    """A function of single numbers, computed in 32 bits at least."""

    def called(x: Any) -> Any:
        x = tensor(x, rule)
        return as_dtype(function(in_single(x)), dtype_of(x))

    return called


def _inverse_of_erf(x: Any) -> Any:
    """By polynomials (M. Giles, Approximating the erfinv function, 2011), in 32 bits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        near = -np.log((1 - x) * (1 + x))
    inner = np.polyval(np.asarray(_INNER, x.dtype), np.minimum(near, 5) - np.asarray(2.5, x.dtype))
    outer = np.polyval(np.asarray(_OUTER, x.dtype), np.sqrt(np.clip(near, 5, 17)) - 3)
    made = np.where(near < 5, inner, outer) * x
    return np.where(np.abs(x) == 1, np.copysign(np.asarray(np.inf, x.dtype), x), made)


_INNER = (
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
)
_OUTER = (
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
)

erf = _special(weft.erf, promoted)
erfc = _special(weft.erfc, floating)
erfinv = _special(_inverse_of_erf, floating)
rsqrt = _special(lambda x: 1 / np.sqrt(x), lambda dtype: promoted(floatx_of_integers(dtype)))


def cdist(x: Any, y: Any) -> Any:
    """The distances of the rows of one matrix from those of another."""
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    if x.ndim < 2 or y.ndim < 2:
        raise ValueError("`cdist` inputs must have rank >= 2")
    extents = weft.static_shape(x)[-1], weft.static_shape(y)[-1]
    if None not in extents and extents[0] != extents[1]:
        raise ValueError("Last dimension of inputs to `cdist` must match")
    return np.sqrt(np.sum(np.square(x[..., :, None, :] - y[..., None, :, :]), axis=-1))


def logdet(x: Any) -> Any:
    """The logarithm of the determinant of a positive definite matrix."""
    return slogdet(x)[1]


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The logarithm of a sum of exponentials."""
    x = tensor(x, floating)
    return as_dtype(weft.logsumexp(in_single(x), axis=axes_of(axis), keepdims=keepdims), dtype_of(x))


# Fourier transforms, of pairs of real and imaginary parts


def _get_complex_tensor_from_tuple(x: Any) -> Any:
    """Complex numbers from a pair of arrays."""
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError(f"Input `x` should be a tuple of two tensors - real and imaginary.Received: x={x}")
    real, imag = (convert_to_tensor(part) for part in x)
    extents = zip(weft.static_shape(real), weft.static_shape(imag), strict=real.ndim == imag.ndim)
    if real.ndim != imag.ndim or any(None not in pair and pair[0] != pair[1] for pair in extents):
        raise ValueError(
            "Input `x` should be a tuple of two tensors - real and imaginary.Both the real and imaginary parts should "
            f"have the same shape. Received: x[0].shape = {real.shape}, x[1].shape = {imag.shape}"
        )
    if any("float" not in dtype_of(part) for part in (real, imag)):
        raise ValueError(f"At least one tensor in input `x` is not of type float.Received: x={x}.")
    return in_single(real) + 1j * in_single(imag)


def _parts(x: Any, dtype: str) -> tuple[Any, Any]:
    return as_dtype(np.real(x), dtype), as_dtype(np.imag(x), dtype)


def _transform(function: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
    """A transform from complex numbers to complex ones."""

    def called(x: Any) -> tuple[Any, Any]:
        return _parts(function(_get_complex_tensor_from_tuple(x)), dtype_of(x[0]))

    return called


fft = _transform(np.fft.fft)
fft2 = _transform(np.fft.fft2)
ifft2 = _transform(np.fft.ifft2)


def rfft(x: Any, fft_length: int | None = None) -> tuple[Any, Any]:
    """The transform of real numbers."""
    x = tensor(x, floatx_of_integers)
    return _parts(np.fft.rfft(in_single(x), fft_length), dtype_of(x))


def irfft(x: Any, fft_length: int | None = None) -> Any:
    """Real numbers from their transform."""
    return as_dtype(np.fft.irfft(_get_complex_tensor_from_tuple(x), fft_length), dtype_of(x[0]))


def extract_sequences(x: Any, sequence_length: int, sequence_stride: int) -> Any:
    """Pieces of the last axis, of one length and at equal distances."""
    x = convert_to_tensor(x)
    return x[
        ...,
        _places_of_pieces(
            1 + (x.shape[-1] - sequence_length) // sequence_stride, sequence_length, sequence_stride
        ),
    ]


def _places_of_pieces(count: Any, length: int, stride: int) -> Any:
    starts = namespace().arange(count) * stride
    return starts[:, None] + np.arange(length)


def stft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    window: Any = "hann",
    center: bool = True,
) -> tuple[Any, Any]:
    """The transforms of pieces of a signal."""
    x = convert_to_tensor(x)
    dtype = dtype_of(x)
    if dtype not in ("float32", "float64"):
        raise TypeError(
            f"Invalid input type. Expected `float32` or `float64`. Received: input type={x.dtype}"
        )
    if fft_length < sequence_length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. "
            f"Received: sequence_length={sequence_length}, fft_length={fft_length}"
        )
    factors = _window(window, sequence_length, fft_length, dtype)
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(fft_length // 2, fft_length // 2)], mode="reflect")
    return _parts(np.fft.rfft(extract_sequences(x, fft_length, sequence_stride) * factors), dtype)


def istft(
    x: Any,
    sequence_length: int,
    sequence_stride: int,
    fft_length: int,
    length: int | None = None,
    window: Any = "hann",
    center: bool = True,
) -> Any:
    """The signal, from the transforms of its pieces."""
    dtype = dtype_of(x[0])
    factors = _window(window, sequence_length, fft_length, dtype)
    pieces = as_dtype(np.fft.irfft(_get_complex_tensor_from_tuple(x), fft_length), dtype) * factors
    *batch, count, _ = pieces.shape
    total = fft_length + sequence_stride * (count - 1)
    places = _places_of_pieces(count, fft_length, sequence_stride)
    signal, weights = namespace().zeros((total, *batch), dtype), namespace().zeros(total, dtype)
    np.add.at(signal, places, np.moveaxis(pieces, (-2, -1), (0, 1)))
    np.add.at(weights, places, namespace().broadcast_to(np.square(factors), places.shape))
    signal = np.moveaxis(signal, 0, -1) / np.where(weights > 1e-10, weights, 1)
    if window is None:  # where pieces lie over each other they are added
        signal = signal * np.asarray(fft_length / sequence_stride, dtype)
    start = fft_length // 2 if center else 0
    end = start + length if length is not None else total - start
    return signal[..., start:end]


_COSINES = {"hann": 0.5, "hamming": 0.54}


def _window(window: Any, length: int, fft_length: int, dtype: str) -> Any:
    """The factors of a piece, with zeros on both sides."""
    if window is None:
        return np.ones(fft_length, dtype)
    if isinstance(window, str):
        if window not in _COSINES:
            raise ValueError(
                "If a string is passed to `window`, it must be one of "
                f'`"hann"`, `"hamming"`. Received: window={window}'
            )
        mean = _COSINES[window]
        steps = np.arange(length) * (2 * np.pi / length)
        factors = mean - (1 - mean) * np.cos(steps) if length > 1 else np.ones(1)
    else:
        factors = window
    factors = convert_to_tensor(factors, dtype)
    if factors.shape != (length,):
        raise ValueError(
            f"The shape of `window` must be equal to [sequence_length].Received: window shape={factors.shape}"
        )
    before = (fft_length - length) // 2
    return np.pad(factors, (before, fft_length - length - before))


__all__ = [
    "cdist",
    "erf",
    "erfc",
    "erfinv",
    "extract_sequences",
    "fft",
    "fft2",
    "histogram",
    "ifft2",
    "in_top_k",
    "irfft",
    "istft",
    "logdet",
    "logsumexp",
    "rfft",
    "rsqrt",
    "segment_max",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "stft",
    "top_k",
]
