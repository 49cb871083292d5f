"""A list that starts to grow in a loop is the same list under every name, also where the loop does not mention it."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same

F64, I64 = np.float64, np.int64
COUNTS = [I64(n) for n in (0, 1, 3)]


def fill(items, x, n):
    """Append to the caller's list."""
    for i in range(n):
        items.append(x * i)


def added(a, b, x):
    return b + [x], [x] + b


def repeated(a, b, x):
    c = b * 2
    c.append(x)
    return c


def compared(a, b, x):
    return len(b) > 0 and b[-1] < x


def decided(a, b, x):
    if b:
        return x
    return -x


def chosen(a, b, x):
    return x if b else -x


def negated(a, b, x):
    return not b, bool(b)


def defaulted(a, b, x):
    return b or [x]


def both(a, b, x):
    return b and [x]


def emptied(a, b, x):
    while b:
        x = x + b.pop()
    return x, a


def updated(a, b, x):
    b += [x]
    b.extend([x])
    return a, a is b


def contained(a, b, x):
    return x in b, x not in b


def asserted(a, b, x):
    assert not b or len(b) > 0
    return x


USES = [
    added,
    repeated,
    compared,
    decided,
    chosen,
    negated,
    defaulted,
    both,
    emptied,
    updated,
    contained,
    asserted,
]


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
class TestOtherName:
    def test_in_one_function(self, use):
        def f(x, n):
            a = []
            b = a
            for i in range(n):
                a.append(x * i)
            return use(a, b, x)

        for count in COUNTS:
            same(f, (F64(2), count), joined=True)

    @pytest.mark.sampled(3)
    def test_in_the_caller(self, use):
        def f(x, n):
            a = [x]
            fill(a, x, n)
            return use(a, a, x)

        for count in COUNTS:
            same(f, (F64(2), count), joined=True)


def test_in_a_container():
    def f(x, n):
        a = []
        kept = (a, 1)
        fill(a, x, n)
        if kept[0]:
            return kept[0] + [x]
        return [-x]

    for count in COUNTS:
        same(f, (F64(2), count), joined=True)


def test_from_a_function_and_an_attribute():
    class Holder:
        def __init__(self, items):
            self.items = items

    def itself(items):
        return items

    def f(x, n):
        a = []
        holder = Holder(a)
        fill(a, x, n)
        return itself(a) + [x], holder.items * 2

    for count in COUNTS:
        same(f, (F64(2), count), joined=True)


def test_in_a_message(capsys):
    def f(x, n):
        a = []
        b = a
        fill(a, x, n)
        print(f"{len(b)} of them")
        return b

    for count in COUNTS:
        same(f, (F64(2), count), joined=True)


def left_with_a_list_that_finally_changes(n):
    log = []
    for i in range(n):
        try:
            if i == 2:
                return log, n
        finally:
            log.append(99)
    return log, n


def left_with_a_list_that_changes_later(n):
    log, kept = [], None
    while n > 0:
        n -= 1
        is_last = n == 2
        if is_last:
            kept = log
        log.append(n)
        if is_last:
            break
    return kept, log


@pytest.mark.parametrize(
    "function", [left_with_a_list_that_finally_changes, left_with_a_list_that_changes_later]
)
def test_lists_that_loops_are_left_with_are_themselves(function):
    compiled = weft.function(function)
    for n in map(np.int64, (0, 2, 5)):
        assert compiled(n) == function(n)


def test_one_of_two_lists_that_grew_is_not_changed():
    def f(n, changes):
        ups, downs = [], []
        for i in range(n):
            ups.append(i)
            downs.append(-i)
        kept = ups if n > 2 else downs
        if changes == "it":
            kept.append(7)
        elif changes == "the other":
            ups.append(7)
        return kept, len(ups)

    compiled = weft.function(f)
    for n in map(np.int64, (1, 4)):
        assert compiled(n, "none") == f(n, "none")
    for changes in ("it", "the other"):
        with pytest.raises(weft.UnsupportedError, match="a list that has other names too or another one"):
            compiled(np.int64(4), changes)


def made_and_named_twice(n, a):
    x, y = [0], [1]
    for i in range(n):
        if i == 1:
            x = [a]
            y = x
        else:
            x[0] += 1
    return y[0]


def changed_in_the_next_iteration(n, a):
    x, y, i = [0], [1], 0
    while i < n:
        x[0] += 1
        if i == 1:
            x = [a]
            y = x
        i += 1
    return y[0], x[0]


def none_at_first(n, a):
    x = y = None
    for i in range(n):
        if x is not None:
            x[0] += 1
        if i == 1:
            x = [a]
            y = x
    return None if y is None else y[0]


def in_a_dict(n, a):
    x, table = [0], {"y": None}
    for i in range(n):
        x[0] += 1
        if i == 1:
            x = [a]
            table["y"] = x
    return None if table["y"] is None else table["y"][0]


@pytest.mark.parametrize(
    "function",
    [made_and_named_twice, changed_in_the_next_iteration, none_at_first, in_a_dict],
    ids=lambda f: f.__name__,
)
def test_a_list_of_one_path_with_two_names_is_not_changed_in_later_iterations(function):
    refused(function, np.int64(3), np.int64(7), match="other names too")


def test_lists_that_change_places_on_a_path_are_no_two_names_of_one():
    def swapped(n, a):
        x, y = [a], [1]
        for i in range(n):
            if i % 2 == 1:
                x, y = y, x
            x = [x[0] + 1]
            y = [y[0] * 2]
        return x[0], y[0]

    same(swapped, *[(np.int64(n), np.int64(7)) for n in range(5)])


def a_list_that_was_put(n, a):
    x, out = None, []
    for i in range(n):
        if x is not None:
            x[0] += 1
        if i == 1:
            x = [a]
            out.append(x)
    return out


def put_again_and_again(n, a):
    x, out = [a], []
    for _ in range(n):
        x[0] += 1
        out.append(x)
    return out


def rows_of_two(n, a):
    rows, row, k = [], np.zeros(2), 0
    for i in range(n):
        row[k] = i * a
        k += 1
        if k == 2:
            rows.append(row)
            row = np.zeros(2)
            k = 0
    return rows, row


def rows_of_some(n, a):
    rows, row = [], []
    for i in range(n):
        row.append(i * a)
        if i % 3 == 1:
            rows.append(row)
            row = []
    return rows, row


@pytest.mark.parametrize(
    "function",
    [a_list_that_was_put, put_again_and_again, rows_of_two, rows_of_some],
    ids=lambda f: f.__name__,
)
def test_what_was_put_is_changed_in_later_iterations(function):
    same(function, *[(I64(n), I64(7)) for n in (0, 1, 2, 3, 5)], traces=None, joined=True)


def test_an_array_that_was_put_is_not_changed_in_later_iterations():
    def written(n, a):
        x, out = np.array([0]), []
        for i in range(n):
            x[0] += 1
            if i == 1:
                x = np.array([a])
                out.append(x)
        return out

    refused(written, I64(3), I64(7), match="change a copy")


def test_one_of_several_that_takes_the_place_of_one_of_several_is_not_changed():
    def changed(one, other, n, unlike):
        found = one if n > 0 else other
        if n > 1:
            found = False if unlike else [7]
        if found:
            found.append(0)
        return found

    for other in ([1], [1, 2]):
        for unlike in (True, False):
            refused(changed, [1], other, I64(1), unlike, match="has other names too")
