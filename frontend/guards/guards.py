"""What compiled code takes for granted about Python's state, and checks before each call: names, attributes, lists.

Plain values are compared by value, arrays, functions and other objects by identity (held weakly), lists, tuples, dicts
and sets by what is in them.
"""

from __future__ import annotations

import contextlib
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialect.shown_values import shown_value
from ..reach.links import Link
from ..signature.signature import IdentityKey, static_key
from .captures import Capture
from .contents import differences, fingerprint, is_as_kept, is_content, is_equal, kept, path_in_words
from .handles import ArrayPart, Cell, ClassEntry, ContextVariable, Global, Handle, Item, Linked, Member
from .unbound import UNBOUND

_CONTAINERS = (list, tuple, dict, set, frozenset)

Skip: TypeAlias = "frozenset[tuple[Any, ...]] | None"
"""The paths in a container that no guard compares; None where nothing but the type of a value matters."""


class Guard:
    """Something that must not change."""

    name: str

    def looks_at(self) -> Sequence[tuple[Handle, Skip]]:
        """The handles whose values it compares, and what of them it leaves out."""
        return ()

    def holds(self) -> bool:
        """Whether it is still what it was."""
        raise NotImplementedError

    def changed(self) -> str:
        """What changed, in words."""
        raise NotImplementedError

    def is_gone(self) -> bool:
        """Whether it can never hold again, as an object that the trace itself made does not live on."""
        return False

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        """What is to be read at each call, if changes of it shall not compile again: a handle, and a path from it."""
        return None


class Names(Guard):
    """Names of one module that are bound to plain values, modules, classes and the like, or to nothing."""

    __slots__ = ("_get", "_handles", "entries", "namespace")

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self._get = namespace.get
        self.entries: list[tuple[str, Any]] = []
        self._handles: list[Handle] = []

    def add(self, handle: Handle, name: str, value: Any) -> None:
        """Watch a name."""
        self.entries.append((name, value))
        self._handles.append(handle)

    def __reduce__(self) -> tuple[Any, ...]:
        return _names_now, (self._handles,)

    def looks_at(self) -> Sequence[tuple[Handle, Skip]]:
        return [(handle, frozenset()) for handle in self._handles]

    def holds(self) -> bool:
        get = self._get
        for name, value in self.entries:
            if get(name, UNBOUND) is not value and not is_equal(get(name, UNBOUND), value):
                return False
        return True

    def _changed(self) -> tuple[Handle, Any]:
        for handle, (name, value) in zip(self._handles, self.entries, strict=True):
            if not is_equal(self._get(name, UNBOUND), value):
                return handle, value
        return self._handles[0], self.entries[0][1]

    def changed(self) -> str:
        handle, old = self._changed()
        return f"{handle.name} changed from {described(old)} to {described(handle.get())}"

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        return self._changed()[0], ()


class Compared(Guard):
    """A place whose value is compared with what was there."""

    __slots__ = ("handle",)
    handle: Handle

    def __reduce__(self) -> tuple[Any, ...]:
        return _guard_now, self.looks_at()[0]

    def is_gone(self) -> bool:
        return self.handle.is_gone()

    def looks_at(self) -> Sequence[tuple[Handle, Skip]]:
        return [(self.handle, frozenset())]

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        return self.handle, ()


class Plain(Compared):
    """A place with a value that is compared by type and value."""

    __slots__ = ("value",)

    def __init__(self, handle: Handle, value: Any) -> None:
        self.handle = handle
        self.value = value

    def holds(self) -> bool:
        value = self.handle.get()
        return value is self.value or is_equal(value, self.value)

    def changed(self) -> str:
        return f"{self.handle.name} changed from {described(self.value)} to {described(self.handle.get())}"


class Identity(Compared):
    """A place with an object that is compared by identity, and not kept alive."""

    __slots__ = ("kind", "reference")

    def __init__(self, handle: Handle, value: Any) -> None:
        self.handle = handle
        self.kind = type(value)
        """Its class, which may become another one."""
        self.reference = reference_to(value)

    def holds(self) -> bool:
        value = self.reference()
        return value is not None and value is self.handle.get() and type(value) is self.kind

    def is_gone(self) -> bool:
        return self.reference() is None or self.handle.is_gone()

    def changed(self) -> str:
        is_same_kind = type(self.handle.get()).__name__ == self.kind.__name__
        return (
            f"{self.handle.name} is another {self.kind.__name__}"
            if is_same_kind
            else f"{self.handle.name} changed"
        )


class Deep(Compared):
    """A place with a container, whose entries are compared; places that are read at each call are left out."""

    __slots__ = ("_fingerprint", "_kept", "skip")

    def __init__(self, handle: Handle, value: Any, skip: frozenset[tuple[Any, ...]]) -> None:
        self.handle = handle
        self.skip = skip
        self.note(value)

    def note(self, value: Any) -> None:
        """Compare with what is in a container now."""
        self._fingerprint = fingerprint(value, self.skip)
        self._kept = None if self.skip else kept(value)

    def looks_at(self) -> Sequence[tuple[Handle, Skip]]:
        return [(self.handle, self.skip)]

    def _now(self) -> Any:
        return fingerprint(self.handle.get(), self.skip)

    def holds(self) -> bool:
        if self._kept is not None and is_as_kept(self.handle.get(), self._kept):
            return True
        return bool(self._now() == self._fingerprint)

    def _path(self) -> tuple[Any, ...]:
        return next(differences(self._fingerprint, self._now()), ())

    def changed(self) -> str:
        return f"{self.handle.name}{path_in_words(self._path())} changed"

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        return self.handle, self._path()


