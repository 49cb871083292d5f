"""Loops that Python can run by itself: over variables of the function, with operators, builtins and methods alone.

A converted loop gets a copy of what the user wrote, which runs in its place where all values in it are Python's own
and the program is not within a branch or loop that is recorded.
"""

from __future__ import annotations

import ast
import copy
import math

from . import build
from .expressions import ExpressionConverter
from .uses import target_names

BUILTINS = frozenset(
    {
        "abs", "all", "any", "bool", "chr", "complex", "dict", "divmod", "enumerate", "float", "frozenset", "int",
        "len", "list", "max", "min", "ord", "pow", "range", "reversed", "round", "set", "sorted", "str", "sum",
        "tuple", "zip",
    }
)  # fmt: skip
"""The builtins that do nothing besides what they give, and ask nothing but their arguments."""

ASKING = frozenset(
    {
        "bit_length", "conjugate", "copy", "count", "difference", "endswith", "find", "get", "index", "intersection",
        "isalpha", "isdigit", "isspace", "issubset", "issuperset", "items", "join", "keys", "lower", "replace",
        "rfind", "split", "startswith", "strip", "union", "upper", "values",
    }
)  # fmt: skip
"""The methods of Python's numbers, texts and containers of which the same is true."""

CHANGING = frozenset(
    {
        "add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault",
        "sort", "update",
    }
)  # fmt: skip
"""The methods of containers that change what they belong to."""

GLOBALS = (bool, int, float, complex, str, type(None))
"""The classes of global names that are read."""

_NODES = (
    ast.For, ast.While, ast.If, ast.Assign, ast.AugAssign, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Name,
    ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Slice, ast.Tuple,
    ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Call,
    ast.Attribute, ast.Starred, ast.keyword, ast.JoinedStr, ast.FormattedValue, ast.operator, ast.unaryop,
    ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip


def is_plain(converter: ExpressionConverter, loop: ast.For | ast.While) -> bool:
    """Whether nothing in the text of a loop needs more than Python."""
    if isinstance(loop, ast.For) and any(map(_changes, ast.walk(loop.iter))):
        return False  # what it walks is made twice
    if converter.exits.jumps(loop):
        return False
    own = {
        name
        for node in ast.walk(loop)
        if isinstance(node, ast.comprehension)
        for name in target_names(node.target)
    }
    return all(_is_plain_node(converter, node, own) for node in ast.walk(loop))


def _changes(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in CHANGING


def _is_plain_node(converter: ExpressionConverter, node: ast.AST, own: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return _is_plain_name(converter, node, own)
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return not isinstance(node.op, ast.MatMult)
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        return _is_plain_function(converter, node.func)
    return isinstance(node, _NODES)


def _is_plain_function(converter: ExpressionConverter, function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id in BUILTINS
    return isinstance(function, ast.Attribute) and (
        converter.module(function.value) is math or function.attr in ASKING | CHANGING
    )


def _is_plain_name(converter: ExpressionConverter, node: ast.Name, own: set[str]) -> bool:
    name, scope = node.id, converter.scope
    if name in scope.globals | scope.nonlocals or name.startswith("__") or converter.may_be_unbound(node):
        return False
    if name in own:
        return True
    if name in scope.locals or name in converter.hidden or isinstance(node.ctx, ast.Store):
        return name in scope.locals
    if not converter.is_shadowed(name):
        return name in BUILTINS
    value = converter.context.environment.get(name)
    return value is math or type(value) in GLOBALS


def ticking(loop: ast.For | ast.While, ticks: str) -> list[ast.stmt]:
    """The loop as the user wrote it, and what it gives: whether it ended after so many iterations at most.

    Those of an outer `while` and of the ones in it are not counted, as only loops over items may be compiled instead.
    """
    counted = _Counted(ticks, (ast.For,) if isinstance(loop, ast.While) else (ast.For, ast.While))
    return [counted.visit(copy.deepcopy(loop)), ast.Return(build.constant(True, loop), **build.place(loop))]


class _Counted(ast.NodeTransformer):
    """Counts the iterations of loops of some kinds down."""

    def __init__(self, ticks: str, kinds: tuple[type[ast.stmt], ...]) -> None:
        self._ticks = ticks
        self._kinds = kinds

    def _visit_loop(self, node: ast.For | ast.While) -> ast.stmt:
        self.generic_visit(node)
        if not isinstance(node, self._kinds):
            return node
        where = node.body[0]
        place = build.place(where)
        less = ast.AugAssign(build.store(self._ticks, where), ast.Sub(), build.constant(1, where), **place)
        none_left = ast.Compare(
            build.load(self._ticks, where), [ast.Lt()], [build.constant(0, where)], **place
        )
        give_up: list[ast.stmt] = [ast.Return(build.constant(False, where), **place)]
        node.body[:0] = [less, ast.If(none_left, give_up, [], **place)]
        return node

    visit_For = visit_While = _visit_loop
