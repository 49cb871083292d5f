"""Small tables in registers."""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Value, ir
from .. import target
from ..emit import create
from ..vectors.number import Integer, Number
from .instructions import call_intrinsic

SIZE = 16


def lookup(index: Integer, like: Number, *tables: Sequence[float]) -> list[Number]:
    """The entries, of each table of 16, at the low four bits of an index: f64 numbers in the shape of `like`."""
    if target.current().exponent_instructions and str(like.type) == "vector<8xf64>":
        return [_permute(index, like, table) for table in tables]
    bits = [(index & (1 << bit)).compare("!=", 0) for bit in range(4)]
    return [_select([like.constant(entry) for entry in table], bits) for table in tables]


def _select(entries: list[Number], bits: list[Value]) -> Number:
    """Choose by the lowest bit between neighbours, and so on."""
    for bit in bits:
        entries = [
            entries[i] if entries[i + 1] is entries[i] else entries[i + 1].where(bit, entries[i])
            for i in range(0, len(entries), 2)
        ]
    return entries[0]


def _permute(index: Integer, like: Number, table: Sequence[float]) -> Number:
    halves = [_vector(table[:8], like), _vector(table[8:], like)]
    symbol = "llvm.x86.avx512.vpermi2var.pd.512"
    return Number(call_intrinsic(symbol, like.type, [halves[0], index.value, halves[1]]))


def _vector(numbers: Sequence[float], like: Number) -> Value:
    attributes = [ir.FloatAttr.get(like.element, number) for number in numbers]
    value = ir.DenseElementsAttr.get(attributes, like.type)
    return create("arith.constant", [like.type], [], {"value": value})
