"""Vector operations on memrefs, with a mask where lanes may lie beyond the end."""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Type, Value, ir
from ..emit import Emitter, Index, create, load


def broadcast(scalar: Value, type: Type) -> Value:
    """A vector with equal elements."""
    return create("vector.broadcast", [type], [scalar])


def convert(conversion: str | None, value: Value, type: Type) -> Value:
    """Apply a conversion op, if there is one."""
    return value if conversion is None else create(conversion, [type], [value])


def broadcast_load(memref: Value, indices: Sequence[Value], conversion: str | None, type: Type) -> Value:
    """Read one element, convert it to the vector's element type and fill a vector with it."""
    return broadcast(convert(conversion, load(memref, indices), type.element_type), type)


def lane_mask(emitter: Emitter, valid: Index, lanes: int) -> Value:
    """A mask of the first `valid` lanes: all if there are more, none if negative."""
    return create("vector.create_mask", [mask_type(lanes)], [emitter.value(valid)])


def mask_type(lanes: int) -> Type:
    """The type of a mask."""
    return ir.VectorType.get([lanes], ir.IntegerType.get_signless(1))


def vector_load(
    emitter: Emitter, memref: Value, indices: Sequence[Value], type: Type, mask: Value | None
) -> Value:
    """Read neighbouring elements; lanes off the mask are zero and not touched."""
    if mask is None:
        return create("vector.load", [type], [memref, *indices])
    return create("vector.maskedload", [type], [memref, *indices, mask, emitter.splat(0, type)])


def vector_store(vector: Value, memref: Value, indices: Sequence[Value], mask: Value | None) -> None:
    """Write neighbouring elements; those of lanes off the mask are not touched."""
    if mask is None:
        create("vector.store", [], [vector, memref, *indices])
    else:
        create("vector.maskedstore", [], [memref, *indices, mask, vector])


def vector_stream(vector: Value, memref: Value, indices: Sequence[Value]) -> None:
    """Write neighbouring elements past the caches, to memory that is aligned to the vector."""
    i64 = ir.IntegerType.get_signless(64)
    size = vector.type.shape[0] * vector.type.element_type.width // 8
    attributes = {"nontemporal": ir.BoolAttr.get(True), "alignment": ir.IntegerAttr.get(i64, size)}
    create("vector.store", [], [vector, memref, *indices], attributes)


def transpose(rows: Sequence[Value]) -> list[Value]:
    """Transpose n vectors of n lanes (n a power of two) by log2(n) rounds of interleaving halves."""
    size = len(rows)
    low = [lane // 2 + (lane % 2) * size for lane in range(size)]
    high = [lane + size // 2 for lane in low]
    result = list(rows)
    rounds = size.bit_length() - 1
    for _ in range(rounds):
        pairs = [(result[i], result[i + size // 2]) for i in range(size // 2)]
        result = [_shuffle(a, b, lanes) for a, b in pairs for lanes in (low, high)]
    return result


def _shuffle(left: Value, right: Value, lanes: Sequence[int]) -> Value:
    mask = {"mask": ir.DenseI64ArrayAttr.get(list(lanes))}
    return create("vector.shuffle", [left.type], [left, right], mask)
