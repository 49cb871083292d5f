"""The functions by their names in the math dialect, or that of special functions: every module here adds its own."""

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
    """Register a Python function as what an op on scalars is made of: good to 2 ulp, in f32 and in f64."""

    def register(function: Function) -> Function:
        _FUNCTIONS[name] = function
        return function

    return register


@cache
def functions() -> Mapping[str, Function]:
    """Those of the math dialect."""
    _load(__name__.rpartition(".")[0])
    return _FUNCTIONS


@cache
def all_functions() -> Mapping[str, Function]:
    """Special functions besides."""
    functions()
    _load(f"{__name__.rpartition('.')[0]}.special")
    return _FUNCTIONS


def _load(package: str) -> None:
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        importlib.import_module(f"{package}.{module.name}")
