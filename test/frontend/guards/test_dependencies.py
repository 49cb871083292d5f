"""What a trace keeps of the functions that it has recorded."""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable

import pytest

from weft.frontend.guards.dependencies import Dependencies


def plain() -> Callable[[], int]:
    return lambda: 1


def with_variable() -> Callable[[], int]:
    number = 2
    return lambda: number


@pytest.mark.parametrize("make", [plain, with_variable])
def test_functions_that_a_trace_has_made_go_with_it(make: Callable[[], Callable[[], int]]) -> None:
    function, dependencies = make(), Dependencies()
    assert isinstance(function, types.FunctionType)
    reference, code = weakref.ref(function), function.__code__
    dependencies.runs(function)
    del function
    assert reference() is None
    assert [kept.__code__ for kept in dependencies.functions] == [code]
