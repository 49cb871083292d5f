"""What expressions of the user's program are called: by the name that they are assigned to, or as they are written."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache

LONGEST = 48
"""Characters of an expression that are shown."""

_OPERATIONS = (ast.BinOp, ast.BoolOp, ast.Call, ast.Compare, ast.IfExp, ast.Subscript, ast.UnaryOp)
_OTHERS = (ast.Attribute, ast.Constant, ast.GeneratorExp, ast.ListComp, ast.Name, ast.Tuple)


def expression_at(file: str, line: int, column: int) -> str:
    """The name of the expression that begins at a line and column, which counts from 1; empty if there is none.

    Expressions that begin at one place are parts of each other: the largest is meant.
    """
    found = _expressions(file, tuple(linecache.getlines(file))).get((line, column - 1))
    return found or ""


@lru_cache(maxsize=64)
def _expressions(file: str, lines: tuple[str, ...]) -> dict[tuple[int, int], str]:
    """The expressions of a file by their beginnings."""
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[tuple[int, int], tuple[tuple[int, ...], str]] = {}
    encoded = [text.encode() for text in lines]
    for node, name in _named(tree):
        is_operation = isinstance(node, _OPERATIONS)
        rank = (int(is_operation), node.end_lineno or 0, node.end_col_offset or 0)
        place = node.lineno, node.col_offset
        if place not in found or found[place][0] < rank:
            found[place] = rank, name or _text(node, encoded)
    return {place: text for place, (_, text) in found.items()}


def _named(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """All expressions, those that are assigned to one name with it."""
    names: dict[ast.expr, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                names[node.value] = target.id
        if isinstance(node, (*_OPERATIONS, *_OTHERS)):
            yield node, names.get(node, "")


def _text(node: ast.expr, lines: list[bytes]) -> str:
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    end = node.end_col_offset or 0
    if first == last:
        text = lines[first][node.col_offset : end]
    else:
        text = b" ".join([lines[first][node.col_offset :], *lines[first + 1 : last], lines[last][:end]])
    shown = " ".join(text.decode(errors="replace").split())
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 4]} ..."


__all__ = ["expression_at"]
