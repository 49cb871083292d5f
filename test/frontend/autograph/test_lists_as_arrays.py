"""Lists whose length the program decides on, where NumPy takes an array: also beside each other, in lists."""

from __future__ import annotations

import math

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

X = np.array([1.0, -1.0, 2.0, 3.0])


def positive(x):
    found = []
    for v in x:
        if v > 0:
            found.append(v)
    return found


def places(x):
    found = []
    for i in range(len(x)):
        if x[i] > 0:
            found.append(i)
    return found


def pairs(x):
    found = []
    for i in range(len(x)):
        if x[i] > 0:
            found.append((i, x[i]))
    return found


def nested(x):
    found = []
    for i in range(len(x)):
        if x[i] > 0:
            found.append(((i, 1), [x[i], 2.5]))
    return found


PROGRAMS = {
    "array of two": lambda x: np.array([positive(x), positive(x)]),
    "array of tuples": lambda x: np.array(((positive(x), positive(x)), (positive(x), positive(x)))),
    "ints and floats": lambda x: np.array([places(x), positive(x)]).T,
    "vstack": lambda x: np.vstack((places(x), positive(x))).T.tolist(),
    "vstack of arrays, too": lambda x: np.vstack((x[x > 0], positive(x))),
    "hstack": lambda x: np.hstack((places(x), [1.5], positive(x))),
    "column_stack": lambda x: np.column_stack((places(x), positive(x))),
    "stack": lambda x: np.stack([positive(x), positive(x)], axis=1),
    "concatenate": lambda x: np.concatenate((positive(x), [1.0], positive(x))),
    "c_": lambda x: np.c_[places(x), positive(x)],
    "r_": lambda x: np.r_[places(x), 0, positive(x)],
    "zip": lambda x: np.array(list(zip(places(x), positive(x), strict=True))),
    "pairs": lambda x: np.array(pairs(x)).sum(axis=0),
    "nested": lambda x: np.asarray(nested(x)),
    "in a product": lambda x: np.dot([positive(x), positive(x)], positive(x)),
    "values of a dict": lambda x: np.array(list({"a": places(x), "b": places(x)}.values())),
    "columns": lambda x: (lambda a: (a[:, 0], a[:, 1]))(np.array(pairs(x))),
    "float32": lambda x: np.array([positive(x), positive(x)], dtype=np.float32),
    "tensordot": lambda x: np.einsum("ij,j->i", [positive(x), positive(x)], positive(x)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_in_the_places_of_arrays(name: str) -> None:
    same(PROGRAMS[name], (X,), (X[::-1].copy(),))


def test_none_of_them() -> None:
    same(PROGRAMS["column_stack"], (-abs(X),))


def test_lengths_that_differ() -> None:
    compiled = weft.function(lambda x, y: np.array([positive(x), positive(y)]))
    np.testing.assert_array_equal(compiled(X, X[::-1].copy()), np.array([positive(X), positive(X[::-1])]))
    with pytest.raises(ValueError, match="inhomogeneous shape"):
        compiled(X, np.ones(4))


def test_arrays_of_unknown_sizes_in_lists() -> None:
    spec = weft.TensorSpec([None], np.float64)
    compiled = weft.function(lambda x, y: np.array([x, y]), input_signature=[spec, spec])
    np.testing.assert_array_equal(compiled(X, X + 1), np.array([X, X + 1]))
    with pytest.raises(ValueError, match="inhomogeneous shape"):
        compiled(X, X[1:])
    beside = weft.function(lambda x, y: np.array([x, y, [1, 2, 3]], np.float32), input_signature=[spec, spec])
    assert beside(X[1:], X[1:]).dtype == np.float32
    with pytest.raises(ValueError, match="inhomogeneous shape"):
        beside(X, X)


@pytest.mark.parametrize("other", [1.0, [1.0, 2.0], [[1.0, 2.0, 3.0, 4.0]]])
def test_shapes_that_differ(other: object) -> None:
    for function in (lambda x: np.array([x, other]), lambda x: np.array([x[x > 0], other])):
        with pytest.raises(ValueError, match="inhomogeneous shape") as eager:
            function(X)
        with pytest.raises(type(eager.value), match="inhomogeneous shape"):
            weft.function(function)(X)


def test_what_is_no_array_of_numbers() -> None:
    def named(x):
        found = []
        for v in x:
            if v > 0:
                found.append({"v": v})
        return np.array([found, found])

    with pytest.raises(NotImplementedError, match="making an array of items that are not arrays"):
        weft.function(named)(X)


def test_numbers_of_python_in_lists() -> None:
    def spread(x):
        xs, ys = [], []
        for v in x:
            if v > 0:
                xs.append(math.cos(v))
                ys.append(math.sin(v))
        return np.hypot(*np.array([xs, ys])), max(xs)

    for got, wanted in zip(weft.function(spread)(X), spread(X), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-15)
        assert type(got) is type(wanted)


def test_no_rows_are_no_array_of_rows() -> None:
    def chosen(x):
        rows = []
        for v in x:
            if v > 0:
                rows.append([v, 2 * v])
        return np.array(rows)

    def total(x):
        rows = []
        for v in x:
            if v > 0:
                rows.append([v, 2 * v])
        return np.sum(rows)

    compiled = weft.function(chosen)
    np.testing.assert_array_equal(compiled(X), chosen(X))
    with pytest.raises(
        NotImplementedError, match=r"an array of an empty list: .* has 2 axes, .* shape \(0,\)"
    ):
        compiled(-np.abs(X))
    assert weft.function(total)(-np.abs(X)) == total(-np.abs(X)) == 0
