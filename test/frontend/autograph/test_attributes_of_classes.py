"""An attribute that one path sets is the object's own where that path is taken, and else that of its class."""

from __future__ import annotations

import numpy as np
import pytest

import weft


class Account:
    total = 0
    label = "none"
    best = None

    def __init__(self, number):
        self.number = number

    def pay(self, amount):
        if amount > 2:
            self.total += 1
        return self.total


def added(x, account):
    if x.sum() > 5:
        account.total += 2
    return account.total


def set_in_a_loop(x, account):
    for value in x:
        if value > 3:
            account.best, account.label = value, "some"
    return account.best, account.label


def changed_again(x, account):
    paid = [account.pay(value) for value in x]
    for i in range(int(x[0]) + 3):
        if x[i % 4] > 2:
            account.total += 1
    return paid, account.total


def array_or_none(x, account):
    if x.sum() > 7:
        account.best = x
    if account.best is not None:
        account.best[0] = 50.0
    return x + 1


def made_inside(x, account):
    made = Account(1)
    if x.sum() > 5:
        made.total = 7
    return made.total + account.total


def asked_for(x, account):
    if x.sum() > 5:
        account.total = 3
    return hasattr(account, "total"), getattr(account, "total", -1)


def deleted(x, account):
    if x.sum() > 5:
        account.total = 3
    if x.sum() > 0:
        del account.total
    return account.total


@pytest.mark.parametrize(
    "program", [added, set_in_a_loop, changed_again, array_or_none, made_inside, asked_for, deleted]
)
def test_it_is_as_in_python(program):
    compiled = weft.function(program)
    for x in (np.ones(4), np.arange(4.0), np.arange(1.0, 5.0)):
        seen = []
        for function in (program, compiled):
            account, given = Account(1), x.copy()
            try:
                result = function(given, account)
            except AttributeError as error:
                result = type(error)
            seen.append((result, dict(vars(account)), given))
        np.testing.assert_equal(seen[1], seen[0])


def test_all_attributes_of_such_an_object_are_refused():
    @weft.function
    def look(x, account):
        if x.sum() > 5:
            account.total = 3
        return len(vars(account))

    match = "attributes of a Account object are looked at or given back, of which total is its own on some paths only"
    with pytest.raises(weft.UnsupportedError, match=match):
        look(np.ones(4), Account(1))


def test_an_object_is_given_back_with_the_attributes_that_it_has():
    def give(x):
        account = Account(1)
        if x.sum() > 5:
            account.total = 3
        return account

    compiled = weft.function(give)
    for x in (np.zeros(4), np.full(4, 2.0)):
        assert vars(compiled(x)) == vars(give(x))


def test_without_one_of_the_class_it_is_refused():
    @weft.function
    def program(x, account):
        if x.sum() > 5:
            account.other = 3

    with pytest.raises(weft.ControlFlowError, match="other is an attribute that is there on one path only"):
        program(np.ones(4), Account(1))
