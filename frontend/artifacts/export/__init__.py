"""Compiled functions for other programs: libraries, headers and manifests, and extension modules."""

from __future__ import annotations

import importlib
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """`weft.build`, which needs setuptools, when somebody asks for it."""
    if name != "build":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.build")
