"""Python values that a trace holds as they are: which are the same on two paths, and how messages show them."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from .....dialect.shown_values import shown_value
from .....dialect.types import type_of
from ....signature.signature import static_key
from ....signature.traced_value import ByValue

COMPARED = (bool, int, float, complex, str, bytes, slice, range, np.dtype, ByValue)
"""Values that are the same if they are equal; others are if they are one object."""


def same_static(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other) or isinstance(one, (np.ndarray, np.generic)):
        return False
    if type(one) in (int, str):  # most constants, many of which are compared where calls nest deeply
        return bool(one == other)
    if isinstance(one, types.FunctionType):
        return _are_made_alike(one, other)
    return isinstance(one, COMPARED) and bool(static_key(one) == static_key(other))


def _are_made_alike(one: types.FunctionType, other: types.FunctionType) -> bool:
    """Whether two functions are what one `def` or lambda gave twice, with nothing in them that tells them apart."""
    if one.__code__ is not other.__code__ or one.__globals__ is not other.__globals__:
        return False
    cells = (one.__closure__ or ()), (other.__closure__ or ())
    parts = ((f.__defaults__, f.__kwdefaults__, f.__dict__ or None) for f in (one, other))
    return all(mine is its for mine, its in zip(*cells, strict=True)) and not any(map(any, parts))


def described(value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        return str(type_of(np.asarray(value)))
    text = shown_value(value)
    return text if len(text) < 60 else f"a {type(value).__name__}"
