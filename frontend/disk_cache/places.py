"""How places in Python's state are found again by another process: from the function, or from a module, on."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from ..handles import Arguments, Cell, Global, Handle, Item
from .fingerprints import Data, NotPortable


class ModuleAttribute(Handle):
    """An attribute that the program reads of a module."""

    __slots__ = ("attribute", "module")

    def __init__(self, module: types.ModuleType, attribute: str) -> None:
        super().__init__(f"{module.__name__}.{attribute}")
        self.module = module
        self.attribute = attribute

    def get(self, bound: Any = None) -> Any:
        if self.attribute not in vars(self.module):
            raise NotPortable(f"{self.name}, which the module computes")
        return vars(self.module)[self.attribute]


class Places:
    """The places that can be reached from one function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._globals = getattr(function, "__globals__", None)
        self._cells: dict[int, tuple[Data, types.CellType]] = {}
        """By identity: the path to the function that a cell belongs to, with the number of the cell."""
        self.reach(function, ("root",))

    def reach(self, value: Any, path: Data) -> None:
        """Note the cells of a function, and of those in them."""
        value = _plain_function(value)
        if not isinstance(value, types.FunctionType):
            return
        for number, cell in enumerate(value.__closure__ or ()):
            if id(cell) in self._cells:
                continue
            inner = ("cell", path, number)
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
            return (*self._cells[id(handle.cell)][0], handle.name)
        if isinstance(handle, Item):
            if type(handle.index) not in (int, str):
                raise NotPortable(f"an entry under a {type(handle.index).__name__}")
            return ("item", self.describe(handle.parent), handle.index, handle.name)
        if isinstance(handle, Arguments):
            return ("arguments", handle.name)
        if isinstance(handle, ModuleAttribute):
            return ("attribute", handle.module.__name__, handle.attribute)
        raise NotPortable(f"{handle.name or 'an object'}, which only this process can find")

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
        found = self._function if path == ("root",) else self.find(path[1]).get()
        found = _plain_function(found)
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
        return Arguments(data[1])


def _plain_function(value: Any) -> Any:
    """The Python function of a compiled one."""
    return getattr(value, "python_function", value)


def _module(name: str | None) -> types.ModuleType:
    module = sys.modules.get(name or "")
    if not isinstance(module, types.ModuleType):
        raise NotPortable(f"the module {name}, which is not imported")
    return module


__all__ = ["ModuleAttribute", "Places"]
