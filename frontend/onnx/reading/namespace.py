"""The array namespace, in which rules are written."""

from __future__ import annotations

from typing import Any

from ...numpy_api import lookup
from ...tracing.staging import is_traced, staged, trace_of


class _Namespace:
    """What computes with NumPy's arrays, and records what is done to traced ones."""

    def __getattr__(self, name: str) -> Any:
        value = lookup(name, ())
        setattr(self, name, value)
        return value


weft: Any = _Namespace()
"""All functions of the array namespace, as attributes."""


def writable(x: Any, *others: Any) -> Any:
    """An array; one of a trace, if what it is indexed by, or what is written to it, is."""
    trace = trace_of(others)
    return x if trace is None or is_traced(x) else staged(trace, x)


def item(x: Any, key: tuple[Any, ...]) -> Any:
    """`x[key]`, where indices of an array that is known may be traced."""
    parts = [
        each for part in key for each in ((part.start, part.stop) if isinstance(part, slice) else (part,))
    ]
    return writable(x, *parts)[key]
