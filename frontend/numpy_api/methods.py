"""Methods and properties of traced arrays whose signature differs from that of the function of the same name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.dtypes import DTypeLike, as_dtype, kind
from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ...dialect.ops.casts import Bitcast
from ...dialect.ops.shape import Reshape
from ..signature.composite_arrays import is_composite_dtype
from ..tracing.behaviour import behaviour
from ..tracing.element_stores import cast_element, require_single, signed_number
from ..tracing.extents import split_shape
from ..tracing.flat_items import FlatItems
from ..tracing.staging import ArrayLike, ArrayResult, asarray, raise_where, view_of
from . import (
    array_memory,
    creation,
    elementwise,
    indexing,
    number_attributes,
    reinterpreted,
    set_operations,
    shape,
    sorting,
)
from .arguments import NO_VALUE, write_into
from .memory_order import require_native_order


def reshape(x: Any, *shape_entries: Any, order: str = "C", copy: bool | None = None) -> ArrayResult:
    """`x.reshape(2, 3)` and `x.reshape((2, 3))`."""
    if not shape_entries:
        raise WeftTypeError("reshape() takes exactly 1 argument (0 given)")
    wanted = shape_entries[0] if len(shape_entries) == 1 else shape_entries
    return shape.reshape(x, wanted, order, copy=copy)


def transpose(x: Any, *axes: Any) -> ArrayResult:
    """`x.transpose()`, `x.transpose(1, 0)` and `x.transpose((1, 0))`."""
    return shape.transpose(x, (axes[0] if len(axes) == 1 else axes) if axes else None)


def sort(x: Any, axis: int = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None) -> None:
    """Sort the array in place."""
    write_into(x, sorting.sort(x, axis, kind, order), "sort array")


def partition(x: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: Any = None) -> None:
    """Partition the array in place."""
    write_into(x, sorting.partition(x, kth, axis, kind, order), "partition array")


def fill(x: Any, value: ArrayLike) -> None:
    """Set all elements to a scalar; a scalar of NumPy's has the method, too, which fills a copy."""
    require_single(value, x.dtype)
    write_into(x._memory(), asarray(cast_element(value, x.dtype)), "assignment destination")


