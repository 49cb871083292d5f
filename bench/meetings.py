"""Collectives of ranks that are threads, in a compiled loop and in one of Python: `python bench/meetings.py`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import weft

ranks = weft.distributed
TURNS = 5
SIZES = {1: 2000, 100: 2000, 10_000: 200, 100_000: 20}
"""Numbers, and how often they are sent in a turn."""


def reduced(x: Any, times: Any) -> Any:
    """A sum of all ranks, again and again."""
    for _ in range(times):
        x = ranks.all_reduce(x) / ranks.size()
    return x


def passed_on(x: Any, times: Any) -> Any:
    """To the next rank, again and again."""
    for _ in range(times):
        x = ranks.send_receive(x, 1, wrap=True)
    return x


def microseconds(function: Any, count: int, size: int, times: int) -> float:
    """How long one collective takes: the least of some turns."""
    mesh, args = ranks.Mesh.simulated(count), [(np.ones(size), np.int64(times))] * count
    turns = []
    for _ in range(TURNS + 1):  # the first one compiles
        start = time.perf_counter()
        mesh.run(function, args)
        turns.append(time.perf_counter() - start)
    return min(turns[1:]) / times * 1e6


def main() -> None:
    """Print a table."""
    weft.set_num_threads(1)
    print("| ranks | numbers | all_reduce, us | send_receive, us | all_reduce, not compiled, us |")
    print("|---|---|---|---|---|")
    for count in (2, 3):
        for size, times in SIZES.items():
            compiled = [microseconds(weft.function(f), count, size, times) for f in (reduced, passed_on)]
            plain = microseconds(reduced, count, size, max(times // 20, 10))
            row = " | ".join(f"{value:,.1f}" for value in [*compiled, plain])
            print(f"| {count} | {size:,} | {row} |", flush=True)


if __name__ == "__main__":
    main()
