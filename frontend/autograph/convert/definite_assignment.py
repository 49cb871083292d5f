"""Which reads may meet a name that has no value (definite assignment, a forward analysis).

A state is a Python integer with one bit per name that surely has a value; -1 is the state of code that is never
reached.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence, Set

from .exits import Loop, is_endless
from .uses import Scope, UseTable, target_names

UNREACHED = -1
_COMPREHENSIONS_INLINED = sys.version_info >= (3, 12)


class DefiniteAssignment:
    """Finds the names of a function that are read where they may be unbound."""

    def __init__(self, scope: Scope, table: UseTable, known: Set[str] = frozenset()) -> None:
        """Analyse a function; `known` are names that are never read unbound."""
        self._bits = {name: 1 << index for index, name in enumerate(sorted(scope.locals - known))}
        self._parameters = scope.parameters
        self._table = table
        self._breaks: list[int] = []
        self._continues: list[int] = []
        self._unbinding = 0
        """Names that leaving the present handlers and `finally` blocks, up to the loop around, unbinds."""
        self.unbound: set[int] = set()
        """The `id` of name nodes that read (or delete, or update) a name which may be unbound."""
        self.free: set[int] = set()
        """Those of them that stand in comprehensions and classes, which Python runs as functions."""
        self.tried: set[str] = set()
        """Names that get their first value where that may not come to pass, although they have one where they are read.

        That is in the body of a `try`, which may be left before, or by `:=` in an operand that may not be evaluated.
        """
        self.at_times: set[str] = set()
        """Names without a value where some statement, a loop or branch, has not run, or where it deleted them."""

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Analyse a function body."""
        self._block(body, self._mask(self._parameters))

    def _mask(self, names: Sequence[str] | set[str]) -> int:
        mask = 0
        for name in names:
            mask |= self._bits.get(name, 0)
        return mask

    def _block(self, block: Sequence[ast.stmt], state: int) -> int:
        for node in block:
            state = self._statement(node, state)
        return state

    def _statement(self, node: ast.stmt, state: int) -> int:
        if isinstance(node, (ast.If, Loop, ast.Try, ast.With, ast.Match)):
            unsure = ~state | self._deleted_in([node])
            self.at_times |= {n for n in self._table.of(node).stores if unsure & self._mask({n})}
        if isinstance(node, ast.If):
            true, false = self._condition(node.test, state)
            return self._block(node.body, true) & self._block(node.orelse, false)
        if isinstance(node, Loop):
            return self._loop(node, state)
        if isinstance(node, ast.Try):
            return self._try(node, state)
        if isinstance(node, ast.With):
            return self._with(node, state)
        if isinstance(node, ast.Match):
            return self._match(node, state)
        return self._simple(node, state)

    def _simple(self, node: ast.stmt, state: int) -> int:
        if isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                self._read(node.target, state)
            return self._expressions(node, state) | self._mask(self._table.of(node).stores)
        state = self._expressions(node, state)
        if isinstance(node, ast.Delete):
            return state & ~self._mask(set(_deleted(node.targets)))
        if isinstance(node, (ast.Return, ast.Raise)):
            return UNREACHED
        # What follows a jump that is decided at run time is recorded with the values of both paths.
        if isinstance(node, ast.Break):
            self._breaks[-1] &= state & ~self._unbinding
        if isinstance(node, ast.Continue):
            self._continues[-1] &= state & ~self._unbinding
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            assigned = {name for target in targets for name in target_names(target)}
            return state | self._mask(assigned) if node.value is not None else state
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return state | self._mask(self._table.of(node).stores)
        if isinstance(node, ast.ClassDef):
            self._read_all(names_read_by_class(node, self._table), state)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return state | self._mask({node.name})
        return state

    def _loop(self, node: Loop, state: int) -> int:
        head = self._expression(node.iter, state) if isinstance(node, ast.For) else state
        outer, self._unbinding = self._unbinding, 0
        while True:
            self._breaks.append(UNREACHED)
            self._continues.append(UNREACHED)
            inside, done = self._condition(node.test, head) if isinstance(node, ast.While) else (head, head)
            if isinstance(node, ast.For):
                inside = self._expression(node.target, inside) | self._mask(set(target_names(node.target)))
            end = self._block(node.body, inside)
            again = head & end & self._continues.pop()
            broken = self._breaks.pop()
            if again == head:
                break
            head = again
        self._unbinding = outer
        done = UNREACHED if is_endless(node) else self._block(node.orelse, done)
        # Where the loop is recorded, what it binds is known to be bound at run time only.
        return state & done & broken if done & broken != UNREACHED else UNREACHED

    def _try(self, node: ast.Try, state: int) -> int:
        outer = self._unbinding
        self._unbinding |= self._deleted_in(node.finalbody)
        self.tried |= {n for n in self._table.of_all(node.body).stores if not state & self._mask({n})}
        # An exception may come at any point: what the body deletes may be gone, what it assigns may be missing.
        failed = state & ~self._deleted_in(node.body)
        end = self._block(node.orelse, self._block(node.body, state))
        for handler in node.handlers:
            end &= self._handler(handler, failed)
        self._unbinding = outer
        if not node.finalbody:
            return end
        left = self._block(node.finalbody, state & ~self._deleted_in([node]))
        if UNREACHED in (left, end):
            return UNREACHED
        return (end & ~self._deleted_in(node.finalbody)) | left

    def _handler(self, node: ast.ExceptHandler, state: int) -> int:
        if node.type is not None:
            state = self._expression(node.type, state)
        own = self._mask({node.name} if node.name else set())
        outer = self._unbinding
        self._unbinding |= own
        end = self._block(node.body, state | own)
        self._unbinding = outer
        return end if end == UNREACHED else end & ~own

    def _with(self, node: ast.With, state: int) -> int:
        for item in node.items:
            state = self._expression(item.context_expr, state)
            if item.optional_vars is not None:
                state = self._expression(item.optional_vars, state)
                state |= self._mask(set(target_names(item.optional_vars)))
        # The context manager may swallow an exception that comes anywhere in the block.
        return self._block(node.body, state) & state & ~self._deleted_in(node.body)

    def _match(self, node: ast.Match, state: int) -> int:
        state = self._expression(node.subject, state)
        end = state
        for case in node.cases:
            bound = self._mask(self._table.of(case.pattern).stores)
            end &= self._block(case.body, state | bound)
        return end

    def _deleted_in(self, block: Sequence[ast.stmt]) -> int:
        deleted: set[str] = set()
        for node in block:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Delete):
                    deleted.update(_deleted(inner.targets))
                elif isinstance(inner, ast.ExceptHandler) and inner.name:
                    deleted.add(inner.name)
        return self._mask(deleted)

    # Expressions

    def _read(self, node: ast.Name, state: int) -> None:
        if self._bits.get(node.id, 0) & ~state:
            self.unbound.add(id(node))

    def _read_all(self, names: Iterator[tuple[ast.Name, bool]], state: int) -> None:
        for name, is_free in names:
            self._read(name, state)
            if is_free:
                self.free.add(id(name))

    def _expressions(self, node: ast.AST, state: int) -> int:
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            children += [
                default for default in node.args.defaults + node.args.kw_defaults if default is not None
            ]
        for child in children:
            if isinstance(child, ast.expr):
                state = self._expression(child, state)
        return state

    def _expression(self, node: ast.expr, state: int) -> int:
        """The state after an expression; only `:=` changes it."""
        if any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
            return self._ordered(node, state)
        self._read_all(_names_read(node), state)
        return state

    def _condition(self, node: ast.expr, state: int) -> tuple[int, int]:
        """The states where a condition holds and where it does not."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            true, false = self._condition(node.operand, state)
            return false, true
        if not isinstance(node, ast.BoolOp):
            state = self._expression(node, state)
            return state, state
        is_and = isinstance(node.op, ast.And)
        decided, going = UNREACHED, state
        self._try_names(node.values[1:], state)
        for value in node.values:
            true, false = self._condition(value, going)
            going = true if is_and else false
            decided &= false if is_and else true
        return (going, decided) if is_and else (decided, going)

    def _ordered(self, node: ast.AST, state: int) -> int:
        """As `_expression`, in the order of evaluation."""
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Store):
                self._read(node, state)
            return state
        if isinstance(node, ast.NamedExpr):
            return self._ordered(node.value, state) | self._mask({node.target.id})
        if isinstance(node, ast.BoolOp):
            return self._first(node.values, 1, state)
        if isinstance(node, ast.Compare):
            return self._first([node.left, *node.comparators], 2, state)
        if isinstance(node, ast.IfExp):
            true, false = self._condition(node.test, state)
            self._try_names([node.body, node.orelse], true & false)
            return self._ordered(node.body, true) & self._ordered(node.orelse, false)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            outside = self._ordered(node.generators[0].iter, state)
            self._read_all(_comprehension_names(node), outside)
            return outside
        for child in _defaults(node.args) if isinstance(node, ast.Lambda) else ast.iter_child_nodes(node):
            state = self._ordered(child, state)
        return state

    def _first(self, nodes: Sequence[ast.expr], sure: int, state: int) -> int:
        """The state after the first few of some expressions, which are evaluated for sure; the others may be."""
        for node in nodes[:sure]:
            state = self._ordered(node, state)
        after = state
        self._try_names(nodes[sure:], state)
        for node in nodes[sure:]:
            state = self._ordered(node, state)
        return after

    def _try_names(self, nodes: Sequence[ast.expr], state: int) -> None:
        """Note the names that expressions bind which may not be evaluated."""
        for node in nodes:
            for inner in ast.walk(node):
                if isinstance(inner, ast.NamedExpr) and not state & self._mask({inner.target.id}):
                    self.tried.add(inner.target.id)


def _deleted(targets: Sequence[ast.expr]) -> Iterator[str]:
    for target in targets:
        yield from target_names(target)


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    """What is evaluated where a function is defined."""
    return [default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None]


def names_read_by_class(node: ast.ClassDef, table: UseTable) -> Iterator[tuple[ast.Name, bool]]:
    """The names of the scope around that the body of a class surely reads; its own are no names of functions."""
    own = table.of_all(node.body).stores
    for statement in node.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) and statement.value is not None:
            yield from ((name, True) for name, _ in _names_read(statement.value) if name.id not in own)


def _names_read(node: ast.AST) -> Iterator[tuple[ast.Name, bool]]:
    """The names that an expression reads in the scope around it, each before anything in it is assigned.

    And whether they are free names of a function that Python makes of a part of it.
    """
    stack = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Name):
            if not isinstance(inner.ctx, ast.Store):
                yield inner, False
        elif isinstance(inner, ast.Lambda):
            stack += _defaults(inner.args)
        elif isinstance(inner, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            stack.append(inner.generators[0].iter)
            yield from _comprehension_names(inner)
        else:
            stack.extend(ast.iter_child_nodes(inner))


def _comprehension_names(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
) -> Iterator[tuple[ast.Name, bool]]:
    """The names of the scope around that a comprehension reads beside its first iterable.

    Where a comprehension is a function of its own, or runs later, they are the free names of that.
    """
    is_function = isinstance(node, ast.GeneratorExp) or not _COMPREHENSIONS_INLINED
    own = {name for clause in node.generators for name in target_names(clause.target)}
    parts: list[ast.AST] = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for index, clause in enumerate(node.generators):
        parts += [*clause.ifs, *([clause.iter] if index else [])]
    for part in parts:
        for name, is_free in _names_read(part):
            if name.id not in own:
                yield name, is_free or is_function
