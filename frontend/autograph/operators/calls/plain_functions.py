"""Functions that compute with plain Python values alone: they run as Python runs them while a function is traced.

Converted code asks at each step whether a value is traced, which takes a hundred times as long. A function runs plainly
if its arguments are numbers, texts and tuples of them, so that it can change nothing that anyone else sees, and all
that it reads besides are constants, `math` and other functions like it, which are guarded as those of converted code.
What raises, what runs for too long and what returns anything else is converted as ever: nothing has happened.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import math
import warnings
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from .....dialect.records import dataclass
from ....source.code_table import CodeTable
from ....source.modules import is_users_module
from ....source.name_uses import name_uses
from ....tracing.recorder import Recorder
from ...convert.source import FUTURE_FLAGS, Missing, find_source
from ...marks import is_marked

_MOST_STEPS = 1 << 20
"""Iterations and calls: a fifth of a second of Python, which is about what compiling takes."""

_SCALARS = frozenset({int, float, complex, bool, str, bytes, type(None)})

_TICK = "weft_tick_"


class Plain:
    """The functions that a trace has found to be plain."""

    def __init__(self) -> None:
        self.found: dict[FunctionType, _Prepared | None] = {}


@dataclass
class _Prepared:
    """A function that may run plainly."""

    run: Callable[..., Any]
    namespace: dict[str, Any]
    read: dict[str, Any]
    """The values of the names that it and the functions that it calls have read."""


def plain_call(trace: Recorder, function: FunctionType, args: Any, kwargs: Any) -> tuple[Any] | None:
    """What a function returns that runs plainly; None for one that is to be converted."""
    if not all(map(_is_constant, args)) or not all(map(_is_constant, kwargs.values())):
        return None
    found = trace.state(Plain).found
    if function not in found:
        found[function] = _prepare(trace, function)
    prepared = found[function]
    if prepared is None:
        return None
    names = function.__globals__
    if any(names.get(name, _UNBOUND) is not value for name, value in prepared.read.items()):
        return None
    prepared.namespace[_TICK] = functools.partial(next, _ticks())
    try:
        result = prepared.run(*args, **kwargs)
    except Exception:
        found[function] = None
        return None
    return (result,) if _is_plain(result, 8) else None


_UNBOUND = object()


def _ticks() -> Iterator[bool]:
    for _ in range(_MOST_STEPS):
        yield True
    raise TimeoutError


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
            if isinstance(value, FunctionType) and value.__globals__ is function.__globals__:
                functions[name] = value
                waiting.append(value)
            elif value is _UNBOUND:
                if name not in _BUILTINS:
                    return None
            elif not _is_known(value):
                return None
            else:
                namespace[name] = value
    if function not in functions.values() and not any(plainly.has_loops for plainly in codes):
        return None
    for name, called in functions.items():
        namespace[name] = _made(called, namespace)
    return _Prepared(_made(function, namespace), namespace, read)


def _is_known(value: Any) -> bool:
    is_of_math = isinstance(value, BuiltinFunctionType) and value.__module__ == "math"
    return value is math or is_of_math or (not isinstance(value, ModuleType) and _is_constant(value))


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
    if code.co_flags & _GENERATORS:
        return None
    source = find_source(function)
    if isinstance(source, Missing) or not isinstance(source.node, ast.FunctionDef):
        return None
    node = source.node
    names = frozenset(name_uses(code).globals.all)
    inside = [inner for statement in node.body for inner in ast.walk(statement)]
    if source.class_name is not None or not all(_is_allowed(inner) for inner in inside):
        return None
    counting = copy.deepcopy(node)
    counting.decorator_list = []
    counting = _Counting().visit(counting)
    counting.body.insert(0, ast.Expr(_tick()))
    module = ast.fix_missing_locations(ast.Module([counting], []))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python gave them when it compiled the original
        compiled = compile(module, code.co_filename, "exec", code.co_flags & FUTURE_FLAGS, dont_inherit=True)
    made = next(c for c in compiled.co_consts if isinstance(c, CodeType) and c.co_name == node.name)
    return _Plainly(made, names, any(isinstance(inner, _LOOPS) for inner in inside))


_GENERATORS = 0x20 | 0x80 | 0x100 | 0x200
"""The flags of generators and coroutines."""

_LOOPS = (ast.For, ast.While, ast.comprehension)

_REFUSED = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Try, ast.With, ast.AsyncWith, ast.AsyncFor,
    ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.Match,
    *((ast.TryStar,) if hasattr(ast, "TryStar") else ()),
)  # fmt: skip


def _is_allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        is_of_math = isinstance(node.value, ast.Name) and node.value.id == "math" and hasattr(math, node.attr)
        return isinstance(node.ctx, ast.Load) and (is_of_math or node.attr in _METHODS)
    return not isinstance(node, _REFUSED) and getattr(node, "id", None) != _TICK


class _Counting(ast.NodeTransformer):
    """Lets loops count their iterations."""

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


_BUILTINS = frozenset({
    "abs", "all", "any", "bin", "bool", "chr", "complex", "dict", "divmod", "enumerate", "filter", "float", "frozenset",
    "hex", "int", "isinstance", "len", "list", "map", "max", "min", "oct", "ord", "pow", "range", "reversed", "round",
    "set", "slice", "sorted", "str", "sum", "tuple", "zip", "True", "False", "None", "ValueError", "TypeError",
    "IndexError", "KeyError", "ZeroDivisionError", "OverflowError", "RuntimeError", "AssertionError", "StopIteration",
    "ArithmeticError", "NotImplementedError", "Exception",
})  # fmt: skip
"""Functions and classes that do nothing but compute."""

_KINDS = (list, dict, set, frozenset, tuple, str, int, float, complex)

_METHODS = frozenset(name for kind in _KINDS for name in dir(kind) if not name.startswith("_"))
"""The methods of plain values."""

__all__ = ["plain_call"]
