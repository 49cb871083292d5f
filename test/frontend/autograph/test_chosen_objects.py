"""Which of several objects is read and changed is decided when the program runs."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same


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


def test_an_attribute_of_what_may_be_a_constant_is_deleted() -> None:
    same(deletes_of_one_that_was_made, (np.float64(1),))
    with pytest.raises(AttributeError, match="'str' object has no attribute 'value'"):
        weft.function(deletes_of_one_that_was_made)(np.float64(-1))


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


class Log:
    def __init__(self, number):
        self.number = number
        self.seen = [1, 2]
        self.counts = {"k": 1}
        self.kinds = {1, 2}

    def add(self, value):
        """Give itself back, as fluent interfaces do."""
        self.seen.append(value)
        self.number += value
        return self

    def itself_or_nothing(self):
        """Give itself back; a class derived from this one gives nothing."""
        return self


class LongLog(Log):
    def __init__(self, number):
        super().__init__(number)
        self.length = 3
        self.seen = [7, 8, 9]
        self.counts = {"k": 3, "z": 2}

    def itself_or_nothing(self):
        """Give nothing back."""
        return None


def made_of_two_classes(x):
    log = Log(x) if x > 0 else LongLog(x)
    log.seen.append(5)
    log.seen[0] = 4
    del log.seen[1]
    for i in range(3):
        log.seen.append(i)
    log.counts["k"] += 1
    log.counts["new"] = 2
    log.kinds.add(9)
    log.seen += [6]
    return log.seen, len(log.seen), sum(log.seen), log.counts, sorted(log.kinds)


def of_two_that_have_names(x):
    a, b = Log(1), LongLog(2)
    log = a if x > 0 else b
    log.seen.append(5)
    seen = log.seen
    seen.append(6)
    return a.seen, b.seen, log.seen, seen


def bound_anew(x):
    log = Log(x) if x > 0 else LongLog(x)
    log.counts = dict(log.counts)
    log.counts["n"] = 7
    log.seen = log.seen + [1]
    log.seen.append(3)
    return log.counts, log.seen


def returned_by_methods(x):
    log = Log(1) if x > 0 else LongLog(2)
    log.add(1).add(2)
    same_log = log.add(3)
    same_log.number = same_log.number * 2
    for i in range(2):
        log = log.add(i)
    found = log.itself_or_nothing()
    if found is not None:
        found.number += 50
    return log.number, log.seen, same_log.seen, found is None


@pytest.mark.parametrize(
    "program", [made_of_two_classes, of_two_that_have_names, bound_anew, returned_by_methods]
)
def test_containers_of_the_chosen_object_are_changed(program: Any) -> None:
    same(program, np.float64(1.0), np.float64(-1.0))


def test_one_of_two_lists_under_another_name_is_not_changed() -> None:
    def program(x):
        items = [1, 2] if x > 0 else (1, 2)
        others = items if x < 3 else [5, 6]
        if x > 0:
            others.append(4)
        return items, others

    refused(program, np.float64(1.0), match="has other names too or another one")


class Cell:
    """An object with attributes of several types."""

    def __init__(self, number):
        self.number, self.weight, self.is_odd = number, number * 0.5, number % 2 == 1
        self.place = (number, number + 1)
        self.mixed = number if number else None


CELLS = [Cell(number) for number in range(40)]


def reads_of_many(i):
    cell = CELLS[i]
    return cell.number, cell.weight, cell.is_odd, cell.place[1], cell.mixed


def test_attributes_of_many_objects_are_looked_up():
    assert [type(value) for value in weft.function(reads_of_many)(np.int64(3))[:4]] == [int, float, bool, int]
    same(reads_of_many, np.int64(0), np.int64(39), joined=True)
    sums = weft.function(lambda i: CELLS[i].place[1] + CELLS[i].number)
    assert "scf.if" not in sums.get_concrete_function(weft.TensorSpec((), "int64")).as_text("weft")


@dataclasses.dataclass
class Counted:
    count: int


def test_returned_dataclasses_that_were_chosen_are_those_of_the_list() -> None:
    def f(n):
        made = [Counted(int(v)) for v in n]
        one = made[int(np.argmin(n))]
        return one, [one], {"one": one, "first": made[0]}, made

    for n in (np.array([3, 1, 2]), np.array([1, 3, 2])):
        one, (again,), named, made = weft.function(f)(n)
        assert made == f(n)[3]
        assert one is again is named["one"] is made[int(np.argmin(n))]
        assert named["first"] is made[0]
