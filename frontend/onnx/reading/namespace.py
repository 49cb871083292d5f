"""The array namespace, in which rules are written."""

from __future__ import annotations

from typing import Any

from ...numpy_api import lookup


class _Namespace:
    """What computes with NumPy's arrays, and records what is done to traced ones."""

    def __getattr__(self, name: str) -> Any:
        value = lookup(name, ())
        setattr(self, name, value)
        return value


weft: Any = _Namespace()
"""All functions of the array namespace, as attributes."""

__all__ = ["weft"]
