"""Export of models for inference."""

from __future__ import annotations

from typing import Any


class WeftExportArchive:
    """What Keras's SavedModel format would be written by."""

    def track(self, resource: Any) -> None:
        """Refuse: SavedModel is TensorFlow's format."""
        raise NotImplementedError("SavedModel is TensorFlow's format, which the weft backend does not write")

    def add_endpoint(self, name: str, fn: Any, input_signature: Any = None, **kwargs: Any) -> Any:
        """Refuse: SavedModel is TensorFlow's format."""
        raise NotImplementedError("SavedModel is TensorFlow's format, which the weft backend does not write")


__all__ = ["WeftExportArchive"]
