"""Builds AST nodes that stand at a place in the user's source, so that tracebacks and debuggers point there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

NodeT = TypeVar("NodeT", bound=ast.AST)

OPERATORS = "weft_"
"""The name by which converted code finds the operators."""

RETURNED = "return_"
"""The variable that holds the value of a `return` in a body, unless the user has one of that name."""

_NO_TYPE_PARAMETERS: dict[str, Any] = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}


def place(where: ast.AST) -> dict[str, Any]:
    """The position of a node, as keyword arguments for another."""
    return {
        "lineno": where.lineno,  # type: ignore[attr-defined]
        "col_offset": where.col_offset,  # type: ignore[attr-defined]
        "end_lineno": where.end_lineno,  # type: ignore[attr-defined]
        "end_col_offset": where.end_col_offset,  # type: ignore[attr-defined]
    }


def start_of(where: ast.stmt, length: int) -> ast.AST:
    """A node at the first characters of a statement: its keyword, so that a caret does not span the whole block."""
    line, column = where.lineno, where.col_offset
    return ast.Pass(lineno=line, col_offset=column, end_lineno=line, end_col_offset=column + length)


def load(name: str, where: ast.AST) -> ast.Name:
    """`name`, to be read."""
    return ast.Name(name, ast.Load(), **place(where))


def store(name: str, where: ast.AST) -> ast.Name:
    """`name`, to be assigned."""
    return ast.Name(name, ast.Store(), **place(where))


def constant(value: Any, where: ast.AST) -> ast.Constant:
    """A literal."""
    return ast.Constant(value, **place(where))


def operator(method: str, where: ast.AST) -> ast.Attribute:
    """`weft_.method`."""
    return ast.Attribute(load(OPERATORS, where), method, ast.Load(), **place(where))


def call(
    method: str,
    arguments: Iterable[ast.expr],
    where: ast.AST,
    keywords: Sequence[ast.keyword] = (),
) -> ast.Call:
    """`weft_.method(*arguments, **keywords)`."""
    return ast.Call(operator(method, where), list(arguments), list(keywords), **place(where))


def keyword(name: str, value: Any, where: ast.AST) -> ast.keyword:
    """`name=value` of a call, with a literal value."""
    return ast.keyword(name, constant(value, where), **place(where))


def tuple_of(items: Iterable[ast.expr], where: ast.AST) -> ast.Tuple:
    """A tuple to be read."""
    return ast.Tuple(list(items), ast.Load(), **place(where))


def parameters(names: Iterable[str], where: ast.AST) -> ast.arguments:
    """The parameters of a generated function."""
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name, **place(where)) for name in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )


def assign(name: str, value: ast.expr, where: ast.AST) -> ast.Assign:
    """`name = value`."""
    return ast.Assign([store(name, where)], value, **place(where))


def statement(value: ast.expr) -> ast.Expr:
    """An expression as a statement."""
    return ast.Expr(value, **place(value))


def declare(name: str, where: ast.AST) -> ast.AnnAssign:
    """`name: object`, which makes it a variable of this function and runs nothing."""
    return ast.AnnAssign(store(name, where), load("object", where), None, 1, **place(where))


def function(
    name: str,
    arguments: ast.arguments,
    body: list[ast.stmt],
    where: ast.AST,
) -> ast.FunctionDef:
    """`def name(arguments): body`."""
    fields: dict[str, Any] = {**place(where), **_NO_TYPE_PARAMETERS}
    return ast.FunctionDef(name=name, args=arguments, body=body, decorator_list=[], returns=None, **fields)


def enclosing_class(name: str, body: list[ast.stmt], where: ast.AST) -> ast.ClassDef:
    """`class name: body`."""
    fields: dict[str, Any] = {**place(where), **_NO_TYPE_PARAMETERS}
    return ast.ClassDef(name=name, bases=[], keywords=[], body=body, decorator_list=[], **fields)


def copied(node: NodeT, **changes: Any) -> NodeT:
    """A node like another, at its place, with some fields changed."""
    fields = {field: getattr(node, field) for field in node._fields if hasattr(node, field)}
    fields.update(changes)
    new = type(node)(**fields)
    return ast.copy_location(new, node)
