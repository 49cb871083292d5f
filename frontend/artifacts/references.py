"""Python functions by names: `package.module:function`, compiled for the types of its arguments."""

from __future__ import annotations

import ast
import difflib
import importlib
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...dialect.errors import WeftError, WeftValueError
from ..function import Function, function
from ..settings import settings
from ..signature.signature import TensorSpec

_TYPES = r"(?<!\w)(?:bool|b?f\d+|[iuc]\d+)(?!\w)(?:\[[^\]]*\])?"


def arguments_of(texts: Sequence[str]) -> list[Any]:
    """The arguments that the values of --spec stand for, several in one value or not: types, and constants of Python.

    Raises `TypeError` for an unknown dtype, `ValueError` for what is neither.

    >>> arguments_of(["f32[?,3], i64", "{'w': f64[2], 'how': 'same'}", "256"])[1:]
    [TensorSpec(shape=(), dtype=int64), {'w': TensorSpec(shape=(2,), dtype=float64), 'how': 'same'}, 256]
    """
    return [argument for text in texts for argument in _arguments_in(text)]


def _arguments_in(text: str) -> list[Any]:
    words = re.split(rf"({_TYPES}|'[^']*'|\"[^\"]*\")", text)
    specs = iter([TensorSpec.from_string(word) for word in words if re.fullmatch(_TYPES, word)])
    try:
        values = ast.literal_eval(
            f"[{''.join('...' if re.fullmatch(_TYPES, word) else word for word in words)}]"
        )
    except (SyntaxError, ValueError):  # separated by spaces, or no types
        return [TensorSpec.from_string(spec) for spec in re.findall(r"[^\s,\[]+(?:\[[^\]]*\]?)?", text)]
    return [_filled(value, specs) for value in values]


def _filled(value: Any, specs: Iterator[TensorSpec]) -> Any:
    """A constant in which each `...` is the next of some specs."""
    if isinstance(value, dict):
        return {key: _filled(each, specs) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_filled(each, specs) for each in value)
    return next(specs, value) if value is ... else value


def concrete_function(reference: str, specs: Sequence[str]) -> Any:
    """Import a function and compile it for such arguments, or for its `input_signature`.

    Raises `WeftError` that names the user's line when the import, the trace or the compilation fails.
    """
    with explained(reference):
        return traced_for(reference, specs, "native")


@contextmanager
def explained(reference: str) -> Iterator[None]:
    """Make errors of the user's module `WeftError`s that name the user's line."""
    try:
        yield
    except (WeftError, KeyboardInterrupt):
        raise
    except SyntaxError as error:
        raise WeftValueError(f"{reference}: {_syntax_error(error)}") from error
    except Exception as error:  # whatever the user's module or function raises while it is imported or traced
        raise WeftValueError(f"{reference}: {type(error).__name__}: {error}{_user_line(error)}") from error


def traced_for(reference: str, specs: Sequence[str], target: str) -> Any:
    """The compiled function of a name, for a target; errors are as they come."""
    module_name, _, path = reference.partition(":")
    if module_name.endswith(".py"):
        raise WeftValueError(f"{reference} names a file: write its module, {module_name[:-3]}:{path}")
    arguments = arguments_of(specs)
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    found: Any = importlib.import_module(module_name)
    for name in path.split("."):
        if not hasattr(found, name):
            there = [other for other in dir(found) if callable(getattr(found, other, None))]
            close = difflib.get_close_matches(name, there, n=1)
            raise WeftValueError(
                f"{module_name} has no {path}" + (f"; did you mean {close[0]}?" if close else "")
            )
        found = getattr(found, name)
    compiled: Function[..., Any] = found if isinstance(found, Function) else function(found)
    if target == "native":
        return compiled.get_concrete_function(*arguments)
    with settings.scope(target=target):
        return compiled.get_concrete_function(*arguments)


def _syntax_error(error: SyntaxError) -> str:
    """A syntax error as compilers print it: `file:line:column: text`, the source line, a caret."""
    line = (error.text or "").rstrip()
    indent = len(line) - len(line.lstrip())
    caret = (
        "" if not line else f"\n    {line.lstrip()}\n    {' ' * max((error.offset or 1) - 1 - indent, 0)}^"
    )
    return f"{error.filename}:{error.lineno}:{error.offset}: {error.msg}{caret}"


def _user_line(error: BaseException) -> str:
    """The last line of the user's own code that an exception went through."""
    own = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if (module := frame.f_globals.get("__name__", "").partition(".")[0]) != "weft"
        and module not in sys.stdlib_module_names
    ]
    return f" (at {own[-1][0]}:{own[-1][1]})" if own else ""
