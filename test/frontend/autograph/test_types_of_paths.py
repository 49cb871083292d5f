"""What paths of two types leave keeps the type that it has: pairs of types, through each construct, into each place."""

from __future__ import annotations

import itertools
import operator
from types import SimpleNamespace

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

LARGE = 2**53 + 1
"""No float64."""

VALUES = {
    "float32": np.float32(1.5),
    "int64": np.int64(LARGE),
    "int8": np.int8(-3),
    "uint64": np.uint64(2**64 - 1),
    "bool_": np.bool_(True),
    "float64": np.float64(0.1),
    "complex64": np.complex64(1 + 2j),
    "int": 7,
    "float": 2.5,
    "bool": True,
}
"""One of each type."""

PAIRS = list(itertools.combinations(VALUES, 2))
YES, NO = np.bool_(True), np.bool_(False)


def conditional(condition, a, b):
    return a if condition else b


def early(condition, a, b):
    if condition:
        return a
    return b


def swapped(condition, a, b):
    if condition:
        a, b = b, a
    return a, b


def matched(condition, a, b):
    match condition:
        case True:
            y = a
        case _:
            y = b
    return {"y": [y, 2]}


def decided(condition, a, b):
    return (condition and a) or b


def in_a_loop(condition, a, b):
    y = a
    for number in range(3):
        if condition and number == 1:
            y = b
    return y


def in_a_while(condition, a, b):
    y, count = a, 0
    while count < 3:
        if condition:
            y = b
        count += 1
    return y, count


def raised(condition, a, b):
    try:
        if condition:
            raise ValueError
        y = a
    except ValueError:
        y = b
    return y


def perhaps(condition, a, b):
    y = None
    if a == b or condition:
        y = a if condition else b
    return y


CONSTRUCTS = [conditional, early, swapped, matched, decided, in_a_loop, in_a_while, raised, perhaps]


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_each_pair(number):
    names = PAIRS[number]
    construct = CONSTRUCTS[number % len(CONSTRUCTS)]
    a, b = (VALUES[name] for name in names)

    def f(condition):
        return construct(condition, a, b)

    same(f, YES, NO, traces=None)


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_each_construct_with_arguments(construct):
    same(construct, (YES, np.float32(2), np.int64(LARGE)), (NO, np.float32(2), np.int64(LARGE)))


class TestWhatIsComputed:
    """Operations behind the branch are done with the value that it left."""

    def test_arithmetic_does_not_round_integers(self):
        def f(condition, a, b):
            y = a if condition else b
            return y + 1, 1 - y, y * 2, y // 2, y % 2, -y, abs(y), y == LARGE, y < LARGE, divmod(y, 3), y * y

        same(f, *((c, np.float32(2), np.int64(LARGE)) for c in (YES, NO)))

    def test_division_of_integers_by_zero(self):
        def f(condition):
            y = 0 if condition else np.float64(0)
            return 1 / y

        same(f, YES, NO, traces=None)

    def test_functions(self):
        def f(condition, a, b):
            y = a if condition else b
            return (
                np.maximum(y, 1),
                np.array([y, 2]),
                float(y),
                int(y),
                y.sum(),
                np.where(y > 1, y, 0),
                y.dtype == int,
            )

        same(f, *((c, np.float32(2), np.int64(LARGE)) for c in (YES, NO)))

    def test_asked_for_its_type(self):
        def f(condition, b):
            y = 1 if condition else b
            return isinstance(y, int), isinstance(y, np.floating), type(y) is int, type(y) is np.float32

        same(f, (YES, np.float32(2)), (NO, np.float32(2)))

    def test_asked_for_attributes(self):
        def f(condition):
            y = 3 if condition else float("inf")
            return getattr(y, "numerator", None), hasattr(y, "is_integer"), getattr(y, "name", "none")

        same(f, (YES,), (NO,))

    def test_bounds_of_ranges(self):
        def f(x, n):
            end, total = float("inf"), 0
            for i in range(len(x)):
                if x[i] > 3:
                    end = i
                total += sum(range(min(end, n)))
                n += 1
            return total, n

        same(
            f,
            *((np.array(x), n) for x, n in (([1.0, 5.0, 0.0, 4.0], 3), ([1.0, 2.0, 0.0, 3.0], 2))),
            traces=None,
        )

    def test_a_float_is_no_bound_of_a_range(self):
        def f(condition, n):
            return list(range(n if condition else n + 0.5))

        compiled = weft.function(f)
        assert compiled(YES, np.int64(2)) == [0, 1]
        with pytest.raises(TypeError, match="float64' object cannot be interpreted as an integer"):
            compiled(NO, np.int64(2))

    def test_written_to_an_array(self):
        def f(condition, a, b):
            y = a if condition else b
            x, z = np.zeros(2, np.int64), np.zeros(2)
            x[0], z[1] = y, y
            return x, z

        same(f, *((c, np.float32(2), np.int64(LARGE)) for c in (YES, NO)))

    def test_shown(self, capsys):
        def f(condition, b):
            y = 3 if condition else b
            print(y)
            return f"{y}", str(y)

        same(f, (YES, np.float32(2.5)), (NO, np.float32(2.5)))

    def test_two_that_were_chosen_apart(self):
        def f(one, other, a, b):
            y = a if one else b
            z = 1 if other else b
            return y + z, y * y, (y + z) - y

        values = np.float32(2), np.int64(LARGE)
        same(f, *((one, other, *values) for one in (YES, NO) for other in (YES, NO)), traces=None)

    def test_arrays(self):
        def f(x, n):
            y = x if n > 2 else np.ones(3, np.int8)
            return y, y + 1, y.sum(), y[0], y * np.float32(2)

        same(f, (np.arange(3.0), np.int64(3)), (np.arange(3.0), np.int64(1)))

    def test_argument_that_is_returned_is_itself(self):
        compiled = weft.function(lambda condition, x, y: x if condition else y)
        x, y = np.arange(3.0), np.arange(3)
        assert compiled(YES, x, y) is x
        assert compiled(NO, x, y) is y


