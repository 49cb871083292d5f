"""The element types of weft: one table that joins NumPy dtypes, MLIR spellings and short names."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .errors import WeftTypeError
from .records import NamedTuple

DTypeLike: TypeAlias = Any


class ElementType(NamedTuple):
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


_NUMPY_TYPES: tuple[ElementType, ...] = (
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
    ElementType(np.dtype(np.float32), "f32", "f32", "f"),
    ElementType(np.dtype(np.float64), "f64", "f64", "f"),
    ElementType(np.dtype(np.complex64), "complex<f32>", "c64", "c"),
    ElementType(np.dtype(np.complex128), "complex<f64>", "c128", "c"),
)
_BY_NUMPY = {element.dtype: element for element in _NUMPY_TYPES}
_BY_MLIR = {element.mlir: element for element in _NUMPY_TYPES}
_BY_SHORT = {element.short: element for element in _NUMPY_TYPES}

if TYPE_CHECKING:
    bfloat16: np.dtype[Any]
    ELEMENT_TYPES: tuple[ElementType, ...]
    BY_DTYPE: dict[np.dtype[Any], ElementType]
    BY_MLIR: dict[str, ElementType]
    BY_SHORT: dict[str, ElementType]
    BY_NAME: dict[str, ElementType]
    ALL_DTYPES: tuple[np.dtype[Any], ...]


def __getattr__(name: str) -> Any:
    """All of the table: it has a type of `ml_dtypes`, which is imported when somebody asks for it."""
    if name not in _TABLES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import ml_dtypes

    extra = np.dtype(ml_dtypes.bfloat16)
    place = next(i for i, element in enumerate(_NUMPY_TYPES) if element.short == "f32")
    rows = (*_NUMPY_TYPES[:place], ElementType(extra, "bf16", "bf16", "f"), *_NUMPY_TYPES[place:])
    by_dtype = {element.dtype: element for element in rows}
    globals().update(
        bfloat16=extra,
        ELEMENT_TYPES=rows,
        BY_DTYPE=by_dtype,
        BY_MLIR={element.mlir: element for element in rows},
        BY_SHORT={element.short: element for element in rows},
        BY_NAME={element.name: element for element in rows},
        ALL_DTYPES=tuple(by_dtype),
    )
    return globals()[name]


_TABLES = ("bfloat16", "ELEMENT_TYPES", "BY_DTYPE", "BY_MLIR", "BY_SHORT", "BY_NAME", "ALL_DTYPES")


def _table() -> tuple[ElementType, ...]:
    rows: tuple[ElementType, ...] = _table_of("ELEMENT_TYPES")
    return rows


def all_dtypes() -> tuple[np.dtype[Any], ...]:
    """The dtypes of the table, in its order."""
    return tuple(row.dtype for row in _table())


def _table_of(name: str) -> Any:
    return globals()[name] if name in globals() else __getattr__(name)


def by_mlir(spelling: str) -> ElementType | None:
    """The row of a type by the weft dialect's spelling; None where there is none.

    >>> by_mlir("ui8").dtype
    dtype('uint8')
    """
    if spelling == "bf16":
        return next(row for row in _table() if row.mlir == spelling)
    return _BY_MLIR.get(spelling)


def by_short(spelling: str) -> ElementType | None:
    """The row of a type by its short name; None where there is none.

    >>> by_short("u8").dtype
    dtype('uint8')
    """
    if spelling == "bf16":
        return next(row for row in _table() if row.short == spelling)
    return _BY_SHORT.get(spelling)


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is that of `ml_dtypes`, which is not imported to tell NumPy's from it.

    >>> is_bfloat16(np.dtype("f2"))
    False
    """
    return dtype.kind == "V" and dtype == _table_of("bfloat16")


def is_half(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is a float of two bytes."""
    return dtype == np.float16 or is_bfloat16(dtype)


def is_element(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of a dtype, in native byte order, hold elements of the table.

    >>> is_element(np.dtype("f4")), is_element(np.dtype("U3"))
    (True, False)
    """
    return dtype in _BY_NUMPY or any(dtype == element.dtype for element in _table())


def supported_names() -> str:
    """The dtypes there are, for error messages."""
    return ", ".join(element.name for element in _table())


@cache
def element_type(dtype: np.dtype[Any]) -> ElementType:
    """Return the table row of a dtype in native byte order, or raise `WeftTypeError` with the dtypes there are."""
    row = _BY_NUMPY.get(dtype) or _BY_NUMPY.get(dtype.newbyteorder("="))
    if row is None:
        rows = _table()
        row = next((r for r in rows if r.dtype == dtype.newbyteorder("=")), None)
    if row is None:
        # long long and long are one machine type under two type numbers.
        row = next((r for r in rows if r.kind == dtype.kind and r.dtype.itemsize == dtype.itemsize), None)
    if row is None:
        raise WeftTypeError(f"dtype {dtype} is not supported; the dtypes there are: {supported_names()}")
    return row


def kind(dtype: np.dtype[Any]) -> str:
    """NumPy's kind letter of a supported dtype, with bfloat16 as `f`.

    >>> kind(np.dtype("int8")), kind(as_dtype("bfloat16"))
    ('i', 'f')
    """
    return element_type(dtype).kind


def _meant(dtype: object) -> str:
    """The dtype whose name looks most like a text."""
    import difflib  # for messages only

    close = difflib.get_close_matches(str(dtype), [row.name for row in _table()], 1)
    return f"did you mean {close[0]}? " if close else ""


def as_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the supported dtype that a user means by a NumPy dtype, a scalar type, a Python type or a name.

    The short names of type strings are not among them: NumPy's `i8` has eight bytes, that of `i8[3]` eight bits.

    >>> as_dtype(float), as_dtype("i8"), as_dtype("bfloat16")
    (dtype('float64'), dtype('int64'), dtype(bfloat16))
    """
    try:
        numpy_dtype = np.dtype(dtype)
    except TypeError:
        names = [row for row in _table() if isinstance(dtype, str) and dtype in (row.name, row.short)]
        if names and names[0].name == dtype:
            return names[0].dtype
        hint = (
            f"write {names[0].name!r}"
            if names
            else f"{_meant(dtype)}the dtypes there are: {supported_names()}"
        )
        shown = repr(dtype) if isinstance(dtype, (str, type)) else f"a {type(dtype).__name__}"
        raise WeftTypeError(f"{shown} is not a dtype; {hint}") from None
    if not numpy_dtype.isnative:
        raise WeftTypeError(
            f"{dtype!r} has its bytes in another order than this machine, in which compiled code computes; write "
            f"{numpy_dtype.newbyteorder('=').name!r}, and convert arguments before the call or results behind it"
        )
    return element_type(numpy_dtype).dtype
