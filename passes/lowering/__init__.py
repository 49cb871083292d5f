"""The lowering of the weft dialect to linalg on tensors, one module per op family."""

from __future__ import annotations

import importlib

FAMILIES = (
    "elementwise",
    "casts",
    "selection",
    "complex_parts",
    "creation",
    "shape",
    "indexing",
    "reductions",
    "arg_reductions",
    "scans",
    "sorting",
    "contraction",
    "pooling",
    "state",
)


def load_families() -> None:
    """Register the lowerings of all families."""
    for family in FAMILIES:
        importlib.import_module(f"{__name__}.{family}")
