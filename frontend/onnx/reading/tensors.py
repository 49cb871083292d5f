"""Tensors of ONNX as arrays, those in files beside the model, too."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ....dialect.dtypes import as_dtype
from ....dialect.errors import ArtifactError, UnsupportedError, WeftError
from ..packages import onnx


def dtype_of(number: int, what: str) -> Any:
    """The dtype of a number of ONNX; `what` has elements of it."""
    types = onnx().TensorProto
    if number not in types.DataType.values():
        raise ArtifactError(f"{what} has elements of a type that ONNX has not: {number}")
    if number == types.UNDEFINED:
        raise ArtifactError(f"{what} has elements of no type")
    try:
        if number != types.STRING:  # which NumPy has as objects
            return as_dtype(onnx().helper.tensor_dtype_to_np_dtype(number))
    except (WeftError, TypeError):
        pass
    raise UnsupportedError(f"{what} has elements that weft has not: {types.DataType.Name(number).lower()}")


def number_of(dtype: Any) -> int:
    """The number that ONNX has for a dtype."""
    return int(onnx().helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def named_dtype(dtype: Any) -> str:
    """A dtype in a message."""
    return str(np.dtype(dtype))


def array_of(proto: Any, directory: str | None) -> Any:
    """The array of a tensor; of one whose elements lie in a file beside the model, from there."""
    what = f"the tensor {proto.name!r}" if proto.name else "a tensor"
    dtype_of(proto.data_type, what)
    try:
        if proto.data_location == onnx().TensorProto.EXTERNAL:
            return _external(proto, directory, what)
        found = onnx().numpy_helper.to_array(proto)
    except WeftError:
        raise
    except (ValueError, TypeError, AttributeError, OverflowError, MemoryError) as error:
        raise ArtifactError(f"{what} is damaged: {error}") from error
    return found


def _external(proto: Any, directory: str | None, what: str) -> Any:
    """The elements that lie in another file, which must be in the model's directory, or below it."""
    entries = {entry.key: entry.value for entry in proto.external_data}
    location = entries.get("location", "")
    if directory is None:
        raise ArtifactError(
            f"{what} lies in the file {location!r} beside the model: load the model by its path"
        )
    base = os.path.realpath(directory)
    path = os.path.realpath(os.path.join(base, location))
    if not location or os.path.isabs(location) or os.path.commonpath([base, path]) != base or path == base:
        raise ArtifactError(f"{what} lies in the file {location!r}, which is not in the model's directory")
    dtype = dtype_of(proto.data_type, what)
    shape = tuple(proto.dims)
    if any(extent < 0 for extent in shape):
        raise ArtifactError(f"{what} has the shape {shape}")
    try:
        offset = int(entries.get("offset", "0"))
        size = os.path.getsize(path)
    except (OSError, ValueError) as error:
        raise ArtifactError(f"{what} cannot be read: {error}") from error
    count = int(np.prod(shape, dtype=object))
    length = count * np.dtype(dtype).itemsize
    if offset < 0 or offset + length > size:
        raise ArtifactError(
            f"{what} has {length} bytes from {offset} on in the file {location!r}, which has {size} bytes"
        )
    with open(path, "rb") as file:
        file.seek(offset)
        data = file.read(length)
    little = np.dtype(dtype).newbyteorder("<")
    return np.frombuffer(data, little).astype(dtype).reshape(shape)
