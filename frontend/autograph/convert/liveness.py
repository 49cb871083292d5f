"""Which variables may still be read after a statement (a backward analysis over the statements of a function).

Sets of names are Python integers with one bit per name: functions with thousands of names stay cheap. Names that
nested functions use have no bit: they may be read at any time, so they are never dead.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....dialect.records import dataclass, replace
from .exits import Exits, Loop, blocks_of
from .uses import Scope, Uses, UseTable


@dataclass(frozen=True)
class Targets:
    """What is live at the places that jumps lead to."""

    break_: int = 0
    continue_: int = 0
    return_: int = 0
    raise_: int = 0

    def of(self, jumps: frozenset[str]) -> int:
        """What is live where any of these jumps lead."""
        live = self.break_ if "break" in jumps else 0
        live |= self.continue_ if "continue" in jumps else 0
        return live | (self.return_ if "return" in jumps else 0)


class Liveness:
    """The live names after each statement of a function."""

    def __init__(self, scope: Scope, table: UseTable, exits: Exits, *, all_live: bool = False) -> None:
        tracked = set() if all_live else scope.locals - scope.uses.captured
        self._names = sorted(tracked)
        self._bits = {name: 1 << index for index, name in enumerate(self._names)}
        self._table = table
        self._exits = exits
        self._after: dict[int, int] = {}
        self._jumps: dict[int, int] = {}
        self._heads: dict[int, int] = {}

    def dead(self, statements: Sequence[ast.stmt], before: Sequence[ast.stmt] = ()) -> list[str]:
        """The names that consecutive statements bind and nothing reads afterwards, in whatever way they end.

        Where they run only if statements `before` them do not jump, they also end by those jumps.
        """
        live = 0
        bound = 0
        for node in statements:
            bound |= self._bound(node)
        if not bound:
            return []
        if self._exits.falls_through(statements):
            live |= self._after[id(statements[-1])]
        for node in (*before, *statements):
            live |= self._jumps[id(node)]
        if isinstance(statements[0], Loop) and len(statements) == 1:
            live |= self._heads.get(id(statements[0]), 0)
        return self._listed(bound & ~live)

    def run(self, body: Sequence[ast.stmt]) -> None:
        """Analyse a function body."""
        self._block(body, 0, Targets())

    def _listed(self, bits: int) -> list[str]:
        found = []
        while bits:
            low = bits & -bits
            found.append(self._names[low.bit_length() - 1])
            bits ^= low
        return found

    def _mask(self, names: set[str]) -> int:
        mask = 0
        for name in names:
            mask |= self._bits.get(name, 0)
        return mask

    def _bound(self, node: ast.stmt) -> int:
        return self._mask(self._table.of(node).stores)

    def _reads(self, *nodes: ast.AST | None) -> int:
        mask = 0
        for node in nodes:
            if node is not None:
                mask |= self._mask(self._table.of(node).loads)
        return mask

    def _block(self, block: Sequence[ast.stmt], after: int, targets: Targets) -> int:
        """The names live before a block."""
        for node in reversed(block):
            self._after[id(node)] = self._after.get(id(node), 0) | after
            jumps = targets.of(self._exits.jumps(node)) | targets.raise_
            self._jumps[id(node)] = self._jumps.get(id(node), 0) | jumps
            after = self._statement(node, after, targets) | targets.raise_
        return after

    def _statement(self, node: ast.stmt, after: int, targets: Targets) -> int:
        if isinstance(node, ast.If):
            body = self._block(node.body, after, targets)
            return body | self._block(node.orelse, after, targets) | self._reads(node.test)
        if isinstance(node, Loop):
            return self._loop(node, after, targets)
        if isinstance(node, ast.Try):
            return self._try(node, after, targets)
        if isinstance(node, ast.With):
            inside = replace(targets, raise_=targets.raise_ | after)
            live = self._block(node.body, after, inside) | after
            entered = node.items[0].optional_vars  # is bound before anything in the block can raise
            bound = self._mask(set(_plain_names(entered))) if isinstance(entered, ast.Name) else 0
            return (live & ~bound) | self._reads(*node.items)
        if isinstance(node, ast.Match):
            for block in blocks_of(node):
                after |= self._block(block, after, targets)
            return after | self._mask(self._table.of(node).loads)
        return self._simple(node, after, targets)

    def _simple(self, node: ast.stmt, after: int, targets: Targets) -> int:
        uses = self._table.of(node)
        reads = self._mask(uses.loads)
        if isinstance(node, ast.Raise):
            return reads
        if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
            return reads | targets.of(self._exits.jumps(node))
        return (after & ~self._mask(_surely_bound(node, uses))) | reads

    def _loop(self, node: Loop, after: int, targets: Targets) -> int:
        end = self._block(node.orelse, after, targets)
        if isinstance(node, ast.While):
            reads, kills = self._reads(node.test), 0
        else:
            reads, kills = self._reads(node.target), self._mask(self._table.of(node.target).stores)
        head = self._heads.get(id(node), 0) | end | reads
        while True:
            inside = replace(targets, break_=after, continue_=head)
            found = head | (self._block(node.body, head, inside) & ~kills) | reads
            if found == head:
                break
            head = found
        self._heads[id(node)] = head
        return head | (self._reads(node.iter) if isinstance(node, ast.For) else 0)

    def _try(self, node: ast.Try, after: int, targets: Targets) -> int:
        if node.finalbody:
            ends = after | targets.break_ | targets.continue_ | targets.return_ | targets.raise_
            after = self._block(node.finalbody, ends, targets)
            targets = Targets(after, after, after, after)
        caught = 0
        for handler in node.handlers:
            caught |= self._block(handler.body, after, targets) | self._reads(handler.type)
        inside = replace(targets, raise_=targets.raise_ | caught)
        end = self._block(node.orelse, after, targets)
        return self._block(node.body, end, inside) | inside.raise_


def _surely_bound(node: ast.stmt, uses: Uses) -> set[str]:
    """What a simple statement binds whenever it completes."""
    if isinstance(node, ast.Assign):
        return {name for target in node.targets for name in _plain_names(target)}
    if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        return set(_plain_names(node.target)) if node.value is not None else set()
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return uses.stores
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    return set()


def _plain_names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for item in target.elts for name in _plain_names(item)]
    return _plain_names(target.value) if isinstance(target, ast.Starred) else []
