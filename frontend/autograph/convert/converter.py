"""Converts functions: the syntax tree becomes one that calls operators, compiled as if it stood in the user's file."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Mapping
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from ....dialect.errors import ConversionError
from . import build
from .blocks import BlockConverter
from .code_objects import CodeTable, Renaming, find_code, renamed
from .depth import require_bounded_depth
from .emitter import Context
from .generated import Names, names_in
from .source import _FUTURE_FLAGS, Missing, Source, find_source
from .unsupported import unsupported

_GENERATORS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True)
class Conversion:
    """What conversion made of the code of a function; functions with the same code share it."""

    code: CodeType
    definition: ast.FunctionDef
    """The converted function as a tree."""


@dataclass(frozen=True)
class Skipped:
    """Why a function stays as it is."""

    reason: str


_conversions = CodeTable()
"""What became of a user's code: a Conversion, Skipped or ConversionError."""

_converted_codes = CodeTable()
"""All code that conversion made, nested functions included: it is not converted again."""


def convert(function: FunctionType, operators: object) -> FunctionType:
    """The function with its control flow given to operators; the function itself where there is nothing to convert.

    It shares the globals, closure cells, defaults and attributes of the original. Generator functions, functions
    without a source and converted functions are returned as they are; `why_not_converted` tells.

    Raises ConversionError for syntax that cannot be converted.
    """
    conversion = _conversion_of(function)
    if isinstance(conversion, Skipped):
        return function
    return _function_of(function, conversion.code, operators)


def why_not_converted(function: FunctionType) -> str | None:
    """Why `convert` returns a function as it is; None where it converts it."""
    conversion = _conversion_of(function)
    return conversion.reason if isinstance(conversion, Skipped) else None


def is_converted(code: CodeType) -> bool:
    """Whether code was made by conversion, be it a function of the user's or the body of a statement in one."""
    return _converted_codes.get(code) is not None


def definition_of(function: FunctionType) -> ast.FunctionDef | None:
    """The converted function as a tree, or None where it stays as it is."""
    conversion = _conversion_of(function)
    return None if isinstance(conversion, Skipped) else conversion.definition


def _conversion_of(function: FunctionType) -> Conversion | Skipped:
    code = function.__code__
    found = _conversions.get(code)
    if found is None:
        try:
            found = _convert(function)
        except ConversionError as error:
            found = error.with_traceback(None)
        _conversions.set(code, found)
    if isinstance(found, ConversionError):
        raise ConversionError(
            found.msg,
            (found.filename, found.lineno, found.offset, found.text, found.end_lineno, found.end_offset),
        )
    assert isinstance(found, (Conversion, Skipped))
    return found


def _convert(function: FunctionType) -> Conversion | Skipped:
    code = function.__code__
    if is_converted(code):
        return Skipped("it is converted already")
    if code.co_flags & _GENERATORS:
        return Skipped("it is a generator function")
    try:
        return _convert_plain(function)
    except RecursionError:
        context = Context(code.co_filename, linecache.getlines(code.co_filename))
        where = ast.Pass(
            lineno=code.co_firstlineno, col_offset=0, end_lineno=code.co_firstlineno, end_col_offset=0
        )
        raise unsupported(
            context,
            where,
            "a function that is nested this deep",
            "divide it, or call it where fewer functions are being called",
        ) from None


def _convert_plain(function: FunctionType) -> Conversion | Skipped:
    source = find_source(function)
    if isinstance(source, Missing):
        return Skipped(source.reason)
    context = Context(source.filename, source.lines, source.class_name, _environment(function))
    if isinstance(source.node, ast.AsyncFunctionDef):
        raise unsupported(
            context, source.node, "a coroutine function (async def)", "call a plain function from it"
        )
    require_bounded_depth(source.node, context)
    return _convert_source(function, source, context)


def _environment(function: FunctionType) -> Mapping[str, Any]:
    """The globals and the values of closure variables."""
    found = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            found[name] = None
    return found


def _convert_source(function: FunctionType, source: Source, context: Context) -> Conversion:
    node = _as_definition(source.node)
    names = Names(names_in(source.node))
    converter = BlockConverter(context, names)
    body = converter.function_body(node)
    definition = build.copied(node, body=body, returns=None, args=_bare(node.args))
    if hasattr(definition, "type_params"):
        definition.type_params = []
    code = _compile(function.__code__, definition, source, names)
    return Conversion(code, definition)


