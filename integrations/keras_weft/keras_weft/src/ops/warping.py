"""Arrays read at any places: by coordinates, affine and perspective maps, and random displacements."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from keras.src import backend

import weft

from ..conversion import cast, convert_to_tensor
from ..random import normal
from .blurring import gaussian_blur
from .windows import as_batch, channels_last

INTERPOLATIONS = {"nearest": 0, "bilinear": 1}
"""The orders of the polynomials."""
FILL_MODES = ("constant", "nearest", "wrap", "mirror", "reflect")


def map_coordinates(
    inputs: Any, coordinates: Any, order: int, fill_mode: str = "constant", fill_value: float = 0.0
) -> Any:
    x, places = convert_to_tensor(inputs), convert_to_tensor(coordinates)
    if places.shape[0] != x.ndim:
        raise ValueError(
            "First dim of `coordinates` must be the same as the rank of `inputs`. "
            f"Received inputs with shape: {x.shape} and coordinate leading dim of {places.shape[0]}"
        )
    if places.ndim < 2:
        raise ValueError(
            f"Invalid coordinates rank: expected at least rank 2. Received input with shape: {places.shape}"
        )
    _require_member("fill_mode", fill_mode, FILL_MODES)
    _require_member("order", order, (0, 1))
    read = _interpolated(x, (), [places[axis] for axis in range(x.ndim)], order, fill_mode, fill_value)
    return cast(np.round(read) if x.dtype.kind in "iub" else read, x.dtype)


def _require_member(name: str, value: Any, members: Sequence[Any]) -> None:
    if value not in members:
        raise ValueError(
            f"Invalid value for argument `{name}`. Expected of one {members}. Received: {name}={value}"
        )


def _interpolated(
    x: Any, leading: tuple[Any, ...], places: Sequence[Any], order: int, fill_mode: str, fill_value: Any
) -> Any:
    """What an array has at places along the axes behind the leading ones, whose indices are given; the rest is whole.

    Beyond its ends the array goes on as the fill mode says, at whole numbers; between these is interpolated.
    """
    wide = backend.result_type(x.dtype, "float32")
    x, number = cast(x, wide), np.dtype(wide).type
    kept = x.ndim - len(leading) - len(places)
    neighbours = []
    for axis, place in enumerate(places, len(leading)):
        extent = x.shape[axis]
        place = cast(place, wide)
        around: list[tuple[Any, Any]]
        if order == 0:
            around = [(np.floor(place + number(0.5)), None)]
        else:
            first = np.floor(place)
            far = place - first
            around = [(first, number(1) - far), (first + number(1), far)]
        neighbours.append([(*_index(whole, extent, fill_mode), weight) for whole, weight in around])
    total: Any = 0
    for corner in itertools.product(*neighbours):
        places_there = (*leading, *(index for index, _, _ in corner))
        value = x[places_there]
        for _, inside, _ in corner:
            if inside is not None:
                value = np.where(_beside(inside, kept), value, number(fill_value))
        for _, _, weight in corner:
            if weight is not None:
                value = value * _beside(weight, kept)
        total = total + value
    return total


def _beside(x: Any, axes: int) -> Any:
    """An array with so many axes more."""
    return np.reshape(x, (*x.shape, *(1,) * axes))


def _index(place: Any, extent: int, fill_mode: str) -> tuple[Any, Any]:
    """The index that stands for a whole number, and whether it is one of the array's where that matters."""
    last = place.dtype.type(extent - 1)
    if fill_mode == "constant":
        inside = np.logical_and(place >= 0, place <= last)
        return np.where(inside, place, place.dtype.type(0)).astype(np.int32), inside
    if fill_mode == "nearest":
        return np.clip(place, 0, last).astype(np.int32), None
    index = place.astype(np.int32)
    if fill_mode == "wrap":
        return np.remainder(index, np.int32(extent)), None
    if fill_mode == "mirror":  # the ends are not repeated
        period = max(2 * extent - 2, 1)
        index = np.remainder(index, np.int32(period))
        return np.minimum(index, np.int32(period) - index), None
    index = np.remainder(index, np.int32(2 * extent))
    return np.minimum(index, np.int32(2 * extent - 1) - index), None


def affine_transform(
    images: Any,
    transform: Any,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: float = 0,
    data_format: str | None = None,
) -> Any:
    data_format = backend.standardize_data_format(data_format)
    _require_member("interpolation", interpolation, tuple(INTERPOLATIONS))
    _require_member("fill_mode", fill_mode, FILL_MODES)
    images, transform = convert_to_tensor(images), convert_to_tensor(transform)
    batch, alone = as_batch(images)
    if transform.ndim not in (1, 2):
        raise ValueError(
            "Invalid transform rank: expected rank 1 (single transform) "
            "or rank 2 (batch of transforms). Received input with shape: "
            f"transform.shape={transform.shape}"
        )
    transforms = transform if transform.ndim == 2 else transform[None]
    result = _projected(batch, transforms, interpolation, fill_mode, fill_value, data_format)
    return result[0] if alone else result


