"""Whether a list or dict that is an argument is another object: told where it is certain, else refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.dialect.errors import UnsupportedError

NUMBERS = [1, 2]
NAMES = {"a": 1}


def of_a_global(p: Any) -> Any:
    return NUMBERS is p


def of_a_dict(p: Any) -> Any:
    return p is not NAMES


def of_two_items(p: Any) -> Any:
    return p[0] is p[1]


@pytest.mark.parametrize(
    ("function", "argument"),
    [(of_a_global, NUMBERS), (of_a_global, [1, 2]), (of_a_dict, NAMES), (of_two_items, [[1], [2]])],
)
def test_what_only_the_caller_knows_is_refused(function: Callable[..., Any], argument: Any) -> None:
    with pytest.raises(
        UnsupportedError, match="that is an argument, or held by one, is another object"
    ) as caught:
        weft.function(function)(argument)
    assert "    return " in str(caught.value)


def test_of_two_arguments() -> None:
    with pytest.raises(UnsupportedError, match="that is an argument, or held by one, is another object"):
        weft.function(lambda p, q: p is q)(NUMBERS, NUMBERS)


def certain(p: Any, x: Any) -> Any:
    made, again = [1], p
    return p is made, p is not made, again is p, p[0] is p[0], x is x


def test_what_is_certain_is_told() -> None:
    argument = [[1], [3], [2]]
    compiled = weft.function(certain)
    for _ in range(2):
        assert compiled(argument, np.ones(2)) == certain(argument, np.ones(2))
