"""Train a small network on the data of all ranks: the same source on one rank and on many.

    python examples/data_parallel.py
    mpiexec -n 3 python examples/data_parallel.py       (pip install "weft[mpi]", and mpich for mpiexec)

Each rank has a block of the data; parameters are the same on all. The loss is that of all data, and so is its gradient:
weft sends one message for each array of parameters. The whole training is one compiled loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import weft

ranks = weft.distributed

ROWS, FEATURES, HIDDEN = 510, 16, 32


def data() -> tuple[Any, Any]:
    """Inputs, and what is to be predicted."""
    x = np.random.default_rng(0).normal(size=(ROWS, FEATURES))
    return x, np.sin(x[:, 0]) + 0.1 * x[:, 1]


def parameters() -> dict[str, Any]:
    """Where training begins, the same on all ranks."""
    rng = np.random.default_rng(1)
    return {
        "w": rng.normal(size=(FEATURES, HIDDEN)) / 4,
        "b": np.zeros(HIDDEN),
        "v": rng.normal(size=HIDDEN) / 6,
    }


def loss(p: Any, x: Any, y: Any) -> Any:
    """The mean of the squared errors on the data of all ranks."""
    errors = np.tanh(x @ p["w"] + p["b"]) @ p["v"] - y
    return ranks.all_reduce(np.sum(errors**2)) / ranks.all_reduce(len(y))


@weft.function
def train(p: Any, x: Any, y: Any, steps: Any, rate: Any) -> Any:
    """The parameters after some steps of gradient descent, and the loss before the last one."""
    p = ranks.replicated(p)
    value = np.float64(0)
    for _ in range(steps):
        value, gradient = weft.value_and_grad(loss)(p, x, y)
        for name in p:
            p[name] = p[name] - rate * gradient[name]
    return p, value


def run(mesh: Any, steps: int = 200) -> list[Any]:
    """What `train` returns on the ranks that are in this process."""
    x, y = data()

    def of_rank(rank: int) -> tuple[Any, ...]:
        rows = slice(rank * ROWS // mesh.size, (rank + 1) * ROWS // mesh.size)
        return parameters(), x[rows], y[rows], np.int64(steps), np.float64(0.2)

    results: list[Any] = mesh.run(train, of_rank)
    return results


if __name__ == "__main__":
    mesh = ranks.Mesh()
    _, value = run(mesh)[0]
    if 0 in mesh.ranks:
        print(f"{mesh.size} ranks: loss {value:.15f}")
