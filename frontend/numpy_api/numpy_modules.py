"""Functions of the namespace that are NumPy's own unless an argument is traced."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

from ..tracing.staging import trace_of

Function = Callable[..., Any]


def where_traced(module: ModuleType) -> Callable[[Function], Function]:
    """Let a function be the one of its name in a module of NumPy, but where an argument is traced."""

    def decorate(function: Function) -> Function:
        theirs = getattr(module, function.__name__)

        @wraps(function)
        def either(*args: Any, **kwargs: Any) -> Any:
            is_traced = trace_of((*args, *kwargs.values())) is not None
            return function(*args, **kwargs) if is_traced else theirs(*args, **kwargs)

        return either

    return decorate
