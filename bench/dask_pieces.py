"""Compiled pieces on Dask beside dask.array: two worker processes of one thread, data in their memory.

    python bench/dask_pieces.py [--rows 2000000] [--turns 7] [--memory]

Each program is unmodified NumPy: `weft.function(f)(x)` and `f(x)` of the same lazy arrays, in turns on one cluster, the
least of all turns. Results are compared first. Of large results the largest number is asked for, so that they stay on
the workers. With `--memory` each side runs on a cluster of its own, and the largest memory of a worker is told.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import weft


def chain_mean(x: Any) -> Any:
    return np.mean(np.tanh(x) * 2 + np.sqrt(np.abs(x)))


def kmeans_step(x: Any, c: Any) -> Any:
    d = np.sum(x * x, axis=1)[:, None] - 2 * (x @ c.T) + np.sum(c * c, axis=1)
    onehot = (np.argmin(d, axis=1)[:, None] == np.arange(len(c))).astype(x.dtype)
    return (onehot.T @ x) / np.maximum(np.sum(onehot, axis=0), 1)[:, None]


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def matmul(a: Any, b: Any) -> Any:
    return a @ b


def logistic_step(w: Any, x: Any, y: Any) -> Any:
    p = 1 / (1 + np.exp(-(x @ w)))
    return w - 0.1 * (x.T @ (p - y)) / len(y)


def standardise(x: Any) -> Any:
    return (x - np.mean(x, axis=0)) / np.std(x, axis=0)


def gram(x: Any) -> Any:
    return x.T @ x


def programs(rows: int, is_kept: bool) -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """The programs with their arguments, of eight blocks each."""
    random = da.random.default_rng(0)
    x = random.normal(size=(rows, 16), chunks=(rows // 8, 16))
    a = random.normal(size=(rows // 20, 400), chunks=(rows // 160, 400))
    if is_kept:
        x, a = x.persist(), a.persist()
    y = (x[:, 0] > 0).astype(float)
    y = y.persist() if is_kept else y
    c, w = np.random.default_rng(1).normal(size=(5, 16)), np.arange(16.0) / 16
    b = np.random.default_rng(1).normal(size=(400, 77))
    return [
        (chain_mean, (x,)),
        (kmeans_step, (x, c)),
        (softmax, (x,)),
        (logistic_step, (w, x, y)),
        (standardise, (x,)),
        (gram, (x,)),
        (matmul, (a, b)),
    ]


def finished(lazy: Any) -> Any:
    """What is asked for: a large result stays where it is."""
    return lazy if lazy.size < 100_000 else lazy.max()


def timed(run: Callable[[], Any]) -> float:
    """How long it takes, in ms."""
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1e3


def compare(rows: int, turns: int) -> None:
    """Print a row for each program."""
    print(f"{'program':15}{'tasks':>10}{'weft':>9}{'dask':>9}{'ratio':>7}")
    for function, arguments in programs(rows, is_kept=True):
        ours = finished(weft.function(function)(*arguments))
        theirs = finished(function(*arguments))
        np.testing.assert_allclose(ours.compute(), np.asarray(theirs.compute()), rtol=1e-9)
        one, other = [], []
        for _ in range(turns):
            one.append(timed(ours.compute))
            other.append(timed(theirs.compute))
        tasks = f"{len(ours.dask)}/{len(theirs.dask)}"
        ratio = min(other) / min(one)
        print(f"{function.__name__:15}{tasks:>10}{min(one):9.1f}{min(other):9.1f}{ratio:7.2f}", flush=True)


def largest() -> int:
    """The largest memory that this process had, in MiB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def cluster() -> LocalCluster:
    """Two workers on the loopback address."""
    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--memory", action="store_true")
    wanted = parser.parse_args()
    if not wanted.memory:
        with cluster() as workers, Client(workers):
            compare(wanted.rows, wanted.turns)
        return
    names = [function.__name__ for function, _ in programs(160, is_kept=False)]
    for number, name in enumerate(names):
        peaks = []
        for compiled in (weft.function, functools.partial(lambda f: f)):
            with cluster() as workers, Client(workers) as client:
                function, arguments = programs(wanted.rows, is_kept=False)[number]
                finished(compiled(function)(*arguments)).compute()
                peaks.append(max(client.run(largest).values()))
        print(f"{name:15} weft {peaks[0]:6} MiB, dask.array {peaks[1]:6} MiB", flush=True)


if __name__ == "__main__":
    main()
