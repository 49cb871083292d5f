"""What the ops of ONNX mean, each written as a function of the array namespace."""

from __future__ import annotations

import importlib

from ..table import RULES as RULES

for _family in (
    "elementwise", "reductions", "products", "shapes", "indexing", "sorting", "convolutions", "pooling",
    "normalization", "resizing", "quantization", "recurrent", "signals", "detection", "sequences", "control_flow",
):  # fmt: skip
    importlib.import_module(f".{_family}", __name__)  # which fills the table
