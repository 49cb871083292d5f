"""Vector operations on memrefs, with a mask where lanes may lie beyond the end."""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Type, Value, ir
from ....nests.emit import Emitter, Index, create, load


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
    """Transpose n vectors of n lanes (n a power of two) by log2(n) rounds, each of which swaps a bit of row and column.

    Pieces of 128 bits are interleaved first, then they are exchanged as a whole. Machines have instructions for that
    which need no table: one would be kept in a register, and that is missing in the loops that follow.
    """
    size = len(rows)
    piece = min(size, 128 // rows[0].type.element_type.width)
    result, bit = list(rows), piece // 2
    while bit:
        result = _exchanged(result, bit, *_interleaved(size, piece))
        bit //= 2
    bit = piece
    while bit < size:
        result = _exchanged(result, bit, *_pieces(size, piece))
        bit *= 2
    return result


def columns_of(rows: Sequence[Value]) -> list[Value]:
    """The columns of n vectors of m lanes, vectors of n lanes; m divides n, and both are powers of two.

    Pieces are put together first, by loads where m lanes have 128 bits, which leaves few rounds of interleaving.
    """
    size, piece = len(rows), rows[0].type.shape[0]
    result = [_joined(rows[first::piece]) for first in range(piece)]
    bit = piece // 2
    while bit:
        result = _exchanged(result, bit, *_interleaved(size, piece))
        bit //= 2
    return result


def _joined(parts: Sequence[Value]) -> Value:
    """Short vectors behind each other."""
    vectors = list(parts)
    while len(vectors) > 1:
        lanes = list(range(2 * vectors[0].type.shape[0]))
        pairs = zip(vectors[::2], vectors[1::2], strict=True)
        vectors = [_shuffle(left, right, lanes) for left, right in pairs]
    return vectors[0]


def _exchanged(vectors: Sequence[Value], bit: int, low: Sequence[int], high: Sequence[int]) -> list[Value]:
    """Shuffle each two vectors whose numbers differ in a bit: the first by `low`, the second by `high`."""
    result = list(vectors)
    for number in range(len(vectors)):
        if not number & bit:
            pair = vectors[number], vectors[number + bit]
            result[number], result[number + bit] = (_shuffle(*pair, lanes) for lanes in (low, high))
    return result


def _interleaved(size: int, piece: int) -> tuple[list[int], list[int]]:
    """The first halves of all pieces of two vectors, lane by lane in turn; and the second halves."""
    starts, half = range(0, size, piece), piece // 2
    low = [lane for start in starts for j in range(half) for lane in (start + j, start + j + size)]
    return low, [lane + half for lane in low]


def _pieces(size: int, piece: int) -> tuple[list[int], list[int]]:
    """The even pieces of two vectors, one vector behind the other; and the odd ones."""
    low = [start + j for start in range(0, 2 * size, 2 * piece) for j in range(piece)]
    return low, [lane + piece for lane in low]


def _shuffle(left: Value, right: Value, lanes: Sequence[int]) -> Value:
    mask = {"mask": ir.DenseI64ArrayAttr.get(list(lanes))}
    type = ir.VectorType.get([len(lanes)], left.type.element_type)
    return create("vector.shuffle", [type], [left, right], mask)
