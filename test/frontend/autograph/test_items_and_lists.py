"""`x.item()` and `x.tolist()`: elements as numbers of Python, which the program computes with."""

from __future__ import annotations

import numpy as np
import pytest

import weft
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


def attributes_of_scalars(x, n):
    return x.is_integer(), x.as_integer_ratio(), n.is_integer(), n.numerator, n.denominator


def test_attributes_of_scalars_that_are_numbers():
    same(attributes_of_scalars, *[(x, np.int64(3)) for x in (np.float64(2.5), np.float64(-4.0))])
    with pytest.raises(AttributeError, match=r"'numpy\.float64' object has no attribute 'numerator'"):
        weft.function(lambda x: x.numerator)(np.float64(1.0))


def listed(x, n):
    many = x.tolist()
    some = x[:n].tolist()
    total = sum(many)
    for value in some:
        total += value * 2
    some.append(many[0])
    return many, total, some, tuple(many)[2:4], len(many), many == x.tolist(), isinstance(many[0], float)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32"])
def test_lists_of_many_elements(dtype):
    x = (np.arange(70) % 7).astype(dtype)
    compiled = weft.function(listed)
    for n in (0, 3, 70):
        expected, found = listed(x, np.int64(n)), compiled(x, np.int64(n))
        assert found == expected
        assert list(map(type, found[0])) == list(map(type, expected[0]))
        assert list(map(type, found[2])) == list(map(type, expected[2]))


def collected(x):
    many = x.tolist()
    doubled = {str(place): value * 2 for place, value in enumerate(many)}
    return dict(zip(range(100), many)), doubled, frozenset({0}), dict(enumerate(many, 2))


@pytest.mark.filterwarnings("ignore:a text")  # that Python makes them in each iteration
def test_dicts_of_many_elements():
    same(collected, np.arange(70.0), np.arange(70) > 3, traces=2)


def test_keys_that_only_the_program_knows():
    for function in (set, frozenset, lambda items: {v: 1 for v in items}, lambda items: {items[0]}):
        same(lambda x, function=function: function(x.tolist()), np.arange(70.0))


def changes_what_it_walks(x):
    many = x.tolist()
    return {place: many.append(value) for place, value in enumerate(many) if place < 3}


def test_a_comprehension_that_changes_its_list():
    same(changes_what_it_walks, np.arange(70.0))


def test_numbers_that_only_unsigned_integers_hold_stay_what_they_are():
    x = np.arange(70, dtype=np.uint64)
    with pytest.warns(weft.FallbackWarning, match="ndarray.tolist"):
        assert weft.function(lambda x: x.tolist())(x) == x.tolist()
