"""How places in Python's state are found again by another process: from the function, or from a module, on."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from ..guards.dependencies import is_users_object
from ..guards.handles import Arguments, Cell, Global, Handle, Item, Member, Owner
from ..guards.unbound import UNBOUND
from .generated import is_library
from .portable import Data, NotPortable

KNOWN_MODULES = frozenset(
    {"numpy", "math", "cmath", "operator", "functools", "itertools", "typing", "dataclasses", "enum", "collections",
     "copy", "string", "numbers", "fractions", "builtins", "abc", __name__.partition(".")[0]}
)  # fmt: skip
"""Modules that hold nothing but functions and constants, if nobody changed them."""


class ModuleAttribute(Handle):
    """An attribute that the program reads of a module."""

    __slots__ = ("attribute", "module")

    def __init__(self, module: types.ModuleType, attribute: str) -> None:
        super().__init__(f"{module.__name__}.{attribute}")
        self.module = module
        self.attribute = attribute

    def get(self, bound: Any = None) -> Any:
        if self.attribute in vars(self.module):
            return vars(self.module)[self.attribute]
        if not self.is_of_library:
            raise NotPortable(f"{self.name}, which the module computes")
        return getattr(self.module, self.attribute, UNBOUND)

    @property
    def is_of_library(self) -> bool:
        """Whether the module is Python's, NumPy's or ours, parts of which may be imported when they are read."""
        return self.is_own or is_library(self.module.__name__)

    @property
    def is_own(self) -> bool:
        """Whether the module is ours."""
        return self.module.__name__.partition(".")[0] == _OWN

    @property
    def is_known(self) -> bool:
        """Whether the module holds nothing but functions and constants, if nobody changed it."""
        return self.module.__name__.partition(".")[0] in KNOWN_MODULES


_OWN = __name__.partition(".")[0]


class Places:
    """The places that can be reached from one function and the constants among its arguments."""

    def __init__(self, function: Callable[..., Any], constants: Iterable[Any] = ()) -> None:
        self._function = function
        self._constants = tuple(constants)
        self._globals = getattr(_plain_function(function), "__globals__", None)
        self._cells: dict[int, tuple[Data, types.CellType]] = {}
        """By identity: the path to the function that a cell belongs to, with the number of the cell."""
        self._objects: dict[int, tuple[Data, Any]] = {}
        """By identity: the paths to functions and objects."""
        self.reach(function, ("root",))
        for number, constant in enumerate(self._constants):
            self.reach(constant, ("constant", number))

    def reach(self, value: Any, path: Data) -> bool:
        """Note an object, the cells of a function, and those of functions in them; returns whether it is new."""
        if isinstance(value, types.MethodType):
            return self.reach(value.__self__, ("self", path)) | self.reach(value.__func__, ("method", path))
        if id(value) in self._objects or not (is_users_object(value) or callable(value)):
            return False
        self._objects[id(value)] = (path, value)
        self._reach_cells(value, path)
        return True

    def _reach_cells(self, value: Any, path: Data) -> None:
        value = _plain_function(value)
        if not isinstance(value, types.FunctionType):
            return
        for number, cell in enumerate(value.__closure__ or ()):
            if id(cell) in self._cells:
                continue
            inner = ("cell", path, number, value.__code__.co_freevars[number])
            self._cells[id(cell)] = (inner, cell)
            try:
                self.reach(cell.cell_contents, ("in", inner))
            except ValueError:
                continue

    def describe(self, handle: Handle) -> Data:
        """A place as data; raises NotPortable where nothing leads to it."""
        if isinstance(handle, Global):
            return ("global", self.namespace(handle.namespace), handle.variable)
        if isinstance(handle, Cell) and id(handle.cell) in self._cells:
            return self._cells[id(handle.cell)][0]
        if isinstance(handle, Item):
            if type(handle.index) not in (int, str):
                raise NotPortable(f"an entry under a {type(handle.index).__name__}")
            return ("item", self.describe(handle.parent), handle.index, handle.name)
        if isinstance(handle, Arguments):
            return ("arguments", handle.name)
        if isinstance(handle, ModuleAttribute):
            return ("attribute", handle.module.__name__, handle.attribute)
        if isinstance(handle, Owner) and (path := self.path_of(handle.get())) is not None:
            return ("owner", path, handle.name)
        if isinstance(handle, Member):
            return ("member", self.describe(handle.parent), handle.attribute, handle.name)
        raise NotPortable(f"{handle.name or 'an object'}, which only this process can find")

    def path_of(self, value: Any) -> Data | None:
        """The path to a function or an object that was noted."""
        found = self._objects.get(id(value))
        return None if found is None or found[1] is not value else found[0]

    def at(self, path: Data) -> Any:
        """What is at the end of a path; raises NotPortable where there is nothing."""
        kind = path[0]
        if kind == "root":
            return self._function
        if kind == "constant" and path[1] < len(self._constants):
            return self._constants[path[1]]
        if kind in ("self", "method"):
            method = self.at(path[1])
            if not isinstance(method, types.MethodType):
                raise NotPortable("a method that is none")
            return method.__self__ if kind == "self" else method.__func__
        if kind != "in":
            raise NotPortable("a place that is none")
        value = self.find(path[1]).get()
        if value is UNBOUND:
            raise NotPortable("a name that is not bound")
        return value

    def namespace(self, namespace: dict[str, Any]) -> str | None:
        """The name of the module with these globals; None for those of the function itself."""
        if namespace is self._globals:
            return None
        name = namespace.get("__name__")
        module = sys.modules.get(name) if isinstance(name, str) else None
        if module is None or vars(module) is not namespace:
            raise NotPortable("globals that belong to no module")
        return name

    def find_namespace(self, name: str | None) -> dict[str, Any]:
        """The globals of a module; raises NotPortable where it is not imported."""
        if name is None and isinstance(self._globals, dict):
            return self._globals
        return vars(_module(name))

    def _function_at(self, path: Data) -> types.FunctionType:
        found = _plain_function(self.at(path))
        if not isinstance(found, types.FunctionType):
            raise NotPortable("a variable of what is no function")
        return found

    def find(self, data: Data) -> Handle:
        """The place that `describe` described; raises NotPortable where there is none."""
        kind = data[0]
        if kind == "global":
            return Global(self.find_namespace(data[1]), data[2])
        if kind == "cell":
            function, number = self._function_at(data[1]), data[2]
            closure = function.__closure__ or ()
            if number >= len(closure):
                raise NotPortable("a variable of a function that is not there")
            return Cell(data[3], closure[number])
        if kind == "item":
            return Item(data[3], self.find(data[1]), data[2])
        if kind == "attribute":
            return ModuleAttribute(_module(data[1]), data[2])
        if kind == "owner":
            return Owner(data[2], self.at(data[1]))
        if kind == "member":
            return Member(data[3], self.find(data[1]), data[2])
        return Arguments(data[1])


def _plain_function(value: Any) -> Any:
    """The Python function of a compiled one, or of a method."""
    value = getattr(value, "python_function", value)
    return value.__func__ if isinstance(value, types.MethodType) else value


def _module(name: str | None) -> types.ModuleType:
    module = sys.modules.get(name or "")
    if not isinstance(module, types.ModuleType):
        raise NotPortable(f"the module {name}, which is not imported")
    return module


__all__ = ["KNOWN_MODULES", "ModuleAttribute", "Places"]
