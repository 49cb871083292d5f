"""NumPy's numbers beside lists, tuples and texts: integers repeat these, and others are refused as Python does."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.behaviour_harness import same

ITEMS = [1, 2]


def beside_a_list(x: Any) -> Any:
    return x[2] * [1, 2.5]


def behind_a_list(x: Any) -> Any:
    return ITEMS * x.max()


def beside_a_tuple(x: Any) -> Any:
    return x[2] * (1, 2)


def beside_nothing(x: Any) -> Any:
    return x[2] * []


def beside_a_text(x: Any) -> Any:
    return x[2] * "ab"


def beside_a_computed_list(x: Any) -> Any:
    items = []
    for v in x:
        if v > 1:
            items.append(v)
    return items * x[2] if x[0] > 9 else x[2] * items


def in_place(x: Any) -> Any:
    v = x[2]
    v *= ITEMS
    return v


@pytest.mark.parametrize(
    "program",
    [
        beside_a_list,
        behind_a_list,
        beside_a_tuple,
        beside_nothing,
        beside_a_text,
        beside_a_computed_list,
        in_place,
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numbers_that_repeat_nothing(program: Callable[..., Any], dtype: str) -> None:
    same(program, (np.array([3, 1, 2], dtype),), traces=None)


@pytest.mark.parametrize("program", [beside_a_list, behind_a_list, beside_a_tuple, beside_nothing, in_place])
def test_integers_repeat(program: Callable[..., Any]) -> None:
    same(program, (np.array([3, 1, 2]),))


def truths(x: Any) -> Any:
    return (x > 2)[0] * ITEMS


def arrays(x: Any) -> Any:
    return x[1:] * ITEMS, x[1:] * (1, 2), np.asarray(x[0]) * ITEMS


def item_in_place(x: Any) -> Any:
    x[2] *= ITEMS


@pytest.mark.parametrize("program", [truths, arrays, item_in_place])
def test_what_else_is_beside_lists(program: Callable[..., Any]) -> None:
    same(program, (np.array([3.0, 1.0, 2.0]),), traces=None)


# Texts under names, which are formats where they are in front of %

FORMAT = "%s and %s"


def under_a_name(x: Any, text: Any) -> Any:
    return text % x[0], FORMAT % (x[1], x), "".join(["%d", "-"]) % x[2]


def updated(x: Any, text: Any) -> Any:
    text %= x[1]
    text += "."
    return text


def by_functions(x: Any, text: Any) -> Any:
    method = text.__mod__
    return operator.mod(text, x[0]), method(x[1]), list(map(text.__mod__, x))


@pytest.mark.parametrize("program", [under_a_name, updated, by_functions])
@pytest.mark.parametrize("text", ["%s", "<%d>", "%.2f"])
def test_texts_that_are_formats(program: Callable[..., Any], text: str) -> None:
    same(program, (np.array([3, 1, 2]), text))


# Lists whose length the program computes, which are no elements


def stored_as_an_element(x: Any) -> Any:
    items = []
    for v in x:
        if v > 2:
            items.append(v)
    x[1] = items


def repeated_as_an_element(x: Any) -> Any:
    x[1] *= [5]


@pytest.mark.parametrize("program", [stored_as_an_element, repeated_as_an_element])
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_lists_that_are_stored_as_elements(program: Callable[..., Any], dtype: str) -> None:
    same(program, (np.array([3, 1, 2], dtype),), traces=None)
