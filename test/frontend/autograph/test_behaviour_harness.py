"""The harness tells differences: results, dtypes, prints, errors, arguments and traces."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import Comparison, observe, same

EXACT, JOINED = Comparison(), Comparison(joined=True)


class Box:
    """An object with an attribute."""

    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, np.int64(1)),
        (True, 1),
        (np.float32(1), np.float64(1)),
        (np.ones(2), np.ones(3)),
        (np.ones(2), [1.0, 1.0]),
        ([1], (1,)),
        ([1], [1, 2]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (None, 0),
        (0.0, float("nan")),
        (Box(1), Box(2)),
        (Box([np.ones(1)]), Box([np.zeros(1)])),
        ({1}, {2}),
        ("a", "b"),
    ],
)
def test_different_values_differ(one, other):
    with pytest.raises(AssertionError):
        EXACT.values(one, other)
    with pytest.raises(AssertionError):
        EXACT.values([one], [other])


@pytest.mark.parametrize(
    "value", [1, 2.5, float("nan"), None, "a", np.ones(2), np.float32("nan"), [1, {"a": Box(3)}]]
)
def test_equal_values_are_equal(value):
    EXACT.values(value, value)
    EXACT.values(Box([value]), Box([value]))


def test_joined_numbers_may_differ_in_type_but_not_in_value():
    JOINED.values([np.float64(1)], [1])
    JOINED.values(1, np.int64(1))
    for got, expected in [(2.0, 1), (np.ones(1), 1), (None, 1)]:
        with pytest.raises(AssertionError):
            JOINED.values(got, expected)


def test_objects_that_hold_themselves_are_compared():
    one, other = Box(1), Box(1)
    one.me, other.me = one, other
    EXACT.values(one, other)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (None, ValueError("a")),
        (ValueError("a"), None),
        (ValueError("a"), ValueError("b")),
        (ValueError("a"), TypeError("a")),
        (KeyError("a"), LookupError("a")),
    ],
)
def test_different_errors_differ(got, expected):
    with pytest.raises(AssertionError):
        EXACT.errors(got, expected)


def test_causes_and_attributes_of_errors_are_compared():
    got, expected = ValueError("a"), ValueError("a")
    EXACT.errors(got, expected)
    expected.__cause__ = KeyError("c")
    with pytest.raises(AssertionError):
        EXACT.errors(got, expected)
    got.__cause__ = KeyError("c")
    expected.place = 3
    with pytest.raises(AssertionError):
        EXACT.errors(got, expected)


def test_a_call_is_observed_on_copies():
    def f(x, log):
        print("called")
        x[0] = 5
        log.append(1)
        raise ValueError("after that")

    x, log = np.zeros(2), []
    seen = observe(f, (x, log))
    assert (x[0], log, seen.output, str(seen.error)) == (0, [], "called\n", "after that")
    assert (seen.arguments[0][0], seen.arguments[1]) == (5, [1])


def test_traces_are_counted():
    same(lambda x: x + 1, np.ones(2), np.ones(3), traces=2)
    with pytest.raises(AssertionError, match="traced 2 times, not 1"):
        same(lambda x: x + 1, np.ones(2), np.ones(3))
