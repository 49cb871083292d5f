"""k-means over an array that need not fit in memory: NumPy's code, in pieces that Dask runs where the blocks are.

    pip install "weft[dask]"
    python examples/kmeans_dask.py [--rows 2000000] [--processes]

`step` knows nothing of blocks. On a dask array it gives a lazy array; each piece of it is compiled, takes one block and
returns sums, which are added in the order of the blocks. The same function on a NumPy array gives the same.
"""

from __future__ import annotations

import argparse
import contextlib
from typing import Any

import dask.array as da
import numpy as np

import weft

CENTRES = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 8.0], [9.0, 1.0]])


@weft.function
def step(points: Any, centres: Any) -> Any:
    """The means of the points that are nearest to each centre, and the sum of the squared distances to it."""
    distances = (
        np.sum(points * points, axis=1)[:, None]
        - 2 * (points @ centres.T)
        + np.sum(centres * centres, axis=1)
    )
    nearest = (np.argmin(distances, axis=1)[:, None] == np.arange(len(centres))).astype(points.dtype)
    means = (nearest.T @ points) / np.maximum(np.sum(nearest, axis=0), 1)[:, None]
    return means, np.sum(np.min(distances, axis=1))


def block_of_points(block_info: Any = None) -> Any:
    """Points around the centres: made when they are needed, as if they were read from a file."""
    number, rows = block_info[None]["chunk-location"][0], block_info[None]["chunk-shape"][0]
    random = np.random.default_rng(number)
    return CENTRES[random.integers(len(CENTRES), size=rows)] + random.normal(scale=0.7, size=(rows, 2))


def cluster(rows: int, blocks: int, steps: int) -> Any:
    """The centres after some steps, from the first points on."""
    chunks = (tuple(len(part) for part in np.array_split(range(rows), blocks)), (2,))
    points = da.map_blocks(block_of_points, chunks=chunks, dtype=float)
    centres = np.array([[1.0, 1.0], [4.0, 4.0], [1.0, 7.0], [7.0, 2.0]])
    for number in range(steps):
        lazy = step(points, centres)
        centres, spread = da.compute(*lazy)  # both at once: the points are made once
        print(f"step {number + 1}: mean squared distance {spread / rows:.4f}")
    return centres


def main() -> None:
    """Cluster, with Dask's threads or with worker processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--processes", action="store_true")
    wanted = parser.parse_args()
    with contextlib.ExitStack() as stack:
        if wanted.processes:
            from distributed import Client, LocalCluster

            workers = stack.enter_context(LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1"))
            stack.enter_context(Client(workers))
        print(np.round(cluster(wanted.rows, wanted.blocks, 6), 2))


if __name__ == "__main__":
    main()
