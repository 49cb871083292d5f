"""The workloads that weft and its peers are compared on: their arguments, and what a machine must do at least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

F32 = np.float32


@dataclass(frozen=True)
class Workload:
    """A program that every candidate writes in its own best way; the NumPy one tells what is right."""

    name: str
    title: str
    arguments: Callable[[], tuple[Any, ...]]
    goal: float
    """What the best peer's time divided by ours should be at least."""
    flops: float = 0.0
    """Arithmetic of a call; a transcendental function counts as one."""
    bytes: float = 0.0
    """What a call must read and write at least: arguments once, results once."""
    tolerance: float = 1e-4
    dtype: str = "float32"
    slow: bool = False
    """Whether a call of the eager program takes so long that it is checked on fewer data."""


def _random() -> np.random.Generator:
    return np.random.default_rng(0)


def _normal(*shapes: tuple[int, ...], scale: float = 1.0) -> tuple[Any, ...]:
    random = _random()
    arrays = tuple(random.standard_normal(shape, F32) * F32(scale) for shape in shapes)
    return arrays


def _integers() -> tuple[Any, ...]:
    random = _random()
    return tuple(random.integers(-3, 4, (10, 10), np.int32) for _ in range(2))


def _deep() -> tuple[Any, ...]:
    random = _random()
    weights = [random.standard_normal((784 if i == 0 else 64, 64), F32) * F32(0.15) for i in range(100)]
    biases = [random.standard_normal(64, F32) * F32(0.1) for _ in range(100)]
    x = random.standard_normal((20, 784), F32) * F32(0.1)
    return x, weights, biases, random.standard_normal((64, 10), F32), random.standard_normal(10, F32)


def _lstm() -> tuple[Any, ...]:
    x, state, memory, into, recurrent, bias = _normal((10, 10), (10, 10), (10, 10), (10, 40), (10, 40), (40,))
    return x, state, memory, into * F32(0.3), recurrent * F32(0.3), bias


def _training() -> tuple[Any, ...]:
    random = _random()
    shapes = ((784, 100), (100,), (100, 100), (100,), (100, 10), (10,))
    parameters = [random.standard_normal(shape, F32) * F32(0.05) for shape in shapes]
    first = [np.zeros_like(p) for p in parameters]
    second = [np.zeros_like(p) for p in parameters]
    labels = np.eye(10, dtype=F32)[random.integers(0, 10, 100)]
    return parameters, first, second, random.standard_normal((100, 784), F32), labels, F32(3)


def _chain(elements: int) -> tuple[Any, ...]:
    return (*_normal((elements,)), F32(0.7), F32(0.2))


def _fields() -> tuple[Any, ...]:
    random = _random()
    return random.random((132, 132, 80)), random.random((128, 128, 80))


def _triangle() -> tuple[Any, ...]:
    random = _random()
    return np.tril(random.random((2000, 2000))) + 10 * np.eye(2000), random.random(2000)


def _systems() -> tuple[Any, ...]:
    random = _random()
    below, above, right = (random.random((500, 400)) for _ in range(3))
    return below, 4.0 + random.random((500, 400)), above, right


def _square(n: int) -> Workload:
    goals = {64: 1.2, 128: 1.0, 256: 1.0, 512: 1.0, 1024: 0.98}
    return Workload(
        f"matmul_{n}", f"matmul {n}", lambda: _normal((n, n), (n, n)), goals[n], 2.0 * n**3, 12.0 * n**2, 1e-3
    )


_DEEP_FLOPS = 2.0 * 20 * (784 * 64 + 99 * 64 * 64 + 64 * 10)
_DEEP_BYTES = 4.0 * (20 * 784 + 784 * 64 + 99 * 64 * 64 + 100 * 64 + 650 + 200)
_TRAINING_FLOPS = 2.0 * 100 * (2 * 784 * 100 + 3 * (100 * 100 + 100 * 10)) + 14.0 * 89_610
_CONV_FLOPS = 2.0 * 198 * 198 * 100 * 9 * 100

