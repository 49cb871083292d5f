"""How control leaves a statement: which jumps it may make, and whether what follows can be reached."""

from __future__ import annotations

import ast
from collections.abc import Sequence

NONE: frozenset[str] = frozenset()
LOOP_JUMPS = frozenset({"break", "continue"})

Loop = ast.While | ast.For
Block = Sequence[ast.stmt]


class Exits:
    """Finds the jumps out of statements, and remembers them."""

    def __init__(self) -> None:
        self._jumps: dict[int, frozenset[str]] = {}
        self._falls: dict[int, bool] = {}
        self._keep: list[ast.stmt] = []

    def jumps(self, node: ast.stmt) -> frozenset[str]:
        """Which of break, continue and return leave a statement."""
        found = self._jumps.get(id(node))
        if found is None:
            found = self._jumps[id(node)] = self._find_jumps(node)
            self._keep.append(node)
        return found

    def _find_jumps(self, node: ast.stmt) -> frozenset[str]:
        if isinstance(node, ast.Return):
            return frozenset({"return"})
        if isinstance(node, ast.Break):
            return frozenset({"break"})
        if isinstance(node, ast.Continue):
            return frozenset({"continue"})
        if isinstance(node, Loop):
            return (self.jumps_of(node.body) - LOOP_JUMPS) | self.jumps_of(node.orelse)
        return NONE.union(*(self.jumps_of(block) for block in blocks_of(node)))

    def jumps_of(self, block: Block) -> frozenset[str]:
        """Which jumps leave a block."""
        found: set[str] = set()
        for node in block:
            found |= self.jumps(node)
        return frozenset(found)

    def falls_through(self, block: Block) -> bool:
        """Whether the end of a block may be reached."""
        return all(self._falls_through(node) for node in block)

    def _falls_through(self, node: ast.stmt) -> bool:
        if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            return False
        if not isinstance(node, (ast.If, ast.While, ast.For, ast.Try)):
            return True  # a `with` may swallow the exception that ends its block
        found = self._falls.get(id(node))
        if found is None:
            found = self._falls[id(node)] = self._find_fall(node)
            self._keep.append(node)
        return found

    def _find_fall(self, node: ast.If | ast.While | ast.For | ast.Try) -> bool:
        if isinstance(node, ast.If):
            return self.falls_through(node.body) or self.falls_through(node.orelse)
        if isinstance(node, Loop):
            if "break" in self.jumps_of(node.body):
                return True
            return not is_endless(node) and self.falls_through(node.orelse)
        if not self.falls_through(node.finalbody):
            return False
        ends = any(self.falls_through(handler.body) for handler in node.handlers)
        return ends or (self.falls_through(node.body) and self.falls_through(node.orelse))


def is_endless(node: Loop) -> bool:
    """Whether a loop ends by jumps only: `while True`."""
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)


def blocks_of(node: ast.AST) -> list[list[ast.stmt]]:
    """The blocks of a compound statement that belong to the same function."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    found = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
    if isinstance(node, ast.Match):
        found = [case.body for case in node.cases]
    found += [handler.body for handler in getattr(node, "handlers", ())]
    return [block for block in found if block]
