"""Converted functions look like the originals: attributes, positions, tracebacks, memory."""

from __future__ import annotations

import functools
import gc
import inspect
import sys
import traceback
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from support.conversion import converted, define
from support.python_operators import PythonOperators
from weft.dialect.errors import WeftTypeError
from weft.frontend.autograph.convert.converter import (
    _conversions,
    _converted_codes,
    convert,
    is_converted,
    original_of,
)
from weft.frontend.autograph.convert.printing import to_code
from weft.frontend.autograph.marks import do_not_convert, is_marked


def test_attributes_are_kept() -> None:
    def function(a: int, /, b: int = 2, *rest: int, c: int, d: str = "x", **more: Any) -> int:
        """Say what it does."""
        return a if b else c

    function.tag = [1]  # type: ignore[attr-defined]
    other = converted(function)
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__kwdefaults__"):
        assert getattr(other, name) == getattr(function, name)
    assert inspect.signature(other) == inspect.signature(function)
    assert other.tag is function.tag  # type: ignore[attr-defined]
    assert other.__globals__ is function.__globals__
    assert original_of(other) is function
    assert original_of(function) is function
    wrapper = functools.wraps(other)(lambda: None)
    assert original_of(wrapper) is wrapper  # type: ignore[arg-type]
    assert other.__code__.co_filename == function.__code__.co_filename
    assert other.__code__.co_name == function.__code__.co_name
    if sys.version_info >= (3, 11):
        assert other.__code__.co_qualname == function.__code__.co_qualname


def test_closure_cells_are_shared() -> None:
    count = 0

    def function(x: int) -> int:
        nonlocal count
        if x:
            count += x
        return count

    assert converted(function)(3) == 3
    assert count == 3
    count = 10
    assert converted(function)(1) == 11


def test_functions_with_the_same_code_share_the_conversion() -> None:
    def make(n: int) -> Callable[[int], int]:
        return lambda x: n if x else -n

    one, two = converted(make(1)), converted(make(2))
    assert one.__code__ is two.__code__
    assert (one(1), two(1), two(0)) == (1, 2, -2)


def test_operators_are_given_for_each_function() -> None:
    class Loud(PythonOperators):
        def if_exp(self, test: Any, then: Any, otherwise: Any) -> Any:
            return "loud"

    def function(x: int) -> int:
        return 1 if x else 2

    assert convert(function, Loud())(1) == "loud"  # type: ignore[arg-type]
    assert converted(function)(1) == 1


def test_code_and_conversions_are_not_kept_alive() -> None:
    def leave() -> tuple[weakref.ref[Any], int]:
        function = define("def f(x):\n    if x: return 1\n    return lambda: x if x else 2\n")
        other = converted(function)
        assert is_converted(other.__code__)
        return weakref.ref(function.__code__), len(_converted_codes)

    before = len(_conversions)
    found, most = leave()
    gc.collect()
    assert found() is None
    assert len(_conversions) <= before
    assert len(_converted_codes) < most


PROGRAM = """\
def f(x):
    y = 0
    if x == 1:
        y = (1 +
             x / y)
    for i in range(3):
        while x == 2:
            return i / (x - 2)
        try:
            if x == 3:
                raise ValueError(x)
        finally:
            z = [k / (x - 4) for k in range(2)] if x == 4 else (
                lambda: y / y)
    with open(x) as file:
        return z()
"""


def user_lines(error: BaseException) -> list[tuple[str, int | None]]:
    """The last place in the program, as the traceback shows it."""
    frames = traceback.extract_tb(error.__traceback__)
    return [(frame.name, frame.lineno) for frame in frames if frame.filename.startswith("<program")]


@pytest.mark.parametrize("x", [1, 2, 3, 4, "no such file"])
def test_errors_are_in_the_line_of_the_user(x: Any) -> None:
    function = define(PROGRAM)
    with pytest.raises((ArithmeticError, ValueError, OSError, TypeError)) as expected:
        function(x)
    with pytest.raises(expected.type) as found:
        converted(function)(x)
    lines, expected_lines = user_lines(found.value), user_lines(expected.value)
    assert lines[-1][1] == expected_lines[-1][1]
    if sys.version_info >= (3, 11):
        assert {name for name, _ in lines} <= {"f", "<lambda>"}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no columns")
