"""The parts of the user's files that a page shows: the functions that have something to do with a program."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Collection, Iterator

from ...dialect.records import NamedTuple


class Excerpt(NamedTuple):
    """Lines of a file that follow each other."""

    first: int
    lines: tuple[str, ...]


def excerpts(file: str, wanted: Collection[int]) -> list[Excerpt]:
    """The functions of a file around some of its lines, and statements outside of functions, whole.

    Of a file that is not there, lines without text.
    """
    text = linecache.getlines(file)
    if not text:
        return [Excerpt(line, ("",)) for line in sorted(wanted)]
    inside = [line for line in wanted if line <= len(text)]
    ranges: list[list[int]] = []
    for first, last in sorted(_around(text, inside)):
        if ranges and first <= ranges[-1][1] + 2:  # a line between them is shown, too
            ranges[-1][1] = max(last, ranges[-1][1])
        else:
            ranges.append([first, last])
    return [
        Excerpt(first, tuple(line.rstrip("\n").expandtabs(4) for line in text[first - 1 : last]))
        for first, last in ranges
    ]


def _around(text: list[str], wanted: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and last line of what is around each wanted line."""
    try:
        tree: ast.Module | None = ast.parse("".join(text))
    except (SyntaxError, ValueError):  # a cell of a notebook, with commands in it
        tree = None
    for line in wanted:
        found = None if tree is None else _outermost(tree.body, line)
        yield found or (max(line - 5, 1), min(line + 5, len(text)))


def _outermost(statements: list[ast.stmt], line: int) -> tuple[int, int] | None:
    """The outermost function around a line, or else the statement."""
    for statement in statements:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        last = statement.end_lineno or first
        if first <= line <= last:
            if isinstance(statement, ast.ClassDef):
                return _outermost(statement.body, line) or (first, first)
            return first, last
    return None
