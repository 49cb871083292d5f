"""What a compiled function found outside of its arguments, in the terms of native code."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...backend.cpu.dispatch.descriptors import READY, Program
from ...backend.cpu.native_python.layout import Array
from ..guards.captures import Capture
from ..guards.guards import MAX_DEPTH, Content, Deep, Guard, Identity, Kind, Names, Plain, Same, is_fixed
from ..guards.handles import Cell, Fixed, Global, Handle, Item, Member, Owner
from ..guards.inputs import Input
from ..guards.packed_inputs import PackedInput
from ..guards.unbound import UNBOUND
from ..signature.signature import IdentityKey, static_key

_BY_COMPARISON = (int, str, bytes)
MOST_COMPARED = 500
"""Containers with more entries in all are compared by Python, which does not compare all of very many."""


class Guards:
    """Adds guards to a program; what several of them look at is looked up once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._places: dict[Any, int] = {}

    def add_all(self, guards: Sequence[Capture | Guard]) -> None:
        """Let the program check guards."""
        for guard in guards:
            if not self._add(guard):
                self._program.ask(guard.holds)

    def constant(self, value: Any) -> int:
        """The place of an object."""
        return self._memo(("constant", id(value)), lambda: self._program.constant(value))

    def input(self, extra: Capture | Input | PackedInput, flags: int) -> int:
        """The place of an array that is no argument, of the right type and with flags."""
        if isinstance(extra, Input) and extra.kind is np.ndarray and self._is_known(extra.handle):
            place = self.place(extra.handle)
        elif isinstance(extra, Capture):
            place = self.constant(extra.array)
        else:
            place = self._program.fetched(extra.fetch)
        self._program.array(place, extra.type.dtype, extra.type.shape, flags)
        return place

    def place(self, handle: Handle) -> int:
        """Where the value of a handle is found."""
        return self._memo(handle.key, lambda: self._look_up(handle))

    def _memo(self, key: Any, make: Callable[[], int]) -> int:
        if key not in self._places:
            self._places[key] = make()
        return self._places[key]

    def _look_up(self, handle: Handle) -> int:
        program = self._program
        if isinstance(handle, Owner):
            if isinstance(handle.reference, weakref.ref):
                return program.owner(handle.reference)
            return program.constant(handle.get())
        if isinstance(handle, Fixed):
            return program.constant(handle.value)
        if isinstance(handle, Cell):
            return program.cell(handle.cell)
        if isinstance(handle, Global) and type(handle.namespace) is dict:
            return program.bound_name(handle.namespace, handle.variable)
        if isinstance(handle, Item) and _is_index(handle.index):
            return program.item(self.place(handle.parent), handle.index)
        if isinstance(handle, Member):
            return program.attribute(self.place(handle.parent), handle.attribute)
        return program.fetched(handle.get)

    def _is_known(self, handle: Handle) -> bool:
        """Whether native code finds the value of a handle without Python, and there is one."""
        while isinstance(handle, (Item, Member)):
            if handle.get() is UNBOUND or (isinstance(handle, Item) and not _is_index(handle.index)):
                return False
            handle = handle.parent
        return isinstance(handle, (Owner, Fixed, Cell)) or (
            isinstance(handle, Global) and type(handle.namespace) is dict
        )

    def _add(self, guard: Capture | Guard) -> bool:
        """Let native code check a guard; False if it cannot."""
        if isinstance(guard, Names):
            return self._add_names(guard)
        if isinstance(guard, (Plain, Identity, Kind)):
            return self._is_known(guard._handle) and self._add_value(guard)
        if isinstance(guard, Same):
            if not self._is_known(guard._one) or not self._is_known(guard._other):
                return False
            self._program.same(self.place(guard._one), self.place(guard._other))
            return True
        if isinstance(guard, Capture):
            return self._add_array(guard.array, guard.shape, guard.dtype, guard.content)
        if isinstance(guard, Content):
            return self._add_array(guard._array, guard._shape, guard._array.dtype, guard._bytes)
        if isinstance(guard, Deep):
            return self._add_deep(guard)
        return False

    def _add_names(self, guard: Names) -> bool:
        namespace = guard._get.__self__  # type: ignore[attr-defined]
        if type(namespace) is not dict:
            return False
        self._program.names(namespace, guard._entries, guard.holds)
        return True

    def _add_value(self, guard: Plain | Identity | Kind) -> bool:
        program = self._program
        if isinstance(guard, Kind):
            program.kind(self.place(guard._handle), guard._kind)
        elif isinstance(guard, Identity):
            place = self.place(guard._handle)
            if isinstance(guard._reference, weakref.ref):
                program.refers(place, guard._reference)
            else:
                program.is_object(place, guard._reference())
        elif type(guard._value) in _BY_COMPARISON:
            program.equal(self.place(guard._handle), guard._value)
        elif type(guard._value) in (float, complex):
            program.number(self.place(guard._handle), guard._value)
        elif is_fixed(guard._value) and not isinstance(guard._value, np.generic):
            program.is_object(self.place(guard._handle), guard._value)
        else:
            return False
        return True

    def _add_deep(self, guard: Deep) -> bool:
        value = guard._handle.get()
        if not self._is_known(guard._handle) or not _is_comparable(value, guard._skip, (), [MOST_COMPARED]):
            return False
        self._add_entries(value, self.place(guard._handle), guard._skip, ())
        return True

    def _add_entries(
        self, value: Any, place: int, skip: frozenset[tuple[Any, ...]], path: tuple[Any, ...]
    ) -> None:
        """Compare what a container holds, all the way down."""
        program = self._program
        if path in skip:
            return
        if type(value) is dict:
            places = program.dict_items(place, tuple(value))
            items: Iterable[tuple[Any, Any]] = value.items()
        elif type(value) in (list, tuple):
            is_list = type(value) is list
            places = (
                program.list_items(place, len(value))
                if is_list
                else program.tuple_items(place, tuple, len(value))
            )
            items = enumerate(value)
        else:
            self._add_entry(value, place)
            return
        for (key, entry), where in zip(items, places, strict=True):
            self._add_entries(entry, where, skip, (*path, key))

    def _add_entry(self, value: Any, place: int) -> None:
        program, kind = self._program, type(value)
        key = None if isinstance(value, np.ndarray) else static_key(value)
        if kind in _BY_COMPARISON:
            program.equal(place, value)
        elif kind in (float, complex):
            program.number(place, value)
        elif isinstance(key, IdentityKey) and isinstance(key.reference, weakref.ref):
            program.refers(place, key.reference)
        else:
            program.is_object(place, value)

    def _add_array(
        self, array: np.ndarray[Any, Any], shape: tuple[int, ...], dtype: np.dtype[Any], content: bytes | None
    ) -> bool:
        if content is not None and not _is_contiguous(array):
            return False
        place = self.constant(array)
        self._program.array(place, dtype, shape, Array.ANY_LAYOUT if content is None else READY)
        if content:
            self._program.content(place, content)
        return True


def _is_contiguous(array: np.ndarray[Any, Any]) -> bool:
    flags = array.flags
    return bool(flags.c_contiguous and flags.aligned and array.dtype.isnative) and type(array) is np.ndarray


def _is_index(index: Any) -> bool:
    """Whether native code can look an entry up."""
    return type(index) is str or (type(index) is int and index >= 0)


def _is_comparable(
    value: Any, skip: frozenset[tuple[Any, ...]], path: tuple[Any, ...], left: list[int]
) -> bool:
    """Whether native code compares what is in a container as `Deep` does; `left` is how many more entries it may."""
    if path in skip:
        return True
    if not isinstance(value, (list, tuple, dict, set, frozenset)):
        return len(path) > 0 and not isinstance(value, (np.generic, slice))
    if type(value) not in (list, tuple, dict) or len(path) >= MAX_DEPTH or len(value) > left[0]:
        return False
    left[0] -= len(value)
    if isinstance(value, dict) and not all(type(key) in _BY_COMPARISON for key in value):
        return False
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return all(_is_comparable(entry, skip, (*path, key), left) for key, entry in items)


__all__ = ["Guards"]
