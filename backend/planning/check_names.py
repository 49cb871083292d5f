"""Functions of a program must not have the names of functions that compiled code calls."""

from __future__ import annotations

from ...dialect.errors import UnsupportedError
from ...dialect.mlir import Module
from ...dialect.records import dataclass
from ...passes.base import Pass, Statistics
from ...passes.preconditions import placed
from .names import is_taken


@dataclass(frozen=True)
class CheckNames(Pass):
    """Refuse functions with the names of those that compiled code calls."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for op in module.body.operations:
            if op.operation.name == "func.func" and op.regions[0].blocks and is_taken(op.name.value):
                with placed(op.operation):
                    raise UnsupportedError(
                        f"a function cannot be called {op.name.value}, which is the name of a function that "
                        "compiled code calls; rename it"
                    )
