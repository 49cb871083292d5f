"""Objects and dicts that are changed in lists, sets and dicts, and are of several classes in one list."""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

n = np.int64


class Memo:
    def __init__(self, k):
        self.k = k
        self.n = 0


class Shape:
    def __init__(self, s):
        self.s = s
        self.grown = 0

    def area(self):
        return 0.0


class Square(Shape):
    def area(self):
        return self.s * self.s


class Circle(Shape):
    def __init__(self, s):
        super().__init__(s)
        self.r = s / 2

    def area(self):
        return 3.0 * self.r * self.r


class Creature(ABC):
    count = 0

    def __init__(self, x):
        self.x = x
        self.energy = 10
        self.alive = True

    @abstractmethod
    def act(self, others): ...
    def move(self, d):
        self.x += d


class Prey(Creature):
    def act(self, others):
        self.move(1)
        self.energy += 1


class Hunter(Creature):
    def __init__(self, x, skill=2):
        super().__init__(x)
        self.skill = skill

    def act(self, others):
        self.move(2)
        self.energy -= 1
        for o in others:
            if isinstance(o, Prey) and o.alive and o.x == self.x:
                o.alive = False
                self.energy += self.skill


class Vertex:
    def __init__(self, name):
        self.name = name
        self.dist = math.inf
        self.prev = None
        self.edges = []


class Edge:
    def __init__(self, to, w):
        self.to = to
        self.w = w


class DNode:
    def __init__(self, key, val):
        self.key, self.val, self.prev, self.next = key, val, None, None


class LRU:
    def __init__(self, cap):
        self.cap = cap
        self.map = {}
        self.head = DNode(-1, 0)
        self.tail = DNode(-2, 0)
        self.head.next = self.tail
        self.tail.prev = self.head

    def _remove(self, nd):
        nd.prev.next = nd.next
        nd.next.prev = nd.prev

    def _add(self, nd):
        nd.prev = self.tail.prev
        nd.next = self.tail
        self.tail.prev.next = nd
        self.tail.prev = nd

    def get(self, key):
        if key in self.map:
            nd = self.map[key]
            self._remove(nd)
            self._add(nd)
            return nd.val
        return -1

    def put(self, key, val):
        if key in self.map:
            self._remove(self.map[key])
        nd = DNode(key, val)
        self._add(nd)
        self.map[key] = nd
        if len(self.map) > self.cap:
            old = self.head.next
            self._remove(old)
            del self.map[old.key]


class State(Enum):
    SUSCEPTIBLE = 0
    ILL = 1
    RECOVERED = 2


class Human:
    def __init__(self):
        self.state = State.SUSCEPTIBLE
        self.timer = 0


@dataclass
class Item:
    name: str
    price: float
    qty: int = 0
    tags: list = field(default_factory=list)

    @property
    def total(self):
        return self.price * self.qty

    def __post_init__(self):
        self.price = round(self.price, 2)


class Registered:
    def __init__(self, registry, x):
        self.x = x
        registry.append(self)
        self.partner = registry[0]


def inventory(count, orders):
    items = []
    for i in range(count):
        items.append({"id": i, "stock": 5, "price": 1.5 * i, "sold": 0})
    revenue = 0.0
    for o in orders:
        item = items[o % count]
        if item["stock"] > 0:
            item["stock"] -= 1
            item["sold"] += 1
            revenue += item["price"]
    low = [it["id"] for it in items if it["stock"] < 5]
    return revenue, low, items


def stack_machine(count):
    stack = []
    for i in range(count):
        stack.append({"v": i, "seen": False})
        if i % 3 == 2:
            top = stack.pop()
            stack[-1]["v"] += top["v"]
            stack[-1]["seen"] = True
    return stack, len(stack)


def known_dicts(a, count):
    rows = []
    for i in range(count):
        rows.append(dict(name="x", n=i, w=0.5))
    d = rows[a]
    d["n"] += 10
    for r in rows:
        r["w"] = r["w"] * r["n"]
        if r["n"] > 3:
            r["name"] = "big"
    rows.sort(key=lambda r: -r["n"])
    return rows, d is rows[0], d


def set_of_objects(count):
    nodes = []
    for i in range(count):
        nodes.append(Memo(i % 3))
    seen = set()
    for i in range(count * 2):
        m = nodes[(i * i) % count]
        if m not in seen:
            seen.add(m)
            m.n += 1
    return [m.n for m in nodes], len(seen)


def dict_of_objects(keys):
    table = {}
    for k in keys:
        k = int(k)
        if k not in table:
            table[k] = Memo(k)
        table[k].n += 1
    return table, [m.n for m in table.values()]


def shapes(count):
    ss = []
    for i in range(count):
        if i % 2:
            ss.append(Square(1.0 * i))
        else:
            ss.append(Circle(1.0 * i))
    for s in ss:
        s.grown += 1
        s.s *= 2
    return sum(s.area() for s in ss), ss


def hunt(count, steps):
    all_ = []
    for i in range(count):
        if i % 3 == 0:
            all_.append(Hunter(i))
        else:
            all_.append(Prey(i))
    for _ in range(steps):
        for c in all_:
            if c.alive:
                c.act(all_)
        all_ = [c for c in all_ if c.alive and c.energy > 0]
    return len(all_), sum(c.energy for c in all_), sum(1 for c in all_ if isinstance(c, Hunter))


