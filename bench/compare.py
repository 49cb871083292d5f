"""Measure weft beside its peers (NumPy, Numba, JAX, ...) on one pinned core, and write a table and a plot.

`python bench/compare.py [workload ...]` measures some of the workloads and prints them; all of them, without
arguments, are written to bench/results/peers.md, peers.png and peers.svg. Candidates that are not
installed are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from harness import machine, pin_to_one_core, processor

pin_to_one_core()

from limits import bytes_per_second, flops_per_second, least_seconds  # noqa: E402
from plot import draw  # noqa: E402
from start_up import StartUp, start_up  # noqa: E402
from workloads import WORKLOADS, Workload  # noqa: E402

HERE = pathlib.Path(__file__).parent
RESULTS = HERE / "results"
PEERS = {name: name for name in ("numpy", "numba", "jax", "torch", "tensorflow", "pythran", "dace")}
"""The candidates and the packages they need; the last two also need a compiler of C++."""

BESIDE = {"numba_fastmath": "numba"}
"""What is shown and is no peer, as it promises less."""

ROUNDS = 15
SECONDS_A_ROUND = 0.02


class Candidate:
    """A process that runs one candidate, written in a folder `bench/` and installed for a Python."""

    def __init__(
        self,
        name: str,
        bench: pathlib.Path = HERE,
        python: str = sys.executable,
        title: str | None = None,
        family: str | None = None,
    ) -> None:
        self.name = title or name
        self._process = subprocess.Popen(
            [python, str(bench / "worker.py"), name, *([family] if family else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=bench,
        )
        self.ready = "ready" in self._answer()
        """False where it could not be imported or compiled."""

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return {"error": "the process ended"}
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the process ended"}
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@dataclass
class Measured:
    """The medians of one workload, in seconds a call, by candidate."""

    workload: Workload
    seconds: dict[str, float] = field(default_factory=dict)
    compile: dict[str, float] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    least: float | None = None

    @property
    def best_peer(self) -> str:
        """The fastest of the others."""
        return min((name for name in self.seconds if name in PEERS), key=self.seconds.__getitem__)

    @property
    def ratio(self) -> float:
        """The best peer's time divided by ours."""
        return self.seconds[self.best_peer] / self.seconds["weft"]


def measure(workload: Workload, candidates: list[Candidate]) -> Measured:
    """Check every candidate's result, then time them in turns."""
    result = Measured(workload)
    counts: dict[Candidate, int] = {}
    digests: dict[str, Any] = {}
    for candidate in candidates:
        if workload.slow and candidate.name == "numpy":
            continue  # seconds a call, run by Python
        prepared = candidate.ask(do="prepare", name=workload.name)
        if "compile" in prepared:
            result.compile[candidate.name] = prepared["compile"]
            digests[candidate.name] = prepared["digest"]
            counts[candidate] = max(1, int(SECONDS_A_ROUND / max(prepared["again"], 1e-7)))
        elif "error" in prepared:
            result.errors[candidate.name] = prepared["error"]
    if "weft" in result.errors:
        raise SystemExit(f"weft fails on {workload.name}: {result.errors['weft']}")
    if workload.slow and any(digest != digests["weft"] for digest in digests.values()):
        raise SystemExit(f"the candidates disagree about {workload.name}: {digests}")
    for candidate in counts:  # how often fits a round, now that everything is warm
        seconds = candidate.ask(do="time", name=workload.name, count=min(counts[candidate], 50))["seconds"]
        counts[candidate] = max(1, int(SECONDS_A_ROUND / seconds))
    samples: dict[str, list[float]] = {candidate.name: [] for candidate in counts}
    for _ in range(ROUNDS):
        for candidate, count in counts.items():
            samples[candidate.name].append(
                candidate.ask(do="time", name=workload.name, count=count)["seconds"]
            )
    result.seconds = {name: statistics.median(times) for name, times in samples.items()}
    result.least = least_seconds(workload.flops, workload.bytes, workload.dtype)
    return result


