"""Texts of objects whose methods make them: by `%`, `str.format`, f-strings, `str` and `repr`, also in containers."""
# ruff: noqa: F504, F505, F507, F522, F524, UP031, UP032

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from support.behaviour_harness import same

N = np.array([3, 1, 2])
OTHER = np.array([1, 4, 2])


class Shown:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Shown({self.value})"


class Said(Shown):
    def __str__(self):
        return f"<{self.value}>"


class Formatted(Shown):
    def __format__(self, spec):
        return f"F{self.value:{spec}}"


@dataclasses.dataclass
class Point:
    x: int
    y: float = 1.0


@pytest.mark.parametrize("kind", [Shown, Said, Formatted])
def test_percent_and_format_ask_the_methods(kind) -> None:
    def f(n):
        one, other = kind(int(n[0])), kind(int(n[1]))
        by_percent = "%s|%r|%25s|%d%%" % (one, other, kind(2), n[2]), "%s" % one
        by_format = "{}|{!r}|{!s:>25}|{x}".format(one, other, kind, x=other), "{0.value} {0}".format(one)
        return by_percent, by_format, "%s" % ([one],), "{}".format({1: one})

    same(f, N, OTHER)


def test_keys_places_and_nested_formats_are_followed() -> None:
    def f(n):
        said, plain = Said(int(n[0])), n[1]
        named = "%(a)s %(a)r %(b).2f %(a)10s" % {"a": said, "b": plain, "unused": said}
        placed = "{0} {1:>{2}} {0!r}".format(said, plain, 6), "{:{w}}|".format(Formatted(int(plain)), w="04")
        held = "%s and %s" % ([said], {1: Shown(int(plain))})
        return named, placed, "%-*s|" % (9, said), held, "%s" % Point(n[2])

    same(f, N, OTHER)


@pytest.mark.parametrize("kind", [Shown, Said])
def test_objects_that_the_program_chooses_are_shown(kind) -> None:
    def f(n):
        held = [kind(int(v)) for v in n]
        one = held[int(np.argmin(n))]
        text = f"{one}", f"{one!s:>12}", str(one), repr(one), str([one]), repr((one, held[0])), str({1: one})
        print(one, [one])
        return text, "%s" % one, "{}|{!r}".format(one, one)

    same(f, N, OTHER)


def test_objects_that_may_be_none_are_shown() -> None:
    def f(n):
        found = None
        for v in n:
            if v > 3:
                found = Said(int(v))
                break
        return str(found), f"{found}", repr([found]), "%s" % found, "{}".format(found)

    same(f, N, OTHER)


def test_formats_that_do_not_fit_are_errors_as_in_python() -> None:
    def too_few(n):
        return "%s %s" % (Said(int(n[0])),)

    def no_place(n):
        return "{} {}".format(Said(int(n[0])))

    def no_name(n):
        return "{a}".format(b=Said(int(n[0])))

    def no_key(n):
        return "%(a)s" % {"b": Said(int(n[0]))}

    for function in (too_few, no_place, no_name, no_key):
        same(function, N, traces=None)
