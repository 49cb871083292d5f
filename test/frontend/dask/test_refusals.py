"""What cannot be done in pieces is refused where the function is called, at the user's line."""

from __future__ import annotations

import numpy as np
import pytest

import weft

da = pytest.importorskip("dask.array")

X = da.ones((10, 3), chunks=(4, 3))
FOUND: list[int] = []


def printing(x):
    weft.print("sum", x.sum())
    return x * 2


def calling(x):
    return weft.py_call(np.sin, x)


def writing(x):
    x[0] = 1
    return x + 1


def appending(x):
    FOUND.append(1)
    return x * 2


class Counter:
    def __init__(self):
        self.w = weft.Variable(np.zeros(3))

    def add(self, x):
        self.w.assign_add(x.sum(axis=0))
        return x * 2


def selecting(x):
    return x[x > 0]


def sorting(x):
    return np.sort(x[x > 0])[0]


@pytest.mark.parametrize(
    ("function", "message", "line"),
    [
        (
            printing,
            "this calls Python, or prints, in a function that was given arrays in blocks",
            "weft.print(",
        ),
        (writing, "this writes to an array from outside", "x[0] = 1"),
        (appending, "this function changes", ""),
        (Counter().add, "this writes to an array from outside", "self.w.assign_add"),
        (selecting, "the size of this is known only when it runs", "x[x > 0]"),
        (sorting, "the size of this is known only when it runs", "x[x > 0]"),
    ],
)
def test_effects_and_unknown_sizes(function, message, line):
    with pytest.raises(weft.PartitionError, match=r".") as raised:
        weft.function(function)(X)
    assert message in str(raised.value)
    assert line in str(raised.value)
    assert isinstance(raised.value, NotImplementedError)
    assert FOUND == []


def test_what_would_be_raised_and_nobody_would_find_out():
    def checked(x):
        if x.sum() > 3:
            raise ValueError("too large")
        return 3.0

    with pytest.raises(weft.PartitionError, match=r"returns nothing that is computed of them") as raised:
        weft.function(checked)(X)
    assert "raise ValueError" in str(raised.value)


def test_blocks_that_are_no_plain_arrays():
    with pytest.raises(weft.WeftTypeError, match=r"blocks are of numpy.ma.*MaskedArray.*da.ma.filled"):
        weft.function(lambda x: x + 1)(da.ma.masked_greater(X, 3))
    with pytest.raises(weft.WeftTypeError, match=r"dtype <U1 is not supported"):
        weft.function(lambda x: x)(da.from_array(np.array(["a", "b"]), chunks=1))


def test_chunks_that_do_not_match():
    other = da.ones((10, 3), chunks=(5, 3))
    with pytest.raises(
        weft.PartitionError, match=r"x has the chunks \(4, 4, 2\) along its axis 0, y has the chunks"
    ) as e:
        weft.function(lambda x, y: x + y)(X, other)
    assert "rechunk one of them" in str(e.value)
    assert "x + y" in str(e.value)


def test_chunks_that_nobody_knows():
    with pytest.raises(
        weft.WeftValueError, match=r"got a dask array of shape \(nan, 3\).*compute_chunk_sizes"
    ):
        weft.function(lambda x: x + 1)(X[X[:, 0] > 0])


def test_blocks_that_are_not_what_they_were_said_to_be():
    wrong = X.map_blocks(lambda b: b.astype("float32"), dtype="float64", meta=np.empty((0, 0)))
    lazy = weft.function(lambda x: x + 1)(wrong)
    with pytest.raises(
        ValueError, match=r"a block of a dask array is float32\[., 3\], and the array says float64"
    ):
        lazy.compute(scheduler="sync")


def test_errors_of_the_function_itself():
    with pytest.raises(ValueError, match=r"could not be broadcast"):
        weft.function(lambda x, y: x + y)(X, np.ones(4))


def test_arrays_that_a_condition_chooses_have_one_shape():
    def chosen(x, n):
        if n > 0:
            return x
        return x[1:]

    with pytest.raises(weft.UnsupportedError, match="different shapes"):
        weft.function(chosen)(X, np.array(1))