def perspective_transform(
    images: Any,
    start_points: Any,
    end_points: Any,
    interpolation: str = "bilinear",
    fill_value: float = 0,
    data_format: str | None = None,
) -> Any:
    data_format = backend.standardize_data_format(data_format)
    _require_member("interpolation", interpolation, tuple(INTERPOLATIONS))
    start_points, end_points = convert_to_tensor(start_points), convert_to_tensor(end_points)
    batch, alone = as_batch(convert_to_tensor(images))
    for name, points in (("start_points", start_points), ("end_points", end_points)):
        if points.ndim not in (2, 3) or tuple(points.shape[-2:]) != (4, 2):
            raise ValueError(
                f"Invalid {name} shape: expected (4,2) for a single image"
                f" or (N,4,2) for a batch. Received shape: {points.shape}"
            )
    if tuple(start_points.shape) != tuple(end_points.shape):
        raise ValueError(
            "start_points and end_points must have the same shape."
            f" Received start_points.shape={start_points.shape}, end_points.shape={end_points.shape}"
        )
    if start_points.ndim == 2:
        start_points, end_points = start_points[None], end_points[None]
    transforms = compute_homography_matrix(start_points, end_points)
    result = _projected(batch, transforms, interpolation, "constant", fill_value, data_format)
    return result[0] if alone else result


def _projected(
    images: Any, transforms: Any, interpolation: str, fill_mode: str, fill_value: float, data_format: str
) -> Any:
    """Images, read where maps of eight numbers (batch or 1, 8) say: (a0 x + a1 y + a2) / (c0 x + c1 y + 1)."""
    x = channels_last(images, data_format)
    wide = backend.result_type(x.dtype, "float32")
    transforms = cast(transforms, wide)
    a0, a1, a2, b0, b1, b2, c0, c1 = (transforms[:, i, None, None] for i in range(8))
    columns, rows = (
        np.arange(x.shape[2], dtype=wide)[None, None, :],
        np.arange(x.shape[1], dtype=wide)[None, :, None],
    )
    scale = c0 * columns + c1 * rows + np.dtype(wide).type(1)
    places = ((b0 * columns + b1 * rows + b2) / scale, (a0 * columns + a1 * rows + a2) / scale)
    return _read(x, images, places, interpolation, fill_mode, fill_value, data_format)


def _read(
    x: Any, images: Any, places: Any, interpolation: str, fill_mode: str, fill_value: float, data_format: str
) -> Any:
    """Images (batch, height, width, channels) at places (batch or 1, height, width), as the given ones are laid out."""
    batch = weft.arange(x.shape[0])[:, None, None]
    result = _interpolated(x, (batch,), places, INTERPOLATIONS[interpolation], fill_mode, fill_value)
    result = result if data_format == "channels_last" else np.moveaxis(result, -1, 1)
    return cast(result, images.dtype)


def compute_homography_matrix(start_points: Any, end_points: Any) -> Any:
    """The eight numbers of maps that take four points each to four others, (batch, 8)."""
    start, end = convert_to_tensor(start_points), convert_to_tensor(end_points)
    dtype = backend.result_type(start.dtype, end.dtype, float)
    wide = backend.result_type(dtype, "float32")
    start, end = cast(start, wide), cast(end, wide)
    x, y = end[:, :, 0], end[:, :, 1]
    one, zero = np.ones_like(x), np.zeros_like(x)
    rows = [
        np.stack([x, y, one, zero, zero, zero, -start[:, :, 0] * x, -start[:, :, 0] * y], axis=-1),
        np.stack([zero, zero, zero, x, y, one, -start[:, :, 1] * x, -start[:, :, 1] * y], axis=-1),
    ]
    matrix = np.concatenate(rows, axis=1)
    target = np.concatenate([start[:, :, 0], start[:, :, 1]], axis=1)
    return cast(np.linalg.solve(matrix, target[:, :, None])[:, :, 0], dtype)


def elastic_transform(
    images: Any,
    alpha: Any = 20.0,
    sigma: Any = 5.0,
    interpolation: str = "bilinear",
    fill_mode: str = "reflect",
    fill_value: float = 0.0,
    seed: Any = None,
    data_format: str | None = None,
) -> Any:
    """Images, of which each place is displaced by smooth noise."""
    data_format = backend.standardize_data_format(data_format)
    _require_member("interpolation", interpolation, tuple(INTERPOLATIONS))
    _require_member("fill_mode", fill_mode, FILL_MODES)
    batch, alone = as_batch(convert_to_tensor(images))
    x = channels_last(batch, data_format)
    wide = backend.result_type(x.dtype, "float32")
    size = int(6 * float(sigma)) | 1
    noise = normal((*x.shape[:3], 2), dtype=wide, seed=seed) * cast(sigma, wide)
    smooth = gaussian_blur(noise, (size, size), (sigma, sigma), data_format="channels_last")
    far = cast(alpha, wide) * smooth
    columns, rows = (
        np.arange(x.shape[2], dtype=wide)[None, None, :],
        np.arange(x.shape[1], dtype=wide)[None, :, None],
    )
    places = (rows + far[..., 0], columns + far[..., 1])
    result = _read(x, batch, places, interpolation, fill_mode, fill_value, data_format)
    return result[0] if alone else result


__all__ = [
    "affine_transform",
    "compute_homography_matrix",
    "elastic_transform",
    "map_coordinates",
    "perspective_transform",
]
