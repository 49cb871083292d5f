"""Lists and tuples of Python's numbers as arguments: native code walks each once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

import weft
from weft.backend.cpu.dispatch.descriptors import Program
from weft.backend.cpu.dispatch.objects import is_supported

pytestmark = pytest.mark.skipif(not is_supported(), reason="calls go through Python here")


class Real(float):
    """A float of another class."""


def ends(xs: Any) -> Any:
    return xs[0] + xs[-1] * 2


def turned(xs: Any) -> Any:
    xs[0], xs[-1] = xs[-1], xs[0]
    return xs[1] + 0


def given_back(xs: Any) -> Any:
    return xs, xs[0] + 1


def nested(xs: Any) -> Any:
    return xs[0][1] + xs[1][0]


def known(function: Callable[..., Any], make: Callable[[int], Any]) -> tuple[Any, int]:
    """The function, after native code was told of it, and how many lists of numbers that walks."""
    compiled = weft.function(function)
    with mock.patch.object(Program, "numbers", autospec=True, side_effect=Program.numbers) as walks:
        for number in range(4):
            given, same = make(number), make(number)
            assert compiled(given) == function(same)
            assert given == same
    return compiled, walks.call_count


@pytest.mark.processor
@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("container", [list, tuple])
def test_values_and_types(kind: type, container: type) -> None:
    compiled, walks = known(ends, lambda number: container(kind(3 * i + number) for i in range(9)))
    assert walks > 0
    first = container(map(kind, range(20, 29)))
    for given in (first, container([*first[:8], kind(-7)]), container([*first[:8], True])):
        assert compiled(given) == ends(given)
        assert type(compiled(given)) is type(ends(given))
    assert compiled(container([*first[:8], 2.5])) == ends([*first[:8], 2.5])
    assert compiled(container([*first[:8], 2**60])) == kind(20) + 2**61
    assert compiled(container([1.5, *[2.5] * 7, Real(3.5)])) == 8.5
    assert compiled(first[:5]) == ends(first[:5])


def test_floats_of_all_kinds() -> None:
    compiled, _ = known(ends, lambda number: [0.5 + number, 1.0, 2.0])
    for value in (float("inf"), -0.0, 5e-324, float("nan")):
        assert repr(compiled([value, 1.0, 0.0])) == repr(ends([value, 1.0, 0.0]))


def test_integers_of_more_than_64_bits() -> None:
    compiled, _ = known(ends, lambda number: [number, 5, 6 + number])
    assert compiled([2**70, 5, 6]) == 2**70 + 12
    assert compiled([2**40, 5, -(2**63) // 4]) == 2**40 - 2**62


def test_lists_whose_items_are_needed() -> None:
    for function in (turned, given_back):
        compiled, _ = known(function, lambda number: [1000.5 + number, 7.5, 9.5 * number])
        given, same = [300.25, 1e5, 77.0], [300.25, 1e5, 77.0]
        assert compiled(given) == function(same)
        assert given == same


@pytest.mark.processor
def test_lists_in_lists() -> None:
    compiled, walks = known(nested, lambda number: [[number, 5 + number], [1000 + number, 2 * number]])
    assert walks > 0
    row = [4, 5]
    assert compiled([row, row]) == 9
    assert compiled([row, [1000, 1]]) == 1005
