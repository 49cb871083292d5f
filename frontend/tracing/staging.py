"""Where a function of the array namespace turns into ops: staged when an operand is traced, else evaluated.

This module and `frontend/tracing/array.py` do not load MLIR: eager calls of the namespace never need it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.callbacks import measured
from ...dialect.dtypes import DTypeLike, as_dtype, kind
from ...dialect.errors import TransferWarning, UnsupportedDtypeError, UnsupportedError, WeftValueError
from ...dialect.op import Op
from ...dialect.ops.arrangement import Stack
from ...dialect.ops.casts import Bitcast, Cast
from ...dialect.ops.creation import Constant
from ...dialect.types import TensorType, type_of
from ..signature.foreign_arrays import is_carrier, read_elements, require_numpy_rules
from ..signature.traced_value import ArrayHolder, TracedItems, held
from .array import TracedArray, wrap
from .current import current_trace as current_trace
from .current import remembering
from .layouts import Layout, layout_of, layout_of_result
from .view_steps import ViewStep

if TYPE_CHECKING:
    from ...dialect.callbacks import Callback
    from ...dialect.mlir import Value
    from .recorder import Recorder

ArrayLike: TypeAlias = Any
"""A traced array, a NumPy array or scalar, a Python number, or nested lists of these."""

ArrayResult: TypeAlias = Any
"""A traced array when staged, a NumPy array or scalar when evaluated."""

_PYTHON_SCALARS = (bool, int, float, complex)


def is_traced(value: object) -> bool:
    """Whether a value is a traced array."""
    return isinstance(value, TracedArray)


def trace_of(values: Any) -> Recorder | None:
    """The trace that the values belong to: that of the first traced array among them, searching lists and tuples."""
    for value in values:
        if isinstance(value, TracedArray):
            return value._storage.trace
        if isinstance(value, (list, tuple)) and (found := trace_of(value)) is not None:
            return found
        if isinstance(value, (ArrayHolder, TracedItems)) and (trace := current_trace()) is not None:
            return trace
    return None


def value_of(trace: Recorder, operand: Any) -> Value:
    """The SSA value of an operand: a traced array, a NumPy array to capture, or a scalar constant."""
    operand = held(operand)
    if isinstance(operand, TracedArray):
        storage = operand._storage
        if storage.trace is not trace:
            storage.trace.require_active(storage, operand.type)
            raise UnsupportedError("arrays of two different traces meet in one operation")
        return operand._value()
    if isinstance(operand, OnDevice) or (isinstance(operand, np.ndarray) and operand.ndim > 0):
        return trace.capture(operand)
    require_numpy_rules("an operand", operand)
    if is_carrier(operand):
        return value_of(trace, read_elements(operand))  # what it holds may be written until the next call
    known = None if trace.python_state is None else trace.python_state.input_of(operand)
    if isinstance(known, TracedArray):
        return known._value()
    return trace.create(Constant, [], {"value": np.asarray(operand)})[0]


def constant(trace: Recorder, array: np.ndarray[Any, Any]) -> TracedArray:
    """A traced array, with memory of its own, of the elements that an array has now."""
    elements = np.array(array, dtype=type_of(array).dtype, order="C")
    return wrap(trace, trace.create(Constant, [], {"value": elements})[0], made_at=trace.place)


def emit(trace: Recorder, op_class: type[Op], operands: Sequence[Any], attributes: dict[str, Any]) -> Any:
    """Record an op on traced arrays, arrays and scalars; returns a traced array, or a tuple of them."""
    values = [value_of(trace, operand) for operand in operands]
    made = trace.create(op_class, values, attributes)
    results = tuple(wrap(trace, value, made_at=trace.place) for value in made)
    for result in results:
        if result.ndim > 1:
            lying = [(_layout_of(operand), type_of_operand(operand)) for operand in operands]
            result._storage.layout = layout_of_result(op_class, lying, attributes, result.ndim)
    return results[0] if op_class.results == 1 else results


def _layout_of(operand: Any) -> Layout:
    return operand._layout() if isinstance(operand, TracedArray) else layout_of(np.asarray(operand))


def raise_if(
    condition: TracedArray,
    error: str,
    message: str,
    *values: ArrayLike,
    raised: TracebackType | None = None,
) -> None:
    """Record that the call, or the body of a `try`, ends with a Python exception where the condition holds.

    Braces in the message show the values, integers. With the traceback of an exception that was just raised, the place
    is the one where it was raised.
    """
    trace = condition._storage.trace
    operands = [value_of(trace, cast(value, np.dtype(np.int64))) for value in values]
    trace.raise_if(condition._value(), error, message, *operands, raised=raised)


def raise_here(
    trace: Recorder, error: str, message: str, shown: Sequence[TracedArray], raised: TracebackType | None
) -> None:
    """Record an exception that always comes when the program gets here; braces show integers and floats."""
    always = wrap(trace, value_of(trace, np.True_))
    raise_if(always, error, message, *map(_bits, shown), raised=raised)


def raise_where(
    condition: Any, error: type[Exception], message: str, *shown: Any, is_own: bool = False
) -> None:
    """Raise where a condition holds: now, or when the program runs; braces in the message show integers.

    Floats are shown by their dtype: `{0:float64}`. Programs raise what NumPy does, weft's own class with `is_own`.
    """
    if isinstance(condition, TracedArray):
        trace = condition._storage.trace
        known = next(base for base in error.__mro__ if base.__module__ in ("builtins", "numpy.linalg"))
        numbers = [
            _bits(v) if isinstance(v, TracedArray) else wrap(trace, value_of(trace, np.int64(v)))
            for v in shown
        ]
        raise_if(condition, (error if is_own else known).__name__, message, *numbers)
    elif condition:
        raise error(message.format(*shown))


def _bits(number: TracedArray) -> TracedArray:
    """What shows a number in a message: an integer, or the bits of a float."""
    if number.dtype.kind == "f":
        number = apply(Bitcast, number, dtype=np.dtype(f"i{number.dtype.itemsize}"))
    return number


def host_call(
    trace: Recorder,
    callback: Callback,
    operands: Sequence[Value],
    results: Sequence[TensorType] = (),
    raised: TracebackType | None = None,
) -> list[TracedArray]:
    """Record a call of Python when the program runs, as `Recorder.host_call`; returns its results as arrays.

    Results may be of any extents: a second call then fetches what the first one has measured and kept.
    """
    unknown = sum(result.shape.count(None) for result in results)
    if unknown:
        measure, fetch = measured(callback, results)
        extent = TensorType((), np.dtype(np.int64))
        operands, callback = trace.host_call(measure, operands, [extent] * unknown, raised), fetch
    values = trace.host_call(callback, operands, results, raised)
    return [wrap(trace, value, result) for value, result in zip(values, results, strict=True)]


def apply(op_class: type[Op], *operands: ArrayLike, **attributes: Any) -> ArrayResult:
    """Stage an op, or evaluate it with NumPy when no operand is traced and no trace needs it.

    Operands are given flat (a variadic field takes what is left); NumPy arrays among traced ones become
    constants or captured arguments of the trace. Dtypes must fit the op's rule: promotion is the caller's.
    """
    trace = trace_of(operands)
    if trace is not None:
        return emit(trace, op_class, operands, attributes)
    results = op_class.compute([np.asarray(operand) for operand in operands], attributes)
    values = tuple(result[()] if result.ndim == 0 else result for result in results)
    return values[0] if op_class.results == 1 else values


def as_operand(value: ArrayLike) -> Any:
    """A traced array, a NumPy array or a Python scalar from whatever NumPy would take as an array."""
    value = held(value)
    if isinstance(value, (TracedArray, np.ndarray, np.generic, *_PYTHON_SCALARS)):
        return value
    return asarray(value)


def type_of_operand(value: ArrayLike) -> TensorType:
    """The tensor type of an operand; Python scalars have NumPy's default dtypes."""
    value = held(value)
    if isinstance(value, TracedArray):
        return value.type
    return type_of(np.asarray(value))


