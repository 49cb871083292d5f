"""What the compilation of whole programs takes, by what works: Python that records, weft's passes, MLIR's, and LLVM.

Part of `bench/compile_time.py`. The programs are those of `test/programs`.
"""

from __future__ import annotations

import gc
import pathlib
import statistics
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import weft
from weft.backend.cpu.pipeline import ALL_PASSES, text_passes
from weft.passes.timing import CompileTimes

_LLVM = ("translate", "llvm-optimise", "llvm-codegen", "link")
"""The phases that are LLVM's; everything that is no phase of LLVM's, no pass and no tracing is weft's."""

WORKERS = ("Python: tracing", "Python: weft's passes", "MLIR's passes", "LLVM")


def by_worker(times: CompileTimes) -> tuple[float, ...]:
    """The seconds of a compilation for each of `WORKERS`."""
    leaves = list(_leaves(times))
    mlir = sum(seconds for name, seconds in leaves if _is_upstream(name))
    llvm = sum(seconds for name, seconds in leaves if name in _LLVM)
    tracing = times["trace"]
    return tracing, times.total - tracing - mlir - llvm, mlir, llvm


def _leaves(times: CompileTimes) -> Iterator[tuple[str, float]]:
    """The phases that have none inside."""
    for name, seconds in times.items():
        inner = times.within(name)
        if inner:
            yield from _leaves(inner)
        else:
            yield name, seconds


def _is_upstream(name: str) -> bool:
    """Whether a phase runs passes of MLIR's: one, two, or those from one to another."""
    first = name.partition(" to ")[0].partition(",")[0]
    return first not in ALL_PASSES and first not in (
        *_LLVM,
        "trace",
        *(text_pass.name for text_pass in text_passes()),
    )


def rows() -> list[tuple[str, tuple[float, ...]]]:
    """For each program the milliseconds of `WORKERS`, the least of three compilations; the longest first."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "test"))
    from programs.catalogue import PROGRAMS

    def compiled(program: Any) -> CompileTimes:
        gc.collect()
        arguments = program.arguments(program.sizes[-1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return weft.function(program.function).get_concrete_function(*arguments).compile_times

    compiled(PROGRAMS[0])  # what is loaded at a process's first compilation is not that of a program
    found = []
    for program in PROGRAMS:
        times = min((compiled(program) for _ in range(3)), key=lambda times: times.total)
        found.append((program.name, tuple(1e3 * seconds for seconds in by_worker(times))))
    return sorted(found, key=lambda row: -sum(row[1]))


def table() -> Iterator[str]:
    """The lines of the table."""
    measured = rows()
    totals = [sum(parts) for _, parts in measured]
    yield "\n## Programs: milliseconds by what works, the least of three compilations\n"
    yield f"| program | {' | '.join(WORKERS)} | total |"
    yield "|---" * (len(WORKERS) + 2) + "|"
    for name, parts in measured:
        yield f"| {name} | {' | '.join(f'{part:.0f}' for part in (*parts, sum(parts)))} |"
    shares = [sum(parts[place] for _, parts in measured) / sum(totals) for place in range(len(WORKERS))]
    yield f"| share of all | {' | '.join(f'{100 * share:.0f} %' for share in shares)} | |"
    yield f"\nMedian {statistics.median(totals):.0f} ms, most {max(totals):.0f} ms, of {len(totals)} programs."
