"""The code of functions that compute with plain Python values alone, with counted steps: see `plain_functions.py`."""

from __future__ import annotations

import ast
import bisect
import collections
import copy
import dataclasses
import functools
import heapq
import itertools
import math
import operator
import string
import sys
import warnings
from types import CodeType, FunctionType
from typing import Any

from .....dialect.records import dataclass
from ....source.code_table import CodeTable
from ....source.modules import is_users_module
from ....source.name_uses import name_uses
from ...convert.plain_loops import BUILTINS
from ...convert.source import FUTURE_FLAGS, Missing, find_source
from ...marks import is_marked

TICK = "weft_tick_"
"""The name of what counts a step."""

SCALARS = frozenset({int, float, complex, bool, str, bytes, type(None)})
"""The classes of numbers and texts."""


def is_constant(value: Any) -> bool:
    """Whether a value is Python's own, and nobody can change it."""
    kind = type(value)
    return kind in SCALARS or kind is range or (kind is tuple and all(map(is_constant, value)))


def is_computing(value: Any) -> bool:
    """Whether a value is a constant, or a function, class or module of Python that does nothing but compute."""
    return id(value) in _COMPUTING or is_constant(value)


@dataclass(frozen=True)
class PlainCode:
    """The code of a function that may be plain, which counts its steps."""

    code: CodeType
    names: frozenset[str]
    """What it reads of its module, or of Python."""
    chains: frozenset[tuple[str, ...]]
    """Names with the attributes that are read behind them."""
    has_loops: bool
    has_while: bool
    is_recursive: bool
    """Whether functions are in it, which may call themselves."""


_known = CodeTable()


def plain_code(function: FunctionType) -> PlainCode | None:
    """The code of a function that may be plain; None for others."""
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if not all(map(is_constant, defaults)) or is_marked(function) or function.__closure__:
        return None
    if not is_users_module(function.__module__):
        return None
    found = _known.get(function.__code__)
    if found is None:
        found = _read(function) or "it is not plain"
        _known.set(function.__code__, found)
    return found if isinstance(found, PlainCode) else None


def _read(function: FunctionType) -> PlainCode | None:
    code = function.__code__
    if code.co_flags & _UNLIKE:
        return None
    source = find_source(function)
    if isinstance(source, Missing) or not isinstance(source.node, ast.FunctionDef):
        return None
    inside = [inner for statement in source.node.body for inner in ast.walk(statement)]
    if not all(map(_is_allowed, inside)):
        return None
    counting = _Counting().visit(copy.deepcopy(source.node))
    counting.decorator_list = []
    if source.class_name is not None:  # whose private names it uses
        counting = ast.ClassDef(source.class_name, [], [], [counting], [], **_NO_TYPES)
    module = ast.fix_missing_locations(ast.Module([counting], []))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python gave them when it compiled the original
        compiled = compile(module, code.co_filename, "exec", code.co_flags & FUTURE_FLAGS, dont_inherit=True)
    made = compiled
    while made.co_name != source.node.name or made is compiled:
        made = next(c for c in made.co_consts if isinstance(c, CodeType))
    uses = name_uses(made)
    has = {
        kind: any(isinstance(inner, kind) for inner in inside)
        for kind in (_LOOPS, ast.While, ast.FunctionDef)
    }
    return PlainCode(made, frozenset(uses.globals.all - {TICK}), frozenset(uses.chains), *has.values())


_UNLIKE = 0x80 | 0x100 | 0x200
"""The flags of coroutines."""

_LOOPS = (ast.For, ast.While, ast.comprehension)

_REFUSED = (
    ast.AsyncFunctionDef, ast.ClassDef, ast.With, ast.AsyncWith, ast.AsyncFor, ast.Import, ast.ImportFrom, ast.Global,
    ast.Await, ast.Match, *((ast.TryStar,) if hasattr(ast, "TryStar") else ()),
)  # fmt: skip


def _is_allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return not (node.attr.startswith("__") and node.attr.endswith("__")) or node.attr in _SPECIAL
    if isinstance(node, ast.Try):
        return not node.finalbody and all(handler.type for handler in node.handlers)
    return not isinstance(node, _REFUSED) and getattr(node, "id", None) != TICK


class _Counting(ast.NodeTransformer):
    """Lets loops count their iterations, and functions their calls."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        return self._counted(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        self.generic_visit(node)
        node.body = ast.BoolOp(ast.And(), [_tick(), node.body])
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        return ast.Pass() if node.value is None else ast.Assign([node.target], node.value)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_For(self, node: ast.For) -> Any:
        return self._counted(node)

    def visit_While(self, node: ast.While) -> Any:
        return self._counted(node)

    def _counted(self, node: Any) -> Any:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_tick()))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs.insert(0, _tick())
        return node


def _tick() -> ast.Call:
    return ast.Call(ast.Name(TICK, ast.Load()), [], [])


BUILTIN_NAMES = BUILTINS | {
    "bin", "filter", "format", "hex", "isinstance", "iter", "map", "next", "oct", "repr", "slice", "True", "False",
    "None", "ValueError", "TypeError", "IndexError", "KeyError", "ZeroDivisionError", "OverflowError", "RuntimeError",
    "AssertionError", "StopIteration", "ArithmeticError", "NotImplementedError", "Exception",
}  # fmt: skip
"""Functions and classes that do nothing but compute."""

_MODULES = (bisect, collections, dataclasses, functools, heapq, itertools, math, operator, string)
"""Modules that do nothing but compute."""

_COMPUTING = {
    id(value)
    for module in _MODULES
    for name, value in vars(module).items()
    if not name.startswith("_") and (callable(value) or isinstance(value, str))
} | {*map(id, _MODULES)}
"""The identities of these, and of what is in them."""

_SPECIAL = frozenset({"__class__", "__init__", "__len__", "__name__", "__qualname__", "__str__"})
"""Attributes that lead to nothing else."""

_NO_TYPES: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}
