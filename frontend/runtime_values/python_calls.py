"""Functions of Python that compiled code calls itself, as what they make is known: numbers of Python's types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.callbacks import name_of
from ...dialect.errors import PythonNumberError
from ...dialect.types import TensorType
from ..tracing.staging import host_call
from .calls_in_loops import call_of, note_call
from .outside_traces import only_computes, outside_traces
from .values import Frozen, RuntimeValue

if TYPE_CHECKING:
    from ..tracing.recorder import Recorder

_TYPES: dict[type, TensorType] = {
    kind: TensorType((), np.dtype(kind)) for kind in (bool, int, float, complex)
}


def call_python(
    trace: Recorder, function: Callable[..., Any], args: Sequence[Any], *results: type, **named: Any
) -> Any:
    """Record `function(*args, **named)`, called at each run; it returns a number of the one type given, or a tuple.

    What the function raises is raised. Ints beyond 64 bits raise PythonNumberError, as compiled code has none.
    """
    if any(isinstance(value, RuntimeValue) for value in args):
        note_call(trace, "a text of run-time values is looked at", "compute with the numbers that it tells")
    else:
        note_call(trace, call_of(function), "compute it before the loop, or with functions that are compiled")
    frozen = Frozen(trace, (tuple(args), named))
    thaw, name = frozen.thaw, name_of(function)

    def call(*arrays: Any) -> list[Any]:
        given, by_name = thaw(arrays)
        returned = function(*given, **by_name)
        values = returned if len(results) > 1 else (returned,)
        return [_as_array(value, kind, name) for value, kind in zip(values, results, strict=True)]

    callback = only_computes(outside_traces(call, name))
    callback.error = PythonNumberError.__name__ if int in results else None  # type: ignore[attr-defined]
    made = host_call(trace, callback, frozen.operands, [_TYPES[kind] for kind in results])
    numbers = tuple(array._like_python(kind) for array, kind in zip(made, results, strict=True))
    return numbers if len(results) > 1 else numbers[0]


def _as_array(value: Any, kind: type, name: str) -> Any:
    try:
        return np.asarray(value, _TYPES[kind].dtype)
    except OverflowError:
        raise PythonNumberError(f"{name} returned {value}, and compiled code has ints of 64 bits") from None
