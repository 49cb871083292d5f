"""Which names a piece of a function reads and binds, nested functions told apart.

`Names of a scope` are those of one function: a nested function or lambda has a scope of its own, and what it reads
of the outer one is *captured*, since it may be read at any later time. A comprehension has a scope of its own too,
but runs at once; only a generator expression captures.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

from ....dialect.records import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass
class Uses:
    """The names that a piece of code uses in its own scope."""

    loads: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    """Bound: assigned, imported, defined, or deleted."""
    imports: set[str] = field(default_factory=set)
    """Bound by `import module` (also part of `stores`)."""
    assigned: set[str] = field(default_factory=set)
    """Bound by anything else (also part of `stores`)."""
    annotated: set[str] = field(default_factory=set)
    """Declared by `name: type` without a value."""
    captured: set[str] = field(default_factory=set)
    """Of this or an outer scope, used in nested functions."""
    rebound: set[str] = field(default_factory=set)
    """Of this or an outer scope, assigned by nested functions."""
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    """Called by their bare names."""
    yields: bool = False

    def add(self, other: Uses) -> None:
        """Add what a part of the code uses."""
        for name in _SETS:
            getattr(self, name).update(getattr(other, name))
        self.yields = self.yields or other.yields

    def bind(self, name: str) -> None:
        """Note an assignment."""
        self.stores.add(name)
        self.assigned.add(name)


_SETS = [name for name, value in vars(Uses()).items() if isinstance(value, set)]


class UseTable:
    """Finds the uses of nodes, and remembers them."""

    def __init__(self) -> None:
        self._found: dict[int, Uses] = {}
        self._keep: list[ast.AST] = []

    def of(self, node: ast.AST) -> Uses:
        """The uses of a statement or expression, with all that is in it."""
        uses = self._found.get(id(node))
        if uses is None:
            uses = self._found[id(node)] = _find([node], self)
            self._keep.append(node)
        return uses

    def of_all(self, nodes: Iterable[ast.AST]) -> Uses:
        """The uses of several nodes together."""
        total = Uses()
        for node in nodes:
            total.add(self.of(node))
        return total

    def free_of(self, node: FunctionNode) -> tuple[set[str], set[str]]:
        """The names of outer scopes that a function uses, and those of them that it assigns."""
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        inner = self.of_all(body)
        own = (
            (set(parameter_names(node.args)) | inner.stores | inner.annotated)
            - inner.globals
            - inner.nonlocals
        )
        used = (inner.loads | inner.stores | inner.captured | inner.nonlocals) - own - inner.globals
        return used, (inner.nonlocals & inner.stores) | (inner.rebound - own)


def parameter_names(arguments: ast.arguments) -> list[str]:
    """All parameters of a function."""
    nodes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    nodes += [node for node in (arguments.vararg, arguments.kwarg) if node is not None]
    return [node.arg for node in nodes]


def target_names(target: ast.expr) -> Iterator[str]:
    """The names that an assignment target binds."""
    stack = [target]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, (ast.Tuple, ast.List)):
            stack.extend(node.elts)
        elif isinstance(node, ast.Starred):
            stack.append(node.value)


def _find(nodes: list[ast.AST], table: UseTable) -> Uses:
    """Walk over nodes without recursion, but for comprehensions and nested functions."""
    uses = Uses()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        finder = _FINDERS.get(type(node))
        if finder is None:
            stack.extend(ast.iter_child_nodes(node))
        else:
            stack.extend(finder(node, uses, table))
    return uses


def _name(node: ast.Name, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    if isinstance(node.ctx, ast.Store):
        uses.bind(node.id)
    elif isinstance(node.ctx, ast.Del):
        uses.bind(node.id)
        uses.loads.add(node.id)
    else:
        uses.loads.add(node.id)
    return ()


def _call(node: ast.Call, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    if isinstance(node.func, ast.Name):
        uses.calls.add(node.func.id)
    return ast.iter_child_nodes(node)


def _aug_assign(node: ast.AugAssign, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    if isinstance(node.target, ast.Name):
        uses.loads.add(node.target.id)
    return ast.iter_child_nodes(node)


def _ann_assign(node: ast.AnnAssign, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    if node.value is None and isinstance(node.target, ast.Name):
        uses.annotated.add(node.target.id)
        return ()
    return (node.target, *([node.value] if node.value is not None else []))


def _import(node: ast.Import | ast.ImportFrom, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        uses.stores.add(name)
        (uses.imports if isinstance(node, ast.Import) else uses.assigned).add(name)
    return ()


def _declaration(node: ast.Global | ast.Nonlocal, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    (uses.globals if isinstance(node, ast.Global) else uses.nonlocals).update(node.names)
    return ()


def _binding_name(node: Any, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    if node.name is not None:
        uses.bind(node.name)
    return ast.iter_child_nodes(node)


def _match_mapping(node: ast.MatchMapping, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    if node.rest is not None:
        uses.bind(node.rest)
    return ast.iter_child_nodes(node)


def _yield(node: ast.AST, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    uses.yields = True
    return ast.iter_child_nodes(node)


def _function(node: FunctionNode, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    used, rebound = table.free_of(node)
    uses.captured.update(used)
    uses.rebound.update(rebound)
    outside: list[ast.AST] = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
    if not isinstance(node, ast.Lambda):
        uses.bind(node.name)
        outside += node.decorator_list
        outside += annotations_of(node)
        for parameter in getattr(node, "type_params", ()):
            uses.captured.update(table.of(parameter).loads)
    return outside


def annotations_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """The annotations of a function: they run where it is defined."""
    arguments = node.args
    nodes = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    nodes += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
    found = [parameter.annotation for parameter in nodes] + [node.returns]
    return [annotation for annotation in found if annotation is not None]


def _class(node: ast.ClassDef, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    uses.bind(node.name)
    inner = table.of_all(node.body)
    uses.captured.update((inner.loads | inner.stores | inner.captured | inner.nonlocals) - inner.globals)
    uses.rebound.update(inner.rebound | (inner.nonlocals & inner.stores))
    return (*node.decorator_list, *node.bases, *node.keywords)


def _comprehension(node: Comprehension, uses: Uses, table: UseTable) -> Iterable[ast.AST]:
    inner = Uses()
    own: set[str] = set()
    for index, clause in enumerate(node.generators):
        own.update(target_names(clause.target))
        inner.add(_find([clause.target, *clause.ifs, *([clause.iter] if index else [])], table))
    results: list[ast.AST] = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    inner.add(_find(results, table))
    # What is bound beside the targets is bound by `:=`, in the function around.
    inner.stores -= own
    inner.assigned -= own
    inner.captured -= own
    inner.rebound -= own
    inner.loads -= own
    if isinstance(node, ast.GeneratorExp):
        inner.captured |= inner.loads | inner.stores
        inner.rebound |= inner.stores
    uses.add(inner)
    return (node.generators[0].iter,)


_FINDERS: dict[type[ast.AST], Any] = {
    ast.Name: _name,
    ast.Call: _call,
    ast.AugAssign: _aug_assign,
    ast.AnnAssign: _ann_assign,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Global: _declaration,
    ast.Nonlocal: _declaration,
    ast.ExceptHandler: _binding_name,
    ast.MatchAs: _binding_name,
    ast.MatchStar: _binding_name,
    ast.MatchMapping: _match_mapping,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.Lambda: _function,
    ast.ClassDef: _class,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.GeneratorExp: _comprehension,
}


@dataclass(frozen=True)
class Scope:
    """The variables of one function of the user's."""

    name: str
    parameters: tuple[str, ...]
    uses: Uses
    locals: frozenset[str]
    """Its own variables, parameters included."""
    first_parameter: str | None = None
    """The first positional one: what `super()` means."""

    @property
    def globals(self) -> set[str]:
        """Names declared `global`."""
        return self.uses.globals

    @property
    def nonlocals(self) -> set[str]:
        """Names declared `nonlocal`."""
        return self.uses.nonlocals


def scope_of(name: str, arguments: ast.arguments, body: Iterable[ast.AST], table: UseTable) -> Scope:
    """The scope of a function with these parameters and this body."""
    uses = table.of_all(body)
    own = parameter_names(arguments)
    found = (set(own) | uses.stores | uses.annotated) - uses.globals - uses.nonlocals
    positional = [*arguments.posonlyargs, *arguments.args]
    first = positional[0].arg if positional else None
    return Scope(name, tuple(own), uses, frozenset(found), first)
