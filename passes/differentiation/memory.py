"""How much memory the gradient of a loop may take before it is cut in pieces; known without MLIR."""

DEFAULT_MEMORY = 8 << 20
"""Bytes: a quarter of a last-level cache."""

MEMORY = "weft.gradient_memory"
"""The attribute of modules that says otherwise."""
