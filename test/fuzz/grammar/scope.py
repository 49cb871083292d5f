"""Names with examples: what every variable of a program holds when its first call comes there.

The grammar evaluates what it writes on the examples, so that types, dtypes, shapes and most bounds are right without
a rule for any of them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

MOST_ELEMENTS = 120
LARGEST = 10**6
"""Integers of Python's stay below, as compiled code has 64 bits for them."""


class Unfit(Exception):
    """No text of the wanted kind was found, or the example refuses it."""


def signature(value: Any, depth: int = 8) -> Hashable:
    """What must be equal for two values to take turns in one variable; only so deep, as lists may hold themselves."""
    if depth == 0:
        return None
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape
    if isinstance(value, np.generic):
        return "scalar", value.dtype.str
    if isinstance(value, tuple):
        return "tuple", tuple(signature(item, depth - 1) for item in value)
    if isinstance(value, list):
        return "list", signature(value[0], depth - 1) if value else None
    if isinstance(value, dict):
        return "dict", tuple((repr(key), signature(item, depth - 1)) for key, item in value.items())
    return type(value).__name__


def is_compatible(before: Any, after: Any, depth: int = 8) -> bool:
    """Whether what a variable held can be where it was not changed: compiled code has one type for both.

    Only so deep: a list of an object that holds this list has no end.
    """
    if depth == 0:
        return True
    if isinstance(before, dict) and isinstance(after, dict):
        return all(
            is_compatible(value, after[key], depth - 1) for key, value in before.items() if key in after
        )
    if isinstance(before, (list, tuple)) and type(before) is type(after):
        return all(is_compatible(one, other, depth - 1) for one, other in zip(before, after, strict=False))
    if hasattr(before, "__dict__") and type(before) is type(after):
        return is_compatible(vars(before), vars(after), depth - 1)
    return signature(before) == signature(after)


def is_small(value: Any) -> bool:
    """Whether a value may be computed with: no giant arrays, no giant integers."""
    if isinstance(value, np.ndarray):
        return value.size <= MOST_ELEMENTS and value.ndim <= 4 and value.dtype.kind in "biufc"
    if isinstance(value, np.generic):
        return value.dtype.kind in "biufc"
    if isinstance(value, (list, tuple, set)):
        return len(value) <= 40 and all(map(is_small, value))
    if isinstance(value, dict):
        return len(value) <= 20 and all(map(is_small, value.values()))
    if isinstance(value, str):
        return len(value) < 200
    return not isinstance(value, int) or abs(value) <= LARGEST


class Scope:
    """The variables of a function and their examples; `fixed` are the names of modules, classes and functions."""

    def __init__(self, fixed: dict[str, Any], values: dict[str, Any]) -> None:
        self.fixed = fixed
        self.values = values
        self.kept: set[str] = set()
        """The names that are not bound anew: counters, and what other functions own."""

    def evaluate(self, text: str) -> Any:
        """The example of an expression; Unfit where it raises or is too large."""
        try:
            value = eval(text, {**self.fixed, **self.values})
            if is_small(value):
                return value
        except Exception as error:
            raise Unfit(f"{text}: {error!r}") from None
        raise Unfit(text)

    def execute(self, text: str) -> None:
        """Run a statement on the examples; Unfit where it raises."""
        names = {**self.fixed, **self.values}
        try:
            exec(text, names)
            changed = {
                name: value
                for name, value in names.items()
                if name not in self.fixed and not name.startswith("__")
            }
            if all(map(is_small, changed.values())):
                self.values = changed
                return
        except Exception as error:  # RecursionError, too: of containers that contain themselves
            raise Unfit(f"{text}: {error!r}") from None
        raise Unfit(text)

    def fork(self) -> dict[str, Any]:
        """The values as they are now, kept apart from what comes."""
        try:
            return copy.deepcopy(self.values)
        except Exception:
            return dict(self.values)

    def join(self, other: dict[str, Any], keep: Callable[[], bool]) -> None:
        """After two paths: names that both bind to one type stay; of those that one binds, what `keep` says."""
        joined = {}
        for name in {**self.values, **other}:
            is_on_both = name in self.values and name in other
            same = is_on_both and signature(self.values[name]) == signature(other[name])
            if same or (not is_on_both and keep()):
                joined[name] = self.values.get(name, other.get(name))
        self.values = joined


__all__ = ["Scope", "Unfit", "is_compatible", "is_small", "signature"]
