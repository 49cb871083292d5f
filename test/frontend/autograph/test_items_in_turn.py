"""Generator expressions that something may not walk to the end: only the items that are asked for are made, in turn."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.differential import assert_same
from support.interpreted import interpreted


def shown(value: Any) -> Any:
    print("made of", value)
    return value * 2


def first_of_an_array(x: Any) -> Any:
    return next((shown(v) for v in x if v > 1.5), None)


def none_is_there(x: Any) -> Any:
    try:
        return next(shown(v) for v in x if v > 25)
    except StopIteration:
        return -5.0


def of_known_items(x: Any) -> Any:
    return next(shown(v) for v in [x, x + 1]), next((n for n in range(2, 100) if 91 % n == 0), None)


def of_nested_clauses(x: Any) -> Any:
    return next((shown(a + b) for a in x for b in x if a * b > 5), -1.0)


def of_texts(x: Any) -> Any:
    return next((text for text in ["a", "bb", "ccc"] if len(text) > x[1]), "none")


def of_what_has_no_end(x: Any) -> Any:
    return next(k for k in itertools.count(1) if k * x[1] > 12)


def left_by_break(x: Any) -> Any:
    for number, w in enumerate(shown(v) for v in x):
        if w > 3:
            break
    return number, w


def left_by_return(x: Any) -> Any:
    for w in (shown(v) for v in x if v != 2):
        if w > 5:
            return w
    return None


def walked_to_the_end(x: Any) -> Any:
    total = 0.0
    for w in (shown(v) for v in x if v != 2):
        if w < 3:
            continue
        total += w
    else:
        total += 100
    return total


def raises_behind_the_break(x: Any) -> Any:
    count = 0
    for v in (10 / (3 - n) for n in range(5)):
        count += 1
        if v * x[0] > 9:
            break
    return count


def in_a_variable(x: Any) -> Any:
    items = (shown(v) for v in x)
    a = next(items)
    b = next(items) if a > 1 else 0.0
    return a, b, sum(items)


def of_iter(x: Any) -> Any:
    return next(iter(shown(v) for v in [x, x + 1]))


FUNCTIONS = [
    first_of_an_array, none_is_there, of_known_items, of_nested_clauses, of_texts, of_what_has_no_end, left_by_break,
    left_by_return, walked_to_the_end, raises_behind_the_break, in_a_variable, of_iter,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_only_the_items_that_are_asked_for_are_made(
    function: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    expected, made = function(x), capsys.readouterr().out
    assert_same(interpreted(function)(x), expected)
    assert capsys.readouterr().out == made
