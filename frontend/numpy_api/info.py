"""What the Array API standard says about itself: dtypes, their limits and promotion, constants, capabilities."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from ...backend.gpu.devices.names import CPU
from ...dialect.dtypes import BY_NAME, DTypeLike, as_dtype, bfloat16
from ...dialect.dtypes import kind as kind_of
from ...dialect.errors import WeftValueError
from ..indexing.broadcasting import broadcast_arrays, broadcast_to
from ..tracing.array import TracedArray
from ..tracing.staging import ArrayLike, trace_of
from .arguments import common_dtype
from .array_memory import Flags, share_memory
from .arrays_on_gpus import require_known

DTYPES: dict[str, Any] = {name: row.dtype.type for name, row in BY_NAME.items()}
"""The dtypes by name, as in `weft.float32`; they are NumPy's scalar types, which also make scalars."""

CONSTANTS: dict[str, Any] = {
    "e": np.e,
    "euler_gamma": np.euler_gamma,
    "inf": np.inf,
    "nan": np.nan,
    "newaxis": None,
    "pi": np.pi,
}

_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def common_type(*arrays: ArrayLike) -> type:
    """The floating-point type that arrays of numbers have together, as `numpy.common_type`.

    Returns a scalar type: float64 for integers. Raises `TypeError` for arrays of booleans.

    >>> weft.common_type(np.ones(2, np.float32), np.ones(2, np.complex64))
    <class 'numpy.complex64'>
    """
    examples = [np.empty(0, array.dtype) if isinstance(array, TracedArray) else array for array in arrays]
    return np.common_type(*examples)


def isfortran(a: ArrayLike) -> bool:
    """Whether elements lie in column-major order, and not in row-major order, as `numpy.isfortran`.

    Returns a bool. Raises `UnsupportedError` where it is not known how the array lies.

    >>> weft.isfortran(np.ones((2, 3)).T)
    True
    """
    return bool(Flags(a).fnc) if isinstance(a, TracedArray) else np.isfortran(np.asarray(a))


def shares_memory(a: Any, b: Any, /, max_work: Any = None) -> bool:
    """Whether arrays have elements in one place, as `numpy.shares_memory`.

    Returns a bool. Raises `UnsupportedError` where that depends on the caller of a compiled function.

    >>> x = np.arange(3)
    >>> weft.shares_memory(x, x[1:])
    True
    """
    if isinstance(a, TracedArray) or isinstance(b, TracedArray):
        return share_memory(a, b, is_exact=True)
    return bool(np.shares_memory(a, b, max_work))


def may_share_memory(a: Any, b: Any, /, max_work: Any = None) -> bool:
    """Whether arrays may have elements in one place, as `numpy.may_share_memory`.

    Returns a bool. Raises `UnsupportedError` where that depends on the caller of a compiled function.

    >>> weft.may_share_memory(np.arange(3), np.arange(3))
    False
    """
    if isinstance(a, TracedArray) or isinstance(b, TracedArray):
        return share_memory(a, b, is_exact=False)
    return bool(np.may_share_memory(a, b, max_work))


