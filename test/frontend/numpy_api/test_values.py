"""Every function of the namespace gives what NumPy gives: eager, staged, with run-time extents, and compiled."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import weft
from support import namespace_cases as cases
from support.staged import run_staged

ALL = [
    expression
    for table in (
        cases.ELEMENTWISE,
        cases.REDUCTIONS,
        cases.SHAPES,
        cases.INDEXING,
        cases.PRODUCTS,
        cases.CREATION,
        cases.FIXED_SHAPES,
    )
    for expression in cases.expressions(table)
]
RUN_TIME_EXTENTS = [
    expression for expression in ALL if expression not in cases.expressions(cases.FIXED_SHAPES)
]
PROTOCOLS = cases.expressions(cases.PROTOCOLS)

# A slice of a run-time extent has a run-time extent, which does not broadcast, also where it turns out to be 1.
NEEDS_KNOWN_SLICES = {
    "xp.diff(j, prepend=0, append=x[:, :1])",
    "xp.cross(x[:, :3], y[:, :3])",
    "xp.linalg.cross(x[:, :3], y[:, :3])",
    "xp.take_along_axis(x, i[:1] % 3, axis=0)",
    "xp.unstack(x)",
    "x + xp.arange(0.0, 1.0, 0.25)",
}


TOLERANCES = {"float16": 1e-3, "float32": 1e-5, "complex64": 1e-5}


def leaves(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def assert_like_numpy(got: Any, expected: Any) -> None:
    for mine, theirs in itertools.zip_longest(leaves(got), leaves(expected)):
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        assert mine.dtype == theirs.dtype, (mine.dtype, theirs.dtype)
        assert mine.shape == theirs.shape, (mine.shape, theirs.shape)
        tolerance = TOLERANCES.get(mine.dtype.name, 1e-11)
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance)


def numpy_result(expression: str) -> tuple[Any, list[Any], Any]:
    function, arrays = cases.call_of(expression)
    with np.errstate(all="ignore"):
        return function, arrays, function(np, *[array.copy() for array in arrays])


pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("expression", ALL)
def test_eager(expression: str) -> None:
    function, arrays, expected = numpy_result(expression)
    assert_like_numpy(function(weft, *arrays), expected)


@pytest.mark.parametrize("expression", ALL)
def test_staged(expression: str) -> None:
    function, arrays, expected = numpy_result(expression)
    assert_like_numpy(run_staged(lambda *traced: function(weft, *traced), *arrays), expected)


@pytest.mark.parametrize("expression", RUN_TIME_EXTENTS)
def test_staged_with_run_time_extents(expression: str) -> None:
    function, arrays, expected = numpy_result(expression)
    if expression in NEEDS_KNOWN_SLICES or any(0 in array.shape for array in arrays):
        pytest.skip("needs known extents")
    assert_like_numpy(run_staged(lambda *traced: function(weft, *traced), *arrays, dynamic=True), expected)


@pytest.mark.parametrize("expression", [*ALL, *PROTOCOLS])
def test_numpy_functions_stage(expression: str) -> None:
    function, arrays, expected = numpy_result(expression)
    if _keeps_out_of_numpys_dispatch(expression):
        pytest.skip("NumPy does not dispatch it")
    assert_like_numpy(run_staged(lambda *traced: function(np, *traced), *arrays), expected)


def _keeps_out_of_numpys_dispatch(expression: str) -> bool:
    """What makes NumPy arrays from nothing, or converts its arguments before it dispatches."""
    makers = (
        "xp.arange",
        "xp.array([",
        "xp.asarray",
        "xp.eye",
        "xp.full(",
        "xp.identity",
        "xp.linspace(0",
        "xp.ones(",
    )
    return any(maker in expression for maker in makers)


@pytest.mark.parametrize("expression", [*ALL[::9], *PROTOCOLS[::4]])
def test_compiled(expression: str) -> None:
    function, arrays, expected = numpy_result(expression)
    compiled = weft.function(lambda *traced: function(np if expression in PROTOCOLS else weft, *traced))
    assert_like_numpy(compiled(*arrays), expected)
