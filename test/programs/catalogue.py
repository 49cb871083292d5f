"""Every program with arguments of several sizes: one table for the tests and the benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from programs import linear, loops, numeric, sequences, stencils, tables

I64 = np.int64


@dataclass(frozen=True)
class Program:
    """A program, its arguments for a size, the sizes that tests run, and the rounding it allows."""

    function: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]
    sizes: tuple[int, ...]
    tolerance: float = 0.0

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__


def _random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _rod(n: int) -> tuple[Any, ...]:
    return _random().standard_normal(n), 0.25, I64(n)


def _plate(n: int) -> tuple[Any, ...]:
    return _random().standard_normal((n, n + 1)), 0.2, I64(5)


def _symmetric(n: int) -> tuple[Any, Any]:
    a = _random().standard_normal((n, n))
    return a @ a.T + n * np.eye(n), _random(1).standard_normal(n)


def _lower(n: int) -> tuple[Any, Any]:
    a, b = _symmetric(n)
    return np.tril(a), b


def _upper(n: int) -> tuple[Any, Any]:
    a, b = _symmetric(n)
    return np.triu(a), b


def _tridiagonal(n: int) -> tuple[Any, ...]:
    lower, upper, right = _random().standard_normal((3, n))
    return lower, 4 + np.abs(lower) + np.abs(upper), upper, right


def _text(n: int, letters: int = 3, seed: int = 0) -> Any:
    return _random(seed).integers(0, letters, n)


def _distances(n: int) -> tuple[Any]:
    distance = _random().integers(1, 100, (n, n)).astype(np.float64)
    distance[_random(1).random((n, n)) < 0.5] = np.inf
    np.fill_diagonal(distance, 0)
    return (distance,)


def _hidden_states(n: int) -> tuple[Any, ...]:
    def log(*shape: int) -> Any:
        p = _random(shape[-1]).random(shape)
        return np.log(p / p.sum(axis=-1, keepdims=True))

    return log(3), log(3, 3), log(3, 4), _text(n, 4)


def _particles(n: int) -> tuple[Any, ...]:
    position = _random().random((n, 2))
    return position, _random(1).standard_normal((n, 2)), 0.5 + _random(2).random(n), 0.05, I64(4)


def _sequence(n: int, batch: int = 10, units: int = 10) -> tuple[Any, ...]:
    r = _random()
    shapes = ((n, batch, units), (units, 4 * units), (units, 4 * units), (4 * units,))
    return tuple((r.standard_normal(shape) * 0.5).astype(np.float32) for shape in shapes)


def _regression(n: int) -> tuple[Any, ...]:
    x = _random().standard_normal((n, 3))
    return x, x @ np.array([1.0, -2.0, 0.5]), 0.1, 1e-9, I64(200)


def _bodies(n: int) -> tuple[Any, ...]:
    return *_random().standard_normal((3, n)), _random(1).random(n), 0.01, I64(3)


PROGRAMS = [
    Program(stencils.heat_1d, _rod, (3, 4, 30)),
    Program(stencils.heat_1d_slices, _rod, (3, 4, 100)),
    Program(stencils.heat_2d, _plate, (3, 12)),
    Program(stencils.laplace_jacobi, lambda n: (_random().random((n, n)), 1e-3, I64(500)), (3, 12), 1e-12),
    Program(stencils.wave, lambda n: (_random().standard_normal(n), 0.5, I64(9)), (3, 40)),
    Program(stencils.life, lambda n: (_text(n * (n + 2), 2).reshape(n, n + 2), I64(6)), (3, 8)),
    Program(linear.triangular_solve, _lower, (1, 2, 20), 1e-12),
    Program(linear.forward_substitution, _lower, (1, 2, 20), 1e-12),
    Program(linear.back_substitution, _upper, (1, 2, 20), 1e-12),
    Program(linear.thomas, _tridiagonal, (2, 3, 50)),
    Program(linear.conjugate_gradient, lambda n: (*_symmetric(n), 1e-9), (1, 3, 20), 1e-9),
    Program(linear.gauss_seidel, lambda n: (*_symmetric(n), 1e-8, I64(100)), (1, 3, 8), 1e-12),
    Program(linear.jacobi, lambda n: (*_symmetric(n), 1e-8, I64(50)), (1, 3, 8), 1e-9),
    Program(linear.cholesky, lambda n: _symmetric(n)[:1], (1, 2, 8), 1e-12),
    Program(linear.lu_in_place, lambda n: (_random().standard_normal((n, n)),), (2, 3, 8)),
    Program(tables.longest_common_subsequence, lambda n: (_text(n), _text(n + 1, seed=1)), (1, 2, 25)),
    Program(tables.edit_distance, lambda n: (_text(n), _text(n + 1, seed=1)), (1, 2, 25)),
    Program(tables.smith_waterman, lambda n: (_text(n), _text(n + 1, seed=1), 3, -2, -1), (1, 2, 20)),
    Program(tables.knapsack, lambda n: (_text(n, 9) + 1, _text(n, 50, seed=1), 4 * n), (1, 2, 12)),
    Program(tables.floyd_warshall, _distances, (1, 2, 12)),
    Program(tables.viterbi, _hidden_states, (1, 2, 25), 1e-12),
    Program(tables.coin_change, lambda n: (np.array([5, 2, 7]), n), (1, 6, 60)),
    Program(sequences.run_lengths, lambda n: (_text(n, 2),), (1, 2, 60)),
    Program(sequences.find_pattern, lambda n: (_text(n, 2), _text(4, 2, seed=2)), (4, 5, 80)),
    Program(sequences.sieve, lambda n: (np.zeros(n, dtype=bool),), (2, 5, 200)),
    Program(sequences.insertion_sort, lambda n: (_text(n, 99),), (1, 2, 30)),
    Program(sequences.bubble_sort, lambda n: (_random().standard_normal(n).astype(np.float32),), (1, 2, 20)),
    Program(
        sequences.histogram,
        lambda n: (_random().standard_normal(n), -2.0, 2.0, np.zeros(8, dtype=np.int32)),
        (1, 2, 90),
    ),
    Program(sequences.components, lambda n: (_text(2 * n, 2 * n).reshape(n, 2), 2 * n), (1, 2, 20)),
    Program(sequences.binary_search, lambda n: (np.sort(_text(n, 2 * n)), I64(n // 2)), (1, 2, 90)),
    Program(sequences.merge_sort, lambda n: (_text(n, 999).astype(np.int32),), (1, 2, 45)),
    Program(sequences.longest_collatz, lambda n: (I64(n),), (1, 2, 60)),
    Program(
        sequences.greatest_common_divisors,
        lambda n: (_text(n, 999) - 300, _text(n, 999, seed=1) - 100),
        (1, 2, 40),
    ),
    Program(
        numeric.newton,
        lambda n: (np.arange(1.0, n + 2) * np.array([1, -1])[np.arange(n + 1) % 2], np.float64(2), 1e-9, 60),
        (1, 3, 5),
        1e-12,
    ),
    Program(numeric.bisection, lambda n: (np.float64(0), np.float64(n), 1e-9), (1, 2, 9), 1e-12),
    Program(numeric.trajectory, lambda n: (np.array([1.0, 1.0, 20.0]), 0.01, n), (1, 2, 30), 1e-9),
    Program(numeric.adaptive_decay, lambda n: (np.float64(n), np.float64(1.3), 4.0, 1e-3), (1, 2, 5), 1e-12),
    Program(numeric.simulate, _particles, (1, 2, 6), 1e-9),
    Program(numeric.mandelbrot, lambda n: (n, n + 1, I64(30)), (1, 2, 9)),
    Program(numeric.lstm, _sequence, (1, 2, 20), 1e-5),
    Program(
        numeric.matrix_power, lambda n: (_text(9, 5).reshape(3, 3).astype(np.int32), I64(n)), (0, 1, 2, 29)
    ),
    Program(
        numeric.chained_matmuls,
        lambda n: (*(_random(k).integers(-3, 4, (10, 10)).astype(np.int32) for k in (0, 1)), I64(n)),
        (0, 1, 2, 100),
    ),
    Program(numeric.gradient_descent, _regression, (3, 4, 30), 1e-9),
    Program(
        loops.matmul_loops,
        lambda n: tuple(_random(k).standard_normal((n, n)) for k in (0, 1)),
        (1, 2, 9),
        1e-12,
    ),
    Program(
        loops.moving_average, lambda n: (_random().standard_normal(n), I64(min(n, 8))), (1, 2, 50), 1e-12
    ),
    Program(loops.prefix_sums, lambda n: (_random().standard_normal(n),), (1, 2, 50)),
    Program(loops.plain_life, lambda n: (_text(n * (n + 2), 2).reshape(n, n + 2), I64(6)), (3, 8)),
    Program(loops.relax, lambda n: (_random().random((n, n + 1)), I64(5)), (3, 12), 1e-12),
    Program(loops.pi_by_chance, lambda n: (I64(n), np.uint64(88172645463325252)), (1, 2, 60)),
    Program(loops.gravity, _bodies, (1, 2, 9), 1e-9),
    Program(
        loops.search_all,
        lambda n: (np.sort(_random().random(n)), _random(1).random(n + 3)),
        (1, 2, 60),
    ),
    Program(loops.count_pairs, lambda n: (_random().random(n), 0.1), (1, 2, 60)),
    Program(loops.escape_steps, lambda n: (_random().uniform(-2, 1, (n, n + 1)), 4.0, I64(30)), (1, 2, 20)),
]
"""All programs."""


def program(name: str) -> Program:
    """A program by its function's name."""
    (found,) = (p for p in PROGRAMS if p.name == name)
    return found
