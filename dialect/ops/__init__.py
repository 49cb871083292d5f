"""The op classes, one module per family."""

from __future__ import annotations

import importlib

FAMILIES = (
    "elementwise",
    "elementary",
    "special",
    "comparison",
    "overflow",
    "casts",
    "selection",
    "complex_parts",
    "creation",
    "shape",
    "arrangement",
    "slicing",
    "indexing",
    "reductions",
    "scans",
    "sorting",
    "tables",
    "random",
    "contraction",
    "convolution",
    "ufunc_loops",
    "linear_algebra",
    "fourier",
    "windows",
    "differentiation",
    "batching",
    "state",
    "distributed",
)


def load_families() -> None:
    """Define the ops of all families."""
    for family in FAMILIES:
        importlib.import_module(f"{__name__}.{family}")