WORKLOADS: tuple[Workload, ...] = (
    Workload(
        "matmuls_unrolled",
        "100 chained int32 10x10 matmuls, unrolled",
        _integers,
        2.5,
        2e5,
        1200,
        dtype="int32",
    ),
    Workload(
        "matmuls_loop",
        "100 chained int32 10x10 matmuls, run-time loop",
        lambda: (*_integers(), np.int64(100)),
        1.8,
        2e5,
        1200,
        dtype="int32",
    ),
    Workload(
        "deep_mlp", "100 x Dense(64, relu) + Dense(10), (20,784)", _deep, 1.5, _DEEP_FLOPS, _DEEP_BYTES, 1e-2
    ),
    Workload(
        "small_mlp",
        "Dense(128, relu) + Dense(10), (60,784)",
        lambda: _normal((60, 784), (784, 128), (128,), (128, 10), (10,), scale=0.3),
        1.2,
        2.0 * 60 * (784 * 128 + 1280),
        4.0 * (60 * 784 + 784 * 128 + 128 + 1290 + 600),
        1e-3,
    ),
    Workload("mse_1e3", "mean((a-b)**2), 1e3", lambda: _normal((1000,), (1000,)), 2.5, 3e3, 8e3),
    Workload("mse_1e6", "mean((a-b)**2), 1e6", lambda: _normal((10**6,), (10**6,)), 1.3, 3e6, 8e6),
    Workload("lstm_step", "LSTM cell step, batch 10, 10 units", _lstm, 2.5, 17_300, 5_360),
    Workload(
        "lstm_loop",
        "LSTM cell, 100 steps in a run-time loop",
        lambda: (*_lstm(), np.int64(100)),
        2.0,
        1.73e6,
        5_360,
    ),
    Workload(
        "conv",
        "conv 3x3, 100 filters, NHWC (1,200,200,100)",
        lambda: _normal((1, 200, 200, 100), (3, 3, 100, 100), scale=0.1),
        1.05,
        _CONV_FLOPS,
        4.0 * (200 * 200 * 100 + 90_000 + 198 * 198 * 100),
        1e-3,
    ),
    Workload("chain", "tanh(x*a+b)*exp(-x*x)+where(x>0,x,0.1*x), 1e6", lambda: _chain(10**6), 1.15, 1e7, 8e6),
    Workload(
        "softmax", "softmax of rows (1024,1024)", lambda: _normal((1024, 1024)), 1.1, 4 * 2.0**20, 8 * 2.0**20
    ),
    Workload(
        "layernorm",
        "layernorm of rows (1024,1024)",
        lambda: _normal((1024, 1024), (1024,), (1024,)),
        1.1,
        8 * 2.0**20,
        8 * 2.0**20,
    ),
    Workload(
        "column_sum", "column sum (2048,2048)", lambda: _normal((2048, 2048)), 1.1, 2.0**22, 2.0**24, 1e-3
    ),
    Workload("row_max", "row max (2048,2048)", lambda: _normal((2048, 2048)), 1.1, 2.0**22, 2.0**24),
    *map(_square, (64, 128, 256, 512, 1024)),
    Workload(
        "matmul_bias_relu",
        "matmul + bias + relu 512",
        lambda: _normal((512, 512), (512, 512), (512,)),
        1.05,
        2.0 * 512**3,
        12.0 * 512**2,
        1e-3,
    ),
    Workload(
        "few_rows",
        "8 rows times a matrix (8000,2000)",
        lambda: _normal((8, 8000), (8000, 2000)),
        1.2,
        2.0 * 8 * 8000 * 2000,
        4.0 * (8 * 8000 + 8000 * 2000 + 8 * 2000),
        1e-3,
    ),
    Workload(
        "symmetric",
        "symmetric product x.T @ x, (1200,1000)",
        lambda: _normal((1200, 1000)),
        1.0,
        1200.0 * 1000 * 1001,
        4.0 * (1200 * 1000 + 1000 * 1000),
        1e-3,
    ),
    Workload(
        "scaled",
        "scaled products (a*A) @ x + (b*B) @ x, (2000,2000)",
        lambda: (*_normal((2000, 2000), (2000, 2000), (2000,)), F32(1.5), F32(1.2)),
        1.0,
        4.0 * 2000**2,
        8.0 * 2000**2,
        1e-3,
    ),
    Workload(
        "paired",
        "two products with a matrix, A @ p and r @ A, (4000,4000)",
        lambda: _normal((4000, 4000), (4000,), (4000,)),
        1.0,
        4.0 * 4000**2,
        4.0 * 4000**2,
        1e-3,
    ),
    Workload(
        "shifted_conv",
        "the convolution as nine shifted products",
        lambda: _normal((1, 200, 200, 100), (3, 3, 100, 100), scale=0.1),
        1.0,
        _CONV_FLOPS,
        4.0 * (200 * 200 * 100 + 90_000 + 198 * 198 * 100),
        1e-3,
    ),
    Workload(
        "diffusion",
        "horizontal diffusion in four stages, (128,128,80)",
        _fields,
        1.0,
        24.0 * 128 * 128 * 80,
        8.0 * (132 * 132 + 2 * 128 * 128) * 80,
        dtype="float64",
    ),
    Workload(
        "jacobi",
        "40 half steps of a five-point stencil, (250,250)",
        lambda: (_random().random((250, 250)),),
        1.0,
        40.0 * 5 * 248**2,
        8.0 * 2 * 250**2,
        dtype="float64",
    ),
    Workload(
        "triangular_solve",
        "triangular solve, 2000 rows",
        _triangle,
        1.0,
        2000.0**2,
        8.0 * (2000 * 2001 / 2 + 4000),
        dtype="float64",
    ),
    Workload(
        "tridiagonal",
        "400 tridiagonal systems side by side, 500 rows",
        _systems,
        1.0,
        10.0 * 500 * 400,
        8.0 * 5 * 500 * 400,
        dtype="float64",
    ),
    Workload(
        "gauss_seidel",
        "7 Gauss-Seidel sweeps, (120,120)",
        lambda: (_random().random((120, 120)),),
        1.0,
        dtype="float64",
    ),
    Workload(
        "collatz",
        "Collatz to 100,000 (int64 scalars)",
        lambda: (np.int64(100_000),),
        1.0,
        dtype="int64",
        slow=True,
    ),
    Workload(
        "mandelbrot",
        "Mandelbrot 512x512, 100 iterations, per-pixel escape (float64)",
        lambda: (np.int64(512), np.int64(100)),
        2.0,
        dtype="float64",
        slow=True,
    ),
    Workload(
        "training_step",
        "training step by hand, 784-100-100-10, batch 100, Adam",
        _training,
        1.3,
        _TRAINING_FLOPS,
        4.0 * (6 * 89_610 + 100 * 794),
        1e-3,
    ),
    Workload(
        "random", "random(1e6), PCG64", lambda: (np.int64(0),), 1.3, bytes=8e6, tolerance=0, dtype="float64"
    ),
    Workload(
        "normal",
        "standard_normal(1e6), PCG64",
        lambda: (np.int64(0),),
        2.0,
        bytes=8e6,
        tolerance=0,
        dtype="float64",
    ),
    Workload("add_one", "call: x + 1 on one element, NumPy in and out", lambda: (np.ones(1, F32),), 4.0),
    Workload("matmul_10", "call: matmul 10x10, NumPy in and out", lambda: _normal((10, 10), (10, 10)), 2.5),
)


@cache
def workload(name: str) -> Workload:
    """The workload of a name."""
    return next(w for w in WORKLOADS if w.name == name)
