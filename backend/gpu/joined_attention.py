"""Attention as one kernel: its products and the softmax between them are marked, and outlined together.

Scores of each query and key are more than all else that attention reads and writes; in one kernel they stay with the
threads that compute them.
"""

from __future__ import annotations

from typing import ClassVar

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.records import dataclass
from ...passes.base import Pass, Statistics
from ...passes.rewriting import operations_of
from ..planning.clusters import JOINS
from .attention import Attention, match_attention, starts_right
from .widened_factors import read_half, widening


@dataclass(frozen=True)
class JoinAttention(Pass):
    """Let the operations of attention share a kernel."""

    name: ClassVar[str] = "join-attention"
    summary: ClassVar[str] = "let the products of attention, and the softmax between them, share a kernel"

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.body.operations:
            for op in operations_of(function.operation):
                if op.name == "linalg.contract":
                    statistics["attentions joined"] += _join(op)


def _join(result: Operation) -> bool:
    attention = match_attention(result, _source)
    if attention is None or not starts_right(attention, _initial) or not _is_all(attention):
        return False
    for op in (attention.scores, *attention.softmax):
        op.attributes[JOINS] = ir.UnitAttr.get()
    place = 1 - attention.place
    maker = widening(result.operands[place])
    if maker is not None:
        read_half(result, place, maker)
    return True


def _source(op: Operation, number: int) -> Operation | None:
    """The operation beside another one that makes its operand."""
    owner = op.operands[number].owner
    if isinstance(owner, ir.Block) or owner.operation.block != op.block:
        return None
    return owner.operation if owner.operation.name in ("linalg.contract", "linalg.generic") else None


def _initial(op: Operation) -> Value | None:
    """The number that the output of an operation is filled with."""
    owner = op.operands[len(op.operands) - 1].owner
    filled = not isinstance(owner, ir.Block) and owner.operation.name == "linalg.fill"
    return owner.operation.operands[0] if filled else None


def _is_all(attention: Attention) -> bool:
    """Whether nobody but attention itself asks for what is between its products."""
    own = set(attention.operations)
    between = (attention.scores, *attention.softmax)
    return all(use.owner.operation in own for op in between for use in op.results[0].uses)


__all__ = ["JoinAttention"]
