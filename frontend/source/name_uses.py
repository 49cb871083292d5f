"""What names and attributes a function's code reads, found in its bytecode."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from dataclasses import field
from functools import cache

from ...dialect.records import dataclass

_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_VARIABLES = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_GROWING = frozenset({"append", "extend"})


@dataclass
class Uses:
    """Names of one sort."""

    read: set[str] = field(default_factory=set)
    grown: set[str] = field(default_factory=set)
    """Those that are followed by `.append` or `.extend`, which look at nothing that a list holds."""

    def add(self, name: str, is_grown: bool) -> None:
        """Note one use."""
        (self.grown if is_grown else self.read).add(name)

    def update(self, other: Uses) -> None:
        """Note the uses in a nested function."""
        self.read |= other.read
        self.grown |= other.grown


@dataclass
class NameUses:
    """The names that code reads, with those of the functions in it."""

    globals: Uses = field(default_factory=Uses)
    variables: Uses = field(default_factory=Uses)
    attributes: Uses = field(default_factory=Uses)


@cache
def name_uses(code: types.CodeType) -> NameUses:
    """What a function's own code, and the functions and classes in it, read."""
    found = NameUses()
    instructions = [i for i in dis.get_instructions(code) if i.opname != "EXTENDED_ARG"]
    for instruction, following in zip(instructions, [*instructions[1:], None], strict=True):
        name = instruction.argval
        is_grown = following is not None and following.opname in _ATTRIBUTES and following.argval in _GROWING
        for operations, uses in (
            (_GLOBALS, found.globals),
            (_VARIABLES, found.variables),
            (_ATTRIBUTES, found.attributes),
        ):
            if instruction.opname in operations:
                uses.add(name, is_grown)
    for inner in _nested(code):
        uses_inside = name_uses(inner)
        found.globals.update(uses_inside.globals)
        found.variables.update(uses_inside.variables)
        found.attributes.update(uses_inside.attributes)
    return found


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, types.CodeType))


__all__ = ["NameUses", "Uses", "name_uses"]
