"""The lowering of the weft dialect to linalg on tensors, one module per op family."""

from __future__ import annotations

import importlib
import pkgutil


def load_families() -> None:
    """Register the lowerings of all families."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
