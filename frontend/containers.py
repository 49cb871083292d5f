"""Containers among the arguments: the traced function gets copies, so that changes of them are refused, not lost."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..dialect.errors import UnsupportedError
from .signature import Node, Structure, flatten


class Contents:
    """What lists, dicts and objects among the arguments held before the function ran."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._args = args
        self._kwargs = kwargs
        self._before = [_contents(value) for value in self._values]

    @property
    def _values(self) -> list[Any]:
        return [*self._args, *self._kwargs.values()]

    def require_unchanged(self, function: Callable[..., Any], name: str) -> None:
        """Raise `UnsupportedError` that names the first argument whose container holds something else now."""
        for position, (value, (structure, leaves)) in enumerate(zip(self._values, self._before, strict=True)):
            if not isinstance(structure, Node):
                continue
            structure_now, leaves_now = _contents(value)
            if structure_now != structure or list(map(id, leaves_now)) != list(map(id, leaves)):
                raise UnsupportedError(
                    f"{name} changes the {type(value).__name__} {self._name(function, position)!r} that it gets as an "
                    "argument: compiled code works on a copy, and the caller would not see it; return the new value, "
                    "write into the arrays themselves (a[...] = value), or change a copy"
                )

    def _name(self, function: Callable[..., Any], position: int) -> str:
        if position >= len(self._args):
            return list(self._kwargs)[position - len(self._args)]
        for name, value in inspect.signature(function).bind(*self._args, **self._kwargs).arguments.items():
            if value is self._values[position]:
                return name
        return f"number {position}"


def _contents(value: Any) -> tuple[Structure, list[Any]]:
    leaves: list[Any] = []
    return flatten(value, leaves, "", []), leaves


__all__ = ["Contents"]
