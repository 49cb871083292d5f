"""What a program found of Python's state, and whether that is still so: a handle, and the data of what it holds."""

from __future__ import annotations

import builtins
import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...dialect.records import NamedTuple
from ..guards.guards import Guard, Skip
from ..guards.handles import Cell, ClassEntry, ClassNames, Global, Handle, Item, Member
from ..guards.unbound import UNBOUND
from ..source.modules import is_library, is_users_object
from .fingerprints import Fingerprints
from .portable import Data, NotPortable
from .stored_handles import ModuleAttribute, has_state


class Read(NamedTuple):
    """Something that a program reads."""

    handle: Handle
    skip: Skip = frozenset()
    """The paths in a container that are read at each call; None where nothing but the type of a value matters."""

    def data(self, fingerprints: Fingerprints) -> Data:
        """What is there now; raises NotPortable."""
        handle, value = self.handle, self.handle.get()
        if self.skip is None:
            return ("type", type(value).__name__)
        if isinstance(handle, (ClassEntry, ClassNames)):
            return ("of a class", fingerprints.of(handle.kind))
        if isinstance(handle, Global) and value is UNBOUND:
            # Then the name is one of Python's own, or there is an error.
            return ("builtin", fingerprints.of(getattr(builtins, handle.variable, UNBOUND)))
        try:
            return fingerprints.named(_name_of(handle), value, skip=self.skip)
        except NotPortable:
            kind = type(value)
            if (
                isinstance(handle, Global)
                and is_library(str(handle.namespace.get("__name__")))
                and is_library(kind.__module__)
            ):
                return ("of a library", kind.__module__, kind.__qualname__)  # whose version is known
            if not isinstance(handle, ModuleAttribute):
                raise
            if isinstance(value, io.TextIOBase) and handle.name in _STREAMS:
                return ("stream", kind.__module__, kind.__qualname__, value.encoding, value.isatty())
            if not handle.is_known or not is_library(kind.__module__):
                raise
            return ("of a library", kind.__module__, kind.__qualname__)  # it is made anew in each process

    def contents(self) -> Iterable[tuple[Handle, Any]]:
        """The handle with its value, and those of what is in the containers there."""
        value = self.handle.get()
        return [(self.handle, value)] if self.skip is None else _inside(self.handle, value)


_STREAMS = ("sys.stdout", "sys.stderr")
"""What prints write to when they run."""


def reads_of(guards: Iterable[Guard]) -> list[Read]:
    """What guards look at."""
    return [Read(handle, guard.skip) for guard in guards for handle in guard.handles]


def _name_of(handle: Handle) -> str | None:
    """The name by which code reads a place."""
    if isinstance(handle, Global):
        return handle.variable
    if isinstance(handle, (Member, ModuleAttribute)):
        return handle.attribute
    return handle.name if isinstance(handle, Cell) else None


def _inside(handle: Handle, value: Any, depth: int = 0) -> Iterable[tuple[Handle, Any]]:
    yield handle, value
    if depth < 8 and isinstance(value, (list, tuple, dict)) and len(value) <= 1000:
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            if (
                isinstance(entry, _OF_INTEREST)
                or is_users_object(entry)
                or callable(entry)
                or has_state(entry)
            ):
                yield from _inside(Item(f"{handle.name}[{key!r}]", handle, key), entry, depth + 1)


_OF_INTEREST = (list, tuple, dict, np.ndarray)


def sharing(reads: Iterable[Read], constants: Sequence[Any]) -> tuple[int, ...]:
    """Which of the objects that a program reads and gets as constants are the same, as it may ask by `is`.

    For each object the number of the first one that is the same.
    """
    values = [*(value for read in reads for _, value in read.contents()), *constants]
    first: dict[int, int] = {}
    return tuple(
        first.setdefault(id(value), number) for number, value in enumerate(filter(_has_identity, values))
    )


def _has_identity(value: Any) -> bool:
    return value is not UNBOUND and type(value) not in _WITHOUT_IDENTITY and not isinstance(value, np.generic)


_WITHOUT_IDENTITY = (type(None), bool, int, float, complex, str, bytes, tuple, frozenset, slice, range)
