"""Updates of memory of the device that no other thread comes between."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Value, ir
from ...nests.emit import Emitter, Index, create, while_loop
from .control import compare

_KINDS_OF_JOINS = {
    "arith.addi": "add",
    "arith.andi": "_and",
    "arith.ori": "_or",
    "arith.xori": "_xor",
    "arith.maxsi": "max",
    "arith.minsi": "min",
    "arith.maxui": "umax",
    "arith.minui": "umin",
}
"""The joins of integers that are one instruction, and how LLVM calls them."""
JOINS = frozenset(_KINDS_OF_JOINS)
"""What integers may be joined by."""
_WORD = 32
"""Bits of the narrowest number that there are such instructions for."""
_KINDS = ("xchg", "add", "sub", "_and", "_nand", "_or", "_xor", "max", "min", "umax", "umin")
"""In the order of their numbers."""
_MONOTONIC = 2
"""Nothing but the update itself is in an order."""


def update(kind: str, value: Value, memref: Value, places: Sequence[Value], emitter: Emitter) -> None:
    """Join a number to an element of a memref, or put it there (`xchg`): for all threads of the device."""
    attributes = {"bin_op": _number(_KINDS.index(kind)), "ordering": _number(_MONOTONIC)}
    pointer = _pointer(_address(memref, places, emitter))
    create("llvm.atomicrmw", [value.type], [pointer, value], attributes | _of_device())


def join(name: str, value: Value, memref: Value, places: Sequence[Value], emitter: Emitter) -> None:
    """Join an integer to an element of a memref, by an operation on integers."""
    if value.type.width >= _WORD:
        update(_KINDS_OF_JOINS[name], value, memref, places, emitter)
    else:
        _join_in_word(name, value, _address(memref, places, emitter), emitter)


def join_shared(value: Value, memref: Value, place: Value) -> None:
    """Add an integer to an element of a row of a block's shared memory."""
    kind = {"kind": ir.Attribute.parse("1 : i64")}  # arith.addi
    create("memref.atomic_rmw", [value.type], [value, memref, place], kind)


def _join_in_word(name: str, value: Value, address: Value, emitter: Emitter) -> None:
    """Join a narrow integer to what lies at an address: the word around is exchanged, again if another thread came
    between.

    Memory is allocated in words, so that there is one around each element.
    """
    word, index, narrow = ir.IntegerType.get_signless(_WORD), emitter.index_type, value.type
    within = create("arith.andi", [index], [address, emitter.value(3)])
    pointer = _pointer(create("arith.subi", [index], [address, within]))
    shift = create("arith.index_cast", [word], [emitter.value(emitter.multiply(within, 8))])
    own = create("arith.shli", [word], [emitter.splat((1 << narrow.width) - 1, word), shift])
    others = create("arith.xori", [word], [own, emitter.splat(-1, word)])
    size = {"alignment": _number(_WORD // 8), "ordering": _number(_MONOTONIC)}
    start = create("llvm.load", [word], [pointer], size | _of_device())

    def exchange(old: Value) -> list[Value]:
        element = create("arith.trunci", [narrow], [create("arith.shrui", [word], [old, shift])])
        joined = create("arith.extui", [word], [create(name, [narrow], [element, value])])
        kept = create("arith.andi", [word], [old, others])
        new = create("arith.ori", [word], [kept, create("arith.shli", [word], [joined, shift])])
        orders = {"success_ordering": _number(_MONOTONIC), "failure_ordering": _number(_MONOTONIC)}
        pair = ir.Type.parse("!llvm.struct<(i32, i1)>")
        exchanged = create("llvm.cmpxchg", [pair], [pointer, old, new], orders | _of_device())
        found = create("llvm.extractvalue", [word], [exchanged], {"position": ir.DenseI64ArrayAttr.get([0])})
        return [compare("ne", found, old), found]

    while_loop([start], exchange)


def _of_device() -> dict[str, ir.Attribute]:
    return {"syncscope": ir.StringAttr.get("device")}


def _number(number: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)


def _address(memref: Value, places: Sequence[Value], emitter: Emitter) -> Value:
    """The address of an element."""
    rank, index = memref.type.rank, emitter.index_type
    results = [ir.MemRefType.get([], memref.type.element_type), index, *[index] * (2 * rank)]
    metadata = list(ir.Operation.create("memref.extract_strided_metadata", results, [memref]).results)
    offset: Index = metadata[1]
    for place, stride in zip(places, metadata[2 + rank :], strict=True):
        offset = emitter.add(offset, emitter.multiply(place, stride))
    pointer = create("memref.extract_aligned_pointer_as_index", [index], [memref])
    size = int(memref.type.element_type.width) // 8
    return emitter.value(emitter.add(pointer, emitter.multiply(offset, size)))


def _pointer(address: Value) -> Value:
    """An address in global memory."""
    word = create("arith.index_cast", [ir.IntegerType.get_signless(64)], [address])
    return create("llvm.inttoptr", [ir.Type.parse("!llvm.ptr<1>")], [word])
