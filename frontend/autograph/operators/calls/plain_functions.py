"""Functions that compute with plain Python values alone: they run as Python runs them while a function is traced.

Converted code asks at each step whether a value is traced, which takes a hundred times as long. A function runs plainly
if its arguments are Python's own values, which nothing but the program knows where they can be changed, and all that it
reads besides are constants, modules of Python that compute, and other functions like it, which are guarded as those of
converted code. What raises, what runs for too long and what returns anything else is converted as ever: what it has
changed is taken back.
"""

from __future__ import annotations

import ast
import bisect
import builtins
import collections
import copy
import functools
import heapq
import itertools
import math
import operator
import string
import warnings
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from .....dialect.records import dataclass
from ....source.code_table import CodeTable
from ....source.modules import is_users_module
from ....source.name_uses import name_uses
from ....tracing.recorder import Recorder
from ...convert.plain_loops import BUILTINS
from ...convert.source import FUTURE_FLAGS, Missing, find_source
from ...marks import is_marked
from ..values.control_flow_state import control_flow
from ..values.plain_contents import PlainContents

_MOST_STEPS = 1 << 20
"""Iterations and calls: a fifth of a second of Python, which is about what compiling takes."""

_MOST_WHERE_UNROLLED = 1 << 23
"""The same where a function calls itself, or has a `while`: what is known of them is recorded step by step."""

_WORTH_RECORDING = 4_000
"""So many operations of a function that could run plainly, were its numbers known: two seconds of recording."""

_WORTH_RECURSION = 1_000
"""The same of a function that calls itself, which is seldom faster as it is compiled."""

_SCALARS = frozenset({int, float, complex, bool, str, bytes, type(None)})

_TICK = "weft_tick_"


class Plain:
    """The functions that a trace has found to be plain."""

    def __init__(self) -> None:
        self.found: dict[FunctionType, _Prepared | None] = {}


class _TooLongError(BaseException):
    """A function has run for too many steps; nothing in it takes this."""


@dataclass
class _Prepared:
    """A function that may run plainly."""

    run: Callable[..., Any]
    namespace: dict[str, Any]
    read: dict[str, Any]
    """The values of the names that it and the functions that it calls have read."""
    containers: list[Any]
    """Those of them that have items."""
    is_called_again: bool
    """Whether it, or one that it calls, may call itself."""
    most: int
    """So many steps it may take."""


def plain_call(trace: Recorder, function: FunctionType, args: Any, kwargs: Any) -> tuple[Any] | None:
    """What a function returns that runs plainly; None for one that is to be converted."""
    given = [*args, *kwargs.values()]
    found, is_all_numbers = trace.state(Plain).found, _are_all_numbers(trace)
    if function not in found and (is_all_numbers or all(map(_may_be_plain, given))):
        found[function] = _prepare(trace, function)
    prepared = found.get(function)
    if prepared is None:
        return None
    names = function.__globals__
    if any(names.get(name, _UNBOUND) is not value for name, value in prepared.read.items()):
        return None
    given = [value for value in given if not _is_constant(value)]
    contents = PlainContents(trace, given, prepared.containers)
    if not contents.is_known:
        if is_all_numbers:
            trace.worth_recording = _WORTH_RECURSION if prepared.is_called_again else _WORTH_RECORDING
        return None
    prepared.namespace[_TICK] = functools.partial(next, _ticks(prepared.most))
    try:
        result = prepared.run(*args, **kwargs)
        if _is_plain(result, 8) and contents.are_plain():
            return (result,)
    except (Exception, _TooLongError):
        pass
    contents.restore()
    found[function] = None
    return None


_UNBOUND = object()


def _are_all_numbers(trace: Recorder) -> bool:
    """Whether a function is called that is compiled, with Python's numbers alone, some of them as data."""
    count = len(set(trace.numbers.values()))
    return 0 < count == len(trace.arguments) and not control_flow(trace).activations


def _ticks(most: int) -> Iterator[bool]:
    yield from itertools.repeat(True, most)
    raise _TooLongError


def _may_be_plain(value: Any) -> bool:
    return type(value) in (list, dict, set) or _is_constant(value)


def _is_constant(value: Any) -> bool:
    kind = type(value)
    return kind in _SCALARS or kind is range or (kind is tuple and all(map(_is_constant, value)))


def _is_plain(value: Any, depth: int) -> bool:
    """Whether a result is made of plain values."""
    kind = type(value)
    if kind in _SCALARS:
        return True
    if kind is dict:
        return _is_plain([*value, *value.values()], depth)
    if kind not in (list, tuple, set, frozenset, range) or depth == 0:
        return False
    return set(map(type, value)) <= _SCALARS or all(_is_plain(item, depth - 1) for item in value)


