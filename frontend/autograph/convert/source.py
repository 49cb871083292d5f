"""Finds the syntax tree of a function: in its file, or where a notebook or interactive session keeps its input.

The tree is used only if it compiles to the very code that the function has; so a file that was changed since it was
imported, or a function that something rewrote, is noticed.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from ....dialect.records import dataclass
from ...source.code_parts import all_codes
from .exits import blocks_of
from .uses import FunctionNode

FUTURE_FLAGS = 0
"""The flags of code by which it tells the `from __future__` imports of its file."""
for _name in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag

_SHIFT = 1 << 24
"""More lines than a file has."""


@dataclass(frozen=True)
class Source:
    """Where a function was written."""

    filename: str
    lines: Sequence[str]
    node: FunctionNode
    class_name: str | None
    """The innermost class around it, whose private names it uses."""


@dataclass(frozen=True)
class Missing:
    """Why the source of a function is not known."""

    reason: str


def find_source(function: FunctionType, *, is_nested: bool = False) -> Source | Missing:
    """The source of a plain Python function, or why there is none.

    One that is nested in converted code was compiled with that, not with its file: its code need only be alike.
    """
    code = function.__code__
    lines = _lines_of(function)
    if not lines:
        hint = "; write it to a file" if code.co_filename == "<string>" else ""
        return Missing(f"its source ({code.co_filename}) is not available{hint}")
    tree = _parsed("".join(lines), code.co_flags & FUTURE_FLAGS)
    if tree is None:
        return Missing(f"{code.co_filename} has changed: it is no longer valid Python")
    candidates = list(_candidates(tree, code))
    matching = candidates if is_nested and len(candidates) == 1 else _matching(candidates, code)
    if not matching:
        return Missing(
            f"something has rewritten it after it was read from {code.co_filename}"
            if _is_rewritten(code)
            else f"{code.co_filename} has changed since it was imported"
        )
    best = _at_positions(matching, code) if len(matching) > 1 else matching[0]
    return Source(code.co_filename, lines, best.node, best.class_name)


def _matching(candidates: list[_Candidate], code: CodeType) -> list[_Candidate]:
    """The candidates that compile to the code."""
    if len(candidates) != 1:
        return [found for found in candidates if any(_fits(c, code) for c in found.marked_codes(code))]
    flags = code.co_flags & FUTURE_FLAGS
    compiled = _codes_of(candidates[0].tree, candidates[0].top, code.co_filename, flags)
    found = compiled.get((code.co_name, code.co_firstlineno), [])
    return candidates if any(_fits(other, code) for other in found) else []


def _fits(compiled: CodeType, code: CodeType) -> bool:
    return _is_same(compiled, code) or (_is_rewritten(code) and _is_similar(compiled, code))


@lru_cache(maxsize=256)
def _codes_of(
    tree: ast.Module, top: ast.stmt, filename: str, flags: int
) -> dict[tuple[str, int], list[CodeType]]:
    """The code of all functions in a statement of a module, by name and first line."""
    found: dict[tuple[str, int], list[CodeType]] = {}
    for code in all_codes(_compiled(tree, top, filename, flags)):
        found.setdefault((code.co_name, code.co_firstlineno), []).append(code)
    return found


def _compiled(tree: ast.Module, top: ast.stmt, filename: str, flags: int) -> CodeType:
    """The code of a statement of a module: an empty module where it cannot be compiled."""
    module = ast.Module([*_imports(tree), top], [])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled: CodeType = compile(module, filename, "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError):
        return compile("", filename, "exec")
    return compiled


@lru_cache(maxsize=16)
def _imports(tree: ast.Module) -> list[ast.stmt]:
    """The imports of a module: Python compiles calls of what is imported in a way of its own."""
    found: list[ast.stmt] = []
    blocks = [tree.body]
    while blocks:
        for node in blocks.pop():
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                if getattr(node, "module", None) != "__future__":
                    found.append(node)
            else:
                blocks += blocks_of(node)
    return found


def _lines_of(function: FunctionType) -> list[str]:
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        from_code: Any = getattr(
            linecache, "_getlines_from_code", None
        )  # the interactive session of Python 3.13
        lines = from_code(code) if from_code is not None else []
    return lines


@lru_cache(maxsize=16)
def _parsed(text: str, flags: int) -> ast.Module | None:
    """The syntax tree of a file; nodes are shared, so nobody may change them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(text, "<source>", "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    assert isinstance(tree, ast.Module)
    return tree


@dataclass(frozen=True)
class _Candidate:
    """A function in the file that may be the one looked for."""

    node: FunctionNode
    class_name: str | None
    tree: ast.Module
    top: ast.stmt
    """The statement of the module that it is in."""

    def marked_codes(self, code: CodeType) -> list[CodeType]:
        """The code of the node: its lines are moved meanwhile, by which it is found among others on the line."""
        nodes: list[Any] = [node for node in ast.walk(self.node) if hasattr(node, "lineno")]
        try:
            for node in nodes:
                node.lineno, node.end_lineno = node.lineno + _SHIFT, node.end_lineno + _SHIFT
            compiled = _compiled(self.tree, self.top, code.co_filename, code.co_flags & FUTURE_FLAGS)
        finally:
            for node in nodes:
                node.lineno, node.end_lineno = node.lineno - _SHIFT, node.end_lineno - _SHIFT
        line = code.co_firstlineno + _SHIFT
        for found in all_codes(compiled):
            if found.co_firstlineno == line and found.co_name == code.co_name:
                return [found]  # the outermost: what is nested in it has moved, too
        return []


def _candidates(tree: ast.Module, code: CodeType) -> Iterator[_Candidate]:
    """The functions that begin on the line where the code does, with its name."""
    for top in tree.body:
        start = min([top.lineno, *(d.lineno for d in getattr(top, "decorator_list", ()))])
        if start <= code.co_firstlineno <= (top.end_lineno or top.lineno):
            yield from _candidates_in(tree, top, code)


def _candidates_in(tree: ast.Module, top: ast.stmt, code: CodeType) -> Iterator[_Candidate]:
    stack: list[tuple[ast.AST, str | None]] = [(top, None)]
    while stack:
        node, class_name = stack.pop()
        if isinstance(node, ast.Lambda):
            if code.co_name == "<lambda>" and node.lineno == code.co_firstlineno:
                yield _Candidate(node, class_name, tree, top)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.decorator_list[0] if node.decorator_list else node
            if node.name == code.co_name and first.lineno == code.co_firstlineno:
                yield _Candidate(node, class_name, tree, top)
        inner = node.name if isinstance(node, ast.ClassDef) else class_name
        stack.extend((child, inner) for child in ast.iter_child_nodes(node) if _reaches(child, code))


def _reaches(node: ast.AST, code: CodeType) -> bool:
    """Whether the code may begin in a node: on its lines, or those of its decorators, which stand before."""
    last = getattr(node, "end_lineno", None)
    if last is None:
        return True  # what has no place of its own, as the arguments of a function
    decorated = getattr(node, "decorator_list", ())
    first = decorated[0].lineno if decorated else node.lineno  # type: ignore[attr-defined]
    return bool(first <= code.co_firstlineno <= last)


def _at_positions(matching: list[_Candidate], code: CodeType) -> _Candidate:
    """The one that stands where the code says (Python 3.11 and later); equal ones mean the same elsewhere."""
    positions = set(code.co_positions()) if hasattr(code, "co_positions") else set()
    for found in matching:
        body: Any = found.node.body if isinstance(found.node, ast.Lambda) else found.node.body[-1]
        if (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset) in positions:
            return found
    return matching[0]


_COMPARED = (
    "co_name",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_flags",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_code",
)


def _is_same(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects do the same; lines and qualified names are left out."""
    if any(getattr(one, name) != getattr(other, name) for name in _COMPARED):
        return False
    return len(one.co_consts) == len(other.co_consts) and all(
        _is_same_constant(a, b) for a, b in zip(one.co_consts, other.co_consts, strict=True)
    )


def _is_same_constant(one: Any, other: Any) -> bool:
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return _is_same(one, other)
    if type(one) is not type(other):
        return False
    if isinstance(one, str) and "<locals>" in one:
        return True  # Python 3.10 keeps the qualified names of nested functions as constants
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_is_same_constant, one, other))
    if isinstance(
        one, frozenset
    ):  # whose order is that in which members were put in, where their hashes collide
        return sorted(map(repr, one)) == sorted(map(repr, other))
    return repr(one) == repr(other)


def _is_rewritten(code: CodeType) -> bool:
    """Whether something rewrote a function on import, as pytest does with `assert`; its names begin with @."""
    return any(name.startswith("@") for c in all_codes(code) for name in (*c.co_names, *c.co_varnames))


def _is_similar(one: CodeType, other: CodeType) -> bool:
    """Whether rewriting may have made `other` of `one`."""
    count = one.co_argcount + one.co_kwonlyargcount
    return (
        one.co_argcount == other.co_argcount
        and one.co_freevars == other.co_freevars
        and one.co_varnames[:count] == other.co_varnames[:count]
        and set(one.co_names) - {"AssertionError"} <= set(other.co_names) | set(other.co_varnames)
    )
