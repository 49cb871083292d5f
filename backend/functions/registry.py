"""The elementary functions by the names of the math dialect: every module here adds its own."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

from .number import Number

Function: TypeAlias = "Callable[..., Number]"
"""Writes a function of f32 or f64 numbers at the insertion point."""

_FUNCTIONS: dict[str, Function] = {}


def expands(name: str) -> Callable[[Function], Function]:
    """Register a Python function as what an op of the math dialect is made of: good to 2 ulp, in f32 and in f64."""

    def register(function: Function) -> Function:
        _FUNCTIONS[name] = function
        return function

    return register


@cache
def functions() -> Mapping[str, Function]:
    """All of them."""
    package = __name__.rpartition(".")[0]
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")
    return _FUNCTIONS
