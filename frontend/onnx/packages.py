"""The package `onnx`, which is not there with every weft."""

from __future__ import annotations

import importlib
from typing import Any

from ...dialect.errors import MissingPackageError


def onnx() -> Any:
    """The package that reads and writes ONNX's messages, and knows what its ops are."""
    try:
        return importlib.import_module("onnx")
    except ImportError as error:
        raise MissingPackageError(
            f'weft.onnx needs the package onnx, which cannot be imported ({error}): pip install "weft[onnx]"'
        ) from error
