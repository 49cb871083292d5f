"""What gradients are measured on: the programs' arguments, and the goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

F32 = np.float32
GRADIENT = "_gradient"
"""What the name of a program's value and gradient ends with."""


@dataclass(frozen=True)
class GradientWorkload:
    """A loss and its gradient, or a step of a training, which is only measured whole."""

    name: str
    title: str
    arguments: Callable[[], tuple[Any, ...]]
    goal: float
    """What the best peer's time divided by ours should be at least."""
    at_most: float | None = None
    """What value and gradient should take at most, compared with the value alone."""
    tolerance: float = 1e-4
    by: tuple[int, ...] = ()
    """By which arguments is differentiated; by none in steps, which change their arguments."""
    count: int = 1
    """How many steps a call takes; times are those of a step."""
    slow: bool = False
    """Whether the NumPy program takes too long to be checked with."""

    @property
    def is_loss(self) -> bool:
        """Whether there is a forward program of its own."""
        return bool(self.by)

    @property
    def programs(self) -> tuple[str, ...]:
        """The names of what is measured."""
        return (self.name, self.name + GRADIENT) if self.is_loss else (self.name,)


def _random() -> np.random.Generator:
    return np.random.default_rng(0)


def _normal(random: np.random.Generator, shape: tuple[int, ...], scale: float) -> Any:
    return random.standard_normal(shape, F32) * F32(scale)


def _shares(random: np.random.Generator, rows: int) -> Any:
    """Rows of ten probabilities: with these as labels no training ends in gradients of denormal numbers."""
    shares = random.random((rows, 10), F32)
    return shares / shares.sum(axis=1, keepdims=True)


def _network() -> tuple[Any, ...]:
    random = _random()
    shapes = ((784, 100), (100,), (100, 100), (100,), (100, 10), (10,))
    return [_normal(random, s, 0.05) for s in shapes], _normal(random, (100, 784), 1.0), _shares(random, 100)


def _adam() -> tuple[Any, ...]:
    params, x, labels = _network()
    return params, [np.zeros_like(p) for p in params], [np.zeros_like(p) for p in params], x, labels


def _lstm() -> tuple[Any, ...]:
    random = _random()
    x, state, memory = (_normal(random, (10, 10), 1.0) for _ in range(3))
    into, recurrent = (_normal(random, (10, 40), 0.3) for _ in range(2))
    return x, state, memory, into, recurrent, _normal(random, (40,), 1.0)


def _cells() -> tuple[Any, ...]:
    return (_random().standard_normal(3000),)


def _triangle() -> tuple[Any, ...]:
    random = _random()
    matrix = np.tril(random.standard_normal((1000, 1000))) * 0.01 + 2 * np.eye(1000)
    return matrix, random.standard_normal(1000)


def _convolutional() -> tuple[Any, ...]:
    random = _random()
    shapes = ((3, 3, 1, 16), (16,), (3, 3, 16, 32), (32,), (800, 10), (10,))
    params = [_normal(random, s, 0.1) for s in shapes]
    return params, _normal(random, (32, 28, 28, 1), 1.0), _shares(random, 32)


def _attention() -> tuple[Any, ...]:
    random = _random()
    shapes = ((128, 384), (128, 128), (128, 512), (512, 128))
    params = [_normal(random, s, 0.05) for s in shapes]
    return params, _normal(random, (8, 64, 128), 1.0), _normal(random, (8, 64, 128), 1.0)


WORKLOADS: tuple[GradientWorkload, ...] = (
    GradientWorkload("mlp", "MLP 784-100-100-10, batch 100", _network, 1.4, 2.0, by=(0,)),
    GradientWorkload("adam_step", "the same with Adam, a step", _adam, 1.3),
    GradientWorkload(
        "adam_loop",
        "the same, 100 steps in one compiled loop, a step",
        lambda: (*_adam(), np.int64(100)),
        1.5,
        tolerance=1e-2,
        count=100,
    ),
    GradientWorkload("lstm", "LSTM 10x10, 100 steps", _lstm, 10, 2.5, 1e-3, by=(1, 2, 3, 4, 5)),
    GradientWorkload("heat", "heat stencil, 3000 x 1000 steps", _cells, 1.0, 1.8, 1e-9, by=(0,)),
    GradientWorkload("burgers", "Burgers stencil, 3000 x 1000 steps", _cells, 4.0, 3.5, 1e-9, by=(0,)),
    GradientWorkload("triangle", "triangular solve by slices, 1000", _triangle, 12, None, 1e-9, by=(0, 1)),
    GradientWorkload(
        "recurrence",
        "recurrence on elements, 10,000",
        lambda: (_random().random(10_000),),
        1.4,
        1.6,
        1e-9,
        by=(0,),
    ),
    GradientWorkload(
        "table",
        "table filled in place, 10,000",
        lambda: (_random().random(10_000) + 0.5,),
        100,
        1.6,
        1e-9,
        by=(0,),
    ),
    GradientWorkload("convolutional", "convolutional net (32,28,28,1), a step", _convolutional, 1.1),
    GradientWorkload("attention", "attention block (8,64,128), a step", _attention, 1.3),
    GradientWorkload("random", "rng.random(1e6)", lambda: (), 1.3),
    GradientWorkload("normal", "rng.standard_normal(1e6)", lambda: (), 2.0),
)


@cache
def workload(program: str) -> GradientWorkload:
    """The workload of a program's name."""
    return next(w for w in WORKLOADS if program in w.programs)
