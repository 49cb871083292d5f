"""Which functions are converted, and why others are not: remembered for error messages, logged and warned of."""

from __future__ import annotations

import dis
import inspect
import warnings
from collections.abc import Callable
from types import CodeType, FunctionType

from ...dialect.errors import ConversionError, ConversionWarning
from ..logs import is_logged, log
from ..settings import settings
from ..source.code_table import CodeTable
from .convert.printing import to_code

NOT_ARRAYS = "Python runs its ifs and loops while tracing, so that no array can decide them"

_reasons = CodeTable()
"""Why the code of a function runs as it is."""

_logged = CodeTable()
_shown = CodeTable()
_warned = CodeTable()


def note_converted(function: FunctionType) -> None:
    """Log that a function is converted."""
    if is_logged("conversion") and _is_first(_logged, function.__code__):
        log("conversion", f"converts {_described(function)}")
    if is_logged("code") and _is_first(_shown, function.__code__):
        log("code", f"{_described(function)}\n{to_code(function).rstrip()}")


def note_unconverted(function: Callable[..., object], reason: str) -> None:
    """Remember, and log, that a function runs as it is."""
    if not isinstance(function, FunctionType):
        return
    code = function.__code__
    _reasons.set(code, reason)
    if is_logged("conversion") and _is_first(_logged, code):
        log("conversion", f"runs {_described(function)} as it is: {reason}")


def why_unconverted(code: CodeType) -> str | None:
    """Why some code of the user's is not converted; None where it is, or nobody asked for it."""
    reason: str | None = _reasons.get(code)
    return reason


def require_conversion(function: FunctionType, reason: str) -> None:
    """In strict mode, raise ConversionError for a function without a source that has control flow."""
    if settings.strict_conversion and _has_control_flow(function.__code__):
        raise ConversionError(
            f"{_described(function)} cannot be converted: {reason}, and conversion is strict"
        )


def excuse(function: FunctionType, error: ConversionError) -> None:
    """Go on with a function that cannot be converted as it is, with a warning for each; in strict mode, raise."""
    code = function.__code__
    is_async = code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
    if settings.strict_conversion or is_async:
        raise error
    line = error.lineno or code.co_firstlineno
    note_unconverted(function, f"{error.msg} (line {line})")
    if not _is_first(_warned, code):
        return
    message = (
        f"{_described(function)} is traced as it is: {error.msg}. {NOT_ARRAYS}; with weft.settings.strict_conversion "
        "this is an error, and weft.do_not_convert says that it is meant"
    )
    warnings.warn_explicit(message, ConversionWarning, error.filename or code.co_filename, line)


def _is_first(table: CodeTable, code: CodeType) -> bool:
    if table.get(code):
        return False
    table.set(code, True)
    return True


def _described(function: FunctionType) -> str:
    code = function.__code__
    return f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno})"


def _has_control_flow(code: CodeType) -> bool:
    """Whether some code has conditions or loops."""
    names = {i.opname for i in dis.get_instructions(code)}
    return any(name == "FOR_ITER" or ("JUMP" in name and "_IF_" in name) for name in names)
