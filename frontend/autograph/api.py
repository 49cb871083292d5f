"""`weft.autograph`: looking at the conversion of functions, and saying what is to be converted and how.

>>> sorted(__all__)
['convert', 'do_not_convert', 'do_not_convert_module', 'range', 'to_code', 'unroll']
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ...dialect.errors import WeftTypeError
from ..source.modules import told
from .conversion import convert
from .convert.printing import to_code as code_of
from .loop_hints import range, unroll
from .marks import do_not_convert, do_not_convert_module, wrapped_by


def to_code(function: Callable[..., Any]) -> str:
    """The source of a function as it is compiled: its control flow as calls of operators.

    Takes functions, methods and what `weft.function` makes of them. Where a function is not converted, it is its own
    source. Raises ConversionError for syntax that cannot be converted, OSError where there is no source, WeftTypeError
    for what is not written in Python.

    >>> def halved(x):
    ...     while x > 1:
    ...         x = x / 2
    ...     return x
    >>> print(weft.autograph.to_code(halved).strip())
    def halved(x):
        # line 2: while:
        def body_1():
            nonlocal x
            x = x / 2
        weft_.while_(lambda: x > 1, body_1, None)
        return x
    """
    plain: Any = getattr(function, "function", function)  # of a method that weft.function made
    plain = getattr(plain, "python_function", plain)
    plain = told(plain, "__func__", plain)
    plain = (isinstance(plain, FunctionType) and wrapped_by(plain)) or plain
    if not isinstance(plain, FunctionType) and inspect.isroutine(getattr(plain, "__call__", None)):  # noqa: B004
        plain = getattr(type(plain).__call__, "__func__", type(plain).__call__)
    if not isinstance(plain, FunctionType):
        raise WeftTypeError(f"to_code shows functions that are written in Python, not {function!r}")
    return code_of(plain)


autograph = sys.modules[__name__]
"""The module itself, as an attribute of `weft`."""

__all__ = [
    "convert",
    "do_not_convert",
    "do_not_convert_module",
    "range",
    "to_code",
    "unroll",
]
