"""Images, of which each pixel is a weighted sum of those around it."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import backend

from ..conversion import cast, convert_to_tensor
from .convolutions import depthwise_conv
from .windows import as_batch, as_given, channels_last


def gaussian_blur(
    images: Any, kernel_size: Any = (3, 3), sigma: Any = (1.0, 1.0), data_format: str | None = None
) -> Any:
    data_format = backend.standardize_data_format(data_format)
    batch, alone = as_batch(convert_to_tensor(images))
    x = channels_last(batch, data_format)
    wide = backend.result_type(x.dtype, "float32")
    result, sigma = cast(x, wide), convert_to_tensor(sigma, wide)
    # The first number is of the columns, the second of the rows, as in all of Keras's backends.
    for axis, number in ((1, 1), (2, 0)):
        weights = _bell(int(kernel_size[number]), sigma[number])
        shape = [1, 1, 1, 1]
        shape[axis - 1] = weights.shape[0]
        kernel = np.repeat(np.reshape(weights, shape), x.shape[3], axis=2)
        result = depthwise_conv(result, kernel, padding="same", data_format="channels_last")
    result = cast(as_given(result, data_format), batch.dtype)
    return result[0] if alone else result


def _bell(size: int, sigma: Any) -> Any:
    distances = (np.arange(size) - (size - 1) / 2).astype(sigma.dtype)
    weights = np.exp(sigma.dtype.type(-0.5) * np.square(distances / sigma))
    return weights / np.sum(weights)


def sobel_edges(images: Any, data_format: str | None = None) -> Any:
    """The differences of what lies below and above, and right and left, of each pixel, along a new last axis."""
    data_format = backend.standardize_data_format(data_format)
    x = channels_last(convert_to_tensor(images), data_format)
    wide = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="symmetric")
    rows, columns = x.shape[1:3]
    two = x.dtype.type(2)
    down = wide[:, 2:] - wide[:, :rows]
    right = wide[:, :, 2:] - wide[:, :, :columns]
    edges = (
        down[:, :, :columns] + two * down[:, :, 1 : columns + 1] + down[:, :, 2:],
        right[:, :rows] + two * right[:, 1 : rows + 1] + right[:, 2:],
    )
    return np.stack([as_given(edge, data_format) for edge in edges], axis=-1)


__all__ = ["gaussian_blur", "sobel_edges"]
