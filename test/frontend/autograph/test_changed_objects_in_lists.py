"""Objects in lists that grow are changed afterwards, as in simulations: they are the same objects everywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from support.behaviour_harness import same

n = np.int64


class Body:
    def __init__(self, mass, x, y, vx, vy):
        self.mass = mass
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy

    def kinetic(self):
        return 0.5 * self.mass * (self.vx**2 + self.vy**2)

    @property
    def speed(self):
        return math.sqrt(self.vx**2 + self.vy**2)


@dataclass
class Animal:
    kind: str
    x: int
    y: int
    energy: int
    age: int = 0


class BankAccount:
    def __init__(self, number, balance=0.0):
        self.number = number
        self.balance = balance
        self.frozen = False

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("not enough")
        self.balance -= amount

    def deposit(self, amount):
        self.balance += amount


class Bank:
    def __init__(self):
        self.accounts = []
        self.transfers = 0

    def open(self, balance):
        account = BankAccount(len(self.accounts), balance)
        self.accounts.append(account)
        return account

    def find(self, number):
        for a in self.accounts:
            if a.number == number:
                return a
        return None

    def transfer(self, a, b, amount):
        src, dst = self.find(a), self.find(b)
        if src is None or dst is None:
            return False
        try:
            src.withdraw(amount)
        except ValueError:
            src.frozen = True
            return False
        dst.deposit(amount)
        self.transfers += 1
        return True


class Customer:
    def __init__(self, ident, arrival):
        self.ident = ident
        self.arrival = arrival
        self.start = None
        self.end = None

    def wait(self):
        return self.start - self.arrival


class Event:
    def __init__(self, time, kind, who):
        self.time = time
        self.kind = kind
        self.who = who


class Rabbit:
    def __init__(self, x):
        self.x = x
        self.energy = 10
        self.alive = True


class Fox:
    def __init__(self, x):
        self.x = x
        self.energy = 20
        self.alive = True


class Employee:
    raise_factor = 1.1

    def __init__(self, name, pay):
        self.name = name
        self.pay = pay

    def give_raise(self):
        self.pay = self.pay * self.raise_factor

    def __repr__(self):
        return f"Employee({self.name}, {self.pay})"


class CacheEntry:
    def __init__(self, key, value, used):
        self.key = key
        self.value = value
        self.used = used


class Vec:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __eq__(self, o):
        return self.x == o.x and self.y == o.y

    def length(self):
        return math.hypot(self.x, self.y)


class Ball:
    def __init__(self, pos, vel):
        self.pos, self.vel = pos, vel

    def step(self, dt):
        self.pos = self.pos + self.vel * dt
        if self.pos.y < 0:
            self.pos.y = -self.pos.y
            self.vel.y = -self.vel.y


class World:
    def __init__(self, n):
        self.agents = []
        self.n = n
        self.t = 0

    def spawn(self):
        self.agents.append(Agent(len(self.agents), self))

    def step(self):
        for a in self.agents:
            a.act()
        self.t += 1


class Agent:
    def __init__(self, i, world):
        self.i = i
        self.world = world
        self.wealth = 1

    def act(self):
        if self.wealth > 0:
            other = self.world.agents[(self.i * 3 + self.world.t) % len(self.world.agents)]
            other.wealth += 1
            self.wealth -= 1


@dataclass(order=True)
class Job:
    prio: int
    name: int = field(compare=False)
    left: int = field(default=3, compare=False)


def nbody(count, steps, dt):
    bodies = []
    for i in range(count):
        a = 0.7 * i
        bodies.append(Body(1.0 + i, math.cos(a) * (1 + i), math.sin(a) * (1 + i), -math.sin(a), math.cos(a)))
    for _ in range(steps):
        for i in range(len(bodies)):
            for j in range(i + 1, len(bodies)):
                a, b = bodies[i], bodies[j]
                dx, dy = b.x - a.x, b.y - a.y
                d3 = (dx * dx + dy * dy) ** 1.5
                a.vx += dx * b.mass / d3 * dt
                a.vy += dy * b.mass / d3 * dt
                b.vx -= dx * a.mass / d3 * dt
                b.vy -= dy * a.mass / d3 * dt
        for b in bodies:
            b.x += b.vx * dt
            b.y += b.vy * dt
    return sum(b.kinetic() for b in bodies), max(b.speed for b in bodies), bodies


def wator(size, steps):
    animals = []
    seed = 7
    for i in range(size):
        seed = (seed * 1103515245 + 12345) % 2147483648
        kind = "shark" if i % 3 == 0 else "fish"
        animals.append(Animal(kind, seed % size, (seed // 7) % size, 5))
    for t in range(steps):
        born = []
        for a in animals:
            seed = (seed * 1103515245 + 12345) % 2147483648
            a.x = (a.x + seed % 3 - 1) % size
            a.y = (a.y + (seed // 5) % 3 - 1) % size
            a.age += 1
            if a.kind == "shark":
                a.energy -= 1
                for b in animals:
                    if b.kind == "fish" and b.energy > 0 and b.x == a.x and b.y == a.y:
                        b.energy = 0
                        a.energy += 3
            elif a.age % 5 == 0:
                born.append(Animal("fish", a.x, a.y, 5))
        animals = [a for a in animals if a.energy > 0]
        animals.extend(born)
    return len(animals), sum(1 for a in animals if a.kind == "shark"), animals


def bank(count, amounts):
    b = Bank()
    for i in range(count):
        b.open(10.0 * i)
    failed = 0
    for a in amounts:
        if not b.transfer(a % count, (a * 3 + 1) % (count + 1), float(a)):
            failed += 1
    return failed, b.transfers, [a.balance for a in b.accounts], b.accounts


def lru(capacity, requests):
    entries = []
    hits = 0
    clock = 0
    for r in requests:
        clock += 1
        found = None
        for e in entries:
            if e.key == r:
                found = e
                break
        if found is not None:
            hits += 1
            found.used = clock
        else:
            if len(entries) >= capacity:
                oldest = min(entries, key=lambda e: e.used)
                entries.remove(oldest)
            entries.append(CacheEntry(r, r * r, clock))
    return hits, sorted(e.key for e in entries), entries


def events(count):
    queue = []
    customers = []
    for i in range(count):
        c = Customer(i, (i * 7 % 11) * 1.0)
        customers.append(c)
        queue.append(Event(c.arrival, "arrive", c))
    busy = False
    waiting = []
    while queue:
        queue.sort(key=lambda e: e.time)
        e = queue.pop(0)
        if e.kind == "arrive":
            waiting.append(e.who)
        else:
            busy = False
            e.who.end = e.time
        if not busy and waiting:
            c = waiting.pop(0)
            c.start = e.time
            busy = True
            queue.append(Event(e.time + 2.0, "leave", c))
    return [c.wait() for c in customers], customers


def ecosystem(size, steps):
    rabbits, foxes = [], []
    for i in range(size):
        rabbits.append(Rabbit(i))
        if i % 4 == 0:
            foxes.append(Fox(i))
    history = []
    for t in range(steps):
        for r in rabbits:
            r.x = (r.x + t) % size
            r.energy -= 1
        for f in foxes:
            f.energy -= 2
            for r in rabbits:
                if r.alive and r.x == f.x:
                    r.alive = False
                    f.energy += 4
                    break
        rabbits = [r for r in rabbits if r.alive and r.energy > 0]
        for r in list(rabbits):
            if r.energy % 3 == 0:
                child = Rabbit(r.x + 1)
                child.energy = r.energy // 2 + 4
                rabbits.append(child)
        foxes = [f for f in foxes if f.energy > 0]
        history.append((len(rabbits), len(foxes)))
    return history, rabbits


def two_lists(count):
    everyone, even = [], []
    for i in range(count):
        p = Employee(i, 1.0 * i)
        everyone.append(p)
        if i % 2 == 0:
            even.append(p)
    for p in even:
        p.pay += 100.0
    del everyone[0]
    everyone[0].pay = -1.0
    last = everyone.pop()
    last.pay *= 2
    everyone.insert(1, last)
    return everyone, even, last, last in even, even.index(last)


def balls(count, steps):
    bs = []
    for i in range(count):
        bs.append(Ball(Vec(float(i), 2.0), Vec(1.0, -0.5 * i)))
    for _ in range(steps):
        for b in bs:
            b.step(0.1)
    return [(b.pos.x, b.pos.y) for b in bs], bs[0].pos == bs[1].pos, bs


def mesa(count, steps):
    w = World(count)
    for _ in range(count):
        w.spawn()
    for _ in range(steps):
        w.step()
    return [a.wealth for a in w.agents]


def scheduler(count):
    jobs = []
    for i in range(count):
        jobs.append(Job((i * 4) % 5, i))
    log = []
    while jobs:
        job = min(jobs)
        job.left -= 1
        job.prio += 2
        log.append(job.name)
        if job.left <= 0:
            jobs.remove(job)
    return log


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (
            nbody,
            (
                n(3),
                n(4),
                np.float64(0.01),
            ),
        ),
        (
            wator,
            (
                n(9),
                n(8),
            ),
        ),
        (
            bank,
            (
                n(6),
                np.arange(20),
            ),
        ),
        (
            lru,
            (
                n(4),
                np.array([1, 2, 3, 1, 4, 5, 1, 2, 6, 1, 3]),
            ),
        ),
        (events, (n(12),)),
        (
            ecosystem,
            (
                n(10),
                n(6),
            ),
        ),
        (two_lists, (n(7),)),
        (
            balls,
            (
                n(5),
                n(20),
            ),
        ),
        (
            mesa,
            (
                n(6),
                n(7),
            ),
        ),
        (scheduler, (n(6),)),
    ],
)
def test_programs_are_those_of_python(program, arguments) -> None:
    same(program, arguments, rtol=1e-12)
