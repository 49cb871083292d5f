"""How a place in Python's state is found again at each call: from a cell, a module, an object or the arguments on.

Objects are held weakly, so that a compiled method does not keep its instance alive.
"""

from __future__ import annotations

import contextvars
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ..reach.links import Link
from ..signature.composite_arrays import part_with
from ..signature.generators import words_with
from ..source.own_attributes import delete_own_attribute, own_attribute, set_own_attribute
from .unbound import UNBOUND

Bound: TypeAlias = "tuple[tuple[Any, ...], dict[str, Any]] | None"
"""The positional and keyword arguments of a call, as the caller gave them."""


class _Call(threading.local):
    bound: Bound = None


running = _Call()
"""The call that runs in this thread, for what Python does in the middle of it."""


class Handle:
    """Something that holds a value."""

    def __init__(self, name: str) -> None:
        self.name = name
        """The user's words for it."""

    @property
    def key(self) -> Any:
        """Equal for handles of the same way to a value."""
        return id(self)

    @property
    def place(self) -> Any:
        """The key of the place, however it was found; None where there is none."""
        return None

    def get(self, bound: Bound = None) -> Any:
        """The value; `UNBOUND` where there is none."""
        raise NotImplementedError

    def is_gone(self) -> bool:
        """Whether there will never be a value again, as the object that it was found in is no more."""
        return False

    def set(self, value: Any, bound: Bound = None) -> None:
        """Store a value; `UNBOUND` removes it."""
        raise NotImplementedError


class Arguments(Handle):
    """The arguments of the call."""

    def get(self, bound: Bound = None) -> Any:
        return bound


class Owner(Handle):
    """An object."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(name)
        self.reference: Callable[[], Any]
        try:
            self.reference = weakref.ref(value)
        except TypeError:
            self.reference = lambda: value

    def __reduce__(self) -> tuple[Any, ...]:
        return Owner, (self.name, self.get())

    @property
    def key(self) -> Any:
        return ("owner", id(self.get()))

    def get(self, bound: Bound = None) -> Any:
        found = self.reference()
        return UNBOUND if found is None else found

    def is_gone(self) -> bool:
        return self.reference() is None


class Fixed(Handle):
    """An array that the trace met under no name that can be looked up."""

    def __init__(self, value: Any) -> None:
        super().__init__("an array from outside")
        self.value = value

    def get(self, bound: Bound = None) -> Any:
        return self.value


class Cell(Handle):
    """A variable of a function around."""

    def __init__(self, name: str, cell: types.CellType) -> None:
        super().__init__(name)
        self.cell = cell
        self._functions: list[weakref.ref[Any]] = []
        """The functions that have the variable, as far as a trace has met them."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Cell, (self.name, self.cell)

    def belongs_to(self, function: types.FunctionType) -> None:
        """Take note of a function that has the variable."""
        self._functions.append(weakref.ref(function))

    def is_gone(self) -> bool:
        """Whether all functions that have it are no more: a trace has made them."""
        return bool(self._functions) and all(reference() is None for reference in self._functions)

    @property
    def key(self) -> Any:
        return ("cell", id(self.cell))

    @property
    def place(self) -> Any:
        return (id(self.cell),)

    def get(self, bound: Bound = None) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            return UNBOUND

    def set(self, value: Any, bound: Bound = None) -> None:
        if value is UNBOUND:
            del self.cell.cell_contents
        else:
            self.cell.cell_contents = value


class Global(Handle):
    """A global variable."""

    def __init__(self, namespace: dict[str, Any], variable: str, name: str = "") -> None:
        super().__init__(name or f"global {variable}")
        self.namespace = namespace
        self.variable = variable

    @property
    def key(self) -> Any:
        return ("global", *self.place)

    @property
    def place(self) -> Any:
        return (id(self.namespace), self.variable)

    def get(self, bound: Bound = None) -> Any:
        return self.namespace.get(self.variable, UNBOUND)

    def set(self, value: Any, bound: Bound = None) -> None:
        if value is UNBOUND:
            self.namespace.pop(self.variable, None)
        else:
            self.namespace[self.variable] = value


class ClassEntry(Handle):
    """What a class or its bases define under a name: functions, not methods."""

    def __init__(self, kind: type, attribute: str) -> None:
        super().__init__(f"{kind.__name__}.{attribute}")
        self.kind = kind
        self.attribute = attribute

    @property
    def key(self) -> Any:
        return ("class", id(self.kind), self.attribute)

    @property
    def place(self) -> Any:
        return (id(self.holder), "." + self.attribute)

    @property
    def holder(self) -> type | None:
        """The class that has it."""
        return next((base for base in self.kind.__mro__ if self.attribute in vars(base)), None)

    def get(self, bound: Bound = None) -> Any:
        holder = self.holder
        return UNBOUND if holder is None else vars(holder)[self.attribute]

    def set(self, value: Any, bound: Bound = None) -> None:
        if value is UNBOUND:
            delete_own_attribute(self.kind, self.attribute)
        else:
            set_own_attribute(self.kind, self.attribute, value)


