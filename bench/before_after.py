"""Measure this checkout beside another one of weft, each in a process of its own, taking turns on one pinned core.

`python bench/before_after.py ../other [workload ...]` prints a table; `../other/.venv` must be set up. Results of both
are checked against NumPy. Ratios above 1 say that this checkout is faster.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics

from compare import HERE, ROUNDS, SECONDS_A_ROUND, Candidate, readable
from harness import machine
from workloads import WORKLOADS, Workload

BEFORE, AFTER = "before", "after"


def measure(workload: Workload, candidates: list[Candidate], rounds: int) -> tuple[list[float], list[float]]:
    """The median seconds of a call, and the seconds that the first call took longer, of both."""
    compiled, counts = [], []
    for candidate in candidates:
        prepared = candidate.ask(do="prepare", name=workload.name)
        if "compile" not in prepared:
            raise SystemExit(f"{candidate.name}: {workload.name}: {prepared}")
        compiled.append(prepared["compile"])
        warm = candidate.ask(do="time", name=workload.name, count=3)["seconds"]
        counts.append(max(1, int(SECONDS_A_ROUND / warm)))
    samples: list[list[float]] = [[] for _ in candidates]
    for _ in range(rounds):
        for sample, candidate, count in zip(samples, candidates, counts, strict=True):
            sample.append(candidate.ask(do="time", name=workload.name, count=count)["seconds"])
    return [statistics.median(sample) for sample in samples], compiled


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("other", type=pathlib.Path, help="the other checkout")
    parser.add_argument("workloads", nargs="*", help="names of workloads; all by default")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often they take turns")
    options = parser.parse_args()
    other = options.other.resolve()
    chosen = [w for w in WORKLOADS if not options.workloads or w.name in options.workloads]
    candidates = [
        Candidate("weft", other / "bench", str(other / ".venv" / "bin" / "python"), BEFORE),
        Candidate("weft", HERE, title=AFTER),
    ]
    print(machine())
    print("\n| workload | before | after | before / after | first call before | after | before / after |")
    print("|---" * 7 + "|")
    ratios = []
    for workload in chosen:
        (before, after), (first_before, first_after) = measure(workload, candidates, options.rounds)
        ratios.append(before / after)
        print(
            f"| {workload.title} | {readable(before)} | {readable(after)} | {before / after:.2f} "
            f"| {readable(first_before)} | {readable(first_after)} | {first_before / max(first_after, 1e-9):.2f} |",
            flush=True,
        )
    print(f"\nGeometric mean of the ratios: {statistics.geometric_mean(ratios):.3f}")
    for candidate in candidates:
        candidate.close()


if __name__ == "__main__":
    main()
