"""The array namespace: NumPy's functions and the Array API's, on NumPy arrays and on traced arrays alike.

Every function is written once, as a composition of ops. The modules are loaded by name, on first use: `lookup`
and `names` are what `weft.__getattr__` and `dir(weft)` are made of.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

MODULES = (
    "elementwise",
    "creation",
    "shape",
    "joining",
    "indexing",
    "sorting",
    "statistics",
    "reductions",
    "nan_reductions",
    "scans",
    "set_operations",
    "contraction",
    "images",
    "info",
)
"""The modules whose `__all__` make up the main namespace."""

EXTENSIONS = ("linalg",)
"""The modules that are in it as modules."""


@cache
def _table() -> dict[str, Any]:
    """Every public object by name."""
    from .info import API_VERSION, CONSTANTS, DTYPES

    table: dict[str, Any] = {"__array_api_version__": API_VERSION, **CONSTANTS, **DTYPES}
    for name in MODULES:
        module = importlib.import_module(f".{name}", __name__)
        table.update({public: getattr(module, public) for public in module.__all__})
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


__all__ = ["lookup", "names"]
