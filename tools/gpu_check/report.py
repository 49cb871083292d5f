"""The page and the picture of a check, made of its lines of JSON anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .picture import draw

Line = Mapping[str, Any]
COPY = "copy"
"""Stands beside the peers: a copy of as many bytes."""
_WAYS = (COPY, "torch", "torch.compile", "jax.jit", "cupy", "numba.cuda")
_OWN_OVERHEAD = "bench/gpu/call_overhead.py"


def write_report(lines: Sequence[Line], folder: Path) -> str:
    """Write `gpu.md` and, where something was measured, `gpu.svg`; the text of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    measured = speeds(lines)
    machine = next((line for line in lines if line["part"] == "machine" and line.get("ok")), {})
    if measured:
        name = str(machine.get("device", "a GPU"))
        (folder / "gpu.svg").write_text(draw({title: row for title, row, _ in measured}, name))
    text = page(lines, machine, measured)
    (folder / "gpu.md").write_text(text)
    return text


Speed = tuple[str, dict[str, float], Line]
"""A program, the microseconds of weft and of each peer, and its line."""


def speeds(lines: Sequence[Line]) -> list[Speed]:
    """What was measured of each program whose results are right, with what peers took for it."""
    peers: dict[str, dict[str, float]] = {}
    for line in lines:
        if line["part"] == "peers" and line.get("ok"):
            peers.setdefault(line["program"], {}).update(line["microseconds_of"])
    found = []
    for line in lines:
        if line["part"] == "speed" and line.get("ok"):
            times = {"weft": line["microseconds"], COPY: line["copy_microseconds"]}
            name = str(line["program"])
            found.append((name, times | peers.get(name.partition(" ")[0], {}), line))
    return found


def page(lines: Sequence[Line], machine: Line, measured: Sequence[Speed]) -> str:
    """The page in Markdown."""
    parts = ["# On a GPU", "", *_machine(machine), "", *_summary(lines), "", *_failures(lines)]
    parts += [*_driver(lines), *_speeds(measured)]
    return "\n".join(parts).rstrip() + "\n"


def _machine(machine: Line) -> list[str]:
    if not machine:
        return ["It is not known on which GPU: part `machine` did not run."]
    told = machine.get("nvidia_smi", {})
    clocks = f"{told.get('clocks.max.sm', '?')} and {told.get('clocks.max.mem', '?')} at most"
    versions = ", ".join(f"{name} {version}" for name, version in machine.get("versions", {}).items())
    cuda = machine["cuda"]
    return [
        f"{machine['device']} ({machine['target']}, {machine['multiprocessors']} multiprocessors, "
        f"{machine['memory_bytes'] / 2**30:.1f} GiB, {machine['l2_bytes'] >> 20} MiB of second level), "
        f"driver {told.get('driver_version', '?')} for CUDA {cuda // 1000}.{cuda % 1000 // 10}, clocks of "
        f"multiprocessors and memory {clocks}, Python {machine['python']}, {versions or 'no libraries'}.",
        "",
        "Made by `python3 -m tools.gpu_check build/gpu`, of which the results are lines of JSON.",
    ]


def _summary(lines: Sequence[Line]) -> list[str]:
    rows = ["| part | right | of |", "|---|---|---|"]
    for part in dict.fromkeys(line["part"] for line in lines):
        for tool in dict.fromkeys(line.get("tool", "") for line in lines if line["part"] == part):
            own = [line for line in lines if line["part"] == part and line.get("tool", "") == tool]
            skipped = [line["skipped"] for line in own if "skipped" in line]
            right = sum(bool(line.get("ok")) for line in own)
            what = f"not run: {skipped[0]}" if skipped else str(right)
            rows.append(f"| {part}{f', {tool}' if tool else ''} | {what} | {'' if skipped else len(own)} |")
    return rows


def _failures(lines: Sequence[Line]) -> list[str]:
    failed = [line for line in lines if line.get("ok") is False]
    if not failed:
        return []
    rows = ["## What is wrong", "", "| part | program | |", "|---|---|---|"]
    for line in failed:
        why = line.get("error") or f"it is off by {line.get('difference', 0):.3g}"
        if line.get("repeats") is False:
            why += "; two runs differ"
        part = f"{line['part']}{', ' + line['tool'] if 'tool' in line else ''}"
        rows.append(f"| {part} | {line.get('program', '')} | {_cell(why)} |")
    return [*rows, ""]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")[:400]


def _driver(lines: Sequence[Line]) -> list[str]:
    line = next((line for line in lines if line["part"] == "driver" and line.get("ok")), None)
    if line is None:
        return []
    rows = [
        "## Calls of the driver",
        "",
        "Microseconds of the host, asked for in C.",
        "",
        "| | µs |",
        "|---|---|",
    ]
    names = {
        "launch_microseconds": "a launch",
        "block_microseconds": "a block of memory, and to free it",
        "launch_and_wait_microseconds": "a launch, and a wait for its end",
        "wait_microseconds": "a wait for nothing",
        "read_microseconds": "a read of eight bytes",
    }
    rows += [f"| {text} | {line[name]:.2f} |" for name, text in names.items()]
    total = line["launch_microseconds"] + line["block_microseconds"]
    return [
        *rows,
        "",
        f"A call of one kernel with one result takes {total:.2f} µs of these, and what weft adds "
        f"(`{_OWN_OVERHEAD}`).",
        "",
    ]


def _speeds(measured: Sequence[Speed]) -> list[str]:
    if not measured:
        return []
    ways = [way for way in _WAYS if any(way in times for _, times, _ in measured)]
    head = ["program", "weft µs", "GB/s", "TFLOP/s", *(f"{way}, times weft's" for way in ways)]
    rows = ["## Speed", "", "![times of peers divided by weft's](gpu.svg)", ""]
    rows += [
        "Medians of 50 runs by events on the device, behind a copy that fills its caches with other things; of JAX by "
        "the clock of the host, ten calls at a time. Above 1: the peer takes longer.",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
    ]
    for name, times, line in measured:
        flops = f"{line['teraflops']:.3g}" if "teraflops" in line else ""
        cells = [name, f"{times['weft']:.1f}", f"{line['gigabytes_per_second']:.0f}", flops]
        cells += [f"{times[way] / times['weft']:.2f}" if way in times else "" for way in ways]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


__all__ = ["page", "speeds", "write_report"]
