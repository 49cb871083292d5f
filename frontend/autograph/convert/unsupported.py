"""The error for syntax that cannot be converted: what it is, where it stands, and what to write instead."""

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
