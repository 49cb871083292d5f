"""Functions with what they hold of their surroundings, as values that loops of compiled code carry.

A function that is made anew in each iteration, and kept for later ones, holds other arrays each time: what is in its
cells is data.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

_templates: dict[tuple[types.CodeType, int], types.FunctionType] = {}
"""One function for all that one `def` or lambda makes, whose cells are never read."""


def taken_apart(function: Callable[..., Any]) -> tuple[types.FunctionType, tuple[Any, ...]] | None:
    """A function as one that is the same each time, and what it holds; None for one that holds nothing.

    Whoever rebinds the variables of its surroundings afterwards is not followed.
    """
    if not isinstance(function, types.FunctionType) or not function.__closure__:
        return None
    key = (function.__code__, id(function.__globals__))
    if key not in _templates:
        _templates[key] = _made(function, tuple(None for _ in function.__closure__))
    return _templates[key], tuple(cell.cell_contents for cell in function.__closure__)


def put_together(template: types.FunctionType, contents: tuple[Any, ...]) -> Callable[..., Any]:
    """A function of such parts."""
    return _made(template, contents)


def _made(function: types.FunctionType, contents: tuple[Any, ...]) -> types.FunctionType:
    cells = tuple(map(types.CellType, contents))
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    return made
