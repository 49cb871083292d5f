"""Measure what dynamic dimensions cost: the same function compiled for any size beside the one for this size.

`python bench/dynamic.py` prints the table and writes it to bench/results/dynamic.md.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness import keep_freed_memory, machine, median_times, pin_to_one_core

pin_to_one_core()
keep_freed_memory()

import numpy as np  # noqa: E402  (NumPy and its BLAS must see the pinning)
from peers import numpy_programs as programs  # noqa: E402
from workloads import workload  # noqa: E402

import weft  # noqa: E402

RESULTS = pathlib.Path(__file__).parent / "results"


@dataclass(frozen=True)
class Case:
    """A program, its arguments, and how much longer it may take when its sizes are not known."""

    title: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    at_most: float


def cases() -> list[Case]:
    """Chains, reductions and products."""

    def of(name: str, function: Callable[..., Any], at_most: float) -> Case:
        chosen = workload(name)
        return Case(chosen.title, function, chosen.arguments(), at_most)

    return [
        of("chain", programs.chain, 1.10),
        of("mse_1e6", programs.mean_squared_error, 1.10),
        of("softmax", programs.softmax, 1.10),
        of("layernorm", programs.layernorm, 1.10),
        of("column_sum", programs.column_sum, 1.10),
        of("row_max", programs.row_max, 1.10),
        *(of(f"matmul_{n}", programs.matmul, 1.15) for n in (64, 128, 256, 512, 1024)),
        of("matmul_bias_relu", programs.matmul_bias_relu, 1.15),
    ]


def for_any_size(case: Case) -> Callable[..., Any]:
    """The function compiled once for all extents."""
    signature = [weft.TensorSpec([None] * np.ndim(a), np.asarray(a).dtype) for a in case.arguments]
    return weft.function(case.function, input_signature=signature)


def main() -> None:
    """Measure, print and write."""
    lines = ["| workload | static | dynamic | dynamic / static | at most |", "|---|---|---|---|---|"]
    for case in cases():
        static, dynamic = weft.function(case.function), for_any_size(case)
        np.testing.assert_allclose(dynamic(*case.arguments), static(*case.arguments), rtol=1e-4, atol=1e-3)
        known, unknown = median_times(
            [lambda f=f, a=case.arguments: f(*a) for f in (static, dynamic)], rounds=25
        )
        times = f"{known * 1e6:.1f} us | {unknown * 1e6:.1f} us | {unknown / known:.2f}"
        row = f"| {case.title} | {times} | {case.at_most} |"
        print(row, flush=True)
        lines.append(row)
    page = f"# Dynamic dimensions\n\n{machine()}\n\n" + "\n".join(lines) + "\n"
    (RESULTS / "dynamic.md").write_text(page)


if __name__ == "__main__":
    main()
