"""`x.item()` and `x.tolist()`: elements as numbers of Python, which the program computes with."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import same


def items_and_lists(x, i):
    rows = x.tolist()
    made = (
        np.array(rows),
        x.sum().item(),
        x.item(i),
        x.item(1, i),
        x.item((0, 1)),
        x[:1, :1].item(),
        x[0].tolist(),
    )
    return rows, made, type(made[1]) is type(rows[0][0])


def only_item(x):
    return x[1:].item()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float32", "complex128"])
def test_elements_as_python_numbers(dtype):
    calls = [
        (np.array([[0, 2], [3, last]]).astype(dtype), np.int64(place)) for last, place in ((4, 1), (0, 0))
    ]
    same(items_and_lists, *calls)


def test_the_item_of_several_elements():
    same(only_item, np.ones(2), np.ones(3), traces=None)
