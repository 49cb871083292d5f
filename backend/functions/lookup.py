"""Small tables in registers, and in the memory of devices."""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.made_ops import operation_of
from ...dialect.mlir import Value, ir
from ..cache.digests import blake2b
from ..nests.emit import create
from .instructions import by_registers, call_intrinsic, has_instructions, resized
from .number import Integer, Number

SIZE = 16
_TABLE = "weft_table"


def lookup(index: Integer, like: Number, *tables: Sequence[float]) -> list[Number]:
    """The entries, of each table of 16, at the low four bits of an index: numbers in the shape of `like`."""
    if has_instructions(like):
        return [permute(index, like, table) for table in tables]
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


def permute(index: Integer, like: Number, table: Sequence[float]) -> Number:
    """The entry, of a table of one register or two, at the low bits of an index.

    One instruction of AVX-512, or one of a device, which reads what a line of its cache has room for.
    """
    if not has_instructions(like):
        return _load(index & (len(table) - 1), like, table)
    return by_registers(lambda part: _permute(part, table), index.as_number(like.type))


def _permute(index: Number, table: Sequence[float]) -> Number:
    lanes, whole = int(index.type.shape[0]), 512 // index.bits
    if lanes < whole:
        wide = resized(index, whole)
        return resized(_permute(wide, table), lanes)
    integers, suffix = index.to_bits().value, "s" if index.bits == 32 else "d"
    halves = [_vector(table[start : start + whole], index) for start in range(0, len(table), whole)]
    if len(halves) == 1:
        symbol, operands = f"llvm.x86.avx512.permvar.{suffix}f.512", [halves[0], integers]
    else:
        symbol, operands = f"llvm.x86.avx512.vpermi2var.p{suffix}.512", [halves[0], integers, halves[1]]
    return Number(call_intrinsic(symbol, index.type, operands))


def _load(index: Integer, like: Number, table: Sequence[float]) -> Number:
    """The entry at an index, of a table that the module of the kernel has once."""
    type = ir.MemRefType.get([len(table)], like.element)
    address = create(
        "memref.get_global", [type], [], {"name": ir.FlatSymbolRefAttr.get(_global(table, type))}
    )
    place = create("arith.index_castui", [ir.IndexType.get()], [index.value])
    return Number(create("memref.load", [like.type], [address, place]))


def _global(table: Sequence[float], type: ir.MemRefType) -> str:
    """The name of a table in the module around the insertion point."""
    name = f"{_TABLE}_{blake2b(repr((table, str(type))).encode(), digest_size=8).hexdigest()}"
    module = ir.InsertionPoint.current.block.owner
    while module.name != "gpu.module":
        module = module.parent.operation
    block = module.regions[0].blocks[0]
    if not any(
        "sym_name" in o.attributes and o.attributes["sym_name"].value == name for o in block.operations
    ):
        entries = ir.DenseElementsAttr.get(
            [ir.FloatAttr.get(type.element_type, entry) for entry in table],
            ir.RankedTensorType.get(type.shape, type.element_type),
        )
        with ir.InsertionPoint.at_block_begin(block):
            operation_of(
                "memref.global",
                sym_name=ir.StringAttr.get(name),
                sym_visibility=ir.StringAttr.get("private"),
                type=ir.TypeAttr.get(type),
                initial_value=entries,
                constant=ir.UnitAttr.get(),
            )
    return name


def _vector(numbers: Sequence[float], like: Number) -> Value:
    attributes = [ir.FloatAttr.get(like.element, number) for number in numbers]
    value = ir.DenseElementsAttr.get(attributes, like.type)
    return create("arith.constant", [like.type], [], {"value": value})
