"""Run the passes on branches and loops until they find nothing more to do."""

from __future__ import annotations

from collections import Counter

from ...dialect.mlir import Module
from ...dialect.records import dataclass
from ..base import Counting, Pass, Statistics
from ..pipeline import Observer, Step, parse_pipeline, run_pipeline
from ..pipelines import PIPELINES
from .structure import has_control_flow

ROUND = "weft-control-flow"
"""The pipeline that is one round."""


@dataclass(frozen=True)
class OptimizeControlFlow(Pass):
    """Run the pipeline `weft-control-flow` until it changes nothing, at most `max-rounds` times.

    One pass makes room for the next: a decided branch leaves a loop that counts, which has checks to move. A
    module without branches and loops costs one look at every op. The statistics are those of all passes.
    """

    max_rounds: int = 4
    """Programs of the tests need two and a look that finds nothing; the bound keeps a mistake from being a hang."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Run rounds while there are branches or loops, and passes change them."""
        if not has_control_flow(module.operation):
            return
        steps = parse_pipeline(PIPELINES[ROUND])
        for _ in range(self.max_rounds):
            before = Counter(statistics)
            run_pipeline(module, steps, observers=[_Counting(statistics)])
            if statistics == before or not has_control_flow(module.operation):
                break


class _Forwarding(Counting):
    """Counts for a pass of a round, and for all."""

    def __init__(self, all_counts: Statistics) -> None:
        super().__init__()
        self._all = all_counts

    def counted(self, what: str, more: int) -> None:
        self._all[what] += more


class _Counting(Observer):
    """Has what the passes of a round count counted for all of them, when they count it."""

    def __init__(self, all_counts: Statistics) -> None:
        self._all = all_counts

    def counting(self, step: Step, module: Module) -> Statistics:
        """Statistics of the pass that forward."""
        return _Forwarding(self._all)

    def after(self, step: Step, module: Module, seconds: float, statistics: Statistics) -> None:
        """Passes of upstream count nothing."""
        if isinstance(self._all, Counting):
            self._all.passed(step.name)