def test_columns_are_those_of_the_user() -> None:
    function = define("def f(x):\n    if x:\n        y = x + (x // 0)\n    return (1 // 0) if not x else y\n")
    for x in (0, 1):
        places = []
        for run in (function, converted(function)):
            with pytest.raises(ZeroDivisionError) as error:
                run(x)
            frames = traceback.extract_tb(error.value.__traceback__)
            places.append(
                [(f.lineno, f.colno, f.end_colno) for f in frames if f.filename.startswith("<program")][-1]
            )
        assert places[0] == places[1]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the place of a condition is its line before")
def test_the_caret_of_a_condition_points_at_the_test() -> None:
    class Undecided:
        def __bool__(self) -> bool:
            raise ValueError("undecided")

    function = converted(
        define("def f(x):\n    if  x:\n        y = 1\n    else:\n        y = 2\n    return y\n")
    )
    with pytest.raises(ValueError, match="undecided") as error:
        function(Undecided())
    (frame,) = [
        f for f in traceback.extract_tb(error.value.__traceback__) if f.filename.startswith("<program")
    ]
    assert (frame.name, frame.lineno, frame.colno, frame.end_colno) == ("f", 2, 8, 9)


def lines_run(function: Callable[..., Any], *arguments: Any) -> set[int]:
    """The lines that a debugger or a coverage tool sees."""
    seen: set[int] = set()
    filename = function.__code__.co_filename

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != filename:
            return None
        if event == "line":
            seen.add(frame.f_lineno)
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(previous)
    return seen


LINES = """\
def f(x):
    y = 0
    if x > 2:
        y += 1
        y += 2
    elif x:
        y -= 1
    else:
        y = 7
    for i in range(x):
        if i == 1:
            continue
        y += i
    while y > 5:
        y -= 1
    else:
        y = -y
    try:
        1 / x
    except ZeroDivisionError:
        y = 3
    finally:
        x = y
    return (
        x
        if y
        else y
    )
"""


@pytest.mark.parametrize("x", [0, 1, 4])
def test_coverage_sees_the_lines_of_the_user(x: int) -> None:
    function = define(LINES)
    expected, found = lines_run(function, x), lines_run(converted(function), x)
    # Lines that hold only a keyword are not the same from one Python to the next.
    keywords = {
        number
        for number, text in enumerate(LINES.splitlines(), 1)
        if text.strip() in ("try:", "return (", "if y")
    }
    assert expected - keywords <= found
    statements = {
        number for number, text in enumerate(LINES.splitlines(), 1) if "=" in text and "if" not in text
    }
    assert found & statements == expected & statements


def test_breakpoint_stops_in_the_frame_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[str, int]] = []

    def hook() -> None:
        frame = sys._getframe(1)
        found.append((frame.f_code.co_name, frame.f_lineno))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    converted(define("def f(x):\n    if x:\n        breakpoint()\n    return x\n"))(1)
    assert found == [("f", 3)]


def test_qualified_names_of_nested_functions() -> None:
    source = """\
def f(x):
    if x:
        class C:
            def method(self): return (lambda: 1)
        def g():
            return lambda y: y if y else x
        return C.__qualname__, C.method.__qualname__, C().method().__qualname__, g.__qualname__, g().__qualname__
"""
    function = define(source)
    assert converted(function)(1) == function(1)


def test_error_messages_name_the_functions_of_the_user() -> None:
    function = define("def f(x):\n    if x:\n        def g(y): pass\n        g()\n")
    with pytest.raises(TypeError) as error:
        converted(function)(1)
    with pytest.raises(TypeError) as expected:
        function(1)
    assert str(error.value) == str(expected.value)


def test_do_not_convert_marks() -> None:
    @do_not_convert
    def function(x: int) -> int:
        return x

    @functools.wraps(function)
    def wrapper(x: int) -> int:
        return function(x)

    class Holder:
        def method(self) -> None: ...

        marked = do_not_convert(classmethod(lambda cls: cls))  # type: ignore[type-var]

    assert is_marked(function)
    assert not is_marked(wrapper)
    do_not_convert(Holder().method)
    assert is_marked(Holder.method)
    assert is_marked(Holder.marked.__func__)
    with pytest.raises(WeftTypeError, match="takes a function"):
        do_not_convert(5)  # type: ignore[type-var]
    with pytest.raises(WeftTypeError, match="takes a function"):
        do_not_convert(Holder)
    with pytest.raises(WeftTypeError, match="cannot be marked"):
        do_not_convert(len)


def test_to_code_of_a_function_that_stays_is_its_source() -> None:
    source = "def f(x):\n    return (yield x)\n"
    assert to_code(define(source)) == source
