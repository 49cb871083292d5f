"""What is remembered for code objects, by identity.

Dictionaries ask whether code is equal, which Python answers by comparing all functions in it, twice on every level:
for equal code of 30 nested functions that takes minutes, and converted code nests as deep as a function has exits.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from functools import wraps
from types import CodeType
from typing import Any, TypeVar
from weakref import ref

_Found = TypeVar("_Found")


class CodeTable:
    """Remembers something for code objects, by identity, as long as they live."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[ref[CodeType], Any]] = {}

    def get(self, code: CodeType) -> Any:
        """What is remembered, or None."""
        entry = self._found.get(id(code))
        return None if entry is None or entry[0]() is not code else entry[1]

    def set(self, code: CodeType, value: Any) -> None:
        """Remember a value."""
        key = id(code)
        self._found[key] = (ref(code, lambda _: self._found.pop(key, None)), value)

    def __len__(self) -> int:
        return len(self._found)


def remembered_by_code(function: Callable[[CodeType], _Found]) -> Callable[[CodeType], _Found]:
    """Let a function of code objects, which returns something other than None, look at each one once."""
    table = CodeTable()

    @wraps(function)
    def remembering(code: CodeType) -> _Found:
        found: _Found | None = table.get(code)
        if found is None:
            found = function(code)
            table.set(code, found)
        return found

    return remembering


_ASSIGNING = frozenset({dis.opmap["STORE_GLOBAL"], dis.opmap["DELETE_GLOBAL"]})


@remembered_by_code
def assigned_globals(code: CodeType) -> tuple[str, ...]:
    """The global variables that a function's own code, or a function in it, assigns."""
    names: list[str] = []
    if not _ASSIGNING.isdisjoint(code.co_code[::2]):  # few do, and to read all instructions takes long
        names += [i.argval for i in dis.get_instructions(code) if i.opcode in _ASSIGNING]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names.extend(assigned_globals(constant))
    return tuple(dict.fromkeys(names))


_BINDING = frozenset({dis.opmap["STORE_DEREF"], dis.opmap["DELETE_DEREF"]})


@remembered_by_code
def assigned_variables(code: CodeType) -> frozenset[str]:
    """The variables of functions around that a function's own code, or a function in it, assigns."""
    found = {i.argval for i in dis.get_instructions(code) if i.opcode in _BINDING}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= assigned_variables(constant)
    return frozenset(found & set(code.co_freevars))
