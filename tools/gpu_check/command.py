"""The parts of the check, each in processes of its own, and where their results go.

It needs NumPy, a C compiler and the driver; neither MLIR nor LLVM. Each result is a line of JSON, on the output and in
a file, from which the page and the picture are made.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from . import packed, peers
from .conformance_cases import CASES
from .exchange import LIBRARIES
from .report import write_report
from .workers import ROOT, run_batch, run_sanitizer

TOOLS = ("memcheck", "racecheck", "synccheck")
"""Of compute-sanitizer."""


class Part(NamedTuple):
    """How long a part may take."""

    seconds_each: float
    seconds: float


PARTS = {
    "machine": Part(60, 60),
    "correct": Part(40, 200),
    "conformance": Part(30, 90),
    "exchange": Part(60, 120),
    "driver": Part(40, 40),
    "speed": Part(60, 300),
    "peers": Part(90, 400),
    "sanitizer": Part(120, 400),
}
"""In the order in which they run: what is most worth knowing comes first."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; the exit code is 1 if something of them fails."""
    parser = argparse.ArgumentParser(prog="gpu_check", description=__doc__)
    parser.add_argument("directory", type=Path, help="what bench/gpu/pack.py has written")
    parser.add_argument("--parts", nargs="*", choices=list(PARTS), help="only these parts")
    parser.add_argument("--only", nargs="*", help="names of programs")
    parser.add_argument("--emulator", action="store_true", help="run on the emulator, in the place of a GPU")
    parser.add_argument("--seconds", type=float, default=1800, help="for all parts together (1800)")
    parser.add_argument(
        "--results", type=Path, help="where results go, and stay of other parts (DIRECTORY/results.jsonl)"
    )
    parser.add_argument("--report", type=Path, help="where gpu.md and gpu.svg go (beside the results)")
    parser.add_argument("--only-report", action="store_true", help="run nothing: write the page again")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        from .worker import work

        return work(options)
    results = Results(options.results or options.directory / "results.jsonl")
    if not options.only_report:
        check = Check(options, results)
        for part in PARTS:
            if not options.parts or part in options.parts:
                check.run(part)
    print(write_report(results.lines, options.report or results.path.parent))
    return int(any(line.get("ok") is False for line in results.lines))


class Results:
    """Lines of JSON in a file, to which those of parts that run again are written anew."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self.lines = [json.loads(line) for line in path.read_text().splitlines() if line]

    def begin(self, part: str, only: Sequence[str] | None) -> None:
        """Forget what is known of a part."""
        self.lines = [
            line
            for line in self.lines
            if line["part"] != part or (only and "program" in line and not is_chosen(line["program"], only))
        ]
        text = "".join(json.dumps(line) + "\n" for line in self.lines)
        self.path.write_text(text)

    def say(self, line: Mapping[str, Any]) -> None:
        """Add a line, at once: what follows may end everything."""
        with self._lock:
            self.lines.append(dict(line))
            shown = {name: value for name, value in line.items() if name != "results"}
            print(json.dumps(shown), flush=True)
            with self.path.open("a") as file:
                file.write(json.dumps(line) + "\n")


def is_chosen(name: str, only: Sequence[str]) -> bool:
    """Whether a program, which may have a target behind its name, is one of some.

    >>> is_chosen("sum sm_80", ["sum"]), is_chosen("sum sm_80", ["sum sm_90a"])
    (True, False)
    """
    return name in only or name.partition(" ")[0] in only


class Check:
    """The parts, with the time that is left for them."""

    def __init__(self, options: argparse.Namespace, results: Results) -> None:
        self._options = options
        self._results = results
        self._end = time.monotonic() + options.seconds

    def run(self, part: str) -> None:
        """Run a part."""
        self._results.begin(part, self._options.only)
        seconds = min(PARTS[part].seconds, self._end - time.monotonic())
        if seconds <= 0:
            self._results.say({"part": part, "skipped": "there was no time left for it"})
        elif part == "sanitizer":
            self._sanitizer(seconds)
        elif part == "peers":
            there = {name.split()[0] for name in packed.names_of(self._options.directory, "large")}
            for name in [] if self._options.emulator else peers.PEERS:
                own = [program for program in peers.programs_of(name) if program in there]
                self._batch(part, f"peer:{name}", own, min(seconds, self._end - time.monotonic()))
        elif part == "exchange":
            installed = [name for name in LIBRARIES if importlib.util.find_spec(name) is not None]
            self._batch(part, part, [] if self._options.emulator else installed, seconds)
        elif part in ("machine", "driver"):
            self._batch(part, part, [part], seconds)
        else:
            form = "large" if part == "speed" else "small"
            every = list(CASES) if part == "conformance" else packed.names_of(self._options.directory, form)
            self._batch(part, part, every, seconds)

    def _chosen(self, names: Sequence[str]) -> list[str]:
        only = self._options.only
        return [name for name in names if not only or is_chosen(name, only)]

    def _batch(self, part: str, worker: str, names: Sequence[str], seconds: float) -> None:
        chosen = names if part in ("machine", "driver") else self._chosen(names)
        command = self._command(worker)

        def say(line: Mapping[str, Any]) -> None:
            self._results.say({"part": part, **line})

        run_batch(command, list(chosen), PARTS[part].seconds_each, seconds, say)

    def _command(self, worker: str) -> list[str]:
        own = [sys.executable, "-m", "tools.gpu_check", str(self._options.directory.resolve())]
        return [*own, "--worker", worker, *(["--emulator"] if self._options.emulator else [])]

    def _sanitizer(self, seconds: float) -> None:
        program = shutil.which("compute-sanitizer")
        if program is None or self._options.emulator:
            why = "on the emulator" if self._options.emulator else "there is no compute-sanitizer"
            self._results.say({"part": "sanitizer", "skipped": why})
            return
        end = time.monotonic() + seconds
        every = self._chosen(packed.names_of(self._options.directory, "small"))
        names = list({name.split()[0]: name for name in reversed(every)}.values())[
            ::-1
        ]  # of the newest target

        def one(job: tuple[str, str]) -> None:
            tool, name = job
            left = min(PARTS["sanitizer"].seconds_each, end - time.monotonic())
            line = run_sanitizer(program, tool, self._command("correct"), name, left)
            self._results.say({"part": "sanitizer", "tool": tool, "program": name, **line})

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(one, [(tool, name) for tool in TOOLS for name in names]))


__all__ = ["PARTS", "ROOT", "main"]
