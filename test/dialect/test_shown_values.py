"""What messages say of values, and that they run nothing of the user's for it."""

from __future__ import annotations

import enum
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest

import weft
from weft.dialect.shown_values import shown_value


class Counting:
    """A class whose `__repr__` computes, and keeps, what a property gives."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.told = None

    def __repr__(self) -> str:
        self.told = "told"
        raise AttributeError("weights")

    def fill(self) -> None:
        self.weights = np.full(self.size, 0.5)
        self.weights[0] = self.size


class Colour(enum.Enum):
    RED = 1


@dataclass
class Settings:
    size: int
    inner: Any = None
    hidden: Any = field(default=None, repr=False)


class Listed(list[Any]):
    def __repr__(self) -> str:
        raise RuntimeError("never asked")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.5, "1.5"),
        ("text", "'text'"),
        (None, "None"),
        ([1, (2,), {"a": {3}}], "[1, (2,), {'a': {3}}]"),
        (deque([1]), "deque([1])"),
        (Colour.RED, "<Colour.RED: 1>"),
        (np.float32, "<class 'numpy.float32'>"),
        (Counting(2), "a Counting object"),
        (object(), "an object object"),
        ({"a": [Counting(2)]}, "{'a': [a Counting object]}"),
        (Settings(3), "Settings(size=3, inner=None)"),
        (Settings(3, Counting(2)), "Settings(size=3, inner=a Counting object)"),
        (Listed([1]), "a Listed object"),
        (defaultdict(list, a=[Counting(2)]), "defaultdict({'a': [a Counting object]})"),
        (OrderedDict(a=Counting(2)), "OrderedDict({'a': a Counting object})"),
        (deque([Counting(2)]), "deque([a Counting object])"),
        (np.array([Counting(2)]), "a ndarray object"),
        (partial(print, Counting(2)), "a partial object"),
    ],
)
def test_values_are_shown_by_what_is_built_in(value: Any, text: str) -> None:
    assert shown_value(value) == text


class Choice:
    """What may be one of several values, which may be such a choice again, or this one."""

    def __init__(self) -> None:
        self.options: list[Any] = [self, self]

    def __repr__(self) -> str:
        return " or ".join(map(shown_value, self.options))


def test_choices_of_choices_are_shown_in_few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "__name__", "weft.choices")  # its own __repr__ is trusted then
    assert shown_value(Choice()) == " or ".join(["..."] * 16)


def test_compiling_again_asks_no_object_for_its_repr() -> None:
    fill = weft.function(Counting.fill)
    for size in (3, 4, 5):
        counting = Counting(size)
        fill(counting)
        assert counting.told is None
        np.testing.assert_array_equal(counting.weights, [size] + [0.5] * (size - 1))


def test_a_refused_argument_is_named_without_its_repr() -> None:
    @weft.function(input_signature=[weft.TensorSpec([2])])
    def double(x: Any) -> Any:
        return 2 * x

    with pytest.raises(TypeError, match="but a Counting object was given"):
        double(Counting(2))


def test_ints_of_thousands_of_digits_are_told_by_their_length() -> None:
    remainder = weft.function(lambda a, b: a % b)
    for power in (5_000, 6_000, 7_000):  # what tells calls apart says both of their arguments
        assert remainder(10**power, 7) == 10**power % 7
    assert shown_value([10**5000]) == "[an int of 16610 bits]"
