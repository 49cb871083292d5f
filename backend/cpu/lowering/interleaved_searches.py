"""Loops of searches have several vectors of them under way.

    scf.for %i ... {                              a search for each element:
      scf.for %step = 0 to 14 iter_args(%place)     each step reads where the one before says
        memref.load %keys[%place]
    }

A step waits for the read of the one before, and meanwhile nothing is done; LLVM makes vectors of the searches, but does
not know what reads that wait cost, and works on one vector at a time.
"""

from __future__ import annotations

import math

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import operations_in, operations_of
from .steps import trips_of

VECTORS = 8
"""Vectors that are under way: 1e5 searches among 1e4 f64 take 1.62 ms one by one, 0.99 two at a time, 0.62 four at a
time, 0.52 eight at a time (Zen 4); each needs two registers."""

_ANNOTATION = f"#llvm.loop_annotation<unroll = <disable = true>, interleave = <count = {VECTORS} : i32>>"


@dataclass(frozen=True)
class InterleaveSearches(Pass):
    """Have LLVM work on several vectors of loops whose iterations wait for chained reads."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for op in operations_of(module.operation):
            if op.name == "scf.for" and not len(op.results) and any(map(_is_search, _inside(op))):
                op.attributes["loop_annotation"] = ir.Attribute.parse(_ANNOTATION)
                statistics["loops interleaved"] += 1


def _inside(loop: Operation) -> list[Operation]:
    return operations_in(loop.regions[0].blocks[0])


def _is_search(op: Operation) -> bool:
    """Whether an op is a loop of a known number of rounds that reads where the round before said."""
    if op.name != "scf.for" or not len(op.results) or trips_of(op) == math.inf:
        return False
    _, *known = op.regions[0].blocks[0].arguments
    body = _inside(op)
    if any(len(inner.regions) for inner in body):
        return False
    for inner in body:
        if not any(operand in known for operand in inner.operands):
            continue
        if inner.name == "memref.load":
            return True
        known += _numbers(inner)
    return False


def _numbers(op: Operation) -> list[Value]:
    """What an op computes of its operands, without memory."""
    return list(op.results) if op.name.startswith("arith.") else []
