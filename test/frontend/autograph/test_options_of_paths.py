"""Texts in lists, dicts and sets of several paths: each path numbers those that it has, and their join others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.differential import assert_same
from support.interpreted import interpreted


def returned(a: Any, n: Any) -> Any:
    if a == 0:
        return {"x": 1.0}
    elif a == 1:
        return {"y": 2.0}
    return {"z": 3.0}


def grown(a: Any, n: Any) -> Any:
    out = []
    if a == 0:
        for i in range(n):
            out.append("x" if i > 1 else "z")
    elif a == 1:
        for i in range(n):
            out.append("y" if i > 1 else None)
    else:
        out = ["q"]
    return out


def named(a: Any, n: Any) -> Any:
    found, seen = {"p": 1, "q": 2}, {"w", "x"}
    if a == 0:
        found, seen = {"r": 3}, {"x"}
    elif a == 1:
        found, seen = {"s": 4, "p": 5}, {"y", "z"}
    return found, len(found), list(found), "x" in seen, len(seen)


@pytest.mark.parametrize("function", [returned, grown, named])
def test_texts_are_those_of_the_path(function: Callable[..., Any]) -> None:
    compiled = interpreted(function)
    for a in range(3):
        assert_same(compiled(np.int64(a), np.int64(3)), function(np.int64(a), np.int64(3)))


def test_arithmetic_with_what_may_be_none_is_that_of_its_type() -> None:
    def doubled(x: Any) -> Any:
        if x > 1:
            return x * 2.0
        return None

    def compute(x: Any) -> Any:
        made = doubled(x)
        return made + 1, 3 / made, made < 7, -made, 1 + made**2, made // 0.5, made % 3

    compiled = weft.function(compute)
    for value in (2.0, np.float64(2.0), np.float32(3)):
        assert repr(compiled(value)) == repr(compute(value))
    with pytest.raises(TypeError, match="'NoneType' and 'int'"):
        compiled(0.5)
