"""What expressions of the user's program are called: by the name that they are assigned to, or as they are written."""

from __future__ import annotations

import ast
import linecache
import math
from collections.abc import Iterator
from functools import lru_cache

from ...dialect.records import NamedTuple

LONGEST = 48
"""Characters of an expression that are shown."""

_OPERATIONS = (ast.BinOp, ast.BoolOp, ast.Call, ast.Compare, ast.IfExp, ast.Subscript, ast.UnaryOp)
_OTHERS = (ast.Attribute, ast.Constant, ast.GeneratorExp, ast.ListComp, ast.Name, ast.Raise, ast.Tuple)


class _Found(NamedTuple):
    """What begins at a place of a file."""

    name: str
    access: str
    """Of its parts the one that reads an array's elements: `x[i]` of `x[i] + 1`; itself where there is none."""
    statement: int
    """The line on which the statement around begins."""


def expression_at(file: str, line: int, column: int) -> str:
    """The name of the expression that begins at a line and column, which counts from 1; empty if there is none.

    Expressions that begin at one place are parts of each other: the largest is meant. Column 0, as Python 3.10 knows no
    others, stands for what the first statement of the line computes.
    """
    found = _found(file).get((line, column - 1))
    return found.name if found else ""


def access_at(file: str, line: int, column: int) -> str:
    """What reads elements at the beginning of the expression there, or else the expression: `x[i]` of `x[i] + 1`."""
    found = _found(file).get((line, column - 1))
    return found.access if found else ""


def statement_at(file: str, line: int, column: int) -> int:
    """The line on which the statement of an expression begins; that of the expression if it is not known."""
    found = _found(file).get((line, column - 1))
    return found.statement if found else line


def _found(file: str) -> dict[tuple[int, int], _Found]:
    return _expressions(tuple(linecache.getlines(file))) if file else {}


@lru_cache(maxsize=64)
def _expressions(lines: tuple[str, ...]) -> dict[tuple[int, int], _Found]:
    """The expressions of a file by their beginnings."""
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[tuple[int, int], tuple[tuple[int, ...], str, int]] = {}
    accesses: dict[tuple[int, int], tuple[int, str]] = {}
    encoded = [text.encode() for text in lines]
    for node, name, statement in _named(tree):
        rank = (int(isinstance(node, _OPERATIONS)), node.end_lineno or 0, node.end_col_offset or 0)
        place = node.lineno, node.col_offset
        if place not in found or found[place][0] < rank:
            found[place] = rank, _shortened(name or _text(node, encoded)), statement
        if isinstance(node, ast.Subscript) and rank[2] < accesses.get(place, (math.inf,))[0]:
            accesses[place] = rank[2], _shortened(_text(node, encoded))
    for each in ast.walk(tree):
        value = _value_of(each)
        place = (value.lineno, value.col_offset) if value else (0, 0)
        if place in found:
            found.setdefault((place[0], -1), found[place])
        if place in accesses:
            accesses.setdefault((place[0], -1), accesses[place])
    return {
        place: _Found(text, accesses.get(place, (0, text))[1], statement)
        for place, (_, text, statement) in found.items()
    }


def _value_of(statement: ast.AST) -> ast.expr | None:
    """What a statement computes."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return statement.iter
    if isinstance(statement, (ast.While, ast.If)):
        return statement.test
    value = getattr(statement, "value", None) if isinstance(statement, ast.stmt) else None
    return value if isinstance(value, ast.expr) else None


def _named(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.Raise, str, int]]:
    """All expressions with the names that they are assigned to, and the lines of their statements."""
    names: dict[ast.AST, str] = {}
    pending: list[tuple[ast.AST, int]] = [(tree, 0)]
    while pending:
        node, statement = pending.pop()
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                names[node.value] = target.id
        if isinstance(node, (ast.For, ast.AsyncFor)):
            names[node.iter] = f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
        elif isinstance(node, ast.While):
            names[node.test] = f"while {ast.unparse(node.test)}"
        elif isinstance(node, ast.If):
            names[node.test] = f"if {ast.unparse(node.test)}"
        if isinstance(node, (*_OPERATIONS, *_OTHERS)):
            yield node, names.get(node, ""), statement
        if isinstance(node, ast.stmt):
            statement = node.lineno
        pending += [(child, statement) for child in ast.iter_child_nodes(node)]


def _text(node: ast.expr | ast.Raise, lines: list[bytes]) -> str:
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    end = node.end_col_offset or 0
    if first == last:
        text = lines[first][node.col_offset : end]
    else:
        text = b" ".join([lines[first][node.col_offset :], *lines[first + 1 : last], lines[last][:end]])
    return " ".join(text.decode(errors="replace").split())


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4].rstrip()} ..."
