"""`with` of context managers that users write: what these do happens at each call, in its place."""

from __future__ import annotations

import contextlib

import numpy as np

import weft
from support.behaviour_harness import refused, same


class Clamped:
    """Prints what it does, writes to its array, and takes exceptions of one class."""

    def __init__(self, array, taken=ValueError):
        self.array, self.taken = array, taken

    def __enter__(self):
        print("enter", self.array)
        if self.array[0] > 1:
            self.array[0] = 7
        return self.array

    def __exit__(self, kind, error, traceback):
        print("exit", kind is None, self.array)
        self.array[1] += 1
        return kind is self.taken


@contextlib.contextmanager
def shifted(array, by):
    print("before", array)
    array += by
    try:
        yield array[1:]
    finally:
        array -= by
        print("after", array)


@contextlib.contextmanager
def asking(array):
    given = yield array
    print("given", given)


def with_objects(x):
    with Clamped(x) as v, Clamped(v * 2) as w:
        if v[2] > 4:
            raise ValueError(1)
        v[2] += w[0]
        print("in", v)
    for i in range(3):
        with Clamped(x):
            if x[i] > 3:
                break
            if x[i] < 0:
                return x + i
    return x


def with_run_time_errors(x):
    with Clamped(x, IndexError):
        x[2] = x[int(x[1])]
    return x


def with_generators(x):
    with shifted(x, 2) as v:
        if v[0] > 3:
            return v + 1
        v *= 2
    return x


def with_arrays(x):
    with asking(x):
        return x


ARRAYS = [
    np.array(values) for values in ([0.0, 1.0, 3.0], [2.0, 0.0, 1.0], [0.0, -3.0, 5.0], [-1.0, 5.0, 2.0])
]


def test_objects_are_entered_and_left():
    same(with_objects, *ARRAYS)
    same(with_run_time_errors, *ARRAYS)


def test_generator_functions_run_around_the_block():
    same(with_generators, *ARRAYS)


def test_generator_functions_that_are_not_converted():
    refused(with_arrays, ARRAYS[0], error=weft.UnsupportedError, match=r"the generator asking\(\) prints")


@contextlib.contextmanager
def guarded(x):
    print("in")
    try:
        yield x * 2
    except ValueError as error:
        print("caught", error)
    except KeyError:
        raise RuntimeError("no key") from None
    else:
        print("else")
    finally:
        x[0] = -1
        print("out")


def test_functions_of_managers_handle_what_their_block_raises() -> None:
    def f(x):
        with guarded(x) as y:
            if x[0] > 0:
                raise ValueError("first")
            if x[1] > 5:
                raise KeyError("second")
            if x[2] > 7:
                return y
            print("body", y)
        return x + 1

    same(f, np.array([0.0, 1.0, 2.0]), np.array([3.0, 1.0, 2.0]), np.array([0.0, 1.0, 9.0]), traces=None)
    same(f, np.array([0.0, 9.0, 2.0]))


class Taking:
    def __init__(self, log, takes):
        self.log, self.takes = log, takes

    def __enter__(self):
        self.log.append("in")
        return 2.0

    def __exit__(self, kind, error, traceback):
        self.log.append("out" if kind is None else "error")
        return self.takes

    def close(self):
        self.log.append("closed")


def stacked(x, log):
    y = x
    with contextlib.ExitStack() as stack:
        factor = stack.enter_context(Taking(log, True))
        if x[0] > 0:
            raise ValueError("positive")
        y = x * factor
    return y


def closed(x, log):
    try:
        with contextlib.closing(Taking(log, False)), contextlib.ExitStack() as stack:
            stack.callback(log.append, "first")
            if x[0] > 0:
                raise ValueError("positive")
    except ValueError:
        log.append("caught")
    return x


def popped(x, log):
    stack = contextlib.ExitStack()
    stack.enter_context(Taking(log, False))
    with stack.pop_all():
        if x[0] > 0:
            log.append("positive")
    stack.close()
    return x


def test_stacks_are_left_as_the_program_says():
    for function in (stacked, closed, popped):
        compiled = weft.function(function)
        for row in ([1.0, 2.0], [-1.0, 2.0]):
            expected, found = [], []
            result = function(np.array(row), expected)
            np.testing.assert_array_equal(compiled(np.array(row), found), result)
            assert found == expected


@contextlib.contextmanager
def taking(log):
    try:
        yield 2.0
    except ValueError:
        log.append("taken")


def generated(x, log):
    y = x
    with contextlib.ExitStack() as stack:
        factor = stack.enter_context(taking(log))
        if x[0] > 0:
            raise ValueError("positive")
        y = x * factor
    return y


def test_stacks_do_not_enter_generators():
    """They would be left on one path only, as both go on with the one generator."""
    refused(generated, np.ones(2), [], match="is entered by an ExitStack")


def test_stacks_stay_inside():
    refused(
        lambda x: (x, contextlib.ExitStack()),
        np.ones(2),
        match="an ExitStack that the function makes",
        place=False,
    )
