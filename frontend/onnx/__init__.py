"""`weft.onnx`: models of ONNX as functions.

ONNX is the format in which PyTorch, TensorFlow and others hand on what they have trained. It needs the package `onnx`,
which `pip install "weft[onnx]"` brings along.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .reading.function import OnnxFunction
    from .reading.loading import load
    from .writing.saving import save

_EXPORTS = {"load": ".reading.loading", "save": ".writing.saving", "OnnxFunction": ".reading.function"}
"""What is here, by module; all of it is loaded on first use."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        module = _EXPORTS.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(importlib.import_module(module, __name__), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS})


__all__ = ["OnnxFunction", "load", "save"]
