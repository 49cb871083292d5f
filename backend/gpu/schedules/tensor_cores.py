"""Products of halves and of bytes by tensor cores: a warp multiplies 16 rows by 8 columns, 32 bytes deep, at once.

Tiles come to shared memory as in `products`, with what is summed side by side, as a thread gives an instruction the
neighbours along it that are in a word. Products of halves are exact in f32, which they are added up in; those of bytes
in s32, which wraps as shorter integers do, of which it has all bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Value, ir
from ...nests.contraction import Contraction, Factor, known_contraction
from ...nests.emit import Emitter, Index, create, store
from ...nests.nest import LoopNest, loop_nest
from ...target import current_gpu, gpu_figures
from ..code.control import only_if, otherwise
from ..code.kernel import Kernel
from ..code.vectors import (
    BYTES,
    element_bytes,
    is_aligned,
    is_vector,
    rows_are_multiples,
    vector_alignment,
)
from .copied_tiles import CopiedTiles, can_copy
from .device_schedule import size_of
from .loaders import Box, Loader
from .products import Products, Shape, known_sides
from .steps import Step
from .warp_products import WarpProduct, add_products

_DEPTH = 32
"""Of an instruction, in bytes."""
_PAD = 16
"""Bytes between the rows of a tile, so that the threads of a warp read from different banks."""
_SIGNS = {"arith.extsi": "s8", "arith.extui": "u8"}
_LONGEST = 1 << 15
"""Products of bytes of which s32 holds the sum, whatever they are."""
_INTRINSICS = {"f16": "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", "bf16": "llvm.nvvm.mma.m16n8k16.row.col.bf16"}


def takes(contraction: Contraction) -> bool:
    """Whether tensor cores multiply the factors of a product."""
    return take(contraction.element, [contraction.left, contraction.right])


def take(element: ir.Type, factors: Sequence[Factor]) -> bool:
    """Whether tensor cores multiply factors of one or of several products, whose elements have a type."""
    types = {str(factor.access.memref.type.element_type) for factor in factors}
    return (
        current_gpu().asynchronous_copies
        and isinstance(element, ir.F32Type)
        and all(factor.conversion == "arith.extf" for factor in factors)
        and len(types) == 1
        and types <= _INTRINSICS.keys()
    )


def takes_bytes(contraction: Contraction) -> bool:
    """Whether tensor cores multiply bytes, and s32 holds of the sums what is asked for."""
    factors, element = (contraction.left, contraction.right), contraction.element
    if not current_gpu().asynchronous_copies or contraction.logical or contraction.parts != 1:
        return False
    if not isinstance(element, ir.IntegerType) or not all(factor.conversion in _SIGNS for factor in factors):
        return False
    extents = [contraction.extent(dim) for dim in contraction.summed]
    is_short = all(isinstance(extent, int) for extent in extents) and size_of(extents) <= _LONGEST
    is_enough = element.width <= 32 or is_short
    byte = ir.IntegerType.get_signless(8)
    are_bytes = all(factor.access.memref.type.element_type == byte for factor in factors)
    return is_enough and are_bytes and all(side > _DEPTH for side in known_sides(contraction))


def signs(contraction: Contraction) -> list[str]:
    """How instructions name the types of factors of bytes."""
    return [_SIGNS[str(factor.conversion)] for factor in (contraction.left, contraction.right)]


class TensorProduct(WarpProduct):
    """Writes what a thread does, with its warp."""

    least_blocks = 2
    """Two of the largest tiles fit if the assembler is told; left alone, it spilled for that."""

    def __init__(
        self,
        kernel: Kernel,
        contraction: Contraction,
        shape: Shape,
        steps: Sequence[Step],
        nests: Sequence[LoopNest],
        is_asked_for: bool,
    ) -> None:
        super().__init__(kernel, contraction, shape, steps, nests, is_asked_for)
        self.half = contraction.left.access.memref.type.element_type
        self.size = element_bytes(self.half)
        self.deep = _DEPTH // self.size
        if self.size == 1:
            self.element = ir.IntegerType.get_signless(32)

    @staticmethod
    def tiles_of(size: int) -> dict[tuple[int, int], float]:
        """Squares, of which smaller ones wait for shared memory."""
        del size
        return {(8, 8): 0.75, (4, 4): 0.45, (2, 2): 0.23}

    def tile_shape(self, box: Box) -> tuple[list[int], ir.Type]:
        """A line for each row or column, with what is summed side by side."""
        return [box.side, box.depth + _PAD // self.size], self.half

    @staticmethod
    def depth_of(size: int, each: int) -> int:
        """Two instructions deep, or more: a thread brings 16 bytes of each factor."""
        del size
        return max(_DEPTH, 128 // each)

    def loader(self, factor: Factor, along: int | None, first: Index, extent: Index, box: Box) -> Loader:
        """What brings tiles of a factor to shared memory, as they are."""
        return _HalfLoader(
            self, factor, along, first, extent, box, is_moved=True, are_multiples=self.are_multiples
        )

    def add_up(self, loaders: Sequence[Loader], zeros: list[Value]) -> list[Value]:
        """The sums of the thread, of tiles that are copied some steps ahead if that is possible."""
        if not can_copy(loaders):
            return super().add_up(loaders, zeros)
        tiles = CopiedTiles(self, loaders)
        self.shared_bytes = tiles.shared_bytes
        return tiles.add_up(zeros)

    def multiply_fragment(self, left: list[Value], right: list[Value], sums: list[Value]) -> list[Value]:
        """Add the products of 16 rows and 8 columns."""
        if self.size == 1:
            kinds = ".".join(dict.fromkeys(signs(self.contraction)))
            return add_products(f"llvm.nvvm.mma.m16n8k32.row.col.{kinds}", left, right, sums)
        return instruction(self.half, left, right, sums)

    def read_lines(self, side: int, k: int, lines: Sequence[Index]) -> list[Value]:
        """Words at two depths."""
        return read_words(self.tiles[side], self.pair, k, lines, self.emitter)


def read_words(tile: Value, pair: Index, depth: int, lines: Sequence[Index], emitter: Emitter) -> list[Value]:
    """What a thread gives an instruction of lines of halves or bytes: words at two depths."""
    element = tile.type.element_type
    in_word = 4 // element_bytes(element)
    type, found = ir.VectorType.get([in_word], element), []
    for deep in (0, 4 * in_word):
        place = emitter.add(emitter.multiply(pair, in_word), depth + deep)
        for line in lines:
            at = [emitter.value(line), emitter.value(place)]
            found.append(as_word(create("vector.load", [type], [tile, *at], vector_alignment(type))))
    return found


def instruction(half: ir.Type, left: list[Value], right: list[Value], sums: list[Value]) -> list[Value]:
    """Add the products of what the threads of a warp have of 16 rows and of 8 columns."""
    if isinstance(half, ir.F16Type):
        left, right = ([_as_pair(word, half) for word in words] for words in (left, right))
    return add_products(_INTRINSICS[str(half)], left, right, sums)


def as_word(pair: Value) -> Value:
    """Two halves of 16 bits, or four bytes, as one number of 32."""
    word = ir.IntegerType.get_signless(32)
    one = create("vector.bitcast", [ir.VectorType.get([1], word)], [pair])
    return create("vector.extract", [word], [one], {"static_position": ir.DenseI64ArrayAttr.get([0])})


def _as_pair(word: Value, half: ir.Type) -> Value:
    """A number of 32 bits as two halves."""
    one = create("vector.from_elements", [ir.VectorType.get([1], word.type)], [word])
    return create("vector.bitcast", [ir.VectorType.get([2], half)], [one])


class _HalfLoader(Loader):
    """Puts what is summed side by side."""

    def put(self, value: Value, tile: Value, depth: Index, place: Index) -> None:
        """Store an element as it is."""
        store(value, tile, [self.emitter.value(place), self.emitter.value(depth)])


class TensorProducts(Products):
    """Products of halves by `mma.sync` on sm_80 and newer; tiles are copied two steps ahead by `cp.async` where rows
    are multiples of 16 bytes, which the host looks at where their length is not known.
    """

    name = "tensor-cores"
    reason = "halves are added up in f32"
    writer = TensorProduct

    @classmethod
    def takes(cls, contraction: Contraction) -> bool:
        return takes(contraction)

    @property
    def operations_per_second(self) -> float:
        return gpu_figures().f16_per_second

    def write(self, name: str) -> None:
        contraction = known_contraction(loop_nest(self.ops[0]))
        are_multiples = _are_multiples(contraction, Emitter(self.function))
        if are_multiples is None:
            super().write(name)
            return
        with only_if(are_multiples) as branch:
            self.write_tiles(name, self.title, are_multiples=True)
        with otherwise(branch):
            self.write_tiles(f"{name}_anywhere", "tensor cores: rows begin anywhere")


class ByteProduct(TensorProduct):
    """Writes what a thread does with bytes."""

    @staticmethod
    def depth_of(size: int, each: int) -> int:
        """As deep in bytes as tiles of halves are."""
        return 2 * TensorProduct.depth_of(size, each)


class ByteProducts(TensorProducts):
    """Products of bytes by `mma.sync` on sm_80 and newer, as those of halves; tiles are copied where lines are
    along what is summed, which `turn-factors` sees to.
    """

    name = "tensor-cores-bytes"
    reason = "bytes are added up in s32"
    writer = ByteProduct

    @classmethod
    def takes(cls, contraction: Contraction) -> bool:
        return takes_bytes(contraction)

    @property
    def operations_per_second(self) -> float:
        return 2 * gpu_figures().f16_per_second


def _are_multiples(contraction: Contraction, emitter: Emitter) -> Value | None:
    """Whether rows of factors begin at multiples of 16 bytes; None where that is known, or not to be told."""
    extents = []
    for factor, line in ((contraction.left, contraction.row), (contraction.right, contraction.column)):
        assert line is not None
        access = factor.access
        is_turned = access.is_contiguous_in(line)
        fast = line if is_turned else contraction.summed[-1]
        extents.append(contraction.nest.extents[fast])
        size = element_bytes(access.memref.type.element_type)
        lanes = BYTES // size
        if not is_vector(access, fast) or not rows_are_multiples(access, lanes) or (is_turned and size == 1):
            return None
    if any(isinstance(extent, int) and extent % lanes for extent in extents):
        return None
    return is_aligned([], lanes, extents, emitter)
