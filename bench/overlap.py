"""The stencil over split rows, with messages that are waited for and with the middle of a block computed meanwhile.

    mpiexec -n 2 python bench/overlap.py [ROWS COLUMNS STEPS]

Both take turns in the same processes, one thread each; medians and minima of 25 turns on rank 0, of the time on the
clock and of the processor's.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from mpi4py import MPI

import weft
from weft.passes.ranks.overlap_messages import OverlapMessages

ranks = weft.distributed
TURNS = 25


def overlaps(u: Any, steps: Any) -> None:
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def waits(u: Any, steps: Any) -> None:
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def made(stencil: Any, whole: Any, steps: Any) -> tuple[Any, Any]:
    """The partitioned function, compiled, with an array to run on."""
    if stencil is waits:
        OverlapMessages._run_once = lambda *_: False  # type: ignore[method-assign]
    u, step = ranks.scatter(whole, ranks.P("d")), ranks.partition(stencil)
    for _ in range(3):
        step(u, steps)
    return step, u


def main(rows: int = 1500, columns: int = 1000, steps: int = 100) -> None:
    """Print a row for each form."""
    weft.set_num_threads(1)
    whole = np.random.default_rng(0).normal(size=(rows, columns))
    weft.settings.cache = False  # which does not know that a pass is switched off
    forms = {form.__name__: made(form, whole, np.int64(steps)) for form in (overlaps, waits)}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in forms}
    for _ in range(TURNS):
        for name, (step, u) in forms.items():
            MPI.COMM_WORLD.Barrier()
            clock, processor = time.perf_counter(), time.process_time()
            step(u, np.int64(steps))
            times[name].append((time.perf_counter() - clock, time.process_time() - processor))
    waited, overlapped = (u.gather() for _, u in forms.values())
    assert np.array_equal(waited, overlapped)
    if MPI.COMM_WORLD.rank == 0:
        for name, taken in times.items():
            middle, least = 1e3 * np.median(taken, axis=0), 1e3 * np.min(taken, axis=0)
            print(
                f"{name:9} clock {middle[0]:7.1f} {least[0]:7.1f}  processor {middle[1]:7.1f} {least[1]:7.1f} ms"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
