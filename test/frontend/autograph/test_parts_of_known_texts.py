"""Texts that are known, of which data says the part: slices, and what methods tell of what the program knows."""

from __future__ import annotations

import numpy as np
import pytest

from support.behaviour_harness import same

LETTERS = "abcdefghijklmnopqrstuvwxyz"
NUMBERS = np.array([3, 1, 2, 0])

pytestmark = pytest.mark.filterwarnings("ignore:.*in each iteration")


def test_slices():
    def f(n):
        k = int(n[0])
        word = "racecar"
        halves = (
            word[:k] == word[::-1][:k],
            word[n[1] :] + word[: n[1]],
            len(word[:k]),
            word[k : k + 2].upper(),
        )
        return LETTERS[n[1] : n[0]], LETTERS[-n[0] :], LETTERS[k::7], halves, [c for c in word[:k]]

    same(f, NUMBERS, np.array([-2, 0, 40, -40]))


def test_slices_in_loops():
    def f(n):
        return [LETTERS[v : v + 2] for v in n], "".join(LETTERS[v] for v in n)

    same(f, NUMBERS)


def test_what_methods_tell():
    def f(n):
        text = "abcabc"
        found = (
            text.count("a", n[1]),
            text.find("c", int(n[0])),
            text.startswith("b", n[1]),
            text.index("c", n[0]),
        )
        letter = LETTERS[n[2]]
        return (
            found,
            text.find(letter),
            text.count(letter),
            text.endswith(letter),
            LETTERS.index(letter) + n[0],
        )

    same(f, NUMBERS)


def test_parts():
    def f(n):
        text = "a-b-c-d"
        return (
            text.split("-", int(n[1])),
            text.rsplit("-", n[2]),
            text.partition(LETTERS[n[1]]),
            text.split("-"),
        )

    same(f, NUMBERS)


def test_what_python_raises():
    def f(n):
        try:
            return "abc".index(LETTERS[n[0]])
        except ValueError as error:
            return str(error)

    same(f, NUMBERS)
