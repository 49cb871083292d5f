"""Images of another size: each axis is multiplied by a matrix of weights, which known sizes make a constant."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from keras.src import backend

from ..conversion import cast, convert_to_tensor
from .windows import height_and_width


def _triangle(x: Any) -> Any:
    return np.maximum(1 - x, 0)


def _cubic(x: Any) -> Any:
    """The kernel of Keys, with the parameter -1/2."""
    near = ((1.5 * x - 2.5) * x) * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


def _lanczos(radius: float) -> Callable[[Any], Any]:
    def kernel(x: Any) -> Any:
        away = np.where(x > 1e-3, x, 1)
        value = radius * np.sin(math.pi * away) * np.sin(math.pi * away / radius) / (math.pi * away) ** 2
        return np.where(x > radius, 0, np.where(x > 1e-3, value, 1))

    return kernel


_KERNELS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), _triangle),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), _cubic),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
}
RESIZE_INTERPOLATIONS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic")
SCALE_AND_TRANSLATE_METHODS = {name for name in _KERNELS if name != "triangle"}


def resize(
    images: Any,
    size: Sequence[int],
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Any:
    data_format = backend.standardize_data_format(data_format)
    if interpolation not in RESIZE_INTERPOLATIONS:
        raise ValueError(
            "Invalid value for argument `interpolation`. Expected of one "
            f"{RESIZE_INTERPOLATIONS}. Received: interpolation={interpolation}"
        )
    if fill_mode != "constant":
        raise ValueError(
            "Invalid value for argument `fill_mode`. Only `'constant'` "
            f"is supported. Received: fill_mode={fill_mode}"
        )
    if pad_to_aspect_ratio and crop_to_aspect_ratio:
        raise ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.")
    if len(size) != 2:
        raise ValueError(
            f"Argument `size` must be a tuple of two elements (height, width). Received: size={size}"
        )
    x = convert_to_tensor(images)
    axes = height_and_width(x, data_format)
    if crop_to_aspect_ratio:
        x = _cropped(x, axes, size)
    elif pad_to_aspect_ratio:
        x = _padded(x, axes, size, fill_value)
    changed = [(axis, extent) for axis, extent in zip(axes, size, strict=True) if x.shape[axis] != extent]
    if interpolation == "nearest":
        for axis, extent in changed:
            places = np.floor((np.arange(extent, dtype=np.float32) + 0.5) * x.shape[axis] / extent)
            x = np.take(x, places.astype(np.int32), axis=axis)
        return x
    shape = list(x.shape)
    for axis, extent in changed:
        shape[axis] = extent
    scales = [np.float32(extent / x.shape[axis] if x.shape[axis] else 1.0) for axis, extent in changed]
    nowhere = [np.float32(0)] * len(changed)
    kernel = _KERNELS[interpolation]
    return _scaled(x, shape, [axis for axis, _ in changed], scales, nowhere, kernel, antialias)


def _ratio(extents: Sequence[int], size: Sequence[int]) -> tuple[int, int]:
    """The height that fits the width, and the width that fits the height."""
    (height, width), (target_height, target_width) = extents, size
    return int(float(width * target_height) / target_width), int(float(height * target_width) / target_height)


def _cropped(x: Any, axes: tuple[int, int], size: Sequence[int]) -> Any:
    """The middle of images, as large as the ratio of the sides lets it be."""
    extents = [x.shape[axis] for axis in axes]
    for axis, extent, wanted in zip(axes, extents, _ratio(extents, size), strict=True):
        length = max(min(extent, wanted), 1)
        first = int(float(extent - length) / 2)
        x = np.take(x, np.arange(first, first + length), axis=axis)
    return x


def _padded(x: Any, axes: tuple[int, int], size: Sequence[int], fill_value: float) -> Any:
    """Images with borders that make the ratio of the sides what is wanted."""
    extents = [x.shape[axis] for axis in axes]
    around = [(0, 0)] * x.ndim
    for axis, extent, wanted in zip(axes, extents, _ratio(extents, size), strict=True):
        border = int(float(max(extent, wanted) - extent) / 2)
        around[axis] = (border, border)
        if border:
            break
    return np.pad(x, around, constant_values=x.dtype.type(fill_value))


def scale_and_translate(
    images: Any,
    output_shape: Sequence[int],
    scale: Any,
    translation: Any,
    spatial_dims: Sequence[int],
    method: str,
    antialias: bool = True,
) -> Any:
    if method not in SCALE_AND_TRANSLATE_METHODS:
        raise ValueError(
            "Invalid value for argument `method`. Expected of one "
            f"{SCALE_AND_TRANSLATE_METHODS}. Received: method={method}"
        )
    images, scale, translation = (convert_to_tensor(each) for each in (images, scale, translation))
    dtype = backend.result_type(scale.dtype, translation.dtype, "float32")
    scale, translation = cast(scale, dtype), cast(translation, dtype)
    count = len(spatial_dims)
    scales, shifts = [scale[i] for i in range(count)], [translation[i] for i in range(count)]
    return _scaled(images, output_shape, spatial_dims, scales, shifts, _KERNELS[method], antialias)


def _scaled(
    x: Any,
    shape: Sequence[int],
    axes: Sequence[int],
    scales: Sequence[Any],
    translations: Sequence[Any],
    kernel: Callable[[Any], Any],
    antialias: bool,
) -> Any:
    if not axes:
        return x
    result = cast(x, backend.result_type(x.dtype, "float32"))
    for axis, scale, translation in zip(axes, scales, translations, strict=True):
        weights = _weights(x.shape[axis], shape[axis], scale, translation, kernel, antialias)
        weights = cast(weights, result.dtype)
        result = np.moveaxis(np.matmul(np.moveaxis(result, axis, -1), weights), -1, axis)
    if x.dtype.kind in "iub":
        result = np.clip(np.round(result), np.min(x), np.max(x))
    return cast(result, x.dtype)


def _weights(
    extent: int, wanted: int, scale: Any, translation: Any, kernel: Callable[[Any], Any], antialias: bool
) -> Any:
    """How much each element (rows) is part of each element of the result (columns)."""
    inverse = 1 / scale
    places = (np.arange(wanted, dtype=scale.dtype) + 0.5) * inverse - translation * inverse - 0.5
    distances = np.abs(places[None, :] - np.arange(extent, dtype=scale.dtype)[:, None])
    weights = kernel(distances / np.maximum(inverse, 1) if antialias else distances)
    total = np.sum(weights, axis=0, keepdims=True)
    enough = np.abs(total) > 1000 * np.finfo(np.float32).eps
    weights = np.where(enough, weights / np.where(enough, total, 1), 0)
    inside = np.logical_and(places >= -0.5, places <= extent - 0.5)
    return np.where(inside, weights, 0)


__all__ = ["RESIZE_INTERPOLATIONS", "SCALE_AND_TRANSLATE_METHODS", "resize", "scale_and_translate"]