def _prepare(trace: Recorder, function: FunctionType) -> _Prepared | None:
    namespace: dict[str, Any] = {
        "__builtins__": {name: getattr(builtins, name) for name in _BUILTINS},
        "__name__": function.__globals__.get("__name__"),
    }
    read: dict[str, Any] = {}
    functions: dict[str, FunctionType] = {}
    codes: list[_Plainly] = []
    waiting = [function]
    while waiting:
        current = waiting.pop()
        plainly = _plainly(current)
        if plainly is None:
            return None
        codes.append(plainly)
        if current is not function and trace.python_state is not None:
            trace.python_state.meet(current)  # which may put traced values in the places of what it reads
            trace.dependencies.runs(current)
        for name in plainly.names - read.keys():
            value = read[name] = current.__globals__.get(name, _UNBOUND)
            called = getattr(value, "__wrapped__", None) if type(value) is _REMEMBERING else value
            if isinstance(called, FunctionType) and called.__globals__ is function.__globals__:
                functions[name] = called
                waiting.append(called)
            elif value is not _UNBOUND:
                namespace[name] = value
            elif name not in _BUILTINS:
                return None
    containers = [value for name, value in namespace.items() if name in read and _may_be_plain(value)]
    if not all(value in containers or _is_known(value) for name, value in namespace.items() if name in read):
        return None
    is_called_again = function in functions.values() or any(plainly.is_recursive for plainly in codes)
    if not is_called_again and not any(plainly.has_loops for plainly in codes):
        return None
    for name, called in functions.items():
        made = _made(called, namespace)
        namespace[name] = functools.cache(made) if type(read[name]) is _REMEMBERING else made
    is_unrolled = is_called_again or any(plainly.has_while for plainly in codes)
    most = _MOST_WHERE_UNROLLED if is_unrolled else _MOST_STEPS
    return _Prepared(_made(function, namespace), namespace, read, containers, is_called_again, most)


def _is_known(value: Any) -> bool:
    return id(value) in _COMPUTING or _is_constant(value)


def _made(function: FunctionType, namespace: dict[str, Any]) -> FunctionType:
    plainly = _plainly(function)
    assert plainly is not None
    made = FunctionType(plainly.code, namespace, function.__name__, function.__defaults__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


@dataclass(frozen=True)
class _Plainly:
    """The code of a function that may be plain, which counts its steps."""

    code: CodeType
    names: frozenset[str]
    """What it reads of its module, or of Python."""
    has_loops: bool
    has_while: bool
    is_recursive: bool
    """Whether functions are in it, which may call themselves."""


_known = CodeTable()


def _plainly(function: FunctionType) -> _Plainly | None:
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if not all(map(_is_constant, defaults)) or is_marked(function) or function.__closure__:
        return None
    if not is_users_module(function.__module__):
        return None
    found = _known.get(function.__code__)
    if found is None:
        found = _read(function) or "it is not plain"
        _known.set(function.__code__, found)
    return found if isinstance(found, _Plainly) else None


def _read(function: FunctionType) -> _Plainly | None:
    code = function.__code__
    if code.co_flags & _UNLIKE:
        return None
    source = find_source(function)
    if isinstance(source, Missing) or not isinstance(source.node, ast.FunctionDef):
        return None
    inside = [inner for statement in source.node.body for inner in ast.walk(statement)]
    if source.class_name is not None or not all(map(_is_allowed, inside)):
        return None
    counting = _Counting().visit(copy.deepcopy(source.node))
    counting.decorator_list = []
    module = ast.fix_missing_locations(ast.Module([counting], []))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python gave them when it compiled the original
        compiled = compile(module, code.co_filename, "exec", code.co_flags & FUTURE_FLAGS, dont_inherit=True)
    made = next(c for c in compiled.co_consts if isinstance(c, CodeType) and c.co_name == source.node.name)
    names = frozenset(name_uses(made).globals.all - {_TICK})
    has = {
        kind: any(isinstance(inner, kind) for inner in inside)
        for kind in (_LOOPS, ast.While, ast.FunctionDef)
    }
    return _Plainly(made, names, *has.values())


_UNLIKE = 0x20 | 0x80 | 0x100 | 0x200
"""The flags of generators and coroutines."""

_LOOPS = (ast.For, ast.While, ast.comprehension)

_REFUSED = (
    ast.AsyncFunctionDef, ast.ClassDef, ast.With, ast.AsyncWith, ast.AsyncFor, ast.Import, ast.ImportFrom, ast.Global,
    ast.Await, ast.Match, *((ast.TryStar,) if hasattr(ast, "TryStar") else ()),
)  # fmt: skip


def _is_allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Load) and node.attr in _ATTRIBUTES
    if isinstance(node, ast.Try):
        return not node.finalbody and all(handler.type for handler in node.handlers)
    return not isinstance(node, _REFUSED) and getattr(node, "id", None) != _TICK


class _Counting(ast.NodeTransformer):
    """Lets loops count their iterations, and functions their calls."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        return self._counted(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        self.generic_visit(node)
        node.body = ast.BoolOp(ast.And(), [_tick(), node.body])
        return node

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
    return ast.Call(ast.Name(_TICK, ast.Load()), [], [])


_BUILTINS = BUILTINS | {
    "bin", "filter", "format", "hex", "isinstance", "iter", "map", "next", "oct", "repr", "slice", "True", "False",
    "None", "ValueError", "TypeError", "IndexError", "KeyError", "ZeroDivisionError", "OverflowError", "RuntimeError",
    "AssertionError", "StopIteration", "ArithmeticError", "NotImplementedError", "Exception",
}  # fmt: skip
"""Functions and classes that do nothing but compute."""

_MODULES = (bisect, collections, functools, heapq, itertools, math, operator, string)
"""Modules that do nothing but compute."""

_COMPUTING = {
    id(value)
    for module in _MODULES
    for name, value in vars(module).items()
    if not name.startswith("_") and (callable(value) or isinstance(value, str))
} | {*map(id, _MODULES)}
"""The identities of these, and of what is in them."""

_KINDS = (list, dict, set, frozenset, tuple, str, int, float, complex, collections.deque, collections.Counter)

_ATTRIBUTES = frozenset(
    name for kind in (*_KINDS, *_MODULES) for name in dir(kind) if not name.startswith("_")
)
"""The methods of plain values, and what is in the modules."""

_REMEMBERING = type(functools.cache(len))

__all__ = ["plain_call"]
