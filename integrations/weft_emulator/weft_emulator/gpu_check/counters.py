"""What the counters of the hardware tell of the kernels of a program, by Nsight Compute (ncu)."""

from __future__ import annotations

import csv
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .workers import NO_TIME, ROOT

METRICS = {
    "gpu__time_duration.sum": "time",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": "multiprocessors, % of their peak",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": "memory, % of its peak",
    "dram__bytes.sum": "bytes of memory",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "warps, % of the most",
    "sm__inst_executed.sum": "instructions",
    "sm__inst_executed_pipe_tensor.sum": "instructions of tensor cores",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "bank conflicts",
    "launch__registers_per_thread": "registers",
    "launch__occupancy_limit_registers": "blocks that registers allow",
}
"""Counters, and what they are called on the page."""


def count(profiler: str, command: Sequence[str], name: str, seconds: float) -> dict[str, Any]:
    """The counters of each kernel of a program, which a worker runs once."""
    if seconds <= 0:
        return {"program": name, "not_run": NO_TIME}
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weft-gpu-") as folder:
        log = Path(folder) / "log"
        own = ["--csv", "--page", "raw", "--metrics", ",".join(METRICS), "--log-file", str(log)]
        own += ["--target-processes", "all", "--clock-control", "none"]
        try:
            done = subprocess.run(
                [profiler, *own, *command, "--only", name],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"program": name, "not_run": f"ncu takes more than {seconds:.0f} s"}
        text = log.read_text() if log.exists() else ""
    kernels = read_counters(text.splitlines())
    if not kernels:  # it may have no right to read them: that says nothing of the program
        said = [line for line in (text or done.stderr or done.stdout).splitlines() if line.strip()]
        return {"program": name, "not_run": f"ncu: {' | '.join(said[-3:])}"[:500]}
    return {"program": name, "ok": True, "kernels": kernels, "seconds": round(time.monotonic() - start, 1)}


def read_counters(lines: Iterable[str]) -> dict[str, dict[str, str]]:
    """The counters of kernels in what ncu prints: a row of names, one of units, one for each launch.

    >>> read_counters(['==PROF== ...', '"ID","Kernel Name","dram__bytes.sum"', '"","","Mbyte"', '"0","k","12.5"'])
    {'k': {'bytes of memory': '12.5 Mbyte'}}
    """
    rows = list(csv.reader(line for line in lines if line.startswith('"')))
    if len(rows) < 3 or "Kernel Name" not in rows[0]:
        return {}
    names, units, *launches = rows
    found = {}
    for launch in launches:
        values = dict(zip(names, zip(launch, units, strict=False), strict=False))
        kernel, _ = values["Kernel Name"]
        found[kernel] = {METRICS[n]: " ".join(values[n]).strip() for n in METRICS if n in values}
    return found


__all__ = ["METRICS", "count", "read_counters"]
