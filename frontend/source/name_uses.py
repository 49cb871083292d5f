"""What names and attributes a function's code reads, found in its bytecode."""

from __future__ import annotations

import dis
import itertools
import types
from dataclasses import field
from functools import cache

from ...dialect.records import dataclass
from .code_parts import functions_in

_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_VARIABLES = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_GROWING = frozenset({"append", "extend"})

UNSEEN = {"MATCH_CLASS": "a pattern of a class", "LOAD_BUILD_CLASS": "a class that is defined"}
"""What reads attributes that no trace sees."""


@dataclass
class Uses:
    """Names of one sort."""

    read: set[str] = field(default_factory=set)
    grown: set[str] = field(default_factory=set)
    """Those that are followed by `.append` or `.extend`, which look at nothing that a list holds."""

    def add(self, name: str, is_grown: bool) -> None:
        """Note one use."""
        (self.grown if is_grown else self.read).add(name)

    @property
    def all(self) -> set[str]:
        """All of them."""
        return self.read | self.grown

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
    chains: set[tuple[str, ...]] = field(default_factory=set)
    """Names with the attributes that are read behind them, one of the other."""
    imports: set[str] = field(default_factory=set)
    """The modules that are imported."""
    operations: set[str] = field(default_factory=set)
    """Which of the operations that read attributes unseen there are."""

    def update(self, other: NameUses) -> None:
        """Note the uses in a nested function."""
        self.globals.update(other.globals)
        self.variables.update(other.variables)
        self.attributes.update(other.attributes)
        self.chains |= other.chains
        self.imports |= other.imports
        self.operations |= other.operations


@cache
def name_uses(code: types.CodeType) -> NameUses:
    """What a function's own code, and the functions and classes in it, read."""
    found = NameUses()
    instructions = [i for i in dis.get_instructions(code) if i.opname != "EXTENDED_ARG"]
    for position, instruction in enumerate(instructions):
        name, operation = instruction.argval, instruction.opname
        behind = itertools.takewhile(lambda i: i.opname in _ATTRIBUTES, instructions[position + 1 :])
        chain = [following.argval for following in behind]
        is_grown = bool(chain) and chain[0] in _GROWING
        for operations, uses in (
            (_GLOBALS, found.globals),
            (_VARIABLES, found.variables),
            (_ATTRIBUTES, found.attributes),
        ):
            if operation in operations:
                uses.add(name, is_grown)
        if operation in _GLOBALS | _VARIABLES:
            found.chains.add((name, *chain))
        elif operation == "IMPORT_NAME":
            found.imports.add(name)
        elif operation in UNSEEN:
            found.operations.add(operation)
    for inner in functions_in(code):
        found.update(name_uses(inner))
    return found
