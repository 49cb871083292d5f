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
GOAL = 1.8


def with_threads(count: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
    """A call on a number of threads."""

    def call() -> Any:
        weft.set_num_threads(count)
        return function(*arguments)

    return call


LARGE = (
    *(
        "matmul_128",
        "matmul_256",
        "matmul_512",
        "matmul_1024",
        "conv",
        "shifted_conv",
        "few_rows",
        "symmetric",
    ),
    *("scaled", "paired", "chain", "softmax", "layernorm", "mse_1e6", "column_sum", "row_max", "diffusion"),
    *("jacobi", "triangular_solve", "tridiagonal", "training_step"),
)
SMALL = ("matmul_10", "matmul_64", "mse_1e3", "lstm_step", "add_one")
"""Two threads are not to make these slower."""


def cases() -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """Programs of the comparison with peers, and a chain of 1e7 elements."""
    functions = programs.FUNCTIONS | {"conv": conv}
    large, small = (
        [(each.title, functions[each.name], each.arguments()) for each in map(workload, names)]
        for names in (LARGE, SMALL)
    )
    million = workload("chain")
    ten_million = (np.tile(million.arguments()[0], 10), *million.arguments()[1:])
    return [*large, (million.title.replace("1e6", "1e7"), programs.chain, ten_million), *small]


def _shown(seconds: float) -> str:
    microseconds = seconds * 1e6
    return f"{microseconds:.0f} us" if microseconds >= 100 else f"{microseconds:.3g} us"


def main() -> None:
    """Measure, print and write."""
    lines = ["| workload | one thread | two threads | ratio |", "|---|---|---|---|"]
    for title, function, arguments in cases():
        compiled = weft.function(function)
        one, two = median_times([with_threads(n, compiled, arguments) for n in (1, 2)], rounds=15)
        row = f"| {title} | {_shown(one)} | {_shown(two)} | {one / two:.2f} |"
        print(row, flush=True)
        lines.append(row)
    page = (
        f"# Two threads\n\n{machine('Two cores')} The goal for large work is {GOAL};\n"
        f"the last {len(SMALL)} rows are small: two threads are not to make them slower.\n\n"
        + "\n".join(lines)
        + "\n"
    )
    (RESULTS / "threads.md").write_text(page)


if __name__ == "__main__":
    main()
