"""Compiles converted functions: the code has the free variables of the original, and the operators as one more.

It gets the user's names, so that tracebacks read as before.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Set
from dataclasses import field
from functools import cache
from inspect import CO_OPTIMIZED
from types import CodeType
from typing import Any

from ....dialect.records import dataclass
from . import build
from .arithmetic import with_operators
from .generated import Names
from .source import FUTURE_FLAGS, Source


def find_code(code: CodeType, name: str) -> CodeType:
    """The function or class of a name directly in other code."""
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


@dataclass(frozen=True)
class Renaming:
    """Which functions in converted code are whose."""

    is_generated: Callable[[CodeType], bool]
    """Whether conversion made a function for a statement or expression of the function around it."""
    lambdas: Set[str]
    """Definitions that stand for lambdas of the user's."""
    found: dict[str, str] = field(default_factory=dict)
    """New qualified names by old ones, of all functions so far."""


def renamed(code: CodeType, name: str, qualified_name: str, old_name: str, how: Renaming) -> CodeType:
    """The code with the user's names; generated functions in it are called as the function that they are part of.

    `old_name` is the qualified name that it was compiled with. It may be a constant, too: classes set theirs, and
    Python 3.10 keeps that of each nested function.
    """
    separator = ".<locals>." if code.co_flags & CO_OPTIMIZED else "."
    names = {old_name: qualified_name}
    how.found[old_name] = qualified_name
    how.found[f"{old_name}.<locals>"] = f"{qualified_name}.<locals>"
    constants: list[Any] = []
    for constant in code.co_consts:
        if not isinstance(constant, CodeType):
            constants.append(constant)
            continue
        old = f"{old_name}{separator}{constant.co_name}"
        if how.is_generated(constant):
            inner, outer = name, qualified_name
        else:
            inner = "<lambda>" if constant.co_name in how.lambdas else constant.co_name
            outer = f"{qualified_name}{separator}{inner}"
            compiled_name: str = getattr(constant, "co_qualname", old)
            if compiled_name != old:
                # A global function, or one with type parameters, which Python nests once more.
                old = compiled_name
                owner = old.removesuffix(f".{constant.co_name}")
                outer = f"{how.found[owner]}.{inner}" if owner in how.found else old
        names[old] = outer
        constants.append(renamed(constant, inner, outer, old, how))
    constants = [names.get(c, c) if isinstance(c, str) else c for c in constants]
    changes: dict[str, Any] = {"co_consts": tuple(constants), "co_name": name}
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = qualified_name
    return code.replace(**changes)


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
