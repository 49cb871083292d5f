"""What runs at run time in converted code because it looks at values: print, assert, raise, text with values."""

from __future__ import annotations

import functools
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

from ....runtime_values.strings import (
    QUESTIONS,
    STRING_METHODS,
    RuntimeString,
    answer_of,
    format_string,
    string_of,
    to_string,
)
from ....runtime_values.values import holds_traced, is_unborn, make_exception
from ....tracing.current import current_trace, required_trace
from ..branches.branches import stage_if
from ..branches.conditions import is_staged, truth_of
from ..interface import operators
from ..lists import text_parts
from ..values.control_flow_state import control_flow
from ..values.resolve_grown_lists import resolve_for_reading, resolve_grown_list
from ..values.special_methods import users_method
from . import texts_of_objects

Thunk = Callable[[], Any]


def fstring(*parts: Any) -> Any:
    """An f-string: a string, or one that is made at run time of the values in it."""
    return format_string(*texts_of_objects.shown_parts(parts))


def percent(text: Any, values: Any) -> Any:
    """`text % values` of a text."""
    text, values = texts_of_objects.for_percent(text, resolve_for_reading(values))
    return text % values if isinstance(text, RuntimeString) else string_of(operator.mod, text, values)


def str_(value: Any) -> Any:
    """`str` of what holds traced values."""
    return value if isinstance(value, RuntimeString) else to_string(value, "s")


def assert_(condition: Any, message: Thunk | None = None) -> None:
    """`assert condition, message()`; under `python -O` nothing, as in Python."""
    if not __debug__:
        return

    condition = resolve_grown_list(condition)

    def fail() -> None:
        raise AssertionError() if message is None else AssertionError(message())

    if not is_staged(condition):
        if not condition:
            fail()
        return
    watched = () if message is None else (message,)
    stage_if(required_trace(), truth_of(condition), (lambda: None, fail), watched)


def raise_(make: Thunk | None = None, cause: Thunk | None = None) -> None:
    """`raise make() from cause()`: the staged branch around it ends with the exception at run time."""
    if make is None:
        raise _handled_error()
    error = make()
    if cause is None:
        raise error
    raise error from cause()


def _handled_error() -> BaseException:
    """The exception that is being handled."""
    trace = current_trace()
    handled = () if trace is None else control_flow(trace).handled
    error = handled[-1] if handled else sys.exc_info()[1]
    return RuntimeError("No active exception to reraise") if error is None else error


def _parts_of(method: Any, *args: Any, **named: Any) -> Any:
    """What `split` and its like make of a text that is known, also by what only the program knows."""
    if not holds_traced((args, named), depth=4):
        return method(*args, **named)
    return text_parts.parts_of_text(method.__self__, method.__name__)(*args, **named)


def maker_of(function: Any) -> Callable[..., Any] | None:
    """What to call instead of a method of a string that makes a string, or of an exception class."""
    if isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, str):
        name = function.__name__
        if name == "format":
            return functools.partial(texts_of_objects.formatted, function)
        if name in STRING_METHODS:
            return functools.partial(string_of, function)
        if name in text_parts.METHODS:
            return functools.partial(_parts_of, function)
        return functools.partial(answer_of, function, QUESTIONS[name]) if name in QUESTIONS else None
    if isinstance(function, type) and issubclass(function, BaseException):
        return functools.partial(_made_exception, function)
    return None


def _made_exception(kind: type[BaseException], /, *args: Any, **kwargs: Any) -> BaseException:
    """An exception; a constructor that somebody has written is converted as those of other objects are."""
    made = make_exception(kind, *args, **kwargs)
    method = users_method(made, "__init__") if is_unborn(made) else None
    if method is None or not isinstance(kind.__new__, types.BuiltinFunctionType):
        return made
    born: BaseException = kind.__new__(kind, *args, **kwargs)
    operators().call(method, born, *args, **kwargs)
    return born
