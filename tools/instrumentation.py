"""What weft-opt shows of a run: IR before and after passes, times, statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from ..dialect.records import dataclass
from ..passes.base import Statistics
from ..passes.pipeline import Code, Observer, Step
from ..passes.timing import CompileTimes
from .ir_printing import PrintIR
from .options import Options


def timing_report(times: CompileTimes, display: str = "tree") -> str:
    """The table that --mlir-timing prints: what a pass or pipeline runs stands indented below it, or, as a list, each
    with the time that was spent in it and not below it, the longest first."""
    total = times.total
    lines = [_banner("Execution time report"), f"  Total Execution Time: {total:.4f} seconds", ""]
    lines.append("  ----Wall Time----  ----Name----")
    rows = list(times.rows()) if display == "tree" else _longest_first(times)
    for depth, name, seconds in [*rows, (0, "Total", total)]:
        share = 100.0 * seconds / total if total else 0.0
        lines.append(f"  {seconds:8.4f} ({share:5.1f}%)  {'  ' * depth}{name}")
    return "\n".join(lines) + "\n"


def _longest_first(times: CompileTimes) -> list[tuple[int, str, float]]:
    """The phases of all depths, those of one name as one."""
    found: Counter[str] = Counter()

    def add(within: CompileTimes) -> None:
        for name, seconds in within.items():
            inner = within.within(name)
            found[name] += seconds - inner.total  # type: ignore[assignment]
            add(inner)

    add(times)
    return [(0, name, seconds) for name, seconds in found.most_common()]


@dataclass
class PassStatistics(Observer):
    """Adds up what weft passes count."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)

    def after(self, step: Step, code: Code, seconds: float, statistics: Statistics) -> None:
        """Note the counts."""
        self.counts.setdefault(step.name, Counter()).update(statistics)

    def report(self) -> str:
        """The table that --mlir-pass-statistics prints."""
        lines = [_banner("Pass statistics report")]
        for name, counts in self.counts.items():
            lines.append(name)
            lines += [f"  (S) {count:6} {what}" for what, count in sorted(counts.items())]
        return "\n".join(lines) + "\n"


def _banner(title: str) -> str:
    rule = "===" + "-" * 73 + "==="
    return f"{rule}\n{f'... {title} ...':^79}".rstrip() + f"\n{rule}"


def make_observers(options: Options) -> list[Observer]:
    """The observers that the options ask for."""
    observers: list[Observer] = []
    prints = (
        options.mlir_print_ir_before,
        options.mlir_print_ir_after,
        options.mlir_print_ir_before_all,
        options.mlir_print_ir_after_all,
        options.mlir_print_ir_after_change,
        options.mlir_print_ir_after_failure,
    )
    if any(prints):
        observers.append(PrintIR(options))
    if options.mlir_pass_statistics:
        observers.append(PassStatistics())
    return observers


def report(observers: Sequence[Observer], times: CompileTimes | None, display: str = "tree") -> str:
    """The tables to print at the end of a run: times, where they were asked for, and statistics."""
    tables = [] if times is None else [timing_report(times, display)]
    return "\n".join(tables + [o.report() for o in observers if isinstance(o, PassStatistics)])
