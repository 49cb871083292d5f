"""Generator functions as functions that call their consumer: `yield v` becomes `if consumer(v): return`.

The consumer is the body of the loop that walks the generator; it says whether the loop is left. Then the generator
ends where it stands, and its `finally` blocks run, as Python does it when it drops the generator.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from . import build
from .exits import blocks_of
from .generated import Names
from .uses import FunctionNode


def consumed(node: ast.FunctionDef, names: Names) -> ast.FunctionDef:
    """The definition with the consumer as its first parameter; `why_not_consumed` must have nothing on it."""
    consumer = names.fresh("yield")
    body = _Rewriter(consumer, names).block(node.body)
    first = ast.arg(consumer, **build.place(node.body[0]))
    arguments = build.copied(node.args, posonlyargs=[first, *node.args.posonlyargs])
    return build.copied(node, args=arguments, body=body)


def why_not_consumed(node: FunctionNode) -> str | None:
    """Why a generator function cannot call its consumer; None where it can."""
    if not isinstance(node, ast.FunctionDef):
        return "it is a generator, and not written as a plain function"
    statements = list(_statements(node.body))
    allowed = {id(s.value) for s in statements if isinstance(s, ast.Expr)}
    for found in _own_nodes(node.body):
        if isinstance(found, (ast.Yield, ast.YieldFrom)) and id(found) not in allowed:
            return f"it is a generator that uses the value of a yield (line {found.lineno})"
    return None


def why_only_around(node: ast.FunctionDef) -> str | None:
    """Why a generator function can only run around a block, as a context manager; None where a loop can walk it.

    What a block raises goes through the `yield`, and what the body of a loop raises does not.
    """
    for statement in _statements(node.body):
        if isinstance(statement, ast.Try):
            guarded = statement.body if statement.handlers else []
            if is_generator([*guarded, *statement.finalbody]):
                return f"it is a generator that yields in a try or finally block (line {statement.lineno})"
    return None


def is_generator(block: Sequence[ast.AST]) -> bool:
    """Whether the body of a function makes it a generator function."""
    return any(isinstance(found, (ast.Yield, ast.YieldFrom)) for found in _own_nodes(block))


class _Rewriter:
    """Rewrites the statements of a generator function."""

    def __init__(self, consumer: str, names: Names) -> None:
        self._consumer = consumer
        self._names = names

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The rewritten statements."""
        return [new for node in statements for new in self._statement(node)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield):
            value = node.value.value or build.constant(None, node.value)
            return [self._given(value, node.value)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.YieldFrom):
            return [self._all_given(node.value)]
        if isinstance(node, ast.Return):
            ended = ast.Return(None, **build.place(node))
            return [ended] if node.value is None else [build.statement(node.value), ended]
        changes: dict[str, Any] = {}
        if blocks_of(node):
            for field in ("body", "orelse", "finalbody"):
                if getattr(node, field, None):
                    changes[field] = self.block(getattr(node, field))
            for field in ("handlers", "cases"):
                if getattr(node, field, None):
                    inner = getattr(node, field)
                    changes[field] = [build.copied(part, body=self.block(part.body)) for part in inner]
        return [build.copied(node, **changes) if changes else node]

    def _given(self, value: ast.expr, where: ast.AST) -> ast.stmt:
        """`if consumer(value): return`."""
        called = ast.Call(build.load(self._consumer, where), [value], [], **build.place(where))
        return ast.If(called, [ast.Return(None, **build.place(where))], [], **build.place(where))

    def _all_given(self, node: ast.YieldFrom) -> ast.stmt:
        """`for item in items: if consumer(item): return`."""
        item = self._names.fresh("item")
        body = [self._given(build.load(item, node), node)]
        return ast.For(build.store(item, node), node.value, body, [], **build.place(node))


def _statements(block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a function, those of nested functions left out."""
    for node in block:
        yield node
        for inner in blocks_of(node):
            yield from _statements(inner)


def _own_nodes(block: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of a function, those of nested functions left out."""
    stack = list(block)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        yield node
        stack.extend(ast.iter_child_nodes(node))
