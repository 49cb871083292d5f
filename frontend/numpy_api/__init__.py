"""The array namespace: NumPy's functions and the Array API's, on NumPy arrays and on traced arrays alike.

Every function is written once, as a composition of ops. The modules are loaded by name, on first use: `lookup`
and `names` are what `weft.__getattr__` and `dir(weft)` are made of.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from ...dialect.errors import no_attribute
from ...dialect.imports import load_on_first_use

load_on_first_use(
    __name__,
    "brackets",
    "call_examples",
    "library_routines",
    "library_ufuncs",
    "memory_order",
    "number_attributes",
    "python_numbers",
)

MODULES = (
    "elementwise",
    "creation",
    "grids",
    "requirements",
    "shape",
    "diagonals",
    ".indexing.broadcasting",
    "padding",
    "joining",
    "repetition",
    "indexing",
    "index_tricks",
    "membership",
    "windows",
    "sorting",
    "quantiles",
    "statistics",
    "reductions",
    "comparisons",
    "scans",
    "set_operations",
    "contraction",
    "convolutions",
    "sliding_windows",
    "info",
)
"""The modules of the main namespace: all functions in them whose names do not start with `_` are public.

That with a dot in front lies beside this package: indexing broadcasts, too.
"""

EXTENSIONS = ("linalg", "fft")
"""The modules that are in it as modules."""


def functions_of(module: ModuleType) -> dict[str, Any]:
    """The public functions that a module of the namespace defines, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and (not name.startswith("_") or name == "__array_namespace_info__")
    }


@cache
def _table() -> dict[str, Any]:
    """Every public object by name."""
    from ..tracing.array_api import ARRAY_API_VERSION
    from .info import CONSTANTS, DTYPES

    table: dict[str, Any] = {"__array_api_version__": ARRAY_API_VERSION, **CONSTANTS, **DTYPES}
    for name in MODULES:
        table.update(functions_of(importlib.import_module(f".{name}", __name__)))
    for name in EXTENSIONS:
        table[name] = importlib.import_module(f".{name}", __name__)
    return table


def names() -> frozenset[str]:
    """The names of the namespace."""
    return frozenset(_table())


def lookup(name: str, others: Iterable[str] = (), elsewhere: Callable[[str], str] = lambda name: "") -> Any:
    """The object of a name; an `AttributeError` says whether NumPy has it, or names those that look nearly the same.

    `others` are further names that may be meant; `elsewhere` tells what else has the name.
    """
    table = _table()
    if name in table:
        return table[name]
    message = f"module 'weft' has no attribute {name!r}"
    place = _elsewhere(name) or elsewhere(name)
    raise no_attribute(message + place, name, () if place else [*others, *table])


def _elsewhere(name: str) -> str:
    """What is written for a name that NumPy or another library has."""
    import numpy as np

    from .other_names import LIBRARIES

    if not name.startswith("_") and callable(getattr(np, name, None)):
        return f": of NumPy's functions, {name} is one that compiled code does not have; call np.{name} outside of it"
    found = {table[name]: None for table in LIBRARIES.values() if name in table}
    if not found:
        return ""
    code = next(iter(found)).replace("\n", " ")
    libraries = [library for library, table in LIBRARIES.items() if table.get(name) in found]
    verb = "call" if len(libraries) > 1 else "calls"
    return f": what {' and '.join(libraries)} {verb} {name} is written {code}"


__all__ = ["functions_of", "lookup", "names"]
