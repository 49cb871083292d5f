"""Simplify the algebra of tensors: identities, compositions, cheaper ops for the same result."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import ClassVar

from ...dialect.mlir import Module
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from ..notes import note
from ..rewriting import Graph, Match, defined_functions
from .patterns import Pattern, load_patterns

PATTERNS = load_patterns()

REWRITES_PER_OP = 16
"""Every pattern leaves less to do, so this bound is not met; it keeps a mistake from becoming a hang."""


@dataclass(frozen=True)
class SimplifyAlgebra(Pass):
    """Apply the patterns of `passes/algebra/patterns` until none fits; what they replace is erased.

    Every pattern keeps the result bit by bit. The statistics count the uses of each pattern.
    """

    name: ClassVar[str] = "weft-simplify"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Simplify all functions."""
        for function in defined_functions(module):
            _Simplifier(Graph(function), statistics).run()


class _Simplifier:
    """Works off a list of ops; an op comes back when an operand of it was replaced."""

    def __init__(self, graph: Graph, statistics: Statistics) -> None:
        self.graph = graph
        self.statistics = statistics
        self.pending = deque(graph.operations)
        self.remaining = REWRITES_PER_OP * len(graph.operations)

    def run(self) -> None:
        """Simplify until nothing is pending."""
        while self.pending and self.remaining:
            operation = self.pending.popleft()
            op_class = op_class_of(operation)
            patterns = () if op_class is None else PATTERNS.get(op_class, ())
            if op_class is not None and patterns and not self.graph.is_replaced(operation):
                self._try(Match(self.graph, operation, op_class), patterns)
        self.graph.erase_unused()

    def _try(self, match: Match, patterns: Sequence[Pattern]) -> None:
        for pattern in patterns:
            value = pattern(match)
            if value is not None and value.type == match.result.type:
                self.remaining -= 1
                if (
                    match.result_type.rank or match.result_type.dtype.kind not in "bui"
                ):  # no sizes, nor counters
                    note(
                        "rewritten", match.operation.location, "is simplified by {}", f"`{pattern.__name__}`"
                    )
                changed = self.graph.replace(match.operation, [value])
                made = self.graph.producers.get(value)
                self.pending.extend([*([made] if made is not None else ()), *changed])
                self.statistics[pattern.__name__] += 1
                return
