"""Splitting long blocks before branches and loops become jumps.

`convert-scf-to-cf` goes from the first branch or loop of a block to the last, and moves all that follows to a new block
each time: a thousand loops after each other would take a thousand times as long as ten. In blocks with few of them it
has little to move.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ....dialect.mlir import Block, Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import blocks_of, operations_in

MOST_BRANCHES = 32
"""A block with more branches and loops is split."""

_BRANCHES = frozenset({"scf.if", "scf.for", "scf.while", "scf.index_switch"})
_MANY = 64
"""A block that begins with more ops on vectors than these has no branches: it is vector code, which can be long."""


@dataclass(frozen=True)
class SplitBlocks(Pass):
    """Split long blocks before branches and loops become jumps."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in operations_in(module.body):
            if function.name == "func.func":
                for block in list(function.regions[0].blocks):
                    statistics["blocks split"] += _split(block)


def _split(block: Block) -> bool:
    """Whether a block was so long."""
    pieces = _pieces(block)
    if len(pieces) < 2:
        return False
    if block.owner.operation.name != "func.func":
        block = _moved_to_region(block, pieces)
    blocks = [block]
    for piece in pieces[1:]:
        blocks.append(blocks[-1].create_after())
        for operation in piece:
            blocks[-1].append(operation)
    for before, behind in pairwise(blocks):
        with ir.InsertionPoint(before), ir.Location.unknown():
            ir.Operation.create("cf.br", successors=[behind])
    return True


def _pieces(block: Block) -> list[list[Operation]]:
    """The ops of a block, those in its branches and loops split already; nothing for vector code."""
    pieces: list[list[Operation]] = [[]]
    branches = vectors = 0
    for operation in operations_in(block):
        name = operation.name
        vectors += name.startswith("vector.")
        if vectors > _MANY and not branches:
            return []
        pieces[-1].append(operation)
        if name in _BRANCHES:
            for inner in _blocks_in(operation):
                _split(inner)
            branches += 1
            if branches % MOST_BRANCHES == 0:
                pieces.append([])
    return pieces


def _blocks_in(operation: Operation) -> Iterator[Block]:
    yield from blocks_of(operation)


def _moved_to_region(block: Block, pieces: list[list[Operation]]) -> Block:
    """The block of a new op that may have several, for the ops of a branch's or loop's one block."""
    last = pieces[-1].pop()
    handed = list(last.operands)
    with ir.InsertionPoint(last), last.location:
        outer = ir.Operation.create("scf.execute_region", results=[v.type for v in handed], regions=1)
        for index, result in enumerate(outer.results):
            last.operands[index] = result
    inner: Block = outer.regions[0].blocks.append()
    for operation in pieces[0]:
        inner.append(operation)
    with ir.InsertionPoint(inner), last.location:
        pieces[-1].append(ir.Operation.create("scf.yield", operands=handed))
    return inner
