"""The functions inside of code, and what the variables of functions around it hold."""

from __future__ import annotations

from collections.abc import Iterator
from types import CellType, CodeType
from typing import Any


def functions_in(code: CodeType) -> Iterator[CodeType]:
    """The code of the functions and classes directly in some code."""
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def all_codes(code: CodeType) -> Iterator[CodeType]:
    """Some code, and that of all functions and classes in it, outer ones before inner ones.

    >>> outer = compile("lambda: (lambda: 1)", "file", "eval")
    >>> [code.co_name for code in all_codes(outer)]
    ['<module>', '<lambda>', '<lambda>']
    """
    level = [code]
    while level:
        yield from level
        level = [inner for outer in level for inner in functions_in(outer)]


def content_of(cell: CellType, default: Any = None) -> Any:
    """What a variable of a function around holds; a default where that is nothing yet.

    >>> content_of(CellType(2)), content_of(CellType(), "nothing")
    (2, 'nothing')
    """
    try:
        return cell.cell_contents
    except ValueError:
        return default
