"""Calls of a library's public functions: converted where that can be, else made whole by Python when the program runs.

What was recorded until a function turned out not to be convertible is of no use: the recording begins again, and the
function is then called whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .....dialect.errors import UnsupportedError, WeftError
from ....guards.inputs import BeginsAgain
from ....guards.library_functions import is_library_function, is_library_method, public_name
from ....numpy_api.run_time_calls import call_at_run_time
from ....runtime_values.values import holds_traced
from ....settings import settings
from ....source.modules import told
from ....tracing.learned_sizes import are_learned
from ....tracing.recorder import Recorder
from ..lists.lists_as_arrays import as_arrays
from ..values.known_arrays import own_all

Function = Callable[..., Any]


def call_converted(trace: Recorder, function: Function, called: Function, args: Any, kwargs: Any) -> Any:
    """Call a function that is converted or replaced."""
    if called is function or not is_library_function(function):
        return called(*args, **kwargs)
    if not is_library_method(function) and _are_constants((*args, *kwargs.values())):
        return own_all(trace, function(*args, **kwargs))  # it computes, and of nothing that may change
    key = _key(function)
    called_whole = trace.choices.called_whole
    refusal = called_whole.get(key)
    if refusal is not None:
        return _call_whole(function, args, kwargs, refusal)
    try:
        return called(*args, **kwargs)
    except WeftError as error:
        if not settings.fallback or are_learned() or not _is_of_run_time(function, args, kwargs):
            raise
        raise BeginsAgain(called_whole={**called_whole, key: error}) from error


def _are_constants(values: Iterable[Any]) -> bool:
    """Whether values are numbers of Python, texts and None, and tuples of them."""
    return all(
        _are_constants(value) if type(value) is tuple else value is None or type(value) in _CONSTANTS
        for value in values
    )


_CONSTANTS = (bool, int, float, complex, str)


def _is_of_run_time(function: Function, args: Any, kwargs: Any) -> bool:
    """Whether what a call gives is known at run time only: an object's may be changed between calls."""
    return is_library_method(function) or holds_traced([args, kwargs], depth=4)


def _call_whole(function: Function, args: Any, kwargs: Any, refusal: WeftError) -> Any:
    """Record the call of a function by Python; where that cannot be either, raise why it is not converted."""
    named = {name: value for name, value in kwargs.items() if not name.startswith("overwrite_")}
    name = public_name(function)
    try:
        return call_at_run_time(
            name, function, as_arrays(args), _all_arrays(named), str(refusal), copies=True
        )
    except UnsupportedError:
        prefix = f"{name}() is not supported in compiled code: "
        if not str(refusal).startswith(prefix):  # it is remembered for the next call
            refusal.args = (f"{prefix}{refusal}", *refusal.args[1:])
        raise refusal.with_traceback(None) from None


def _all_arrays(named: dict[str, Any]) -> dict[str, Any]:
    return {name: as_arrays(value) for name, value in named.items()}


def _key(function: Function) -> Any:
    """What stands for a function: of a method the function, which is the same for all objects."""
    called: Any = function if hasattr(function, "__name__") else type(function).__call__
    return told(called, "__func__", called)
