"""`weft.data`: data sets of arrays, whose pipelines are plain Python outside of compiled functions, and loops inside.

The modules of this room are converted as programs are (`source/modules.py`): one text serves both.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset

_NAMES = ("AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset")
"""What is here; it is loaded on first use."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _NAMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(".dataset", __name__), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})


__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset"]
