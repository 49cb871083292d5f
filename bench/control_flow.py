"""Measure loops and branches on array values: weft beside the eager function, Numba and JAX, and what compiling takes.

Runs with `make bench`, or alone: `python bench/control_flow.py [workload ...]`. Numba and JAX are measured where they
are installed and can compile the program. All candidates share one process on one core and take turns.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import os
import pathlib
import statistics
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from harness import Row, keep_freed_memory, machine, median_times, pin_to_one_core, table

pin_to_one_core()
keep_freed_memory()
os.environ["WEFT_CACHE"] = "0"  # what is on disk is not compiled

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)

import weft  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "test"))

from programs import linear, numeric, sequences, stencils  # noqa: E402
from programs.catalogue import program  # noqa: E402

SLOW = 0.2
"""Seconds above which a call is timed three times only."""


MEGABYTES = (
    ("2-D stencil, 5 steps, 700x701 cells", "heat_2d", 700),
    ("longest common subsequence, 1500", "longest_common_subsequence", 1500),
    ("all shortest paths, 128 nodes", "floyd_warshall", 128),
    ("merge sort of 100,000", "merge_sort", 100_000),
    ("histogram of 1,000,000", "histogram", 1_000_000),
    ("run lengths of 1,000,000", "run_lengths", 1_000_000),
)
"""Further programs of the catalogue at sizes up to megabytes: what, which, and how large."""

TUTORIALS = (
    ("matrix product by three loops, 128", "matmul_loops", 128),
    ("moving average of 100,000 in a run-time window", "moving_average", 100_000),
    ("prefix sums of 1,000,000", "prefix_sums", 1_000_000),
    ("game of life, 6 generations, 150x152", "plain_life", 150),
    ("Jacobi relaxation, 5 sweeps, 300x301", "relax", 300),
    ("pi by chance, 300,000 points of a xorshift generator", "pi_by_chance", 300_000),
    ("gravity of 200 bodies, 3 steps", "gravity", 200),
    ("binary searches, 100,000 in 100,000", "search_all", 100_000),
    ("pairs closer than a limit, 1000", "count_pairs", 1000),
    ("points that escape, written at the break, 200x201", "escape_steps", 200),
    ("edit distance, 500", "edit_distance", 500),
    ("coins for 10,000", "coin_change", 10_000),
    ("bubble sort of 500", "bubble_sort", 500),
    ("sieve of 1,000,000", "sieve", 1_000_000),
    ("greatest common divisors of 10,000", "greatest_common_divisors", 10_000),
)
"""Programs as tutorials of Numba have them."""


@dataclass(frozen=True)
class Workload:
    """A program with arguments of a size that matters."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    goal: str
    tolerance: float = 0.0
    helpers: tuple[Callable[..., Any], ...] = ()
    """Functions that the program calls; Numba wants them compiled first."""
    jax: Callable[[], Callable[..., Any]] | None = None


def workloads() -> list[Workload]:
    """What is measured."""
    rod = np.random.default_rng(0).standard_normal(3000)
    return [
        Workload(
            "Collatz lengths below 100,000",
            sequences.longest_collatz,
            (np.int64(100_000),),
            "at least 0.9x Numba",
        ),
        Workload(
            "Mandelbrot 512x512, 100 steps",
            numeric.mandelbrot,
            (512, 512, np.int64(100)),
            "at least 0.9x Numba",
        ),
        Workload(
            "100 int32 10x10 matmuls, run-time count",
            numeric.chained_matmuls,
            program("chained_matmuls").arguments(100),
            "at most 40 us",
        ),
        Workload(
            "LSTM, 100 steps, batch 10, 10 units",
            numeric.lstm,
            program("lstm").arguments(100),
            "at most 330 us",
            1e-4,
            (numeric.sigmoid,),
            jax_lstm,
        ),
        Workload(
            "1-D stencil, 1000 steps, 3000 cells",
            stencils.heat_1d,
            (rod, np.float64(0.25), np.int64(1000)),
            "at least 1x Numba",
        ),
        Workload(
            "1-D stencil by slices, 1000 steps, 3000 cells",
            stencils.heat_1d_slices,
            (rod, np.float64(0.25), np.int64(1000)),
            "at least 3x NumPy",
        ),
        Workload(
            "triangular solve by slices, 2000",
            linear.forward_substitution,
            program("triangular_solve").arguments(2000),
            "at least 2x NumPy",
            1e-9,
        ),
        Workload(
            "triangular solve, 2000",
            linear.triangular_solve,
            program("triangular_solve").arguments(2000),
            "at least 1x Numba",
            1e-9,
        ),
        *(
            Workload(
                name,
                program(function).function,
                program(function).arguments(size),
                "at least 1x Numba",
                program(function).tolerance,
            )
            for name, function, size in (*MEGABYTES, *TUTORIALS)
        ),
    ]


