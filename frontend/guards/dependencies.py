"""What a trace depends on besides the places that its guards compare: which functions ran, what was read of modules.

It is noted while the trace is recorded and judged afterwards, if the program is to be stored for other processes.
"""

from __future__ import annotations

import builtins
import functools
import sys
import types
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np


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
        self.has_sets = False
        """Whether sets were made of what is no number, whose order is another one in each process."""

    def refuse(self, reason: str) -> None:
        """Take note of something that only this process knows."""
        if self.reason is None:
            self.reason = reason

    def runs(self, function: types.FunctionType) -> None:
        """A function of the user's is recorded."""
        self.functions.append(function)

    def runs_plain(self, function: types.FunctionType) -> None:
        """A function of the user's runs as it is: nobody sees what it calls and reads."""
        self.refuse(f"{function.__qualname__}, which runs as it is while it is traced")

    def called(
        self, function: Callable[..., Any], arguments: Sequence[Any] = (), is_replaced: bool = False
    ) -> None:
        """Something is called: a function of the user's, something that sees its arguments as they are, or what is
        replaced by a function that knows traced ones."""
        while isinstance(function, functools.partial):
            arguments = (*function.args, *function.keywords.values(), *arguments)
            function = function.func
        function = getattr(function, "__func__", function)
        if isinstance(function, types.FunctionType) and not self._is_of_library(function):
            return
        owner = getattr(function, "__self__", None)
        if function in _SETS or isinstance(owner, (set, frozenset)):
            self._sets_of(arguments)
        if function in _TEXTS or isinstance(owner, str):
            self.shows(*arguments)
        if not is_replaced and function not in _PASSING and type(owner) not in _CONTAINERS:
            found = holds_object(arguments)
            if found is not None:
                self.refuse(f"{_name(function)}, which got a {type(found).__qualname__} object")
        takes_functions = not is_replaced and any(map(_holds_function, arguments))
        key = (type(owner), function.__name__) if type(owner) in _CONTAINERS else id(function)
        known = self.calls.get(key)
        if known is None or (takes_functions and not known[1]):
            self.calls[key] = (function, takes_functions)

    def shows(self, *values: Any) -> None:
        """The texts of values are made."""
        for value in values:
            if not _has_text(value):
                self.refuse(f"the text of a {type(value).__qualname__}")

    def _sets_of(self, arguments: Sequence[Any]) -> None:
        for argument in arguments:
            entries = argument if isinstance(argument, (list, tuple, set, frozenset, range)) else (argument,)
            if not all(type(entry) in _HASHED_BY_VALUE for entry in entries):
                self.has_sets = True

    def read(self, module: types.ModuleType, name: str) -> None:
        """An attribute of a module is read."""
        self.attributes.setdefault((id(module), name), (module, name))

    @staticmethod
    def _is_of_library(function: types.FunctionType) -> bool:
        package = str(function.__globals__.get("__name__", "")).partition(".")[0]
        return package in _LIBRARIES


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", None) or type(function).__qualname__


_CONTAINERS = (list, tuple, dict, set, str)
"""The methods of these are new objects each time."""


class _Functions:
    """Some functions, compared by identity."""

    def __init__(self, *functions: Callable[..., Any]) -> None:
        self._identities = frozenset(map(id, functions))

    def __contains__(self, function: object) -> bool:
        return id(function) in self._identities


_SETS = _Functions(set, frozenset)
_TEXTS = _Functions(str, repr, format, ascii)
_PASSING = _Functions(isinstance, issubclass, callable, type, iter, next)
"""What gets an object and reads nothing of it."""

_HASHED_BY_VALUE = (bool, int, float, np.int64, np.float64)
"""Values whose hashes are the same in all processes."""


def has_order(entries: Collection[Any]) -> bool:
    """Whether all processes walk a set of such entries in one order, if it was made in the same way."""
    return len(entries) < 2 or all(type(entry) in _HASHED_BY_VALUE for entry in entries)


_WITH_TEXT = (str, bool, int, float, complex, bytes, type(None), np.dtype, np.generic, range, slice, type)
"""Values whose texts are the same in all processes."""


def _has_text(value: Any, depth: int = 4) -> bool:
    """Whether the text of a value is known, or made at run time."""
    if isinstance(value, (list, tuple, dict)) and depth:
        entries = [*value, *value.values()] if isinstance(value, dict) else value
        return all(_has_text(entry, depth - 1) for entry in entries)
    kind = type(value)
    if isinstance(value, BaseException):
        return kind.__module__ == "builtins" and _has_text(value.args, depth - 1)
    is_own = kind.__module__.partition(".")[0] == _OWN
    return is_own or (isinstance(value, _WITH_TEXT) and not is_users_object(value))


def _holds_function(value: Any, depth: int = 2) -> bool:
    if depth and isinstance(value, (list, tuple, dict)):
        entries = value.values() if isinstance(value, dict) else value
        return any(_holds_function(entry, depth - 1) for entry in entries)
    return isinstance(value, (types.FunctionType, types.MethodType, functools.partial))


def is_users_object(value: Any) -> bool:
    """Whether a value is an instance of a class that neither Python nor NumPy nor this package defines."""
    return type(value).__module__.partition(".")[0] not in _FOREIGN


def holds_object(value: Any, depth: int = 2) -> Any:
    """An object of the user's in a value, or in the containers of a value; None where there is none."""
    if depth and isinstance(value, (list, tuple, dict)):
        entries = value.values() if isinstance(value, dict) else value
        return next(
            (found for entry in entries if (found := holds_object(entry, depth - 1)) is not None), None
        )
    return value if is_users_object(value) else None


_OWN = __name__.partition(".")[0]
_LIBRARIES = sys.stdlib_module_names - {"__main__"} | {"numpy", _OWN}
_FOREIGN = _LIBRARIES | {"ml_dtypes", builtins.__name__}

__all__ = ["Dependencies", "has_order", "holds_object", "is_users_object"]
