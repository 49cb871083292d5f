"""Measure `weft.vmap` beside `jax.vmap` and functions that were written for all rows by hand.

Runs with `python bench/rows.py [workload ...]`; JAX is measured where it is installed. All candidates share one process
on one core and take turns.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness import keep_freed_memory, machine, median_times, pin_to_one_core

pin_to_one_core()
keep_freed_memory()
os.environ["WEFT_CACHE"] = "0"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false " + os.environ.get("XLA_FLAGS", "")

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)

import weft  # noqa: E402

RNG = np.random.default_rng(0)
ROWS, WIDTH = 1024, 32
X = RNG.standard_normal((ROWS, WIDTH)).astype(np.float32)
Y = RNG.standard_normal((ROWS, WIDTH)).astype(np.float32)
W = (RNG.standard_normal((WIDTH, WIDTH)) / 8).astype(np.float32)
PLACES = RNG.integers(0, WIDTH, (ROWS, 8))


@dataclass(frozen=True)
class Workload:
    """A function of a row, as it is written for NumPy or for JAX's numpy, and the same for all rows."""

    name: str
    of_row: Callable[[Any], Callable[..., Any]]
    of_all: Callable[..., Any]
    arguments: tuple[Any, ...]
    in_axes: tuple[int | None, ...]


def cosine(xp: Any) -> Callable[..., Any]:
    """Similarity of two rows."""
    return lambda x, y: xp.dot(x, y) / xp.sqrt(xp.dot(x, x) * xp.dot(y, y))


def cosine_of_all(x: Any, y: Any) -> Any:
    """The same by hand."""
    return np.sum(x * y, 1) / np.sqrt(np.sum(x * x, 1) * np.sum(y * y, 1))


def layer(xp: Any) -> Callable[..., Any]:
    """A layer with a normalised result."""

    def of_row(w: Any, x: Any) -> Any:
        h = xp.tanh(w @ x)
        return (h - h.mean()) / (h.std() + np.float32(1e-5))

    return of_row


def layer_of_all(w: Any, x: Any) -> Any:
    """The same by hand."""
    h = np.tanh(x @ w.T)
    return (h - h.mean(1, keepdims=True)) / (h.std(1, keepdims=True) + np.float32(1e-5))


def taken(xp: Any) -> Callable[..., Any]:
    """Places of its own in each row."""
    return lambda x, i: xp.exp(x[i]).sum()


def taken_of_all(x: Any, i: Any) -> Any:
    """The same by hand."""
    return np.exp(np.take_along_axis(x, i, 1)).sum(1)


def gradients(xp: Any) -> Callable[..., Any]:
    """A gradient for each example."""
    grad = weft.grad if xp is np else importlib.import_module("jax").grad
    found: Callable[..., Any] = grad(lambda w, x: xp.sum(xp.tanh(w @ x) ** 2))
    return found


def gradients_of_all(w: Any, x: Any) -> Any:
    """The same by hand."""
    h = np.tanh(x @ w.T)
    return (2 * h * (1 - h * h))[:, :, None] * x[:, None, :]


WORKLOADS = (
    Workload("cosine similarity of 1024 pairs of 32", cosine, cosine_of_all, (X, Y), (0, 0)),
    Workload("layer of 32 units, normalised, 1024 rows", layer, layer_of_all, (W, X), (None, 0)),
    Workload("8 places of its own in each of 1024 rows", taken, taken_of_all, (X, PLACES), (0, 0)),
    Workload(
        "gradients by 32x32 weights for 256 examples", gradients, gradients_of_all, (W, X[:256]), (None, 0)
    ),
)


def measured(workload: Workload) -> str:
    """A row of the table: microseconds, and what others take of them."""
    args = workload.arguments
    over_rows = weft.vmap(workload.of_row(np), workload.in_axes)
    by_hand = weft.function(workload.of_all)
    expected = workload.of_all(*args)
    for call in (over_rows, by_hand):
        np.testing.assert_allclose(call(*args), expected, rtol=2e-3, atol=1e-4)
    thunks: list[Callable[[], Any]] = [
        functools.partial(call, *args) for call in (over_rows, by_hand, workload.of_all)
    ]
    if importlib.util.find_spec("jax"):
        import jax
        import jax.numpy as jnp

        compiled = jax.jit(jax.vmap(workload.of_row(jnp), workload.in_axes))
        given = [jnp.asarray(arg) for arg in args]
        np.testing.assert_allclose(compiled(*given), expected, rtol=2e-3, atol=1e-4)
        thunks.append(lambda: compiled(*given).block_until_ready())
    ours, *others = median_times(thunks)
    names = [f"{seconds * 1e6:.1f} ({seconds / ours:.2f})" for seconds in others]
    names += ["-"] * (3 - len(names))
    return f"| {workload.name} | {ours * 1e6:.1f} | {' | '.join(names)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workload", nargs="*", help="parts of names")
    wanted = parser.parse_args().workload
    print("| workload, us (times vmap) | weft.vmap | by hand in weft | by hand in NumPy | jax.vmap |")
    print("|---|---|---|---|---|")
    for workload in WORKLOADS:
        if not wanted or any(part in workload.name for part in wanted):
            print(measured(workload), flush=True)
    print(machine(), file=sys.stderr)


if __name__ == "__main__":
    main()
