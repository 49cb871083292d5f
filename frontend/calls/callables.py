"""Which Python objects can be compiled, and what they are called."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.errors import WeftTypeError, no_attribute

_WHERE_TYPES_ARE = "the types of arguments are found when it is called, or said by"


def require_function(python_function: Any) -> None:
    """Raise `WeftTypeError` for what is not a function whose call computes something."""
    if isinstance(python_function, (staticmethod, classmethod)):
        kind = type(python_function).__name__
        raise WeftTypeError(
            f"put @{kind} above @weft.function, not below: weft.function compiles the function in it"
        )
    if isinstance(python_function, (property, functools.cached_property)):
        kind = type(python_function).__name__
        raise WeftTypeError(
            f"put @{kind} above @weft.function, not below: weft.function compiles the function in it"
        )
    if not callable(python_function):
        types = isinstance(python_function, (str, list, tuple))
        hint = f": {_WHERE_TYPES_ARE} input_signature=[weft.TensorSpec([None], float)]" if types else ""
        raise WeftTypeError(f"weft.function compiles callables, not {python_function!r}{hint}")
    if inspect.isclass(python_function):
        raise WeftTypeError(f"weft.function compiles functions, and {_instead_of_class(python_function)}")
    suspended = _suspended_kind(python_function)
    if suspended is not None:
        raise WeftTypeError(f"weft.function cannot compile {name_of(python_function)}, {suspended}")


def _instead_of_class(given: type) -> str:
    """What to write where a class is given for a function."""
    name = given.__qualname__
    if issubclass(given, np.generic) or given in (bool, int, float, complex):
        return f"{name} is a dtype: {_WHERE_TYPES_ARE} input_signature=[weft.TensorSpec([None], {name!r})]"
    return f"{name} is a class; decorate its methods"


def _suspended_kind(python_function: Callable[..., Any]) -> str | None:
    """What a function is whose call returns before its code has run, and what to write; None for another one."""
    if inspect.isgeneratorfunction(python_function) or inspect.isasyncgenfunction(python_function):
        return (
            "a generator: generators and coroutines run piece by piece, when they are asked; return a list of the "
            "items, or decorate the function that walks over them, which is compiled with the generator in it"
        )
    if inspect.iscoroutinefunction(python_function):
        return (
            "a coroutine: generators and coroutines run piece by piece, when they are asked; put what computes in a "
            "function of its own, decorate that, and call it in the coroutine"
        )
    return None


def name_of(python_function: Callable[..., Any]) -> str:
    """A name for messages and symbols."""
    inner = python_function.func if isinstance(python_function, functools.partial) else python_function
    name = getattr(inner, "__name__", type(inner).__name__)
    return re.sub(r"\W", "_", name.replace("<lambda>", "lambda"))


class AnswersMisnaming:
    """Base of compiled functions, which says of what concrete functions have how to get one."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            owner = type(self).__name__
            message = f"{owner!r} object has no attribute {name!r}"
            if name.startswith("_"):
                raise AttributeError(message, name="", obj=None)
            from .concrete import ConcreteFunction

            if hasattr(ConcreteFunction, name):
                raise AttributeError(
                    f"{message}, which is of one compilation: write f.get_concrete_function(...).{name}, with the "
                    "arguments of a call, or weft.TensorSpec in their place",
                    name="",
                    obj=None,
                )
            raise no_attribute(message, name, [known for known in dir(self) if not known.startswith("_")])
