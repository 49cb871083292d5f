"""Run a function eagerly and compiled, and compare everything a caller can see."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import weft
from support.layouts import other_layout, shares_no_more


def assert_same(got: Any, expected: Any, rtol: float = 0.0, atol: float = 0.0) -> None:
    """Compare nested results: types of containers, scalar or array, dtypes, shapes and values."""
    if isinstance(expected, (np.ndarray, np.generic)):
        assert isinstance(got, (np.ndarray, np.generic)), (got, expected)
        assert isinstance(got, np.ndarray) == isinstance(expected, np.ndarray), (type(got), type(expected))
        assert got.dtype == expected.dtype, (got.dtype, expected.dtype)
        assert got.shape == expected.shape, (got.shape, expected.shape)
        if rtol == atol == 0.0:
            np.testing.assert_array_equal(got, expected)
        else:
            np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)
    elif isinstance(expected, dict):
        assert type(got) is type(expected)
        assert list(got) == list(expected)
        for key, value in expected.items():
            assert_same(got[key], value, rtol, atol)
    elif isinstance(expected, (list, tuple)):
        assert type(got) is type(expected)
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            assert_same(g, e, rtol, atol)
    else:
        assert type(got) is type(expected)
        assert got == expected


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, BaseException | None]:
    """The result of a call, or the exception that it raised."""
    try:
        with np.errstate(all="ignore"):
            return function(*arguments), None
    except Exception as error:
        return None, error


def check(
    function: Callable[..., Any], *arguments: Any, rtol: float = 0.0, atol: float = 0.0
) -> weft.Function:
    """Compare a compiled call with the eager one: results, written arguments, exception type; returns the function.

    Runs twice on fresh copies, so that a second call of the same trace is covered too; the arrays of the second call
    lie in memory in another way.
    """
    compiled = weft.function(function)
    for copied in (
        copy.deepcopy,
        lambda given: other_layout(copy.deepcopy(given), getattr(function, "__qualname__", "function")),
    ):
        eager_arguments, compiled_arguments = copied(arguments), copied(arguments)
        expected, expected_error = outcome(function, eager_arguments)
        got, error = outcome(compiled, compiled_arguments)
        if expected_error is not None:
            assert error is not None, f"eager raised {expected_error!r}"
            assert isinstance(error, type(expected_error)), (error, expected_error)
        else:
            if error is not None:
                raise error
            assert_same(got, expected, rtol, atol)
            assert shares_no_more(got, compiled_arguments, expected, eager_arguments)
        assert_same(compiled_arguments, eager_arguments, rtol, atol)
    return compiled
