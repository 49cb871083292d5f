"""The page and the picture of a check, made of its lines of JSON anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .picture import draw

Line = Mapping[str, Any]
COPY = "copy"
"""Stands beside the peers: a copy of as many bytes."""
_WAYS = (COPY, "torch", "torch.compile", "triton", "jax.jit", "cupy", "numba.cuda")
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
    parts += [*_driver(lines), *_speeds(measured), *_backends(lines), *_counters(lines), *_not_run(lines)]
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
        "Made of what `python3 integrations/weft_emulator build/gpu` has written there ([how](../../docs/gpu.md)).",
    ]


def _summary(lines: Sequence[Line]) -> list[str]:
    rows = ["| part | right | wrong | not run |", "|---|---|---|---|"]
    for part in dict.fromkeys(line["part"] for line in lines):
        for tool in dict.fromkeys(line.get("tool", "") for line in lines if line["part"] == part):
            own = [line for line in lines if line["part"] == part and line.get("tool", "") == tool]
            right, missed = (sum(bool(line.get(key)) for line in own) for key in ("ok", "not_run"))
            name = f"{part}, {tool}" if tool else part
            rows.append(f"| {name} | {right} | {len(own) - right - missed} | {missed or ''} |")
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
        part = ", ".join(str(line[key]) for key in ("part", "peer", "tool", "how") if key in line)
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
    if "step_nanoseconds" in line:
        rows += [
            f"| an operation of one thread that waits for the last | {1e-3 * line['step_nanoseconds']:.4f} |",
            f"| a megabyte from the host | {1e3 / line['gigabytes_per_second_in']:.1f} |",
            f"| a megabyte to the host | {1e3 / line['gigabytes_per_second_out']:.1f} |",
        ]
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
        "Medians of 50 runs (of fewer where they take seconds) by events on the device, behind a copy that fills its "
        "caches with other things; of JAX by the clock of the host, ten calls at a time. Above 1: the peer takes "
        "longer.",
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


def _backends(lines: Sequence[Line]) -> list[str]:
    """What computes each program in other libraries, and what else they have for it."""
    found = [line for line in lines if line["part"] == "peers" and line.get("backend_of")]
    if not found:
        return []
    rows = ["", "## What peers run", "", "| program | library | by | µs | others |", "|---|---|---|---|---|"]
    for line in found:
        for way, backend in line["backend_of"].items():
            others = (
                f"{name}: {other if isinstance(other, str) else f'{other:.1f}'}"
                for name, other in line.get("others", {}).items()
                if name != backend
            )
            cells = [
                line["program"],
                way,
                backend,
                f"{line['microseconds_of'][way]:.1f}",
                _cell("; ".join(others)),
            ]
            rows.append(f"| {' | '.join(cells)} |")
    return rows


def _counters(lines: Sequence[Line]) -> list[str]:
    """What the hardware counted of some kernels."""
    found = [line for line in lines if line["part"] == "counters" and line.get("kernels")]
    if not found:
        return []
    rows = ["", "## Counters of the hardware", "", "| program | kernel | |", "|---|---|---|"]
    for line in found:
        for kernel, counters in line["kernels"].items():
            text = "; ".join(f"{name}: {value}" for name, value in counters.items())
            rows.append(f"| {line['program']} | {kernel} | {_cell(text)} |")
    return rows


def _not_run(lines: Sequence[Line]) -> list[str]:
    """What was left out, by its reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        if "not_run" in line:
            part = f"{line['part']}, {line['tool']}" if "tool" in line else str(line["part"])
            name = line.get("program") or line.get("peer") or ""
            reasons.setdefault((part, line["not_run"]), []).append(str(name))
    if not reasons:
        return []
    rows = ["", "## What was not run", "", "| part | | why |", "|---|---|---|"]
    for (part, reason), names in reasons.items():
        rows.append(f"| {part} | {_cell(', '.join(dict.fromkeys(filter(None, names))))} | {_cell(reason)} |")
    return rows


__all__ = ["page", "speeds", "write_report"]
