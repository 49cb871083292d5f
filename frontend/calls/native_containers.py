"""Containers that compiled functions read, in the terms of native code: pictures of what they hold, all the way down.

A picture must never fit where `fingerprint` of `frontend/guards/contents.py` differs. It may fail to fit where that is
the same, as for equal objects of types that are told by identity here: then Python has the last word.
"""

from __future__ import annotations

import enum
import types
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...backend.cpu.dispatch.descriptors import Program
from ...backend.cpu.native_python.layout import WORD, Entry, Node
from ..guards.contents import is_content
from ..signature.signature import IdentityKey, static_key
from .plain_values import BY_COMPARISON, has_plain_value

MOST_PICTURED = 1 << 20
"""Containers with more entries in all are compared by Python."""

MOST_DEEP = 100
"""Containers that are nested deeper are compared by Python, as native code calls itself for each."""

_LAYOUTS = {list: Node.LIST, tuple: Node.TUPLE, dict: Node.DICT, set: Node.SET, frozenset: Node.SET}

_ONE_OBJECT = (bool, type(None), np.dtype, type, enum.Enum, range, types.BuiltinFunctionType, np.ufunc)
"""What is told by identity and may be kept alive."""

_PLAIN_KEYS = (*BY_COMPARISON, float, complex, bool, type(None), np.dtype, type, enum.Enum, np.generic)


class NotPictured(Exception):
    """Python compares this container."""


def add_container(
    program: Program, source: int, value: Any, skip: frozenset[tuple[Any, ...]] = frozenset()
) -> None:
    """Let native code compare what is in a place with a container, without the entries at some paths; may raise
    `NotPictured`, before anything was added.
    """
    program.container(source, *picture_of(value, skip))


def picture_of(value: Any, skip: frozenset[tuple[Any, ...]] = frozenset()) -> tuple[list[int], list[Any]]:
    """The words of a container's picture, and the objects that are to be kept alive as long as it is used."""
    picture = _Picture(skip)
    return picture.node(value, ())[0], picture.kept


class _Picture:
    """Writes the words of a picture."""

    def __init__(self, skip: frozenset[tuple[Any, ...]]) -> None:
        self._skip = skip
        self._count = 0
        self.kept: list[Any] = []
        """What native code is told the addresses of."""

    def _keep(self, value: Any) -> int:
        self.kept.append(value)
        return id(value)

    def node(self, value: Any, path: tuple[Any, ...]) -> tuple[list[int], bool]:
        """The words of a container, and whether it cannot change and keeps nothing alive that is held weakly."""
        kind = type(value)
        layout = next((found for base, found in _LAYOUTS.items() if issubclass(kind, base)), None)
        is_other = layout is None or isinstance(
            value, OrderedDict
        )  # which has an order besides that of a dict
        if is_other or len(path) > MOST_DEEP or (layout == Node.SET and kind not in _LAYOUTS):
            raise NotPictured
        self._count += len(value)
        if self._count > MOST_PICTURED:
            raise NotPictured
        is_fixed = issubclass(kind, (tuple, frozenset))
        entries: list[int] = []
        for key, entry in _items(value, layout):
            if layout == Node.SET and not _is_plain_key(entry):
                raise NotPictured
            if layout == Node.DICT:
                entries += self._key(key)
            words, is_entry_fixed = self._entry(entry, (*path, key))
            entries += words
            is_fixed = is_fixed and is_entry_fixed
        itself = self._keep(value) if is_fixed else 0
        return [self._keep(kind), layout or 0, len(value), itself, *entries], is_fixed

    def _entry(self, value: Any, path: tuple[Any, ...]) -> tuple[list[int], bool]:
        inner: list[int] = []
        is_fixed = True
        if path in self._skip:
            how, first, is_fixed = Entry.ANY, 0, False
        elif is_content(value):
            inner, is_fixed = self.node(value, path)
            how, first = Entry.INNER, WORD * len(inner)
        else:
            how, kept = _way_to_compare(value)
            first, is_fixed = self._keep(kept), how != Entry.REFERS
        return [how, first, *inner], is_fixed

    def _key(self, key: Any) -> tuple[int, int]:
        if not _is_plain_key(key):
            raise NotPictured
        return self._keep(key), id(type(key)) if type(key) in BY_COMPARISON else 0


def _items(value: Any, layout: int | None) -> Iterable[tuple[Any, Any]]:
    """What a container holds, with the keys of a dict, else numbers; whatever a subclass says that it holds."""
    if layout == Node.DICT:
        return list(dict.items(value))
    if layout == Node.SET:
        return list(enumerate(value))
    return list(enumerate(list.__iter__(value) if layout == Node.LIST else tuple.__iter__(value)))


def _is_plain_key(key: Any) -> bool:
    """Whether a key, or a member of a set, may be kept alive, and is always itself."""
    if type(key) is tuple:
        return all(map(_is_plain_key, key))
    return isinstance(key, _PLAIN_KEYS)


def _way_to_compare(value: Any) -> tuple[int, Any]:
    """How native code compares a value that holds nothing, and with what."""
    kind = type(value)
    if kind in BY_COMPARISON:
        return Entry.EQUAL, value
    if kind in (float, complex):
        return (8 if kind is float else 16), value
    if isinstance(value, (np.ndarray, *_ONE_OBJECT)) or (kind is slice and _is_plain_slice(value)):
        return Entry.IS, value
    if isinstance(value, np.generic) and value.dtype.kind in "biufc" and has_plain_value(value):
        return value.nbytes, value
    key = static_key(value)
    if not isinstance(key, IdentityKey):
        raise NotPictured
    if isinstance(key.reference, weakref.ref):
        return Entry.REFERS, key.reference
    return Entry.IS, value


def _is_plain_slice(value: slice) -> bool:
    parts: Sequence[Any] = (value.start, value.stop, value.step)
    return all(part is None or type(part) is int for part in parts)
