"""Measure gradients, steps of trainings and random numbers beside NumPy, JAX and PyTorch on one pinned core.

`python bench/gradients.py [workload ...]` measures some of the workloads, or all, and notes what it finds in
bench/results/gradients.json; gradients.md, gradients.png and gradients.svg are made of what is noted. Candidates that
are not installed are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from compare import RESULTS, ROUNDS, SECONDS_A_ROUND, Candidate, readable
from gradient_workloads import GRADIENT, WORKLOADS, GradientWorkload
from harness import machine
from plot import draw

PEERS = {"numpy": "numpy", "jax": "jax", "torch": "torch"}
"""The candidates and the packages they need."""

COMPILERS = ("weft", "jax")
"""Those whose first calls are measured: torch.compile runs a compiler in processes of its own."""

WARM_UPS = ("recurrence" + GRADIENT, "table" + GRADIENT)
"""What a process compiles in front of a first call that is measured, so that everything is imported."""

NOTES = RESULTS / "gradients.json"


def candidate(name: str) -> Candidate:
    """A process that runs the gradients of a candidate."""
    return Candidate(name, family="gradients")


@dataclass
class Measured:
    """The medians of one workload, in seconds a step, by program and candidate."""

    workload: GradientWorkload
    programs: dict[str, dict[str, float]] = field(default_factory=dict)
    first_calls: dict[str, dict[str, float]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> dict[str, float]:
        """Those of the gradient, or of the step, by candidate."""
        return self.programs[self.workload.programs[-1]]

    @property
    def best_peer(self) -> str | None:
        """The fastest of the others, where there are others."""
        peers = [name for name in self.seconds if name != "weft"]
        return min(peers, key=self.seconds.__getitem__, default=None)

    @property
    def by_forward(self) -> float | None:
        """Our value and gradient divided by our value."""
        return (
            self.seconds["weft"] / self.programs[self.workload.name]["weft"]
            if self.workload.is_loss
            else None
        )


def measure(workload: GradientWorkload, candidates: list[Candidate]) -> Measured:
    """Compare the candidates' results, then time forward programs and gradients of all in turns."""
    result = Measured(workload)
    jobs = [
        (one, program)
        for program in workload.programs
        for one in _prepared(program, workload.tolerance, candidates, result.errors)
    ]
    counts = []
    for one, program in jobs:
        seconds = one.ask(do="time", name=program, count=1)["seconds"]
        counts.append(max(1, int(SECONDS_A_ROUND / seconds)))
    samples: list[list[float]] = [[] for _ in jobs]
    for _ in range(ROUNDS):
        for sample, (one, program), count in zip(samples, jobs, counts, strict=True):
            sample.append(one.ask(do="time", name=program, count=count)["seconds"] / workload.count)
    for (one, program), sample in zip(jobs, samples, strict=True):
        result.programs.setdefault(program, {})[one.name] = statistics.median(sample)
    return result


def _prepared(
    program: str, tolerance: float, candidates: list[Candidate], errors: dict[str, str]
) -> list[Candidate]:
    """The candidates that have a program, compiled; their results are compared with weft's."""
    digests = {}
    for one in candidates:
        answer = one.ask(do="prepare", name=program)
        if "compile" in answer:
            digests[one] = answer["digest"]
        elif "error" in answer:
            errors[one.name] = answer["error"]
    own = {one.name: digest for one, digest in digests.items()}.get("weft")
    if own is None:
        raise SystemExit(f"weft fails on {program}: {errors}")
    for one, digest in digests.items():
        if not _agree(digest, own, tolerance):
            raise SystemExit(f"{one.name} and weft disagree about {program}: {digest}, {own}")
    return list(digests)


def _agree(one: Any, other: Any, tolerance: float) -> bool:
    one, other = np.array(one), np.array(other)
    scale = np.abs(other).max()
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=tolerance, atol=tolerance * scale))


def first_calls(measured: Measured, processes: int) -> None:
    """Measure what the first calls cost more than the second ones, each in fresh processes in which all is imported."""
    for program in measured.workload.programs:
        for name in COMPILERS:
            if name not in measured.programs[program]:
                continue
            seconds = []
            for _ in range(processes):
                one = candidate(name)
                one.ask(
                    do="prepare", name=next(w for w in WARM_UPS if not w.startswith(measured.workload.name))
                )
                seconds.append(one.ask(do="prepare", name=program)["compile"])
                one.close()
            measured.first_calls.setdefault(program, {})[name] = statistics.median(seconds)


