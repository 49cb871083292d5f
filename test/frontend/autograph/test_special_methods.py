"""Special methods that users write are converted where operators call them: what they do happens at each call."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import weft
from support.behaviour_harness import same


class Interval:
    """Two ends that may be traced; its methods decide by their values."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __add__(self, other):
        if not isinstance(other, Interval):
            other = Interval(other, other)
        return Interval(self.low + other.low, self.high + other.high)

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        return Interval(-self.high, -self.low)

    def __lt__(self, other):
        if self.high < other.low:
            return True
        return False

    def __eq__(self, other):
        if not isinstance(other, Interval):
            return NotImplemented
        return self.low == other.low and self.high == other.high

    def __contains__(self, item):
        if item < self.low:
            return False
        return item <= self.high

    def __iadd__(self, other):
        print("moved by", other)
        self.low, self.high = self.low + other, self.high + other
        return self

    def __setitem__(self, key, value):
        if value > 0:
            self.low = value
        else:
            self.high = value

    def ends(self):
        return self.low, self.high


class Wider(Interval):
    def __radd__(self, other):
        return Interval(other.low - 1, other.high + 1)


@dataclasses.dataclass(order=True)
class Point:
    x: float
    y: float


def arithmetic(a, b):
    one, other = Interval(a, a + 2), Interval(b, b + 1)
    total = one + other
    moved, added = 1 + one, one + 1
    return total.ends(), moved.ends(), added.ends(), (-one).ends(), (one + Wider(b, b)).ends()


def compared(a, b):
    one, other = Interval(a, a + 2), Interval(b, b + 1)
    return one < other, one > other, one == other, one != other, one == 3, b in one, b not in one


def changed(a, b):
    one = Interval(a, a + 2)
    one += b
    one["end"] = b
    return one.ends()


def test_operators(capsys):
    pairs = [(1.0, 5.0), (5.0, 1.0), (2.0, -3.0)]
    calls = [tuple(map(np.float64, pair)) for pair in pairs]
    same(arithmetic, *calls)
    same(compared, *calls)
    same(changed, *calls)


def test_what_has_no_method_is_refused_as_in_python():
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for -: 'Interval' and 'Interval'"):
        weft.function(lambda x: (Interval(x, x) - Interval(x, x)).ends())(np.float64(1))
    with pytest.raises(TypeError, match="'<=' not supported between instances of 'Interval' and 'Interval'"):
        weft.function(lambda x: Interval(x, x) <= Interval(x, x))(np.float64(1))


def test_methods_that_dataclasses_make():
    assert weft.function(lambda x: (Point(1.0, 2.0) < Point(1.0, 3.0), Point(1.0, 2.0) == Point(1.0, 2.0)))(
        1.0
    )[0]
