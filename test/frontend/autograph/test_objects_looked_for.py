"""Objects that loops and branches have moved about are found by what they are, not by what they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support.behaviour_harness import same


class Particle:
    def __init__(self, v: Any) -> None:
        self.v = v


def _moved(steps: Any) -> tuple[list[Particle], Particle]:
    particles = [Particle(1) for _ in range(3)]
    one, other = particles[0], particles[-1]
    for _ in range(steps):
        one, other = other, one
    return particles, one


USES: dict[str, Callable[[list[Particle], Particle], Any]] = {
    "in": lambda ps, p: (p in ps, p not in ps, p in (ps[0], ps[1]), p in {ps[0], ps[1]}),
    "index": lambda ps, p: (ps.index(p), ps.count(p)),
    "remove": lambda ps, p: (ps.remove(p), len(ps), p in ps)[1:],
    "equal": lambda ps, p: (p == ps[0], p != ps[0], [p == each for each in ps]),
    "key": lambda ps, p: ({ps[0]: 1, ps[1]: 2, ps[2]: 3}[p], {p: 1}.get(ps[0])),
    "displays": lambda ps, p: (len({p, ps[1], *ps}), len({p: 1, ps[0]: 2})),
    "in tuples": lambda ps, p: ((p, 1) == (ps[0], 1), [p] == [ps[2]], (p, 1) in [(ps[0], 1), (ps[2], 2)]),
}


@pytest.mark.parametrize("name", USES)
def test_behind_loops(name: str) -> None:
    use = USES[name]
    same(lambda steps: use(*_moved(steps)), *map(np.int64, (0, 1, 2, 5)))


@pytest.mark.parametrize("name", ["in", "equal"])
def test_behind_branches(name: str) -> None:
    use = USES[name]

    def program(x):
        particles = [Particle(1) for _ in range(3)]
        one = particles[0] if x > 0 else particles[2]
        return use(particles, one)

    same(program, np.float64(1), np.float64(-1))


def test_an_object_made_on_the_way_is_none_of_those_before() -> None:
    def program(steps):
        first = Particle(1)
        last = first
        for _ in range(steps):
            last = Particle(1)
        return last == first, last in [first], last.v

    same(program, *map(np.int64, (0, 1, 2)))
