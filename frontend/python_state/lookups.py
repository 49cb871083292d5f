"""What a trace looks up by other ways than names and attributes of instances: in modules, classes and namespaces.

What is found there is a constant under a guard; names of modules are as those of functions.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...dialect.errors import ConversionError, UnsupportedError
from ..autograph.convert.converter import why_not_converted
from ..autograph.marks import is_marked
from ..autograph.operators.values.program_locations import Entry
from ..guards.contents import is_content
from ..guards.generated import is_generated
from ..guards.generic import decimal_context, dispatched, is_decimal, subclass
from ..guards.guards import Identity, Method, Plain, Same, guard_of
from ..guards.handles import Arguments, ClassEntry, ClassNames, Global, Handle, Member, Owner
from ..guards.unbound import UNBOUND
from ..source.modules import is_users_module, told
from ..source.own_attributes import own_attributes
from ..tracing.array import TracedArray
from .class_state import ClassState


class Lookups:
    """Guards what a trace finds by looking it up."""

    def __init__(self, state: ClassState) -> None:
        self._state = state
        self._known: set[Any] = set()
        self._namespaces: dict[int, dict[str, Any]] = {}

    def _is_new(self, *key: Any) -> bool:
        if key in self._known:
            return False
        self._known.add(key)
        return True

    def _guard(self, handle: Handle, value: Any) -> None:
        if is_content(value):
            self._state.guard_late(handle, value)
        else:
            self._state.guards.append(guard_of(handle, value))

    def attribute(self, owner: Any, name: str) -> None:
        """Take note that an attribute of an object is about to be read, if it is none that the object itself has."""
        if isinstance(owner, types.ModuleType):
            self._of_module(owner, name)
        elif isinstance(owner, type):
            self._of_class(owner, name)
        elif isinstance(owner, types.FunctionType):
            if name == "__globals__":
                self.note_namespace(owner.__globals__)
        elif name == "__dict__":
            self.whole(owner)
        elif is_users_module(type(owner).__module__):
            self._of_instance(owner, name)

    def _of_module(self, module: types.ModuleType, name: str) -> None:
        names = vars(module)
        if name == "__dict__":
            self.note_namespace(names)
        elif is_users_module(module.__name__) and name in names:
            label = f"{module.__name__}.{name}"
            self._state.meet_name(Entry(label, names, name), Global(names, name, label))

    def _of_class(self, kind: type, name: str) -> None:
        if not is_users_module(kind.__module__) or not self._is_new(id(kind), name):
            return
        if name == "__dict__" and self._state.is_made(kind):
            return
        if name == "__dict__":
            if any(holder is kind for holder, _ in self._state.class_attributes):
                raise UnsupportedError(
                    f"all attributes of the class {kind.__name__} are looked at, of which compiled code changes some: "
                    "name those that are read (getattr(kind, name))"
                )
            self._state.guards.append(guard_of(ClassNames(kind), dict(vars(kind))))
            return
        kinds = [found for found in (kind, type(kind)) if defining_class(found, name) is not None]
        if kinds == [type(kind)]:
            self._state.guards.append(Plain(ClassEntry(kind, name), UNBOUND))
        for found in kinds:
            handle = ClassEntry(found, name)
            if self._state.is_made(handle.holder):
                continue
            if handle.holder is None or not self._state.meet_class(handle.holder, name):
                self._guard(handle, handle.get())

    def _of_instance(self, owner: Any, name: str) -> None:
        attributes = own_attributes(owner)
        kind = type(owner)
        if isinstance(owner, np.ndarray) and name in attributes and self._is_new(id(owner), name):
            self._guard(
                Member(name, Owner("", owner), name), attributes[name]
            )  # of a class that derives from it
            return
        defining = defining_class(kind, name)
        if defining is None or self._state.is_made(defining) or not self._is_new(id(owner), name):
            return
        member = vars(defining)[name]
        if (
            isinstance(member, (property, types.MemberDescriptorType))
            or hasattr(type(member), "__set__")
            or self._state.attributes_before(owner) is None
        ):
            self._of_class(kind, name)
        elif name not in attributes and not self._state.meet_class(defining, name):
            self._read_of_class(Member(name, Owner("", owner), name), member)

    def _read_of_class(self, handle: Member, member: Any) -> None:
        """An attribute that an instance has of its class, as long as it has none of its own."""
        value = handle.get()
        if isinstance(value, types.MethodType):
            self._state.guards.append(Method(handle, value))
        elif not hasattr(type(member), "__get__") or isinstance(member, staticmethod):
            self._guard(handle, value)

    def of_library(self, owner: Any, name: str, value: Any) -> None:
        """Take note of what an object that was there before says of itself: `error.args`, `partial.keywords`."""
        is_own_method = told(value, "__self__") is owner
        if is_users_module(type(owner).__module__) or is_own_method or not self._is_new(id(owner), name):
            return
        handle = Member(name, Owner("", owner), name)
        if handle.get() is value and not isinstance(value, TracedArray):
            self._guard(handle, value)

    def held(self, owner: Any, name: str) -> None:
        """Guard that an attribute of an object of a library is the object that it is now."""
        if self._is_new("held", id(owner), name):
            handle = Member(name, Owner("", owner), name)
            self._state.guards.append(Identity(handle, handle.get()))

    def special(self, kind: type, name: str) -> None:
        """Take note of which method Python would call for the instances of a class."""
        if is_users_module(kind.__module__) and self._is_new("special", kind, name):
            handle = ClassEntry(kind, name)
            self._guard(handle, handle.get())

    def subclass(self, kind: type, classes: Any, answer: bool) -> None:
        """Take note that a class is one of others, or not: which ones are may be registered."""
        others = classes if isinstance(classes, tuple) else (classes,)
        if any(isinstance(other, tuple) for other in others):
            for other in others:
                self.subclass(kind, other, answer)
            return
        asked = [other for other in others if isinstance(other, type) and type(other) is not type]
        is_users = is_users_module(kind.__module__) or any(is_users_module(o.__module__) for o in asked)
        if asked and is_users and self._is_new("subclass", kind, *asked):
            self._state.guards.append(subclass(kind, tuple(asked)))
            self._state.dependencies.refuse(f"whether {kind.__qualname__} is a subclass of abstract classes")

    def chosen(self, function: types.FunctionType, kind: type) -> None:
        """Take note of what a generic function chose for a class."""
        if self._is_new("chosen", id(function), kind):
            self._state.guards.append(dispatched(function, kind))
            self._state.dependencies.refuse(f"what the generic function {function.__qualname__} calls")

    def decimals(self, value: Any) -> None:
        """Take note of a value that may be a decimal number: what comes out depends on a context of the thread."""
        if "decimal" in sys.modules and is_decimal(value) and self._is_new("decimal"):
            self._state.guards.append(decimal_context())
            self._state.dependencies.refuse("the context of decimal")

    def variable(self, variable: Any) -> None:
        """Take note that a variable of the context is about to be used."""
        self._state.meet_variable(variable)

    def absent(self, owner: Any, name: str) -> None:
        """Take note that an object has no such attribute."""
        if isinstance(owner, types.ModuleType):
            handle: Handle = Global(vars(owner), name, f"{owner.__name__}.{name}")
        elif isinstance(owner, type):
            handle = ClassEntry(owner, name)
        else:
            before = self._state.attributes_before(owner)
            if before is None and not is_users_module(type(owner).__module__):
                return
            if name in (before or {}):
                return  # the trace itself deleted it
            handle = Member(name, Owner("", owner), name)
        if self._is_new("absent", id(owner), name):
            self._state.guards.append(Plain(handle, UNBOUND))

    def whole(self, owner: Any) -> None:
        """Take note that all attributes of an object are looked at."""
        if isinstance(owner, types.ModuleType):
            self.note_namespace(vars(owner))
        elif isinstance(owner, type):
            self._of_class(owner, "__dict__")
        elif self._is_new(id(owner), "__dict__"):
            attributes = self._state.attributes_before(owner)
            if attributes is not None and type(getattr(owner, "__dict__", None)) is dict:
                handle = Member("the attributes of an object", Owner("", owner), "__dict__")
                self._state.guard_late(handle, attributes, frozenset(_data_in(attributes)))

    def special_methods(self, owner: Any) -> Iterator[types.FunctionType]:
        """The methods that Python calls by itself for an object, as for `len(owner)`: once for each class."""
        kind = type(owner)
        if is_users_module(kind.__module__) and self._is_new("special", id(kind)):
            for base in kind.__mro__:
                for name, member in vars(base).items() if is_users_module(base.__module__) else ():
                    is_special = name.startswith("__") and name.endswith("__")
                    if is_special and isinstance(member, types.FunctionType) and not is_generated(member):
                        yield member

    def note_namespace(self, names: dict[str, Any]) -> None:
        """Take note that a dict holds the names of a module."""
        self._namespaces[id(names)] = names

    def entry(self, container: Any, key: Any) -> None:
        """Take note that an entry of a dict is about to be read, which may be a name of a module."""
        if id(container) in self._namespaces and isinstance(key, str):
            self._state.meet_name(Entry(key, container, key), Global(container, key))

    def compared(self, left: Any, right: Any) -> None:
        """Take note that it was asked whether two objects are one."""
        kinds = (list, dict, set, np.ndarray, TracedArray)
        if not isinstance(left, kinds) or not isinstance(right, kinds):
            return
        places = [self._state.locate_value(value) for value in (left, right)]
        handles = [handle for handle in places if handle is not None]
        are_arrays = isinstance(left, TracedArray) or isinstance(right, TracedArray)
        if len(handles) == 2 and left is not right and not are_arrays and any(map(_is_of_arguments, handles)):
            raise UnsupportedError(
                "it is asked whether a list, dict or set that is an argument, or held by one, is another object, and "
                "compiled code has copies of these: compare by ==, or pass what tells them apart as an argument, too"
            )
        if len(handles) == 2 and self._is_new(handles[0].key, handles[1].key):
            self._state.guards.append(Same(handles[0], handles[1], left is right))
        elif handles and not _is_of_arguments(handles[0]) and self._is_new(handles[0].key, "is"):
            value = left if places[0] is not None else right
            if not isinstance(value, TracedArray):  # what data is the same as is told when a call is bound
                self._state.guards.append(Identity(handles[0], value))


def _is_of_arguments(handle: Handle) -> bool:
    """Whether a place is one of the arguments, or in one."""
    while not isinstance(handle, Arguments) and hasattr(handle, "parent"):
        handle = handle.parent
    return isinstance(handle, Arguments)


def _data_in(
    container: Any, path: tuple[Any, ...] = (), around: frozenset[int] = frozenset()
) -> Iterator[tuple[Any, ...]]:
    """The paths in a container at which something is that is read at each call."""
    for key, entry in container.items() if isinstance(container, dict) else enumerate(container):
        if isinstance(entry, TracedArray):
            yield (*path, key)
        elif isinstance(entry, (list, tuple, dict)) and id(entry) not in around:
            yield from _data_in(entry, (*path, key), around | {id(container), id(entry)})


def is_followed(function: types.FunctionType) -> bool:
    """Whether a function is converted, so that its reads of attributes are seen."""
    try:
        return why_not_converted(function) is None and not is_marked(function)
    except ConversionError:
        return False


def defining_class(kind: type, name: str) -> type | None:
    """The class that defines a name for a class and its instances, if it is one of the user's; else None."""
    found = next((base for base in kind.__mro__ if name in vars(base)), None)
    return found if found is not None and is_users_module(found.__module__) else None
