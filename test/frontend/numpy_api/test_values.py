"""Every function of the namespace gives what NumPy gives: eager, staged, and with run-time extents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support import namespace_cases as cases
from support.staged import run_staged


def numpy_result(expression: str) -> tuple[Any, list[Any], Any]:
    function, arrays = cases.call_of(expression)
    with np.errstate(all="ignore"):
        return function, arrays, function(np, *[array.copy() for array in arrays])


pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("expression", cases.everything())
def test_eager(expression: str) -> None:
    function, arrays, expected = numpy_result(expression)
    cases.assert_like_numpy(function(weft, *arrays), expected)


@pytest.mark.parametrize("expression", cases.everything())
def test_staged(expression: str) -> None:
    function, arrays, expected = numpy_result(expression)
    cases.assert_like_numpy(run_staged(lambda *traced: function(weft, *traced), *arrays), expected)


@pytest.mark.parametrize("expression", cases.with_run_time_extents())
def test_staged_with_run_time_extents(expression: str) -> None:
    function, arrays, expected = numpy_result(expression)
    cases.assert_like_numpy(
        run_staged(lambda *traced: function(weft, *traced), *arrays, dynamic=True), expected
    )


@pytest.mark.parametrize("expression", [*cases.everything(), *cases.expressions(cases.PROTOCOLS)])
def test_numpy_functions_stage(expression: str) -> None:
    function, arrays, expected = numpy_result(expression)
    if _keeps_out_of_numpys_dispatch(expression):
        pytest.skip("NumPy does not dispatch it")
    cases.assert_like_numpy(run_staged(lambda *traced: function(np, *traced), *arrays), expected)


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
