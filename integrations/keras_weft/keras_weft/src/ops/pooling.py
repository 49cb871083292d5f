"""Pooling by windows of a size, and adaptive pooling to a number of windows."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import backend

import weft

from ..conversion import convert_to_tensor
from .windows import as_given, borders, channels_last, for_each_axis


def max_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Any:
    return _pooled(inputs, pool_size, strides, padding, data_format, weft.max_pool)


def average_pool(
    inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
) -> Any:
    return _pooled(inputs, pool_size, strides, padding, data_format, weft.avg_pool)


def _pooled(
    inputs: Any, pool_size: Any, strides: Any, padding: str, data_format: str | None, pool: Any
) -> Any:
    data_format = backend.standardize_data_format(data_format)
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding '{padding}', must be 'same' or 'valid'.")
    x = channels_last(convert_to_tensor(inputs), data_format)
    rank = x.ndim - 2
    window = for_each_axis(pool_size, rank, "pool_size")
    steps = window if strides is None else for_each_axis(strides, rank, "strides")
    around = borders(padding, x.shape[1:-1], window, steps, (1,) * rank)
    places = [
        (size + before + behind - length) // step + 1
        for size, (before, behind), length, step in zip(x.shape[1:-1], around, window, steps, strict=True)
    ]
    if min(places) <= 0:
        empty = np.zeros((x.shape[0], *(max(count, 0) for count in places), x.shape[-1]), x.dtype)
        return as_given(empty, data_format)
    return as_given(pool(x, tuple(window), strides=tuple(steps), padding=tuple(around)), data_format)


def adaptive_average_pool(inputs: Any, output_size: Any, data_format: str | None = None) -> Any:
    return _adapted(inputs, output_size, data_format, _mean_of_windows)


def adaptive_max_pool(inputs: Any, output_size: Any, data_format: str | None = None) -> Any:
    return _adapted(inputs, output_size, data_format, _largest_of_windows)


def _adapted(inputs: Any, output_size: Any, data_format: str | None, reduce: Any) -> Any:
    data_format = backend.standardize_data_format(data_format)
    x = channels_last(convert_to_tensor(inputs), data_format)
    rank = x.ndim - 2
    if rank not in (1, 2, 3):
        raise ValueError(
            f"Adaptive pooling supports only 1D, 2D and 3D inputs. Received: inputs.shape={inputs.shape}"
        )
    for axis, count in enumerate(for_each_axis(output_size, rank, "output_size"), 1):
        x = reduce(x, axis, *_adaptive_windows(x.shape[axis], count))
    return as_given(x, data_format)


def _adaptive_windows(size: int, count: int) -> tuple[Any, Any]:
    """The places that each window sees, (count, longest), and which of these belong to it."""
    edges = np.arange(count + 1) * size
    first, end = edges[:-1] // count, -(-edges[1:] // count)
    places = first[:, None] + np.arange(np.max(end - first))
    return np.minimum(places, size - 1), places < end[:, None]


def _windows(x: Any, axis: int, places: Any) -> Any:
    return np.take(x, places, axis=axis)


def _beside(inside: Any, x: Any, axis: int) -> Any:
    return inside.reshape(*inside.shape, *(1,) * (x.ndim - 1 - axis))


def _mean_of_windows(x: Any, axis: int, places: Any, inside: Any) -> Any:
    seen = np.where(_beside(inside, x, axis), np.take(x, places, axis=axis), x.dtype.type(0))
    counts = inside.sum(1).astype(x.dtype)
    return np.sum(seen, axis=axis + 1) / counts.reshape(-1, *(1,) * (x.ndim - 1 - axis))


def _largest_of_windows(x: Any, axis: int, places: Any, inside: Any) -> Any:
    # The last place of a shorter window is seen twice.
    places = np.where(inside, places, places[:, :1])
    return np.max(np.take(x, places, axis=axis), axis=axis + 1)


__all__ = ["adaptive_average_pool", "adaptive_max_pool", "average_pool", "max_pool"]
