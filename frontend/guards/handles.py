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

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name
        """The user's words for it."""

    @property
    def key(self) -> Any:
        """Equal for handles of the same way to a value."""
        return id(self)

    def get(self, bound: Bound = None) -> Any:
        """The value; `UNBOUND` where there is none."""
        raise NotImplementedError

    def is_gone(self) -> bool:
        """Whether there will never be a value again, as the object that it was found in is no more."""
        parent: Handle | None = getattr(self, "parent", None)
        return parent is not None and parent.is_gone()

    def set(self, value: Any, bound: Bound = None) -> None:
        """Store a value; `UNBOUND` removes it."""
        raise NotImplementedError


class Arguments(Handle):
    """The arguments of the call."""

    __slots__ = ()

    def get(self, bound: Bound = None) -> Any:
        return bound


class Owner(Handle):
    """An object."""

    __slots__ = ("reference",)

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

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        super().__init__("an array from outside")
        self.value = value

    def get(self, bound: Bound = None) -> Any:
        return self.value


class Cell(Handle):
    """A variable of a function around."""

    __slots__ = ("_functions", "cell")

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

    __slots__ = ("namespace", "variable")

    def __init__(self, namespace: dict[str, Any], variable: str, name: str = "") -> None:
        super().__init__(name or f"global {variable}")
        self.namespace = namespace
        self.variable = variable

    @property
    def key(self) -> Any:
        return ("global", id(self.namespace), self.variable)

    def get(self, bound: Bound = None) -> Any:
        return self.namespace.get(self.variable, UNBOUND)

    def set(self, value: Any, bound: Bound = None) -> None:
        if value is UNBOUND:
            self.namespace.pop(self.variable, None)
        else:
            self.namespace[self.variable] = value


class Item(Handle):
    """An entry of a list, tuple or dict."""

    __slots__ = ("index", "parent")

    def __init__(self, name: str, parent: Handle, index: Any) -> None:
        super().__init__(name)
        self.parent = parent
        self.index = index

    @property
    def key(self) -> Any:
        return ("item", self.parent.key, type(self.index), self.index)

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


class Member(Handle):
    """An attribute of an object, as the object itself stores it."""

    __slots__ = ("attribute", "parent")

    def __init__(self, name: str, parent: Handle, attribute: str) -> None:
        super().__init__(name)
        self.parent = parent
        self.attribute = attribute

    @property
    def key(self) -> Any:
        return ("member", self.parent.key, self.attribute)

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


class ClassEntry(Handle):
    """What a class or its bases define under a name: functions, not methods."""

    __slots__ = ("attribute", "kind")

    def __init__(self, kind: type, attribute: str) -> None:
        super().__init__(f"{kind.__name__}.{attribute}")
        self.kind = kind
        self.attribute = attribute

    def __reduce__(self) -> tuple[Any, ...]:
        return ClassEntry, (self.kind, self.attribute)

    @property
    def key(self) -> Any:
        return ("class", id(self.kind), self.attribute)

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


class Linked(Handle):
    """What an object leads to in another way: the list whose method it is, a default of a function."""

    __slots__ = ("link", "parent")

    def __init__(self, name: str, parent: Handle, link: Link) -> None:
        super().__init__(name)
        self.parent = parent
        self.link = link

    @property
    def way(self) -> str:
        """How the object leads to it."""
        return self.link.name

    @property
    def key(self) -> Any:
        return ("linked", self.parent.key, self.link.name)

    def get(self, bound: Bound = None) -> Any:
        owner = self.parent.get(bound)
        if owner is UNBOUND:
            return UNBOUND
        try:
            return self.link.get(owner)
        except (AttributeError, LookupError, TypeError):
            return UNBOUND


class ContextVariable(Handle):
    """The value of a variable of the context."""

    __slots__ = ("parent",)

    def __init__(self, name: str, parent: Handle) -> None:
        super().__init__(name)
        self.parent = parent

    way = "value"
    """As of the place, in keys."""

    @property
    def key(self) -> Any:
        return ("context", self.parent.key)

    def get(self, bound: Bound = None) -> Any:
        variable = self.parent.get(bound)
        try:
            return variable.get() if isinstance(variable, contextvars.ContextVar) else UNBOUND
        except LookupError:
            return UNBOUND

    def set(self, value: Any, bound: Bound = None) -> None:
        self.parent.get(bound).set(value)


class State(Handle):
    """The state of the random generator that a place holds: an array, if it is one of an algorithm."""

    __slots__ = ("algorithm", "parent")

    def __init__(self, parent: Handle, algorithm: str) -> None:
        super().__init__(parent.name)
        self.parent = parent
        self.algorithm = algorithm

    @property
    def key(self) -> Any:
        return ("state", self.parent.key)

    def get(self, bound: Bound = None) -> Any:
        words = words_with(self.algorithm, self.parent.get(bound))
        return UNBOUND if words is None else words


class ArrayPart(Handle):
    """One of the parts that an array of dates, records or texts has, if a place holds one of a dtype."""

    __slots__ = ("dtype", "number", "parent")

    def __init__(self, parent: Handle, dtype: np.dtype[Any], number: int) -> None:
        super().__init__(parent.name)
        self.parent = parent
        self.dtype = dtype
        self.number = number

    @property
    def key(self) -> Any:
        return ("part", self.parent.key, self.number)

    def get(self, bound: Bound = None) -> Any:
        part = part_with(self.dtype, self.number, self.parent.get(bound))
        return UNBOUND if part is None else part
