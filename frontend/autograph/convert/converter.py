"""Converts functions: the syntax tree becomes one that calls operators, compiled as if it stood in the user's file."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Mapping
from threading import RLock
from types import CellType, CodeType, FunctionType
from typing import Any

from ....dialect.errors import ConversionError
from ....dialect.records import dataclass
from ...source.carried_sources import restore_file
from ...source.code_parts import content_of
from ...source.code_table import CodeTable
from . import build
from .blocks import BlockConverter
from .compiling import as_definition, compile_definition
from .emitter import Context
from .generated import Names, names_in
from .generators import consumed, why_not_consumed, why_only_around
from .operators import Operators
from .source import Missing, Source, find_source
from .unsupported import require_bounded_depth, unsupported

_GENERATORS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True)
class Conversion:
    """What conversion made of the code of a function; functions with the same code share it."""

    code: CodeType
    definition: ast.FunctionDef
    """The converted function as a tree."""
    only_around: str | None = None
    """Why a generator function is converted as a context manager only."""


@dataclass(frozen=True)
class Skipped:
    """Why a function stays as it is."""

    reason: str


_conversions = CodeTable()
"""What became of a user's code: a Conversion, Skipped or ConversionError."""

_converted_codes = CodeTable()
"""All code that conversion made, nested functions included: it is not converted again."""


_nested_codes = CodeTable()
"""The code of all functions and classes in code that conversion made; with variables around that may have no value."""

_lock = RLock()
"""Syntax trees are shared, and changed for a moment while a function is looked for."""


def convert(function: FunctionType, operators: Operators) -> FunctionType:
    """The function with its control flow given to operators; the function itself where there is nothing to convert.

    It shares the globals, closure cells, defaults and attributes of the original. Generator functions (see
    `convert_generator`), functions without a source and converted functions are returned as they are;
    `why_not_converted` tells.

    Raises ConversionError for syntax that cannot be converted.
    """
    if is_generator_function(function):
        return function
    conversion = _conversion_of(function)
    if isinstance(conversion, Skipped):
        return function
    return _function_of(function, conversion.code, operators)


def convert_generator(function: FunctionType, operators: Operators) -> FunctionType | None:
    """A generator function as a function that calls a consumer, its first argument, with each item.

    The consumer returns whether the generator is to end. None for one that cannot be converted; `why_not_converted`
    tells why, and also why the consumer of one can only be the block of a context manager.

    Raises ConversionError as `convert` does.
    """
    conversion = _conversion_of(function)
    return None if isinstance(conversion, Skipped) else _function_of(function, conversion.code, operators)


def is_generator_function(function: FunctionType) -> bool:
    """Whether calling a function makes a generator."""
    return bool(function.__code__.co_flags & _GENERATORS)


def why_not_converted(function: FunctionType) -> str | None:
    """Why `convert` returns a function as it is; None where it converts it."""
    conversion = _conversion_of(function)
    return conversion.reason if isinstance(conversion, Skipped) else conversion.only_around


def is_converted(code: CodeType) -> bool:
    """Whether code was made by conversion, be it a function of the user's or the body of a statement in one."""
    return _converted_codes.get(code) is not None


def is_nested(code: CodeType) -> bool:
    """Whether a function is defined in converted code, so that its variables are those of the trace."""
    return _nested_codes.get(code) is not None


def definition_of(function: FunctionType) -> ast.FunctionDef | None:
    """The converted function as a tree, or None where it stays as it is."""
    conversion = _conversion_of(function)
    return None if isinstance(conversion, Skipped) else conversion.definition


def _conversion_of(function: FunctionType) -> Conversion | Skipped:
    restore_file(function)
    code = function.__code__
    found = _conversions.get(code)
    if found is None:
        with _lock:
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
    if code.co_flags & inspect.CO_ASYNC_GENERATOR:
        return Skipped("it is an asynchronous generator function")
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
    source = find_source(function, is_nested=is_nested(function.__code__))
    if isinstance(source, Missing):
        return Skipped(source.reason)
    unsure = (_nested_codes.get(function.__code__) or frozenset()) & {*function.__code__.co_freevars}
    context = Context(source.filename, source.lines, source.class_name, _environment(function), unsure)
    if isinstance(source.node, ast.AsyncFunctionDef):
        raise unsupported(
            context, source.node, "a coroutine function (async def)", "call a plain function from it"
        )
    if is_generator_function(function) and (reason := why_not_consumed(source.node)):
        return Skipped(reason)
    require_bounded_depth(source.node, context)
    return _convert_source(function, source, context)


def _environment(function: FunctionType) -> Mapping[str, Any]:
    """The globals and the values of closure variables."""
    found = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        found[name] = content_of(cell)
    return found


def _convert_source(function: FunctionType, source: Source, context: Context) -> Conversion:
    names = Names(names_in(source.node))
    definition = as_definition(source.node)
    only_around = None
    if is_generator_function(function):
        only_around = why_only_around(definition)
        definition = consumed(definition, names)
    body = BlockConverter(context, names).function_body(definition)
    definition = build.copied(definition, body=body)
    code = compile_definition(function.__code__, definition, source, names)
    _note_converted(code, context.unsure | names.unsure)
    return Conversion(code, definition, only_around)


def _note_converted(code: CodeType, unsure: frozenset[str]) -> None:
    _converted_codes.set(code, True)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _note_nested(constant, unsure)
        # Classes and generator functions are left as they are; the methods may be converted later.
        if isinstance(constant, CodeType) and constant.co_flags & (inspect.CO_OPTIMIZED | _GENERATORS) == (
            inspect.CO_OPTIMIZED
        ):
            _note_converted(constant, unsure)


def _note_nested(code: CodeType, unsure: frozenset[str]) -> None:
    _nested_codes.set(code, unsure)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _note_nested(constant, unsure)


def _function_of(function: FunctionType, code: CodeType, operators: Operators) -> FunctionType:
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
    # `functools.wraps` copies attributes to functions that are no conversions.
    found: FunctionType = function
    if is_converted(function.__code__):
        found = function.__dict__.get(_ORIGINAL, function)
    return found
