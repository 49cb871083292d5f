"""The functions that conversion writes: fresh names, and what each function binds of the user's variables."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import field

from ....dialect.records import dataclass
from .build import constant, declare, place
from .uses import Scope


class Names:
    """Names that the user's function does not use."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        """Those that the user's function uses."""
        self._counts: Counter[str] = Counter()
        self.given: set[str] = set()
        """All names that were made."""
        self.functions: set[str] = set()
        """Those given to generated functions."""
        self.bound_on_some_paths: set[str] = set()
        """Those that are read as the user's names are that may be unbound."""
        self.unsure: set[str] = set()
        """The user's names that may have no value when classes and generators run, which are converted later."""

    def fresh(self, hint: str) -> str:
        """A new name: `hint_1`, `hint_2`, ..."""
        while True:
            self._counts[hint] += 1
            name = f"{hint}_{self._counts[hint]}"
            if name not in self.taken:
                self.given.add(name)
                return name

    def function(self, hint: str) -> str:
        """A new name for a function."""
        name = self.fresh(hint)
        self.functions.add(name)
        return name


def names_in(node: ast.AST) -> set[str]:
    """Every name that occurs in a piece of code, in whatever scope."""
    found: set[str] = set()
    for inner in ast.walk(node):
        for label in ("id", "arg", "name", "asname", "rest"):
            value = getattr(inner, label, None)
            if isinstance(value, str):
                found.add(value)
        if isinstance(inner, (ast.Global, ast.Nonlocal)):
            found.update(inner.names)
    return found


@dataclass
class Owner:
    """A function of the user's that is being converted: it owns the variables that its bodies share."""

    scope: Scope
    returned: str
    """The variable that holds the value of a `return` in a body."""
    bound_in_bodies: set[str] = field(default_factory=set)
    """Variables that generated functions inside it bind."""


@dataclass
class Body:
    """A function that is being written: the user's own, or one generated for a statement or expression in it."""

    owner: Owner
    is_generated: bool
    """Whether it is nested in the user's function, not that function itself."""
    statements: list[ast.stmt] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)
    """Variables of the owner that this function's own code binds."""

    def declarations(self, where: ast.AST) -> list[ast.stmt]:
        """What makes names mean the same variables as in the user's function."""
        scope = self.owner.scope
        return self._nested(scope, where) if self.is_generated else self._owned(scope, where)

    def _nested(self, scope: Scope, where: ast.AST) -> list[ast.stmt]:
        shared = self.bound & (scope.locals | scope.nonlocals | {self.owner.returned})
        self.owner.bound_in_bodies |= shared
        found: list[ast.stmt] = []
        if self.bound & scope.globals:
            found.append(ast.Global(sorted(self.bound & scope.globals), **place(where)))
        if shared:
            found.append(ast.Nonlocal(sorted(shared), **place(where)))
        return found

    def _owned(self, scope: Scope, where: ast.AST) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        if scope.globals:
            found.append(ast.Global(sorted(scope.globals), **place(where)))
        if scope.nonlocals:
            found.append(ast.Nonlocal(sorted(scope.nonlocals), **place(where)))
        # Names that only generated functions bind, or only code that is never reached, are variables nevertheless.
        missing = scope.locals | (self.owner.bound_in_bodies & {self.owner.returned})
        missing -= self.bound | set(scope.parameters)
        found += [declare(name, where) for name in sorted(missing)]
        return found


def nothing(where: ast.AST) -> ast.Constant:
    """`None`."""
    return constant(None, where)
