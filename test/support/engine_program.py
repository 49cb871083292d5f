"""A program that gives compiled functions of all kinds to an engine, named by its argument; prints what came back.

It is run as `__main__`, as its functions are to be the program's own.
"""

from __future__ import annotations

import concurrent.futures
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import engine_module
import numpy as np

import weft

TABLE = np.arange(1000.0)


def scaled(x, factor):
    if np.max(x) > 100:
        return x
    return x * factor


@weft.function
def of_main(x):
    y = scaled(x, 3.0)
    if np.sum(y) > 0:
        return np.sum(y) + TABLE[7]
    return np.sum(x)


@weft.function
def loop_of_main(x):
    total = np.sum(x)
    for i in range(4):
        if x[1] > i:
            total = total * 2
    return total


@weft.function
def calls_another(x):
    return of_main(x) + engine_module.named(x)


def closure(weights: Any) -> Any:
    @weft.function
    def enclosed(x):
        if np.sum(x) > 0:
            return np.sum(x) * weights[-1]
        return np.sum(weights)

    return enclosed


def applied(function: Callable[..., Any], x: Any) -> Any:
    """What a worker does."""
    return np.asarray(function(x))


FOUND_BY_NAME: dict[str, Any] = {
    "module": engine_module.named,
    "module, loop": engine_module.loop,
    "main": of_main,
    "main, loop": loop_of_main,
    "calls another": calls_another,
    "bound method": engine_module.Model().step,
    "gradient": weft.grad(of_main),
    "concrete": of_main.get_concrete_function(weft.TensorSpec((3,))),
}
BY_VALUE: dict[str, Any] = {
    "lambda": weft.function(lambda x: np.sum(x) * 7 if np.sum(x) > 0 else np.sum(x)),
    "closure": closure(np.linspace(0, 1, 100_000)),
    "gradient of a closure": weft.grad(closure(np.linspace(0, 2, 10))),
}

Apply = Callable[[Any, Any], Any]


@contextmanager
def by_threads() -> Iterator[Apply]:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield lambda function, x: pool.submit(applied, function, x).result(200)


@contextmanager
def by_processes(start: str) -> Iterator[Apply]:
    with multiprocessing.get_context(start).Pool(1) as pool:
        yield lambda function, x: pool.apply_async(applied, (function, x)).get(60)


@contextmanager
def by_futures() -> Iterator[Apply]:
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield lambda function, x: pool.submit(applied, function, x).result(200)


@contextmanager
def by_joblib() -> Iterator[Apply]:
    import joblib

    with joblib.Parallel(n_jobs=2) as parallel:
        yield lambda function, x: parallel(joblib.delayed(applied)(function, x) for _ in range(2))[1]


@contextmanager
def by_delayed() -> Iterator[Apply]:
    import dask

    yield lambda function, x: np.asarray(dask.delayed(function)(x).compute())


@contextmanager
def by_distributed() -> Iterator[Apply]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster,
        Client(cluster) as client,
    ):
        yield lambda function, x: client.submit(applied, function, x, pure=False).result(200)


@contextmanager
def by_mpi() -> Iterator[Apply]:
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor(1) as pool:
        yield lambda function, x: pool.submit(applied, function, x).result(200)


@contextmanager
def by_ray() -> Iterator[Apply]:
    import ray

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    path = os.pathsep.join(sys.path)
    remote = ray.remote(applied).options(runtime_env={"env_vars": {"PYTHONPATH": path}})
    try:
        yield lambda function, x: ray.get(remote.remote(function, x), timeout=120)
    finally:
        ray.shutdown()


ENGINES: dict[str, tuple[Any, bool]] = {
    "threads": (by_threads, True),
    "fork": (lambda: by_processes("fork"), False),
    "spawn": (lambda: by_processes("spawn"), False),
    "forkserver": (lambda: by_processes("forkserver"), False),
    "futures": (by_futures, False),
    "joblib": (by_joblib, True),
    "delayed": (by_delayed, True),
    "distributed": (by_distributed, True),
    "mpi": (by_mpi, False),
    "ray": (by_ray, True),
}
"""Each with whether it takes functions that are not found under a name."""


def told(apply: Apply, function: Any, x: Any) -> str:
    """Whether what came back is right, or what went wrong."""
    try:
        got = apply(function, x)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    np.testing.assert_allclose(got, WANTED[id(function)], rtol=1e-12)
    return "right"


X = np.array([0.5, 1.5, 2.5])
WANTED: dict[int, Any] = {}


def main(engine: str) -> None:
    start, takes_all = ENGINES[engine]
    with weft.eager():
        WANTED[id(BY_VALUE["lambda"])] = 7 * np.sum(X)
    for name, function in {**FOUND_BY_NAME, **BY_VALUE}.items():
        fresh = engine_module.Model().step if name == "bound method" else function
        WANTED[id(function)] = np.asarray(fresh(X))
    with start() as apply:
        found = {name: told(apply, function, X) for name, function in FOUND_BY_NAME.items()}
        if takes_all:
            found |= {name: told(apply, function, X) for name, function in BY_VALUE.items()}
        else:
            refusals = {name: told(apply, function, X) for name, function in BY_VALUE.items()}
            found |= {
                name: "refused" if "ickl" in text or "local object" in text else text
                for name, text in refusals.items()
            }
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
