"""How the host makes tensor maps for a launch: the driver writes them to the stack, as the types of arrays tell."""

from __future__ import annotations

import re

from ....dialect.mlir import Operation, Type, Value, dialect, ir
from ....passes.rewriting import operations_of
from ..code.tensor_copies import STEPS
from .driver_code import weft_device_encode_map
from .host_functions import DriverCalls, element_bytes
from .tensor_maps import MAP_ALIGNMENT, MAP_BYTES

_CREATE, _CAST = "nvgpu.tma.create.descriptor", "builtin.unrealized_conversion_cast"
_KINDS = {"i8": 0, "f16": 6, "bf16": 9}
"""CUtensorMapDataType."""


def write_tensor_map(calls: DriverCalls, operand: Value) -> Value:
    """Let the driver write the map that an operand of a launch is; its address."""
    memref = dialect("memref")
    creation = operand.owner.operation.operands[0].owner.operation
    array = creation.operands[0].owner.operation.operands[0]
    box = [int(extent) for extent in _box(str(creation.results[0].type))][::-1]
    extents = _extents(array)[::-1]
    element = array.type.element_type
    strides, bytes_ = [], _word(element_bytes(element))
    for extent in extents[:-1]:
        bytes_ = dialect("arith").muli(bytes_, extent)
        strides.append(bytes_)
    room = ir.MemRefType.get([MAP_BYTES // 8], _word_type())
    map_ = memref.alloca(room, [], [], alignment=MAP_ALIGNMENT)
    address = calls.address(map_)
    steps = list(creation.attributes[STEPS])[::-1] if STEPS in creation.attributes else [1] * len(box)
    halves = [list(map(_word, _halves(numbers))) for numbers in (box, steps)]
    tables = [_table(calls, words) for words in (extents, strides, *halves)]
    calls.call(
        weft_device_encode_map, address, _KINDS[str(element)], len(extents), calls.address(array), *tables
    )
    return address


def _box(type: str) -> list[str]:
    match = re.search(r"tensor = memref<((?:\d+x)+)", type)
    assert match is not None
    return match[1].rstrip("x").split("x")


def _extents(array: Value) -> list[Value]:
    """Of an array without gaps, as words."""
    memref, arith = dialect("memref"), dialect("arith")
    unknown = ir.ShapedType.get_dynamic_size()
    return [
        arith.index_cast(_word_type(), memref.dim(array, arith.constant(ir.IndexType.get(), axis)))
        if extent == unknown
        else _word(extent)
        for axis, extent in enumerate(array.type.shape)
    ]


def _word_type() -> Type:
    return ir.IntegerType.get_signless(64)


def _word(number: int) -> Value:
    return dialect("arith").constant(_word_type(), number)


def _halves(numbers: list[int]) -> list[int]:
    """Numbers of 32 bits, two in a word."""
    padded = [*numbers, 0]
    return [padded[k] | padded[k + 1] << 32 for k in range(0, len(numbers), 2)]


def _table(calls: DriverCalls, words: list[Value]) -> Value:
    """The address of words on the stack."""
    memref, index = dialect("memref"), ir.IndexType.get()
    room = memref.alloca(ir.MemRefType.get([max(1, len(words))], _word_type()), [], [])
    for place, word in enumerate(words):
        memref.store(word, room, [dialect("arith").constant(index, place)])
    return calls.address(room)


def erase_tensor_maps(function: Operation) -> None:
    """Take away what no launch uses any more."""
    for op in reversed(operations_of(function)):
        is_of_map = op.name == _CREATE or (
            op.name in (_CAST, "memref.cast") and not any(True for _ in op.results[0].uses)
        )
        if is_of_map:
            op.erase()
