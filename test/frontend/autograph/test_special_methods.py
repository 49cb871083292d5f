"""Special methods that users write are converted where operators call them: what they do happens at each call."""

from __future__ import annotations

import dataclasses
import enum
import functools

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same
from weft.frontend.autograph.operators.statements.comparisons import compare
from weft.frontend.source.own_attributes import is_compared_by_fields


class Interval:
    """Two ends that may be traced; its methods decide by their values."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __add__(self, other):
        if not isinstance(other, Interval):
            other = Interval(other, other)
        return Interval(self.low + other.low, self.high + other.high)

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        return Interval(-self.high, -self.low)

    def __lt__(self, other):
        if self.high < other.low:
            return True
        return False

    def __eq__(self, other):
        if not isinstance(other, Interval):
            return NotImplemented
        return self.low == other.low and self.high == other.high

    def __contains__(self, item):
        if item < self.low:
            return False
        return item <= self.high

    def __iadd__(self, other):
        print("moved by", other)
        self.low, self.high = self.low + other, self.high + other
        return self

    def __setitem__(self, key, value):
        if value > 0:
            self.low = value
        else:
            self.high = value

    def ends(self):
        return self.low, self.high


class Wider(Interval):
    def __radd__(self, other):
        return Interval(other.low - 1, other.high + 1)


@dataclasses.dataclass(order=True)
class Point:
    x: float
    y: float


def arithmetic(a, b):
    one, other = Interval(a, a + 2), Interval(b, b + 1)
    total = one + other
    moved, added = 1 + one, one + 1
    return total.ends(), moved.ends(), added.ends(), (-one).ends(), (one + Wider(b, b)).ends()


def compared(a, b):
    one, other = Interval(a, a + 2), Interval(b, b + 1)
    return one < other, one > other, one == other, one != other, one == 3, b in one, b not in one


def changed(a, b):
    one = Interval(a, a + 2)
    one += b
    one["end"] = b
    return one.ends()


def test_operators(capsys):
    pairs = [(1.0, 5.0), (5.0, 1.0), (2.0, -3.0)]
    calls = [tuple(map(np.float64, pair)) for pair in pairs]
    same(arithmetic, *calls)
    same(compared, *calls)
    same(changed, *calls)


class Counted:
    """Prints what is called, and decides by an array."""

    kept = 0

    def __init__(self, array):
        self.array, self.left = array, 3

    def __len__(self):
        return 3 if self.array[0] > 1 else 0

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        print("next", self.left)
        return self.array[0] if self.array[0] > 1 else self.array[1]

    def __delitem__(self, key):
        if self.array[0] > 1:
            self.array[key] = 0

    def __abs__(self):
        print("abs", self.array)
        return self.array

    def __repr__(self):
        return f"Counted({self.array})"

    def __format__(self, spec):
        return f"<{self.array[0]}{spec}>"

    @property
    def first(self):
        return self.array[0]

    @first.setter
    def first(self, value):
        print("first", value)
        self.array[0] = value if value > 0 else 5

    @functools.cached_property
    def total(self):
        print("total of", self.array)
        return self.array.sum()


class Noted:
    def __setattr__(self, name, value):
        print("set", name, value)
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        print("deleted", name)
        super().__delattr__(name)


class Doubling:
    """A descriptor."""

    def __get__(self, owner, kind):
        print("get", owner.array)
        return owner.array

    def __set__(self, owner, value):
        print("set", value)
        owner.array = value * 2


class Made:
    doubled = Doubling()

    def __new__(cls, array):
        print("new", array)
        return super().__new__(cls)

    def __init__(self, array):
        self.doubled = array


@dataclasses.dataclass
class Checked:
    array: object
    names: list = dataclasses.field(default_factory=list)
    size: int = 3

    def __post_init__(self):
        print("made of", self.array)
        self.names.append("sum")


class Dropped:
    def __del__(self):
        print("dropped")


def decided(x):
    counted = Counted(x)
    kept = [i for i in range(2) if counted]
    return len(counted), not counted, (1 if counted else 2), bool(counted), kept


def walked(x):
    total = 0
    for item in Counted(x):
        total = total + item
    return total, list(Counted(x)), sum(Counted(x)), [2 * item for item in Counted(x)]


def set_and_deleted(x):
    counted = Counted(x)
    del counted[1]
    noted = Noted()
    noted.size = x[0]
    noted.size += 1
    noted.other = x
    del noted.other
    counted.first = x[2]
    counted.first -= 9
    return abs(counted), counted.first, noted.size, counted.total, counted.total


def shown(x):
    counted = Counted(x)
    print(f"{counted:5} {counted!r}", counted, str(counted))
    return repr(counted), f"{counted}"


def made(x):
    return Made(x).doubled, Checked(x).names, Checked(x, [], 4).size


@pytest.mark.parametrize("function", [decided, walked, set_and_deleted, shown, made])
def test_what_python_calls_by_itself(function):
    same(function, *(np.array(values) for values in ([0.0, 1.0, 3.0], [2.0, 0.0, 1.0])))


def test_what_runs_when_objects_are_dropped_is_refused():
    refused(
        lambda x: Dropped() and x,
        np.ones(2),
        error=weft.UnsupportedError,
        match="whenever Python drops an object",
    )


def test_what_has_no_method_is_refused_as_in_python():
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for -: 'Interval' and 'Interval'"):
        weft.function(lambda x: (Interval(x, x) - Interval(x, x)).ends())(np.float64(1))
    with pytest.raises(TypeError, match="'<=' not supported between instances of 'Interval' and 'Interval'"):
        weft.function(lambda x: Interval(x, x) <= Interval(x, x))(np.float64(1))


def test_methods_that_dataclasses_make():
    assert weft.function(lambda x: (Point(1.0, 2.0) < Point(1.0, 3.0), Point(1.0, 2.0) == Point(1.0, 2.0)))(
        1.0
    )[0]


class Scaling(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.scale = args[0] * 2
        return made


class Plain(type):
    def __call__(cls, *args):
        made = type.__call__(cls)
        made.args = args
        return made


class Scaled(metaclass=Scaling):
    def __init__(self, x):
        self.x = x if x[0] > 0 else -x


class Renewed(metaclass=Scaling):
    def __new__(cls, x):
        made = object.__new__(cls)
        made.x = x + 1
        return made


class Bare(metaclass=Plain):
    pass


def test_metaclasses_make_objects() -> None:
    def f(x):
        counted, made, bare = Scaled(x), Renewed(x), Bare(x)
        return counted.x, counted.scale, made.x, made.scale, bare.args[0] + 1

    same(f, np.array([1.0, 2.0]), np.array([-1.0, 2.0]))


def test_methods_of_all_objects_are_not_those_of_generators() -> None:
    """`object.__setattr__` is found in `np.random.Generator`, too, once NumPy has loaded that."""
    assert np.random.Generator.__setattr__ is object.__setattr__
    same(set_and_deleted, np.array([0.0, 1.0, 3.0]))


@pytest.mark.parametrize("compare", [lambda self, other: self.slope == other.slope, lambda self, other: True])
def test_equality_of_what_is_called_is_not_asked_for(compare):
    class Line:
        slope = 2.5
        __eq__ = compare

        def __call__(self, x):
            return self.slope * x

    line = Line()

    def f(x):
        return line(x)

    same(f, np.float32(2))


def test_only_what_is_walked_is_walked():
    class Vector:
        def __init__(self, *numbers):
            self.numbers = numbers

        def __getitem__(self, place):
            return self.numbers[place]

        def __iter__(self):
            return iter(self.numbers)

        def __call__(self, x):
            return self.numbers[0] * x

        def __add__(self, other):
            return Vector(*[a + b for a, b in zip(self, other)])

        def __lt__(self, other):
            return self.numbers[0] < other.numbers[0]

        __gt__ = __lt__

    def f(x):
        a, b = Vector(1, x), Vector(2, x)
        total = sum([a, b], Vector(0, 0))
        joined = functools.reduce(lambda one, other: one + other, [a, b], Vector(5, x))
        return (
            list(map(b, [x, 1])),
            list(filter(a, [1, 2])),
            total.numbers,
            joined.numbers,
            min(a, b)[0],
            max(a),
        )

    same(f, np.float32(2))


class Factor:
    def __init__(self, by):
        self.by = by

    def __rmul__(self, other):
        return Factor(self.by * other)

    def __gt__(self, other):
        return type(other).__name__, self.by > other


class FactorOfArrays(Factor):
    __array_ufunc__ = None


class FactorOfScalars(Factor):
    __array_priority__ = -1.0  # less than that of arrays, and more than that of scalars


def test_an_object_behind_a_scalar_gets_a_number_of_python_s() -> None:
    def program(x):
        made = x.sum() * Factor(2)
        return made.by, x[0] < Factor(3), x[1] < FactorOfScalars(3), (x * FactorOfArrays(2)).by

    x = np.arange(3.0)
    found, expected = weft.function(program)(x), program(x)
    assert type(found[0]) is type(expected[0]) is float
    assert found[:3] == expected[:3]
    np.testing.assert_array_equal(found[3], expected[3])


def test_arrays_of_objects_that_an_operator_would_make_are_refused() -> None:
    message = r"NumPy computes an array \* a Factor for each element.*let Factor have __array_ufunc__ = None"
    with pytest.raises(weft.UnsupportedError, match=message):
        weft.function(lambda x: x * Factor(2))(np.arange(3.0))


class Item:
    def __init__(self, weight):
        self.weight = weight

    def __lt__(self, other):
        return self.weight < other.weight


class Heavy(Item):
    pass


@dataclasses.dataclass(order=True)
class Entry:
    key: float
    name: str = "entry"


def test_objects_are_put_in_order_by_what_they_hold():
    def program(x, n):
        items = [Item(x[0]), Heavy(n), Item(x[1]), Heavy(3), Item(0.5)]
        entries = [Entry(x[0], "a"), Entry(x[1], "b"), Entry(x[0], "c")]
        smallest = min(items).weight, sorted(items)[0].weight, max(entries)
        items.sort(reverse=True)
        entries.sort()
        known = [Item(3), Item(1)]
        known.sort()
        return [item.weight for item in items], entries, smallest, [item.weight for item in known]

    same(program, (np.array([1.0, 4.0]), np.int64(2)), (np.array([-1.0, -2.0]), np.int64(5)))


COMPARED: list[int] = []


class Tallied(Item):
    def __lt__(self, other):
        COMPARED.append(1)
        return self.weight < other.weight


class Near(Item):
    def __lt__(self, other):
        if abs(self.weight - other.weight) > 2:
            raise ValueError("far")
        return self.weight < other.weight


SCALE = 2.0
WEIGHTS = np.ones(3)


class Doubled(Item):
    def __lt__(self, other):
        return SCALE * self.weight < SCALE * other.weight


class Weighed(Item):
    def __lt__(self, other):
        return WEIGHTS[0] * self.weight < WEIGHTS[0] * other.weight


@functools.total_ordering
class Ordered(Item):
    def __eq__(self, other):
        return isinstance(other, Ordered) and abs(self.weight) == abs(other.weight)

    def __lt__(self, other):
        return abs(self.weight) < abs(other.weight)


def test_comparisons_that_do_more_than_compute_are_made_as_often_as_in_python():
    def tallied(x):
        COMPARED.clear()
        return sorted([Item(x[0]), Tallied(x[1]), Tallied(x[2])])[0].weight, [*COMPARED]

    x = np.array([1.0, -4.0, 2.0])
    for kind in (Near, Weighed):
        same(lambda x, kind=kind: sorted([kind(x[0]), kind(x[1])])[0].weight, x, x[::-1] / 4)
    same(tallied, x, -x, traces=None)
    same(lambda x: sorted([Doubled(x[0]), Doubled(x[1])])[0].weight, (np.array([1.0, -4.0]),))
    same(lambda x: min([Ordered(x[0]), Ordered(x[1]), Ordered(0.5)]).weight, (np.array([1.0, -4.0]),))


class Guarded(type):
    def __getattr__(cls, name):
        raise AssertionError(f"{name} was asked for")


class OfGuarded(metaclass=Guarded):
    def __init__(self, value):
        self.value = value


def test_comparing_objects_asks_no_metaclass():
    assert compare("==", OfGuarded(1.0), OfGuarded(1.0)) is False
    assert not is_compared_by_fields(OfGuarded)
    assert is_compared_by_fields(dataclasses.make_dataclass("Made", ["value"]))


@functools.total_ordering
class Version:
    def __init__(self, major, minor):
        self.major = major
        self.minor = minor

    def __eq__(self, other):
        return (self.major, self.minor) == (other.major, other.minor)

    def __lt__(self, other):
        return (self.major, self.minor) < (other.major, other.minor)

    def __repr__(self):
        return f"{self.major}.{self.minor}"


def test_comparisons_that_total_ordering_gives():
    def f(n):
        versions = [Version(int(a), int(b)) for a, b in zip(n, n[::-1], strict=True)]
        one, other = versions[0], versions[1]
        return (
            repr(max(versions)),
            repr(sorted(versions)),
            one >= other,
            one > other,
            one <= one,
            one != other,
        )

    same(f, np.array([3, 1, 2, 3]))


def test_representations_of_items():
    def f(n):
        one = Version(int(n[0]), 0)
        items = [one, 1, n[1], "a", None, (one,)]
        return (
            repr(items),
            str((one,)),
            f"{items} {items!r}",
            str({"a": one, 2: [one]}),
            repr([]),
            repr((1, one)),
        )

    same(f, np.array([3, 1]))


def test_a_format_of_a_container_of_objects():
    def f(n):
        try:
            return f"{[Version(int(n[0]), 0)]:3}"
        except TypeError as error:
            return str(error)

    same(f, np.array([3, 1]))


class Access(enum.Flag):
    READ = 1
    WRITE = 2


def test_parts_of_a_flag_that_data_decides():
    def f(n):
        access = Access(0)
        for v in n:
            if v > 4:
                access |= Access.READ
            if v < 2:
                access |= Access.WRITE
        return access, Access.READ in access, Access.WRITE not in access

    same(f, np.array([3, 1]))
    same(f, np.array([5, 1]))


class Measured:
    """Compared through a method of its own, which sorting refuses, and the best of some does not."""

    def __init__(self, a):
        self.a = a

    @staticmethod
    def of(other):
        return other if isinstance(other, Measured) else Measured(other)

    def __lt__(self, other):
        return self.a < self.of(other).a


def test_the_best_by_comparisons_that_call():
    def f(n):
        items = [Measured(v) for v in n]
        return max(items).a, min(items).a, max(items[:1]).a

    same(f, np.array([3, 1, 2, 3]))