def jax_lstm() -> Callable[..., Any]:
    """The LSTM as JAX users write it, with a scan; waits for the result."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def lstm(inputs: Any, w: Any, u: Any, b: Any) -> Any:
        batch, units = inputs.shape[1], u.shape[0]

        def step(carry: Any, x: Any) -> Any:
            h, c = carry
            i, f, g, o = jnp.split(x @ w + h @ u + b, 4, axis=1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((batch, units), inputs.dtype)
        (h, _), outputs = jax.lax.scan(step, (zeros, zeros), inputs)
        return h, outputs

    return lambda *arguments: tuple(r.block_until_ready() for r in lstm(*arguments))


def numba_version(workload: Workload) -> Callable[..., Any]:
    """The program compiled by Numba, its helpers first."""
    import numba

    helpers = {helper.__name__: numba.njit(helper) for helper in workload.helpers}
    names = workload.function.__globals__ | helpers
    compiled: Callable[..., Any] = numba.njit(types.FunctionType(workload.function.__code__, names))
    return compiled


def peers(workload: Workload) -> Iterator[tuple[str, Callable[..., Any]]]:
    """What else can run the program, by name."""
    if importlib.util.find_spec("numba"):
        yield "Numba", numba_version(workload)
    if workload.jax and importlib.util.find_spec("jax"):
        yield "JAX", workload.jax()


def seconds(value: float) -> str:
    """A time in a unit that suits it."""
    for factor, unit in ((1e6, "us"), (1e3, "ms")):
        if value * factor < 1000:
            return f"{value * factor:.1f} {unit}"
    return f"{value:.2f} s"


def fresh(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies, as a program may write into its arguments."""
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)


def first_call(function: Callable[..., Any], workload: Workload) -> tuple[float, Any]:
    """The time of a first call, which compiles, and its result with the arguments as it left them."""
    arguments = fresh(workload.arguments)
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, (result, arguments)


def check(got: Any, expected: Any, tolerance: float) -> None:
    """Compare nested tuples of arrays."""
    if isinstance(expected, tuple):
        for one, other in zip(got, expected, strict=True):
            check(one, other, tolerance)
    elif expected is not None:
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def measure(workload: Workload) -> list[Row]:
    """Check and time a program; one row for each thing it is compared with, and one for compiling."""
    eager_time, expected = first_call(workload.function, workload)
    eager_is_slow = eager_time > SLOW
    candidates: dict[str, Callable[..., Any]] = {"weft": weft.function(workload.function)}
    compile_times: dict[str, float] = {}
    for name, candidate in [*candidates.items(), *peers(workload)]:
        try:
            compile_times[name], result = first_call(candidate, workload)
        except Exception as error:
            if name == "weft":
                raise
            print(f"{name} cannot run {workload.name!r}: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        try:
            check(result, expected, workload.tolerance)
        except AssertionError:
            if name == "weft":
                return [Row(workload.name, "differs from the eager function", "-", "-", workload.goal)]
            print(f"{name} disagrees on {workload.name!r}", file=sys.stderr)
            continue
        candidates[name] = candidate
    if not eager_is_slow:
        candidates["eager"] = workload.function
    arguments = fresh(workload.arguments)
    thunks = [functools.partial(candidate, *arguments) for candidate in candidates.values()]
    times = dict(zip(candidates, median_times(thunks), strict=True))
    if eager_is_slow:
        times["eager"] = statistics.median(first_call(workload.function, workload)[0] for _ in range(3))
    for name in compile_times:
        compile_times[name] -= min(times[name], compile_times[name])
    return rows(workload, times, compile_times)


def rows(workload: Workload, times: dict[str, float], compile_times: dict[str, float]) -> list[Row]:
    """The rows of a workload; ratios above 1 say that weft is faster."""
    result = []
    for kind, values, goal in (("", times, workload.goal), ("compile: ", compile_times, "at most 0.5 s")):
        ours = values["weft"]
        for name, value in values.items():
            if name != "weft":
                name_and_time = f"{'NumPy' if name == 'eager' else name} {seconds(value)}"
                result.append(
                    Row(
                        kind + workload.name,
                        seconds(ours),
                        name_and_time,
                        f"{value / max(ours, 1e-9):.2f}x",
                        goal,
                    )
                )
        if len(values) == 1:
            result.append(Row(kind + workload.name, seconds(ours), "-", "-", goal))
    return result


def measure_all(names: list[str]) -> list[Row]:
    """The rows of the workloads whose names contain one of the given texts; of all when there are none."""
    chosen = [w for w in workloads() if not names or any(n.lower() in w.name.lower() for n in names)]
    return [row for workload in chosen for row in measure(workload)]


def main() -> None:
    """Measure what is named on the command line and print it, or everything and write it to bench/results/."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("workloads", nargs="*", help="parts of names of workloads")
    names = parser.parse_args().workloads
    figures = table(measure_all(names))
    print(figures)
    if not names:
        page = pathlib.Path(__file__).parent / "results" / "control_flow.md"
        page.write_text(f"# Control flow\n\n{machine()}\n\n{figures}\n")


if __name__ == "__main__":
    main()
