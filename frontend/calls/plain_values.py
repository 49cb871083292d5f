"""Which values native code compares itself."""

from __future__ import annotations

import ctypes

import numpy as np

from ...backend.cpu.native_python.layout import VALUE

BY_COMPARISON = (int, str, bytes)
"""The types whose comparison runs no code of others."""


def has_plain_value(value: np.generic) -> bool:
    """Whether a NumPy scalar holds its value where native code looks for it."""
    return ctypes.string_at(id(value) + VALUE, value.nbytes) == value.tobytes()


__all__ = ["BY_COMPARISON", "has_plain_value"]
