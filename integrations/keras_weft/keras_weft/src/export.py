"""Export of models for inference: `model.export(path, format="weft")` and other formats that weft writes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from keras.src import tree

import weft

FORMATS = ("weft", "onnx")
"""The formats of `model.export` that weft writes."""

ENDPOINT = "serve"
"""The name of the function in the file, as in Keras's other formats."""


def function_of(model: Any, input_signature: Any = None) -> Any:
    """What a model says of its inputs, as a function for these types; extents that are None stay open."""
    from keras.src.export.export_utils import get_input_signature

    signature = get_input_signature(model) if input_signature is None else input_signature
    options = {"training": False} if model._call_has_training_arg else {}

    def serve(inputs: Any, *others: Any) -> Any:
        return model(inputs, *others, **options)

    return weft.function(serve, name=ENDPOINT).get_concrete_function(*tree.map_structure(_spec_of, signature))


def _spec_of(described: Any) -> weft.TensorSpec:
    """The type of an input: of an array, a symbolic one, or a spec of Keras's."""
    shape, dtype = tuple(described.shape), described.dtype
    return weft.TensorSpec(shape, str(dtype) if dtype is not None else "float32")


def with_formats(export: Callable[..., None]) -> Callable[..., None]:
    """`keras.Model.export`, with the formats that weft writes in front of Keras's own."""

    @functools.wraps(export)
    def export_model(
        self: Any,
        filepath: Any,
        format: str = "weft",
        verbose: bool | None = None,
        input_signature: Any = None,
        **kwargs: Any,
    ) -> None:
        if format not in FORMATS:
            try:
                export(self, filepath, format, verbose, input_signature, **kwargs)
            except ValueError as error:
                if not str(error).startswith("Unrecognized format"):
                    raise
                raise ValueError(f"{error} weft writes {' and '.join(map(repr, FORMATS))}.") from None
            return
        function = function_of(self, input_signature)
        if format == "onnx":
            opset = kwargs.pop("opset_version", None)
            weft.onnx.save(filepath, function, opset=opset, **kwargs)
        else:
            weft.save(filepath, function, **kwargs)
        if verbose is not False:
            from keras.src.utils import io_utils

            io_utils.print_msg(f"Saved artifact at '{filepath}'.")

    return export_model


class WeftExportArchive:
    """What Keras asks for SavedModels, which are TensorFlow's."""

    def __init__(self) -> None:
        raise NotImplementedError(
            "`export_saved_model` only currently supports the tensorflow, jax and torch backends. weft writes other "
            f"formats: model.export(path, format={' or '.join(map(repr, FORMATS))})"
        )


__all__ = ["FORMATS", "WeftExportArchive", "function_of", "with_formats"]
