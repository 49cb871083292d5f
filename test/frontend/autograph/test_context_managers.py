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
def catching(array):
    try:
        yield array
    except ValueError:
        print("taken")


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
    with catching(x):
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
    refused(
        with_arrays, ARRAYS[0], error=weft.UnsupportedError, match=r"catching\(\), which is a context manager"
    )
