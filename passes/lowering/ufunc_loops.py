"""The lowering of ops that are loops of ufuncs: calls of the loops, which are left to the backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...dialect.attributes import attribute_to_mlir
from ...dialect.made_ops import operation_of
from ...dialect.mlir import Value, dialect
from ...dialect.op import OPS, Op
from ...dialect.ops.ufunc_loops import CallLibrary, CallLoop, LoopOp
from ...dialect.register import segments
from ...dialect.types import TensorType
from ...dialect.ufunc_loops import core_sizes, loop_of, signature_of
from ..index_arithmetic import Extent, IndexArithmetic
from .conversion import Conversion, OpInstance, lowers, storage_type

arith = dialect("arith")

_STATUS = TensorType((), np.dtype(np.int64))


@lowers(*(op_class for op_class in OPS.values() if issubclass(op_class, LoopOp)))
def lower_loop(c: Conversion, op: OpInstance) -> Sequence[Value]:
    """Results are written to memory of their own; whether the loop failed becomes a boolean."""
    op_class = op.op_class
    assert issubclass(op_class, LoopOp)
    function = op_class.function_of(op.attributes)
    loop = loop_of(function, [operand.dtype for operand in op.operand_types])
    made = op.result_types[op_class.overwrites : len(op.result_types) - op_class.fails]
    extents = _extents(c, op, op_class, function)
    arguments = [*op.operands, *(c.empty(t, sizes) for t, sizes in zip(made, extents, strict=True))]
    updated = len(made) + op_class.overwrites
    values = {"updated": updated, "function": function, "loop": loop}
    *made_values, status = _call(CallLoop, arguments, values)
    return [*made_values, *([_is_nonzero(c, status, op.result_types[-1])] if op_class.fails else [])]


@lowers(CallLoop, CallLibrary)
def lower_call(c: Conversion, op: OpInstance) -> Sequence[Value]:
    """The same call, on storage types."""
    return _call(op.op_class, op.operands, op.attributes)


def _call(op_class: type[Op], arguments: Sequence[Value], values: Mapping[str, Any]) -> list[Value]:
    written = arguments[len(arguments) - values["updated"] :]
    results = [*(argument.type for argument in written), storage_type(_STATUS)]
    attributes = {f.name: attribute_to_mlir(f.kind, values[f.name]) for f in op_class.attribute_fields()}
    call = operation_of(
        op_class.mlir_name(), arguments, results, **attributes, **segments(arguments, results)
    )
    return list(call.results)


def _extents(c: Conversion, op: OpInstance, op_class: type[LoopOp], function: str) -> list[list[Extent]]:
    """The extents of the results that are made: of the loop, then of the core."""
    signature = signature_of(function)
    around, _ = core_sizes(function, op.operand_types)
    found: list[Extent] = []
    sizes: dict[str, Extent] = {}
    for axes, operand in zip(signature.operands, op.operands, strict=True):
        own = c.extents(operand)
        split = len(own) - len(axes)
        found = own[:split] if split == len(around) else found
        for name, extent in zip(axes, own[split:], strict=True):
            if not isinstance(sizes.get(name), int):
                sizes[name] = extent
    sizes.update(op_class.new_sizes(IndexArithmetic(), sizes, op.attributes))
    return [[*found, *(sizes[name] for name in axes)] for axes in signature.results]


def _is_nonzero(c: Conversion, status: Value, result: TensorType) -> Value:
    def body(word: Value) -> Value:
        return arith.CmpIOp(arith.CmpIPredicate.ne, word, c.constant(0, _STATUS.dtype)).result

    return c.map_elements([status], [_STATUS], [result], body)[0]
