"""Nested arguments and results as JSON: containers and plain constants, with numbers in the places of arrays."""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import Any, TypeAlias

import numpy as np

from ...dialect.errors import ArtifactError
from ..signature.signature import IdentityKey, Leaf, Node, Static, Structure, static

File: TypeAlias = "str | os.PathLike[str]"
Json = Any
"""What `json.loads` gives."""

_CONTAINERS: dict[str, type] = {"list": list, "tuple": tuple, "dict": dict, "OrderedDict": OrderedDict}
_NAMES = {"ArrayParts": "an array of dates or records", "GeneratorParts": "a generator of random numbers"}
_PLAIN = (type(None), bool, int, str)
OWN_NAMES = ("functions", "path", "signatures", "state")
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
    if type(value) is complex:
        return {"complex": [repr(value.real), repr(value.imag)]}
    if isinstance(value, np.dtype) and value.names is None and value.kind in "biufc":
        return {"dtype": value.name}
    raise NoForm(f"a {type(value).__name__}")


def constant_from_json(text: Json) -> Any:
    """The constant of what `constant_to_json` made."""
    if type(text) in _PLAIN:
        return text
    try:
        ((kind, content),) = text.items()
        if kind == "float":
            return float(content)
        if kind == "complex":
            return complex(*map(float, content))
        if kind == "dtype":
            return np.dtype(content)
    except (AttributeError, TypeError, ValueError):
        pass
    raise ArtifactError(f"a constant is none: {str(text)[:80]}")


def structure_to_json(structure: Structure) -> Json:
    """A structure; raises `NoForm` for containers and constants that have no form."""
    if isinstance(structure, Leaf):
        return {"array": structure.index}
    if isinstance(structure, Static):
        value = structure.key.reference() if isinstance(structure.key, IdentityKey) else structure.value
        return {"constant": constant_to_json(value)}
    name = next((name for name, kind in _CONTAINERS.items() if kind is structure.kind), None)
    if name is None:
        raise NoForm(_NAMES.get(structure.kind.__name__, f"a {structure.kind.__name__}"))
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
    name = next(iter(text), "")
    kind, children, keys = _CONTAINERS.get(name), text.get(name), text.get("keys", [])
    if kind is None or not isinstance(children, list) or not isinstance(keys, list):
        raise ArtifactError(f"a structure has a container that there is not: {str(text)[:80]}")
    is_mapping = issubclass(kind, dict)
    if len(keys) != (len(children) if is_mapping else 0):
        raise ArtifactError(f"a {name} has {len(children)} entries and {len(keys)} keys")
    found = tuple(structure_from_json(child, arrays, depth - 1) for child in children)
    return Node(kind, tuple(map(constant_from_json, keys)), found)


__all__ = [
    "DEEPEST",
    "File",
    "Json",
    "NoForm",
    "constant_from_json",
    "constant_to_json",
    "structure_from_json",
    "structure_to_json",
]
