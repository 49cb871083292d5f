"""Nested arguments and results as JSON: containers and plain constants, with numbers in the places of arrays."""

from __future__ import annotations

import inspect
import os
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from ...dialect.errors import ArtifactError
from ..signature.composite_arrays import ArrayParts
from ..signature.feed_keys import FeedParts
from ..signature.generators import GeneratorParts
from ..signature.packed_numbers import PackedNumbers
from ..signature.signature import IdentityKey, Leaf, Node, Static, Structure, static

File: TypeAlias = "str | os.PathLike[str]"
Json = Any
"""What `json.loads` gives."""

_CONTAINERS: dict[str, type] = {
    "list": list, "tuple": tuple, "dict": dict, "OrderedDict": OrderedDict, "slice": slice
}  # fmt: skip
_NAMES: dict[Any, str] = {
    ArrayParts: "an array of dates, records or texts",
    GeneratorParts: "a generator of random numbers",
    FeedParts: "an iterable whose items Python gives",
    PackedNumbers: "a long list of numbers",
}
_KINDS: tuple[type, ...] = (bool, int, float, complex, *(np.dtype(c).type for c in "?bBhHiIlLqQefdFD"))
_TYPES = {kind.__name__: kind for kind in _KINDS}
_READ_BY: dict[str, Callable[[Any], Any]] = {"float": float, "dtype": np.dtype, "bytes": bytes.fromhex}
_PLAIN = (type(None), bool, int, str)
OWN_NAMES = ("code", "functions", "path", "signatures", "state")
"""What a loaded file has besides functions."""
DEEPEST = 64
"""How deep containers may lie in each other."""


class NoForm(Exception):
    """A value that has no form in a file."""


def constant_to_json(value: Any) -> Json:
    """A constant; raises `NoForm` for what is no plain value.

    >>> constant_to_json(2.5), constant_to_json("text")
    ({'float': '2.5'}, 'text')
    """
    if type(value) in _PLAIN:
        return value
    if type(value) is float:
        return {"float": repr(value)}
    if isinstance(value, np.generic) and type(value) in _KINDS:
        return {"scalar": [type(value).__name__, constant_to_json(value.item())]}
    if type(value) is complex:
        return {"complex": [repr(value.real), repr(value.imag)]}
    if isinstance(value, np.dtype) and value.names is None and value.kind in "biufc":
        return {"dtype": value.name}
    if isinstance(value, type) and value.__name__ in _TYPES and _TYPES[value.__name__] is value:
        return {"type": value.__name__}
    if type(value) is slice:
        return {"slice": [constant_to_json(part) for part in (value.start, value.stop, value.step)]}
    if type(value) is bytes:
        return {"bytes": value.hex()}
    if type(value) is range:
        return {"range": [value.start, value.stop, value.step]}
    if type(value) is type(...):
        return {"ellipsis": True}
    if type(value) in (set, frozenset):
        return {type(value).__name__: sorted(map(constant_to_json, value), key=repr)}
    raise NoForm(f"a {type(value).__name__}")


def constant_from_json(text: Json) -> Any:
    """The constant of what `constant_to_json` made."""
    if type(text) in _PLAIN:
        return text
    try:
        ((kind, content),) = text.items()
        if kind in _READ_BY:
            return _READ_BY[kind](content)
        if kind == "complex":
            return complex(*map(float, content))
        if kind == "type":
            return _TYPES[content]
        if kind == "slice":
            return slice(*map(constant_from_json, content))
        if kind == "range" and all(type(n) is int for n in content):
            return range(*content)
        if kind == "scalar":
            name, number = content
            return _TYPES[name](constant_from_json(number))
        if kind == "ellipsis":
            return ...
        if kind in ("set", "frozenset"):
            members = map(constant_from_json, content)
            return set(members) if kind == "set" else frozenset(members)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise ArtifactError(f"a constant is none: {str(text)[:80]}")


def structure_to_json(structure: Structure) -> Json:
    """A structure; raises `NoForm` for containers and constants that have no form."""
    if isinstance(structure, Leaf):
        return {"array": structure.index}
    if isinstance(structure, Static):
        value = structure.key.reference() if isinstance(structure.key, IdentityKey) else structure.value
        return {"constant": constant_to_json(value)}
    if is_named_tuple(structure.kind):
        children = [structure_to_json(child) for child in structure.children]
        return {"namedtuple": children, "fields": list(structure.keys), "name": structure.kind.__name__}
    name = next((name for name, kind in _CONTAINERS.items() if kind is structure.kind), None)
    if name is None:
        raise NoForm(_NAMES.get(structure.kind, f"a {structure.kind.__name__}"))
    children = [structure_to_json(child) for child in structure.children]
    if not structure.keys:
        return {name: children}
    return {name: children, "keys": [constant_to_json(key) for key in structure.keys]}


def structure_from_json(text: Json, arrays: int, depth: int = DEEPEST) -> Structure:
    """The structure of what `structure_to_json` made, with leaves below a number; raises `ArtifactError`."""
    if not isinstance(text, dict) or not depth:
        raise ArtifactError(f"a structure is none, or lies too deep: {str(text)[:80]}")
    if "array" in text:
        index = text["array"]
        if type(index) is not int or not 0 <= index < arrays:
            raise ArtifactError(f"a structure names the array {index!r} of {arrays}")
        return Leaf(index)
    if "constant" in text:
        return static(constant_from_json(text["constant"]))
    if "namedtuple" in text:
        found = tuple(structure_from_json(child, arrays, depth - 1) for child in text["namedtuple"])
        kind = _named_tuple(text.get("name"), tuple(text["fields"]))
        if len(found) != len(kind._fields):
            raise ArtifactError(f"a {kind.__name__} has {len(found)} entries")
        return Node(kind, kind._fields, found)
    name = next(iter(text), "")
    kind, children, keys = _CONTAINERS.get(name), text.get(name), text.get("keys", [])
    if kind is None or not isinstance(children, list) or not isinstance(keys, list):
        raise ArtifactError(f"a structure has a container that there is not: {str(text)[:80]}")
    is_mapping = issubclass(kind, dict)
    if len(keys) != (len(children) if is_mapping else 0):
        raise ArtifactError(f"a {name} has {len(children)} entries and {len(keys)} keys")
    if kind is slice and len(children) != 3:
        raise ArtifactError(f"a slice has {len(children)} parts")
    found = tuple(structure_from_json(child, arrays, depth - 1) for child in children)
    return Node(kind, tuple(map(constant_from_json, keys)), found)


def is_named_tuple(kind: Any) -> bool:
    """Whether a class is one of named tuples."""
    is_one = isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")
    return is_one and kind not in _NAMES


def _of_numpy() -> dict[str, Any]:
    """The named tuples that functions of NumPy return, since NumPy 2."""
    functions: tuple[Any, ...] = (np.linalg.eigh, getattr(np, "unique_all", np.linalg.eigh))
    spaces = [inspect.unwrap(function).__globals__ for function in functions]
    return {name: kind for names in spaces for name, kind in names.items() if is_named_tuple(kind)}


@cache
def _named_tuple(name: Any, fields: tuple[Any, ...]) -> Any:
    """NumPy's class of a name, or a class like the one that the program had."""
    known = _of_numpy().get(name)
    if known is not None and known._fields == fields:
        return known
    if type(name) is not str or not all(type(field) is str for field in fields):
        raise ArtifactError("a named tuple has no names")
    try:
        return namedtuple(name, fields)
    except ValueError as error:
        raise ArtifactError(f"a named tuple is none: {error}") from error
