"""The source of a function is found wherever it is, and only if it is what the function was made of."""

from __future__ import annotations

import doctest
import functools
import importlib.util
import linecache
import os
import sys
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import weft
from support.conversion import converted, define
from weft.frontend.autograph.convert.converter import convert, why_not_converted
from weft.frontend.autograph.convert.printing import to_code
from weft.frontend.autograph.convert.source import Missing, Source, find_source


def load_module(path: Path, source: str) -> ModuleType:
    """Import a file."""
    path.write_text(textwrap.dedent(source))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def column(function: FunctionType) -> int:
    """Where the source of a function stands in its line."""
    found = find_source(function)
    assert isinstance(found, Source)
    return found.node.col_offset


LAMBDAS = [lambda x: x + 1, lambda x: x + 2, lambda y: y + 2, lambda x, y=3: x, lambda x: "one"]  # fmt: skip
SAME = [lambda x: x, lambda x: x]
NESTED = lambda x: lambda y: y + (1 if x else 2)


def test_lambdas_on_one_line() -> None:
    columns = [column(f) for f in LAMBDAS]
    assert columns == sorted(set(columns))
    assert [converted(f)(1) for f in LAMBDAS] == [2, 3, 3, 1, "one"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no columns")
def test_equal_lambdas_on_one_line_are_told_apart_by_columns() -> None:
    assert column(SAME[0]) < column(SAME[1])


def test_nested_lambdas_on_one_line() -> None:
    assert converted(NESTED)(1)(5) == 6
    assert converted(NESTED(0))(5) == 7


def test_lambda_over_several_lines() -> None:
    functions = [
        lambda x:
        "positive" if x > 0
        else "other"
    ]  # fmt: skip
    (function,) = functions
    assert converted(function)(1) == "positive"
    assert converted(function)(-1) == "other"


def test_decorated_functions() -> None:
    def twice(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(x: int) -> Any:
            return function(x) if x else function(not x)

        return wrapper

    @twice
    @twice
    def decorated(x: int) -> str:
        if x:
            return "true"
        return "false"

    # It is the wrapper that is called, so it is the wrapper that is converted.
    assert converted(decorated)(1) == decorated(1)
    assert "wrapper" in to_code(decorated)
    inner = decorated.__wrapped__.__wrapped__
    assert converted(inner)(1) == "true"
    assert "def decorated(x):" in to_code(inner)
    assert converted(inner).__code__.co_firstlineno == inner.__code__.co_firstlineno


class Tree:
    __size = 5

    def grow(self, by: int) -> int:
        if by:
            self.__size += by
        return self.__size

    @classmethod
    def create(cls, by: int) -> int:
        return cls().grow(by) if by else cls.__size

    @staticmethod
    def double(x: int) -> int:
        return 2 * x if x else 0


class Oak(Tree):
    def grow(self, by: int) -> int:
        if by:
            by = super().grow(by)
        return by + (lambda: super(Oak, self).grow(0))() if self and __class__ is Oak else 0  # type: ignore[name-defined]

    def grow_inside(self) -> int:
        def inner(it: Oak) -> int:
            return super().grow(1) if it else 0

        return inner(self)


def test_methods() -> None:
    assert converted(Tree.grow)(Tree(), 2) == 7
    assert converted(Tree.create.__func__)(Tree, 1) == 6  # type: ignore[attr-defined]
    assert converted(Tree.double)(4) == 8
    assert converted(Oak.grow)(Oak(), 2) == 14
    assert converted(Oak.grow_inside)(Oak()) == 6


def test_super_outside_of_a_class_fails_as_in_python() -> None:
    function = define("def f(self):\n    if self: return super().x")
    for run in (function, converted(function)):
        with pytest.raises(RuntimeError, match=r"super\(\): "):
            run(1)


def test_functions_of_a_session() -> None:
    """As IPython and doctest register their input."""
    function = define("def f(x):\n    if x: return 'yes'\n    return 'no'\n")
    assert converted(function)(1) == "yes"


def test_doctest_source() -> None:
    examples = """
    >>> def f(x):
    ...     if x: return 'yes'
    >>> report(why_not_converted(f))
    """
    found: list[Any] = []
    names = {"report": found.append, "why_not_converted": why_not_converted, "__name__": "example"}
    test = doctest.DocTestParser().get_doctest(examples, names, "example", None, 0)
    doctest.DocTestRunner(verbose=False).run(test)
    assert found == [None]


@pytest.mark.skipif(not hasattr(linecache, "_getlines_from_code"), reason="from Python 3.13.1")
def test_source_registered_for_code() -> None:
    """As the interactive session of Python 3.13 does it."""
    source = "def f(x):\n    return 1 if x else 2\n"
    code = compile(source, "<python-input-7>", "exec")
    register: Any = linecache._register_code  # type: ignore[attr-defined]
    register(code, source, "<python-input-7>")
    variables: dict[str, Any] = {"__name__": "program"}
    exec(code, variables)
    assert converted(variables["f"])(0) == 2


def test_without_source() -> None:
    variables: dict[str, Any] = {}
    exec("def f(x): return 1 if x else 2", variables)
    function = variables["f"]
    assert why_not_converted(function) == "its source (<string>) is not available; write it to a file"
    assert convert(function, None) is function


def test_changed_file(tmp_path: Path) -> None:
    path = tmp_path / "changing.py"
    module = load_module(path, "def f(x):\n    return 1 if x else 2\n")
    path.write_text("def f(x):\n    return 5 if x else 2\n")
    os.utime(path, (1, 1))
    found = find_source(module.f)
    assert isinstance(found, Missing)
    assert found.reason == f"{path} has changed since it was imported"


def test_file_that_is_no_longer_python(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    module = load_module(path, "def f(x):\n    return 1 if x else 2\n")
    path.write_text("def f(x:\n")
    os.utime(path, (1, 1))
    assert why_not_converted(module.f) == f"{path} has changed: it is no longer valid Python"


def test_lines_moved_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "moved.py"
    module = load_module(path, "def f(x):\n    return 1 if x else 2\n")
    path.write_text("\n\ndef f(x):\n    return 1 if x else 2\n")
    os.utime(path, (1, 1))
    assert "has changed" in str(why_not_converted(module.f))


def test_future_imports_of_the_file_hold(tmp_path: Path) -> None:
    source = (
        "from __future__ import annotations\ndef f(x: no_such_type) -> wrong:\n    return 1 if x else 2\n"
    )
    module = load_module(tmp_path / "future.py", source)
    function = converted(module.f)
    assert function(1) == 1
    assert function.__annotations__ == {"x": "no_such_type", "return": "wrong"}


def test_imported_names_in_blocks_of_the_module(tmp_path: Path) -> None:
    """The compiler treats calls of what the module imports in a way of its own."""
    source = """
    try:
        import json
    except ImportError:
        from os import path as json
    def f(x):
        return json.dumps(x) if x else json.loads('1')
    """
    module = load_module(tmp_path / "importing.py", source)
    assert converted(module.f)(2) == "2"


def test_function_rewritten_by_pytest() -> None:
    """pytest rewrites assert statements; the source still is what was meant."""

    def function(x: int) -> str:
        assert x != 1, "not one"
        return "yes" if x else "no"

    assert "@py_assert" in str(function.__code__.co_varnames)
    assert converted(function)(0) == "no"
    with pytest.raises(AssertionError, match="not one"):
        converted(function)(1)


def test_function_that_something_else_rewrote() -> None:
    function = define("def f(x):\n    return 1 if x else 2\n")
    names = (*function.__code__.co_names, "@other")
    function.__code__ = function.__code__.replace(co_names=names, co_argcount=0)
    assert "something has rewritten it" in str(why_not_converted(function))


def test_generator_functions_stay() -> None:
    function = define("def f(x):\n    if x: yield x\n")
    assert why_not_converted(function) is None  # it is, where something walks it: see `convert_generator`
    assert convert(function, None) is function
    function = define("def f(x):\n    x = yield x\n")
    assert why_not_converted(function) == "it is a generator that uses the value of a yield (line 2)"


def test_converted_functions_stay() -> None:
    function = converted(define("def f(x):\n    return (lambda: 1 if x else 2)\n"))
    assert why_not_converted(function) == "it is converted already"
    assert convert(function, None) is function
    assert why_not_converted(function(1)) == "it is converted already"


def test_methods_of_classes_in_converted_functions_are_converted_on_their_own() -> None:
    source = """
    def f(x):
        class Local:
            def method(self):
                return x if self else 0
        def generator():
            yield lambda: 1 if x else 2
        return Local.method, next(generator())
    """
    method, function = converted(define(textwrap.dedent(source)))(5)
    assert converted(method)(1) == 5
    assert converted(function)() == 1


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters() -> None:
    source = """
    def f[T: int](x: T, y: list[T] = []) -> T:
        type Local[U] = dict[U, T]
        def inner[S](s: S) -> S:
            return s if x else T
        if y:
            type Late = int
            return inner(x)
        return Local.__name__, T.__name__, inner.__type_params__[0].__name__, inner.__qualname__
    """
    function = define(textwrap.dedent(source))
    assert converted(function)(1) == function(1) == ("Local", "T", "S", "f.<locals>.inner")
    assert converted(function)(1, [2]) == 1
    assert converted(function).__type_params__ == function.__type_params__


def test_sets_in_code_have_no_order() -> None:
    def chosen(x):
        if x in {0, 8}:
            x = x + 1
        return x

    code = chosen.__code__
    turned = tuple(frozenset([8, 0]) if isinstance(c, frozenset) else c for c in code.co_consts)
    assert [list(c) for c in turned if isinstance(c, frozenset)] == [[8, 0]]
    chosen.__code__ = code.replace(co_consts=turned)
    assert [int(weft.function(chosen)(np.int64(n))) for n in (0, 3, 8)] == [1, 3, 9]
