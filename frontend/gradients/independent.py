"""Values by which is differentiated, and gradients of a value by them, while a trace is recorded."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.gpu.devices.on_device import ARRAYS
from ...dialect.dtypes import kind
from ...dialect.errors import WeftTypeError, WeftValueError, with_article
from ...dialect.mlir import Value
from ...dialect.ops.casts import Cast
from ...dialect.ops.creation import Constant
from ...dialect.ops.differentiation import Gradient, Independent, Pairs, Tangent
from ...dialect.records import dataclass
from ...dialect.types import TensorType, format_shape
from ..autograph.operators.objects.access import set_item
from ..tracing.array import TracedArray, wrap
from ..tracing.recorder import Recorder
from ..tracing.staging import staged

_numbers = itertools.count(1)
"""No two independent values or tapes are one, in whatever trace."""


class Rules:
    """What a recording knows of functions with gradients of their own, which have no tangents."""

    def __init__(self) -> None:
        self.count = 0
        """How many results were recorded of them."""
        self.open: list[Any] = []
        """The functions whose rules are being recorded, one inside of the other."""


def next_number() -> int:
    """The number of another independent value or tape."""
    return next(_numbers)


@dataclass(frozen=True, eq=False)
class Variable:
    """An argument by which is differentiated: what the function gets for it, and the value that stands for it."""

    given: Any
    """The array or number that the caller passed."""
    array: TracedArray
    value: Value
    tangent: Value | None = None


def is_data(value: Any) -> bool:
    """Whether a value is an array or a number of NumPy's."""
    return isinstance(value, (TracedArray, np.generic, *ARRAYS))


def has_derivative(value: Any) -> bool:
    """Whether a value is a number or array of numbers that are real or complex."""
    if is_data(value):
        return value.dtype.kind in "fcV" and kind(value.dtype) in "fc"
    return isinstance(value, (float, complex))


def independent(trace: Recorder, given: Any, tape: int = 0) -> Variable:
    """A value of its own for an array or number; what the function writes to it is written to the array at the end."""
    array = staged(trace, given)
    (value,) = trace.create(Independent, [array._value()], {"number": next_number(), "tape": tape})
    made = wrap(trace, value, made_at=trace.place)
    made._storage.layout = array._storage.layout if not array._path else None
    if isinstance(given, TracedArray):
        made._storage.is_array = given._storage.is_array
        made._like_python(given._python_type)
    else:
        made._storage.is_array = isinstance(given, ARRAYS)
        made._like_python(type(given) if type(given) in (float, complex) else None)
    if trace.is_eager:
        value.memory = given if isinstance(given, np.ndarray) else None
    return Variable(given, made, value)


def write_back(variable: Variable) -> None:
    """Let the caller's array hold what the function wrote to its argument."""
    storage = variable.array._storage
    if storage.ref is not None and not storage.trace.is_eager:
        set_item(variable.given, ..., variable.array)


def require_scalar(value: Any, name: str) -> None:
    """Raise unless a result is one real number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (TracedArray, np.ndarray, np.generic, float, int)
    ):
        raise WeftTypeError(
            f"a gradient is that of a real number, but {name} returned {described(value)}; return the number, or "
            "pass has_aux=True where it is the first of a pair"
        )
    shape = getattr(value, "shape", ())
    dtype = np.dtype(getattr(value, "dtype", type(value)))
    if len(shape):
        raise WeftValueError(
            f"a gradient is that of one number, but {name} returned an array of shape {format_shape(shape)}; return "
            "its sum or mean, or use weft.jacobian"
        )
    if kind(dtype) == "c":
        raise WeftTypeError(
            f"a gradient is that of a real number, but {name} returned a complex one; return its real part or "
            "absolute value"
        )
    if kind(dtype) != "f" and not isinstance(value, int):
        raise WeftTypeError(
            f"a gradient is that of a real number, but {name} returned one of {dtype}, which has no derivative"
        )


def described(value: Any) -> str:
    """A value as messages call it."""
    if is_data(value):
        return f"an array of {value.dtype}" if value.ndim else f"a number of {value.dtype}"
    return "None" if value is None else with_article(type(value).__name__)


def as_number(trace: Recorder, y: Any) -> TracedArray:
    """A real number, as `require_scalar` takes it, as a traced one."""
    return staged(trace, y if isinstance(y, TracedArray) else np.float64(y))


def ones_like(trace: Recorder, number: TracedArray) -> TracedArray:
    """The cotangent of a number that is differentiated."""
    (one,) = trace.create(Constant, [], {"value": np.ones((), number.dtype)})
    return wrap(trace, one, made_at=trace.place)


def gradient_of(
    trace: Recorder, ys: Sequence[TracedArray], cotangents: Sequence[TracedArray], variable: Variable
) -> Any:
    """The gradient by a variable of values with cotangents, of the variable's shape and dtype."""
    pairs = [(y._value(), g._value()) for y, g in zip(ys, cotangents, strict=True)]
    (found,) = trace.create(Gradient, [*_joined(trace, pairs), variable.value], {})
    made = wrap(trace, found, made_at=trace.place)
    return made._as_array(variable.array._storage.is_array)._like_python(variable.array._python_type)


def _joined(trace: Recorder, pairs: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Values and their cotangents or tangents as one pair."""
    if len(pairs) == 1:
        return pairs[0]
    (number,) = trace.create(Constant, [], {"value": np.zeros(())})
    chain = number
    for value, derivative in pairs:
        (chain,) = trace.create(Pairs, [value, derivative, chain], {})
    return chain, number


def fitting(trace: Recorder, given: Any, wanted: TensorType, what: str, of: str) -> TracedArray:
    """A tangent or cotangent of an array, of its shape and dtype; Python numbers are converted."""
    if not is_data(given) and not isinstance(given, (float, int)):
        raise WeftTypeError(f"{what} is {described(given)}, but {of} is {wanted}")
    array = staged(trace, given)
    is_array = getattr(given, "_python_type", type(given)) not in (float, int)
    if array.type.shape != wanted.shape or (is_array and array.dtype != wanted.dtype):
        raise WeftTypeError(f"{what} is {array.type}, but {of} is {wanted}")
    (value,) = trace.create(Cast, [array._value()], {"dtype": wanted.dtype})
    return wrap(trace, value, made_at=trace.place)


def moved(trace: Recorder, given: Any, tangent: Any, path: str) -> Variable:
    """An independent value that moves along a tangent."""
    move = fitting(trace, tangent, staged(trace, given).type, f"the tangent of {path}", "the argument")
    variable = independent(trace, given)
    return Variable(variable.given, variable.array, variable.value, move._value())


def tangent_of(trace: Recorder, y: Any, variables: Sequence[Variable]) -> Any:
    """How a result changes as variables move; None where it has no derivative."""
    if not has_derivative(y):
        return None
    result = staged(trace, y)
    pairs = [(v.value, v.tangent) for v in variables]
    (found,) = trace.create(Tangent, [result._value(), *_joined(trace, pairs)], {})
    made = wrap(trace, found, made_at=trace.place)
    if isinstance(y, TracedArray):
        return made._as_array(y._storage.is_array)._like_python(y._python_type)
    return made._as_array(isinstance(y, np.ndarray))
