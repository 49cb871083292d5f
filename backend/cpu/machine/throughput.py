"""How many cycles an iteration of a loop takes, by a model of the processor: `llvm-mca` of LLVM, where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache

from ....dialect.records import NamedTuple
from ...target import Target

MISSING = "there is no llvm-mca on this machine, which tells cycles of loops: install LLVM's tools (apt install llvm)"

SECONDS = 60
"""How long the simulation of a program may take."""


class Throughput(NamedTuple):
    """What the model says of a loop."""

    cycles: float
    """Of an iteration, when many follow each other and all data are in the first cache."""
    limit: str
    """What limits it: the busiest port of the processor, or "data dependencies", where each iteration waits."""


@cache
def find_llvm_mca() -> str | None:
    """The path of llvm-mca, the newest where there are several; None where there is none."""
    versions = [f"-{number}" for number in range(30, 13, -1)]
    return next((found for version in (*versions, "") if (found := shutil.which(f"llvm-mca{version}"))), None)


@cache
def version_of(path: str) -> str:
    """The version of an llvm-mca."""
    told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"LLVM version (\S+)", told)
    return found[1] if found else "unknown"


def throughput_of(loops: Mapping[str, Sequence[str]], target: Target) -> tuple[dict[str, Throughput], str]:
    """What the model says of loops, given as instructions, and what there is to say about that.

    A loop with an instruction that llvm-mca does not know is left out.
    """
    path = find_llvm_mca()
    if path is None:
        return {}, MISSING
    found: dict[str, Throughput] = {}
    told = f"cycles by llvm-mca {version_of(path)}, data in the first cache"
    for name, code in loops.items():
        command = [path, f"-mtriple={target.triple}", f"-mcpu={target.cpu}", "-bottleneck-analysis"]
        try:
            done = subprocess.run(
                command, input="\n".join(code), capture_output=True, text=True, check=False, timeout=SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return found, f"llvm-mca told nothing: {error}"
        if "not a recognized processor" in done.stderr:
            told = f"cycles by llvm-mca {version_of(path)} for a processor in general: it does not know {target.cpu}"
        if done.returncode == 0 and (one := read_report(done.stdout)):
            found[name] = one
    return found, told


_COUNT = re.compile(r"^(Iterations|Total Cycles): +(\d+)$", re.MULTILINE)
_RESOURCE = re.compile(r"^\[([\d.]+)\] +- (\S+)$", re.MULTILINE)
_PRESSURE = re.compile(r"^Resource pressure per iteration:\n(.*)\n(.*)$", re.MULTILINE)
_DEPENDENCIES = re.compile(r"- Register Dependencies +\[ ([\d.]+)% \]")


def read_report(text: str) -> Throughput | None:
    """The report of llvm-mca; None where it tells no cycles."""
    counts = {name: int(count) for name, count in _COUNT.findall(text)}
    table = _PRESSURE.search(text)
    if not counts.get("Iterations") or "Total Cycles" not in counts or table is None:
        return None
    cycles = counts["Total Cycles"] / counts["Iterations"]
    names = dict(_RESOURCE.findall(text))
    columns = zip(re.findall(r"\[([\d.]+)\]", table[1]), table[2].split(), strict=False)
    busy = {names[number]: float(share) for number, share in columns if share != "-" and number in names}
    port = max(busy, key=lambda name: busy[name], default="")
    waits = port == "" or busy[port] < 0.8 * cycles
    depends = any(float(share) > 0 for share in _DEPENDENCIES.findall(text))
    limit = "data dependencies" if waits and depends else port or "the number of instructions"
    return Throughput(round(cycles, 2), limit)
