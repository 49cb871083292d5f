"""What runs at run time in converted code because it looks at values: print, assert, raise, text with values."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from ... import effects
from ...effects import RuntimeString, format_string, to_string
from ...runtime_values import RuntimeValue, holds_traced
from ...staging import current_trace, is_traced
from .branches import stage_if
from .conditions import is_staged, truth_of
from .statements import current

Thunk = Callable[[], Any]


def print_(*values: Any, **options: Any) -> None:
    """`print`: of traced arrays when the function runs, of everything else while it is traced."""
    if any(
        holds_traced(value, depth=4) or isinstance(value, RuntimeValue)
        for value in (*values, *options.values())
    ):
        effects.print(*values, **options)
        return
    trace = current_trace()
    if trace is None or not trace.is_repeating:
        builtins.print(*values, **options)


def fstring(*parts: Any) -> Any:
    """An f-string: a string, or one that is made at run time of the values in it."""
    return format_string(*(part if isinstance(part, str) else (*part[:2], part[2] or "") for part in parts))


def str_(*args: Any, **kwargs: Any) -> Any:
    """`str`."""
    if len(args) == 1 and (holds_traced(args[0], depth=4) or isinstance(args[0], RuntimeString)):
        return args[0] if isinstance(args[0], RuntimeString) else to_string(args[0], "s")
    return builtins.str(*args, **kwargs)


def repr_(value: Any) -> Any:
    """`repr`."""
    return to_string(value, "r") if holds_traced(value, depth=4) else builtins.repr(value)


def format_(value: Any, spec: Any = "") -> Any:
    """`format`."""
    return format_string((value, None, spec)) if is_traced(value) else builtins.format(value, spec)


def assert_(condition: Any, message: Thunk | None = None) -> None:
    """`assert condition, message()`; under `python -O` nothing, as in Python."""
    if not __debug__:
        return

    def fail() -> None:
        raise AssertionError() if message is None else AssertionError(message())

    if not is_staged(condition):
        if not condition:
            fail()
        return
    watched = () if message is None else (message,)
    stage_if(current(), truth_of(condition), (lambda: None, fail), watched)


def raise_(make: Thunk | None = None, cause: Thunk | None = None) -> None:
    """`raise make() from cause()`: the staged branch around it ends with the exception at run time."""
    if make is None:
        raise RuntimeError("No active exception to reraise")
    error = make()
    if cause is None:
        raise error
    raise error from cause()


REPLACEMENTS: dict[Any, Callable[..., Any]] = {
    builtins.print: print_,
    builtins.str: str_,
    builtins.repr: repr_,
    builtins.format: format_,
}
"""What converted code calls instead of a builtin."""

__all__ = ["REPLACEMENTS", "assert_", "fstring", "print_", "raise_"]
