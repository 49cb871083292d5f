"""What compiled code takes for granted about Python's state, and checks before each call: names, attributes, lists.

Plain values are compared by value, arrays, functions and other objects by identity (held weakly), lists, tuples, dicts
and sets by what is in them.
"""

from __future__ import annotations

import contextlib
import types
import weakref
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...dialect.shown_values import shown_value
from ..reach.links import Link
from ..signature.signature import IdentityKey, static_key
from .captures import Capture
from .contents import differences, fingerprint, is_content, is_equal, is_plain, path_in_words, plain_text
from .handles import Handle, Item, Linked, Member
from .unbound import UNBOUND

_CONTAINERS = (list, tuple, dict, set, frozenset)

Skip: TypeAlias = "frozenset[tuple[Any, ...]] | None"
"""The paths in a container that no guard compares; None where nothing but the type of a value matters."""


class Guard:
    """What was found in a place, or in two, which must not change: an instance is data, and each class one kind."""

    skip: Skip = frozenset()
    """What of values it leaves out."""

    def __init__(self, handle: Handle) -> None:
        self.handle = handle

    @property
    def handles(self) -> tuple[Handle, ...]:
        """The places whose values it compares."""
        return (self.handle,)

    def holds(self) -> bool:
        """Whether it is still what it was."""
        raise NotImplementedError

    def changed(self) -> str:
        """What changed, in words."""
        return f"{self.handle.name} changed"

    def is_gone(self) -> bool:
        """Whether it can never hold again, as an object that the trace itself made does not live on."""
        return any(handle.is_gone() for handle in self.handles)

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        """What is to be read at each call, if changes of it shall not compile again: a handle, and a path from it."""
        return self.handle, ()


class Compared(Guard):
    """A place whose value is compared with what was there; in another process, with what is there."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _guard_now, (self.handle, self.skip)


class Plain(Compared):
    """A place with a value that is compared by type and value."""

    def __init__(self, handle: Handle, value: Any) -> None:
        self.handle, self.value = handle, value

    def holds(self) -> bool:
        value = self.handle.get()
        return value is self.value or is_equal(value, self.value)

    def changed(self) -> str:
        return f"{self.handle.name} changed from {described(self.value)} to {described(self.handle.get())}"


class Identity(Compared):
    """A place with an object that is compared by identity, and not kept alive."""

    def __init__(self, handle: Handle, value: Any) -> None:
        super().__init__(handle)
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
        return f"{self.handle.name} {f'is another {self.kind.__name__}' if is_same_kind else 'changed'}"


class Deep(Compared):
    """A place with a container, whose entries are compared; places that are read at each call are left out."""

    skip: frozenset[tuple[Any, ...]]

    def __init__(self, handle: Handle, value: Any, skip: frozenset[tuple[Any, ...]]) -> None:
        self.handle, self.skip = handle, skip
        self.note(value)

    def note(self, value: Any) -> None:
        """Compare with what is in a container now."""
        self._fingerprint = fingerprint(value, self.skip)
        self._text = plain_text(value) if not self.skip and is_plain(value) else b""

    def _now(self) -> Any:
        return fingerprint(self.handle.get(), self.skip)

    def holds(self) -> bool:
        if self._text and plain_text(self.handle.get()) == self._text:
            return True
        return bool(self._now() == self._fingerprint)

    def _path(self) -> tuple[Any, ...]:
        return next(differences(self._fingerprint, self._now()), ())

    def changed(self) -> str:
        return f"{self.handle.name}{path_in_words(self._path())} changed"

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        return self.handle, self._path()


class Content(Guard):
    """An array whose elements must not change."""

    def __init__(self, handle: Handle, array: np.ndarray[Any, Any]) -> None:
        super().__init__(handle)
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

    skip = None

    def __init__(self, handle: Handle, kind: type) -> None:
        self.handle, self.kind = handle, kind

    def holds(self) -> bool:
        return type(self.handle.get()) is self.kind

    def changed(self) -> str:
        return f"{self.handle.name} is no {self.kind.__name__} any more"


class Same(Guard):
    """Two places that hold one object, or two."""

    def __init__(self, one: Handle, other: Handle, is_same: bool = True) -> None:
        self.handle, self.other, self.is_same = one, other, is_same

    @property
    def handles(self) -> tuple[Handle, ...]:
        return self.handle, self.other

    def holds(self) -> bool:
        return (self.handle.get() is self.other.get()) is self.is_same

    def changed(self) -> str:
        how = "no longer the same" if self.is_same else "the same now"
        return f"{self.handle.name} and {self.other.name} are {how}"

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        return None


class Method(Compared):
    """An attribute that is a method of a function, which is held weakly."""

    handle: Member
    skip = None  # what it is is part of the class

    def __init__(self, handle: Member, method: types.MethodType) -> None:
        super().__init__(handle)
        self.reference = reference_to(method.__func__)

    def __reduce__(self) -> tuple[Any, ...]:
        return _method_now, (self.handle,)

    def holds(self) -> bool:
        method = self.handle.get()
        return type(method) is types.MethodType and method.__func__ is self.reference()

    def is_gone(self) -> bool:
        return self.reference() is None

    def changed(self) -> str:
        return f"the method {self.handle.name} is another function"


def _method_now(handle: Member) -> Method:
    return Method(handle, handle.get())


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
    return None if handle.place is None else (handle.place, handle.get())


def described(value: Any) -> str:
    """A value in an explanation."""
    if is_fixed(value) or isinstance(value, _CONTAINERS):
        return shown_value(value)
    return f"a {type(value).__name__}"
