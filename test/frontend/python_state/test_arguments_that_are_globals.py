"""Arrays and lists that are arguments and found under a name, too: calls in which they are one, and in which not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from weft.dialect.errors import UnsupportedError

VECTOR = np.array([1.0, 2.0, 3.0])
OTHER = np.ones(3)
ITEMS: list[Any] = [1, 2]


def walked(a: Any) -> Any:
    a[0] = 7
    return [v + 1 for v in VECTOR], max(VECTOR), 7 in VECTOR


def walked_and_written(a: Any) -> Any:
    for i, v in enumerate(VECTOR):
        a[2 - i] = v * 2
    return a.sum()


def unpacked(a: Any) -> Any:
    first, *rest = VECTOR
    a *= 2
    return first, rest


def shown(a: Any) -> Any:
    text = f"{VECTOR}"
    a[0] = 7
    return text, f"{VECTOR[1]}"


def read_only(a: Any) -> Any:
    OTHER[0] = sum(VECTOR)
    return a[1] + sum(v for v in VECTOR)


def raised(a: Any) -> Any:
    for _ in VECTOR:
        a[0] += 1
    print(a[0])
    return a[VECTOR]


@pytest.mark.parametrize("program", [walked, walked_and_written, unpacked, shown, read_only, raised])
def test_elements_of_a_global_that_is_a_written_argument(
    program: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    compiled, seen = weft.function(program), []
    for function in (program, compiled, program, compiled):
        VECTOR[:], OTHER[:] = [1, 2, 3], 1
        for argument in (VECTOR, np.array([4.0, 5.0, 6.0]), VECTOR):
            try:
                result = repr(function(argument))
            except IndexError as error:
                result = str(error)
            seen.append((result, argument.tolist(), VECTOR.tolist(), OTHER.tolist(), capsys.readouterr().out))
    assert seen[:3] == seen[3:6]
    assert seen[6:9] == seen[9:]


def test_a_list_that_is_a_global_is_refused_before_anything_happens() -> None:
    ITEMS[:] = [1, 2]

    @weft.function
    def f(x: Any, p: Any) -> Any:
        p[0] = x
        OTHER[0] += 1
        return len(ITEMS), ITEMS[0]

    OTHER[:] = 0
    for number in range(4):
        assert f(np.float64(3), [1, 2]) == (2, 1)
        assert OTHER[0] == number + 1
    for _ in range(3):
        with pytest.raises(UnsupportedError, match="found in global ITEMS, and the function changes it"):
            f(np.float64(3), ITEMS)
    assert ITEMS == [1, 2]
    assert OTHER[0] == 4


def test_lists_inside_a_global_that_are_arguments() -> None:
    ITEMS[:] = [[1, 2]]

    @weft.function
    def f(x: Any, p: Any) -> Any:
        p[0] = x
        return ITEMS[0][0]

    for _ in range(4):
        assert f(np.float64(3), [5, 6]) == 1
    for _ in range(2):
        with pytest.raises(UnsupportedError, match="found in global ITEMS, and the function changes it"):
            f(np.float64(3), ITEMS[0])
    assert ITEMS == [[1, 2]]


def test_a_list_that_is_two_arguments_is_refused_before_anything_happens() -> None:
    OTHER[:] = 0

    @weft.function
    def f(x: Any, p: Any, q: Any) -> Any:
        p.append(x)
        OTHER[0] += 1
        return len(q)

    for number in range(3):
        assert f(np.float64(3), [1, 2], [1]) == 1
        assert OTHER[0] == number + 1
    items = [1, 2]
    with pytest.raises(UnsupportedError, match="hold one list twice"):
        f(np.float64(3), items, items)
    assert OTHER[0] == 3


def test_truths_that_are_one_object_are_two_arguments() -> None:
    @weft.function
    def f(x: Any, y: Any) -> Any:
        if x:
            OTHER[0] += 1
        return OTHER[0] + y

    OTHER[:] = 0
    for number in (1, 2):
        assert f(np.True_, np.True_) == number + 1
        assert f(np.False_, np.False_) == number