class ClassNames(Handle):
    """All that a class itself defines."""

    def __init__(self, kind: type) -> None:
        super().__init__(f"the attributes of {kind.__name__}")
        self.kind = kind

    def get(self, bound: Bound = None) -> Any:
        return dict(vars(self.kind))


class Inside(Handle):
    """What the value of another handle leads to."""

    def __init__(self, name: str, parent: Handle) -> None:
        self.name = name
        self.parent = parent

    @property
    def step(self) -> Any:
        """How it is found there, for keys."""
        return "value"

    @property
    def key(self) -> Any:
        return (type(self).__name__, self.parent.key, self.step)

    @property
    def place(self) -> Any:
        return (id(self.parent.get()), self.step)

    def is_gone(self) -> bool:
        return self.parent.is_gone()

    def get(self, bound: Bound = None) -> Any:
        try:
            return self.of(self.parent.get(bound))
        except (AttributeError, LookupError, TypeError):
            return UNBOUND

    def of(self, owner: Any) -> Any:
        """What is found in something; raises what Python raises where there is nothing."""
        raise NotImplementedError


class Item(Inside):
    """An entry of a list, tuple or dict."""

    def __init__(self, name: str, parent: Handle, index: Any) -> None:
        self.name, self.parent, self.index = name, parent, index

    @property
    def step(self) -> Any:
        return type(self.index), self.index

    @property
    def place(self) -> Any:
        return entry_key(self.parent, self.parent.get(), self.index)

    def get(self, bound: Bound = None) -> Any:
        try:
            return self.parent.get(bound)[self.index]
        except (LookupError, TypeError):
            return UNBOUND

    def set(self, value: Any, bound: Bound = None) -> None:
        container = self.parent.get(bound)
        if value is UNBOUND:
            container.pop(self.index, None)
        else:
            container[self.index] = value


class Member(Inside):
    """An attribute of an object, as the object itself stores it."""

    def __init__(self, name: str, parent: Handle, attribute: str) -> None:
        self.name, self.parent, self.attribute = name, parent, attribute

    @property
    def step(self) -> Any:
        return "." + self.attribute

    def get(self, bound: Bound = None) -> Any:
        try:
            return own_attribute(self.parent.get(bound), self.attribute)
        except AttributeError:
            return UNBOUND

    def set(self, value: Any, bound: Bound = None) -> None:
        owner = self.parent.get(bound)
        if owner is UNBOUND:
            return
        if value is UNBOUND:
            delete_own_attribute(owner, self.attribute)
        else:
            set_own_attribute(owner, self.attribute, value)


class Linked(Inside):
    """What an object leads to in another way: the list whose method it is, a default of a function."""

    def __init__(self, name: str, parent: Handle, link: Link) -> None:
        self.name, self.parent, self.link = name, parent, link

    @property
    def step(self) -> Any:
        return self.link.name

    def of(self, owner: Any) -> Any:
        return UNBOUND if owner is UNBOUND else self.link.get(owner)


class ContextVariable(Inside):
    """The value of a variable of the context."""

    def of(self, owner: Any) -> Any:
        return owner.get() if isinstance(owner, contextvars.ContextVar) else UNBOUND

    def set(self, value: Any, bound: Bound = None) -> None:
        self.parent.get(bound).set(value)


class State(Inside):
    """The state of the random generator that a place holds: an array, if it is one of an algorithm."""

    def __init__(self, parent: Handle, algorithm: str) -> None:
        super().__init__(parent.name, parent)
        self.algorithm = algorithm

    @property
    def place(self) -> Any:
        return None

    def of(self, owner: Any) -> Any:
        words = words_with(self.algorithm, owner)
        return UNBOUND if words is None else words


class ArrayPart(Inside):
    """One of the parts that an array of dates, records or texts has, if a place holds one of a dtype."""

    def __init__(self, parent: Handle, dtype: np.dtype[Any], number: int) -> None:
        super().__init__(parent.name, parent)
        self.dtype, self.number = dtype, number

    @property
    def step(self) -> Any:
        return self.number

    @property
    def place(self) -> Any:
        return self.parent.place

    def of(self, owner: Any) -> Any:
        part = part_with(self.dtype, self.number, owner)
        return UNBOUND if part is None else part


def entry_key(handle: Handle, container: Any, key: Any) -> Any:
    """The key of an entry; that of a tuple, which is a new one whenever an entry changes, is found by its place."""
    return (handle.place if isinstance(container, tuple) else id(container), key)
