"""Calls that write to arrays which were there before: at each call where the program gets there, or not at all."""

from __future__ import annotations

import functools
import itertools
import operator

import numpy as np
import pytest

import weft
from weft.dialect.errors import UnsupportedError

G = np.array([3.0, 1.0, 2.0])
TEXTS = np.array(["b", "a"], object)


def function_of_many_writes():  # noqa: C901
    """A function with one write in each branch; G is a global of it."""

    def f(n):  # noqa: C901
        if n == 1:
            np.negative(G, out=G)
        elif n == 2:
            np.add(1.0, 2.0, G)
        elif n == 3:
            np.copyto(dst=G, src=0)
        elif n == 4:
            np.add.at(G, [0, 0], 1.0)
        elif n == 5:
            np.ndarray.fill(G, 7)
        elif n == 6:
            np.ndarray.__setitem__(G, 0, 7)
        elif n == 7:
            G.flat[0] = 9.0
        elif n == 8:
            G.flat = 3
        elif n == 9:
            setattr(G, "real", 4)
        elif n == 10:
            np.ufunc.at(np.add, G, [1], 1)
        elif n == 11:
            G.real = 5
        elif n == 12:
            np.matmul(np.eye(3), np.ones(3), G)
        elif n == 13:
            operator.setitem(G, 1, 6)
        elif n == 14:
            np.clip(G, 1.5, 2.5, G)
        elif n == 15:
            np.putmask(G, G > 1, 9.0)
        elif n == 16:
            np.flip(G)[0] += 1
        elif n == 17:
            G.T[...] *= 2
        elif n == 18:
            G.flat[1:] += 2
        elif n == 19:
            list(itertools.starmap(np.copyto, [(G, 3)]))
        elif n == 20:
            list(itertools.starmap(G.put, [(1, 9)]))
        elif n == 21:
            list(map(G.fill, [4, 5]))
        elif n == 22:
            functools.reduce(functools.partial(np.add, out=G), [1.0, 2.0])
        return n

    return f


def test_every_kind_of_write_happens_where_the_program_gets_there():
    f = function_of_many_writes()
    compiled = weft.function(f)
    start = G.copy()
    for n in [0, *range(23)]:
        G[...] = start
        f(np.int64(n))
        expected = G.copy()
        G[...] = start
        assert compiled(np.int64(n)) == n
        assert G.tolist() == expected.tolist(), n
    G[...] = start


def reshaped(x):
    if x > 1:
        G.shape = (3, 1)


def retyped(x):
    if x > 1:
        setattr(G, "dtype", np.int64)


def resized(x):
    if x > 1:
        G.resize(2)


def locked(x):
    if x > 1:
        G.setflags(write=False)


def filled_texts(x):
    if x > 1:
        TEXTS.fill("c")


def copied_texts(x):
    if x > 1:
        np.copyto(TEXTS, "c")


def sorted_texts(x):
    if x > 1:
        TEXTS[:].sort()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (reshaped, "which compiled code does for arrays that the function has just made"),
        (retyped, "the dtype of an array is changed in place"),
        (resized, r"resize\(\) of an array changes in place"),
        (locked, r"setflags\(\) of an array changes in place"),
        (filled_texts, "writes to a NumPy array of dtype object, which compiled code cannot hold"),
        (copied_texts, "writes to a NumPy array of dtype object"),
        (sorted_texts, "writes to a NumPy array of dtype object"),
    ],
)
def test_what_cannot_be_recorded_is_refused_and_writes_nothing(function, message):
    with pytest.raises(UnsupportedError, match=message):
        weft.function(function)(np.int64(0))
    assert G.tolist() == [3.0, 1.0, 2.0]
    assert TEXTS.tolist() == ["b", "a"]


def test_own_arrays_are_made_read_only():
    def f(x):
        a, b = x * 2, x * 3
        a.setflags(write=False)
        b.flags.writeable = False
        b.flags["WRITEABLE"] = True
        b[0] = 7
        told = a.flags.writeable, a[1:].flags["W"], a.base is None, a.flags.owndata, b.flags.writeable
        return told, a, b

    x, function = np.arange(3.0), weft.function(f)
    assert repr(function(x)) == repr(f(x))
    for write in (lambda a: a.fill(1), lambda a: a[1:].fill(1), lambda a: operator.iadd(a, 1)):

        def written(x, write=write):
            a = x * 2
            a.setflags(write=False)
            write(a)
            return a

        with pytest.raises(ValueError, match="read-only"):
            weft.function(written)(x)


def test_flags_of_other_arrays_are_not_changed():
    def unlocked(x):
        np.broadcast_to(x * 2, (2, 3)).setflags(write=True)

    def aligned(x):
        (x * 2).setflags(align=False)

    with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True of this array"):
        weft.function(unlocked)(np.arange(3.0))
    with pytest.raises(weft.UnsupportedError, match="whether an array may be written, and nothing else"):
        weft.function(aligned)(np.arange(3.0))
    with pytest.raises(weft.UnsupportedError, match="writeable flag of an array is changed in place"):
        weft.function(lambda x: x.setflags(write=False))(np.arange(3.0))


def test_attributes_that_compiled_code_does_not_have_are_refused_as_missing():
    function = weft.function(lambda x: x.ctypes)
    with pytest.raises(weft.UnsupportedError, match="ctypes of an array is not available in compiled code"):
        function(np.arange(3.0))
    with pytest.raises(AttributeError):
        function(np.arange(3.0))
