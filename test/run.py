"""Run every check of the project and end with a summary: `python test/run.py [--fast] [step ...]`.

With `--fast`, one FileCheck test and one test of pytest of every folder run, as `support/fast.py` says. Steps that fail
do not stop the others; the exit status is 1 when any failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from support.fast import lit_tests

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("dialect", "passes", "backend", "frontend", "tools")
TYPES, LIT = "types", "lit"
SCRIPTS = Path(sysconfig.get_path("scripts"))


@dataclass(frozen=True)
class Outcome:
    """How one step ended."""

    step: str
    passed: bool
    seconds: float
    cpu_seconds: float
    """Those of processors; 0 on Windows, where those of other processes are not known."""


def tool(name: str, *arguments: str) -> list[str]:
    """The command line of a tool that is installed next to this Python."""
    return [str(SCRIPTS / name), *arguments]


def types_command() -> list[str]:
    """The mypy command line; it finds the package through a link, as a clone need not be called `weft`."""
    link = ROOT / ".mypy_cache" / "source" / "weft"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(ROOT, target_is_directory=True)
    packages = [argument for room in ROOMS for argument in ("-p", f"weft.{room}")]
    return tool("mypy", "-m", "weft", *packages, "-p", "keras_weft", "-p", "weft_emulator")


def commands(fast: bool) -> dict[str, list[str]]:
    """Every step by name, the quick ones first."""
    part_of_lit = ["-j", "1", *lit_tests()] if fast else ["-j", "2", "test"]
    part_of_pytest = ["--fast"] if fast else []
    return {
        "format": tool("ruff", "format", "--check", "."),
        "lint": tool("ruff", "check", "."),
        "types": types_command(),
        "lit": tool("lit", "--quiet", *part_of_lit),
        "pytest": tool(
            "pytest", "--quiet", "-n", "2", "--dist", "worksteal", "--cpu-seconds=20", *part_of_pytest
        ),
    }


def run(step: str, command: list[str]) -> Outcome:
    """Run one step in the root of the repository, its output going straight to ours."""
    print(f"== {step}", flush=True)
    start, spent = time.monotonic(), cpu_seconds()
    status = subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode
    return Outcome(step, status == 0, time.monotonic() - start, cpu_seconds() - spent)


def run_beside(step: str, command: list[str], other: Callable[[], Outcome]) -> list[Outcome]:
    """Run one step while another one runs; its output follows that of the other."""
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdout=output, stderr=subprocess.STDOUT
        )
        outcome = other()
        spent = cpu_seconds()
        status = process.wait()
        output.seek(0)
        print(f"== {step}", output.read(), sep="\n", end="", flush=True)
    return [outcome, Outcome(step, status == 0, time.monotonic() - start, cpu_seconds() - spent)]


def environment() -> dict[str, str]:
    """What the steps find in their environment."""
    own = (ROOT / "integrations" / name for name in ("keras_weft", "weft_emulator"))
    sources = (ROOT / ".mypy_cache" / "source", *own)
    variables = os.environ | {"MYPYPATH": os.pathsep.join(map(str, sources))}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes import the package
    return variables


def cpu_seconds() -> float:
    """The seconds of processors that ended processes of ours have taken."""
    times = os.times()
    return times.children_user + times.children_system


def main() -> int:
    """Run the steps named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "steps", nargs="*", help=f"what to run, all by default: {', '.join(commands(fast=False))}"
    )
    parser.add_argument("--fast", action="store_true", help="run a part that covers every room once")
    options = parser.parse_args()
    steps = commands(options.fast)
    chosen = options.steps or list(steps)
    if unknown := [step for step in chosen if step not in steps]:
        parser.error(f"unknown steps {', '.join(unknown)}; there are {', '.join(steps)}")
    outcomes: list[Outcome] = []
    beside = {TYPES, LIT} <= set(chosen)  # the one runs on one core only, and the other ends with one
    for step in chosen:
        if beside and step == TYPES:
            continue
        if beside and step == LIT:
            outcomes += run_beside(TYPES, steps[TYPES], partial(run, step, steps[step]))
        else:
            outcomes.append(run(step, steps[step]))
    print("== summary")
    for outcome in outcomes:
        verdict = "ok" if outcome.passed else "FAILED"
        print(
            f"{outcome.step:8} {verdict:8} {outcome.seconds:6.1f} s, {outcome.cpu_seconds:6.1f} s of processors"
        )
    return 0 if all(outcome.passed for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
