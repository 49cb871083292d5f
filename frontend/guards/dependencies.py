"""What a trace depends on besides the places that its guards compare: which functions ran, what was read of modules.

It is judged when it is noted: the first thing that only this process knows is the reason why a program is not stored.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..source.modules import is_own_module, is_users_module, is_users_object, module_of, told
from ..source.plain_items import contents
from .call_effects import is_one_of, why_impure
from .set_order import HASHED_BY_VALUE, ORDER_OF_SETS


class Dependencies:
    """What one trace did that another process may have to do again."""

    def __init__(self) -> None:
        self._reason: str | None = None
        self._unknown: str | None = None
        """What was called of which nothing is known, in words."""
        self.functions: list[types.FunctionType] = []
        """The user's functions that were converted."""
        self.attributes: dict[tuple[int, str], tuple[types.ModuleType, str]] = {}
        """What was read of modules."""
        self._judged: dict[Any, Callable[..., Any]] = {}
        """What was called and judged, by its identity and whether it got a function."""

    @property
    def reason(self) -> str | None:
        """Why the program means nothing in another process, in words; what only this process knows says most."""
        return self._reason or self._unknown

    def refuse(self, reason: str) -> None:
        """Take note of something that only this process knows."""
        if self._reason is None:
            self._reason = reason

    def runs(self, function: types.FunctionType) -> None:
        """A function of the user's is recorded."""
        self.functions.append(_without_variables(function))

    def runs_plain(self, function: types.FunctionType) -> None:
        """A function of the user's runs as it is: nobody sees what it calls and reads."""
        self.refuse(f"{function.__qualname__}, which runs as it is while it is traced")

    def called(
        self, function: Callable[..., Any], arguments: Sequence[Any] = (), is_replaced: bool = False
    ) -> None:
        """Something is called: a function of the user's, something that sees its arguments as they are, or what is
        replaced by a function that knows traced ones."""
        if self._reason is not None or (is_replaced and _tells_itself(function)):
            return
        while isinstance(function, functools.partial):
            arguments = (*function.args, *function.keywords.values(), *arguments)
            function = function.func
        function = told(function, "__func__", function)
        if isinstance(function, types.FunctionType) and is_users_module(function.__globals__.get("__name__")):
            return
        owner = told(function, "__self__")
        if is_one_of(function, _SETS) or isinstance(owner, (set, frozenset)):
            self._sets_of(arguments)
        if is_one_of(function, _TEXTS) or isinstance(owner, str):
            self.shows(*arguments)
        if not is_replaced and not is_one_of(function, _PASSING) and type(owner) not in _CONTAINERS:
            found = holds_object(arguments)
            if found is not None:
                name = told(function, "__qualname__") or type(function).__qualname__
                self.refuse(f"{name}, which got a {type(found).__qualname__} object")
        takes_functions = not is_replaced and any(map(_holds_function, arguments))
        key = (type(owner), function.__name__) if type(owner) in _CONTAINERS else id(function)
        if self._unknown is None and (key, takes_functions) not in self._judged:
            self._judged[key, takes_functions] = function
            self._unknown = why_impure(function, takes_functions)

    def shows(self, *values: Any) -> None:
        """The texts of values are made."""
        for value in values:
            if not _has_text(value):
                self.refuse(f"the text of a {type(value).__qualname__}")

    def _sets_of(self, arguments: Sequence[Any]) -> None:
        for argument in arguments:
            entries = argument if isinstance(argument, (list, tuple, set, frozenset, range)) else (argument,)
            if not all(type(entry) in HASHED_BY_VALUE for entry in entries):
                self.refuse(ORDER_OF_SETS)

    def read(self, module: types.ModuleType, name: str) -> None:
        """An attribute of a module is read."""
        self.attributes.setdefault((id(module), name), (module, name))


def _tells_itself(function: Callable[..., Any]) -> bool:
    """Whether what is called in the place of a function says itself whether it does anything but compute."""
    return told(function, "__name__", "") == "default_rng" and module_of(function) == "numpy.random"


def _without_variables(function: types.FunctionType) -> types.FunctionType:
    """A function of the same code that keeps neither it nor its variables alive, but for modules.

    What guards compare of a function that the trace has made is gone with it.
    """
    cells = tuple(cell if _holds_module(cell) else types.CellType() for cell in function.__closure__ or ())
    made = types.FunctionType(function.__code__, function.__globals__, function.__name__, None, cells)
    made.__qualname__ = function.__qualname__
    return made


def _holds_module(cell: types.CellType) -> bool:
    try:
        return isinstance(cell.cell_contents, types.ModuleType)
    except ValueError:
        return True  # it may hold one later


_CONTAINERS = (list, tuple, dict, set, str)
"""The methods of these are new objects each time."""

_SETS = (set, frozenset)
_TEXTS = (str, repr, format, ascii)
_PASSING = (isinstance, issubclass, callable, type, iter, next)
"""What gets an object and reads nothing of it."""

_WITH_TEXT = (str, bool, int, float, complex, bytes, type(None), np.dtype, np.generic, range, slice, type)
"""Values whose texts are the same in all processes."""


def _has_text(value: Any, depth: int = 4) -> bool:
    """Whether the text of a value is known, or made at run time."""
    if isinstance(value, (list, tuple, dict)) and depth:
        entries = [*(dict.keys(value) if isinstance(value, dict) else ()), *contents(value)]
        return all(_has_text(entry, depth - 1) for entry in entries)
    kind = type(value)
    if isinstance(value, BaseException):
        return kind.__module__ == "builtins" and _has_text(value.args, depth - 1)
    return is_own_module(kind.__module__) or (isinstance(value, _WITH_TEXT) and not is_users_object(value))


def _held(value: Any, depth: int = 2) -> Iterator[Any]:
    """A value, or what is in its containers."""
    if depth and isinstance(value, (list, tuple, dict)):
        for entry in contents(value):
            yield from _held(entry, depth - 1)
    else:
        yield value


def _holds_function(value: Any) -> bool:
    return any(
        isinstance(held, (types.FunctionType, types.MethodType, functools.partial)) for held in _held(value)
    )


def holds_object(value: Any) -> Any:
    """An object of the user's in a value, or in the containers of a value; None where there is none."""
    return next(filter(is_users_object, _held(value)), None)
