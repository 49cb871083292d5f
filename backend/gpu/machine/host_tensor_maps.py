"""How the host makes tensor maps for a launch: the driver writes them to the stack, as the types of arrays tell."""

from __future__ import annotations

import re

from ....dialect.mlir import Operation, Value, dialect, ir
from ....passes.rewriting import operations_of
from ...planning.shapes import static_shape
from .driver_code import weft_device_encode_map
from .host_functions import DriverCalls, element_bytes
from .tensor_maps import MAP_ALIGNMENT, MAP_BYTES

_CREATE, _CAST = "nvgpu.tma.create.descriptor", "builtin.unrealized_conversion_cast"
_KINDS = {"f16": 6, "bf16": 9}
"""CUtensorMapDataType."""


def write_tensor_map(calls: DriverCalls, operand: Value) -> Value:
    """Let the driver write the map that an operand of a launch is; its address."""
    memref, word = dialect("memref"), ir.IntegerType.get_signless(64)
    creation = operand.owner.operation.operands[0].owner.operation
    array = creation.operands[0].owner.operation.operands[0]
    box = [int(extent) for extent in _box(str(creation.results[0].type))][::-1]
    extents = [int(extent or 0) for extent in static_shape(array.type)][::-1]
    element = array.type.element_type
    strides, bytes_ = [], element_bytes(element)
    for extent in extents[:-1]:
        bytes_ *= extent
        strides.append(bytes_)
    room = ir.MemRefType.get([MAP_BYTES // 8], word)
    map_ = memref.alloca(room, [], [], alignment=MAP_ALIGNMENT)
    address = calls.address(map_)
    tables = [_table(calls, words) for words in (extents, strides, _halves(box), _halves([1] * len(box)))]
    calls.call(
        weft_device_encode_map, address, _KINDS[str(element)], len(extents), calls.address(array), *tables
    )
    return address


def _box(type: str) -> list[str]:
    match = re.search(r"tensor = memref<((?:\d+x)+)", type)
    assert match is not None
    return match[1].rstrip("x").split("x")


def _halves(numbers: list[int]) -> list[int]:
    """Numbers of 32 bits, two in a word."""
    padded = [*numbers, 0]
    return [padded[k] | padded[k + 1] << 32 for k in range(0, len(numbers), 2)]


def _table(calls: DriverCalls, words: list[int]) -> Value:
    """The address of words on the stack."""
    memref, arith = dialect("memref"), dialect("arith")
    word, index = ir.IntegerType.get_signless(64), ir.IndexType.get()
    room = memref.alloca(ir.MemRefType.get([max(1, len(words))], word), [], [])
    for place, value in enumerate(words):
        memref.store(arith.constant(word, value), room, [arith.constant(index, place)])
    return calls.address(room)


def erase_tensor_maps(function: Operation) -> None:
    """Take away what no launch uses any more."""
    for op in reversed(operations_of(function)):
        is_of_map = op.name == _CREATE or (
            op.name in (_CAST, "memref.cast") and not any(True for _ in op.results[0].uses)
        )
        if is_of_map:
            op.erase()


__all__ = ["erase_tensor_maps", "write_tensor_map"]
