"""Colours as grey, and as hue, saturation and value."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import backend
from ml_dtypes import finfo

from ..conversion import cast, convert_to_tensor


def _channels(images: Any, data_format: str | None) -> tuple[Any, int]:
    """Images of three or four axes, and the axis of their channels."""
    x = convert_to_tensor(images)
    if x.ndim not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) "
            "or rank 4 (batch of images). Received input with shape: "
            f"images.shape={x.shape}"
        )
    return x, -1 if backend.standardize_data_format(data_format) == "channels_last" else -3


def _require_floats(x: Any) -> str:
    dtype: str = backend.standardize_dtype(x.dtype)
    if not backend.is_float_dtype(dtype):
        raise ValueError(f"Invalid images dtype: expected float dtype. Received: images.dtype={dtype}")
    return dtype


def rgb_to_grayscale(images: Any, data_format: str | None = None) -> Any:
    x, axis = _channels(images, data_format)
    if x.shape[axis] not in (1, 3):
        raise ValueError(
            "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). "
            f"Received input with shape: images.shape={x.shape}"
        )
    if x.shape[axis] == 1:
        return np.copy(x)
    wide = backend.result_type(x.dtype, float)
    red, green, blue = (cast(channel, wide) for channel in np.split(x, 3, axis))
    number = red.dtype.type
    return cast(number(0.2989) * red + number(0.5870) * green + number(0.1140) * blue, x.dtype)


def rgb_to_hsv(images: Any, data_format: str | None = None) -> Any:
    x, axis = _channels(images, data_format)
    dtype = _require_floats(x)
    number = x.dtype.type
    zero, one = number(0), number(1)
    x = np.where(np.abs(x) < finfo(dtype).eps, zero, x)  # type: ignore[no-untyped-call]
    red, green, blue = np.split(x, 3, axis)
    value = np.maximum(np.maximum(red, green), blue)
    spread = value - np.minimum(np.minimum(red, green), blue)
    grey, dark = spread <= 0, value <= 0
    saturation = np.where(dark, zero, spread / np.where(dark, one, value))
    unit = one / (number(6) * np.where(grey, one, spread))
    hue = np.where(value == green, unit * (blue - red) + number(2 / 6), unit * (red - green) + number(4 / 6))
    hue = np.where(value == red, unit * (green - blue), hue)
    hue = np.where(grey, zero, hue)
    hue = np.where(hue < zero, hue + one, hue)
    return cast(np.concatenate([hue, saturation, value], axis), dtype)


def hsv_to_rgb(images: Any, data_format: str | None = None) -> Any:
    x, axis = _channels(images, data_format)
    dtype = _require_floats(x)
    number = x.dtype.type
    zero, one, two, three = number(0), number(1), number(2), number(3)
    hue, saturation, value = np.split(x, 3, axis)
    sixths = np.mod(hue, one) * number(6)
    ramps = (np.abs(sixths - three) - one, two - np.abs(sixths - two), two - np.abs(sixths - number(4)))
    planes = [
        value * (one - saturation + saturation * np.minimum(np.maximum(ramp, zero), one)) for ramp in ramps
    ]
    return cast(np.concatenate(planes, axis), dtype)


__all__ = ["hsv_to_rgb", "rgb_to_grayscale", "rgb_to_hsv"]