class TestLoops:
    def test_largest_from_a_number_of_python(self):
        def f(x):
            largest = 0
            for number in range(len(x)):
                if x[number] > largest:
                    largest = x[number]
            return largest

        same(f, np.array([-1.0, -2, -3]), np.array([1.0, 3, 2]))

    def test_sum_of_some(self):
        def f(n, x):
            total, place = n, 0
            while place < len(x):
                if x[place] > 0:
                    total = total + x[place]
                place += 1
            return total

        large = np.int64(LARGE)
        same(f, (large, np.array([-1.0, -2])), (large, np.array([-1.0, 2])))

    def test_numbers_that_change_places(self):
        def f(x):
            a, b = 1, np.float32(2)
            for item in x:
                if item > 0:
                    a, b = b, a
            return a, b, a + 1

        same(f, np.array([1.0, -1]), np.array([1.0, 1]), np.array([-1.0, -1]))

    def test_sum_of_what_branches_leave(self):
        def f(condition, x, n):
            y = n if condition else np.float32(1.5)
            for item in x:
                y = y + item
            return y

        same(f, *((c, np.arange(3, dtype=np.int8), np.int64(LARGE)) for c in (YES, NO)))

    def test_lists_that_grow(self):
        def f(x, n):
            numbers = []
            for _ in range(n):
                x = x / 2 if x > 1 else x * 3
                numbers.append(x)
                numbers.insert(0, x)
            return numbers

        same(f, (np.int64(8), np.int32(2)), (np.int64(8), np.int32(3)))

    def test_items_of_generators(self):
        def f(condition, a, b):
            numbers = [a if condition else b, 1]
            return max(n for n in numbers), [n + 1 for n in numbers for _ in range(2)]

        same(f, *((c, np.float32(2), np.int64(LARGE)) for c in (YES, NO)))

    def test_what_generator_functions_yield(self):
        def f(limit, x):
            def chosen():
                for item in x:
                    yield item if item > limit else 1.5

            total, count = np.float64(0), 0
            for number in chosen():
                total += number * 2
                count += 1
            return total, count, sum(n * 2 for n in chosen())

        same(f, (np.float32(8), np.array([1, 9, 10])), (np.float32(20), np.array([1, 9, 10])))


class TestPlaces:
    def test_attributes_lists_and_dicts_outside(self):
        held, items, table = SimpleNamespace(y=0.5), [0.5], {"y": 0.5}

        def f(condition, a, b):
            y = a if condition else b
            held.y, items[0], table["y"] = y, y, y

        f_ = weft.function(f)
        for condition, kind in ((YES, np.float32), (NO, np.int64)):
            f_(condition, np.float32(2), np.int64(LARGE))
            assert [type(v) for v in (held.y, items[0], table["y"])] == [kind] * 3
            assert held.y == items[0] == table["y"] == (2 if condition else LARGE)


