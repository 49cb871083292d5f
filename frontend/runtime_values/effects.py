"""What a compiled function asks Python to do when it runs: print, call a function, raise an exception.

All of it happens in program order, also with respect to what is written to arguments. Without a trace these functions
do the same right away.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...dialect.callbacks import RAISE, checked_results, name_of, with_numbers
from ...dialect.dtypes import is_element
from ...dialect.errors import WeftTypeError
from ..signature.signature import Leaf, Node, Structure, TensorSpec, constants, flatten_with, unflatten
from ..signature.traced_value import held
from ..tracing.current import current_trace
from ..tracing.staging import host_call, raise_here, staged, trace_of
from .outside_traces import outside_traces
from .plain_messages import plain_message
from .strings import RuntimeString
from .values import Frozen, FrozenException

if TYPE_CHECKING:
    from ..tracing.recorder import Recorder


def print(
    *values: Any,
    sep: Any = " ",
    end: Any = "\n",
    file: Any = None,
    flush: Any = False,
) -> None:
    """Print values when the function runs: what Python's `print` would show of the NumPy values, nested ones too.

    Without `file` it is `sys.stdout` of the time of the printing. Of objects other than arrays, numbers, strings and
    containers the text at the time of tracing is printed. `weft.trace_print` prints while tracing.
    Raises what writing to the file raises.

    >>> weft.print("x =", [np.float64(1.5), 2])
    x = [np.float64(1.5), 2]
    """
    trace = current_trace()
    if trace is None:
        builtins.print(*values, sep=sep, end=end, file=file, flush=flush)
        return
    stream = {id(sys.stdout): "stdout", id(sys.stderr): "stderr"}.get(id(file), file)
    are_known = all(text is None or type(text) is str for text in (sep, end))
    frozen = Frozen(trace, values if are_known else (*values, sep, end), as_text=True)
    thaw = frozen.thaw

    def print_at_run_time(*arrays: Any) -> None:
        shown = thaw(arrays)
        between, after = sep, end
        if not are_known:
            *shown, between, after = shown
        to = getattr(sys, stream) if type(stream) is str else stream
        builtins.print(*shown, sep=between, end=after, file=to, flush=flush)

    callback = outside_traces(print_at_run_time, "print")
    host_call(trace, callback if frozen.keeps_arrays else with_numbers(callback), frozen.operands)


def trace_print(*values: Any, **options: Any) -> None:
    """Print while the function is traced: once for each signature, traced arrays as their types.

    >>> weft.trace_print("traced with", 2)
    traced with 2
    """
    builtins.print(*map(_for_tracing, values), **options)


def _for_tracing(value: Any) -> Any:
    return repr(value) if isinstance(value, RuntimeString) else value


def py_call(function: Callable[..., Any], *arrays: Any, result: Any = None) -> Any:
    """Call a Python function each time the compiled function runs; it gets the values NumPy would have.

    `result` says what comes back, as nested `weft.TensorSpec`, extents of which may be None; without it, nothing does.
    Arrays are passed as read-only copies. Functions with Python calls in them cannot be saved without Python. What the
    function raises ends the call. Raises `TypeError` for a `result` of other things, and where what comes back is not
    what is declared.

    >>> weft.py_call(lambda x: x.sum(), np.arange(3.0), result=weft.TensorSpec((), "float64"))
    np.float64(3.0)
    """
    specs: list[Any] = []
    structure = None if result is None else _result_structure(result, specs)
    types = [spec.type for spec in specs]
    trace = trace_of(arrays) or current_trace()
    name = name_of(function)

    def call(*values: Any) -> list[Any]:
        returned = function(*values)
        leaves: list[Any] = []
        if structure is not None:
            _take_apart(structure, returned, specs, leaves, name)
        return checked_results(name, leaves, types)

    if trace is None:
        made: list[Any] = [array[()] if array.ndim == 0 else array for array in call(*arrays)]
    else:
        frozen = Frozen(trace, [_operand(trace, array) for array in arrays])
        thaw = frozen.thaw
        callback = outside_traces(lambda *operands: call(*thaw(operands)), name)
        callback = callback if frozen.keeps_arrays else with_numbers(callback)
        made = list(host_call(trace, callback, frozen.operands, types))
    return None if structure is None else unflatten(structure, lambda i: made[i])


def _operand(trace: Recorder, value: Any) -> Any:
    """An argument of a Python function: an array from outside is read as other operations read it, by a tape, too."""
    array = held(value)
    is_read = isinstance(array, np.ndarray) and is_element(array.dtype)
    return staged(trace, array) if is_read else array


def _result_structure(result: Any, specs: list[Any]) -> Structure:
    structure = flatten_with(result, specs, lambda value: isinstance(value, TensorSpec))
    if list(constants(structure)):
        raise WeftTypeError(f"py_call: result is made of weft.TensorSpec, or None, not {result!r}")
    return structure


def _take_apart(structure: Structure, returned: Any, specs: list[Any], leaves: list[Any], name: str) -> None:
    """Collect the arrays of a returned value that is nested as the specs are."""
    if isinstance(structure, Leaf):
        leaves.append(_as_declared(returned, specs[structure.index].dtype))
        return
    if not isinstance(structure, Node):
        return
    expected = structure.kind.__name__
    if not isinstance(returned, structure.kind):
        raise WeftTypeError(f"{name} returned a {type(returned).__name__}, but a {expected} is declared")
    if isinstance(returned, dict):
        if set(returned) != set(structure.keys):
            raise WeftTypeError(
                f"{name} returned the keys {sorted(map(str, returned))}, but {list(structure.keys)} are declared"
            )
        items = [returned[key] for key in structure.keys]
    elif isinstance(returned, (list, tuple)):
        items = list(returned)
    else:
        items = [getattr(returned, key) for key in structure.keys]
    if len(items) != len(structure.children):
        raise WeftTypeError(
            f"{name} returned a {expected} of {len(items)}, but one of {len(structure.children)} is declared"
        )
    for child, item in zip(structure.children, items, strict=True):
        _take_apart(child, item, specs, leaves, name)


def _as_declared(value: Any, dtype: np.dtype[Any]) -> Any:
    """A Python number in the declared dtype, if NumPy would take it as such in arithmetic; else the value."""
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        return np.asarray(value, dtype) if np.result_type(value, dtype) == dtype else np.asarray(value)
    return value


def raise_at_run_time(trace: Recorder, error: Any, *values: Any) -> None:
    """End the call with an exception when the program gets to the present place.

    `error` is an exception, which may hold traced arrays and run-time strings, and is made anew at each run; if it was
    raised and caught, the place is the one where it was raised. Or a class or function that makes one of `values`.
    Exceptions of Python's own classes with a text of their own, also one that shows numbers, need no Python for it.
    """
    raised = None
    plain = plain_message(error) if isinstance(error, BaseException) else None
    if plain is not None:
        raise_here(trace, type(error).__name__, *plain, error.__traceback__)
        return
    if isinstance(error, BaseException):
        make, frozen, raised = _same, Frozen(trace, (FrozenException(error),)), error.__traceback__
    else:
        make, frozen = error, Frozen(trace, values)

    thaw = frozen.thaw

    def raise_now(*arrays: Any) -> NoReturn:
        raise make(*thaw(arrays))

    host_call(trace, outside_traces(raise_now, RAISE), frozen.operands, raised=raised)


def _same(error: BaseException) -> BaseException:
    return error
