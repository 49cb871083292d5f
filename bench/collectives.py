"""all_reduce in a compiled loop beside mpi4py in a loop of Python: `mpiexec -n 2 python bench/collectives.py`.

Both do the same in the same processes, each on a processor of its own, in turns: so many times all_reduce, and half of
it. On a machine that others use, too, the least turn tells of the code, and the median of the load as well.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

import weft

COMM = MPI.COMM_WORLD
TURNS = 15
SIZES = {1: 1000, 100: 1000, 10_000: 100, 100_000: 30, 1_000_000: 10}
"""Numbers, and how often they are summed in a turn."""


@weft.function
def compiled(x: Any, times: Any) -> Any:
    """All in native code."""
    for _ in range(times):
        x = weft.distributed.all_reduce(x) * 0.5
    return x


def plain(x: Any, times: Any) -> Any:
    """As one writes it with mpi4py."""
    total = np.empty_like(x)
    for _ in range(times):
        COMM.Allreduce(x, total, MPI.SUM)
        x = total * 0.5
    return x


def seconds(function: Callable[..., Any], *args: Any) -> float:
    """How long a call takes on the slowest rank."""
    COMM.Barrier()
    start = time.perf_counter()
    function(*args)
    return COMM.allreduce(time.perf_counter() - start, MPI.MAX)


def main() -> None:
    """Print a table."""
    weft.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[COMM.rank % len(allowed)]})
    if COMM.rank == 0:
        print("| numbers | weft, us | mpi4py, us | ratio | ratio of medians |\n|---|---|---|---|---|")
    for size, times in SIZES.items():
        args = (np.ones(size), np.int64(times))
        assert np.array_equal(compiled(*args), plain(*args))
        turns = [(seconds(compiled, *args), seconds(plain, *args)) for _ in range(TURNS)]
        columns = list(zip(*turns, strict=True))
        ours, theirs = (min(column) / times * 1e6 for column in columns)
        middle, others = map(statistics.median, columns)
        if COMM.rank == 0:
            ratios = f"{theirs / ours:.1f} | {others / middle:.1f}"
            print(f"| {size:,} | {ours:.1f} | {theirs:.1f} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
