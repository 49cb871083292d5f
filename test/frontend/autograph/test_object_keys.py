"""Objects as keys of dicts and members of sets, where their class says by which attributes two of them are equal."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same
from weft.frontend.guards.compared_fields import compared_fields

NUMBERS = np.array([3, 1, 2, 3, 1])


@dataclass(frozen=True)
class State:
    x: int
    y: int
    name: str = "a"
    cost: float = field(default=0.0, compare=False)


@dataclass(unsafe_hash=True)
class Counted:
    x: int
    times: int = field(default=0, compare=False)


class Cell:
    """Compared and hashed by methods that somebody wrote."""

    def __init__(self, row: Any, column: Any) -> None:
        self.row = row
        self.column = column

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Cell) and self.row == other.row and self.column == other.column

    def __hash__(self) -> int:
        return hash((self.row, self.column))

    def __repr__(self) -> str:
        return f"Cell({self.row}, {self.column})"


class Special(Cell):
    """Equal to a cell at the same place."""


class Node:
    """A step of a search, told by its place alone."""

    def __init__(self, place: Any, parent: Any = None, cost: Any = 0) -> None:
        self.place = place
        self.parent = parent
        self.cost = cost

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, Node):
            return NotImplemented
        return self.place == other.place

    def __hash__(self) -> int:
        return hash(self.place)

    def __lt__(self, other: Any) -> Any:
        return self.cost < other.cost


class Rounded:
    """Equal to others that are not quite the same."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Rounded) and round(self.x) == round(other.x)

    def __hash__(self) -> int:
        return hash(round(self.x))


class Place(NamedTuple):
    row: int
    column: int


ONE, SAME = Cell(1, 2), Cell(1, 2)


class TestWhatTellsObjectsApart:
    def test_fields_of_dataclasses(self):
        assert compared_fields(State) == ("x", "y", "name")
        assert compared_fields(Counted) == ("x",)

    def test_written_methods(self):
        assert compared_fields(Cell) == ("row", "column")
        assert compared_fields(Node) == ("place",)

    def test_other_methods(self):
        class Unhashable:
            def __eq__(self, other: object) -> bool:
                return isinstance(other, Unhashable)

        class HashedByMore(Node):
            def __hash__(self) -> int:
                return hash((self.place, self.cost))

        class Computed:
            @property
            def key(self) -> float:
                return float(np.random.rand())

            def __eq__(self, other: object) -> bool:
                return type(other) is type(self) and self.key == other.key

            def __hash__(self) -> int:
                return hash(self.key)

        kinds = (Rounded, Unhashable, HashedByMore, Computed, Place, object, int, dict)
        assert [kind for kind in kinds if compared_fields(kind) is not None] == []


