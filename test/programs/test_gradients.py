"""Gradients of the programs of the catalogue beside differences of their eager values, in a random direction."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import weft
from programs.catalogue import PROGRAMS, Program

STEP = 1e-4
"""Large beside the tolerances at which solvers stop: what these leave is no derivative."""

ALWAYS = ("heat_1d", "thomas", "cholesky", "viterbi", "trajectory", "relax", "prefix_sums")
"""Programs that `make test` differentiates, too: loops, branches that data decides, items that are written in place."""


def is_differentiated(value: Any) -> bool:
    """Whether an argument is data: float64 numbers, but for Python's, which are tolerances and lengths of steps."""
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype == np.float64


def total_of(result: Any) -> Any:
    """A number that depends on all floats of a result."""
    if isinstance(result, (tuple, list)):
        return sum(total_of(item) for item in result)
    dtype = getattr(result, "dtype", np.asarray(result).dtype if isinstance(result, float) else None)
    if dtype is None or np.dtype(dtype).kind != "f":
        return 0.0
    return np.sum(np.sin(result))


def numbers_of(program: Program) -> tuple[int, ...]:
    """The arguments to differentiate by; none where no result depends on them smoothly."""
    arguments = program.arguments(program.sizes[1])
    if total_of(program.function(*copy.deepcopy(arguments))) == 0.0:
        return ()
    return tuple(i for i, value in enumerate(arguments) if is_differentiated(value))


JUMPS = "bisection"
"""Its result is a step function of its arguments: differences jump where its derivative is that of one side."""


def symmetric(direction: Any) -> Any:
    """A matrix that leaves symmetric ones symmetric: conjugate gradients take more steps for others."""
    is_square = direction.ndim == 2 and direction.shape[0] == direction.shape[1]
    return direction + direction.T if is_square else direction


DIFFERENTIATED = [program for program in PROGRAMS if program.name != JUMPS and numbers_of(program)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "program",
    [
        pytest.param(p, id=p.name, marks=[] if p.name in ALWAYS else [pytest.mark.soak])
        for p in DIFFERENTIATED
    ],
)
def test_gradients_are_those_of_differences(program: Program) -> None:
    arguments = program.arguments(program.sizes[1])
    numbers = numbers_of(program)
    generator = np.random.default_rng(0)
    directions = [symmetric(generator.standard_normal(np.shape(arguments[i]))) for i in numbers]

    def loss(*arguments: Any) -> Any:
        return total_of(program.function(*arguments))

    def moved(by: float) -> Any:
        changed = list(copy.deepcopy(arguments))
        for i, direction in zip(numbers, directions, strict=True):
            changed[i] = changed[i] + by * direction
        return loss(*changed)

    expected = (moved(STEP) - moved(-STEP)) / (2 * STEP)
    value, gradients = weft.value_and_grad(loss, numbers)(*copy.deepcopy(arguments))
    np.testing.assert_allclose(value, loss(*copy.deepcopy(arguments)), rtol=1e-9)
    found = sum(np.sum(g * d) for g, d in zip(gradients, directions, strict=True))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
