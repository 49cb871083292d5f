"""Measure the figures weft promises, on one pinned core in one run, and write them to bench/results/.

Run with `make bench`. Every result is checked against NumPy before it is timed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import pathlib
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

from harness import Row, in_fresh_process, keep_freed_memory, median_times, pin_to_one_core, table

pin_to_one_core()
keep_freed_memory()

import control_flow  # noqa: E402  (NumPy and its BLAS must see the pinning)
import numpy as np  # noqa: E402

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results"


def against_numpy(
    workload: str, function: Callable[..., Any], arguments: tuple[Any, ...], goal: str, tolerance: float = 0.0
) -> Row:
    """Time a function compiled and eager on the same arguments."""
    compiled = weft.function(function)
    expected, got = function(*arguments), compiled(*arguments)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    ours, numpy = median_times([lambda: compiled(*arguments), lambda: function(*arguments)])
    return Row(workload, f"{ours * 1e6:.1f} us", f"NumPy {numpy * 1e6:.1f} us", f"{numpy / ours:.2f}x", goal)


def chain(x: Any, a: Any, b: Any) -> Any:
    """An elementwise chain with two transcendental functions and a choice."""
    return np.tanh(x * a + b) * np.exp(-x * x) + np.where(x > 0, x, np.float32(0.1) * x)


def mean_squared_error(a: Any, b: Any) -> Any:
    """A reduction with its producers."""
    return np.mean((a - b) ** 2)


def softmax(x: Any) -> Any:
    """Softmax over rows."""
    exponential = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exponential / np.sum(exponential, axis=-1, keepdims=True)


def hundred_matmuls(a: Any, b: Any) -> Any:
    """A hundred chained matrix products, unrolled while tracing."""
    for _ in range(100):
        a = a @ b
    return a


def matmul(a: Any, b: Any) -> Any:
    """One matrix product."""
    return a @ b


def mlp(x: Any, weights: Any, biases: Any) -> Any:
    """A multi-layer perceptron, unrolled while tracing."""
    for weight, bias in zip(weights, biases, strict=True):
        x = np.maximum(x @ weight + bias, 0)
    return x


def compile_time_of_mlp(layers: int = 100) -> Row:
    """Trace and compile an unrolled network of distinct weights and equal layer shapes."""
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal((784 if i == 0 else 64, 64), np.float32) * 0.1 for i in range(layers)]
    biases = [rng.standard_normal(64, np.float32) for _ in range(layers)]
    x = rng.standard_normal((20, 784), np.float32)
    seconds = []
    for _ in range(5):
        compiled = weft.function(mlp)
        start = time.perf_counter()
        got = compiled(x, weights, biases)
        seconds.append(time.perf_counter() - start)
    np.testing.assert_allclose(got, mlp(x, weights, biases), rtol=2e-3, atol=1e-4)
    ours = statistics.median(seconds)
    return Row(f"compile a {layers}-layer MLP", f"{ours * 1e3:.0f} ms", "-", "-", "at most 2 s")


FIRST_CALL = """
import time, numpy as np
x = np.linspace(-1, 1, 1000, dtype=np.float32)
{before}
start = time.perf_counter()
{what}
print(time.perf_counter() - start)
"""


def start_up() -> list[Row]:
    """Import and first call in fresh processes."""
    imports = statistics.median(in_fresh_process(FIRST_CALL.format(before="", what="import weft")))
    call = "f = weft.function(lambda x: np.tanh(x * 2 + 1) * x - x / 3)\nf(x)"
    first = statistics.median(in_fresh_process(FIRST_CALL.format(before="import weft", what=call)))
    return [
        Row("import weft after NumPy", f"{imports * 1e3:.1f} ms", "-", "-", "at most 200 ms"),
        Row("first call of an elementwise chain", f"{first * 1e3:.0f} ms", "-", "-", "at most 250 ms"),
    ]


def measure() -> list[Row]:
    """All figures."""
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(1_000_000, np.float32) for _ in range(2))
    integers = [rng.integers(-3, 4, (10, 10), np.int32) for _ in range(2)]
    square = rng.standard_normal((1024, 1024), np.float32)
    matrices = [rng.standard_normal((512, 512), np.float32) for _ in range(2)]
    scalars = (np.float32(0.7), np.float32(0.2))
    return [
        against_numpy("100 chained int32 10x10 matmuls", hundred_matmuls, tuple(integers), "at most 40 us"),
        against_numpy("tanh/exp/where chain, 1e6 float32", chain, (x, *scalars), "at least 5x", 1e-5),
        against_numpy("mean((a-b)**2), 1e6 float32", mean_squared_error, (x, y), "at least 2x", 1e-5),
        against_numpy("softmax of rows, 1024x1024 float32", softmax, (square,), "at least 2x", 1e-5),
        against_numpy("matmul 512, float32", matmul, tuple(matrices), "at least 0.7x (OpenBLAS)", 1e-3),
        compile_time_of_mlp(),
        *start_up(),
    ]


def processor() -> str:
    """The CPU's name, where the system tells."""
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    names = (
        [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        if cpuinfo.exists()
        else []
    )
    return names[0].partition(":")[2].strip() if names else platform.processor()


def store(title: str, rows: list[Row], name: str) -> None:
    """Print a report and write it to bench/results/."""
    installed = ["numpy", "llvmlite", *(p for p in ("numba", "jax") if importlib.util.find_spec(p))]
    versions = ", ".join(f"{package} {importlib.metadata.version(package)}" for package in installed)
    machine = f"One pinned core of {processor()}, medians of one run; Python {platform.python_version()}, {versions}."
    report = f"# {title}\n\n{machine}\n\n{table(rows)}\n"
    print(report)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text(report)


def main() -> None:
    """Measure, print and store."""
    store("Figures", measure(), "figures.md")
    store("Control flow", control_flow.measure_all([]), "control_flow.md")


if __name__ == "__main__":
    main()
