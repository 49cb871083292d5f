"""Refuses code that is nested so deep that converting or compiling it might exhaust a stack."""

from __future__ import annotations

import ast

from .emitter import Context
from .unsupported import unsupported

MAX_DEPTH = 100
"""How deep statements and expressions may be nested; Python itself allows 100 levels of indentation."""


def require_bounded_depth(root: ast.AST, context: Context) -> None:
    """Raise ConversionError at the first node that is nested too deep.

    Long sums (`a + b + c ...`) and `elif` chains are not counted, since they are walked without recursion.
    """
    stack: list[tuple[ast.AST, int]] = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise unsupported(
                context,
                node,
                f"code that is nested more than {MAX_DEPTH} levels deep",
                "divide it into functions",
            )
        flat = _flat_child(node)
        for child in ast.iter_child_nodes(node):
            counts = isinstance(child, (ast.expr, ast.stmt, ast.pattern)) and child is not flat
            stack.append((child, depth + counts))


def _flat_child(node: ast.AST) -> ast.AST | None:
    """The child that does not count as a level."""
    if isinstance(node, ast.BinOp):
        return node.left
    if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        return node.orelse[0]
    return None
