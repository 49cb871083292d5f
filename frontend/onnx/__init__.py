"""`weft.onnx`: models of ONNX as functions.

ONNX is the format in which PyTorch, TensorFlow and others hand on what they have trained. It needs the package `onnx`,
which `pip install "weft[onnx]"` brings along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect.imports import names_on_first_use

if TYPE_CHECKING:
    from .reading.function import OnnxFunction
    from .reading.loading import load
    from .writing.saving import save

_EXPORTS = {"load": ".reading.loading", "save": ".writing.saving", "OnnxFunction": ".reading.function"}
"""What is here, by module; all of it is loaded on first use."""

if not TYPE_CHECKING:
    __getattr__, __dir__ = names_on_first_use(globals(), _EXPORTS)

__all__ = ["OnnxFunction", "load", "save"]
