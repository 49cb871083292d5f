"""Which values native code compares itself, and finds in objects itself."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.cpu.native_python.layout import VALUE
from ..guards.inputs import NUMBERS

BY_COMPARISON = (int, str, bytes)
"""The types whose comparison runs no code of others."""


def has_plain_value(value: np.generic) -> bool:
    """Whether a NumPy scalar holds its value where native code looks for it."""
    return ctypes.string_at(id(value) + VALUE, value.nbytes) == value.tobytes()


def stands_for(value: Any, leaf: Any) -> bool:
    """Whether a number holds its value just as an array does that was made of it."""
    if type(leaf) is not np.ndarray or leaf.ndim != 0:
        return False
    if type(value) in NUMBERS:
        return leaf.dtype == np.asarray(value).dtype and type(value) is type(leaf.item())
    return isinstance(value, np.generic) and value.dtype == leaf.dtype and has_plain_value(value)


def has_plain_members(kind: type, names: Sequence[str]) -> bool:
    """Whether the attributes of the instances of a class are what their dicts hold."""
    own: Any = kind.__getattribute__
    if own is not object.__getattribute__ or len(names) > len(dataclasses.fields(kind)) + 1:
        return False  # the order of several attributes that are no fields is part of the signature
    return not any(hasattr(type(getattr(kind, name, None)), "__set__") for name in names)
