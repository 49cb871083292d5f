"""Functions that a trace makes, for what Python does at each call, as data: those that print, raise, call and store.

They are functions of this package, and what is in their closures tells them apart. Their code is found again under the
names of the functions that it is in, as all source files of the package are part of a program's key.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.types import TensorType
from ..guards.handles import Handle
from ..guards.unbound import UNBOUND
from ..runtime_values.result_spec import Result
from ..runtime_values.values import Text
from ..signature.signature import Leaf, Node, Static, TensorSpec, static_key
from .fingerprints import Fingerprints, is_found
from .parts import Results, dtype_from, type_data, type_from, value_from
from .portable import Data, NotPortable
from .stored_handles import Places

_OWN = __name__.partition(".")[0]
_PLAIN = (type(None), bool, int, float, complex, str, bytes, slice, range)
_CONTAINERS: dict[str, Callable[[Any], Any]] = {kind.__name__: kind for kind in (list, tuple, set, frozenset)}
_MOST = 10_000
"""Closures of more parts are not stored."""

_BYTES = 1 << 20
"""Larger arrays in closures are not stored."""


class ClosureWriter:
    """Describes functions with what they enclose."""

    def __init__(self, places: Places, fingerprints: Fingerprints) -> None:
        self._places = places
        self._fingerprints = fingerprints
        self.results = Results(fingerprints, self)
        self._left = _MOST
        self.made_functions = False
        """Whether there were any functions."""

    def data(self, value: Any) -> Data:
        """What a function, or something in a closure, is; raises NotPortable."""
        self._left -= 1
        if self._left < 0:
            raise NotPortable("a host call of many parts")
        kind = type(value)
        if kind in _PLAIN or isinstance(value, (np.generic, np.dtype)):
            return ("value", self._fingerprints.of(value))
        if kind.__name__ in _CONTAINERS and kind.__module__ == "builtins":
            return (kind.__name__, tuple(map(self.data, value)))
        if kind is dict:
            return ("dict", tuple((self.data(key), self.data(entry)) for key, entry in value.items()))
        if value is UNBOUND:
            return ("unbound",)
        if kind is np.ndarray:
            return self._array(value)
        if isinstance(value, Handle):
            return ("place", self._places.describe(value))
        made = self._of_ours(value)
        if made is not None:
            return made
        if (path := self._places.path_of(value)) is not None:
            return ("found", path)
        if isinstance(value, type):
            return ("class", self._fingerprints.of(value))
        return self._callable(value)

    def _array(self, array: np.ndarray[Any, Any]) -> Data:
        if array.dtype.hasobject or array.dtype.names or array.nbytes > _BYTES:
            raise NotPortable("an array that Python gets at run time")
        return ("array", array.dtype.name, array.shape, array.tobytes())

    def _of_ours(self, value: Any) -> Data | None:
        if isinstance(value, (Leaf, Node)):
            return ("structure", self._structure(value))
        if isinstance(value, Static):
            return ("static", self.data(value.value))
        if isinstance(value, Result):
            return ("result", self.results.result_data(value))
        if isinstance(value, TensorType):
            return ("type", type_data(value))
        if isinstance(value, TensorSpec):
            return ("spec", type_data(value.type), value.name)
        if isinstance(value, Text):
            return ("text", value.text)
        kind = type(value)
        if isinstance(value, tuple) and kind.__module__.partition(".")[0] == _OWN:
            return ("record", kind.__module__, kind.__qualname__, tuple(map(self.data, value)))
        return None

    def _structure(self, structure: Any) -> Data:
        if isinstance(structure, Leaf):
            return structure.index
        if isinstance(structure, Static):
            return self.data(structure)
        children = tuple(map(self._structure, structure.children))
        return (self._fingerprints.of(structure.kind), tuple(map(self.data, structure.keys)), children)

    def _callable(self, value: Any) -> Data:
        self.made_functions = True
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, types.MethodType):
            return ("method", self.data(value.__self__), self.data(value.__func__))
        if isinstance(value, functools.partial):
            return ("partial", *map(self.data, (value.func, value.args, value.keywords)))
        if isinstance(value, types.BuiltinFunctionType):
            owner = value.__self__
            if owner is None or isinstance(owner, types.ModuleType):
                return ("value of", value.__module__, value.__qualname__)
            return ("attribute", self.data(owner), value.__name__)
        raise NotPortable(f"a {type(value).__qualname__} that Python gets at run time")

    def _function(self, function: types.FunctionType) -> Data:
        module = str(function.__globals__.get("__name__"))
        if module.partition(".")[0] != _OWN:
            if not is_found(function):
                raise NotPortable(f"{function.__qualname__}, which is not found under a name")
            data = self._fingerprints.function(function)
            return ("function", function.__module__, function.__qualname__, data)
        cells = tuple(self.data(_content(cell)) for cell in function.__closure__ or ())
        defaults = (self.data(function.__defaults__), self.data(function.__kwdefaults__))
        return ("ours", module, address_of(function), function.__name__, cells, *defaults)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return UNBOUND


class ClosureReader:
    """Makes functions of what was written of them; raises NotPortable where something is not what it was."""

    def __init__(self, places: Places, fingerprints: Fingerprints) -> None:
        self._places = places
        self._fingerprints = fingerprints
        self.results = Results(fingerprints, self)

    def value(self, data: Data) -> Any:
        """What `ClosureWriter.data` described."""
        kind, *parts = data
        if kind in _CONTAINERS:
            return _CONTAINERS[kind](map(self.value, parts[0]))
        made = getattr(self, f"_{kind.replace(' ', '_')}", None)
        if made is None:
            raise NotPortable(f"a {kind}")
        return made(*parts)

    def _value(self, data: Data) -> Any:
        return value_from(data)

    def _dict(self, entries: Data) -> dict[Any, Any]:
        return {self.value(key): self.value(entry) for key, entry in entries}

    def _unbound(self) -> Any:
        return UNBOUND

    def _array(self, name: str, shape: Data, content: bytes) -> np.ndarray[Any, Any]:
        made: np.ndarray[Any, Any] = np.frombuffer(content, dtype_from(name)).reshape(shape).copy()
        return made

    def _place(self, path: Data) -> Handle:
        return self._places.find(path)

    def _found(self, path: Data) -> Any:
        return self._places.at(path)

    def _class(self, data: Data) -> Any:
        return self.results.class_from(data)

    def _structure(self, data: Data) -> Any:
        if isinstance(data, int):
            return Leaf(data)
        if data[0] == "static":
            return self._static(data[1])
        kind, keys, children = data
        return Node(self._class(kind), tuple(map(self.value, keys)), tuple(map(self._structure, children)))

    def _static(self, data: Data) -> Static:
        value = self.value(data)
        return Static(static_key(value), value)

    def _result(self, data: Data) -> Result:
        return self.results.result_from(data)

    def _type(self, data: Data) -> TensorType:
        return type_from(data)

    def _spec(self, type: Data, name: str | None) -> TensorSpec:
        made = type_from(type)
        return TensorSpec(made.shape, made.dtype, name)

    def _record(self, module: str, name: str, parts: Data) -> Any:
        kind: Any = operator.attrgetter(name)(importlib.import_module(module))
        return kind(*map(self.value, parts))

    def _text(self, text: str) -> Text:
        return Text(text)

    def _method(self, owner: Data, function: Data) -> Any:
        return types.MethodType(self.value(function), self.value(owner))

    def _partial(self, function: Data, args: Data, keywords: Data) -> Any:
        return functools.partial(self.value(function), *self.value(args), **self.value(keywords))

    def _value_of(self, module: str | None, name: str) -> Any:
        return operator.attrgetter(name)(importlib.import_module(module or builtins.__name__))

    def _attribute(self, owner: Data, name: str) -> Any:
        return getattr(self.value(owner), name)

    def _function(self, module: str, name: str, data: Data) -> Any:
        function = _found(module, name)
        if not isinstance(function, types.FunctionType) or self._fingerprints.function(function) != data:
            raise NotPortable(f"{name}, which is not what it was")
        return function

    def _ours(
        self, module: str, address: Data, name: str, cells: Data, defaults: Data, by_name: Data
    ) -> types.FunctionType:
        enclosed = tuple(
            types.CellType() if cell == ("unbound",) else types.CellType(self.value(cell)) for cell in cells
        )
        code = code_at(module, address)
        namespace = vars(sys.modules[module])
        made = types.FunctionType(code, namespace, name, self.value(defaults), enclosed)
        made.__kwdefaults__ = self.value(by_name)
        return made


# Where functions are

Address = tuple[str, tuple[int, ...]]
"""The name of a function or method in its module, and on the way from its code to one in it the numbers among the
constants."""


def address_of(function: types.FunctionType) -> Address:
    """Where the code of a function of this package is."""
    names = function.__qualname__.split(".<locals>")[0]
    code: Any = getattr(function, "__code__", None)
    root = _code_of(str(function.__globals__["__name__"]), _root_name(function) or names)
    path = None if root is None else _path_to(root, code)
    if path is None:
        raise NotPortable(f"{function.__qualname__}, which is not found under a name")
    return (_root_name(function) or names, path)


def _root_name(function: types.FunctionType) -> str | None:
    """The name of the outermost function, as the code tells it: wrappers bear the names of others."""
    qualified = getattr(function.__code__, "co_qualname", None)
    return None if qualified is None else str(qualified).split(".<locals>")[0]


def _code_of(module: str, name: str) -> types.CodeType | None:
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = vars(found).get(part)
        found = getattr(found, "__func__", found)
        if found is None:
            return None
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    code = getattr(found, "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _path_to(root: types.CodeType, code: types.CodeType) -> tuple[int, ...] | None:
    if root is code:
        return ()
    for number, constant in enumerate(root.co_consts):
        if isinstance(constant, types.CodeType):
            path = _path_to(constant, code)
            if path is not None:
                return (number, *path)
    return None


def code_at(module: str, address: Data) -> types.CodeType:
    """The code at an address; raises NotPortable where there is none."""
    name, path = address
    code: Any = _code_of(module, name)
    for number in path:
        constants = code.co_consts if isinstance(code, types.CodeType) else ()
        code = constants[number] if number < len(constants) else None
    if not isinstance(code, types.CodeType):
        raise NotPortable(f"{name}, which is not found")
    return code


def _found(module: str, name: str) -> Any:
    """What is found under a name in a module; None where nothing is."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


__all__ = ["ClosureReader", "ClosureWriter"]
