"""Compiles converted functions: the code has the free variables of the original, and the operators as one more."""

from __future__ import annotations

import ast
import warnings
from functools import cache
from types import CodeType
from typing import Any

from . import build
from .arithmetic import with_operators
from .code_objects import Renaming, find_code, renamed
from .generated import Names
from .source import FUTURE_FLAGS, Source


def as_definition(node: Any) -> ast.FunctionDef:
    """A function to be converted as a definition: its code is wanted, all else the function has.

    A lambda becomes a definition; the line of the first decorator stays, since there a function begins.
    """
    if isinstance(node, ast.Lambda):
        result = ast.Return(node.body, **build.place(node.body))
        return build.function("lambda_", _bare(node.args), [result], node)
    decorators = [build.constant(None, decorator) for decorator in node.decorator_list[:1]]
    definition = build.function(node.name, _bare(node.args), node.body, node)
    definition.decorator_list.extend(decorators)
    return definition


def _bare(arguments: ast.arguments) -> ast.arguments:
    """Parameters without annotations and defaults: the function keeps the original's."""

    def bare(parameter: ast.arg | None) -> Any:
        return None if parameter is None else build.copied(parameter, annotation=None)

    return ast.arguments(
        posonlyargs=[bare(p) for p in arguments.posonlyargs],
        args=[bare(p) for p in arguments.args],
        vararg=bare(arguments.vararg),
        kwonlyargs=[bare(p) for p in arguments.kwonlyargs],
        kw_defaults=[None for _ in arguments.kwonlyargs],
        kwarg=bare(arguments.kwarg),
        defaults=[],
    )


def compile_definition(
    original: CodeType,
    definition: ast.FunctionDef,
    source: Source,
    names: Names,
) -> CodeType:
    """Compile a definition inside a factory, whose parameters are its free variables."""
    # The names that the factory and the class bind are none that the function uses.
    definition = with_operators(build.copied(definition, name=names.fresh("converted")))
    inner: ast.stmt = definition
    if source.class_name is not None:
        # A class around it gives private names their meaning; underscores before its name do not count.
        class_name = f"_{source.class_name}"
        while class_name in names.taken:
            class_name = f"_{class_name}"
        inner = build.enclosing_class(class_name, [definition], definition)
    free = [build.OPERATORS, *(name for name in original.co_freevars if name.isidentifier())]
    factory = build.function("factory", build.parameters(free, definition), [inner], definition)
    flags = original.co_flags & FUTURE_FLAGS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python gave them when it compiled the original
        module = ast.Module([factory], [])
        compiled = compile(module, original.co_filename, "exec", flags, dont_inherit=True)
    code = find_code(compiled, "factory")
    old_name = "factory.<locals>"
    if source.class_name is not None:
        code = find_code(code, class_name)
        old_name += f".{class_name}"
    code = find_code(code, definition.name)
    lambdas = {name for name in names.functions if name.startswith("lambda_")}
    generated = names.functions - lambdas

    @cache
    def lambdas_of() -> tuple[set[tuple[int, ...]], set[tuple[int, ...]]]:
        """Where lambdas of the user and those that conversion made stand."""
        user = {_range(n.body) for n in ast.walk(source.node) if isinstance(n, ast.Lambda)}
        return user, {_range(n.body) for n in ast.walk(definition) if isinstance(n, ast.Lambda)} - user

    def is_generated(inner: CodeType) -> bool:
        if inner.co_name == "<lambda>":
            return _is_thunk(_ranges(inner), *lambdas_of())
        return inner.co_name in generated

    qualified_name = getattr(original, "co_qualname", original.co_name)
    renaming = Renaming(is_generated, lambdas)
    return renamed(code, original.co_name, qualified_name, f"{old_name}.{definition.name}", renaming)


def _range(node: ast.AST) -> tuple[int, ...]:
    """Where a node stands: line, column, last line, last column."""
    return tuple(build.place(node).values())


def _ranges(code: CodeType) -> set[tuple[int, ...]]:
    """Where the parts of code stand; unknown before Python 3.11."""
    if not hasattr(code, "co_positions"):
        return set()
    found = (position for position in code.co_positions() if None not in position)
    # Python 3.12 gives the frame of a lambda a place without width.
    return {(line, column, end, last) for line, end, column, last in found if (line, column) != (end, last)}


def _is_thunk(
    ranges: set[tuple[int, ...]], user_lambdas: set[tuple[int, ...]], thunks: set[tuple[int, ...]]
) -> bool:
    """Whether the code of a lambda is that of one that conversion made, by the ranges of all bodies of lambdas."""
    if not ranges or not ranges.isdisjoint(user_lambdas):
        return False
    if not ranges.isdisjoint(thunks):
        return True
    # No instruction stands for the whole body: it is that of the innermost lambda around all of them.
    start, end = min(r[:2] for r in ranges), max(r[2:] for r in ranges)
    around = [r for r in user_lambdas | thunks if r[:2] <= start and end <= r[2:]]
    return bool(around) and max(around, key=lambda r: (r[:2], [-n for n in r[2:]])) in thunks