def cast(value: ArrayLike, dtype: np.dtype[Any]) -> ArrayResult:
    """Convert to a dtype; a Python scalar that the dtype cannot hold raises `OverflowError`, as in NumPy."""
    if isinstance(value, TracedArray):
        return value if value.dtype == dtype else emit(value._storage.trace, Cast, (value,), {"dtype": dtype})
    if isinstance(value, _PYTHON_SCALARS) and not isinstance(value, bool):
        if kind(dtype) in "iu" and isinstance(value, int):
            return np.asarray(value, dtype)[()]  # checks the range
        with np.errstate(over="ignore"):
            return np.asarray(value).astype(dtype)[()]
    array = np.asarray(value)
    if array.dtype == dtype:
        return value
    trace = current_trace()
    if trace is not None and array.ndim > 0:
        # An array from outside is captured as it is, so that later changes of it are seen.
        return emit(trace, Cast, (array,), {"dtype": dtype})
    return array.astype(dtype)[()]


def asarray(value: ArrayLike, dtype: DTypeLike | None = None) -> ArrayResult:
    """Make an array of a traced array, array, scalar or nested lists; lists with traced entries are stacked."""
    wanted, value = None if dtype is None else as_dtype(dtype), held(value)
    if isinstance(value, TracedItems):
        value = value.stacked()
    if isinstance(value, (list, tuple)) and trace_of(value) is not None:
        value = _stacked([asarray(entry) for entry in value])
    if isinstance(value, OnDevice):
        value = _from_device(value)
    require_numpy_rules("an operand", value)
    if is_carrier(value):
        value = read_elements(value)
    if not isinstance(value, TracedArray):
        array = np.asarray(value, wanted)
        if array.dtype == object:
            raise UnsupportedDtypeError(_OF_OBJECTS.format(_named(value, array)))
        type_of(array)
        return array
    if wanted is not None:
        value = cast(value, wanted)
    return value if value._python_type is None else rank_0_array(value)