def readable(seconds: float | None) -> str:
    """A time in a unit that suits it."""
    if seconds is None:
        return ""
    for factor, unit in ((1e9, "ns"), (1e6, "us"), (1e3, "ms")):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def table(measured: list[Measured], names: list[str]) -> str:
    """Times of all candidates, and what they mean for us."""
    lines = [
        f"| workload | {' | '.join(names)} | best peer / weft | goal | NumPy / weft | machine's limit / weft |",
        "|---" * (len(names) + 5) + "|",
    ]
    for m in measured:
        times = [readable(m.seconds.get(name)) for name in names]
        numpy = f"{m.seconds['numpy'] / m.seconds['weft']:.2f}" if "numpy" in m.seconds else ""
        limit = f"{m.least / m.seconds['weft']:.0%}" if m.least else ""
        verdict = (
            f"**{m.ratio:.2f}** ({m.best_peer})"
            if m.ratio >= m.workload.goal
            else f"{m.ratio:.2f} ({m.best_peer})"
        )
        lines.append(
            f"| {m.workload.title} | {' | '.join(times)} | {verdict} | {m.workload.goal} | {numpy} | {limit} |"
        )
    return "\n".join(lines)


def compile_table(measured: list[Measured], names: list[str]) -> str:
    """What the first call of every candidate cost more than the second."""
    compilers = [name for name in names if name not in ("numpy", *BESIDE)]
    lines = [f"| first call | {' | '.join(compilers)} |", "|---" * (len(compilers) + 1) + "|"]
    lines += [
        f"| {m.workload.title} | {' | '.join(readable(m.compile.get(name)) for name in compilers)} |"
        for m in measured
    ]
    return "\n".join(lines)


def start_up_table(rows: list[StartUp]) -> str:
    """Import and first call of a chain in fresh processes."""
    lines = ["| candidate | beyond NumPy's import |", "|---|---|"]
    return "\n".join([*lines, *(f"| {row.candidate} | {readable(row.seconds)} |" for row in rows)])


def report(measured: list[Measured], names: list[str], starts: list[StartUp]) -> str:
    """The whole page."""
    missing = [f"* {m.workload.title}: {name}: {error}" for m in measured for name, error in m.errors.items()]
    return "\n\n".join(
        [
            "# weft and its peers",
            f"{machine()} Every candidate has a process of its own; they take turns on that core, and each one's "
            "results are checked against NumPy.",
            f"The machine's limit is {flops_per_second() / 1e9:.0f} GFLOP/s of float32, or the speed of a copy of as "
            f"many bytes as the workload must touch ({bytes_per_second(8_000_000) / 1e9:.0f} GB/s at 8 MB); which of "
            "the two takes longer. A transcendental function counts as one operation. Peers have their arrays on their "
            "own device beforehand, but for the two rows about calls. All run with their default guarantees; Numba's "
            "`fastmath` is shown beside them.",
            table(measured, names),
            "![weft and its peers](peers.svg)",
            "## The first call",
            "Tracing or type inference, and compiling, in a process where everything is imported; disk caches are off.",
            compile_table(measured, names),
            "## A fresh process",
            "Import and the first compiled call of an elementwise chain on 1,000 elements; medians of fresh processes.",
            start_up_table(starts),
            *(["## What failed", "\n".join(missing)] if missing else []),
        ]
    )


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("workloads", nargs="*", help="names of workloads; all by default")
    packages = PEERS | BESIDE
    parser.add_argument("--peers", nargs="*", default=list(packages), help="what to compare with")
    options = parser.parse_args()
    names = ["weft", *(name for name in options.peers if importlib.util.find_spec(packages[name]))]
    started = [Candidate(name) for name in names]
    candidates = [candidate for candidate in started if candidate.ready]
    for candidate in started:
        if not candidate.ready:
            print(f"{candidate.name} is left out: it could not be imported or compiled", flush=True)
    names = [candidate.name for candidate in candidates]
    chosen = [w for w in WORKLOADS if not options.workloads or w.name in options.workloads]
    measured = []
    for workload in chosen:
        measured.append(measure(workload, candidates))
        print(table(measured[-1:], names).splitlines()[-1], measured[-1].errors or "", flush=True)
    for candidate in candidates:
        candidate.close()
    if not options.workloads:
        page = report(measured, names, start_up(names))
        (RESULTS / "peers.md").write_text(page + "\n")
        draw(measured, names, processor(), RESULTS / "peers")
        print(page)


if __name__ == "__main__":
    main()
