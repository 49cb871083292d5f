"""Shifts of 64 bits by a number that is not known, as instructions that LLVM does not look into.

It takes `n < 64 ? x << n : 0` for one shift, as those of PTX give 0 beyond the width. But these take the low 32 bits of
n alone: 1 << 2**32 would be 1. Other widths are not concerned, nor are right shifts of signed numbers.
"""

from __future__ import annotations

from ....dialect.mlir import Operation, Value, ir
from ....passes.rewriting import constant_integer
from ...nests.emit import create
from ..code.assembly import instruction

_INSTRUCTIONS = {"arith.shli": "shl.b64", "arith.shrui": "shr.u64"}


def is_opaque_shift(op: Operation) -> bool:
    """Whether an operation is such a shift."""
    is_wide = op.name in _INSTRUCTIONS and op.results[0].type == ir.IntegerType.get_signless(64)
    return is_wide and constant_integer(op.operands[1]) is None


def shift_by_instruction(op: Operation) -> Value:
    """The shift as an instruction; the amount is less than 64 where anybody asks for the result."""
    value, amount = op.operands
    low = create("arith.trunci", [ir.IntegerType.get_signless(32)], [amount])
    return instruction(f"{_INSTRUCTIONS[op.name]} $0, $1, $2;", "=l,l,r", value.type, [value, low])
