"""The bytes of a library's state: the elements of its arrays one behind the other, and a header that tells them apart.

Header and elements are a file of the format `.safetensors`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ....dialect.types import TensorType
from .interface import Library, StateArray, c_name

_NAMES = {"bool": "BOOL", "bfloat16": "BF16"}
"""What the format calls dtypes; others by their kind and size."""


def lay_out(
    arrays: Mapping[str, np.ndarray[Any, Any]], types: Mapping[str, TensorType]
) -> tuple[StateArray, ...]:
    """The state: each array at a multiple of the size of its elements, without gaps."""
    found: list[StateArray] = []
    end = 0
    reserved = [
        "new",
        "delete",
        "size",
        "save",
        "load",
        "free",
        "describe",
        "sizes",
        "set_threads",
        "open",
        "close",
        "device",
    ]
    for key in sorted(arrays, key=lambda key: (-types[key].dtype.itemsize, key)):
        value = np.ascontiguousarray(arrays[key], types[key].dtype).reshape(arrays[key].shape)
        name = c_name(key, [*reserved, *(array.name for array in found)])
        found.append(StateArray(key, name, value, types[key], end))
        end += value.nbytes
    return tuple(found)


def initial_bytes(library: Library) -> bytes:
    """What the state is at first."""
    return b"".join(array.value.tobytes() for array in library.state)


def state_header(library: Library) -> bytes:
    """What is in front of the state where it is saved."""
    header = {
        array.key: {
            "dtype": _dtype_name(array.type.dtype),
            "shape": list(array.value.shape),
            "data_offsets": [array.offset, array.offset + array.value.nbytes],
        }
        for array in library.state
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _dtype_name(dtype: np.dtype[Any]) -> str:
    return _NAMES.get(dtype.name, f"{dtype.kind.upper()}{8 * dtype.itemsize}")
