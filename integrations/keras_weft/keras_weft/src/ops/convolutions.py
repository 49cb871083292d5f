"""Convolutions of one to three dimensions, in both data formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from keras.src import backend
from keras.src.backend.common.backend_utils import (
    check_conv_input_channels,
    check_conv_transpose_input_channels,
    compute_conv_transpose_padding_args_for_jax,
)

import weft

from ..conversion import convert_to_tensor
from .windows import as_given, borders, channels_last, for_each_axis


def conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    data_format = backend.standardize_data_format(data_format)
    x, kernel = _of_one_dtype(inputs, kernel)
    x = channels_last(x, data_format)
    channels, seen = x.shape[-1], kernel.shape[-2]
    if seen == 0 or channels % seen > 0:
        raise ValueError(
            "The number of input channels must be evenly divisible by "
            f"kernel's in_channels. Received input channels {channels} and "
            f"kernel in_channels {seen}. "
        )
    result = _slid(x, kernel, strides, padding, dilation_rate, channels // seen)
    if 0 in result.shape[1:-1] and 0 not in x.shape[1:-1]:
        raise ValueError(
            "The convolution operation resulted in an empty output. "
            "This can happen if the input is too small for the given "
            "kernel size, strides, dilation rate, and padding mode. "
            "Please check the input shape and convolution parameters."
        )
    return as_given(result, data_format)


def depthwise_conv(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    data_format = backend.standardize_data_format(data_format)
    inputs, kernel = convert_to_tensor(inputs), convert_to_tensor(kernel)
    check_conv_input_channels(inputs, kernel, data_format)
    channels, multiplier = kernel.shape[-2:]
    kernel = np.reshape(kernel, (*kernel.shape[:-2], 1, channels * multiplier))
    return conv(inputs, kernel, strides, padding, data_format, dilation_rate)


def separable_conv(
    inputs: Any,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    data_format = backend.standardize_data_format(data_format)
    channelwise = depthwise_conv(inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    return conv(channelwise, pointwise_kernel, 1, "valid", data_format, dilation_rate)


def conv_transpose(
    inputs: Any,
    kernel: Any,
    strides: Any = 1,
    padding: Any = "valid",
    output_padding: Any = None,
    data_format: str | None = None,
    dilation_rate: Any = 1,
) -> Any:
    data_format = backend.standardize_data_format(data_format)
    inputs, kernel = _of_one_dtype(inputs, kernel)
    check_conv_transpose_input_channels(inputs, kernel, data_format)
    rank = inputs.ndim - 2
    around = compute_conv_transpose_padding_args_for_jax(
        input_shape=inputs.shape,
        kernel_shape=kernel.shape,
        strides=strides,
        padding=padding,
        output_padding=output_padding,
        dilation_rate=dilation_rate,
    )
    steps = for_each_axis(strides, rank, "strides")
    spread = for_each_axis(dilation_rate, rank, "dilation_rate")
    x = channels_last(inputs, data_format)
    return as_given(_transposed(x, kernel, steps, around, spread), data_format)


def _of_one_dtype(inputs: Any, kernel: Any) -> tuple[Any, Any]:
    inputs, kernel = convert_to_tensor(inputs), convert_to_tensor(kernel)
    dtype = backend.result_type(inputs.dtype, kernel.dtype)
    return convert_to_tensor(inputs, dtype), convert_to_tensor(kernel, dtype)


def _slid(x: Any, kernel: Any, strides: Any, padding: Any, dilation_rate: Any, groups: int) -> Any:
    """A kernel on every place of arrays (batch, *sizes, channels)."""
    rank = x.ndim - 2
    steps = for_each_axis(strides, rank, "strides")
    spread = for_each_axis(dilation_rate, rank, "dilation_rate")
    around = borders(padding, x.shape[1:-1], kernel.shape[:rank], steps, spread)
    places = [
        (size + before + behind - (window - 1) * dilation - 1) // step + 1
        for size, (before, behind), window, dilation, step in zip(
            x.shape[1:-1], around, kernel.shape, spread, steps, strict=False
        )
    ]
    if min(places) <= 0:
        return np.zeros((x.shape[0], *(max(count, 0) for count in places), kernel.shape[-1]), x.dtype)
    return weft.conv(
        x, kernel, strides=tuple(steps), padding=tuple(around), dilations=tuple(spread), groups=groups
    )


def _transposed(x: Any, kernel: Any, strides: Sequence[int], around: Any, dilations: Sequence[int]) -> Any:
    """The convolution with the kernel turned round, of elements that are as many places apart as the stride says."""
    turned = np.swapaxes(np.flip(kernel, tuple(range(x.ndim - 2))), -1, -2)
    return weft.conv(
        x, turned, padding=tuple(around), dilations=tuple(dilations), input_dilations=tuple(strides)
    )


__all__ = ["conv", "conv_transpose", "depthwise_conv", "separable_conv"]
