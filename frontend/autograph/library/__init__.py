"""Classes of Python's that are written in C, written as programs are: compiled code has these in their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...runtime_values.values import RuntimeParts


class InPlaceOf(RuntimeParts):
    """A base of what is in the place of a class of Python's, `python_type`, and holds its items in a list."""

    python_type: type

    def items_of(self) -> Any:
        """What NumPy's functions are given in the place of it."""
        return self

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        """What Python's object is made of, and what makes it."""
        raise NotImplementedError
