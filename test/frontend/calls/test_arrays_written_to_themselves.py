"""An array from outside that is an argument, too, is written with itself: whole, turned round, and in parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft

NUMBERS = np.arange(3.0)


def whole(x: Any) -> Any:
    x[...] = NUMBERS
    return x


def turned(x: Any) -> Any:
    x[::-1] = NUMBERS
    NUMBERS[::-1] = x
    return x + NUMBERS


def in_a_handler(x: Any) -> Any:
    try:
        if x[1] > 0:
            raise ValueError
        NUMBERS[::-1] = NUMBERS
    except ValueError:
        x[()] = NUMBERS
        NUMBERS[::-1] = NUMBERS + 1
    return x


def in_a_loop(x: Any) -> Any:
    for i in range(3):
        x[i:] = NUMBERS[i:]
        NUMBERS[::-1] += x
    return x


@pytest.mark.parametrize("program", [whole, turned, in_a_handler, in_a_loop])
@pytest.mark.parametrize("is_it", [True, False])
def test_what_is_written_is_what_python_writes(program: Callable[..., Any], is_it: bool) -> None:
    found = []
    for function in (program, weft.function(program)):
        NUMBERS[:] = [0.0, 1.0, 2.0]
        returned = function(NUMBERS if is_it else np.ones(3))
        found.append((returned.tolist(), NUMBERS.tolist(), returned is NUMBERS))
    assert found[0] == found[1]
