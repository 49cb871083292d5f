"""Blocks: what follows a statement that may break, continue or return becomes a function of its own.

A jump is a status that functions return: `return weft_.BREAK`, or `return_ = value; return weft_.RETURN`. After a
statement that may jump, `weft_.then_(exit, rest)` runs the rest of the block unless it did. Where one side of an `if`
always jumps, the rest simply joins the other side.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from . import build
from .generated import nothing
from .statements import StatementConverter

MAX_NESTED = 24
"""How many statements that may jump are nested before a block is cut: Python refuses deep nests."""


class BlockConverter(StatementConverter):
    """Converts blocks of statements; the class that conversions are made with."""

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Convert statements; nothing follows them in the present function (or an inner block of it)."""
        cuts = self._cuts(statements) if self.body.is_generated else []
        if cuts:
            self._parts(statements, cuts)
            return
        for index, node in enumerate(statements):
            if self._jumps_inside(node):
                if not self.body.is_generated:
                    self._result(statements[index:])
                else:
                    self._leaving(node, statements[index + 1 :])
                return
            if not self._jump(node):
                self.statement(node)
            if not self.exits.falls_through([node]):
                return

    def _jumps_inside(self, node: ast.stmt) -> bool:
        """Whether a statement may jump, or not, so that what follows depends on it."""
        if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
            return False
        return bool(self.exits.jumps(node))

    # Jumps

    def _jump(self, node: ast.stmt) -> bool:
        """Convert a jump; False for another statement."""
        if isinstance(node, ast.Return):
            self._return(node)
        elif isinstance(node, ast.Break):
            self.emit(ast.Return(build.operator("BREAK", node), **build.place(node)))
        elif isinstance(node, ast.Continue):
            self.emit(ast.Return(build.operator("CONTINUE", node), **build.place(node)))
        else:
            return False
        return True

    def _return(self, node: ast.Return) -> None:
        value = nothing(node) if node.value is None else self.expr(node.value)
        if not self.body.is_generated:
            self.emit(build.copied(node, value=value if node.value is not None else None))
            return
        self.body.bound.add(self.returned)
        self.emit(build.assign(self.returned, value, node))
        self.emit(ast.Return(build.operator("RETURN", node), **build.place(node)))

    def _result(self, statements: Sequence[ast.stmt]) -> None:
        """The rest of a function, from the first statement that may return on the way."""
        where = _head(statements[0])
        with self.generated() as inner:
            self.block(statements)
        # The operator finds the value through the variable.
        inner.bound.add(self.returned)
        function = self.define("result", inner, where)
        arguments: list[ast.expr] = [function]
        if self.returned != build.RETURNED:
            arguments.append(build.constant(self.returned, where))
        self.emit(ast.Return(build.call("result", arguments, where), **build.place(where)))

    def _leaving(self, node: ast.stmt, rest: Sequence[ast.stmt]) -> None:
        """A statement that may jump, in a generated function, and what follows it."""
        if not self.exits.falls_through([node]):
            rest = ()
        where = _head(node)
        if isinstance(node, ast.If) and (not rest or not self._both_fall(node)):
            self.emit(ast.Return(self._joined_branch(node, rest), **build.place(where)))
            return
        name = self.names.fresh("exit")
        status = self.compound(node)
        if rest:
            self.emit(build.assign(name, status, where))
            self._then(name, node, rest)
        else:
            self.emit(ast.Return(status, **build.place(where)))

    def _both_fall(self, node: ast.If) -> bool:
        return self.exits.falls_through(node.body) and self.exits.falls_through(node.orelse)

    def _joined_branch(self, node: ast.If, rest: Sequence[ast.stmt]) -> ast.expr:
        """An `if` with a side that always jumps: what follows belongs to the other side."""
        then, otherwise = list(node.body), list(node.orelse)
        if not self.exits.falls_through(then):
            otherwise += rest
        elif not self.exits.falls_through(otherwise):
            then += rest
        return self.branch(node.test, then, otherwise, [node, *rest])

    def _then(self, status: str, node: ast.stmt, rest: Sequence[ast.stmt]) -> None:
        """`return weft_.then_(exit, rest)`."""
        where = _head(rest[0])
        function = self.function_of("rest", rest, where)
        arguments = [build.load(status, where), function]
        value = build.call("then_", arguments, where, self.dead_keyword(rest, where, [node]))
        self.emit(ast.Return(value, **build.place(where)))

    # Long blocks

    def _cuts(self, statements: Sequence[ast.stmt]) -> list[int]:
        """Where to cut a block, so that not too many functions are nested."""
        cuts = []
        weight = 0
        for index, node in enumerate(statements):
            if not self._jumps_inside(node):
                continue
            own = _branches(node)
            if weight and weight + own > MAX_NESTED:
                cuts.append(index)
                weight = 0
            weight += own
        return cuts

    def _parts(self, statements: Sequence[ast.stmt], cuts: Sequence[int]) -> None:
        """A long block as functions that run after each other, unless one jumps."""
        ends = [*cuts, len(statements)]
        status = self.names.fresh("exit")
        start = 0
        for end in ends:
            part = statements[start:end]
            where = _head(part[0])
            function = self.function_of("part", part, where)
            if start == 0:
                value = ast.Call(function, [], [], **build.place(where))
            else:
                arguments = [build.load(status, where), function]
                keywords = self.dead_keyword(part, where, statements[:start])
                value = build.call("then_", arguments, where, keywords)
            if end == len(statements):
                self.emit(ast.Return(value, **build.place(where)))
            else:
                self.emit(build.assign(status, value, where))
            start = end


def _branches(node: ast.stmt) -> int:
    """How deep the rest of a block may be nested by joining the sides of a statement."""
    count = 1
    while isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        count += 1
    return count


def _head(node: ast.stmt) -> ast.AST:
    """The first line of a statement: what a traceback should show of it."""
    if isinstance(node, (ast.If, ast.While)):
        return node.test
    if isinstance(node, ast.For):
        return node.iter
    if isinstance(node, ast.Try):
        return build.start_of(node, len("try"))
    if isinstance(node, ast.With):
        return node.items[0].context_expr
    return node
