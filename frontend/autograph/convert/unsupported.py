"""Code that cannot be converted, as what is nested too deep: what it is, where it stands, and what to write instead."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ....dialect.errors import ConversionError

if TYPE_CHECKING:
    from .emitter import Context


def unsupported(context: Context, node: ast.AST, what: str, instead: str) -> ConversionError:
    """An error at a node, with its source line and a caret."""
    line = getattr(node, "lineno", 1)
    text = context.lines[line - 1].rstrip("\n") if 0 < line <= len(context.lines) else None
    # The tree counts columns in bytes of UTF-8.
    column = _characters(text, getattr(node, "col_offset", 0))
    same_line = getattr(node, "end_lineno", line) == line
    end = _characters(text, getattr(node, "end_col_offset", 0)) if same_line else column
    message = f"{what} cannot be compiled: {instead}"
    details = (context.filename, line, column + 1, text, line, max(end, column + 1) + 1)
    return ConversionError(message, details)


def _characters(text: str | None, offset: int) -> int:
    return len(text.encode()[:offset].decode(errors="ignore")) if text is not None else offset


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