def isdtype(dtype: DTypeLike, kind: Any) -> bool:
    """Whether a dtype is another, of a kind such as "real floating", or one of a tuple of these, as `numpy.isdtype`.

    Returns a bool. Raises `ValueError` for an unknown name, `TypeError` for dtypes that weft does not have.

    >>> weft.isdtype(np.float32, "real floating")
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, entry) for entry in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise WeftValueError(f"kind {kind!r} is not one of {', '.join(_KINDS)}")
        return kind_of(as_dtype(dtype)) in _KINDS[kind]
    return as_dtype(dtype) == as_dtype(kind)


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """The dtype that promotion gives arrays, dtypes and Python scalars together, as `numpy.result_type`.

    Returns a dtype, bfloat16 included. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.result_type(np.float32, 1.0)
    dtype('float32')
    """
    entries = [as_dtype(e) if isinstance(e, (str, type, np.dtype)) else e for e in arrays_and_dtypes]
    return common_dtype(*entries)


def can_cast(from_: Any, to: DTypeLike, /, casting: str = "safe") -> bool:
    """Whether a casting rule lets a dtype, or that of an array, into another, as `numpy.can_cast`.

    Returns a bool. Raises `ValueError` for an unknown rule, `TypeError` for dtypes that weft does not have.

    >>> weft.can_cast("int8", "int16")
    True
    """
    source = from_.dtype if hasattr(from_, "dtype") and not isinstance(from_, type) else as_dtype(from_)
    return bool(np.can_cast(source, as_dtype(to), casting))  # type: ignore[arg-type]


def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype[Any]:
    """The smallest dtype into which both can be cast, as `numpy.promote_types`.

    Returns a dtype. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.promote_types("int8", "uint8")
    dtype('int16')
    """
    return as_dtype(np.promote_types(as_dtype(type1), as_dtype(type2)))


def _dtype_of(value: Any) -> np.dtype[Any]:
    return as_dtype(value.dtype if hasattr(value, "dtype") and not isinstance(value, type) else value)


def finfo(type: Any, /) -> Any:
    """The limits of a floating-point dtype, or of the parts of a complex one, as `numpy.finfo`.

    Returns an object with `eps`, `max` and others. Raises `ValueError` for other dtypes.

    >>> float(weft.finfo(weft.float32).eps)
    1.1920928955078125e-07
    """
    dtype = _dtype_of(type)
    if kind_of(dtype) not in "fc":
        raise WeftValueError(f"data type {dtype!r} not inexact")
    limits: Any = ml_dtypes.finfo if dtype == bfloat16 else np.finfo
    return limits(dtype)


def iinfo(type: Any, /) -> Any:
    """The limits of an integer dtype, as `numpy.iinfo`.

    Returns an object with `min` and `max`. Raises `ValueError` for other dtypes.

    >>> weft.iinfo(weft.int8).max
    127
    """
    dtype = _dtype_of(type)
    if kind_of(dtype) not in "iu":
        raise WeftValueError(f"Invalid integer data type {dtype.kind!r}.")
    return np.iinfo(dtype)


def iscomplexobj(x: ArrayLike) -> bool:
    """Whether an array is of a complex dtype, as `numpy.iscomplexobj`.

    Returns a bool. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.iscomplexobj(np.array([1j]))
    True
    """
    return kind_of(_dtype_of(x if hasattr(x, "dtype") else np.asarray(x))) == "c"


def isrealobj(x: ArrayLike) -> bool:
    """Whether an array is not of a complex dtype, as `numpy.isrealobj`.

    Returns a bool. Raises `TypeError` for dtypes that weft does not have.

    >>> weft.isrealobj(np.array([1j]))
    False
    """
    return not iscomplexobj(x)


def isscalar(element: Any) -> bool:
    """Whether a value is a number or text and no array, as `numpy.isscalar`: one of rank 0 is an array.

    Returns a bool. Raises nothing.

    >>> weft.isscalar(np.float64(3.0)), weft.isscalar(np.array(3.0))
    (True, False)
    """
    return element._is_scalar if isinstance(element, TracedArray) else bool(np.isscalar(element))


def iterable(y: Any) -> bool:
    """Whether a value can be walked, as `numpy.iterable`.

    Returns a bool. Raises nothing.

    >>> weft.iterable([1, 2]), weft.iterable(3)
    (True, False)
    """
    return y.ndim > 0 if isinstance(y, TracedArray) else bool(np.iterable(y))


def ndim(a: ArrayLike) -> int:
    """The number of axes, as `numpy.ndim`.

    Returns an int. Raises `ValueError` for lists that make no array.

    >>> weft.ndim([[1, 2]])
    2
    """
    return int(a.ndim) if hasattr(a, "ndim") else np.ndim(a)


def shape(a: ArrayLike) -> tuple[Any, ...]:
    """The shape, as `numpy.shape`; extents known only when the function runs are traced scalars.

    Returns a tuple. Raises `ValueError` for lists that make no array.

    >>> weft.shape([[1, 2]])
    (1, 2)
    """
    return tuple(a.shape) if hasattr(a, "shape") else np.shape(a)


def size(a: ArrayLike, axis: int | None = None) -> Any:
    """The number of elements, in all or along an axis, as `numpy.size`.

    Returns an int, or a traced scalar. Raises `IndexError` for an axis that a does not have.

    >>> weft.size([[1, 2]], 1)
    2
    """
    if not hasattr(a, "shape"):
        return np.size(a, axis)
    return a.size if axis is None else a.shape[axis]


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape to which shapes broadcast together, as `numpy.broadcast_shapes`.

    Returns a tuple of ints, traced ones where the program knows them. Raises `ValueError` for shapes that do not
    broadcast.

    >>> weft.broadcast_shapes((3, 1), (2,))
    (3, 2)
    """
    extents = [
        extent for shape in shapes for extent in (shape if isinstance(shape, (tuple, list)) else (shape,))
    ]
    if trace_of(extents) is None:
        return np.broadcast_shapes(*shapes)
    together = broadcast_arrays(*(broadcast_to(np.False_, shape) for shape in shapes))
    return tuple(together[0].shape)


class Info:
    """The object that `__array_namespace_info__()` returns."""

    def capabilities(self) -> dict[str, Any]:
        """What the namespace can do; data-dependent shapes and boolean indexing are for eager arrays."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """The device of new arrays."""
        return "cpu"

    def devices(self) -> tuple[str, ...]:
        """The devices there are: the processor, and the GPUs that the driver has."""
        from ...backend.gpu.devices.open_devices import device_names

        require_known(CPU)
        return (CPU, *device_names())

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """The dtypes of arrays made without one."""
        require_known(device or CPU)
        names = {
            "real floating": "float64",
            "complex floating": "complex128",
            "integral": "int64",
            "indexing": "int64",
        }
        return {what: as_dtype(name) for what, name in names.items()}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """The standard's dtypes, all or of a kind."""
        require_known(device or CPU)
        standard = {name: as_dtype(name) for name in DTYPES if name not in ("float16", "bfloat16")}
        if kind is None:
            return standard
        return {name: dtype for name, dtype in standard.items() if isdtype(dtype, kind)}


def __array_namespace_info__() -> Info:
    """The standard's inspection object, as `numpy.__array_namespace_info__`.

    Returns an object that tells devices, dtypes and capabilities. Raises nothing.

    >>> weft.__array_namespace_info__().default_device()
    'cpu'
    """
    return Info()
