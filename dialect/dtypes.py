"""The element types of weft: one table that joins NumPy dtypes, MLIR spellings and short names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from .errors import WeftTypeError

DTypeLike: TypeAlias = Any


@dataclass(frozen=True)
class ElementType:
    """One row of the dtype table: `bool`, `int32`, `complex64` and so on."""

    dtype: np.dtype[Any]
    mlir: str
    """How the weft dialect spells it: signless integers are signed, `ui8` is unsigned."""
    short: str
    """The short name in type strings such as `f32[?,3]`."""
    kind: str
    """NumPy's kind letter: b, i, u, f or c (bfloat16, which NumPy calls V, counts as f)."""

    @property
    def name(self) -> str:
        """The NumPy name, as in `weft.float32`."""
        return str(self.dtype.name)


bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)

ELEMENT_TYPES: tuple[ElementType, ...] = (
    ElementType(np.dtype(np.bool_), "i1", "bool", "b"),
    ElementType(np.dtype(np.int8), "i8", "i8", "i"),
    ElementType(np.dtype(np.int16), "i16", "i16", "i"),
    ElementType(np.dtype(np.int32), "i32", "i32", "i"),
    ElementType(np.dtype(np.int64), "i64", "i64", "i"),
    ElementType(np.dtype(np.uint8), "ui8", "u8", "u"),
    ElementType(np.dtype(np.uint16), "ui16", "u16", "u"),
    ElementType(np.dtype(np.uint32), "ui32", "u32", "u"),
    ElementType(np.dtype(np.uint64), "ui64", "u64", "u"),
    ElementType(np.dtype(np.float16), "f16", "f16", "f"),
    ElementType(bfloat16, "bf16", "bf16", "f"),
    ElementType(np.dtype(np.float32), "f32", "f32", "f"),
    ElementType(np.dtype(np.float64), "f64", "f64", "f"),
    ElementType(np.dtype(np.complex64), "complex<f32>", "c64", "c"),
    ElementType(np.dtype(np.complex128), "complex<f64>", "c128", "c"),
)

BY_DTYPE: dict[np.dtype[Any], ElementType] = {element.dtype: element for element in ELEMENT_TYPES}
BY_MLIR: dict[str, ElementType] = {element.mlir: element for element in ELEMENT_TYPES}
BY_SHORT: dict[str, ElementType] = {element.short: element for element in ELEMENT_TYPES}
BY_NAME: dict[str, ElementType] = {element.name: element for element in ELEMENT_TYPES}

ALL_DTYPES: tuple[np.dtype[Any], ...] = tuple(BY_DTYPE)


def supported_names() -> str:
    """The dtypes there are, for error messages."""
    return ", ".join(element.name for element in ELEMENT_TYPES)


@cache
def element_type(dtype: np.dtype[Any]) -> ElementType:
    """Return the table row of a dtype in native byte order, or raise `WeftTypeError` with the dtypes there are."""
    row = BY_DTYPE.get(dtype)
    if row is None and dtype.newbyteorder("=") in BY_DTYPE:
        row = BY_DTYPE[dtype.newbyteorder("=")]
    if row is None:
        # long long and long are one machine type under two type numbers.
        row = next(
            (r for r in ELEMENT_TYPES if r.kind == dtype.kind and r.dtype.itemsize == dtype.itemsize), None
        )
    if row is None:
        raise WeftTypeError(f"dtype {dtype} is not supported; the dtypes there are: {supported_names()}")
    return row


def kind(dtype: np.dtype[Any]) -> str:
    """NumPy's kind letter of a supported dtype, with bfloat16 as `f`.

    >>> kind(np.dtype("int8")), kind(bfloat16)
    ('i', 'f')
    """
    return element_type(dtype).kind


def as_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the supported dtype that a user means by a NumPy dtype, a scalar type, a Python type or a name.

    The short names of type strings are not among them: NumPy's `i8` has eight bytes, that of `i8[3]` eight bits.

    >>> as_dtype(float), as_dtype("i8"), as_dtype("bfloat16")
    (dtype('float64'), dtype('int64'), dtype(bfloat16))
    """
    if isinstance(dtype, str) and (row := BY_NAME.get(dtype)):
        return row.dtype
    try:
        numpy_dtype = np.dtype(dtype)
    except TypeError as error:
        row = BY_SHORT.get(dtype) if isinstance(dtype, str) else None
        hint = f"write {row.name!r}" if row else f"the dtypes there are: {supported_names()}"
        raise WeftTypeError(f"{dtype!r} is not a dtype; {hint}") from error
    return element_type(numpy_dtype).dtype
