"""The parts of the check, each in processes of its own, and where their results go.

It needs NumPy, a C compiler and the driver; neither MLIR nor LLVM. Each result is a line of JSON, on the output and in
a file, from which the page and the picture are made.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from . import counters, exchange, packed, peers
from .causes import blocked
from .conformance_cases import CASES
from .plan import COUNTED, FIRST, PARTS, RUNS, SANITIZED, SECONDS, TOOLS
from .report import write_report
from .results import Line, Results
from .workers import NO_TIME, find_tool, run_batch, run_sanitizer, warm_up


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; the exit code is 1 if something of them fails."""
    parser = argparse.ArgumentParser(prog="gpu_check", description=__doc__)
    parser.add_argument("directory", type=Path, help="what bench/gpu/pack.py has written")
    parser.add_argument(
        "--run", choices=list(RUNS), help="the first or the second run on a card (else all parts)"
    )
    parser.add_argument("--parts", nargs="*", choices=list(PARTS), help="only these parts")
    parser.add_argument("--only", nargs="*", help="names of programs")
    parser.add_argument("--emulator", action="store_true", help="run on the emulator, in the place of a GPU")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"for all parts together ({SECONDS})")
    out = os.environ.get("OUT")
    parser.add_argument(
        "--results",
        type=Path,
        default=Path(out) if out else None,
        help="the folder where results and the page go ($OUT, or DIRECTORY)",
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        from .worker import work

        return work(options)
    results = Results([options.directory, options.results or options.directory])
    parts = options.parts or (RUNS[options.run] if options.run else list(PARTS))
    with warm_up([] if options.emulator or "first" not in parts else peers.installed()):
        Check(options, results).run([part for part in PARTS if part in parts])
    print(write_report(results.lines, results.folder))
    return int(any(line.get("ok") is False for line in results.lines))


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

    def run(self, parts: Sequence[str]) -> None:
        """Run parts in their order; behind the first programs nothing, if none of them works."""
        ways: Mapping[str, Callable[[str, float], None]] = {
            "causes": self._causes,
            "again": self._again,
            "exchange": self._exchange,
            "peers": self._peers,
            "sanitizer": self._sanitizer,
            "counters": self._counters,
        }
        hopeless = False
        for part in parts:
            self._forget(part)
            seconds = min(PARTS[part].seconds, self._end - time.monotonic())
            if hopeless and part != "causes":
                self._results.say({"part": part, "not_run": "none of the first programs works"})
            elif seconds <= 0:
                self._results.say({"part": part, "not_run": NO_TIME})
            else:
                ways.get(part, self._programs)(part, seconds)
            if part == "first":
                hopeless = not any(line.get("ok") for line in self._results.lines if line["part"] == "first")

    def _forget(self, part: str) -> None:
        """Leave out what is known of a part that runs again."""
        only = self._options.only
        self._results.forget(
            lambda line: line["part"] == part and (not only or is_chosen(str(line.get("program", "")), only))
        )

    def _programs(self, part: str, seconds: float) -> None:
        """Run all programs of a part, shared by its workers."""
        names = self._names(part)
        count = PARTS[part].workers
        with ThreadPoolExecutor(count) as pool:
            shares = [names[number::count] for number in range(count)]
            list(pool.map(lambda share: self._batch(part, part, share, seconds), shares))

    def _names(self, part: str) -> list[str]:
        directory = self._options.directory
        if part in ("machine", "driver"):
            return [part]
        if part == "conformance":
            return self._chosen(list(CASES))
        every = packed.names_of(directory, packed.form_of(part))
        if part == "first":
            newest = packed.newest(every)
            every = [newest[name] for name in FIRST if name in newest]
        return self._chosen(every)

    def _chosen(self, names: Sequence[str]) -> list[str]:
        only = self._options.only
        return [name for name in names if not only or is_chosen(name, only)]

    def _batch(
        self,
        part: str,
        worker: str,
        names: Sequence[str],
        seconds: float,
        environment: Mapping[str, str] | None = None,
        **more: str,
    ) -> None:
        """Run programs by a worker; what it says is a line of the part."""

        def say(line: Mapping[str, Any]) -> None:
            self._results.say({"part": part, **more, **line})

        each = (
            seconds if self._options.emulator else PARTS[part].seconds_each
        )  # it is slow, which is not wrong
        run_batch(self._command(worker), names, each, seconds, say, environment)

    def _command(self, worker: str) -> list[str]:
        own = [sys.executable, "-m", "weft_emulator.gpu_check", str(self._options.directory.resolve())]
        return [*own, "--worker", worker, *(["--emulator"] if self._options.emulator else [])]

    def _each(
        self, part: str, jobs: Sequence[Any], run: Callable[[Any, float], Line], seconds: float
    ) -> None:
        """Run jobs of another program beside each other, each for as long as is left."""
        end = time.monotonic() + seconds

        def one(job: Any) -> None:
            left = min(PARTS[part].seconds_each, end - time.monotonic())
            self._results.say({"part": part, **run(job, left)})

        with ThreadPoolExecutor(PARTS[part].workers) as pool:
            list(pool.map(one, jobs))

    # What went wrong

    def _causes(self, part: str, seconds: float) -> None:
        """Why some of the first programs fail."""
        failed = self._failed("first")
        if failed:
            self._explain(part, failed, seconds)

    def _again(self, part: str, seconds: float) -> None:
        """What earlier parts, and earlier runs on this machine, found wrong."""
        names = dict.fromkeys(
            name for earlier in ("first", "correct", "speed") for name in self._failed(earlier)
        )
        self._explain(part, self._chosen(list(names)), seconds)

    def _failed(self, part: str) -> list[str]:
        lines = [line for line in self._results.lines if line["part"] == part and line.get("ok") is False]
        return [str(line["program"]) for line in lines]

    def _explain(self, part: str, names: Sequence[str], seconds: float) -> None:
        """Run each program while the host waits for every launch, then the first one under compute-sanitizer."""
        end = time.monotonic() + seconds
        environment = blocked(os.environ)
        for name in names:
            self._batch(
                part, "correct", [name], end - time.monotonic(), environment, how="CUDA_LAUNCH_BLOCKING=1"
            )
        sanitizer = None if self._options.emulator else find_tool("compute-sanitizer")
        if sanitizer and names:
            left = min(PARTS[part].seconds_each, end - time.monotonic())
            line = run_sanitizer(sanitizer, "memcheck", self._command("correct"), names[0], left)
            self._results.say({"part": part, "tool": "memcheck", "program": names[0], **line})

    # What other libraries and NVIDIA's tools tell

    def _absent(self, part: str, reasons: Mapping[str, str]) -> bool:
        """Say what is not there; whether nothing can run, as there is no GPU."""
        if self._options.emulator:
            self._results.say({"part": part, "not_run": "this is the emulator"})
            return True
        for name, reason in reasons.items():
            self._results.say({"part": part, "peer": name, "not_run": reason})
        return False

    def _exchange(self, part: str, seconds: float) -> None:
        reasons = peers.why_absent(exchange.LIBRARIES)
        if not self._absent(part, reasons):
            self._batch(part, part, [name for name in exchange.LIBRARIES if name not in reasons], seconds)

    def _peers(self, part: str, seconds: float) -> None:
        reasons = peers.why_absent(peers.PEERS)
        if self._absent(part, reasons):
            return
        end = time.monotonic() + seconds
        there = packed.newest(packed.names_of(self._options.directory, "large"))
        for peer in peers.PEERS:
            if peer not in reasons:
                own = [program for program in peers.programs_of(peer) if program in there]
                self._batch(part, f"peer:{peer}", self._chosen(own), end - time.monotonic(), peer=peer)

    def _sanitizer(self, part: str, seconds: float) -> None:
        sanitizer = find_tool("compute-sanitizer")
        reason = "" if sanitizer else "there is no compute-sanitizer"
        if self._absent(part, {"compute-sanitizer": reason} if reason else {}) or sanitizer is None:
            return
        newest = packed.newest(packed.names_of(self._options.directory, "small"))
        names = self._chosen([newest[name] for name in SANITIZED if name in newest])

        def run(job: tuple[str, str], left: float) -> Line:
            tool, name = job
            line = run_sanitizer(sanitizer, tool, self._command("correct"), name, left)
            return {"tool": tool, "program": name, **line}

        self._each(part, [(tool, name) for tool in TOOLS for name in names], run, seconds)

    def _counters(self, part: str, seconds: float) -> None:
        profiler = find_tool("ncu")
        reason = "" if profiler else "there is no ncu"
        if self._absent(part, {"ncu": reason} if reason else {}) or profiler is None:
            return
        newest = packed.newest(packed.names_of(self._options.directory, "large"))
        names = self._chosen([newest[name] for name in COUNTED if name in newest])
        self._each(
            part,
            names,
            lambda name, left: counters.count(profiler, self._command("once"), name, left),
            seconds,
        )


__all__ = ["Check", "is_chosen", "main"]
