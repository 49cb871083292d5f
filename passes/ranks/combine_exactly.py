"""Combine numbers of ranks in types in which the libraries that send them do as NumPy does.

MPI and NCCL round sums of short floats at every step, and pass over NaN where they look for extremes:

    %s = weft.all_reduce %x {reduction = "sum"}   bf16     %w = weft.cast %x : f32
                                                           %t = weft.all_reduce %w {reduction = "sum"}
                                                           %s = weft.cast %t : bf16

Extremes of floats are those of integers in the same order, with NaN at the end that wins.
"""

from __future__ import annotations

import numpy as np

from ...dialect.collectives import combined_as
from ...dialect.dtypes import element_type, kind
from ...dialect.emitter import Tensor
from ...dialect.mlir import Module, Operation, ir
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.distributed import AllReduce, ReduceScatter
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of, tensor_type
from ..base import Pass, Statistics
from ..rewriting import defined_functions, operations_of

OF = "weft.of"
"""The attribute of what was rewritten that tells what its elements were, for messages."""


@dataclass(frozen=True)
class CombineExactly(Pass):
    """Combine floats of ranks where NaN counts, and rounding happens once."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Rewrite each reduction whose operand is not in such a type yet."""
        for function in defined_functions(module):
            for operation in operations_of(function.operation):
                if op_class_of(operation) in (AllReduce, ReduceScatter) and _rewritten(operation):
                    statistics["reductions rewritten"] += 1


def _rewritten(operation: Operation) -> bool:
    op_class = op_class_of(operation)
    assert op_class is not None
    attributes = decode_attributes(op_class, operation)
    dtype, reduction = tensor_type(operation.operands[0]).dtype, attributes["reduction"]
    inner = combined_as(reduction, dtype)
    if inner == dtype:
        return False
    b = OpEmitter(operation.location)
    with ir.InsertionPoint(operation):
        wide, is_order = np.dtype(f"f{inner.itemsize}"), kind(inner) == "i"
        x = b.converted(b.value(operation.operands[0]), wide)
        (found,) = b.emit(op_class, [_ordered(b, x, reduction) if is_order else x], attributes)
        found.handle.owner.operation.attributes[OF] = ir.StringAttr.get(element_type(dtype).short)
        made = b.converted(_floats(b, found, wide) if is_order else found, dtype)
        operation.results[0].replace_all_uses_with(made.handle)
    operation.erase()
    return True


def _ordered(b: OpEmitter, x: Tensor, reduction: str) -> Tensor:
    """Integers in the order of floats; those of NaN are such that NaN comes out, as in NumPy."""
    limits = np.iinfo(f"i{x.dtype.itemsize}")
    keys = _turned(b, b.bitcast(x, dtype=limits.dtype))
    wins = b.number(limits.max if reduction == "max" else limits.min, limits.dtype)
    made: Tensor = b.select(b.isnan(x), wins, keys)
    return made


def _floats(b: OpEmitter, keys: Tensor, dtype: np.dtype[np.generic]) -> Tensor:
    made: Tensor = b.bitcast(_turned(b, keys), dtype=dtype)
    return made


def _turned(b: OpEmitter, bits: Tensor) -> Tensor:
    """The bits behind the sign the other way round where that is set: there and back."""
    limits = np.iinfo(bits.dtype)
    sign = b.right_shift(bits, b.number(limits.bits - 1, bits.dtype))
    made: Tensor = b.bitwise_xor(bits, b.bitwise_and(sign, b.number(limits.max, bits.dtype)))
    return made