def test_lists_that_are_chosen_are_no_copies():
    def read(condition):
        value = np.float32(1.5) if condition else 7
        a, b = [value, 1, 5], [2, value, 0]
        return max(a), min(a, key=lambda item: -item), max(value, 3), max(a, b)[1], min([a, b], key=len)[0]

    def changed(condition):
        value = np.float32(1.5) if condition else 7
        a, b = [value, 1], [2, value]
        max(a, b, key=lambda items: items[0]).append(3)
        return a, b

    same(read, (YES,), (NO,))
    with pytest.raises(weft.UnsupportedError, match="a list that has other names too or another one"):
        weft.function(changed)(YES)


def test_items_of_lists_and_sets_that_grow():
    def f(condition, n):
        y = 1 if condition else 2.0
        items, pairs, met, counts = [], [], set(), {}
        for number in range(n):
            items.append(y)
            pairs.append((number, y))
            met.add(y)
            counts[number] = y
            counts.setdefault(-1, y)
        items.insert(0, y)
        items.extend([y])
        return items, pairs, len(met), sorted(met), counts, items.count(1), y in items

    for condition in (YES, NO):
        assert weft.function(f)(condition, np.int64(3)) == f(condition, 3)


class TestArraysThatAreWritten:
    """Arrays of two dtypes are written as those of the dtype that these promote to, or not at all."""

    @pytest.mark.parametrize(
        "write",
        [
            lambda a: np.add(a, 1, out=a),
            lambda a: a.fill(5),
            lambda a: a.sort(),
            lambda a: np.copyto(a, 3),
            lambda a: operator.iadd(a, 1),
            lambda a: operator.iadd(a[1:], 2),
            lambda a: operator.setitem(a, 0, 9),
            lambda a: operator.setitem(a, 0, 1 if a[0] > 0 else 2.5),
        ],
    )
    def test_of_the_caller(self, write):
        @weft.function
        def f(condition, x, y):
            write(x if condition else y)

        with pytest.raises(weft.UnsupportedError, match="depending on a condition"):
            f(YES, np.arange(3.0), np.arange(3, dtype=np.float32))

    def test_in_many_ways(self):
        def f(condition):
            a = np.arange(3.0)[::-1].copy() if condition else np.arange(3, dtype=np.float32)
            b = a
            a[0] += 1.5
            a += 1
            np.multiply(a, 2, out=a)
            a.sort()
            value = np.float32(1.5) if condition else 7
            a[0] = value
            a[1:2] = value
            return np.stack([a, b]), b

        for condition in (YES, NO):
            for found, expected in zip(weft.function(f)(condition), f(condition), strict=True):
                assert found.dtype == np.float64
                assert np.array_equal(found, expected)

    def test_view_of_before(self):
        @weft.function
        def f(condition):
            a = np.zeros(3) if condition else np.zeros(3, np.float32)
            b = a[1:]
            a[1] = 4
            return b

        with pytest.raises(weft.UnsupportedError, match="one that was written since"):
            f(YES)


class TestWithoutIterations:
    """What a loop leaves is what was there before where it has made no iteration."""

    def test_while(self):
        def counted_down(x):
            if x < 0:
                return -1
            total = 0
            halves = [0]
            while x > 1:
                x -= 1
                total += 0.5
                halves[0] = halves[0] + total
            return {"total": total, "halves": halves, "text": f"{total}"}

        same(counted_down, 3.0, 0.5, 0.25, -1.0, traces=None)

    def test_for(self):
        def summed(x):
            s, f, b = 0, 0.0, False
            for v in x[x > 0]:
                s, f, b = s + v, f + v, v > 2
            return s, f, b

        same(summed, *(np.array(x) for x in ([1.0, 2.0], [-1.0, -2.0], [-2.0, 4.0])))

    def test_early_returns(self):
        def left(n):
            total = 0
            while n > 0:
                n -= 1
                total += 1.0
                if total > 3:
                    return total, [total]
            return total, [total]

        def is_told(n):
            total = 0
            for _ in range(n):
                total += 1.0
                if total > 3:
                    return -1.0
            return total

        def f(n):
            return left(n), is_told(n), {"n": is_told(n)} if n < 2 else 0

        same(f, *map(np.array, (0, 2, 5)))

    def test_stored_and_asked(self):
        held = {"total": None}

        def f(n):
            total = 0
            for _ in range(n):
                total += 0.5
            if n < 3:
                held["total"] = total
            return held["total"], isinstance(total, int), type(total) is float, total if n < 2 else -1

        same(f, *map(np.array, (0, 2, 5)), traces=None)

    def test_what_is_computed_of_it_has_the_type_of_the_iterations(self):
        @weft.function
        def f(x):
            total = 0
            while x > 1:
                x -= 1
                total += 0.5
            return total + 1

        assert [repr(f(x)) for x in (2.0, 3.0, 0.5)] == ["1.5", "2.0", "1.0"]
