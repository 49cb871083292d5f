"""How what a program finds outside of itself is found again by another process: from the function, or a module, on."""

from __future__ import annotations

import contextlib
import importlib
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..guards.handles import Cell, Fixed, Global, Handle, Inside, Item, Owner
from ..guards.unbound import UNBOUND
from ..source.modules import OWN_PACKAGE, is_own_module, is_users_module, is_users_object
from ..source.own_attributes import plain_function_of
from .fingerprints import Fingerprints, named_in_module
from .portable import Elsewhere, NotPortable

Path = tuple[Any, ...]
"""The way to an object: what kind of way it is, and from where; `at` goes it."""

KNOWN_MODULES = frozenset(
    {"numpy", "math", "cmath", "operator", "functools", "itertools", "typing", "dataclasses", "enum", "collections",
     "copy", "string", "numbers", "fractions", "builtins", "abc", OWN_PACKAGE}
)  # fmt: skip
"""Modules that hold nothing but functions and constants, if nobody changed them."""


class ModuleAttribute(Handle):
    """An attribute that the program reads of a module."""

    __slots__ = ("attribute", "module")

    def __init__(self, module: types.ModuleType, attribute: str) -> None:
        super().__init__(f"{module.__name__}.{attribute}")
        self.module = module
        self.attribute = attribute

    @property
    def key(self) -> Any:
        return ("global", id(vars(self.module)), self.attribute)  # as of `Global`, which is the same place

    def get(self, bound: Any = None) -> Any:
        if self.attribute in vars(self.module):
            return vars(self.module)[self.attribute]
        if is_users_module(self.module.__name__):  # parts of others are imported when they are read
            raise NotPortable(f"{self.name}, which the module computes")
        return getattr(self.module, self.attribute, UNBOUND)

    @property
    def is_own(self) -> bool:
        """Whether the module is ours."""
        return is_own_module(self.module.__name__)

    @property
    def is_known(self) -> bool:
        """Whether the module holds nothing but functions and constants, if nobody changed it."""
        return self.module.__name__.partition(".")[0] in KNOWN_MODULES


