"""Keras's dtypes of results: those of JAX with 32 bits, in which Python's numbers are weak."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from keras.src.backend import config
from keras.src.backend.common import dtypes, standardize_dtype

from ..conversion import convert_to_tensor

Rule: TypeAlias = "Callable[[str], str]"
"""The dtype in which a function computes, from that of its arguments."""


def result_type(*given: Any) -> str:
    """The dtype to which dtypes and Python's types of numbers are promoted."""
    return _result_type(config.floatx(), *given)


@functools.lru_cache(4096)
def _result_type(floatx: str, *given: Any) -> str:
    made: str = dtypes.result_type(*given)
    return made


def dtype_of(x: Any) -> str:
    """The name of an array's dtype."""
    return _name(x.dtype)


@functools.lru_cache(256)
def _name(dtype: Any) -> str:
    name: str = standardize_dtype(dtype)
    return name


def is_integer(dtype: str) -> bool:
    """Whether a dtype is of integers or truth values."""
    return dtype == "bool" or "int" in dtype


# Rules


def same(dtype: str) -> str:
    """The dtype itself."""
    return dtype


def promoted(dtype: str) -> str:
    """The dtype with at most 32 bits."""
    return result_type(dtype)


def floating(dtype: str) -> str:
    """Floating-point numbers of at most 32 bits."""
    return result_type(dtype, float)


def single(dtype: str) -> str:
    """Floating-point numbers of 32 bits."""
    return result_type(dtype, "float32")


def floatx_of_integers(dtype: str) -> str:
    """Keras's default for integers; floating-point numbers stay as they are."""
    return config.floatx() if is_integer(dtype) else dtype


def double_of_long(dtype: str) -> str:
    """64 bits for integers of 64 bits, Keras's default for others; floating-point numbers stay as they are."""
    return "float64" if dtype == "int64" else floatx_of_integers(dtype)


def number(dtype: str) -> str:
    """Integers for truth values."""
    return "int32" if dtype == "bool" else dtype


def wide(dtype: str) -> str:
    """Integers of at least 32 bits for truth values and small ones, in which sums have room."""
    if dtype in ("bool", "int8", "int16"):
        return "int32"
    return "uint32" if dtype in ("uint8", "uint16") else dtype


# Arrays of dtypes


def as_dtype(x: Any, dtype: str) -> Any:
    """An array in a dtype; itself where it has it."""
    return x if x.dtype == dtype else x.astype(dtype)


def tensor(x: Any, rule: Rule = same) -> Any:
    """A value as an array in the dtype that a rule names."""
    x = convert_to_tensor(x)
    return x if rule is same else as_dtype(x, rule(dtype_of(x)))


def tensors(*values: Any, rule: Rule = same) -> Any:
    """Values as arrays of the one dtype to which theirs are promoted."""
    given = [value if isinstance(value, (int, float)) else convert_to_tensor(value) for value in values]
    dtype = rule(result_type(*[getattr(value, "dtype", type(value)) for value in given]))
    return [
        np.asarray(value, dtype)[()] if isinstance(value, (int, float)) else as_dtype(value, dtype)
        for value in given
    ]


def in_single(x: Any) -> Any:
    """An array whose numbers can be added without loss: those of 16 bits in 32."""
    return as_dtype(x, "float32") if dtype_of(x) in ("bfloat16", "float16") else x


__all__ = [
    "Rule",
    "as_dtype",
    "double_of_long",
    "dtype_of",
    "floating",
    "floatx_of_integers",
    "in_single",
    "is_integer",
    "number",
    "promoted",
    "result_type",
    "same",
    "single",
    "tensor",
    "tensors",
    "wide",
]
