"""What native code knows of one function: its parameters, and the descriptors to try, in a list."""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Collection, Sequence
from typing import Any

from ..native_python.layout import WORD, Binding
from ..native_python.layout import Descriptor as Words
from .descriptors import Descriptor, table
from .objects import NativeTable

MOST_ENTRIES = 128
"""So many descriptors of a function are kept; older ones are left to Python."""


class Dispatch(NativeTable):
    """The native side of one function."""

    # In the order in which the garbage collector clears them: without entries nothing else is looked at.
    __slots__ = ("_entries", "memory", "objects")

    def __init__(self, parameters: Sequence[inspect.Parameter]) -> None:
        kinds = inspect.Parameter
        direct = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
        named = [*direct, *(p for p in parameters if p.kind is kinds.KEYWORD_ONLY)]
        names = [0 if p.kind is kinds.POSITIONAL_ONLY else id(p.name) for p in named]
        defaults = [0 if p.default is kinds.empty else id(p.default) for p in named]
        is_variadic = any(p.kind is kinds.VAR_POSITIONAL for p in parameters)
        is_open = not is_variadic and any(p.kind is kinds.VAR_KEYWORD for p in parameters)
        tables = [table(names), table(defaults)]
        addresses = map(ctypes.addressof, tables)
        self.objects = (named, tables)
        self.memory = table([len(direct), len(named), is_variadic, is_open, *addresses, 0])
        self.address = ctypes.addressof(self.memory)
        self._entries: list[Descriptor] = []

    @property
    def calls(self) -> int:
        """How many calls ran without Python."""
        return self.memory[Binding.CALLS // WORD]

    def uses(self) -> list[tuple[Any, int]]:
        """What was compiled, with the number of its calls, roughly from the last that was called to the first."""
        calls: dict[int, tuple[Any, int]] = {}
        for entry in self._entries:
            owner, before = calls.get(id(entry.owner[0]), (entry.owner[0], 0))
            calls[id(owner)] = (owner, before + entry.memory[Words.CALLS // WORD])
        return list(calls.values())

    def add(self, descriptor: Descriptor) -> None:
        """Try a descriptor before all others from now on. The list is a new one: calls may walk the old one."""
        self._entries = [descriptor, *self._entries[: MOST_ENTRIES - 1]]

    def clear(self) -> None:
        """Forget all descriptors; what runs is kept alive by its call."""
        self._entries = []

    def __len__(self) -> int:
        return len(self._entries)

    def keep(self, owners: Collection[Any]) -> None:
        """Forget the descriptors of anything but what is still there."""
        known = set(map(id, owners))
        self._entries = [entry for entry in self._entries if id(entry.owner[0]) in known]
