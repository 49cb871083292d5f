"""`weft.autograph.convert`: calls of converted functions from code that is traced as it is."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ...dialect.errors import WeftTypeError
from ..tracing.current import current_trace
from .marks import mark_wrapper
from .operators.interface import operators

F = TypeVar("F", bound=Callable[..., Any])


def convert(function: F) -> F:
    """The function with its control flow on arrays compiled, for code that is traced as it is.

    Converted code converts what it calls; code that is not (functions marked by `weft.do_not_convert`, or of a module
    that `weft.autograph.do_not_convert_module` names) calls functions as they are, but for those that this has made. In
    plain Python these are the functions themselves. Takes functions, methods and other callables, also as a decorator;
    functions that are marked by `weft.do_not_convert` stay as they are. Raises WeftTypeError for what is not callable.

    >>> @weft.autograph.convert
    ... def leaky(x):
    ...     return x if x > 0 else x / 10
    >>> @weft.do_not_convert
    ... def library(x):
    ...     return leaky(x * 2)
    >>> library(np.float64(-1))
    np.float64(-0.2)
    """
    if not callable(function):
        raise WeftTypeError(f"convert takes a function or something else that is called, not {function!r}")

    def call(*args: Any, **kwargs: Any) -> Any:
        if current_trace() is None:
            return function(*args, **kwargs)
        return operators().call(function, *args, **kwargs)

    functools.update_wrapper(call, function, updated=("__dict__",) if inspect.isroutine(function) else ())
    mark_wrapper(call, function)
    made: Any = call
    return made  # type: ignore[no-any-return]
