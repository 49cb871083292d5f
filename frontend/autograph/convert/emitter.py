"""What the converters of expressions and statements share: the function being written, and facts about the user's."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from types import ModuleType

from ....dialect.records import dataclass
from ...source.modules import is_users_module
from . import build
from .definite_assignment import DefiniteAssignment
from .exits import Exits
from .generated import Body, Names, Owner
from .liveness import Liveness
from .uses import Scope, UseTable

FRAME_READERS = frozenset({"locals", "vars", "dir"})
"""Builtins that look at the variables of the function that calls them, unless they are given others."""

FRAME_CALLS = FRAME_READERS | {"globals", "super", "breakpoint"}
"""Builtins whose result depends on who calls them; they are called directly."""


@dataclass(frozen=True)
class Context:
    """Where the function that is converted comes from."""

    filename: str
    lines: Sequence[str]
    """The source, for error messages."""
    class_name: str | None = None
    """The class whose private names (`__x`) the function uses."""
    environment: Mapping[str, object] = field(default_factory=dict)
    """The globals and the variables of enclosing functions."""
    unsure: frozenset[str] = frozenset()
    """The variables of enclosing functions that may have no value."""

    def mangled(self, name: str) -> str:
        """What Python makes of a private name in a class.

        >>> Context("f.py", [], "_Tree").mangled("__size"), Context("f.py", [], "Tree").mangled("__eq__")
        ('_Tree__size', '__eq__')
        """
        class_name = (self.class_name or "").lstrip("_")
        if not class_name or not name.startswith("__") or name.endswith("__") or "." in name:
            return name
        return f"_{class_name}{name}"


@dataclass
class Facts:
    """What the analyses found out about one function."""

    unbound: set[int]
    free: set[int]
    """The names that comprehensions and classes read, which Python runs as functions."""
    tried: set[str]
    """Names that get their first value in the body of a `try`."""
    around: frozenset[str]
    """Names of the functions around this one that may have no value."""
    at_times: frozenset[str]
    """Those names, and names of this function, that may have no value when a function in it runs."""
    liveness: Liveness


class Emitter:
    """The state of a conversion: the function being written, and the scopes around it."""

    def __init__(self, context: Context, names: Names) -> None:
        self.context = context
        self.names = names
        self.returned = build.RETURNED if build.RETURNED not in names.taken else names.fresh("return")
        """The variable that holds the value of a `return` in a body."""
        self.uses = UseTable()
        self.exits = Exits()
        self.scopes: list[Scope] = []
        self.body: Body
        self.facts: Facts
        self.hidden: set[str] = set()
        """Names that a comprehension hides at present."""
        self.in_turn: dict[int, str] = {}
        """The kinds of generator expressions, by their identities, of which not all items may be asked for."""

    @property
    def scope(self) -> Scope:
        """The user's function that is being converted."""
        return self.body.owner.scope

    def emit(self, *statements: ast.stmt) -> None:
        """Write statements at the end of the present function."""
        self.body.statements.extend(statements)

    def dead_keyword(
        self, statements: Sequence[ast.stmt], where: ast.AST, before: Sequence[ast.stmt] = ()
    ) -> list[ast.keyword]:
        """`dead="names"`, where there are any."""
        found = [self.context.mangled(name) for name in self.facts.liveness.dead(statements, before)]
        return [build.keyword("dead", " ".join(found), where)] if found else []

    # Functions

    @contextmanager
    def owner(self, scope: Scope, statements: Sequence[ast.stmt]) -> Iterator[Body]:
        """Write a function of the user's; its statements are analysed first."""
        outer = (getattr(self, "body", None), getattr(self, "facts", None), self.hidden)
        all_live = bool(scope.uses.calls & FRAME_READERS)
        liveness = Liveness(scope, self.uses, self.exits, all_live=all_live)
        liveness.run(statements)
        assignment = DefiniteAssignment(scope, self.uses, self.names.given - self.names.bound_on_some_paths)
        assignment.run(statements)
        around = (self.context.unsure if outer[1] is None else outer[1].at_times) - scope.locals
        at_times = around | assignment.at_times
        self.facts = Facts(assignment.unbound, assignment.free, assignment.tried, around, at_times, liveness)
        self.body = Body(Owner(scope, self.returned), is_generated=False)
        self.hidden = self.hidden - scope.locals
        self.scopes.append(scope)
        try:
            yield self.body
        finally:
            self.scopes.pop()
            self.body, self.facts, self.hidden = outer  # type: ignore[assignment]

    @contextmanager
    def generated(self) -> Iterator[Body]:
        """Write a function that conversion makes."""
        outer = self.body
        self.body = Body(outer.owner, is_generated=True)
        try:
            yield self.body
        finally:
            self.body = outer

    @contextmanager
    def collected(self) -> Iterator[list[ast.stmt]]:
        """Write statements of the present function into a list of their own: an inner block."""
        outer = self.body.statements
        self.body.statements = []
        try:
            yield self.body.statements
        finally:
            self.body.statements = outer

    def define(
        self,
        hint: str,
        body: Body,
        where: ast.AST,
        parameters: Iterable[str] = (),
        comment: str = "",
        is_hidden: bool = False,
    ) -> ast.Name:
        """Write `def hint_1(parameters):` with what was written into a body; returns the name.

        What is hidden is the user's own code, which is not shown a second time and needs no operators.
        """
        name = self.names.function(hint)
        statements = body.declarations(where) + (body.statements or [ast.Pass(**build.place(where))])
        definition = build.function(name, build.parameters(parameters, where), statements, where)
        definition.comment = comment  # type: ignore[attr-defined]
        definition.is_hidden = is_hidden  # type: ignore[attr-defined]
        self.emit(definition)
        return build.load(name, where)

    def thunk(
        self,
        make: Callable[[], ast.expr],
        where: ast.AST,
        hint: str = "value",
        parameters: Sequence[str] = (),
        first: Sequence[ast.stmt] = (),
    ) -> ast.expr:
        """A function of an expression: a lambda, or the name of a definition where it takes statements."""
        with self.generated() as body:
            body.statements.extend(first)
            value = make()
        if not body.statements and not body.bound:
            return ast.Lambda(build.parameters(parameters, where), value, **build.place(where))
        body.statements.append(ast.Return(value, **build.place(value)))
        return self.define(hint, body, where, parameters)

    # Names

    def is_shadowed(self, name: str) -> bool:
        """Whether a builtin's name means something else here."""
        if name in self.hidden or name in self.context.environment:
            return True
        return any(name in scope.locals for scope in self.scopes)

    def is_known_module(self, node: ast.expr) -> bool:
        """Whether an expression is known to be a module of Python, NumPy or weft, whose attributes stay as they are."""
        found = self.module(node)
        return found is not None and not is_users_module(found.__name__)

    def module(self, node: ast.expr) -> ModuleType | None:
        """The module that an expression is known to be."""
        if isinstance(node, ast.Attribute):
            outer = self.module(node.value)
            found = vars(outer).get(node.attr) if outer is not None else None
        elif isinstance(node, ast.Name) and not self._is_local(node.id):
            found = self.context.environment.get(node.id)
        else:
            return None
        return found if isinstance(found, ModuleType) else None

    def _is_local(self, name: str) -> bool:
        return name in self.hidden or any(name in scope.locals for scope in self.scopes)