def astype(
    x: Any, dtype: DTypeLike, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> ArrayResult:
    """The array in another dtype."""
    if is_composite_dtype(dtype):
        return behaviour().composite_method("astype", x, dtype)
    return creation.astype(x, dtype, order, casting, copy=copy)


def clip(
    x: Any,
    min: Any = NO_VALUE,
    max: Any = NO_VALUE,
    out: Any = None,
    *,
    dtype: Any = None,
    where: Any = True,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
) -> ArrayResult:
    """Limit the elements to an interval."""
    return elementwise.clip(x, min, max, out, dtype=dtype, where=where, casting=casting)


def compress(x: Any, condition: ArrayLike, axis: Any = None, out: Any = None) -> ArrayResult:
    """The slices along an axis where a condition holds."""
    return set_operations.compress(condition, x, axis, out)


_CLASS = type


def view(x: Any, dtype: Any = None, type: Any = None) -> ArrayResult:
    """A view of the bits in another dtype; without a dtype, of the array itself."""
    if isinstance(dtype, _CLASS) and issubclass(dtype, np.ndarray):
        dtype, type = None, dtype
    if type is not None and type is not np.ndarray:
        raise UnsupportedError(
            f"view() makes an array a {getattr(type, '__name__', type)}, a class that computes by its own rules; "
            "compiled code computes with plain arrays: make it one outside of the compiled function"
        )
    if dtype is None:
        return x[...] if x.ndim else shape.reshape(x, ())
    if is_composite_dtype(dtype):
        return behaviour().composite_method("view", x, dtype)
    wanted = as_dtype(dtype)
    if wanted == x.dtype:
        return view(x)
    if wanted.itemsize != x.dtype.itemsize or {kind(wanted), kind(x.dtype)} & {"b", "c"}:
        return reinterpreted.reinterpreted(x, wanted)
    require_native_order(x)
    return view_of(x, Bitcast, dtype=wanted)


def byteswap(x: Any, inplace: bool = False) -> ArrayResult:
    """The elements with their bytes in reverse order; of complex numbers each part by itself."""
    if kind(x.dtype) == "c":
        swapped: Any = creation.empty_like(x)
        write_into(number_attributes.real(swapped), byteswap(x.real))
        write_into(number_attributes.imag(swapped), byteswap(x.imag))
        swapped = swapped[()] if x._is_scalar else swapped
    elif x.itemsize == 1:
        swapped = x.copy()
    else:
        bits = _swapped_bits(view(x, f"uint{8 * x.itemsize}"))
        swapped = view(bits, x.dtype)._as_array(not x._is_scalar)
    if inplace:
        if x._is_number:
            raise WeftValueError("cannot byteswap a scalar in-place")
        write_into(x, swapped)
        return x
    return swapped


def _swapped_bits(bits: Any) -> Any:
    """Unsigned integers with their bytes in reverse order: neighbours change places, then pairs, then fours."""
    width = 8 * bits.itemsize
    step = 8
    while step < width:
        lower = sum(((1 << step) - 1) << place for place in range(0, width, 2 * step))
        bits = ((bits & lower) << step) | ((bits >> step) & lower)
        step *= 2
    return bits


def flat(x: Any) -> FlatItems:
    """The elements in row-major order, to be read, and written one by one."""
    extents, dims = split_shape((x.size,))
    return FlatItems.of(view_of(x, Reshape, *dims, shape=extents), x)


def matrix_transpose(x: Any) -> ArrayResult:
    """The `mT` property: the last two axes exchanged."""
    if x.ndim < 2:
        raise WeftValueError("matrix transpose with ndim < 2 is undefined")
    return shape.matrix_transpose(x)


MOST_LISTED = 64
"""How many elements `tolist` takes out of an array one by one."""

_NUMBERS: dict[str, tuple[type, str]] = {
    "b": (bool, "bool"), "i": (int, "int64"), "f": (float, "float64"),
    "c": (complex, "complex128"),
}  # fmt: skip
"""What elements are as Python's numbers, by the kind of their dtype."""


def item(x: Any, *index: Any) -> Any:
    """An element as a Python number, by a flat index, by one for each axis, or the only one."""
    if (known := x._known()) is not None:
        return known.item(*index)
    if index:
        place = index[0] if len(index) == 1 else index
        return _number(x[place] if isinstance(place, tuple) or x.ndim == 1 else flat(x)[place])
    message = "can only convert an array of size 1 to a Python scalar"
    raise_where(x.size != 1, WeftValueError, message)
    return _number(x[(0,) * x.ndim])


def tolist(x: Any) -> Any:
    """The elements as Python's numbers, in nested lists: of small arrays of known shape."""
    if (known := x._known()) is not None:
        return known.tolist()
    if None in x.type.shape or x.size > MOST_LISTED:
        raise x._needs_value("tolist()", "return the array and convert it outside")
    return [tolist(x[place]) for place in range(x.type.shape[0])] if x.ndim else _number(x[()])


def _number(element: Any) -> Any:
    """An element as a Python number."""
    if kind(element.dtype) == "u":
        return signed_number(creation.astype(element, element.dtype))._like_python(int)
    converted, number = as_numbers(element)
    return converted._like_python(number)


def as_numbers(x: Any) -> tuple[Any, type]:
    """The elements in the dtype that holds Python's numbers of their kind, as a copy, and the type of these."""
    number, dtype = _NUMBERS[kind(x.dtype).replace("u", "i")]
    return creation.astype(x, dtype), number


METHODS: dict[str, Any] = {
    "array_T": shape.transpose,
    "array_base": array_memory.base,
    "array_flags": array_memory.Flags,
    "array_flat": flat,
    "array_imag": number_attributes.imag,
    "array_mT": matrix_transpose,
    "array_real": number_attributes.real,
    "array_strides": array_memory.strides,
    "astype": astype,
    "byteswap": byteswap,
    "clip": clip,
    "compress": compress,
    "conj": number_attributes.conjugate,
    "conjugate": number_attributes.conjugate,
    "fill": fill,
    "flatten": shape.flatten,
    "item": item,
    "partition": partition,
    "put": indexing.put,
    "reshape": reshape,
    "resize": array_memory.resize,
    "setflags": array_memory.set_flags,
    "sort": sort,
    "tolist": tolist,
    "transpose": transpose,
    "view": view,
}
"""Methods by name; the others are the namespace functions of the same name."""
