"""Arrays that are attributes of objects in lists that grow, changed in place: by every name that they have."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.dialect.errors import UnsupportedError

X = np.array([0.5, -1.0, 2.0, 3.0, 0.25])


class Particle:
    def __init__(self, pos: Any, vel: Any) -> None:
        self.pos = pos
        self.vel = vel
        self.trail: Any = []

    def step(self, dt: float) -> None:
        self.trail.append(self.pos.copy())
        self.pos += self.vel * dt
        if self.pos[1] < 0:
            self.pos[1] *= -1
            self.vel[1] *= -0.5


class Field:
    def __init__(self, x: Any) -> None:
        self.grid = np.zeros((2, 3))
        self.grid[0, 1] = x
        self.hits = np.zeros(3, np.int64)


def made(n: Any, x: Any) -> Any:
    return [Particle(np.array([x[i], 1.0]), np.array([0.5, x[i]])) for i in range(n)]


# What has one name, or several that are read of the object


def steps(n: Any, x: Any) -> Any:
    particles, history = made(n, x), []
    for _ in range(3):
        for p in particles:
            p.step(0.5)
        history.append(np.array([p.pos for p in particles]))
    return history, [p.trail[1] for p in particles], [p.vel for p in particles]


def bodies(n: Any, x: Any) -> Any:
    particles = made(n, x)
    for _ in range(2):
        for a in particles:
            force = np.zeros(2)
            for b in particles:
                if a is not b:
                    d = b.pos - a.pos
                    force += d / (np.sqrt((d**2).sum()) + 0.1) ** 3
            a.vel += force * 0.1
        for a in particles:
            a.pos += a.vel * 0.1
    return [p.pos for p in particles]


def flock(n: Any, x: Any) -> Any:
    particles = made(n, x)
    for _ in range(2):
        center = sum(p.pos for p in particles) / len(particles)
        mean = np.mean([p.vel for p in particles], axis=0)
        for p in particles:
            p.vel += (center - p.pos) * 0.1 + mean
            speed = np.linalg.norm(p.vel)
            if speed > 1.5:
                p.vel *= 1.5 / speed
            p.pos += p.vel
            p.pos %= 10.0
    return [p.pos for p in particles]


def collisions(n: Any, x: Any) -> Any:
    particles = made(n, x)
    for i in range(n):
        for j in range(i + 1, n):
            a, b = particles[i], particles[j]
            d = a.pos - b.pos
            r = np.sqrt(d @ d)
            if 0 < r < 2.0:
                va, vb = a.vel, b.vel
                k = (va - vb) @ d / r**2
                va -= k * d
                vb += k * d
    return [p.vel for p in particles]


def accelerations(n: Any, x: Any) -> Any:
    particles = made(n, x)
    for _ in range(2):
        for p in particles:
            p.acc = np.zeros(2)
        for i in range(len(particles)):
            for j in range(i):
                d = particles[j].pos - particles[i].pos
                particles[i].acc += d
                particles[j].acc -= d
        for p in particles:
            p.vel += p.acc * 0.1
            p.pos = p.pos + p.vel
            p.pos[0] += 1
    return [p.pos for p in particles]


def clamp(array: Any) -> None:
    array[array > 1.0] = 1.0


def in_all_ways(n: Any, x: Any) -> Any:
    particles, turn = made(n, x), np.array([[0.0, -1.0], [1.0, 0.0]])
    for p in particles:
        clamp(p.vel)
        np.add(p.pos, p.vel, out=p.pos)
        p.pos.sort()
        p.vel.fill(2.0)
        p.vel[:] = p.pos * 2
        p.pos = turn @ p.pos
        p.pos += 1
    return [p.pos for p in particles], [p.vel for p in particles]


def grids(n: Any, x: Any) -> Any:
    fields = []
    for i in range(n):
        fields.append(Field(x[i]))
    for f in fields:
        row = f.grid[0]
        for j in range(3):
            f.grid[1, j] += f.grid[0, 1] * j
            f.hits[j] += 1
            row[j] += 1
    return [f.grid for f in fields], [f.hits for f in fields]


def by_other_names(n: Any, x: Any) -> Any:
    particles, total = made(n, x), 0.0
    first, one = particles[0].pos, particles[n - 1].pos
    for p in particles:
        total += first.sum()
        p.pos += 1.0
        if p.pos[0] > 1:
            one *= 2
    return first, one, total, [p.pos for p in particles]


def the_same_by_data(n: Any, x: Any) -> Any:
    particles = made(n, x)
    vel = particles[0].vel
    for i in range(n):
        particles[int(x[i] > 1)].vel += 1.0
    return vel


def found(n: Any, x: Any) -> Any:
    particles = made(n, x)
    particles.sort(key=lambda p: p.pos[0])
    best = min(particles, key=lambda p: p.vel[1])
    best.pos[1] = 100.0
    left = [p for p in particles if p.pos[0] > 0]
    for p in left:
        p.pos -= 1
    while len(left) > 1:
        left.pop().pos += 5
    return [p.pos for p in particles]


def caught(n: Any, x: Any) -> Any:
    particles = made(n, x)
    for p in particles:
        try:
            p.pos += 1
            if p.pos[0] > 1.2:
                raise ValueError("far")
            p.pos *= 2
        except ValueError:
            p.pos[1] = -1
    return [p.pos for p in particles]


def in_dicts(n: Any, x: Any) -> Any:
    rows = []
    for i in range(n):
        rows.append({"pos": np.array([x[i], 1.0]), "n": i})
    for row in rows:
        row["pos"] += 1.0
        row["pos"][0] *= 2
        row["n"] += 1
    return [row["pos"] for row in rows], [row["n"] for row in rows]


def at_a_number(n: Any, x: Any) -> Any:
    particles = [Particle(np.array([x[i], 2.0]), np.zeros(2)) for i in range(4)]
    particles[n].pos += 1.0
    particles[n].pos[0] = 7.0
    return [p.pos for p in particles]


def of_another_dtype(n: Any, x: Any) -> Any:
    fields = [Field(x[i]) for i in range(n)]
    for f in fields:
        f.hits += 1.5
    return fields[0].hits


def that_may_be_none(n: Any, x: Any) -> Any:
    particles = made(n, x)
    for p in particles:
        p.force = None
    for i in range(n):
        if x[i] > 0:
            particles[i].force = np.array([x[i], 0.0])
    for p in particles:
        if p.force is None:
            p.force = np.zeros(2)
        p.force[0] += 5.0
        p.force *= 2
    one, other = particles[0].force, particles[1].force
    other += one
    particles[0].force[1] = 9.0
    return one, other, [p.force for p in particles]


def none_is_changed(n: Any, x: Any) -> Any:
    particles = made(n, x)
    for p in particles:
        p.force = None
    particles[0].force = np.array([1.0, x[1]])
    for p in particles:
        p.force += 1.0


def of_a_copy_and_of_more(n: Any, x: Any) -> Any:
    particles = made(n, x)
    place = particles[0].pos
    for i in range(20):
        particles.append(Particle(np.array([x[0], i * 1.0]), np.zeros(2)))
    place += 1.0
    for p in particles:
        p.pos *= 2
    return place, particles[0].pos, particles[-1].pos


CHANGED = [
    steps, bodies, flock, collisions, accelerations, in_all_ways, grids, by_other_names, the_same_by_data, found,
    caught, in_dicts, at_a_number, of_another_dtype, that_may_be_none, none_is_changed, of_a_copy_and_of_more,
]  # fmt: skip


@pytest.mark.parametrize("program", CHANGED)
def test_arrays_of_objects_are_changed_in_place(program: Callable[..., Any]) -> None:
    same(program, (np.int64(3), X))


def test_arrays_from_arguments_are_copied_first() -> None:
    def run(n: Any, y: Any) -> Any:
        particles = []
        for i in range(n):
            particles.append(Particle(y[i].copy(), y[i]))
        for p in particles:
            p.pos += p.vel
        return [p.pos for p in particles], y

    same(run, (np.int64(3), np.arange(10.0).reshape(5, 2)))


# What may be another array, too


def shared(n: Any, x: Any) -> Any:
    place = np.zeros(2)
    particles = [Particle(place, np.array([x[i], 1.0])) for i in range(n)]
    for p in particles:
        p.pos += p.vel


def of_an_argument(n: Any, x: Any) -> Any:
    particles = []
    for i in range(n):
        particles.append(Particle(x[i : i + 1], x[:1] * 2))
    for p in particles:
        p.pos += 1.0


def one_twice(n: Any, x: Any) -> Any:
    particles = []
    for i in range(n):
        place = np.array([x[i], 1.0])
        particles.append(Particle(place, place))
    particles[0].pos += 1.0


def one_by_a_condition(n: Any, x: Any) -> Any:
    particles, kept = [], []
    for i in range(n):
        place, other = np.array([x[i], 1.0]), np.array([x[i], 2.0])
        kept.append(place if x[i] > 0 else other)
        particles.append(Particle(place, other))
    particles[0].pos += 1.0
    return kept


def swapped(n: Any, x: Any) -> Any:
    particles = made(n, x)
    for p in particles:
        p.pos, p.vel = p.vel, p.pos
    particles[0].pos += 1.0


def before_it_got_another(n: Any, x: Any) -> Any:
    particles = made(n, x)
    place = particles[0].pos
    for p in particles:
        p.pos = p.pos + 1.0
    place += 5.0
    return place


def in_a_list(n: Any, x: Any) -> Any:
    particles = made(n, x)
    places = [p.pos for p in particles]
    for p in particles:
        p.pos += 1
    return places


def of_a_shallow_copy(n: Any, x: Any) -> Any:
    particles = made(n, x)
    other = copy.copy(particles[0])
    other.pos += 1.0
    return [p.pos for p in particles]


def in_a_tuple(n: Any, x: Any) -> Any:
    particles = made(n, x)
    for p in particles:
        p.pair = (p.pos, 1)
    for p in particles:
        p.pos += 1
    return [p.pair[0] for p in particles]


def replaced_on_a_path(n: Any, x: Any) -> Any:
    particles = made(n, x)
    place = particles[0].pos
    if x[0] > 0:
        particles[0].pos = np.zeros(2)
    place += 1
    return particles[0].pos


REFUSED = [
    shared,
    of_an_argument,
    one_twice,
    one_by_a_condition,
    swapped,
    before_it_got_another,
    in_a_list,
    of_a_shallow_copy,
    in_a_tuple,
    replaced_on_a_path,
]


@pytest.mark.parametrize("program", REFUSED)
def test_arrays_with_more_names_are_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(
        UnsupportedError, match=r"of Particle is changed in place, in its array 'pos'.*p\.pos = x\.copy\(\)"
    ):
        weft.function(program)(np.int64(3), X)
