"""Every program of the catalogue, compiled, does what it does eagerly: results, arguments written, errors."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from programs import linear, numeric
from programs.catalogue import PROGRAMS
from support.behaviour_harness import all_are_compiled, same
from support.interpreted import interpreted

CASES = [
    pytest.param(
        p,
        size,
        id=f"{p.name}-{size}",
        marks=[] if size in (p.sizes[0], p.sizes[-1]) else [pytest.mark.soak],
    )
    for p in PROGRAMS
    for size in p.sizes
]
"""Of the sizes of a program the largest is compiled; the others are interpreted as traced."""


@pytest.mark.parametrize(("program", "size"), CASES)
def test_does_what_it_does_eagerly(program, size):
    arguments = program.arguments(size)
    made = weft.function if size == program.sizes[-1] or all_are_compiled() else interpreted
    tolerance = program.tolerance
    same(program.function, arguments, rtol=tolerance, atol=tolerance, joined=True, compile=made)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
@pytest.mark.parametrize(
    "name", ["insertion_sort", "bubble_sort", "merge_sort", "run_lengths", "edit_distance"]
)
def test_programs_take_any_dtype(name, dtype):
    (program,) = (p for p in PROGRAMS if p.name == name)
    same(program.function, tuple(a.astype(dtype) for a in program.arguments(15)), joined=True)


def test_cholesky_refuses_a_matrix_that_is_not_positive_definite():
    same(linear.cholesky, np.eye(4), np.eye(4) - 2 * np.ones((4, 4)))


def test_newton_raises_what_it_raises_eagerly():
    parabola = np.array([1.0, 0.0, 1.0])
    same(
        numeric.newton,
        (parabola, np.float64(0), 1e-9, 20),
        (parabola, np.float64(0.3), 1e-9, 20),
        (np.array([1.0, 0.0, -4.0]), np.float64(0.3), 1e-9, 20),
        joined=True,
        rtol=1e-12,
    )