class TestKeys:
    def test_sets_of_dataclasses(self):
        def f(n):
            seen = {State(int(v), 0) for v in n}
            seen.add(State(7, 7, "b"))
            return (
                seen,
                len(seen),
                State(3, 0) in seen,
                State(3, 1) in seen,
                State(7, 7) in seen,
                (3, 0) in seen,
            )

        same(f, NUMBERS)

    def test_a_queue_with_states_that_were_seen(self):
        def f(n):
            seen, queue = set(), [State(int(n[0]), 0)]
            while queue:
                state = queue.pop()
                if state in seen:
                    continue
                seen.add(state)
                if state.x < 6:
                    queue.append(State(state.x + 1, state.y))
                    queue.append(State(state.x + 1, state.y + 1))
            return len(seen)

        same(f, NUMBERS)

    def test_dicts(self):
        def f(n):
            d = {}
            for i, v in enumerate(n):
                key = State(int(v), 0, cost=i * 1.0)
                d[key] = d.get(key, 0) + i
            return d, [key.cost for key in d], d.pop(State(1, 0)), len(d)

        same(f, NUMBERS)

    def test_counters_and_lists(self):
        def f(n):
            groups = defaultdict(list)
            for i, v in enumerate(n):
                groups[State(int(v), 0)].append(i)
            counts = Counter(State(int(v), 0) for v in n)
            return dict(groups), dict(counts), counts[State(9, 9)]

        same(f, NUMBERS)

    def test_in_tuples(self):
        def f(n):
            last, seen = None, {}
            for i, v in enumerate(n):
                key = (State(int(v), 1), i % 2)
                last = key if key in seen else last
                seen[key] = i
            return last, seen

        same(f, np.array([3, 1, 3, 1, 3]))

    def test_sets_of_both(self):
        def f(n):
            one, other = {State(int(v), 0) for v in n}, {State(1, 0), State(7, 0)}
            return one & other, one - other, len(one | other), one == {State(v, 0) for v in (3, 1, 2)}

        same(f, NUMBERS)

    def test_a_missing_key(self):
        def f(n):
            d = {Cell(int(v), 0): v for v in n}
            del d[Cell(1, 0)]
            try:
                return d[Cell(1, 0)]
            except KeyError:
                return len(d), d[Cell(2, 0)]

        same(f, NUMBERS)

    def test_what_is_no_such_object(self):
        def f(n):
            s = {Cell(int(v), 0) for v in n}
            return (1, 0) in s, 5 in s, None in s, "a" in s, State(1, 0) in s

        same(f, NUMBERS)

    def test_equal_objects_from_outside(self):
        def f(n):
            d = {ONE: 0}
            for v in n:
                d[SAME if v > 2 else ONE] += v
            return [*d.values()], len(d)

        same(f, NUMBERS)

    def test_dicts_and_sets_from_outside(self):
        class Visits:
            def __init__(self):
                self.seen = {State(9, 9)}
                self.counts = {ONE: 7, Cell(0, 0): 8}

            def visit(self, n):
                for v in n:
                    state, cell = State(int(v), 0), Cell(int(v), 2)
                    if state not in self.seen:
                        self.seen.add(state)
                    self.counts[cell] = self.counts.get(cell, 0) + int(v)
                return len(self.seen), len(self.counts)

        def all_of(visits):
            return sorted((s.x, s.y) for s in visits.seen), [(repr(k), v) for k, v in visits.counts.items()]

        one, other, compiled = Visits(), Visits(), weft.function(Visits.visit)
        for numbers in (NUMBERS, NUMBERS + 1, NUMBERS):
            assert compiled(one, numbers) == other.visit(numbers)
            assert all_of(one) == all_of(other)

    def test_objects_from_outside_stay_themselves(self):
        def f(n):
            d = {}
            for v in n:
                if v > 1:
                    d[ONE] = v
            for key in d:
                key.seen = n[0]
            return [key is ONE for key in d], ONE.seen

        same(f, NUMBERS)

    def test_floats_and_two_zeros(self):
        def f(x):
            s = {Cell(v, 0.5) for v in x}
            return len(s), Cell(-0.0, 0.5) in s, Cell(2, 0.5) in s, sorted(c.row for c in s)

        same(f, np.array([0.0, -0.0, 2.0, 1.5]))


class TestRows:
    def test_the_first_object_stays(self):
        def f(n):
            s = {Counted(int(v)) for v in n}
            for one in s:
                one.times += 1
            return sorted((one.x, one.times) for one in s)

        same(f, NUMBERS)

    def test_what_is_changed_afterwards(self):
        def f(n):
            one = Counted(int(n[0]))
            s = {one}
            one.times = 7
            return [c.times for c in s], one in s, [c is one for c in s]

        same(f, NUMBERS)

    def test_shortest_path(self):
        def f(n):
            queue, done = [Node((0, 0))], set()
            while queue:
                node = heapq.heappop(queue)
                if node in done:
                    continue
                done.add(node)
                if node.place == (3, 3):
                    break
                for down, right in ((1, 0), (0, 1)):
                    place = (node.place[0] + down, node.place[1] + right)
                    if max(place) > 3:
                        continue
                    step = Node(place, node, node.cost + int(n[(place[0] + place[1]) % 5]))
                    if step not in done:
                        heapq.heappush(queue, step)
            path = []
            while node is not None:
                path.append(node.place)
                node = node.parent
            return path[::-1], len(done)

        same(f, NUMBERS)

    def test_a_key_whose_attribute_changes(self):
        def f(n):
            one = Counted(int(n[0]))
            s = {one}
            one.times = 1
            one.x = 5
            return one in s

        refused(f, NUMBERS, match="a key of a dict or member of a set by its 'x', which is changed")

    def test_which_object_a_key_is(self):
        def f(n):
            first = Cell(int(n[0]), 0)
            d = {first: 0}
            for v in n:
                d[Cell(int(v), 0)] = v
            return [key is first for key in d]

        same(f, NUMBERS)


