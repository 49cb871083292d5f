"""Heat that spreads over a plate, whose rows are on different ranks.

    python examples/heat.py
    mpiexec -n 2 python examples/heat.py       (pip install "weft[mpi]", and mpich for mpiexec)

Each rank has some rows, and a row more at both ends that belongs to its neighbours, which send theirs in each step. The
plate is as cold as it began at its edges. All steps are one compiled loop, in which native code sends the messages.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import weft

ranks = weft.distributed

ROWS, COLUMNS = 120, 80
SPREADS = 0.2


@weft.function
def heated(u: Any, steps: Any) -> Any:
    """The rows of this rank after some steps, and the heat of the whole plate."""
    rank, count = ranks.rank(), ranks.size()
    for _ in range(steps):
        above, below = ranks.send_receive(u[-1:], 1), ranks.send_receive(u[:1], -1)
        padded = np.concatenate([above, u, below])
        inner = padded[1:-1, 1:-1]
        around = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
        new = u.copy()
        new[:, 1:-1] = inner + SPREADS * (around - 4 * inner)
        new[0] = np.where(rank == 0, u[0], new[0])
        new[-1] = np.where(rank == count - 1, u[-1], new[-1])
        u = new
    return u, ranks.all_reduce(np.sum(u))


def plate() -> Any:
    """A hot spot on a cold plate."""
    u = np.zeros((ROWS, COLUMNS))
    u[ROWS // 3 : ROWS // 2, COLUMNS // 3 : COLUMNS // 2] = 100.0
    return u


def run(mesh: Any, steps: int = 500) -> list[Any]:
    """What `heated` returns on the ranks that are in this process."""
    parts = np.array_split(plate(), mesh.size)
    results: list[Any] = mesh.run(heated, lambda rank: (parts[rank], np.int64(steps)))
    return results


if __name__ == "__main__":
    mesh = ranks.Mesh()
    rows, heat = run(mesh)[0]
    if 0 in mesh.ranks:
        print(
            f"{mesh.size} ranks: heat {heat:.9f}, and {rows.max():.6f} at the hottest place of the first rows"
        )
