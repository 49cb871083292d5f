"""Weak references to arrays: as NumPy's allow them, in converted code and in code that runs as it is."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

X = np.arange(3.0)


def test_a_reference_is_called_in_branches_and_loops():
    def f(x):
        y = x + 1
        reference, again = weakref.ref(y), weakref.ref(y)
        z = reference() * 2 if x[1] > 0 else reference() * 3
        for i in range(12):
            z = z + reference() * i
        y[0] = 7
        return z, reference(), reference() is y, again is reference, weakref.getweakrefcount(y)

    same(f, X)
    same(f, -X)


def test_a_reference_to_what_a_loop_makes():
    def f(x):
        total, y = np.zeros(3), x + 1
        for _ in range(12):
            y = y * 1.5
            last = weakref.ref(y)
            total += last()
        return total, last()

    same(f, X)


def test_an_array_that_was_dropped():
    def f(x):
        y = x + 1
        reference = weakref.ref(y)
        del y
        return reference() is None

    same(f, X)


def test_a_dict_of_weak_values():
    def f(x):
        known = weakref.WeakValueDictionary()
        y = x + 1
        known["y"] = y
        if x[1] > 0:
            y[0] = 5
        return known["y"], len(known)

    same(f, X)


def test_an_array_is_no_key():
    def f(x):
        weakref.WeakKeyDictionary()[x] = 1

    with pytest.raises(TypeError, match="unhashable"):
        f(X)
    with pytest.raises(weft.UnsupportedError, match="is used as a key of a WeakKeyDictionary"):
        weft.function(f)(X)


def test_code_that_runs_as_it_is_attaches_values_to_arrays():
    attached = {}

    @weft.do_not_convert
    def library(x):
        y = x + 1
        attached[id(y)] = x > 0
        weakref.finalize(y, attached.pop, id(y))
        return np.sum(np.where(attached[id(y)], y, 0))

    compiled = weft.function(library)
    assert library(X) == compiled(X) == compiled(X) == 5
    assert not attached


@pytest.mark.parametrize(
    ("refer", "message"),
    [
        (weakref.finalize, "the function that weakref.finalize gets runs whenever Python drops an object"),
        (weakref.ref, "the function that a weak reference gets runs whenever Python drops an object"),
        (weakref.proxy, "the function that a weak reference gets runs whenever Python drops an object"),
    ],
)
def test_what_runs_when_an_array_is_dropped_is_refused(refer, message):
    @weft.function
    def f(x):
        y = x + 1
        refer(y, print)
        return y

    with pytest.raises(weft.UnsupportedError, match=message):
        f(X)