class TestNamedTuples:
    def test_keys_stay_what_they_are(self):
        def f(n):
            d = {}
            for v in n:
                key = Place(int(v), 0)
                d[key] = d.get(key, 0) + 1
            e = {}
            e[Place(1, 2)] = n[0]
            return d, e, [type(key).__name__ for key in d]

        same(f, NUMBERS)

    @pytest.mark.parametrize("start", [(0, 0), Place(0, 0)])
    def test_the_way_back(self, start):
        def f(n):
            before = {start: None}
            here = start
            for v in n:
                place = type(start)(*(int(v), 0)) if type(start) is Place else (int(v), 0)
                before[place] = here
                here = place
            path = []
            while here is not None:
                path.append(here)
                here = before[here]
            return path

        same(f, np.array([3, 1, 2, 5]))


class TestComparing:
    def test_containers_of_objects(self):
        def f(x):
            cells = [Cell(v, 2 * v) for v in x]
            cells.remove(Cell(2.0, 4.0))
            pairs = (cells[0], 1) == (cells[1], 1), [cells[0]] == [Cell(3.0, 6.0)]
            return (
                len(cells),
                pairs,
                cells[0] != cells[1],
                cells.count(Cell(3.0, 6.0)),
                {"a": cells[0]} == {"a": cells[1]},
            )

        same(f, np.array([3.0, -1.0, 2.0, 3.0]))

    def test_lists_that_grow(self):
        def f(n):
            states, cells = [], []
            for v in n:
                if State(int(v), 0) not in states:
                    states.append(State(int(v), 0))
                    cells.append(Cell(int(v), v))
            return (
                states,
                states.index(State(1, 0)),
                states.count(State(9, 0)),
                cells.index(Cell(2, 2)),
                5 in cells,
            )

        same(f, NUMBERS)

    def test_dicts_of_numbers(self):
        def f(x):
            one = {"a": x[0], "b": (1, x[1])}
            rows = [{"a": x[1]}, {"a": x[0]}]
            return (
                one == {"b": (1, x[1]), "a": x[0]},
                one == {"a": x[0]},
                one != {"a": x[0], "b": (1, x[0])},
                {"a": x[0]} in rows,
                rows.index({"a": x[0]}),
                {"a": x[0] * np.nan} == {"a": x[0] * np.nan},
                one == 5,
            )

        same(f, np.array([3.0, -1.0, 2.0]))

    def test_dicts_of_arrays(self):
        def f(x):
            try:
                return {"a": x[0], "b": x} == {"a": x[0], "b": x + 0}
            except ValueError as error:
                return str(error)

        same(f, np.array([3.0, -1.0, 2.0]))


class TestHashes:
    def test_of_dataclasses(self):
        def f(n):
            return (
                hash(Counted(int(n[0]))),
                hash(Cell(int(n[1]), 2)),
                hash((int(n[0]),)) == hash(Counted(int(n[0]))),
            )

        same(f, NUMBERS)