def dijkstra(count, table):
    vs = []
    for i in range(count):
        vs.append(Vertex(i))
    for a, b, w in table:
        vs[a].edges.append(Edge(vs[b], float(w)))
    vs[0].dist = 0.0
    queue = [(0.0, 0)]
    while queue:
        d, i = heapq.heappop(queue)
        v = vs[i]
        if d > v.dist:
            continue
        for e in v.edges:
            nd = d + e.w
            if nd < e.to.dist:
                e.to.dist = nd
                e.to.prev = v
                heapq.heappush(queue, (nd, e.to.name))
    path = []
    v = vs[4]
    while v is not None:
        path.append(v.name)
        v = v.prev
    return [v.dist for v in vs], path[::-1]


def lru_linked(keys):
    c = LRU(3)
    hits = []
    for k in keys:
        k = int(k)
        v = c.get(k)
        hits.append(v)
        if v == -1:
            c.put(k, k * 10)
    return hits


def sir(count, steps):
    pop = []
    for _ in range(count):
        pop.append(Human())
    pop[0].state = State.ILL
    curve = []
    for t in range(steps):
        for i in range(len(pop)):
            h = pop[i]
            if h.state == State.ILL:
                h.timer += 1
                if h.timer > 2:
                    h.state = State.RECOVERED
                other = pop[(i + 1) % len(pop)]
                if other.state == State.SUSCEPTIBLE:
                    other.state = State.ILL
        curve.append(sum(1 for h in pop if h.state is State.ILL))
    return curve, [h.state for h in pop]


def shop(sales):
    stock = [Item("pen", 1.5, 10), Item("book", 12.25, 3), Item("bag", 30.0, 2)]
    missed = 0
    for s in sales:
        it = stock[s]
        if it.qty > 0:
            it.qty -= 1
            it.tags.append(int(s))
        else:
            missed += 1
    return missed, sum(i.total for i in stock), stock


def registers(count):
    registry = []
    for i in range(count):
        Registered(registry, i)
    for r in registry:
        r.x += r.partner.x + 1
    return [r.x for r in registry], registry[0].partner is registry[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (
            inventory,
            (
                n(8),
                np.array([3, 1, 4, 1, 5, 9, 2, 6]),
            ),
        ),
        (stack_machine, (n(20),)),
        (
            known_dicts,
            (
                n(3),
                n(5),
            ),
        ),
        (set_of_objects, (n(6),)),
        (dict_of_objects, (np.array([3, 1, 3, 2, 1, 3]),)),
        (shapes, (n(6),)),
        (
            hunt,
            (
                n(8),
                n(5),
            ),
        ),
        (
            dijkstra,
            (
                n(6),
                np.array([[0, 1, 4], [0, 2, 1], [2, 1, 2], [1, 3, 5], [3, 4, 3], [2, 4, 9]]),
            ),
        ),
        (lru_linked, (np.array([1, 2, 3, 1, 4, 5, 1, 2, 3]),)),
        (
            sir,
            (
                n(10),
                n(6),
            ),
        ),
        (shop, (np.array([1, 0, 2, 1]),)),
        (registers, (n(5),)),
    ],
)
def test_programs_are_those_of_python(program, arguments) -> None:
    same(program, arguments, rtol=1e-12)


@dataclass
class Spark:
    pos: np.ndarray
    life: int


@dataclass
class Plain:
    x: float


def in_place(count):
    sparks, pos = [], np.zeros(2)
    for i in range(count):
        sparks.append(Spark(pos, i))
    for spark in sparks:
        spark.pos += 1.0
    return sparks


def deletes(count):
    items = []
    for i in range(count):
        items.append(Plain(float(i)))
    items[0].x = 2.0
    del items[0].x
    return items


def asks_for_all(count):
    items = []
    for i in range(count):
        items.append(Plain(float(i)))
    items[0].x = 2.0
    return vars(items[0])


def gives_another_key(count):
    rows = []
    for i in range(count):
        rows.append({"n": i})
    rows[0]["n"] += 1
    rows[1]["m"] = 2
    return rows


def takes_one_from_outside(count, first):
    items = [first]
    for i in range(count):
        items.append(Plain(float(i)))
    items[-1].x = 2.0
    return items


@pytest.mark.parametrize(
    ("program", "others", "message"),
    [
        (in_place, (), r"of Spark is changed in place, in its array 'pos'.*p\.pos = p\.pos \+ step"),
        (deletes, (), r"of Plain is changed so that it has no attribute 'x'.*set it to None"),
        (asks_for_all, (), r"of Plain is asked for all its attributes.*name them"),
        (gives_another_key, (), r"a dict of the keys \('n',\) is given the key 'm'"),
        (takes_one_from_outside, (Plain(1.0),), r"of Plain is from outside of the function"),
    ],
)
def test_what_cannot_be_done_is_told(program, others, message) -> None:
    with pytest.raises(weft.UnsupportedError, match=message):
        weft.function(program)(np.int64(3), *others)


class Place:
    def __init__(self, number):
        self.number = number


def looks_for(count):
    places = []
    for i in range(count):
        places.append(Place(i))
    places[0].number = 7
    last = places.pop()
    return places.index(places[1]), places.index(last)


def test_an_object_that_is_not_there_is_told() -> None:
    with pytest.raises(ValueError, match=r"Place object> is not in list"):
        weft.function(looks_for)(np.int64(4))


def finds_what_may_be_none(count):
    places, best, worst = [], None, None
    for i in range(count):
        place = Place((i * 7) % 5)
        places.append(place)
        if place.number > 2:
            best = place
    for place in places:
        if place.number > 100:
            worst = place
    best.number += 1
    return best in places, worst in places, places.index(best), places.count(best), best == places[1]


def test_an_object_that_may_be_none_is_looked_for() -> None:
    same(finds_what_may_be_none, (np.int64(4),))
