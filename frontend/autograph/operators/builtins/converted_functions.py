"""Functions of libraries that are written as programs are: they are converted when they are called first."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...convert.converter import convert
from ..interface import operators

Function = Callable[..., Any]


def converted(function: Function) -> Function:
    """A function that is converted when it is called first; errors name it without its underscore."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return convert_once(function)(*args, **kwargs)

    call.__name__ = function.__name__.removeprefix("_")
    return call


@functools.cache
def convert_once(function: Any) -> Function:
    """The converted function."""
    return convert(function, operators())
