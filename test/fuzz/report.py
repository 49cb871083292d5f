"""What a run found: counts, refusals by message, failures with their smallest program."""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .program import IMPORTS


@dataclass
class Failure:
    """A program that failed."""

    seed: int
    stage: str
    answer: dict[str, Any]
    device: str | None = None

    def text(self) -> str:
        """The program, ready to be a row of `test/fuzz/test_found.py`, and what went wrong."""
        program = textwrap.indent(self.answer["text"].removeprefix(IMPORTS).strip(), "    ")
        detail = textwrap.indent(self.answer["detail"].strip()[-1500:], "    # ")
        way = f"--device {self.device}" if self.device else f"--stage {self.stage}"
        return (
            f"== {self.answer['outcome']}: {self.answer['kind']}\n"
            f"   python test/fuzz/run.py --only {self.seed} {way}\n\n"
            f'def test_program_{self.seed}():\n    require_right(\n    """\n{program}\n    """\n    )\n{detail}\n'
        )


@dataclass
class Report:
    """Everything that was found so far; `shown` failures of each kind are made small and printed."""

    shown: int = 1
    outcomes: Counter[str] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    failures: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """The seeds of each kind of failure."""
    long: list[int] = field(default_factory=list)
    """The seeds of programs that were not recorded to their end."""

    def add(self, seed: int, stage: str, answer: dict[str, Any], device: str | None = None) -> Failure | None:
        """Count an answer; returns the failure if it is one of the first of its kind."""
        outcome = answer["outcome"]
        self.outcomes[outcome] += 1
        self.stages[stage] += 1
        if outcome in ("refused", "invalid"):
            self.refusals[f"{outcome}: {answer['kind']}"] += 1
        if outcome == "long":
            self.long.append(seed)
        if outcome in ("right", "refused", "invalid", "long"):
            return None
        seeds = self.failures.setdefault((outcome, answer["kind"]), [])
        seeds.append(seed)
        return Failure(seed, stage, answer, device) if len(seeds) <= self.shown else None

    def summary(self, seconds: float, cpu: float) -> str:
        """The counts, and the most frequent refusals."""
        total = sum(self.outcomes.values())
        parts = ", ".join(f"{count} {outcome}" for outcome, count in self.outcomes.most_common())
        by_stage = ", ".join(f"{count} {stage}" for stage, count in self.stages.most_common())
        rate = f"{total / max(cpu, 1e-9):.1f} a second of CPU"
        lines = [
            f"{total} programs in {seconds:.0f} s ({cpu:.0f} s of CPU, {rate}): {parts}",
            f"by stage: {by_stage}",
        ]
        if self.refusals:
            lines.append("refused most often:")
            lines += [f"  {count:5} {kind}" for kind, count in self.refusals.most_common(15)]
        if self.long:
            lines.append(f"long to record, not judged: seeds {', '.join(map(str, self.long[:8]))}")
        if self.failures:
            lines.append("failures:")
            ordered = sorted(self.failures.items(), key=lambda entry: -len(entry[1]))
            lines += [
                f"  {len(seeds):5} {outcome}: {kind} (seeds {', '.join(map(str, seeds[:5]))})"
                for (outcome, kind), seeds in ordered
            ]
        return "\n".join(lines)


__all__ = ["Failure", "Report"]
