"""Lowerings of collectives: calls out of the program, with a constant that tells what is asked for.

Operands of a call are the description, how many elements the array has, the array, and the extents of the result that
its type does not tell.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...dialect.attributes import type_to_mlir
from ...dialect.callbacks import COLLECTIVE
from ...dialect.collective_words import described
from ...dialect.collectives import Collective, place_of
from ...dialect.host_calls import NAME, NATIVE, SIGNATURE, collective_symbol
from ...dialect.made_ops import function_of, operation_of, value_of
from ...dialect.mlir import Value, ir
from ...dialect.op import Op
from ...dialect.ops.distributed import (
    AllGather,
    AllReduce,
    AllToAll,
    BroadcastRank,
    FinishSendReceive,
    Local,
    Rank,
    RankBarrier,
    RankCount,
    ReduceScatter,
    Replicated,
    RequireSame,
    SendReceive,
    StartSendReceive,
    Vary,
)
from ...dialect.types import TensorType
from ..index_arithmetic import Extent, IndexArithmetic
from ..ranks.combine_exactly import OF
from .conversion import Conversion, OpInstance, arith, lowers, storage_type

_WORD = np.dtype(np.int64)

_KINDS: dict[type[Op], str] = {BroadcastRank: "broadcast", RankBarrier: "barrier"}
"""What ops are called elsewhere that have another name."""


@lowers(Local, Replicated, Vary)
def lower_identity(c: Conversion, op: OpInstance) -> Value:
    """The operand."""
    return op.operands[0]


@lowers(AllReduce, AllToAll, BroadcastRank, SendReceive)
def lower_alike(c: Conversion, op: OpInstance) -> Value:
    """The result is like the operand."""
    return _called(c, op, c.extents(op.operands[0]))


@lowers(StartSendReceive)
def lower_start(c: Conversion, op: OpInstance) -> Value:
    """A number for what was begun."""
    return _called(c, op, [])


@lowers(FinishSendReceive)
def lower_finish(c: Conversion, op: OpInstance) -> Value:
    """The result is like what was sent, which is not looked at."""
    return _called(c, op, c.extents(op.operands[1]))


@lowers(AllGather)
def lower_all_gather(c: Conversion, op: OpInstance) -> Value:
    """The first extent is the number of ranks."""
    count = op.attributes["count"]
    ranks: Extent = c.extent_of_scalar(op.operands[1]) if count == -1 else count
    return _called(c, op, [ranks, *c.extents(op.operands[0])])


@lowers(ReduceScatter)
def lower_reduce_scatter(c: Conversion, op: OpInstance) -> Value:
    """A part of the operand."""
    return _called(c, op, c.extents(op.operands[0])[1:])


@lowers(Rank, RankCount)
def lower_about_ranks(c: Conversion, op: OpInstance) -> Value:
    """A number that is known when the program runs."""
    return _called(c, op, [])


@lowers(RankBarrier, RequireSame)
def lower_barrier(c: Conversion, op: OpInstance) -> None:
    """Nothing comes of it."""
    _call(c, op, [], [])


def _called(c: Conversion, op: OpInstance, extents: Sequence[Extent]) -> Value:
    unknown = [
        c.index(extent) for extent, known in zip(extents, op.result_type.shape, strict=True) if known is None
    ]
    return _call(c, op, [_scalar(extent) for extent in unknown], [op.result_type])[0]


def _call(
    c: Conversion, op: OpInstance, extents: Sequence[Value], results: Sequence[TensorType]
) -> Sequence[Value]:
    array, kinds = list(op.operands[:1]), op.operand_types[:1]
    given = [word for x in array for word in (_scalar(c.index(_count(c, x))), x)]
    # Addresses, and what the type of the array does not tell of its extents.
    before = 1 + len(given) + len(extents) + sum(kind.shape.count(None) for kind in kinds)
    elements = described(_collective(op), kinds[0] if kinds else None, before)
    constant = arith.ConstantOp(
        storage_type(TensorType(elements.shape, _WORD)), ir.DenseElementsAttr.get(elements)
    ).result
    number = TensorType((), _WORD)
    types = [
        TensorType(elements.shape, _WORD),
        *([number] if kinds else []),
        *kinds,
        *[number] * len(extents),
    ]
    operands = [constant, *given, *extents]
    lowered = ir.FunctionType.get([operand.type for operand in operands], [storage_type(t) for t in results])
    signature = ir.FunctionType.get([type_to_mlir(t) for t in types], [type_to_mlir(t) for t in results])
    symbol = _declared(c, lowered, signature)
    made = operation_of("func.call", operands, lowered.results, callee=ir.FlatSymbolRefAttr.get(symbol))
    return list(made.results)


def _collective(op: OpInstance) -> Collective:
    given = op.attributes
    kind = _KINDS.get(op.op_class, op.op_class.name)
    return Collective(
        kind,
        given["over"],
        given.get("reduction", ""),
        given.get("root", given.get("shift", 0)),
        given.get("wraps", False),
        place_of(str(op.location)),
        of=str(op.operation.attributes[OF].value) if op.operation and OF in op.operation.attributes else "",
    )


def _declared(c: Conversion, lowered: ir.FunctionType, signature: ir.FunctionType) -> str:
    """The symbol of what is called with operands and results of some types."""
    known = c.collectives
    key = str(signature)
    if key not in known:
        known[key] = collective_symbol(len(known))
        with ir.InsertionPoint.at_block_begin(c.module_body), ir.Location.unknown():
            marks = {NAME: ir.StringAttr.get("collective"), NATIVE: ir.StringAttr.get(COLLECTIVE)}
            marks[SIGNATURE] = ir.TypeAttr.get(signature)
            function_of(known[key], lowered.inputs, lowered.results, private=True, **marks)
    return known[key]


def _count(c: Conversion, x: Value) -> Extent:
    """How many elements a tensor has."""
    count: Extent = 1
    for extent in c.extents(x):
        count = IndexArithmetic().multiply(count, extent)
    return count


def _scalar(extent: Value) -> Value:
    word = arith.IndexCastOp(ir.IntegerType.get_signless(64), extent).result
    type = ir.RankedTensorType.get([], word.type)
    return value_of("tensor.from_elements", [word], type)
