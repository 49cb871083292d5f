"""Runs functions as they are written and converted, with operators that do what Python does, and compares all of it."""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import linecache
import re
from collections.abc import Callable, Iterator
from typing import Any

from support.python_operators import ForgettingOperators, PlainLoopOperators, PythonOperators
from weft.frontend.autograph.convert.converter import convert, why_not_converted
from weft.frontend.autograph.convert.printing import to_code

Outcome = tuple[Any, ...]


def observe(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """The result or exception, what is printed, and what became of the arguments."""
    arguments = copy.deepcopy(arguments)
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            result: Any = settled(function(*arguments))
    except Exception as error:
        result = ("raises", *described(error))
    return (result, output.getvalue(), settled(arguments))


def settled(result: Any) -> Any:
    """A result as text; iterators are used up."""
    if isinstance(result, Iterator):
        return ["iterator", *map(settled, result)]
    if isinstance(result, (list, tuple)):
        return [type(result).__name__, *map(settled, result)]
    return re.sub(r" at 0x\w+", "", repr(result))


def described(error: BaseException | None) -> Outcome:
    """An exception with its cause and context."""
    if error is None:
        return ()
    text = re.sub(r" at 0x\w+", "", str(error))
    hidden = error.__suppress_context__
    return (type(error), text, described(error.__cause__), () if hidden else described(error.__context__))


def converted(function: Any, **options: Any) -> Any:
    """The converted function; an error where there is none."""
    assert why_not_converted(function) is None
    return convert(function, PythonOperators(**options))


def check(function: Any, *calls: tuple[Any, ...]) -> None:
    """Raise AssertionError where a converted function differs from the original for some arguments."""
    other = converted(function)
    deep = converted(function, convert_callees=True)
    forgetting = convert(function, ForgettingOperators(convert_callees=True))
    by_python = convert(function, PlainLoopOperators(convert_callees=True))
    ast.parse(to_code(function))
    for arguments in calls or ((),):
        expected = observe(function, arguments)
        for run in (other, deep, forgetting, by_python):
            found = observe(run, arguments)
            assert found == expected, f"{arguments}: {found} instead of {expected}\n{to_code(function)}"


_counter = 0


def define(source: str, name: str = "f", **variables: Any) -> Any:
    """Define functions by their source, as an interactive session would; returns the one of a name."""
    global _counter
    _counter += 1
    filename = f"<program {_counter}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    variables["__name__"] = "program"
    exec(compile(source, filename, "exec"), variables)
    return variables[name]


__all__ = ["check", "converted", "define", "observe"]
