"""Functions of one family: they share signature and body, and each has a name, a docstring and an example."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

Function: TypeAlias = Callable[..., Any]

Family: TypeAlias = Callable[[Callable[[], None]], Function]
"""Makes a function of one that has a name and a docstring only."""


def member(function: Function) -> Family:
    """The function under the name of the decorated one, whose docstring gets that of the function before its example.

    `@member(function) def sum() -> None: ...` makes `sum`, which is called with the arguments of the function.
    """

    def named(described: Callable[[], None]) -> Function:
        summary, prompt, example = (inspect.getdoc(described) or "").partition(">>>")
        function.__name__ = function.__qualname__ = described.__name__
        function.__doc__ = f"{summary}{inspect.getdoc(function)}\n\n{prompt}{example}"
        return function

    return named
