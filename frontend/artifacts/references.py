"""Python functions by names: `package.module:function`, compiled for the types of its arguments."""

from __future__ import annotations

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


def split_specs(texts: Sequence[str]) -> list[str]:
    """The types in the values of --spec; several may stand in one value, separated by commas or spaces.

    >>> split_specs(["f32[?,3], i64", "bool[2]"])
    ['f32[?,3]', 'i64', 'bool[2]']
    """
    return [spec for text in texts for spec in re.findall(r"[^\s,\[]+(?:\[[^\]]*\]?)?", text)]


def concrete_function(reference: str, specs: Sequence[str]) -> Any:
    """Import a function and compile it for arguments of these types, or for its `input_signature`.

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
    types = [TensorSpec.from_string(spec) for spec in split_specs(specs)]
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
        return compiled.get_concrete_function(*types)
    with settings.scope(target=target):
        return compiled.get_concrete_function(*types)


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
