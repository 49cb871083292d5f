"""Numbers and arrays that branches and loops carry: their abstract types, and the SSA values of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.attributes import type_to_mlir
from .....dialect.errors import UnsupportedError
from .....dialect.mlir import Type, Value
from .....dialect.ops.creation import Constant
from .....dialect.ops.shape import BroadcastTo
from .....dialect.records import replace
from .....dialect.register import context
from .....dialect.types import TensorType, type_of
from ....signature.layout_keys import Order
from ....tracing.array import TracedArray, wrap
from ....tracing.current import current_trace
from ....tracing.layouts import Layout, layout_of
from ....tracing.needed_numbers import need_deciding_numbers
from ....tracing.recorder import Recorder
from ....tracing.staging import cast, raise_where, value_of
from .kinds import ArrayKind, Kind, Mismatch, Static

BOOL = TensorType((), np.dtype(bool))
INT = TensorType((), np.dtype(np.int64))
NUMBERS: dict[type, np.dtype[Any]] = {
    bool: np.dtype(bool),
    int: np.dtype(np.int64),
    float: np.dtype(np.float64),
    complex: np.dtype(np.complex128),
}
"""Python's numbers from narrow to wide, with the dtype that holds them."""


def order_of(layout: Layout) -> Order | None:
    """The order of axes in memory, as abstract types have it."""
    return () if layout.is_row_major else layout.order


def promoted(kind: ArrayKind) -> ArrayKind:
    """A value of several types as one of the dtype that they promote to."""
    return replace(kind, types=()) if kind.types else kind


def as_array_kind(kind: Kind) -> ArrayKind | None:
    """The array that carries a number or array; None for other values."""
    if isinstance(kind, ArrayKind):
        return promoted(kind)
    if not isinstance(kind, Static):
        return None
    value = kind.value
    if type(value) in NUMBERS:
        dtype = NUMBERS[type(value)]
        if type(value) is int and not -(2**63) <= value < 2**63:
            return None
        return ArrayKind(TensorType((), dtype), type(value), is_array=False)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        found = type_of(np.asarray(value))
        order = () if found.rank < 2 else order_of(layout_of(np.asarray(value)))
        return ArrayKind(found, is_array=isinstance(value, np.ndarray), order=order)
    return None


def join_arrays(one: ArrayKind, other: ArrayKind, keeps_types: bool = False) -> ArrayKind:
    """The numbers or arrays that hold those of two kinds, of the dtype that NumPy promotes theirs to.

    Where the types are not kept beside that, numbers among the arguments that decide on the type become constants.
    """
    a, b = one.type, other.type
    if a.rank != b.rank:
        raise Mismatch(f"an array of rank {a.rank} ({a}) on one path and of rank {b.rank} ({b}) on the other")
    shape = [x if x == y else None for x, y in zip(a.shape, b.shape, strict=True)]
    number = None
    if one.number is not other.number and not keeps_types:
        _need_numbers()
    if one.number is not None and other.number is not None:
        number = max(one.number, other.number, key=list(NUMBERS).index)
        dtype = NUMBERS[number]
    elif one.number is not None:
        dtype = np.result_type(one.number(), b.dtype)
    elif other.number is not None:
        dtype = np.result_type(a.dtype, other.number())
    else:
        dtype = np.result_type(a.dtype, b.dtype)
    order = one.order if one.order == other.order else None
    return ArrayKind(TensorType(tuple(shape), dtype), number, one.is_array and other.is_array, order)


def _need_numbers() -> None:
    """Python's numbers of two types, or a number and an array: the type of the value is known once it is."""
    trace = current_trace()
    if trace is not None:
        need_deciding_numbers(trace, "the type of a number")


def mlir_type_of(tensor_type: TensorType) -> Type:
    """The MLIR type of an array."""
    with context():
        return type_to_mlir(tensor_type)


def array_value(trace: Recorder, value: Any, kind: ArrayKind) -> Value:
    """The SSA value that carries a number or array."""
    if not isinstance(value, TracedArray):
        known = None if trace.python_state is None else trace.python_state.input_of(value)
        if known is not None:
            return array_value(trace, known, kind)
        if not isinstance(value, np.ndarray) or value.ndim == 0:
            require_to_fit(value, kind.type.dtype)
            return value_of(trace, np.asarray(value).astype(kind.type.dtype))
        value = wrap(trace, trace.capture(value))
    check_that_it_fits(value, kind.type.dtype)
    return with_type(trace, cast(value, kind.type.dtype)._value(), kind.type)


def with_type(trace: Recorder, value: Value, wanted: TensorType) -> Value:
    """The value with less static extents."""
    mlir_type = mlir_type_of(wanted)
    if value.type == mlir_type:
        return value
    return trace.create_upstream("tensor.cast", [value], [mlir_type])[0]


def absent_array(trace: Recorder, kind: ArrayKind) -> Value:
    """The SSA value on a path on which it is never looked at."""
    zero = np.zeros((), kind.type.dtype)
    scalar = trace.create(Constant, [], {"value": zero})[0]
    if kind.type.rank == 0:
        return scalar
    shape = tuple(extent or 0 for extent in kind.type.shape)
    return with_type(trace, trace.create(BroadcastTo, [scalar], {"shape": shape})[0], kind.type)


def array_of_value(trace: Recorder, kind: ArrayKind, value: Value) -> TracedArray:
    """The number or array that an SSA value carries."""
    made = wrap(trace, value, kind.type)._like_python(kind.number)._as_array(kind.is_array)
    if kind.type.rank > 1:
        order = tuple(range(kind.type.rank)) if kind.order == () else kind.order
        made._storage.layout = Layout(order, frozenset(trace.matrices))
    return made


def require_to_fit(value: Any, dtype: np.dtype[Any]) -> None:
    """Refuse to make a Python int one of a dtype that does not hold it, which it is on another path."""
    if type(value) is not int or dtype.kind not in "iu":
        return
    bounds = np.iinfo(dtype)
    if not bounds.min <= value <= bounds.max:
        raise UnsupportedError(
            f"a variable or an item of a list is {value} on one path, and on another of {dtype}, which does not hold "
            f"that number; give both one dtype that does, for example np.int64({value}) and x.astype(np.int64)"
        )


def check_that_it_fits(value: TracedArray, dtype: np.dtype[Any]) -> None:
    """Raise where what is a Python int becomes one of a dtype that does not hold it, when the program runs."""
    if value._python_type is not int or dtype.kind not in "iu" or np.can_cast(value.dtype, dtype):
        return
    bounds, known = np.iinfo(dtype), np.iinfo(value.dtype)
    outside = np.zeros((), np.bool_)
    if bounds.min > known.min:
        outside = np.logical_or(outside, np.less(value, int(bounds.min)))
    if bounds.max < known.max:
        outside = np.logical_or(outside, np.greater(value, int(bounds.max)))
    raise_where(outside, OverflowError, f"Python integer {{0}} out of bounds for {dtype}", value)
