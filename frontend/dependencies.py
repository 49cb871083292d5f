"""What a trace depends on besides the places that its guards compare: which functions ran, what was read of modules.

It is noted while the trace is recorded and judged afterwards, if the program is to be stored for other processes.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any


class Dependencies:
    """What one trace did that another process may have to do again."""

    def __init__(self) -> None:
        self.reason: str | None = None
        """Why the program means nothing in another process, in words."""
        self.functions: list[types.FunctionType] = []
        """The user's functions that were converted."""
        self.calls: dict[Any, tuple[Callable[..., Any], bool]] = {}
        """What was called as it is, and whether a function of the user's was an argument."""
        self.attributes: dict[tuple[int, str], tuple[types.ModuleType, str]] = {}
        """What was read of modules."""

    def refuse(self, reason: str) -> None:
        """Take note of something that only this process knows."""
        if self.reason is None:
            self.reason = reason

    def runs(self, function: types.FunctionType) -> None:
        """A function of the user's is recorded."""
        self.functions.append(function)

    def called(self, function: Callable[..., Any], arguments: Sequence[Any] = ()) -> None:
        """Something is called that is no function of the user's; with the arguments if it sees them as they are."""
        while isinstance(function, functools.partial):
            arguments = (*function.args, *function.keywords.values(), *arguments)
            function = function.func
        function = getattr(function, "__func__", function)
        if isinstance(function, types.FunctionType) and not self._is_of_library(function):
            return
        takes_functions = any(map(_holds_function, arguments))
        owner = getattr(function, "__self__", None)
        key = (type(owner), function.__name__) if type(owner) in _CONTAINERS else id(function)
        known = self.calls.get(key)
        if known is None or (takes_functions and not known[1]):
            self.calls[key] = (function, takes_functions)

    def read(self, module: types.ModuleType, name: str) -> None:
        """An attribute of a module is read."""
        self.attributes.setdefault((id(module), name), (module, name))

    @staticmethod
    def _is_of_library(function: types.FunctionType) -> bool:
        package = str(function.__globals__.get("__name__", "")).partition(".")[0]
        return package in _LIBRARIES


_CONTAINERS = (list, tuple, dict, set, str)
"""The methods of these are new objects each time."""


def _holds_function(value: Any, depth: int = 2) -> bool:
    if depth and isinstance(value, (list, tuple, dict)):
        entries = value.values() if isinstance(value, dict) else value
        return any(_holds_function(entry, depth - 1) for entry in entries)
    return isinstance(value, (types.FunctionType, types.MethodType, functools.partial))


_LIBRARIES = sys.stdlib_module_names - {"__main__"} | {"numpy", __name__.partition(".")[0]}
__all__ = ["Dependencies"]
