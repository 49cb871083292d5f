"""What functions read of modules, found in their bytecode: no guard compares it while the process runs.

Python's and NumPy's own modules that hold nothing but functions and constants are told by their versions.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from typing import Any

from .fingerprints import NotPortable
from .places import ModuleAttribute

PURE_MODULES = frozenset(
    {"numpy", "math", "cmath", "operator", "functools", "itertools", "typing", "dataclasses", "enum", "collections",
     "copy", "string", "numbers", "fractions", "builtins", "abc", __name__.partition(".")[0]}
)  # fmt: skip

_LOADS = frozenset(
    {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS",
     "LOAD_FROM_DICT_OR_DEREF"}
)  # fmt: skip
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


def module_reads(function: types.FunctionType) -> Iterator[ModuleAttribute]:
    """The attributes of modules that a function, and those in it, read; raises NotPortable where that is not known."""
    names = _modules_of(function)
    _refuse_frames(function)
    for code in _codes(function.__code__):
        instructions = [i for i in dis.get_instructions(code) if i.opname not in ("EXTENDED_ARG", "CACHE")]
        for position, instruction in enumerate(instructions):
            if instruction.opname == "IMPORT_NAME" and not is_pure(str(instruction.argval)):
                raise NotPortable(f"the import of {instruction.argval} in {function.__qualname__}")
            if instruction.opname in _LOADS and instruction.argval in names:
                chain = []
                for following in instructions[position + 1 :]:
                    if following.opname not in _ATTRIBUTES:
                        break
                    chain.append(following.argval)
                yield from _reads(names[instruction.argval], chain)


def _refuse_frames(function: types.FunctionType) -> None:
    """Refuse functions that look at their variables by other ways than by name."""
    for code in _codes(function.__code__):
        for name in code.co_names:
            if name in _FRAME_READERS and name not in function.__globals__:
                raise NotPortable(f"{name}() in {function.__qualname__}")


_FRAME_READERS = frozenset(
    {"globals", "locals", "vars", "dir", "eval", "exec", "super", "breakpoint", "__import__"}
)


def is_pure(module: str) -> bool:
    """Whether nothing that is read of a module depends on anything but its version."""
    return module.partition(".")[0] in PURE_MODULES


def _reads(module: types.ModuleType, chain: list[str]) -> Iterator[ModuleAttribute]:
    """What a chain of attributes reads of modules."""
    while not is_pure(module.__name__):
        if not chain:
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
    for code in _codes(function.__code__):
        found.update({name: function.__globals__.get(name) for name in code.co_names})
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return {name: value for name, value in found.items() if isinstance(value, types.ModuleType)}


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


__all__ = ["PURE_MODULES", "is_pure", "module_reads"]
