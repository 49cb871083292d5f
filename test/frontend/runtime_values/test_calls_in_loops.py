"""Loops that call Python in each iteration say so, once for a line, and what to write instead."""

from __future__ import annotations

import math
import pathlib
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft


def far(n: Any) -> Any:
    total = 0.0
    for i in range(n):
        total += math.remainder(i, 3.0)
    return total


def drawn(n: Any) -> Any:
    total = 0
    while total < n:
        total += 1 + np.random.zipf(2.5)
    return total


def drawn_of_generator(n: Any, rng: Any) -> Any:
    total = 0
    for _ in range(n):
        total += rng.zipf(2.5)
    return total


def digits(n: Any) -> Any:
    return sum(int(digit) for digit in str(n))


def deferred(n: Any) -> Any:
    for i in range(n):
        if i == 3:
            random.seed(3)
    return n


@pytest.mark.parametrize(
    ("function", "line", "name", "instead"),
    [
        (
            far,
            "math.remainder(i",
            "math.remainder is called",
            "compute it before the loop, or with functions that are compiled",
        ),
        (
            drawn,
            "np.random.zipf",
            "zipf is called",
            r"draw all numbers by one call before the loop \(size=n\)",
        ),
        (
            digits,
            "int(digit)",
            "a text of run-time values is looked at",
            "compute with the numbers that it tells",
        ),
        (deferred, "random.seed(3)", "seed is called", "call it outside of the loop, if once is enough"),
    ],
)
def test_a_line_is_warned_of_once(function: Callable[..., Any], line: str, name: str, instead: str) -> None:
    compiled = weft.function(function)
    message = f"{name} in Python in each iteration of a compiled loop, some microseconds each: {instead}"
    with pytest.warns(weft.FallbackWarning, match=message) as caught:
        compiled(np.int64(4))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    lines = pathlib.Path(__file__).read_text(encoding="utf-8").splitlines()
    assert line in lines[caught[0].lineno - 1]
    compiled(np.int32(4))  # compiled again, and errors are raised of warnings


def test_a_line_that_was_made_an_error_is_one_again() -> None:
    compiled = weft.function(drawn_of_generator)
    for _ in range(2):
        with pytest.raises(weft.FallbackWarning, match="zipf is called in Python"):
            compiled(np.int64(4), np.random.default_rng(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", weft.FallbackWarning)
        assert compiled(np.int64(4), np.random.default_rng(1)) == drawn_of_generator(
            4, np.random.default_rng(1)
        )


def test_no_warning_of_what_is_compiled_asked_for_or_called_once(capsys: pytest.CaptureFixture[str]) -> None:
    def compute(n: Any) -> Any:
        total = math.remainder(n, 3.0) + np.random.zipf(2.5)
        for i in range(n):
            total += random.random() + np.random.rand() + math.factorial(i) + math.gcd(i, 3)
            print(i)
            total += weft.py_call(lambda x: x, i, result=weft.TensorSpec((), np.int64))
        for i in range(2):  # which is unrolled
            total += math.remainder(i, 3.0)
        if total < 0:
            raise ValueError(f"{total} is negative")
        return total

    weft.function(compute)(np.int64(3))
    assert capsys.readouterr().out == "0\n1\n2\n"
