"""Fourier transforms of signals, whose last axis holds real numbers, or real and imaginary parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..namespace import item, weft
from ..table import Refused, known, rule
from .shapes import normal_axis


def _numbers(x: Any) -> Any:
    """The complex numbers of an array of parts, or real ones, in double precision."""
    x = weft.astype(x, np.float64)
    if x.shape[-1] == 1:
        return x[..., 0]
    if x.shape[-1] != 2:
        raise Refused(f"has {x.shape[-1]} numbers where the real and the imaginary part stand")
    return x[..., 0] + 1j * x[..., 1]


def _parts(z: Any, dtype: Any) -> Any:
    """Real and imaginary parts, as the last axis."""
    return weft.astype(weft.stack([weft.real(z), weft.imag(z)], axis=-1), dtype)


@rule("DFT", since=20)
def dft(x: Any, dft_length: Any = None, axis: Any = None, *, inverse: int = 0, onesided: int = 0) -> Any:
    """`weft.fft.fft`, `ifft`, `rfft` or `irfft` along an axis."""
    along = normal_axis(-2 if axis is None else int(known(axis, "the axis").ravel()[0]), x.ndim)
    length = None if dft_length is None else int(known(dft_length, "the length").ravel()[0])
    z = _numbers(x)
    if onesided and inverse:
        return weft.expand_dims(weft.astype(weft.fft.irfft(z, n=length, axis=along), x.dtype), axis=-1)
    if onesided:
        if x.shape[-1] == 2:
            raise Refused("makes one side of the transform of complex numbers")
        return _parts(weft.fft.rfft(z, n=length, axis=along), x.dtype)
    return _parts((weft.fft.ifft if inverse else weft.fft.fft)(z, n=length, axis=along), x.dtype)


@rule("DFT")
def dft_before_20(
    x: Any, dft_length: Any = None, *, axis: int = 1, inverse: int = 0, onesided: int = 0
) -> Any:
    """`weft.fft.fft`, `ifft`, `rfft` or `irfft` along an axis."""
    return dft(x, dft_length, np.asarray(axis), inverse=inverse, onesided=onesided)


@rule("STFT")
def stft(
    signal: Any, frame_step: Any, window: Any = None, frame_length: Any = None, *, onesided: int = 1
) -> Any:
    """The transforms of parts of signals, that a window weighs."""
    step = int(known(frame_step, "the step").ravel()[0])
    if frame_length is None and window is None:
        raise Refused("has neither a window nor a length of frames")
    length = window.shape[0] if frame_length is None else int(known(frame_length, "the length").ravel()[0])
    extent = int(known(signal.shape[1], "the length of the signal"))
    count = (extent - length) // step + 1
    places = np.arange(count)[:, None] * step + np.arange(length)
    frames = item(signal, (slice(None), places))  # (batch, frames, length, parts)
    if window is not None:
        frames = frames * weft.reshape(window, (1, 1, -1, 1))
    return dft(frames, None, np.asarray(2), onesided=onesided)
