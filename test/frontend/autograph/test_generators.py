"""Generators of the user's that compiled code walks: by `for`, in comprehensions and by builtins."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import weft
from support.behaviour_harness import refused, same

F64, I64 = np.float64, np.int64
COUNTS = [I64(n) for n in (0, 1, 6, 9)]


def evens(n):
    for i in range(n):
        if i % 2 == 0:
            yield i


def collatz(n):
    while n > 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1


class TestFor:
    def test_several_items_in_a_loop(self):
        def f(n):
            total = 0
            for i in collatz(n):
                total += i
                last = i * 2
                if last > 20:
                    total -= last
            return total

        same(f, *COUNTS, I64(27), joined=True)

    @pytest.mark.parametrize("limit", [3, 100])
    def test_break_continue_and_else(self, limit):
        def f(n):
            total = 0
            for i in evens(n):
                if i == 4:
                    continue
                if total > limit:
                    break
                total += i
            else:
                total += 1000
            return total

        same(f, *COUNTS, I64(30))

    def test_return_from_the_loop(self):
        def f(n):
            for i in collatz(n):
                if i % 5 == 0:
                    return i, True
            return n, False

        same(f, *COUNTS, joined=True)

    def test_yields_in_several_places(self):
        def walk(x, n):
            yield x
            if n > 2:
                yield x * 2
            else:
                yield x * 3
                yield x * 4
            for i in range(n):
                yield x + i

        def f(x, n):
            total = 0.0
            for k, v in enumerate(walk(x, n)):
                total = total * 2 + v * k
            return total

        same(f, *[(F64(2), n) for n in COUNTS])

    def test_yield_from_and_a_generator_in_a_generator(self):
        def inner(n):
            yield from range(n)
            return 3

        def outer(n):
            for i in inner(n):
                if i > 1:
                    yield i
            yield from inner(n - 1)
            yield

        def f(n):
            total = 0
            for i in outer(n):
                if i is not None:
                    total = total * 3 + i
            return total

        same(f, *COUNTS[1:], joined=True)

    def test_its_end_runs_when_the_loop_is_left(self):
        def log(out, n):
            try:
                for k in range(n):
                    yield k
                out[0] += 1
            finally:
                out[1] += 1

        def f(out, n):
            total = 0
            for k in log(out, n):
                if k == 4:
                    break
                total += k
            return total

        same(f, *[(np.zeros(2), n) for n in COUNTS])

    def test_closures_methods_defaults_and_state(self):
        class Tree:
            def __init__(self, size):
                self.size = size
                self.steps = 0

            def leaves(self, n, *, step=2):
                k = 0
                while k < n:
                    yield k + self.size
                    k += step

        def f(x, n):
            tree = Tree(x)

            def scaled(factor):
                for leaf in tree.leaves(n, step=1):
                    tree.steps += 1
                    yield leaf * factor

            total = x
            for value in scaled(2):
                total = total + value
            for value in tree.leaves(n):
                total = total + value
            return total, tree.steps

        same(f, *[(F64(2), n) for n in COUNTS], joined=True)

    def test_names_of_the_generator_are_not_those_of_the_loop(self):
        def numbers(n):
            for i in range(n):
                t = i * 2
                yield t + 1

        def f(n):
            i, t = 100, 7
            for k in numbers(n):
                i += k
                t = t + i
            return i, t

        same(f, *COUNTS)

    def test_two_nested(self):
        def f(n):
            total = 0
            for i in evens(n):
                for j in collatz(i):
                    if j > 8:
                        break
                    total += j * i
            return total

        same(f, *COUNTS)

    def test_arrays_and_python_values(self):
        def parts(x):
            yield "head", x[:2]
            yield "tail", x[2:]

        def f(x):
            total = 0.0
            for name, part in parts(x):
                if name == "tail" and part.sum() > 3:
                    total += part.sum()
            return total

        same(f, np.arange(5.0), np.zeros(5), joined=True)

    def test_a_nested_one_that_calls_what_is_imported(self):
        def f(n):
            def rows():
                with np.errstate(all="ignore"):
                    for i in range(n):
                        yield np.float64(i)

            return [i for i in rows()]

        same(f, *COUNTS)

    def test_a_nested_one_with_arithmetic(self):
        def f(n):
            def shifted(by):
                def twice(x):
                    return 2 * x - 1

                for i in range(n):
                    yield twice(i + by) + (lambda x: -x)(i)

            return list(shifted(2)), next(shifted(3), 7)

        assert weft.function(f)(3) == f(3)

    def test_a_generator_without_end_and_one_that_calls_itself(self):
        def count():
            k = 0
            while True:
                yield k
                k += 1

        def leaves(tree):
            if isinstance(tree, tuple):
                for child in tree:
                    yield from leaves(child)
            else:
                yield tree

        def f(x, n):
            total = x
            for k in count():
                if k >= n:
                    break
                total += k
            for leaf in leaves(((x, x * 2), (x * 3, (x * 4,)))):
                if total > 20:
                    break
                total += leaf
            return total

        same(f, *[(F64(x), n) for n in COUNTS for x in (1, 5)])

    def test_exceptions_of_the_loop(self):
        def numbers(out, n):
            try:
                for i in range(n):
                    yield i
            finally:
                out[0] += 1

        def f(out, n):
            total = 0
            for i in numbers(out, n):
                if i == 3:
                    raise ValueError(f"three after {total}")
                total += i
            return total

        same(f, *[(np.zeros(1), n) for n in COUNTS])


class TestOtherWaysToWalk:
    def test_comprehensions(self):
        def f(n):
            return [i * 2 for i in evens(n)], [i for i in collatz(n) if i % 3 == 1]

        same(f, *COUNTS, joined=True)

    def test_builtins(self):
        def f(n):
            return (
                sum(evens(n)),
                list(evens(n)),
                any(i > 5 for i in evens(n)),
                any(evens(n)),
                all(i < 5 for i in evens(n)),
                max(evens(n), default=-1),
                min(i * i - 5 * i for i in collatz(n + 2)),
                sorted(collatz(n)),
                list(map(lambda i: i + 1, evens(n))),
                sum(i for i in filter(lambda i: i > 3, evens(n))),
            )

        same(f, *COUNTS, joined=True)

    def test_builtins_of_constants(self):
        def constants(first):
            for i in range(3):
                yield (first - i) ** 2

        def f(n):
            return (
                n,
                max(constants(1)),
                min(constants(1)),
                max(i - 9 for i in constants(2)),
                sorted(constants(1)),
                max(filter(None, constants(1))),
                max(constants(1), key=lambda i: -i, default=7),
            )

        same(f, np.int64(1))

    def test_zip_with_arrays(self):
        def f(x, n):
            total = 0.0
            for i, v in zip(evens(n), x):
                total += i * v
            for v, i in zip(x, evens(n)):
                total -= i + v
            return total

        same(f, *[(np.arange(3.0), n) for n in COUNTS], joined=True)

    def test_next_lets_python_run_it(self):
        def pairs(x):
            yield x
            yield x * 2

        def f(x):
            items = pairs(x)
            first = next(items)
            return first, [v + 1 for v in items], list(items)

        same(f, F64(3))

    def test_a_generator_is_empty_when_it_was_walked(self):
        def f(n):
            items = evens(n)
            total = sum(items)
            for i in items:
                total += i * 1000
            return total

        same(f, *COUNTS)

    def test_a_context_manager_is_left_to_python(self):
        @contextlib.contextmanager
        def manager(x):
            yield x + 1

        def f(x):
            with manager(x) as y:
                if y > 2:
                    y = y * 2
            return y

        same(f, F64(0), F64(5))


class TestRefused:
    def test_next_on_a_staged_generator(self):
        def f(n):
            items = evens(n)
            return next(items)

        refused(f, I64(5), error=TypeError, match="evens is traced as it is: it is a generator that next")

    def test_sending(self):
        def echo(n):
            got = yield n
            while n > 0:
                got = yield got
                n -= 1

        def f(n):
            total = 0
            for i in echo(n):
                total += 1
            return total

        refused(f, I64(5), error=TypeError, match="a generator that uses the value of a yield")

    def test_yields_that_handlers_would_see(self):
        def guarded(n):
            try:
                while n > 0:
                    yield n
                    n -= 1
            except ValueError:
                yield -1

        def f(n):
            return sum(guarded(n))

        refused(f, I64(5), error=TypeError, match="yields in a try or finally block")

    def test_made_outside_and_walked_inside_of_a_branch(self):
        def f(n):
            items = evens(n)
            total = 0
            if n > 3:
                for i in items:
                    total += i
            return total

        refused(f, I64(5), match=r"the generator evens\(\) is made in front of a branch or loop")

    def test_returned(self):
        refused(lambda n: evens(n), I64(5), match="whose code would run after", place=False)


def test_the_body_is_recorded_once():
    def f(n):
        total = 0
        for i in evens(n):
            total += i
        return total

    text = weft.function(f).get_concrete_function(I64(5)).as_text("weft")
    assert text.count("scf.for") == 1


def three():
    yield 1
    yield 2
    yield 3


def taken_in_a_branch(x):
    items = three()
    if x > 0:
        next(items)
    return next(items)


def taken_behind_a_loop(x):
    items = three()
    for i in items:
        if i > x:
            break
    return list(items)


def test_items_that_are_left_at_run_time_are_not_taken() -> None:
    refused(taken_in_a_branch, I64(1), match="made in front of a branch or loop")
    refused(taken_behind_a_loop, I64(1), match="asked for behind a loop that was left")


def test_what_python_runs_of_a_generator_happens_until_the_loop_is_left() -> None:
    def counting(seen):
        try:
            for i in range(4):
                seen[i] += 1
                yield i
        except ValueError:
            pass

    def f(x, limit):
        for i in counting(x):
            if i >= limit:
                break
        for i in map(lambda k: print("asked for", k) or k, [5, 6, 7]):
            if i > limit:
                break
        return i, x

    same(f, (np.zeros(4), I64(1)), (np.zeros(4), I64(6)), joined=True)


def test_what_may_be_unbound_is_not_read_by_a_generator_that_python_runs():
    def f(x):
        def later():
            yield x + more

        items = later()
        if x[0] > 0:
            more = 1.0
        return next(items)

    with pytest.raises(weft.WeftTypeError, match="a generator that is not walked by a loop reads a variable"):
        weft.function(f)(np.ones(2))


def told(n):
    print("told", n)
    yield n


def tells(n):
    yield n
    sent = yield from told(n)
    print(sent)


def tells_at_its_end(n):
    try:
        yield n
    finally:
        print("ended", n)


@pytest.mark.parametrize("generator", [told, tells, tells_at_its_end])
def test_prints_of_generators_that_python_runs_are_refused(generator):
    """They came once, while the function was traced, and showed traced arrays."""

    def f(x):
        return x + next(generator(x))

    refused(f, F64(2), match="prints, and is run by Python while the function is traced")


def test_prints_of_generators_that_loops_walk():
    def f(x):
        for item in tells_at_its_end(x):
            return x + item
        return x

    same(f, F64(2))