def _stacked(entries: list[ArrayResult]) -> ArrayResult:
    """One array of arrays of one shape, of the dtype that they have in common."""
    common = np.result_type(*(entry.dtype for entry in entries))
    entries = [cast(entry, common) for entry in entries]
    first, *others = shapes = [type_of_operand(entry).shape for entry in entries]
    if set(shapes) == {first} and None not in first:
        return apply(Stack, *entries, axis=0)
    message = _RAGGED.format(len(entries))
    differs: Any = False
    for entry, shape in zip(entries[1:], others, strict=True):
        pairs = list(zip(first, shape, strict=False))
        if len(shape) != len(first) or any(None not in pair and pair[0] != pair[1] for pair in pairs):
            raise WeftValueError(message)
        for axis, pair in enumerate(pairs):
            if None in pair:
                differs = np.logical_or(differs, np.not_equal(entries[0].shape[axis], entry.shape[axis]))
    raise_where(differs, WeftValueError, message)
    return np.stack(entries)


_RAGGED = (
    "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. "
    "The detected shape was ({},) + inhomogeneous part."
)

_OF_OBJECTS = (
    "NumPy makes an array of Python's objects (dtype object) of {}, and compiled code computes with numbers: take the "
    "numbers out of it, or call what works with it outside of the compiled function"
)


def _named(value: Any, array: np.ndarray[Any, Any]) -> str:
    """What an array of objects was to be made of."""
    if array.ndim == 0:
        return f"a {type(array[()]).__name__}"
    kinds = sorted({type(entry).__name__ for entry in array.ravel()[:1000]})
    return f"a {type(value).__name__} with items of {', '.join(kinds)}"


def _from_device(value: Any) -> Any:
    """An array on a device where ops take arrays: data of the trace, or a copy on the host, which is said."""
    trace = current_trace()
    if trace is not None:
        return wrap(trace, value_of(trace, value))
    warnings.warn(
        f"a function of weft, called outside of compiled functions, copies an array from {value.device} to the host; "
        "call NumPy's function of the same name, which runs there, or compile the call with weft.function",
        TransferWarning,
        stacklevel=3,
    )
    return value


def rank_0_array(value: ArrayResult) -> ArrayResult:
    """The value as NumPy's array where it is a scalar or Python number, as `np.asarray` makes one."""
    if isinstance(value, np.generic):
        return np.asarray(value)
    if not isinstance(value, TracedArray) or not value._is_scalar:
        return value
    return wrap(value._storage.trace, value._value(), value.type)._as_array()


def staged(trace: Recorder, value: ArrayLike) -> TracedArray:
    """The value as a traced array of the trace."""
    if isinstance(value, TracedArray):
        return value
    return wrap(trace, value_of(trace, asarray(value)))._as_array(isinstance(value, np.ndarray))


def beside(value: ArrayLike, *others: Any) -> ArrayResult:
    """The value as an array, and as one of the trace where one of the others is: then it can be viewed by those."""
    trace = trace_of(others)
    return asarray(value) if trace is None else staged(trace, value)


def recording(*values: Any) -> Recorder | None:
    """The trace that an array made of the values belongs to: theirs, or else the one in progress."""
    return trace_of(values) or current_trace() or remembering()


def view_of(
    x: ArrayLike, op_class: type[Op], *dims: Any, writable: bool = True, **attributes: Any
) -> ArrayResult:
    """A view of an array by an op whose NumPy counterpart makes one."""
    trace = trace_of((x, *dims))
    if trace is not None:
        source = staged(trace, x)
        view = source._view(ViewStep(op_class, attributes, dims, writable))
        # The methods of NumPy's scalars give scalars; broadcasting gives an array that shows one, which is read only.
        is_scalar = writable and view.ndim == 0 and source._is_number
        return view.copy()._as_array(False) if is_scalar else view
    (result,) = op_class.compute([np.asarray(x), *map(np.asarray, dims)], attributes)
    return result
