"""`first, *rest = items` and `[*items, last]`, where only the program knows how many items there are."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import same
from weft.frontend.autograph.operators.builtins.unpacking import list_display, spread, unpack

ARRAYS = [np.array(items) for items in ([1.0, -2.0, 3.0], [4.0, -5.0], [1.0, 2.0, 3.0, 4.0])]
NONE = np.array([-1.0])


def positive(x):
    """A list that grows."""
    items = []
    for v in x:
        if v > 0:
            items.append(2 * v)
    return items


def test_items_of_arrays_of_unknown_length_are_what_they_are_in_numpy():
    @weft.function(input_signature=[weft.TensorSpec((None,), "uint32"), weft.TensorSpec((None, None))])
    def f(x, rows):
        (*items,) = np.cumsum(x)
        *others, _ = rows
        return items[1], items, max(items), others

    x, rows = np.array([1, 2, 3], np.uint32), np.arange(6.0).reshape(3, 2)
    got, expected = f(x, rows), f.python_function(x, rows)
    assert repr(got) == repr(expected)
    assert all(np.shares_memory(row, rows) for row in got[-1])


class TestTargets:
    def test_as_many_targets_as_items(self):
        def f(x):
            a, b = positive(x)
            return a - b

        same(f, ARRAYS[0])

    def test_a_star_takes_what_is_between(self):
        def f(x):
            first, *middle, last = positive(x)
            (*most, end) = items = positive(x)
            return first, middle, last, most, end, items

        same(f, ARRAYS[0], ARRAYS[2], traces=2, joined=True)

    def test_places_that_are_targets(self):
        def f(x):
            pair = [0.0, 0.0, 0.0]
            pair[0], pair[2] = positive(x)
            return pair

        same(f, ARRAYS[0])

    def test_a_generator(self):
        def f(x):
            first, *rest = (v + 1 for v in x if v > 0)
            return first, rest

        same(f, *ARRAYS, traces=3, joined=True)

    @pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
    def test_another_number_of_items(self, count):
        def exactly(x):
            a, b = positive(x)
            return a + b

        def at_least(x):
            a, *_, b = positive(x)
            return a + b

        numbers = np.arange(1.0, count + 1)
        for f in (exactly, at_least):
            try:
                expected = f(numbers)
            except ValueError as error:
                with pytest.raises(ValueError, match=r"values to unpack") as raised:
                    weft.function(f)(numbers)
                assert str(raised.value).startswith(str(error))
            else:
                assert weft.function(f)(numbers) == expected

    @pytest.mark.parametrize("length", [1, 2, 3])
    def test_an_array_of_any_length(self, length):
        @weft.function(input_signature=[weft.TensorSpec((None,), np.float64)])
        def f(x):
            a, *rest = x
            b, c = x
            return a, rest, b, c

        x = np.arange(float(length))
        if length == 2:
            assert f(x) == (0.0, [1.0], 0.0, 1.0)
        else:
            with pytest.raises(ValueError, match=f"(not enough|too many) values to unpack \\(expected {2}"):
                f(x)

    def test_what_python_knows_is_unpacked_by_python(self):
        def f(x, items):
            a, *b = items
            c, d = "xy"
            (e, *g), h = (1, 2, 3), x
            return a, b, c + d, e, g, h

        assert weft.function(f)(1.0, (7, 8, 9)) == (7, [8, 9], "xy", 1, [2, 3], 1.0)

    @pytest.mark.parametrize("value", [5, None, 2.5])
    def test_what_has_no_items(self, value):
        with pytest.raises(TypeError, match=r"cannot unpack non-iterable"):
            weft.function(lambda x: _starred(value))(1.0)
        with pytest.raises(TypeError, match=r"cannot unpack non-iterable"):
            unpack(value, 1, 0)

    def test_too_few_items_while_tracing(self):
        with pytest.raises(ValueError, match=r"^not enough values to unpack \(expected at least 3, got 2\)$"):
            unpack((1, 2), 2, 1)


def _starred(value):
    first, *rest = value
    return first, rest


class TestDisplays:
    def test_a_copy(self):
        def f(x):
            items = positive(x)
            other = [*items]
            other.append(x[0])
            return items, other

        same(f, *ARRAYS, NONE, traces=4, joined=True)

    def test_among_other_items(self):
        def f(x):
            items = positive(x)
            return [x[0], *items, x[1], *items]

        same(f, *ARRAYS, traces=3, joined=True)

    def test_generators_are_walked_in_order(self):
        def f(x):
            seen = []

            def noted(name):
                seen.append(name)
                return x[0]

            def walk():
                yield noted("a")
                yield noted("b")

            return [*walk(), noted("c")], seen

        same(f, ARRAYS[0])

    def test_what_python_knows(self):
        def f(x):
            return [*(1, 2), x, *{"k": x}, *"ab"]

        same(f, np.float64(2.0))
        assert list_display(1, spread(range(3))) == [1, 0, 1, 2]
        with pytest.raises(TypeError, match=r"(Value after \* must be an iterable, not int|not iterable)"):
            spread(3)


@pytest.mark.parametrize("use", [lambda b: (*b,), lambda b: max(*b)])
def test_arrays_of_unknown_length_are_taken_apart_in_tuples_and_calls(use):
    same(lambda x: use(positive(x)), ARRAYS[0])


UNKNOWN_ROWS = {"input_signature": [weft.TensorSpec((None, 3), "int64")]}


def test_rows_of_an_array_of_unknown_length_are_views():
    @weft.function(**UNKNOWN_ROWS)
    def f(y):
        first, second, last = y
        second[...] = 8
        return first, last

    y = np.arange(9).reshape(3, 3)
    first, last = f(y)
    assert y.tolist() == [[0, 1, 2], [8, 8, 8], [6, 7, 8]]
    assert np.shares_memory(first, y[0])
    assert np.shares_memory(last, y[2])
    with pytest.raises(ValueError, match="expected 3"):
        f(np.zeros((2, 3), np.int64))


def test_a_write_that_the_copied_rows_would_not_see_is_refused():
    @weft.function(**UNKNOWN_ROWS)
    def f(y):
        first, *rest = y
        first[...] = 2
        return rest

    with pytest.raises(weft.UnsupportedError, match="which the list would not see"):
        f(np.zeros((3, 3), np.int64))


def test_a_write_to_an_item_of_a_growing_list_is_refused():
    @weft.function
    def f(x, n):
        rows = []
        while n > 0:
            rows.append(x * n)
            n -= 1
        rows[0][...] = 7
        return rows

    with pytest.raises(weft.UnsupportedError, match="put it back: row = rows"):
        f(np.arange(3.0), np.int64(2))


def test_items_of_a_growing_list_that_are_put_back_or_taken_out_are_written():
    @weft.function
    def f(x, n):
        rows = []
        while n > 0:
            rows.append(x * n)
            n -= 1
        rows[0] += 5
        row = rows.pop()
        row += 3
        return rows, row

    rows, row = f(np.arange(3.0), np.int64(2))
    assert [r.tolist() for r in rows] == [[5, 7, 9]]
    assert row.tolist() == [3, 4, 5]


def grown_rows(n):
    rows = []
    for i in range(n):
        rows.append([i, 2 * i])
    return (
        [a * b for a, b in rows],
        {a: b for a, b in rows},
        sum(a + b for a, b in rows if b > 2),
        [i * a + b for i, (a, b) in enumerate(rows)],
        [(a, sum(others)) for a, *others in rows],
    )


def nested_rows(n):
    rows, total = [], 0
    for i in range(n):
        rows.append([[i, i + 1], [2 * i]])
    for [a, b], [c] in rows:
        total += a * b + c
    (p, q), *others = rows[0][0], 1, 2
    (p, (q, r)), s = (p, [q, total]), rows[-1]
    return total, p, q, r, s, others, [a * c for (a, b), (c,) in rows]


def by_names_in_a_list(n):
    class Point:
        pass

    point, names = Point(), ["x", "y"]
    point.x = point.y = 0
    for i in range(n):
        setattr(point, names[i % 2], getattr(point, names[i % 2]) + i)
    found = point.x, point.y
    delattr(point, names[n % 2])
    return found, hasattr(point, "x"), hasattr(point, "y")


def too_many_items(n):
    rows = []
    for i in range(n):
        rows.append([i] * 3)
    return [a for a, b in rows]


@pytest.mark.parametrize("function", [grown_rows, nested_rows, too_many_items, by_names_in_a_list])
def test_patterns_take_rows_apart_that_grew(function):
    same(function, *map(np.int64, (3, 1, 4)), traces=None)


def test_names_of_attributes_that_are_made_at_run_time_are_refused():
    class Point:
        pass

    def f(n):
        setattr(Point(), f"x{n}", 1)
        return n

    def g(n):
        delattr(Point(), f"x{n}")
        return n

    for function in (f, g):
        with pytest.raises(weft.UnsupportedError, match="the name of an attribute is a text that is made"):
            weft.function(function)(np.int64(1))
