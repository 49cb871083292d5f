"""Measure what two threads gain over one: both ways in one process, in turns.

`python bench/threads.py` prints the table and writes it to bench/results/threads.md.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any

from harness import keep_freed_memory, machine, median_times

os.environ.setdefault("WEFT_NUM_THREADS", "2")
keep_freed_memory()

import numpy as np  # noqa: E402
from peers import numpy_programs as programs  # noqa: E402
from peers.weft_programs import conv  # noqa: E402
from workloads import workload  # noqa: E402

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results"
GOAL = 1.7


def with_threads(count: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
    """A call on a number of threads."""

    def call() -> Any:
        weft.set_num_threads(count)
        return function(*arguments)

    return call


def cases() -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """Products, a convolution, chains and reductions."""
    million, square = workload("chain"), workload("softmax")
    ten_million = (np.tile(million.arguments()[0], 10), *million.arguments()[1:])
    return [
        *(
            (f"matmul {n}", programs.matmul, workload(f"matmul_{n}").arguments())
            for n in (128, 256, 512, 1024)
        ),
        (workload("conv").title, conv, workload("conv").arguments()),
        (million.title, programs.chain, million.arguments()),
        (million.title.replace("1e6", "1e7"), programs.chain, ten_million),
        (square.title, programs.softmax, square.arguments()),
        (workload("layernorm").title, programs.layernorm, workload("layernorm").arguments()),
        (workload("column_sum").title, programs.column_sum, workload("column_sum").arguments()),
        (workload("training_step").title, programs.training_step, workload("training_step").arguments()),
    ]


def main() -> None:
    """Measure, print and write."""
    lines = ["| workload | one thread | two threads | ratio |", "|---|---|---|---|"]
    for title, function, arguments in cases():
        compiled = weft.function(function)
        one, two = median_times([with_threads(n, compiled, arguments) for n in (1, 2)], rounds=15)
        row = f"| {title} | {one * 1e6:.0f} us | {two * 1e6:.0f} us | {one / two:.2f} |"
        print(row, flush=True)
        lines.append(row)
    page = (
        f"# Two threads\n\n{machine('Two cores')} The goal for large work is {GOAL}.\n\n"
        + "\n".join(lines)
        + "\n"
    )
    (RESULTS / "threads.md").write_text(page)


if __name__ == "__main__":
    main()
