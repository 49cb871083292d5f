"""The last step of a conversion: arithmetic and comparisons become calls of operators, which know what arrays are.

`to_code` shows the code before this step, with the arithmetic as it was written.
"""

from __future__ import annotations

import ast
from typing import Any

from . import build
from .generators import is_generator

_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_UNARY: dict[type[ast.AST], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}


def with_operators(node: Any) -> Any:
    """The tree with calls in the places of arithmetic; nodes are shared with the user's tree, so none is changed."""
    if isinstance(node, ast.BinOp):
        return _chain(node)
    if isinstance(node, (ast.Constant, ast.Name, ast.pattern)) or _is_converted_when_called(node):
        return node
    changes = _changes(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _BINARY:
        left, (right,) = changes.get("left", node.left), changes.get("comparators", node.comparators)
        return _call("binary", _BINARY[type(node.ops[0])], [left, right], node)
    if (
        isinstance(node, ast.UnaryOp)
        and type(node.op) in _UNARY
        and not isinstance(node.operand, ast.Constant)
    ):
        return _call("unary", _UNARY[type(node.op)], [changes.get("operand", node.operand)], node)
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        read = build.load(node.target.id, node.target)
        value = changes.get("value", node.value)
        updated = _call("update", _BINARY[type(node.op)] + "=", [read, value], node)
        return ast.Assign([node.target], updated, **build.place(node))
    return build.copied(node, **changes) if changes else node


def _is_converted_when_called(node: ast.AST) -> bool:
    """Whether a node stays as it is: a class, a coroutine or a generator function, with all functions in it; a loop
    that Python runs.
    """
    if isinstance(node, ast.FunctionDef):
        return getattr(node, "is_hidden", False) or is_generator(node.body)
    if isinstance(node, ast.Lambda):
        return is_generator([node.body])
    return isinstance(node, (ast.ClassDef, ast.AsyncFunctionDef))


def _chain(node: ast.BinOp) -> ast.expr:
    """Arithmetic; long sums are walked without recursion."""
    spine = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp):
        spine.append(left)
        left = left.left
    result: ast.expr = with_operators(left)
    for inner in reversed(spine):
        right = with_operators(inner.right)
        if isinstance(result, ast.Constant) and isinstance(right, ast.Constant):
            result = inner
        else:
            result = _call("binary", _BINARY[type(inner.op)], [result, right], inner)
    return result


def _changes(node: ast.AST) -> dict[str, Any]:
    """The fields of a node that are not as they were."""
    changes: dict[str, Any] = {}
    for name, old in ast.iter_fields(node):
        new: Any
        if isinstance(old, list):
            new = [with_operators(item) if isinstance(item, ast.AST) else item for item in old]
            if any(a is not b for a, b in zip(old, new, strict=True)):
                changes[name] = new
        elif isinstance(old, ast.AST) and (new := with_operators(old)) is not old:
            changes[name] = new
    return changes


def _call(method: str, symbol: str, operands: list[ast.expr], where: ast.AST) -> ast.Call:
    return build.call(method, [build.constant(symbol, where), *operands], where)
