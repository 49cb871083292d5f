"""`weft.onnx`: models of ONNX as functions.

ONNX is the format in which PyTorch, TensorFlow and others hand on what they have trained. It needs the package `onnx`,
which `pip install "weft[onnx]"` brings along.
"""

from ...dialect.imports import names_on_first_use

_NAMES = {
    ".reading.loading": "load",
    ".writing.saving": "save",
    ".reading.function": "OnnxFunction",
}
"""What is here, by module; all of it is loaded on first use."""

__getattr__, __dir__, __all__ = names_on_first_use(globals(), _NAMES)
