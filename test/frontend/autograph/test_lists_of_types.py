"""Lists of values whose types paths decide: what is done with all of them grows with the list, not with its paths."""

from __future__ import annotations

import math

import numpy as np
import pytest

import weft
from support.behaviour_harness import same

LARGE = 2**53 + 1
"""No float64."""


def _chosen(x, y, flags):
    return [a if flag else b for a, b, flag in zip(x, y, flags, strict=True)]


def as_array(x, y, flags):
    return np.array(_chosen(x, y, flags))


def as_integers(x, y, flags):
    return np.array(_chosen(x, y, flags), dtype=int)


def as_singles(x, y, flags):
    return np.asarray(tuple(_chosen(x, y, flags)), dtype=np.float32)


def total(x, y, flags):
    return sum(_chosen(x, y, flags))


def total_from(x, y, flags):
    return sum(_chosen(x, y, flags), 0.5)


def largest(x, y, flags):
    return max(_chosen(x, y, flags)), min(_chosen(x, y, flags))


def averaged(x, y, flags):
    return np.mean(_chosen(x, y, flags)), np.argmax(_chosen(x, y, flags))


def written(x, y, flags):
    out = np.zeros(flags.size)
    out[:] = _chosen(x, y, flags)
    return out


def beside(x, y, flags):
    return np.stack([_chosen(x, y, flags), _chosen(y, x, flags)])


def of_math(x, y, flags):
    some = _chosen(x[1:5], y[1:5], flags[1:5])
    return math.prod(some), math.fsum(some)


PROGRAMS = [of_math, as_array, as_integers, as_singles, total, total_from, largest, averaged, written, beside]


@pytest.mark.sampled
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("other", [float, np.float32, np.uint8])
def test_each_combination_of_types_is_that_of_numpy(program, other):
    x = np.array([LARGE, 2, -3, 4, 0, LARGE])
    y = np.array([1, 2.5, 3, 250, 5, 0]).astype(other)
    choices = [True] * 6, [False] * 6, [True, False] * 3, [False, False, True, True, True, True]
    same(program, *((x, y, np.array(flags)) for flags in choices), rtol=5e-16)


def test_indices_of_many_axes_stay_indices():
    def at_each_axis(x, y, flags):
        place = tuple(1 if flag else index for index, flag in zip(y, flags, strict=True))
        x = x.copy()
        x[place] = -1
        return x, x[place], x[tuple(list(place))]

    x = np.arange(3.0**4).reshape(3, 3, 3, 3)
    calls = [
        (x, np.array([0, 2, 1, 2]), np.array(flags)) for flags in ([True] * 4, [True, False, False, True])
    ]
    same(at_each_axis, *calls)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_recordings_grow_with_lists(program):
    def length(n: int) -> int:
        concrete = weft.function(program).get_concrete_function(
            weft.TensorSpec((n,), np.int64),
            weft.TensorSpec((n,), np.float64),
            weft.TensorSpec((n,), np.bool_),
        )
        return len(concrete.as_text().splitlines())

    assert length(12) < 4 * length(6)
