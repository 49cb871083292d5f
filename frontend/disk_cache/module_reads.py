"""What functions read of modules, found in their bytecode: no guard compares it while the process runs."""

from __future__ import annotations

import types
from collections.abc import Iterator

from ..source.name_uses import UNSEEN, name_uses
from .portable import NotPortable
from .stored_handles import KNOWN_MODULES, ModuleAttribute


def module_reads(function: types.FunctionType) -> Iterator[ModuleAttribute]:
    """The attributes of modules that a function, and those in it, read; raises NotPortable where that is not known."""
    for reason in _why_unknown(function):
        raise NotPortable(f"{reason} in {function.__qualname__}")
    variables = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name, *chain in sorted(name_uses(function.__code__).chains):
        try:
            value = variables[name].cell_contents if name in variables else function.__globals__.get(name)
        except ValueError:
            continue
        if isinstance(value, types.ModuleType):
            yield from _reads(value, chain)


def _why_unknown(function: types.FunctionType) -> Iterator[str]:
    """What of a function looks at variables and attributes by other ways than by name."""
    uses = name_uses(function.__code__)
    for module in sorted(uses.imports):
        if module.partition(".")[0] not in KNOWN_MODULES:
            yield f"the import of {module}"
    for name in sorted(uses.globals.all & _FRAME_READERS - function.__globals__.keys()):
        yield f"{name}()"
    for name in sorted(uses.attributes.all):
        is_special = name.startswith("__") and name.endswith("__") and name not in _KNOWN_SPECIAL
        if is_special or name in _MEMORY:
            yield name
    for operation in uses.operations:
        yield UNSEEN[operation]


_FRAME_READERS = frozenset(
    {"globals", "locals", "vars", "dir", "eval", "exec", "super", "breakpoint", "__import__"}
)

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
