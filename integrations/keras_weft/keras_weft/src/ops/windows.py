"""What convolutions and pooling share: arguments for each spatial axis, borders, and where the channels are."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

Borders = list[tuple[int, int]]


def channels_last(x: Any, data_format: str) -> Any:
    return x if data_format == "channels_last" else np.moveaxis(x, 1, -1)


def as_given(x: Any, data_format: str) -> Any:
    """Undo `channels_last`."""
    return x if data_format == "channels_last" else np.moveaxis(x, -1, 1)


def as_batch(images: Any) -> tuple[Any, bool]:
    """Images as a batch, and whether it was a single one."""
    if images.ndim not in (3, 4):
        raise ValueError(
            "Invalid images rank: expected rank 3 (single image) "
            "or rank 4 (batch of images). Received input with shape: "
            f"images.shape={images.shape}"
        )
    return (images, False) if images.ndim == 4 else (images[None], True)


def height_and_width(images: Any, data_format: str) -> tuple[int, int]:
    """The axes of the height and the width of images, or of one."""
    as_batch(images)
    first = images.ndim - (3 if data_format == "channels_last" else 2)
    return first, first + 1


def for_each_axis(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """A number for all spatial axes, or one for each."""
    numbers = tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank
    if len(numbers) == 1:
        numbers *= rank
    if len(numbers) != rank:
        raise ValueError(f"`{name}` must be an integer or {rank} of them. Received: {name}={value}")
    return tuple(operator.index(number) for number in numbers)


def borders(
    padding: Any,
    sizes: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Borders:
    """How many elements are put before and behind each spatial axis."""
    if isinstance(padding, (tuple, list)):
        return [(operator.index(before), operator.index(behind)) for before, behind in padding]
    spans = [(size - 1) * dilation + 1 for size, dilation in zip(window, dilations, strict=True)]
    kind = padding.lower()
    if kind == "valid":
        return [(0, 0) for _ in spans]
    if kind == "causal":
        return [(span - 1, 0) for span in spans]
    if kind != "same":
        raise ValueError(f"Invalid padding '{padding}', must be 'same', 'valid' or 'causal'.")
    totals = [
        max((-(-size // stride) - 1) * stride + span - size, 0)
        for size, span, stride in zip(sizes, spans, strides, strict=True)
    ]
    return [(total // 2, total - total // 2) for total in totals]


def spread_out(x: Any, first: int, strides: Sequence[int]) -> Any:
    """Zeros between the elements along axes from one on."""
    for axis, stride in enumerate(strides, first):
        if stride > 1:
            apart = np.expand_dims(x, axis + 1)
            gaps = [(0, 0)] * apart.ndim
            gaps[axis + 1] = (0, stride - 1)
            length = x.shape[axis] * stride
            filled = np.pad(apart, gaps).reshape(*x.shape[:axis], length, *x.shape[axis + 1 :])
            where = (slice(None),) * axis + (slice(0, max(length - stride + 1, 0)),)
            x = filled[where]
    return x


__all__ = [
    "Borders",
    "as_batch",
    "as_given",
    "borders",
    "channels_last",
    "for_each_axis",
    "height_and_width",
    "spread_out",
]