def table(measured: list[Measured], names: list[str]) -> str:
    """Times of value and gradient of all candidates, and what they mean for us."""
    lines = [
        "| value and gradient | weft's value | by it | at most "
        f"| {' | '.join(names)} | best peer / weft | goal |",
        "|---" * (len(names) + 6) + "|",
    ]
    for m in measured:
        forward = readable(m.programs[m.workload.name]["weft"]) if m.workload.is_loss else ""
        ratio, at_most = m.by_forward, m.workload.at_most
        by = (
            ""
            if ratio is None
            else f"{ratio:.2f}"
            if at_most is None or ratio > at_most
            else f"**{ratio:.2f}**"
        )
        times = " | ".join(readable(m.seconds.get(name)) for name in names)
        lines.append(
            f"| {m.workload.title} | {forward} | {by} | {at_most or ''} | {times} | {_verdict(m)} | {m.workload.goal} |"
        )
    return "\n".join(lines)


def _verdict(measured: Measured) -> str:
    peer = measured.best_peer
    if peer is None:
        return ""
    ratio = measured.seconds[peer] / measured.seconds["weft"]
    return f"**{ratio:.2f}** ({peer})" if ratio >= measured.workload.goal else f"{ratio:.2f} ({peer})"


def first_call_table(measured: list[Measured]) -> str:
    """First calls of values and of gradients, by compiler."""
    columns = " | ".join(f"{name}: value | gradient | ratio" for name in COMPILERS)
    lines = [f"| first call | {columns} |", "|---" * (3 * len(COMPILERS) + 1) + "|"]
    for m in measured:
        if not m.first_calls:
            continue
        cells = [m.workload.title]
        for name in COMPILERS:
            both = [m.first_calls.get(program, {}).get(name) for program in m.workload.programs]
            value, gradient = both if m.workload.is_loss else (None, both[0])
            ratio = f"{gradient / value:.2f}" if gradient and value else ""
            cells += [readable(value), readable(gradient), ratio]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def report(measured: list[Measured], names: list[str]) -> str:
    """The whole page."""
    missing = [f"* {m.workload.title}: {name}: {error}" for m in measured for name, error in m.errors.items()]
    return "\n\n".join(
        [
            "# Gradients",
            f"{machine()} Times are those of the processor. The machine was shared with other work, which still "
            "empties caches: each line is a run of its own, whose candidates took turns. Every candidate has a process "
            "of its own; values are checked against NumPy, gradients and trained parameters against each other. NumPy, "
            "which has no gradients, draws the random numbers. Trainings write to their arrays in weft and PyTorch; in "
            "JAX they give their memory back. PyTorch runs the LSTM's loop in Python.",
            table(measured, names),
            "![gradients in weft and its peers](gradients.svg)",
            "## The first call",
            "Tracing and compiling, in a process where everything is imported; disk caches are off.",
            first_call_table(measured),
            *(["## What failed", "\n".join(missing)] if missing else []),
        ]
    )


def noted() -> dict[str, Measured]:
    """What was measured before, by workload."""
    notes = json.loads(NOTES.read_text()) if NOTES.exists() else {}
    return {w.name: Measured(w, **notes[w.name]) for w in WORKLOADS if w.name in notes}


def note(found: Measured) -> None:
    """Write down what was measured of one workload, and the page of all."""
    all_found = noted() | {found.workload.name: found}
    measured = [all_found[w.name] for w in WORKLOADS if w.name in all_found]
    rows = {m.workload.name: {k: v for k, v in asdict(m).items() if k != "workload"} for m in measured}
    NOTES.write_text(json.dumps(rows, indent=1) + "\n")
    names = [name for name in ("weft", *PEERS) if any(name in m.seconds for m in measured)]
    (RESULTS / "gradients.md").write_text(report(measured, names) + "\n")
    draw(measured, names, RESULTS / "gradients")


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("workloads", nargs="*", help="names of workloads; all by default")
    parser.add_argument("--peers", nargs="*", default=list(PEERS), help="what to compare with")
    parser.add_argument(
        "--processes", type=int, default=3, help="in how many processes first calls are measured"
    )
    options = parser.parse_args()
    names = ["weft", *(name for name in options.peers if importlib.util.find_spec(PEERS[name]))]
    for workload in WORKLOADS:
        if options.workloads and workload.name not in options.workloads:
            continue
        candidates = [candidate(name) for name in names]
        found = measure(workload, candidates)
        for one in candidates:
            one.close()
        if workload.arguments() and options.processes:
            first_calls(found, options.processes)
        print(table([found], names).splitlines()[-1], found.errors or "", flush=True)
        print(first_call_table([found]).splitlines()[-1], flush=True)
        note(found)


if __name__ == "__main__":
    main()
