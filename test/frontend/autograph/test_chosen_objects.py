"""Which of several objects is read and changed is decided when the program runs."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import weft
from support.behaviour_harness import same


class Account:
    """An object with state."""

    def __init__(self, value=0.0):
        self.value = value
        self.log = {"n": 0}

    def add(self, x):
        """Change the state, and tell it."""
        self.value += x
        return self.value

    @property
    def double(self):
        """Computed from the state."""
        return self.value * 2


def updates(a, b, c, x):
    chosen = a if x > 0 else b
    chosen.value += x
    return chosen.value, chosen.double


def calls(a, b, c, x):
    chosen = a if x > 0 else (b if x > -3 else c)
    return chosen.add(x), chosen is a


def sets_entries(a, b, c, x):
    chosen = a if x > 0 else b
    chosen.value = chosen.log["n"] + x
    return chosen.value


def chooses_in_a_loop(a, b, c, x):
    best = a
    for account in (b, c):
        if account.value > x:
            best = account
    best.value = 1.5
    return best.value


def deletes_nothing(a, b, c, x):
    chosen = a if x > 0 else b
    if chosen.value > x:
        chosen.value = 9.0
    return a.value + b.value


@pytest.mark.sampled
@pytest.mark.parametrize("x", [2.0, -1.0, -4.0])
@pytest.mark.parametrize("program", [updates, calls, sets_entries, chooses_in_a_loop, deletes_nothing])
def test_the_chosen_object_is_changed(program, x):
    accounts = [Account(), Account(5.0), Account(-7.0)]
    expected = copy.deepcopy(accounts)
    function = weft.function(lambda x: program(*accounts, x))
    for _ in range(2):
        wanted = np.array(program(*expected, np.float64(x)), float)
        np.testing.assert_array_equal(np.array(function(np.float64(x)), float), wanted)
        assert [float(account.value) for account in accounts] == [
            float(account.value) for account in expected
        ]


def test_one_of_two_lists_is_refused():
    def program(x):
        one, other = [1.0], [2.0]
        chosen = one if x > 0 else other
        chosen.append(x)
        return one, other

    with pytest.raises(weft.UnsupportedError, match="a list that has other names too or another one"):
        weft.function(program)(np.float64(1))


def sets_one_that_was_made(x):
    made = Account() if x > 0 else Account(5.0)
    made.value = x
    return made.value


def test_one_of_two_that_were_made_is_changed() -> None:
    same(sets_one_that_was_made, (np.float64(1),), (np.float64(-1),))


def deletes_of_one_that_was_made(x):
    made = Account() if x > 0 else "none"
    del made.value
    return x


def test_an_attribute_of_what_may_be_a_constant_is_not_deleted() -> None:
    message = r"\.value is an attribute that is there on one path only; set it before"
    with pytest.raises(weft.ControlFlowError, match=message):
        weft.function(deletes_of_one_that_was_made)(np.float64(1))


def indexes_with_a_name(x):
    column = "one" if x.sum() > 0 else "other"
    return x[column]


@pytest.mark.parametrize(
    ("program", "x", "message"),
    [
        (
            indexes_with_a_name,
            np.ones(3),
            "'one' or 'other' is known only at run time, and an array is indexed with it",
        ),
    ],
)
def test_what_one_of_several_values_cannot_do(program, x, message):
    with pytest.raises(weft.UnsupportedError, match=message) as caught:
        weft.function(program)(x)
    assert "Chosen" not in str(caught.value)
    assert f"in {program.__name__}" in str(caught.value)