def test_methods_that_are_replaced():
    class Pair:
        def __init__(self, a: Any, b: Any) -> None:
            self.a = a
            self.b = b

        def __eq__(self, other: Any) -> Any:
            return self.a == other.a and self.b == other.b

        def __hash__(self) -> int:
            return hash((self.a, self.b))

    @weft.function
    def f(n):
        return len({Pair(int(v), i) for i, v in enumerate(n)})

    def equals(self: Pair, other: Pair) -> Any:
        return self.a == other.a

    def hashes(self: Pair) -> int:
        return hash(self.a)

    assert f(np.array([3, 1, 3])) == 3
    Pair.__eq__, Pair.__hash__ = equals, hashes  # type: ignore[method-assign, assignment]
    assert f(np.array([3, 1, 3])) == 2


class TestRefusals:
    def test_keys_that_are_changed(self):
        def f(n):
            d = {}
            for v in n:
                cell = Cell(int(v), 0)
                d[cell] = v
                cell.row = 7
            return [key.row for key in d]

        def walked(n):
            s = {(Cell(int(v), 0), 1) for v in n}
            for cell, _ in s:
                cell.column = 7
            return len(s)

        for function in (f, walked):
            refused(function, NUMBERS, match="a Cell is a key of a dict or set .* make another object")

    def test_keys_that_are_asked_which_they_are(self):
        def from_outside(n, cell=Cell(3, 0)):
            d = {cell: 0}
            for v in n:
                d[Cell(int(v), 0)] = v
            return next(iter(d)) is cell

        def changed(n, cell=Cell(3, 0)):
            d = {cell: 0}
            for v in n:
                d[Cell(int(v), 0)] = v
            cell.seen = True
            return [hasattr(key, "seen") for key in d]

        for function in (from_outside, changed):
            refused(function, NUMBERS, match="a Cell is a key of a dict or set .* make another object")

    def test_hashed_by_what_is_not_compared(self):
        @dataclass(unsafe_hash=True)
        class Odd:
            a: int
            b: int = field(default=0, compare=False, hash=True)

        assert compared_fields(Odd) is None
        refused(lambda n: len({Odd(1, v) for v in n}), NUMBERS, match="needs its value", place=False)

    def test_attributes_of_two_types_of_numbers(self):
        def f(n):
            d = {}
            for i, v in enumerate(n):
                d[State(int(v) if i % 2 else float(v), 0)] = 1
            return len(d)

        def g(n):
            d = {}
            for v in n:
                one = Counted(int(v) if v > 1 else float(v))
                one.times += 1
                d[one] = one.times
            return len(d)

        refused(f, NUMBERS, match="keys that are (floats|integers) and keys")
        same(g, NUMBERS)

    def test_methods_that_look_further(self):
        class Lazy(Cell):
            def __getattr__(self, name):
                return 1

        class Never(Cell):
            def __eq__(self, other):
                return isinstance(other, State) and self.row == other.x

            __hash__ = Cell.__hash__

        class Other(Cell):
            def __eq__(self, other):
                return isinstance(other, Special) and self.row == other.row and self.column == other.column

            __hash__ = Cell.__hash__

        class Own(Cell):
            def __eq__(self, other):
                if not isinstance(other, type(self)):
                    return NotImplemented
                return (self.row, self.column) == (other.row, other.column)

            __hash__ = Cell.__hash__

        assert [compared_fields(kind) for kind in (Lazy, Never, Other)] == [None] * 3
        assert compared_fields(Own) == compared_fields(Special) == ("row", "column")
        refused(lambda n: len({Other(v, 0) for v in n}), NUMBERS, match="which needs its value")

    def test_equal_by_more_than_attributes(self):
        def f(x):
            return len({Rounded(v) for v in x})

        refused(f, np.array([1.0, 1.2]), match="which needs its value")

    def test_one_of_a_class_derived(self):
        def f(n):
            return Special(1, 0) in {Cell(int(v), 0) for v in n}

        refused(f, NUMBERS, match="a Special is looked for among keys of a dict or set that are each a Cell")
