"""Which tests ask for values alone, so that most of their functions are interpreted, and not made machine code."""

from __future__ import annotations

FOLDERS = (
    "test/frontend/batching",
    "test/frontend/composite",
    "test/frontend/control_flow",
    "test/frontend/gradients",
    "test/frontend/indexing",
    "test/frontend/numpy_api",
    "test/frontend/onnx",
    "test/frontend/python_state",
    "test/frontend/random",
    "test/frontend/runtime_values",
    "test/frontend/stablehlo",
    "test/frontend/variables",
)
"""Folders of which all tests are such, but for those marked as `compiled`, `optimised` or of a `processor`."""

__all__ = ["FOLDERS"]
