"""What a compiled function found outside of its arguments, in the terms of native code."""

from __future__ import annotations

import ctypes
import gc
import types
import weakref
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ...backend.cpu.dispatch.descriptors import READY, Program
from ...backend.cpu.native_python.layout import WORD, Array
from ..guards.captures import Capture
from ..guards.generic import Code
from ..guards.guards import Content, Deep, Guard, Identity, Kind, Method, Plain, Same
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
        """Let the program check guards, and ask Python where native code cannot."""
        names: dict[int, list[tuple[Global, Any]]] = {}
        others = []
        for guard in guards:
            handle = _name_of(guard)
            if handle is None:
                others.append(guard)
            else:
                names.setdefault(id(handle.namespace), []).append((handle, guard))
        for found in names.values():
            entries = [(handle.variable, guard.value) for handle, guard in found]
            hold = partial(_all_hold, [guard for _, guard in found])
            self._program.names(found[0][0].namespace, entries, hold)
        for guard in others:
            tell = _TELLING.get(type(guard))
            if tell is None or not tell(self, guard):
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

    # Each tells native code of one kind of guard; False where it cannot be told

    def tell_array(self, guard: Capture | Content) -> bool:
        """Compare the type of an array, and its elements where they were compiled in."""
        array, content = guard.array, guard.content
        if content is not None and not _is_contiguous(array):
            return False
        dtype = guard.dtype if isinstance(guard, Capture) else array.dtype
        place = self.constant(array)
        self._program.array(place, dtype, guard.shape, Array.ANY_LAYOUT if content is None else READY)
        if content:
            self._program.content(place, content)
        return True

    def tell_code(self, guard: Code) -> bool:
        """Compare the code of a function."""
        place = self.place(guard.handle)
        for name, value in (("__code__", guard.code), ("__defaults__", guard.defaults)):
            if value is not None and value is not UNBOUND:
                self._program.field(place, types.FunctionType, _offset_in_functions(name), value)
        return True

    def tell_method(self, guard: Method) -> bool:
        """Compare the function of a method, which is made anew whenever it is asked for."""
        function, owner = guard.reference(), guard.handle.parent
        if function is None or not self._is_known(owner):
            return False
        self._program.method(self.place(owner), guard.handle.attribute, function)
        return True

    def tell_container(self, guard: Deep) -> bool:
        """Compare what a container holds, all the way down."""
        if not self._is_known(guard.handle):
            return False
        try:
            add_container(self._program, self.place(guard.handle), guard.handle.get(), guard.skip)
        except NotPictured:
            return False
        return True

    def tell_same(self, guard: Same) -> bool:
        """Compare two places; whether they hold two objects is asked Python."""
        if not guard.is_same or not all(map(self._is_known, guard.handles)):
            return False
        self._program.same(*map(self.place, guard.handles))
        return True

    def tell_kind(self, guard: Kind) -> bool:
        """Compare a type."""
        if not self._is_known(guard.handle):
            return False
        self._program.kind(self.place(guard.handle), guard.kind)
        return True

    def tell_object(self, guard: Identity) -> bool:
        """Compare an object by identity, and by its class, which may be set."""
        if not self._is_known(guard.handle):
            return False
        _compare_object(self._program, self.place(guard.handle), guard.reference, guard.kind)
        return True

    def tell_value(self, guard: Plain) -> bool:
        """Compare a value, or let an object have no attribute of a name."""
        handle, value = guard.handle, guard.value
        if value is UNBOUND and isinstance(handle, Member) and self._is_known(handle.parent):
            owner = handle.parent.get()
            # Classes and modules look for attributes in other ways.
            is_plain = owner is not UNBOUND and not isinstance(owner, (type, types.ModuleType))
            if is_plain and is_native(owner, handle.attribute):
                self._program.absent(self.place(handle.parent), handle.attribute)
                return True
        if isinstance(value, np.generic) or not self._is_known(handle):
            return False
        compare(self._program, self.place(handle), value)
        return True


_TELLING: dict[type, Callable[[Guards, Any], bool]] = {
    Capture: Guards.tell_array,
    Content: Guards.tell_array,
    Code: Guards.tell_code,
    Method: Guards.tell_method,
    Deep: Guards.tell_container,
    Same: Guards.tell_same,
    Kind: Guards.tell_kind,
    Identity: Guards.tell_object,
    Plain: Guards.tell_value,
}
"""What tells native code of each kind of guard; Python is asked for others."""


def _name_of(guard: Any) -> Global | None:
    """The name of a module, if a guard compares what that is bound to."""
    handle = guard.handle if isinstance(guard, Plain) else None
    return handle if isinstance(handle, Global) and type(handle.namespace) is dict else None


def _all_hold(guards: Sequence[Guard]) -> bool:
    return all(guard.holds() for guard in guards)


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
            _compare_object(program, place, key.reference, kind)
        else:
            program.holds(place, lambda now: static_key(now) == key)


def _compare_object(program: Program, place: int, reference: Callable[[], Any], kind: type) -> None:
    """Compare what is in a place with an object, and its class, which may be set."""
    if isinstance(reference, weakref.ref):
        program.refers(place, reference)
    else:
        program.is_object(place, reference())
    if is_users_module(kind.__module__):
        program.kind(place, kind)


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
