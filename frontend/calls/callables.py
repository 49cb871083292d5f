"""Which Python objects can be compiled, and what they are called."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

from ...dialect.errors import WeftTypeError


def require_function(python_function: Any) -> None:
    """Raise `WeftTypeError` for what is not a function whose call computes something."""
    if isinstance(python_function, (staticmethod, classmethod)):
        kind = type(python_function).__name__
        raise WeftTypeError(
            f"put @{kind} above @weft.function, not below: weft.function compiles the function in it"
        )
    if not callable(python_function):
        raise WeftTypeError(f"weft.function compiles callables, not {python_function!r}")
    if inspect.isclass(python_function):
        raise WeftTypeError(
            f"weft.function compiles functions, and {python_function.__qualname__} is a class; decorate its methods"
        )
    if _is_suspended(python_function):
        raise WeftTypeError(
            f"weft.function cannot compile {python_function!r}: generators and coroutines run piece by piece, "
            "when they are asked; write a function that returns its results, in a list for example"
        )


def _is_suspended(python_function: Callable[..., Any]) -> bool:
    """Whether a call of the function returns before its code has run."""
    tests = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(test(python_function) for test in tests)


def name_of(python_function: Callable[..., Any]) -> str:
    """A name for messages and symbols."""
    inner = python_function.func if isinstance(python_function, functools.partial) else python_function
    name = getattr(inner, "__name__", type(inner).__name__)
    return re.sub(r"\W", "_", name.replace("<lambda>", "lambda"))


__all__ = ["name_of", "require_function"]
