"""Sorts that the target has no native code for become loops before kernels are cut."""

from __future__ import annotations

from typing import ClassVar

from ....dialect.mlir import Module
from ....dialect.records import dataclass
from ....passes.base import Statistics
from ....passes.expand_sorts import ExpandSorts
from ...target import current


@dataclass(frozen=True)
class ExpandSortsOfTarget(ExpandSorts):
    """Replace sorts by loops, unless the target compresses vectors: then native code sorts rows."""

    name: ClassVar[str] = "expand-sorts-of-target"
    summary: ClassVar[str] = "write sorts as loops where the target has no native code for them"

    def run(self, module: Module, statistics: Statistics) -> None:
        if not current().compresses:
            super().run(module, statistics)
