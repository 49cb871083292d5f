"""What Keras's backend interface names for neural networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..conversion import convert_to_tensor, may_be_equal
from . import activations
from .activations import *  # noqa: F403
from .attention import dot_product_attention
from .categories import (
    binary_crossentropy,
    categorical_crossentropy,
    multi_hot,
    one_hot,
    sparse_categorical_crossentropy,
)
from .convolutions import conv, conv_transpose, depthwise_conv, separable_conv
from .ctc import ctc_decode, ctc_loss
from .normalization import batch_normalization, moments
from .patches import depth_to_space, fold, space_to_depth, unfold
from .pooling import adaptive_average_pool, adaptive_max_pool, average_pool, max_pool


def psnr(x1: Any, x2: Any, max_val: Any) -> Any:
    """The peak signal-to-noise ratio of two arrays in decibels."""
    x1, x2 = convert_to_tensor(x1), convert_to_tensor(x2)
    if not may_be_equal(x1.shape, x2.shape):
        raise ValueError(f"Input shapes {x1.shape} and {x2.shape} must match for PSNR calculation. ")
    number = x2.dtype.type
    error = np.mean(np.square(x1 - x2))
    return number(20) * np.log10(convert_to_tensor(max_val, x2.dtype)) - number(10) * np.log10(error)


__all__ = [
    *activations.__all__,
    "adaptive_average_pool",
    "adaptive_max_pool",
    "average_pool",
    "batch_normalization",
    "binary_crossentropy",
    "categorical_crossentropy",
    "conv",
    "conv_transpose",
    "ctc_decode",
    "ctc_loss",
    "depth_to_space",
    "depthwise_conv",
    "dot_product_attention",
    "fold",
    "max_pool",
    "moments",
    "multi_hot",
    "one_hot",
    "psnr",
    "separable_conv",
    "space_to_depth",
    "sparse_categorical_crossentropy",
    "unfold",
]
