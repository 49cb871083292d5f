"""Images as columns of their patches and back, blocks of pixels as channels and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..conversion import convert_to_tensor
from .windows import for_each_axis, spread_out


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """The patches of images (N, C, H, W) as columns, (N, C * kernel height * kernel width, places)."""
    x = convert_to_tensor(input)
    window = for_each_axis(kernel_size, 2, "kernel_size")
    spread = for_each_axis(dilation, 2, "dilation")
    around = for_each_axis(padding, 2, "padding")
    steps = for_each_axis(stride, 2, "stride")
    if any(around):
        x = np.pad(x, ((0, 0), (0, 0), (around[0],) * 2, (around[1],) * 2))
    rows, columns = (
        np.arange(0, size - (length - 1) * gap, step)[None, :] + gap * np.arange(length)[:, None]
        for size, length, gap, step in zip(x.shape[2:], window, spread, steps, strict=True)
    )  # (place in the window, place of the window)
    patches = x[:, :, rows[:, None, :, None], columns[None, :, None, :]]
    return patches.reshape(x.shape[0], x.shape[1] * window[0] * window[1], rows.shape[1] * columns.shape[1])


def fold(
    x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Images (N, C, H, W) in which every pixel is the sum of what the patches (N, C * kh * kw, places) have there."""
    x = convert_to_tensor(x)
    size = for_each_axis(output_size, 2, "output_size")
    window = for_each_axis(kernel_size, 2, "kernel_size")
    spread = for_each_axis(dilation, 2, "dilation")
    around = for_each_axis(padding, 2, "padding")
    steps = for_each_axis(stride, 2, "stride")
    counts = [
        (extent + 2 * border - gap * (length - 1) - 1) // step + 1
        for extent, border, gap, length, step in zip(size, around, spread, window, steps, strict=True)
    ]
    batch, channels = x.shape[0], x.shape[1] // (window[0] * window[1])
    patches = x.reshape(batch, channels, *window, *counts)
    total: Any = 0
    for row in range(window[0]):
        for column in range(window[1]):
            layer = spread_out(patches[:, :, row, column], 2, steps)
            borders = [
                (place * gap, extent + 2 * border - place * gap - covered)
                for place, gap, extent, border, covered in zip(
                    (row, column), spread, size, around, layer.shape[2:], strict=True
                )
            ]
            total = total + np.pad(layer, ((0, 0), (0, 0), *borders))
    rows, columns = (slice(border, border + extent) for border, extent in zip(around, size, strict=True))
    return total[:, :, rows, columns]


def depth_to_space(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """Channels as the pixels of blocks: (N, H, W, C) to (N, H * block, W * block, C / block**2)."""
    x = convert_to_tensor(x)
    if data_format == "channels_last":
        batch, height, width, channels = x.shape
        left = channels // block_size**2
        blocks = x.reshape(batch, height, width, block_size, block_size, left).transpose(0, 1, 3, 2, 4, 5)
        return blocks.reshape(batch, height * block_size, width * block_size, left)
    batch, channels, height, width = x.shape
    left = channels // block_size**2
    blocks = x.reshape(batch, left, block_size, block_size, height, width).transpose(0, 1, 4, 2, 5, 3)
    return blocks.reshape(batch, left, height * block_size, width * block_size)


def space_to_depth(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    """The pixels of blocks as channels: (N, H, W, C) to (N, H / block, W / block, C * block**2)."""
    x = convert_to_tensor(x)
    if data_format == "channels_last":
        batch, height, width, channels = x.shape
        rows, columns = height // block_size, width // block_size
        blocks = x.reshape(batch, rows, block_size, columns, block_size, channels).transpose(0, 1, 3, 2, 4, 5)
        return blocks.reshape(batch, rows, columns, channels * block_size**2)
    batch, channels, height, width = x.shape
    rows, columns = height // block_size, width // block_size
    blocks = x.reshape(batch, channels, rows, block_size, columns, block_size).transpose(0, 1, 3, 5, 2, 4)
    return blocks.reshape(batch, channels * block_size**2, rows, columns)


__all__ = ["depth_to_space", "fold", "space_to_depth", "unfold"]
