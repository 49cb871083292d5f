"""Copies of memory become loops: LLVM makes memcpy of the contiguous ones, and no runtime library is needed."""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import new_generic
from ...nests.emit import create
from ...nests.nest import nested


@dataclass(frozen=True)
class ConvertCopies(Pass):
    """Replace `memref.copy` by `linalg.generic`, and drop copies of memory onto itself."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in module.body.operations:
            for inner in nested(view.operation):
                if inner.operation.name == "memref.copy":
                    _convert(inner.operation)
                    statistics["copies converted"] += 1


def _convert(operation: Operation) -> None:
    source, target = operation.operands
    if source != target:
        with ir.InsertionPoint(operation), operation.location:
            _copy(source, target)
    operation.erase()


def _copy(source: ir.Value, target: ir.Value) -> None:
    rank = source.type.rank
    maps = [ir.AffineMap.get_identity(rank)] * 2
    block = new_generic([source], [target], maps, ["parallel"] * rank, []).regions[0].blocks[0]
    with ir.InsertionPoint(block):
        create("linalg.yield", [], [block.arguments[0]])
