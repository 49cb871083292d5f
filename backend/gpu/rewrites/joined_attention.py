"""Attention as one kernel: its products and the softmax between them are marked, and outlined together.

Scores of each query and key are more than all else that attention reads and writes; in one kernel they stay with the
threads that compute them.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import operations_of
from ...planning.outlining.clusters import JOINS
from .attention import Attention, match_attention, match_quotient, starts_right
from .widened_factors import read_half, widening


@dataclass(frozen=True)
class JoinAttention(Pass):
    """Let the products of attention, and the softmax between them, share a kernel."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.body.operations:
            for op in operations_of(function.operation):
                if op.name == "linalg.contract":
                    statistics["attentions joined"] += _join(op)
                elif op.name == "linalg.generic":
                    statistics["attentions joined"] += _join_quotient(op)


def _join_quotient(division: Operation) -> bool:
    """Divide weights, and not the product of them with values, where that makes attention."""
    found = match_quotient(division, source_in_block)
    if found is None or any(use.owner.operation != division for use in found[0].results[0].uses):
        return False
    result, total, place = found
    weights = result.operands[place]
    with ir.InsertionPoint(division), division.location:
        shares = _divided(division, weights, total.results[0])
    result.operands[place] = shares.results[0]
    if not _join(result, division):
        result.operands[place] = weights
        shares.erase()
        return False
    result.move_before(division)  # as sums of rows may come behind the product
    division.results[0].replace_all_uses_with(result.results[0])
    division.erase()
    return True


def _divided(division: Operation, weights: Value, total: Value) -> Operation:
    """The same division of other numbers."""
    rank = weights.type.rank
    whole = ir.AffineMap.get_identity(rank)
    rows = ir.AffineMap.get(rank, 0, [ir.AffineExpr.get_dim(dim) for dim in range(rank - 1)])
    numbers = [total if operand == total else weights for operand in list(division.operands)[:2]]
    shares = division.operation.clone()
    for number, value in enumerate([*numbers, _output(weights)]):
        shares.operands[number] = value
    shares.results[0].set_type(weights.type)
    maps = [*(rows if value == total else whole for value in numbers), whole]
    shares.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(map) for map in maps])
    return shares


def _output(weights: Value) -> Value:
    """A tensor for what is made of each weight: that which the weights have."""
    operands = weights.owner.operation.operands
    return operands[len(operands) - 1]


def _join(result: Operation, *superseded: Operation) -> bool:
    """Mark the operations of attention, if a product is its last one; others of them may be superseded."""
    attention = match_attention(result, source_in_block)
    if attention is None or not starts_right(attention, _initial):
        return False
    if not _is_all(attention, {*attention.operations, *superseded}):
        return False
    for op in (attention.scores, *attention.softmax):
        op.attributes[JOINS] = ir.UnitAttr.get()
    place = 1 - attention.place
    maker = widening(result.operands[place])
    if maker is not None:
        read_half(result, place, maker)
    return True


def source_in_block(op: Operation, number: int) -> Operation | None:
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


def _is_all(attention: Attention, own: set[Operation]) -> bool:
    """Whether nobody but some operations asks for what is between the products of attention."""
    between = (attention.scores, *attention.softmax)
    return all(use.owner.operation in own for op in between for use in op.results[0].uses)
