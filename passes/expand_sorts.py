"""Write sorts that were left to the backend as loops: for machines without instructions that help."""

from __future__ import annotations

from typing import ClassVar

from ..dialect.mlir import Module, ir
from ..dialect.records import dataclass
from .base import Pass, Statistics
from .lowering.conversion import Conversion
from .lowering.sorting import LEFT, sort_by_loops
from .rewriting import operations_of


@dataclass(frozen=True)
class ExpandSorts(Pass):
    """Replace every op that was left, on storage types, by loops over its rows that sort."""

    name: ClassVar[str] = "expand-sorts"
    summary: ClassVar[str] = "write the sorts that the lowering to linalg left as loops"

    def run(self, module: Module, statistics: Statistics) -> None:
        conversion = Conversion(module.body)
        for operation in [op for op in operations_of(module.operation) if op.name in LEFT]:
            with ir.InsertionPoint(operation), operation.location:
                operation.results[0].replace_all_uses_with(sort_by_loops(conversion, operation))
            operation.erase()
            statistics["sorts expanded"] += 1
