"""`hash` of numbers that the program knows: the number that Python has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same


@weft.function
def hashes(i: Any, j: Any) -> Any:
    return hash(i), hash((i,)), hash((i, j)), hash(((i, True), (), (j, -1, 2**40))), hash((int(i), 3)) % 64


LIMITS = [0, 1, -1, -2, 2**61 - 2, 2**61 - 1, 2**61, -(2**61), -(2**61) + 1, 2**63 - 1, -(2**63)]


@pytest.mark.parametrize("i", LIMITS)
def test_hashes_of_ints_are_those_of_python(i: int) -> None:
    for j in (5, -(2**62)):
        found = hashes(np.int64(i), np.int64(j))
        assert found == hashes.__wrapped__(np.int64(i), np.int64(j))
        assert {type(number) for number in found} == {int}


def test_hashes_of_small_types() -> None:
    for i, j in ((np.int8(-1), np.uint8(200)), (np.uint32(2**32 - 1), np.int16(-300))):
        assert hashes(i, j) == hashes.__wrapped__(i, j)


@weft.function
def hash_of_a_pair(x: Any) -> Any:
    return hash((x, 1))


def test_hashes_of_floats_are_refused() -> None:
    with pytest.raises(weft.UnsupportedError, match="hashed, which needs its value"):
        hash_of_a_pair(np.float64(0.5))


def test_arrays_have_no_hashes() -> None:
    for function in (hash_of_a_pair, weft.function(hash)):
        with pytest.raises(TypeError, match="unhashable type"):
            function(np.array(5))


class Box:
    def __init__(self, value: Any) -> None:
        self.value = value


class Cell:
    def __init__(self, row: Any, column: Any) -> None:
        self.row, self.column = row, column

    def __hash__(self) -> int:
        return hash((self.row, self.column))

    def __eq__(self, other: Any) -> Any:
        return self.row == other.row and self.column == other.column


def of_many(n: Any, x: Any) -> Any:
    boxes, numbers = [], {}
    for i in range(n):
        box = Box(x[i])
        boxes.append(box)
        numbers[id(box)] = i
    return [numbers[id(box)] for box in boxes], len({hash(box) for box in boxes})


def moved(n: Any, x: Any) -> Any:
    boxes = []
    for i in range(n):
        boxes.append(Box(x[i]))
    first = boxes[0]
    for i in range(n - 1):
        boxes[i], boxes[i + 1] = boxes[i + 1], boxes[i]
    return id(first) == id(boxes[0]), id(first) == id(boxes[-1]), hash(first) == hash(boxes[-1])


def one_of_several(n: Any, x: Any) -> Any:
    boxes = [Box(1.0), Box(2.0), Box(3.0)]
    numbers = {id(box): box.value for box in boxes}
    one = boxes[n - 1]
    other = boxes[0] if x[0] > 1 else boxes[1]
    return numbers[id(one)], numbers[id(other)], id(one) == id(boxes[2]), hash(other) == hash(boxes[1])


def walked(n: Any, x: Any) -> Any:
    boxes = []
    for i in range(n):
        boxes.append(Box(x[i]))
    seen, count = set(), 0
    waiting = [boxes[0], boxes[1], boxes[0]]
    while waiting:
        box = waiting.pop()
        if id(box) not in seen:
            seen.add(id(box))
            count += 1
    return count


def of_its_class(n: Any, x: Any) -> Any:
    cells = []
    for i in range(n):
        cells.append(Cell(i, 2))
    cells[0].row += 1
    return [hash(cell) for cell in cells], hash(Cell(n, 3)) == hash(Cell(n, 3))


@pytest.mark.parametrize("program", [of_many, moved, one_of_several, walked, of_its_class])
def test_identities_and_hashes_of_objects_are_their_own(program: Any) -> None:
    same(program, (np.int64(3), np.array([0.5, -1.0, 2.0])))


def test_identities_of_lists() -> None:
    def of_rows(x: Any) -> Any:
        rows = []
        for value in x:
            rows.append([value])
        row = rows[0]
        row.append(1.0)
        return id(row) == id(rows[0]), id(row) == id(rows[1]), row

    same(of_rows, (np.ones(3),))


def test_identities_of_what_grows_are_refused() -> None:
    @weft.function
    def run(n: Any) -> Any:
        rows = []
        for i in range(n):
            rows.append(i)
        return id(rows)

    with pytest.raises(weft.UnsupportedError, match=r"id\(\) tells which list this is"):
        run(np.int64(3))


CONTAINERS: list[Any] = [{3}, {3, 4.0}, frozenset([3]), {1: 2}, {}, set(), {1: 2}.keys(), {(1, 1)}]


@pytest.mark.parametrize("container", CONTAINERS, ids=repr)
def test_arrays_are_looked_for_in_no_dict_or_set(container: Any) -> None:
    @weft.function
    def f(x: Any) -> Any:
        return x in container

    @weft.function
    def g(x: Any) -> Any:
        try:
            return (x, 1) not in container
        except TypeError as error:
            return str(error)

    for x in (np.arange(3.0), np.array(2.0)):
        with pytest.raises(TypeError, match="unhashable type"):
            f(x)
        assert g(x) == "unhashable type: 'numpy.ndarray'"
    assert f(np.float64(3)) is (3 in container)
