"""The array namespace: NumPy's functions and the Array API's, on NumPy arrays and on traced arrays alike.

Every function is written once, as a composition of ops. The modules are loaded by name, on first use: `lookup`
and `names` are what `weft.__getattr__` and `dir(weft)` are made of.
"""

from __future__ import annotations

import importlib
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

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
    "indexing",
    "index_tricks",
    "sorting",
    "statistics",
    "reductions",
    "comparisons",
    "scans",
    "set_operations",
    "contraction",
    "convolutions",
    "images",
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
    from ..tracing.array import ARRAY_API_VERSION
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


def lookup(name: str) -> Any:
    """The object of a name; an `AttributeError` names the closest there are."""
    table = _table()
    if name in table:
        return table[name]
    import difflib

    close = difflib.get_close_matches(name, table, 3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    raise AttributeError(f"module 'weft' has no attribute {name!r}{hint}")


__all__ = ["functions_of", "lookup", "names"]
