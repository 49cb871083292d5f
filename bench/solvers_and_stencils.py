"""Solves, factorisations, stencils, sweeps, sparse products and windows against the eager functions, and Numba.

    python bench/solvers_and_stencils.py

writes bench/results/solvers_and_stencils.md: medians of calls in turns on one pinned core, all in one process,
in time of the processor.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import time
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


def heat(a, b):
    """Two arrays, each computed of the other in turns, in three dimensions."""
    for _ in range(20):
        x = 0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1])
        y = 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, :-2, 1:-1])
        z = 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * a[1:-1, 1:-1, 1:-1] + a[1:-1, 1:-1, :-2])
        b[1:-1, 1:-1, 1:-1] = x + y + z + a[1:-1, 1:-1, 1:-1]
        x = 0.125 * (b[2:, 1:-1, 1:-1] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[:-2, 1:-1, 1:-1])
        y = 0.125 * (b[1:-1, 2:, 1:-1] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[1:-1, :-2, 1:-1])
        z = 0.125 * (b[1:-1, 1:-1, 2:] - 2.0 * b[1:-1, 1:-1, 1:-1] + b[1:-1, 1:-1, :-2])
        a[1:-1, 1:-1, 1:-1] = x + y + z + b[1:-1, 1:-1, 1:-1]


def smoothing(a, b):
    """The mean of five neighbours, on two arrays in turns."""
    for _ in range(20):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def network(x, filters, bias, more, out):
    """Convolutions and pooling, written as loops over pixels."""
    count, size = x.shape[0], x.shape[1] - 4
    first = np.empty((count, size, size, filters.shape[3]), np.float32)
    for i in range(size):
        for j in range(size):
            window = x[:, i : i + 5, j : j + 5, :, np.newaxis]
            first[:, i, j, :] = np.sum(window * filters[np.newaxis], axis=(1, 2, 3))
    first = np.maximum(first + bias, 0)
    pooled = np.empty((count, size // 2, size // 2, filters.shape[3]), np.float32)
    for i in range(size // 2):
        for j in range(size // 2):
            pooled[:, i, j, :] = np.max(first[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    for i in range(size // 2 - 4):
        for j in range(size // 2 - 4):
            window = pooled[:, i : i + 5, j : j + 5, :, np.newaxis]
            out[:, i, j, :] = np.sum(window * more[np.newaxis], axis=(1, 2, 3))


def filtered(x, weights, out):
    """A filter over an image, pixel by pixel."""
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            out[i, j] = np.sum(x[i - 1 : i + 2, j - 1 : j + 2] * weights)


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
    cube, square = random((40, 40, 40)), random((250, 250))
    single = random((8, 56, 56, 1), np.float32), random((5, 5, 1, 6), np.float32), random(6, np.float32)
    pixels = (*single, random((5, 5, 6, 16), np.float32), np.zeros((8, 22, 22, 16), np.float32))
    return [
        Workload("triangular solve, 2000 rows", forward, (triangle, np.zeros(2000), random(2000))),
        Workload("Cholesky, 400 rows", cholesky, (factor @ factor.T,), 0),
        Workload("LU, 200 rows", lu, (factor[:200, :200] @ factor[:200, :200].T,), 0),
        Workload("horizontal diffusion, 64x64x60", diffusion, fields[0]),
        Workload("horizontal diffusion, 128x128x160", diffusion, fields[1]),
        Workload("heat, 20 steps of 40x40x40", heat, (cube, cube.copy())),
        Workload("mean of neighbours, 20 steps of 250x250", smoothing, (square, square.copy())),
        Workload("two convolutions and pooling, 8 images of 56x56", network, pixels),
        Workload(
            "a filter of 3x3, 200x300", filtered, (random((200, 300)), random((3, 3)), np.zeros((200, 300)))
        ),
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
        np.testing.assert_allclose(a, b, rtol=1e-9 if a.dtype == np.float64 else 1e-4, atol=1e-12)
    ours, without, *others = median_times(
        [_called(f, workload) for f in candidates], rounds=7, clock=time.process_time
    )
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
        "# Solvers and stencils\n\nHow much of the processor's time a call takes, and how many times as much it takes"
        " without tiles for the stages of a stencil, eagerly and with Numba.\n"
        f"Other programs may have shared the core: ratios count. {machine()}\n"
        "Made by `python bench/solvers_and_stencils.py`.\n\n"
        "| | weft | without tiles | NumPy | Numba |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


if __name__ == "__main__":
    main()
