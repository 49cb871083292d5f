"""What the ops of ONNX mean, each written as a function of the array namespace."""

from __future__ import annotations

from ..table import RULES
from . import (
    control_flow,
    convolutions,
    detection,
    elementwise,
    indexing,
    normalization,
    pooling,
    products,
    quantization,
    recurrent,
    reductions,
    resizing,
    sequences,
    shapes,
    signals,
    sorting,
)

FAMILIES = (
    elementwise,
    reductions,
    products,
    shapes,
    indexing,
    sorting,
    convolutions,
    pooling,
    normalization,
    resizing,
    quantization,
    recurrent,
    signals,
    detection,
    sequences,
    control_flow,
)
"""The modules that fill the table."""

__all__ = ["FAMILIES", "RULES"]
