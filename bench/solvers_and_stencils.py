"""Triangular solves, factorisations, stencil stages, sweeps and sparse products against the eager functions, and Numba.

    python bench/solvers_and_stencils.py

writes bench/results/solvers_and_stencils.md: medians of calls in turns on one pinned core, all in one process.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness import machine, median_times, pin_to_one_core

pin_to_one_core()
os.environ["WEFT_CACHE"] = "0"  # code for other tiles is other code

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)

import weft  # noqa: E402
from weft.backend.target import compiling_as_if  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results" / "solvers_and_stencils.md"


def forward(lower, x, b):
    """A triangular solve: each sum needs the element before it."""
    for i in range(x.shape[0]):
        x[i] = (b[i] - np.dot(lower[i, :i], x[:i])) / lower[i, i]


def cholesky(a):
    """Row by row, in place."""
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[j, :j])) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - np.dot(a[i, :i], a[i, :i]))


def lu(a):
    """Row by row, in place: products of a row with columns."""
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[:j, j])) / a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= np.dot(a[i, :i], a[:i, j])


def diffusion(field, out, coefficient):
    """Horizontal diffusion with a limiter: four stages, which read each other at shifted places."""
    n, m = out.shape[0], out.shape[1]
    around = field[2 : n + 4, 1 : m + 3] + field[0 : n + 2, 1 : m + 3]
    around = around + field[1 : n + 3, 2 : m + 4] + field[1 : n + 3, 0 : m + 2]
    lap = 4.0 * field[1 : n + 3, 1 : m + 3] - around
    x = lap[1:, 1 : m + 1] - lap[:-1, 1 : m + 1]
    x = np.where(x * (field[2 : n + 3, 2 : m + 2] - field[1 : n + 2, 2 : m + 2]) > 0, 0, x)
    y = lap[1 : n + 1, 1:] - lap[1 : n + 1, :-1]
    y = np.where(y * (field[2 : n + 2, 2 : m + 3] - field[2 : n + 2, 1 : m + 2]) > 0, 0, y)
    out[:, :] = field[2 : n + 2, 2 : m + 2] - coefficient * (x[1:] - x[:-1] + y[:, 1:] - y[:, :-1])


def sweeps(a):
    """Gauss-Seidel: each element waits for the division of the one before."""
    for _ in range(7):
        for i in range(1, a.shape[0] - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:]
            a[i, 1:-1] += a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i, j] + a[i, j - 1]) / 9.0


def sparse_product(starts, columns, values, x, out):
    """A matrix in compressed rows times a vector: a checked gather for each row."""
    for i in range(starts.size - 1):
        here = columns[starts[i] : starts[i + 1]]
        out[i] = values[starts[i] : starts[i + 1]] @ x[here]


def compressed_rows(rows, entries):
    """The arguments of `sparse_product`: entries at random places of a square matrix."""
    places = np.random.default_rng(0).integers(0, rows, (2, entries))
    starts = np.searchsorted(np.sort(places[0]), np.arange(rows + 1)).astype(np.uint32)
    return starts, places[1].astype(np.uint32), np.ones(entries), np.ones(rows), np.zeros(rows)


@dataclass(frozen=True)
class Workload:
    """A program, its arguments, and what makes the written ones new for each call."""

    title: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    written: int | None = None
    """The place of the argument that each call needs as it was."""


def workloads() -> list[Workload]:
    """The rows of the page."""
    random = np.random.default_rng(0).random
    triangle = np.tril(random((2000, 2000))) + 10 * np.eye(2000)
    factor = np.tril(random((400, 400))) / 400 + 2 * np.eye(400)
    fields = [
        (random((n + 4, n + 4, k)), np.zeros((n, n, k)), random((n, n, k))) for n, k in ((64, 60), (128, 160))
    ]
    return [
        Workload("triangular solve, 2000 rows", forward, (triangle, np.zeros(2000), random(2000))),
        Workload("Cholesky, 400 rows", cholesky, (factor @ factor.T,), 0),
        Workload("LU, 200 rows", lu, (factor[:200, :200] @ factor[:200, :200].T,), 0),
        Workload("horizontal diffusion, 64x64x60", diffusion, fields[0]),
        Workload("horizontal diffusion, 128x128x160", diffusion, fields[1]),
        Workload("7 Gauss-Seidel sweeps, 200x200", sweeps, (random((200, 200)),), 0),
        Workload("sparse product, 4096 rows of 2", sparse_product, compressed_rows(4096, 2 * 4096)),
        Workload("sparse product, 1024 rows of 100", sparse_product, compressed_rows(1024, 100 * 1024)),
    ]


def row(workload: Workload) -> str:
    """A row of the table."""
    function = workload.function
    with compiling_as_if(second_level_cache=1 << 40):  # large enough for all intermediates: no tiles
        untiled = weft.function(function)
        _called(untiled, workload)()
    candidates = [weft.function(function), untiled, function]
    if importlib.util.find_spec("numba"):
        import numba

        candidates.append(numba.njit(function))
    expected, got = (_called(f, workload, copies=True)() for f in (function, candidates[0]))
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    ours, without, *others = median_times([_called(f, workload) for f in candidates], rounds=7)
    cells = [f"{ours * 1e3:.3g} ms", f"{without / ours:.2f}" if function is diffusion else ""]
    cells += [f"{other / ours:.2f}" for other in others] + ([""] if len(others) == 1 else [])
    return f"| {workload.title} | {' | '.join(cells)} |"


def _called(function: Callable[..., Any], workload: Workload, copies: bool = False) -> Callable[[], Any]:
    """A call; what it writes is brought to its first state before, in the time of all candidates alike."""
    given = [a.copy() if copies or n == workload.written else a for n, a in enumerate(workload.arguments)]

    def call() -> Any:
        if workload.written is not None:
            given[workload.written][...] = workload.arguments[workload.written]
        function(*given)
        return given

    return call


def main() -> None:
    """Measure, and write the table."""
    rows = [row(workload) for workload in workloads()]
    RESULTS.write_text(
        "# Solvers and stencils\n\nHow long a call takes, and how many times as long it takes without tiles for the"
        " stages of a stencil, eagerly and with Numba.\n"
        f"Other programs may have shared the core: ratios count. {machine()}\n"
        "Made by `python bench/solvers_and_stencils.py`.\n\n"
        "| | weft | without tiles | NumPy | Numba |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


if __name__ == "__main__":
    main()
