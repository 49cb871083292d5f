"""What lies behind an op that does not take the known sizes of its operands: the program raises there."""

from __future__ import annotations

import numpy as np

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.mlir import Operation, Value, ir
from ...dialect.ops.creation import Constant
from ...dialect.ops.state import RaiseIf
from ...dialect.register import create
from ...dialect.types import TensorType
from ...passes.rewriting import operations_in, terminator


def raise_instead(op: Operation, message: str) -> None:
    """Raise ValueError in the place of an op and of all that follows it in its block."""
    block = op.block
    ops = list(operations_in(block))
    rest, end = ops[ops.index(op) : -1], terminator(block)
    with ir.InsertionPoint(op), op.location:
        always = create(Constant, [], {"value": np.asarray(True)}).results[0]
        text = message.replace("{", "{{").replace("}", "}}")
        create(RaiseIf, [always], {"error": "ValueError", "message": text})
        for place, operand in enumerate(end.operands):
            if operand.owner in rest:
                end.operands[place] = _some_value(operand)
    for dead in reversed(rest):
        dead.erase()


def _some_value(value: Value) -> Value:
    """What stands for a value that is never made."""
    if not isinstance(value.type, ir.RankedTensorType):
        zero = ir.IntegerAttr.get(value.type, 0)
        return ir.Operation.create("arith.constant", [value.type], [], {"value": zero}).results[0]
    declared = type_from_mlir(value.type)
    assert isinstance(declared, TensorType)
    nothing = np.zeros([extent or 0 for extent in declared.shape], declared.dtype)
    constant = create(Constant, [], {"value": nothing}).results[0]
    return ir.Operation.create("tensor.cast", [type_to_mlir(declared)], [constant]).results[0]
