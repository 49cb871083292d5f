"""How far the kernels of a corpus of programs go on the way to a GPU.

    python -m support.device_coverage [bench] [name...]

A line for how often the host reads; for each device kernel its program, its name, how it is spread over threads,
registers, bytes of spills and of stack; then a line for each kernel that stays with the host, and the sums.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from programs.catalogue import PROGRAMS

from support.device_code import device_code

BENCH = Path(__file__).parents[2] / "bench"
LIMIT = 120
"""Seconds for a program."""


def programs() -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """The programs of the tests, with arguments."""
    for program in PROGRAMS:
        yield program.name, program.function, tuple(program.arguments(program.sizes[-1]))


def bench_programs() -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """The programs of the bench, at its sizes."""
    sys.path.insert(0, str(BENCH))
    import peers.weft_programs as own
    import workloads
    from peers.numpy_programs import FUNCTIONS

    known = {**FUNCTIONS, "conv": own.conv}
    for workload in workloads.WORKLOADS:
        name = workload.name
        names = (name, name.rsplit("_", 1)[0], "mean_squared_error" if name.startswith("mse") else "")
        function = next((known[n] for n in names if n in known), None)
        if function is not None:
            yield (
                name,
                function,
                tuple(workload.make() if hasattr(workload, "make") else workload.arguments()),
            )


def report(function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[str]:
    """The lines of a program."""
    code = device_code(function, *arguments)
    assembled, schedules = code.assembled(), code.schedules
    lines = [f"reads | {code.reads}"]
    for kernel in code.kernels:
        found = assembled[kernel.name]
        numbers = f"{found.registers} registers | {found.spilled} spilled | {found.stack} stack"
        lines.append(f"device | {kernel.name} | {schedules.get(kernel.name, '?')} | {numbers}")
    return lines + [f"host | {name} | {reason}" for name, reason in code.on_host.items()]


def reported(function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[str]:
    """The lines of a program, made in a process of its own, which may crash."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(LIMIT)
        try:
            lines = report(function, arguments)
        except BaseException as error:  # what goes wrong is what this is for
            lines = [f"FAILED | {type(error).__name__}: {str(error)[:300]}".replace("\n", " ")]
        with os.fdopen(write, "w") as pipe:
            pipe.write("\n".join(lines))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return text.splitlines() if status == 0 else [f"FAILED | signal {status & 127}"]


def main(arguments: list[str]) -> None:
    """Print the lines of the programs, and how often there is what."""
    corpus = bench_programs() if "bench" in arguments else programs()
    wanted = [name for name in arguments if name != "bench"]
    counts: Counter[str] = Counter()
    for name, function, values in corpus:
        if wanted and name not in wanted:
            continue
        for line in reported(function, values):
            print(f"{name} | {line}", flush=True)
            kind, *rest = line.split(" | ")
            counts[kind] += int(rest[0]) if kind == "reads" else 1
            if kind == "device":
                counts[f"device: {rest[1].split(':')[0]}"] += 1
                counts["device with spills or stack"] += " 0 spilled | 0 stack" not in line
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")


if __name__ == "__main__":
    main(sys.argv[1:])
