"""The functions by their names in the math dialect, or that of special functions: every module here adds its own."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

from ...dialect.errors import InternalError
from .number import Number

Function: TypeAlias = "Callable[..., Number]"
"""Writes a function of f32 or f64 numbers at the insertion point."""

_FUNCTIONS: dict[str, Function] = {}

FILES = {
    "error": "erf erfc",
    "exponential": "exp exp2 expm1 sinh cosh tanh",
    "inverse_hyperbolic": "asinh acosh atanh",
    "inverse_trigonometric": "asin acos atan atan2",
    "logarithm": "log log1p log2 log10",
    "power": "cbrt powf",
    "reciprocal": "rsqrt",
    "remainder": "remf",
    "trigonometric": "sin cos tan",
}
"""The functions of the math dialect by the files that write them: a program needs few of these."""

MATH_FUNCTIONS = frozenset(name for names in FILES.values() for name in names.split())


def expands(name: str) -> Callable[[Function], Function]:
    """Register a Python function as what an op on scalars is made of: good to 2 ulp, in f32 and in f64."""

    def register(function: Function) -> Function:
        _FUNCTIONS[name] = function
        return function

    return register


def function_of(name: str) -> Function:
    """The function of a name in the math dialect, or of a special one; `InternalError` where nobody has written it."""
    if name not in _FUNCTIONS:
        for file, names in FILES.items():
            if name in names.split():
                importlib.import_module(f"{_PACKAGE}.{file}")
    if name not in _FUNCTIONS and name not in all_functions():
        raise InternalError(f"{name} lacks {lacking(name)}: a function in backend/functions/ that writes it")
    return _FUNCTIONS[name]


def lacking(name: str) -> str:
    """What is missing where nothing writes a function.

    >>> lacking("softplus")
    "@expands('softplus')"
    """
    return f"@{expands.__name__}({name!r})"


@cache
def all_functions() -> Mapping[str, Function]:
    """Those of the math dialect, and special functions."""
    _load(_PACKAGE)
    _load(f"{_PACKAGE}.special")
    return _FUNCTIONS


_PACKAGE = __name__.rpartition(".")[0]


def _load(package: str) -> None:
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")
