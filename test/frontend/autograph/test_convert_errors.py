"""What cannot be converted is refused with the construct, the place and what to write instead."""

from __future__ import annotations

import sys
import traceback
from typing import Any

import pytest

from support.conversion import converted, define
from weft.dialect.errors import ConversionError, UnsupportedError
from weft.frontend.autograph.convert.converter import convert
from weft.frontend.autograph.convert.printing import to_code


def refused(source: str) -> ConversionError:
    """The error of a conversion."""
    function = define(source)
    with pytest.raises(ConversionError) as first:
        convert(function, None)
    with pytest.raises(ConversionError) as second:
        to_code(function)
    assert str(second.value) == str(first.value)
    return first.value


def test_the_error_is_a_syntax_error_with_a_place() -> None:
    error = refused("async def f(x):\n    return x\n")
    assert isinstance(error, UnsupportedError)
    assert isinstance(error, NotImplementedError)
    assert isinstance(error, SyntaxError)
    assert str(error.filename).startswith("<program")
    assert (error.lineno, error.offset, error.text) == (1, 1, "async def f(x):")
    shown = "".join(traceback.format_exception_only(error))
    assert "async def f(x):\n    ^" in shown
    assert "a coroutine function (async def) cannot be compiled: call a plain function from it" in shown


@pytest.mark.skipif(sys.version_info < (3, 11), reason="syntax of Python 3.11")
def test_except_star() -> None:
    error = refused(
        "def f(x):\n    if x:\n        try:\n            x()\n        except* ValueError:\n            pass\n"
    )
    assert "except* cannot be compiled: catch the exception group" in str(error)
    assert error.lineno == 3


def test_asynchronous_comprehension() -> None:
    error = refused("def f(x):\n    return (y async for y in x)\n")
    assert "an asynchronous comprehension cannot be compiled: loop over a list" in str(error)
    assert (error.lineno, error.offset) == (2, 12)


@pytest.mark.parametrize("call", ["locals()", "vars()", "dir()"])
@pytest.mark.parametrize(
    "template",
    [
        "def f(x):\n    if x:\n        y = {}\n",
        "def f(x):\n    for i in x:\n        y = {}\n",
        "def f(x):\n    if x: return 1\n    y = {}\n",
        "def f(x):\n    y = x and {}\n",
    ],
)
def test_calls_that_look_at_variables(call: str, template: str) -> None:
    error = refused(template.format(call))
    name = call.partition("(")[0]
    assert f"{name}() inside of a condition" in str(error)
    assert "it looks at the variables of the function that calls it" in str(error)


@pytest.mark.parametrize("call", ["vars(x)", "dir(x)", "globals() and 1"])
def test_calls_that_look_at_other_variables_are_fine(call: str) -> None:
    function = define(f"def f(x):\n    if x:\n        return {call}\n")
    assert converted(function)(traceback) == function(traceback)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    weft_ = x\n",
        "def f(x):\n    return lambda: weft_\n",
        "def f(x):\n    def g(weft_): pass\n",
        "def f(x):\n    global weft_\n",
    ],
)
def test_the_name_of_the_operators_is_reserved(source: str) -> None:
    error = refused(source)
    assert "the name weft_ cannot be compiled: converted code uses it; give yours another name" in str(error)


def test_the_name_of_returned_values_gives_way() -> None:
    source = """\
def f(x):
    return_ = x
    for i in range(3):
        if i == x:
            return i, return_
        return_ += 1
    return return_
"""
    function = define(source)
    assert "weft_.result(result_1, 'return_1')" in to_code(function)
    assert [converted(function)(x) for x in (0, 2, 5)] == [function(x) for x in (0, 2, 5)]


def test_other_generated_names_give_way() -> None:
    source = """\
def f(then_1, body_1, item_1, converted_1, factory):
    if then_1:
        body_1 = then_1
    for item_2 in [1]:
        item_1 += item_2
    return then_1, body_1, item_1, converted_1, factory
"""
    function = define(source)
    assert converted(function)(1, 2, 3, 4, 5) == function(1, 2, 3, 4, 5)


def test_names_of_the_module_are_not_hidden() -> None:
    source = "def f(x):\n    return converted_1, factory, f.__name__ if x else then_1\n"
    function = define(source, converted_1=1, factory=2, then_1=3)
    assert converted(function)(0) == (1, 2, 3)
    assert converted(function)(1) == (1, 2, "f")


def test_columns_count_characters() -> None:
    error = refused("def f(x):\n    y = 'äöü', (z async for z in x)\n")
    assert error.offset == 16
    assert error.text is not None
    assert error.text[15:].startswith("(z async")


def test_private_class_named_with_underscores() -> None:
    source = """\
class __Tree:
    __x = 1
    def f(self):
        return self.__x if self else _Tree
Tree = __Tree
"""
    names: dict[str, Any] = {}
    cls = define(source, name="Tree", **names)
    assert converted(cls.f)(cls()) == 1
