"""What a compiled function found outside of its arguments, in the terms of native code."""

from __future__ import annotations

import ctypes
import gc
import types
import weakref
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...backend.cpu.dispatch.descriptors import READY, Program
from ...backend.cpu.native_python.layout import WORD, Array
from ..guards.captures import Capture
from ..guards.class_entries import Method
from ..guards.generic import Code
from ..guards.guards import Content, Deep, Different, Guard, Identity, Kind, Names, Plain, Same
from ..guards.handles import Cell, ClassEntry, Fixed, Global, Handle, Item, Member, Owner
from ..guards.inputs import Input
from ..guards.packed_inputs import PackedInput
from ..guards.unbound import UNBOUND
from ..signature.signature import IdentityKey, static_key
from ..source.modules import is_users_module
from ..source.own_attributes import is_native
from .native_containers import NotPictured, add_container
from .plain_values import BY_COMPARISON


class Guards:
    """Adds guards to a program; what several of them look at is looked up once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._places: dict[Any, int] = {}

    def add_all(self, guards: Sequence[Capture | Guard]) -> None:
        """Let the program check guards."""
        for guard in guards:
            if not self._add_absent(guard) and not self._add(guard):
                self._program.ask(guard.holds)

    def constant(self, value: Any) -> int:
        """The place of an object."""
        return self._memo(("constant", id(value)), lambda: self._program.constant(value))

    def input(self, extra: Capture | Input | PackedInput) -> int:
        """The place of what should be an array that is no argument."""
        if isinstance(extra, Capture):
            return self.constant(extra.array)
        if isinstance(extra, Input) and _is_array(extra) and self._is_known(extra.handle):
            return self.place(extra.handle)
        return self._program.fetched(extra.fetch)

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
        if isinstance(handle, ClassEntry):
            return self._look_up_in_class(handle)
        if isinstance(handle, Global) and type(handle.namespace) is dict:
            return program.bound_name(handle.namespace, handle.variable)
        if isinstance(handle, Item) and is_index(handle.index):
            return program.item(self.place(handle.parent), handle.index)
        if isinstance(handle, Member):
            return program.attribute(self.place(handle.parent), handle.attribute)
        return program.fetched(handle.get)

    def _look_up_in_class(self, handle: ClassEntry) -> int:
        """What the first class defines that defines anything under a name."""
        program, name = self._program, handle.attribute
        for base in handle.kind.__mro__:
            (names,) = gc.get_referents(vars(base))
            place = program.bound_name(names, name)
            if name in names:
                break
            program.is_object(place, UNBOUND)
        return place

    def _is_known(self, handle: Handle) -> bool:
        """Whether native code finds the value of a handle without Python, and there is one."""
        while isinstance(handle, (Item, Member)):
            if handle.get() is UNBOUND or (isinstance(handle, Item) and not is_index(handle.index)):
                return False
            place, handle = handle, handle.parent
            if isinstance(place, Member) and not is_native(handle.get(), place.attribute):
                return False
        if isinstance(handle, ClassEntry):
            return handle.get() is not UNBOUND
        return isinstance(handle, (Owner, Fixed, Cell)) or (
            isinstance(handle, Global) and type(handle.namespace) is dict
        )

    def _add(self, guard: Capture | Guard) -> bool:
        """Let native code check a guard; False if it cannot."""
        program = self._program
        if isinstance(guard, Names):
            if type(guard.namespace) is dict:
                program.names(guard.namespace, guard.entries, guard.holds)
            return type(guard.namespace) is dict
        if isinstance(guard, Capture):
            return self._add_array(guard.array, guard.shape, guard.dtype, guard.content)
        if isinstance(guard, Content):
            return self._add_array(guard.array, guard.shape, guard.array.dtype, guard.content)
        if isinstance(guard, (Code, Method, Different)):
            return self._add_function(guard)
        is_known = all(self._is_known(handle) for handle, _ in guard.looks_at()) and guard.looks_at()
        if not is_known or (isinstance(guard, Plain) and isinstance(guard.value, np.generic)):
            return False
        if isinstance(guard, Deep):
            return self._add_container(guard)
        first, *others = (self.place(handle) for handle, _ in guard.looks_at())
        if isinstance(guard, Same):
            program.same(first, others[0])
        elif isinstance(guard, Kind):
            program.kind(first, guard.kind)
        elif isinstance(guard, Identity):
            self._add_object(first, guard)
        elif isinstance(guard, Plain):
            compare(program, first, guard.value)
        return True

    def _add_absent(self, guard: Capture | Guard) -> bool:
        """Let an object have no attribute of a name, if that is what a guard says."""
        if not isinstance(guard, Plain) or guard.value is not UNBOUND:
            return False
        handle = guard.handle
        if not isinstance(handle, Member) or not self._is_known(handle.parent):
            return False
        owner = handle.parent.get()
        if owner is UNBOUND or isinstance(owner, (type, types.ModuleType)):
            return False  # which look for attributes in other ways
        if not is_native(owner, handle.attribute):
            return False
        self._program.absent(self.place(handle.parent), handle.attribute)
        return True

    def _add_object(self, place: int, guard: Identity) -> None:
        """Compare an object by identity, and by its class, which may be set."""
        _refer(self._program, place, guard.reference)
        if is_users_module(guard.kind.__module__):
            self._program.kind(place, guard.kind)

    def _add_function(self, guard: Guard) -> bool:
        """Compare the code of a function, or a method; whether two objects are different is asked Python."""
        if isinstance(guard, Code):
            place = self.place(guard.handle)
            for name, value in (("__code__", guard.code), ("__defaults__", guard.defaults)):
                if value is not None and value is not UNBOUND:
                    self._program.field(place, types.FunctionType, _offset_in_functions(name), value)
            return True
        function = guard.reference() if isinstance(guard, Method) else None
        if not isinstance(guard, Method) or function is None or not self._is_known(guard.handle.parent):
            return False
        self._program.method(self.place(guard.handle.parent), guard.handle.attribute, function)
        return True

    def _add_container(self, guard: Deep) -> bool:
        """Compare what a container holds, all the way down."""
        try:
            add_container(self._program, self.place(guard.handle), guard.handle.get(), guard.skip)
        except NotPictured:
            return False
        return True

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


def compare(program: Program, place: int, value: Any) -> None:
    """Compare what is in a place with a value, as `static_key` does; arrays by identity."""
    kind = type(value)
    if kind in BY_COMPARISON:
        program.equal(place, value)
    elif kind in (float, complex):
        program.number(place, value)
    elif isinstance(value, (bool, type(None), np.dtype, np.ndarray)):
        program.is_object(place, value)
    else:
        key = static_key(value)
        if isinstance(key, IdentityKey):
            _refer(program, place, key.reference)
        else:
            program.holds(place, lambda now: static_key(now) == key)


def _refer(program: Program, place: int, reference: Callable[[], Any]) -> None:
    if isinstance(reference, weakref.ref):
        program.refers(place, reference)
    else:
        program.is_object(place, reference())


@cache
def _offset_in_functions(name: str) -> int:
    """Where functions of this Python refer to their code, or to their defaults."""

    def example(value: int = 1) -> int:
        return value

    size, wanted = types.FunctionType.__basicsize__, id(getattr(example, name))
    words = (ctypes.c_size_t * (size // WORD)).from_address(id(example))
    return next(WORD * number for number, word in enumerate(words) if word == wanted)


def _is_array(extra: Input) -> bool:
    """Whether an input is an array that native code knows."""
    return extra.kind is np.ndarray or extra.device is not None


def _is_contiguous(array: np.ndarray[Any, Any]) -> bool:
    flags = array.flags
    return bool(flags.c_contiguous and flags.aligned and array.dtype.isnative) and type(array) is np.ndarray


def is_index(index: Any) -> bool:
    """Whether native code can look an entry up."""
    return type(index) is str or (type(index) is int and index >= 0)
