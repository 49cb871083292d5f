"""Attributes that objects have on some paths only, which are asked for, set, deleted and missed as in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.behaviour_harness import same

X = np.array([0.5, -1.0, 2.0, 3.0, 0.25])


class Signed:
    def __init__(self, x: Any) -> None:
        self.x = x
        if x > 0:
            self.up = x * 2
        else:
            self.down = x


class Best:
    def __init__(self) -> None:
        self.count = 0

    def see(self, value: Any) -> None:
        if self.count == 0 or value > self.best:
            self.best = value
        self.count += 1


def read_where_there(n: Any, x: Any) -> Any:
    total = 0.0
    for i in range(n):
        one = Signed(x[i])
        total += one.up if one.x > 0 else one.down
    return total


def asked_for(n: Any, x: Any) -> Any:
    found = []
    for i in range(n):
        one = Signed(x[i])
        found.append(hasattr(one, "up"))
        found.append(getattr(one, "down", 7.0) > 0)
    return found


def missed(n: Any, x: Any) -> Any:
    return Signed(x[1]).up


def caught(n: Any, x: Any) -> Any:
    one = Signed(x[0])
    if n > 3:
        one.extra = 5.0
    try:
        return one.extra
    except AttributeError as error:
        return str(error)


def in_a_list(n: Any, x: Any) -> Any:
    many = []
    for i in range(n):
        many.append(Signed(x[i]))
    for one in many:
        if hasattr(one, "up"):
            one.up += 1
        else:
            one.up = 0.0
    return [one.up for one in many], [hasattr(one, "down") for one in many], many[1].down


def of_later_iterations(n: Any, x: Any) -> Any:
    best = Best()
    for i in range(n):
        best.see(x[i])
    return best.best, best.count


def deleted(n: Any, x: Any) -> Any:
    one = Signed(x[0])
    if n > 3:
        del one.up
    return hasattr(one, "up"), one.x


PROGRAMS = [read_where_there, asked_for, missed, caught, in_a_list, of_later_iterations, deleted]


@pytest.mark.parametrize("program", PROGRAMS)
def test_objects_have_what_their_path_has_set(program: Callable[..., Any]) -> None:
    for n in (3, 5):
        same(program, (np.int64(n), X))
