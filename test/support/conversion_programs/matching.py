"""`match` statements."""

from __future__ import annotations

import math
from collections import namedtuple

from support.conversion_programs.catalogue import program

Point = namedtuple("Point", "x y")


@program(0, 1, 2, "a", None, True, (1, 2))
def match_values(x):
    match x:
        case 0:
            return "zero"
        case 1 | 2:
            y = "small"
        case "a":
            y = "text"
        case None:
            y = "none"
        case _:
            y = "other"
    return y


@program((1, 2), (0, 5), [3, 3], ([1, 2, 3],), ([],), {"k": 1}, "ab")
def match_sequences(*x):
    match x:
        case (0, y):
            return "zero", y
        case [a, b] if a == b:
            return "equal", a
        case (a, _):
            return "pair", a
        case ([first, *rest],):
            return first, rest
        case _:
            return "other", x


@program({"a": 1}, {"a": 2, "b": 3}, {}, 5, {"k": {"n": [1, 2]}})
def match_mappings(x):
    match x:
        case {"a": 1}:
            return "one"
        case {"a": value, **rest}:
            return value, rest
        case {"k": {"n": [_, last]}}:
            return last
        case {}:
            return "empty"
    return "none"


@program(Point(0, 0), Point(0, 3), Point(2, 2), Point(1, 2), (0, 3), 7, 7.5, "s", [Point(0, 1), 5])
def match_classes(x):
    match x:
        case Point(0, 0):
            return "origin"
        case Point(x=0, y=y):
            return "axis", y
        case Point() as p if p.x == p.y:
            return "diagonal", p
        case (0, int(n) | str(n)):
            return "pair", n
        case int(n) | float(n):
            return "number", n
        case str() as s:
            return s
        case [Point(a, b), (1 | 5) as c]:
            return a, b, c
    return "none"


@program((1, 1), (1, 2), (2, 1))
def match_guards_bind_names(a, b):
    n = "before"
    match (a, b):
        case (1, n) if n > 1:
            r = "first"
        case (m, 1):
            r = "second", m
    return r, n


@program(3)
def match_in_loops(n):
    out = []
    for i in range(n):
        match i, n:
            case 0, _:
                continue
            case 1, k:
                out.append(k)
            case k, 3:
                return out, k
    return out


@program(1, math.pi)
def match_constants(x):
    match x:
        case math.pi:
            return "pi"
        case -1 | 1:
            return "one"


@program(5)
def match_captures_everything(x):
    match x:
        case y:
            y += 1
    return x, y


@program([1, [2, 3]], [1, (2, 4)], [0])
def match_nested_alternatives(x):
    match x:
        case [1, [2, (3 | 5) as z]] | [0 as z]:
            return z
        case [_, (2, _)] as whole:
            return whole