class Content(Compared):
    """An array whose elements must not change."""

    __slots__ = ("array", "content", "shape")

    def __init__(self, handle: Handle, array: np.ndarray[Any, Any]) -> None:
        self.handle = handle
        self.array = array
        self.shape = array.shape
        self.content = array.tobytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return Content, (self.handle, self.array)

    def holds(self) -> bool:
        return self.array.shape == self.shape and self.array.tobytes() == self.content

    def changed(self) -> str:
        return f"the elements of {self.handle.name} changed"


class Kind(Guard):
    """A place whose value is of a type."""

    __slots__ = ("handle", "kind")

    def __init__(self, handle: Handle, kind: type) -> None:
        self.handle = handle
        self.kind = kind

    def looks_at(self) -> Sequence[tuple[Handle, Skip]]:
        return [(self.handle, None)]

    def holds(self) -> bool:
        return type(self.handle.get()) is self.kind

    def changed(self) -> str:
        return f"{self.handle.name} is no {self.kind.__name__} any more"


class Same(Guard):
    """Two places that hold one object."""

    __slots__ = ("one", "other")

    def __init__(self, one: Handle, other: Handle) -> None:
        self.one = one
        self.other = other

    def looks_at(self) -> Sequence[tuple[Handle, Skip]]:
        return [(self.one, frozenset()), (self.other, frozenset())]

    def holds(self) -> bool:
        return self.one.get() is self.other.get()

    def changed(self) -> str:
        return f"{self.one.name} and {self.other.name} are no longer the same"


class Different(Guard):
    """Two places that hold two objects."""

    __slots__ = ("one", "other")

    def __init__(self, one: Handle, other: Handle) -> None:
        self.one = one
        self.other = other

    def looks_at(self) -> Sequence[tuple[Handle, Skip]]:
        return [(self.one, None), (self.other, None)]

    def holds(self) -> bool:
        return self.one.get() is not self.other.get()

    def changed(self) -> str:
        return f"{self.one.name} and {self.other.name} are the same now"


def reference_to(value: Any) -> Callable[[], Any]:
    """A weak reference, if there can be one; a strong one to an array, which NumPy could not resize otherwise."""
    if not isinstance(value, np.ndarray):
        with contextlib.suppress(TypeError):
            return weakref.ref(value)
    return lambda: value


def guard_of(handle: Handle, value: Any, skip: frozenset[tuple[Any, ...]] = frozenset()) -> Guard:
    """What compares a place with a value that was read from it."""
    if is_content(value):
        return Deep(handle, value, skip)
    return Plain(handle, value) if is_fixed(value) else Identity(handle, value)


def _guard_now(handle: Handle, skip: frozenset[tuple[Any, ...]]) -> Guard:
    """The guard of another process, for what is in its place in this one."""
    return guard_of(handle, handle.get(), skip)


def _names_now(handles: Sequence[Global]) -> Names:
    made = Names(handles[0].namespace)
    for handle in handles:
        made.add(handle, handle.variable, handle.get())
    return made


def is_fixed(value: Any) -> bool:
    """Whether a value is plain, or an object that lives as long as its module."""
    if is_content(value):
        return False
    if value is UNBOUND or isinstance(
        value, (types.ModuleType, types.BuiltinFunctionType, np.generic, np.ufunc)
    ):
        return True
    if isinstance(value, types.FunctionType):
        return value.__closure__ is None
    if isinstance(value, type):
        return "<locals>" not in value.__qualname__
    return not isinstance(value, np.ndarray) and not isinstance(static_key(value), IdentityKey)


def place_key(guard: Any) -> tuple[Any, Any] | None:
    """The key of the place that changed under a guard, and its value; None where there is no such place."""
    found = guard.changed_place() if isinstance(guard, (Guard, Capture)) else None
    if found is None:
        return None
    handle, path = found
    for step in path:
        handle = Linked("", handle, step) if isinstance(step, Link) else Item("", handle, step)
    key = handle_key(handle)
    return None if key is None else (key, handle.get())


def handle_key(handle: Handle) -> Any:
    """The key of a place; None where there is none."""
    if isinstance(handle, Cell):
        return (id(handle.cell),)
    if isinstance(handle, Global):
        return (id(handle.namespace), handle.variable)
    if isinstance(handle, Member):
        return (id(handle.parent.get()), "." + handle.attribute)
    if isinstance(handle, ClassEntry):
        return (id(handle.holder), "." + handle.attribute)
    if isinstance(handle, ArrayPart):
        return handle_key(handle.parent)
    if isinstance(handle, (Linked, ContextVariable)):
        return (id(handle.parent.get()), handle.way)
    return entry_key(handle.parent, handle.parent.get(), handle.index) if isinstance(handle, Item) else None


def entry_key(handle: Handle, container: Any, key: Any) -> Any:
    """The key of an entry; that of a tuple, which is a new one whenever an entry changes, is found by its place."""
    return (handle_key(handle) if isinstance(container, tuple) else id(container), key)


def described(value: Any) -> str:
    """A value in an explanation."""
    if is_fixed(value) or isinstance(value, _CONTAINERS):
        return shown_value(value)
    return f"a {type(value).__name__}"
