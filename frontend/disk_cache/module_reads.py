"""What functions read of modules, found in their bytecode: no guard compares it while the process runs."""

from __future__ import annotations

import dis
import itertools
import types
from collections.abc import Iterator
from typing import Any

from .portable import NotPortable
from .stored_handles import KNOWN_MODULES, ModuleAttribute

_LOADS = frozenset(
    {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS",
     "LOAD_FROM_DICT_OR_DEREF"}
)  # fmt: skip
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


def module_reads(function: types.FunctionType) -> Iterator[ModuleAttribute]:
    """The attributes of modules that a function, and those in it, read; raises NotPortable where that is not known."""
    names = _modules_of(function)
    for code in codes_of(function.__code__):
        instructions = [i for i in dis.get_instructions(code) if i.opname not in ("EXTENDED_ARG", "CACHE")]
        for position, instruction in enumerate(instructions):
            unseen = _why_unseen(function, instruction)
            if unseen is not None:
                raise NotPortable(f"{unseen} in {function.__qualname__}")
            if instruction.opname in _LOADS and instruction.argval in names:
                following = itertools.takewhile(
                    lambda i: i.opname in _ATTRIBUTES, instructions[position + 1 :]
                )
                yield from _reads(names[instruction.argval], [i.argval for i in following])


def _why_unseen(function: types.FunctionType, instruction: dis.Instruction) -> str | None:
    """What of an instruction looks at variables and attributes by other ways than by name; None where nothing does."""
    operation, name = instruction.opname, str(instruction.argval)
    if operation == "IMPORT_NAME" and name.partition(".")[0] not in KNOWN_MODULES:
        return f"the import of {name}"
    if operation in _LOADS and name in _FRAME_READERS and name not in function.__globals__:
        return f"{name}()"
    is_special = name.startswith("__") and name.endswith("__") and name not in _KNOWN_SPECIAL
    if operation in _ATTRIBUTES and (is_special or name in _MEMORY):
        return name
    return _UNSEEN.get(operation)


_FRAME_READERS = frozenset(
    {"globals", "locals", "vars", "dir", "eval", "exec", "super", "breakpoint", "__import__"}
)

_UNSEEN = {"MATCH_CLASS": "a pattern of a class", "LOAD_BUILD_CLASS": "a class that is defined"}
"""What reads attributes that no trace sees."""

_MEMORY = frozenset({"base", "ctypes"})
"""What tells of an array's memory more than the array."""

_KNOWN_SPECIAL = frozenset(
    {"__name__", "__qualname__", "__class__", "__init__", "__call__", "__len__", "__getitem__", "__setitem__",
     "__contains__", "__iter__", "__next__", "__enter__", "__exit__", "__array__", "__file__"}
)  # fmt: skip
"""Attributes with special names that hold nothing which is not compared: `__dict__` and `__globals__` would."""


def _reads(module: types.ModuleType, chain: list[str]) -> Iterator[ModuleAttribute]:
    """What a chain of attributes reads of modules."""
    while True:
        if not chain:
            if module.__name__.partition(".")[0] in KNOWN_MODULES:
                return
            raise NotPortable(f"the module {module.__name__}, which is used as a value")
        found = ModuleAttribute(module, chain[0])
        yield found
        value = found.get()
        if not isinstance(value, types.ModuleType):
            return
        module, chain = value, chain[1:]


def _modules_of(function: types.FunctionType) -> dict[str, types.ModuleType]:
    """The modules among the variables that a function finds outside of itself."""
    found: dict[str, Any] = {}
    for code in codes_of(function.__code__):
        found.update({name: function.__globals__.get(name) for name in code.co_names})
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return {name: value for name, value in found.items() if isinstance(value, types.ModuleType)}


def codes_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function, and of those in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_of(constant)


__all__ = ["codes_of", "module_reads"]
