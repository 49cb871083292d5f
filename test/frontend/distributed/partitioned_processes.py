"""Programs over split arrays that `mpiexec` starts for `test_partitioned_processes.py`; what goes wrong raises."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

import weft

ranks = weft.distributed
P = ranks.P
COMM = MPI.COMM_WORLD


def standardise(x: Any) -> Any:
    return (x - np.mean(x, axis=0)) / np.std(x, axis=0)


def smooth(u: Any, steps: Any) -> Any:
    for _ in range(steps):
        u[1:-1] = (u[:-2] + u[2:]) / 2
    return u


def programs() -> None:
    """Blocks of each process: results, writes, gathers, and files of which each reads its own."""
    mesh = ranks.Mesh()
    x = np.random.default_rng(0).normal(size=(11, 4))
    whole = ranks.scatter(x, P("d"), mesh)
    np.testing.assert_array_equal(
        whole.local, x[whole.region(COMM.rank)[0].start : whole.region(COMM.rank)[0].stop]
    )
    np.testing.assert_allclose(ranks.partition(standardise)(whole).gather(), standardise(x), rtol=1e-10)
    own = ranks.from_local(np.full((COMM.rank + 1, 2), float(COMM.rank)), P("d"), mesh)
    assert own.shape == (sum(range(COMM.size + 1)), 2)
    smoothed = ranks.partition(smooth, mesh)(own, np.int64(3))
    wanted = np.repeat(np.arange(float(COMM.size)), np.arange(1, COMM.size + 1))[:, None] * np.ones(2)
    np.testing.assert_allclose(smoothed.gather(), smooth(wanted, 3), rtol=1e-10)
    gram = ranks.partition(lambda x: x.T @ np.sort(x, axis=0), mesh, P("d"))(x)
    np.testing.assert_allclose(gram, x.T @ np.sort(x, axis=0), rtol=1e-10)


def edges() -> None:
    """The middle of a block is computed while its edges are on their way: in Python first, then in native code."""
    whole = np.random.default_rng(0).normal(size=(300, 200))
    u = ranks.scatter(whole, P("d"), ranks.Mesh())
    step = ranks.partition(smooth)
    for _ in range(3):
        step(u, np.int64(20))
        smooth(whole, 20)
    np.testing.assert_allclose(u.gather(), whole, rtol=1e-12)


def files() -> None:
    """An array of a file that all processes see."""
    x = np.arange(12.0).reshape(6, 2)
    place = COMM.bcast(tempfile.mkdtemp() if COMM.rank == 0 else None)
    file = Path(place) / "x.npy"
    if COMM.rank == 0:
        np.save(file, x)
    COMM.Barrier()
    np.testing.assert_array_equal(ranks.load(file, P("d")).gather(), x)


def differ() -> None:
    """Other programs on other ranks are told before they run."""
    step = ranks.partition((lambda x: x + 1) if COMM.rank else (lambda x: x.sum()), ranks.Mesh(), P("d"))
    with pytest.raises(weft.CommunicationError, match="rank 1 differs from rank 0"):
        step(np.ones(4))


def refused() -> None:
    """What does not fit is told on all ranks alike, before any of them waits for another."""
    mesh = ranks.Mesh()
    x = ranks.scatter(np.arange(6.0), P("d"), mesh)
    unequal = ranks.scatter(np.arange(6.0 + COMM.rank), P("d"), mesh)
    total = weft.Variable(np.zeros(()))
    own = COMM.rank + 2

    def shows(x: Any) -> Any:
        print(x.sum())
        return x

    def counts(x: Any) -> Any:
        total.assign(x.sum())
        return x

    for call, error, message in (
        (lambda: ranks.scatter(np.arange(6.0), P("e"), mesh), ValueError, "axes of the mesh are 'd'"),
        (lambda: ranks.from_local(np.ones((2, own)), P("d"), mesh), ValueError, "axis 1 is not split"),
        (lambda: ranks.from_local(np.ones((1,) * own), P("d"), mesh), TypeError, "as many axes"),
        (lambda: weft.function(shows)(x), weft.PartitionError, "print"),
        (lambda: weft.function(counts)(x), weft.PartitionError, "total.assign"),
        (lambda: x + ranks.scatter(np.arange(7.0), P("d"), mesh), ValueError, "could not be broadcast"),
        (lambda: x + own, weft.CommunicationError, "rank 1 differs from rank 0"),
        (lambda: ranks.partition(np.tanh)(unequal), weft.CommunicationError, "rank 1 differs from rank 0"),
    ):
        with pytest.raises(error, match=message):
            call()
    np.testing.assert_array_equal((x + 1).gather(), np.arange(1.0, 7.0))  # as good as new


if __name__ == "__main__":
    for name in sys.argv[1].split(","):
        globals()[name]()