def _as_definition(node: Any) -> ast.FunctionDef:
    """A lambda as a definition; a definition keeps the line of its first decorator."""
    if isinstance(node, ast.Lambda):
        result = ast.Return(node.body, **build.place(node.body))
        return build.function("lambda_", node.args, [result], node)
    decorators = [build.constant(None, decorator) for decorator in node.decorator_list[:1]]
    definition: ast.FunctionDef = build.copied(node, decorator_list=decorators)
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


def _compile(
    original: CodeType,
    definition: ast.FunctionDef,
    source: Source,
    names: Names,
) -> CodeType:
    """Compile a definition inside a factory, whose parameters are its free variables."""
    # The names that the factory and the class bind are none that the function uses.
    definition = build.copied(definition, name=names.fresh("converted"))
    inner: ast.stmt = definition
    if source.class_name is not None:
        # A class around it gives private names their meaning; underscores before its name do not count.
        class_name = f"_{source.class_name}"
        while class_name in names.taken:
            class_name = f"_{class_name}"
        inner = build.enclosing_class(class_name, [definition], definition)
    free = [build.OPERATORS, *(name for name in original.co_freevars if name.isidentifier())]
    factory = build.function("factory", build.parameters(free, definition), [inner], definition)
    flags = original.co_flags & _FUTURE_FLAGS
    compiled = compile(ast.Module([factory], []), original.co_filename, "exec", flags, dont_inherit=True)
    code = find_code(compiled, "factory")
    old_name = "factory.<locals>"
    if source.class_name is not None:
        code = find_code(code, class_name)
        old_name += f".{class_name}"
    code = find_code(code, definition.name)
    lambdas = {name for name in names.functions if name.startswith("lambda_")}
    generated = names.functions - lambdas
    user_lambdas = _user_lambdas(source.node)

    def is_generated(inner: CodeType) -> bool:
        if inner.co_name == "<lambda>":
            positions = _positions(inner)
            return bool(positions) and positions.isdisjoint(user_lambdas)
        return inner.co_name in generated

    qualified_name = getattr(original, "co_qualname", original.co_name)
    renaming = Renaming(is_generated, lambdas)
    code = renamed(code, original.co_name, qualified_name, f"{old_name}.{definition.name}", renaming)
    _note_converted(code)
    return code


def _positions(code: CodeType) -> set[tuple[int, ...]]:
    """Where the parts of a lambda stand: line, column, last line, last column; unknown before Python 3.11."""
    if not hasattr(code, "co_positions"):
        return set()
    found = (position for position in code.co_positions() if None not in position)
    # Python 3.12 gives the frame of a lambda a place without width.
    return {(line, column, end, last) for line, end, column, last in found if (line, column) != (end, last)}


def _user_lambdas(root: ast.AST) -> set[tuple[int, ...]]:
    """Where the bodies of the user's own lambdas stand."""
    return {tuple(build.place(node.body).values()) for node in ast.walk(root) if isinstance(node, ast.Lambda)}


def _note_converted(code: CodeType) -> None:
    _converted_codes.set(code, True)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _note_converted(constant)


def _function_of(function: FunctionType, code: CodeType, operators: object) -> FunctionType:
    """The converted code as a function like the original."""
    original = function.__code__
    cells = dict(zip(original.co_freevars, function.__closure__ or (), strict=True))
    cells[build.OPERATORS] = CellType(operators)
    closure = tuple(cells[name] for name in code.co_freevars)
    result = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    result.__doc__ = function.__doc__
    result.__module__ = function.__module__
    # Python 3.14 evaluates annotations when they are asked for.
    annotations = "__annotate__" if hasattr(function, "__annotate__") else "__annotations__"
    setattr(result, annotations, getattr(function, annotations))
    if hasattr(function, "__type_params__"):
        result.__type_params__ = function.__type_params__  # type: ignore[attr-defined]
    result.__dict__.update(function.__dict__)
    result.__dict__[_ORIGINAL] = function
    return result


_ORIGINAL = "__weft_original__"


def original_of(function: FunctionType) -> FunctionType:
    """The user's function that a converted one was made of; another function is returned as it is."""
    found: FunctionType = function.__dict__.get(_ORIGINAL, function)
    return found


__all__ = ["convert", "definition_of", "is_converted", "original_of", "why_not_converted"]