class Paths:
    """The ways from one function and the constants among its arguments to what they lead to."""

    def __init__(
        self, function: Callable[..., Any], constants: Sequence[Any], fingerprints: Fingerprints
    ) -> None:
        self._function = function
        self._constants = constants
        self._fingerprints = fingerprints
        self._globals = getattr(_plain_function(function), "__globals__", None)
        self._held: set[Any] = set()
        """The keys of the handles that containers and arrays are found by."""
        self._known: dict[int, tuple[Path, Any]] = {}
        """By identity: the ways to functions, objects, containers, arrays and the variables of functions."""
        self._reach(function, ("function",))
        for number, constant in enumerate(constants):
            self._reach(constant, ("constant", number))

    # Noting

    def note(self, handle: Handle, value: Any) -> bool:
        """Note what a handle holds, if another process can find that; returns whether it is new."""
        if self.why_lost(handle) is not None:
            return False
        known = self._known.get(id(value))
        if isinstance(value, np.ndarray) and known is not None and known[0][1].key != handle.key:
            raise NotPortable("an array that two places hold")  # of which another process may have two
        if known is None and isinstance(value, (list, dict, set, np.ndarray)):
            self._known[id(value)] = ("held", handle), value
            is_new = handle.key not in self._held  # the names of a class are another dict each time
            self._held.add(handle.key)
            return is_new
        return self._reach(value, ("held", handle))

    def _reach(self, value: Any, path: Path) -> bool:
        if isinstance(value, types.MethodType):
            is_new = self._reach(value.__self__, ("self", path))
            return self._reach(value.__func__, ("method", path)) or is_new
        if id(value) in self._known or not (is_users_object(value) or callable(value) or has_state(value)):
            return False
        self._known[id(value)] = path, value
        function = _plain_function(value)
        if isinstance(function, types.FunctionType):
            for number, cell in enumerate(function.__closure__ or ()):
                if id(cell) not in self._known:
                    self._known[id(cell)] = ("cell", path, number), cell
                    handle = Cell(function.__code__.co_freevars[number], cell)
                    self._reach(handle.get(), ("held", handle))
        return True

    def why_lost(self, handle: Handle) -> str | None:
        """Why another process cannot find a handle; None where it can."""
        if isinstance(handle, Global):
            is_known = self._globals is handle.namespace or _module_of(handle.namespace) is not None
            return None if is_known else "globals that belong to no module"
        if isinstance(handle, Item) and type(handle.index) not in (int, str):
            return f"an entry under a {type(handle.index).__name__}"
        if isinstance(handle, Inside):
            return self.why_lost(handle.parent)
        is_lost = isinstance(handle, Fixed) or (
            isinstance(handle, (Cell, Owner))
            and self.known_path(held := handle.cell if isinstance(handle, Cell) else handle.get()) is None
            and not isinstance(held, types.ModuleType)
            and _way_to(held) is None
        )
        return f"{handle.name or 'an object'}, which only this process can find" if is_lost else None

    def known_path(self, value: Any) -> Path | None:
        """The way to something that was noted."""
        found = self._known.get(id(value))
        return None if found is None or found[1] is not value else found[0]

    def path_of(self, value: Any) -> Path | None:
        """The way to something that a program refers to; None for what is a part of it. Raises NotPortable."""
        if isinstance(value, Handle):
            reason = self.why_lost(value)
            if reason is not None:
                raise NotPortable(reason)
            if isinstance(value, Global):
                name = None if value.namespace is self._globals else _module_of(value.namespace)
                return ("global", name, value.variable)
            return None
        if isinstance(value, types.ModuleType):
            return ("module", value.__name__)
        known = self.known_path(value)
        if known is not None:
            return known
        if isinstance(value, types.FunctionType):
            is_named = not is_own_module(value.__globals__.get("__name__"))
        else:
            is_named = isinstance(value, type) and is_users_module(value.__module__)
        if not is_named:
            return None
        way = _way_to(value)
        if way is None:
            raise NotPortable(f"{value.__qualname__}, which is not found under a name")
        return ("named", value.__module__, value.__qualname__, way, self._fingerprints.of(value))

    # Going

    def at(self, path: Path) -> Any:
        """What is at the end of a way; raises Elsewhere where there is nothing, or something else."""
        kind, *rest = path
        if kind == "function":
            return self._function
        if kind == "constant":
            return self._constants[rest[0]]
        if kind == "held":
            value = rest[0].get()
            if value is UNBOUND:
                raise Elsewhere("a name that is not bound")
            return value
        if kind == "global":
            own: Any = self._globals
            return Global(own if rest[0] is None else vars(_module(rest[0])), rest[1])
        if kind == "module":
            return _module(rest[0])
        if kind == "named":
            value = _member(named_in_module(rest[0], rest[1]), rest[2])
            if value is None or self._fingerprints.of(value) != rest[3]:
                raise Elsewhere(f"{rest[1]}, which is not what it was")
            return value
        owner = self.at(rest[0])
        if kind == "cell":
            closure = getattr(_plain_function(owner), "__closure__", None) or ()
            if rest[1] >= len(closure):
                raise Elsewhere("a variable of a function that is not there")
            return closure[rest[1]]
        if not isinstance(owner, types.MethodType):
            raise Elsewhere("a method that is none")
        return owner.__self__ if kind == "self" else owner.__func__


def has_state(value: Any) -> bool:
    """Whether a value is an object of weft's with attributes that programs change, as a variable."""
    return is_own_module(type(value).__module__) and hasattr(type(value), "__weft_state__")


def _plain_function(value: Any) -> Any:
    """The Python function of a compiled one, or of a method."""
    value = plain_function_of(value)
    return value.__func__ if isinstance(value, types.MethodType) else value


_WAYS = ("fget", "fset", "fdel", "func", "__func__", "__wrapped__")
"""How what bears the name of a function leads to it: a property, a decorated function."""


def _way_to(value: Any) -> str | None:
    """How a function or class is found from what its module holds under its name; None where it is not."""
    if not isinstance(value, (type, types.FunctionType)):
        return None
    named = named_in_module(value.__module__, value.__qualname__)
    return "" if named is value else next((way for way in _WAYS if _member(named, way) is value), None)


def _member(named: Any, way: str) -> Any:
    return getattr(named, way, None) if way else named


def _module_of(namespace: dict[str, Any]) -> str | None:
    """The name of the module with these globals; None where there is none."""
    name = namespace.get("__name__")
    module = sys.modules.get(name) if isinstance(name, str) else None
    return None if module is None or vars(module) is not namespace else module.__name__


def _module(name: str) -> types.ModuleType:
    module = sys.modules.get(name)
    if module is None and name.partition(".")[0] == "numpy":
        with contextlib.suppress(ImportError):  # some of NumPy's are imported when they are used first
            module = importlib.import_module(name)
    if not isinstance(module, types.ModuleType):
        raise Elsewhere(f"the module {name}, which is not imported")
    return module
