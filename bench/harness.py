"""Timing that survives a noisy machine: candidates interleaved in one process on one core, medians compared."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Thunk = Callable[[], Any]


def pin_to_one_core() -> None:
    """Keep this process, and NumPy's BLAS in it, on one core; call before NumPy is imported."""
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def keep_freed_memory() -> None:
    """Let the allocator keep what is freed, for all candidates alike.

    glibc gives arrays of megabytes back to the system or not depending on what was freed before, and page faults
    then cost up to three times the computation: without this, the same program has two speeds.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        trim_threshold, mmap_threshold = -1, -3
        libc.mallopt(trim_threshold, 1 << 30)
        libc.mallopt(mmap_threshold, 1 << 30)


def median_times(
    candidates: Sequence[Thunk],
    rounds: int = 25,
    seconds_a_round: float = 0.01,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """The median seconds of a call of each candidate; every round times all of them in turn."""
    counts = []
    for candidate in candidates:
        candidate()
        start = clock()
        candidate()
        counts.append(max(1, int(seconds_a_round / max(clock() - start, 1e-7))))
    samples: list[list[float]] = [[] for _ in candidates]
    for _ in range(rounds):
        for sample, candidate, count in zip(samples, candidates, counts, strict=True):
            start = clock()
            for _ in range(count):
                candidate()
            sample.append((clock() - start) / count)
    return [statistics.median(sample) for sample in samples]


@dataclass(frozen=True)
class Row:
    """A measured figure: ours, what it is compared with, and the goal in words."""

    workload: str
    ours: str
    reference: str
    ratio: str
    goal: str


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| workload | weft | reference | ratio | goal |", "|---|---|---|---|---|"]
    lines += [f"| {r.workload} | {r.ours} | {r.reference} | {r.ratio} | {r.goal} |" for r in rows]
    return "\n".join(lines)


def in_fresh_process(script: str, repeats: int, environment: Mapping[str, str]) -> float:
    """Run a Python script in fresh processes on this core; the median of the seconds that each prints last.

    A first run, which is not counted, leaves byte code on disk, as an installation does.
    """
    kept = {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
    seconds = []
    for _ in range(repeats + 1):
        command = [sys.executable, script]
        result = subprocess.run(command, capture_output=True, text=True, check=True, env=kept)
        seconds.append(float(result.stdout.split()[-1]))
    return statistics.median(seconds[1:])


def processor() -> str:
    """The CPU's name, where the system tells, and its family, where it is known by the name that LLVM gives to it."""
    import llvmlite.binding as llvm

    from weft.backend.processors.families import family_of

    cpuinfo = pathlib.Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    name, family = (names or [platform.processor()])[0], family_of(llvm.get_host_cpu_name())
    return f"{name} ({family.family})" if family else name


def machine(cores: str = "One pinned core") -> str:
    """What a page was measured on, in a sentence."""
    packages = ("numpy", "numba", "jax", "torch", "tensorflow-cpu", "pythran", "dace")
    packages += ("llvmlite", "torch-mlir")
    installed = [package for package in packages if _is_installed(package)]
    versions = ", ".join(f"{package} {importlib.metadata.version(package)}" for package in installed)
    return f"{cores} of {processor()}, medians of one run; Python {platform.python_version()}, {versions}."


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
