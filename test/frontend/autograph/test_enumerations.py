"""Members of enumerations that data decides: looked up by values, compared, counted, and asked for what they hold."""

from __future__ import annotations

import enum
from collections import Counter

import numpy as np

from support.behaviour_harness import refused, same


class Cell(enum.Enum):
    EMPTY = 0
    WALL = 1
    GOAL = 5


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2
    TOP = 3

    def twice(self):
        return self * 2


class Name(enum.Enum):
    X = "x"
    Y = "y"


class Word(str, enum.Enum):
    YES = "yes"
    NO = "no"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


NUMBERS = np.array([0, 5, 1, 1])


class TestLooking:
    def test_by_numbers(self):
        def f(n):
            cells = [Cell(v) for v in n]
            counts = Counter(Cell(int(v)) for v in n)
            return cells, dict(counts), counts[Cell.WALL]

        same(f, NUMBERS)

    def test_in_loops(self):
        def f(n):
            count, cell = 0, Cell.EMPTY
            for v in n:
                cell = Cell(v)
                if cell is Cell.WALL:
                    count += 1
                elif cell == Cell.GOAL:
                    count += 10
            return count, cell.name, cell.value, cell

        same(f, NUMBERS)

    def test_patterns_and_dicts(self):
        signs = {Cell.EMPTY: ".", Cell.WALL: "#", Cell.GOAL: "G"}

        def f(n):
            match Cell(n[2]):
                case Cell.WALL:
                    found = "wall"
                case _:
                    found = "other"
            return found, "".join(signs[Cell(int(v))] for v in n)

        same(f, NUMBERS)

    def test_by_texts(self):
        def f(n):
            return Name("x" if n[0] > 0 else "y")

        same(f, NUMBERS)

    def test_members_that_are_known(self):
        def f(n):
            return Cell(1), Cell["GOAL"], Cell(5) is Cell.GOAL, [Cell.WALL if n[0] > 0 else Cell(0)]

        same(f, NUMBERS)

    def test_values_of_no_member(self):
        def f(n):
            try:
                return Cell(n[1] + 2)
            except ValueError as error:
                return str(error)

        def g(n):
            return Cell(int(n[1]) + 1)

        def h(n):
            return Name("x" if n[0] > 0 else "z")

        for function in (f, g, h):
            same(function, NUMBERS)

    def test_messages_show_numbers_as_their_types_do(self):
        def number(n):
            return Cell(n[1] + n.dtype.type(2))

        def of_python(n):
            return Cell(float(n[1] + 2.5))

        def truth(n):
            return Level(n[0] > 0)

        def truth_of_python(n):
            return Level(bool(n[0] > 0))

        for function in (number, of_python, truth, truth_of_python):
            same(function, NUMBERS)
            same(function, NUMBERS.astype(np.float64))

    def test_by_members(self):
        def f(n):
            cell = Cell(n[1])
            return Cell(cell), Cell(cell) is cell

        same(f, NUMBERS)

    def test_arrays_of_one_number(self):
        refused(lambda n: Cell(n[:1]), NUMBERS, match="a Cell is looked up by a value which only the program")


class TestNumbers:
    def test_members_are_numbers(self):
        def f(n):
            level = Level.LOW if n[0] > 0 else Level.HIGH
            return (
                level,
                level + 1,
                level < 2,
                level == 2,
                n[level],
                level.twice(),
                int(level),
                float(level),
                level.value,
            )

        same(f, NUMBERS)

    def test_looking(self):
        def f(n):
            level = Level(n[2])
            return level, level.name, level + 1, f"{level!r}"

        same(f, NUMBERS)

    def test_texts(self):
        def f(n):
            word = Word.YES if n[0] > 0 else Word.NO
            return word, word.name, word.value, word == "no", word + "!"

        same(f, NUMBERS)


def test_combinations_of_flags_by_number_are_refused():
    def f(n):
        return Access(n[2])

    refused(f, NUMBERS, match="a Access is looked up by a value which only the program knows")
