"""Products of f64, and of f32 rounded to tf32, by tensor cores: 16 rows by 8 columns, 4 or 8 deep, at a time.

Terms of f64 are added as by a fused multiply-add; those of tf32, which has 11 bits, are exact in f32. Tiles come to
shared memory as in `products`, with what is summed in lines behind each other. A thread reads one number of each 8 rows
and columns, and those of half a warp (of f64), or of a warp, lie in different banks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Type, Value, ir
from ...functions.instructions import call_intrinsic
from ...nests.contraction import Contraction, Factor
from ...nests.emit import Index, load, store
from ...target import current_gpu, gpu_figures
from .loaders import Box, Loader
from .products import Products, known_sides
from .warp_products import ROWS, WarpProduct, add_products

_LEAST = 16
"""Smaller results have a thread for each element."""


class DoubleProduct(WarpProduct):
    """Writes what a thread does, with its warp."""

    deep = 4

    @classmethod
    def depth_of(cls, size: int, each: int) -> int:
        """Two instructions deep, or more: a thread brings a number of each factor."""
        del size
        return max(2 * cls.deep, 16 // each)

    def multiply_fragment(self, left: list[Value], right: list[Value], sums: list[Value]) -> list[Value]:
        """Add the products of the rows and columns of a fragment."""
        gpu = current_gpu()
        if gpu.rows_of_doubles == ROWS:
            return add_products("llvm.nvvm.mma.m16n8k4.row.col.f64", left, right, sums)
        return [
            value
            for half in range(2)
            for value in add_products(
                "llvm.nvvm.mma.m8n8k4.row.col.f64", [left[half]], right, sums[2 * half : 2 * half + 2]
            )
        ]

    def read_lines(self, side: int, k: int, lines: Sequence[Index]) -> list[Value]:
        """Numbers, of which a warp reads those of four depths at a time."""
        value = self.emitter.value
        return [
            load(self.tiles[side], [value(self.emitter.add(self.pair, k + more)), value(line)])
            for more in range(0, self.deep, 4)
            for line in lines
        ]


class ShortProduct(DoubleProduct):
    """Writes what a thread does with numbers that are rounded when they come to shared memory."""

    deep = 8
    least_blocks = 2

    def tile_shape(self, box: Box) -> tuple[list[int], Type]:
        """Four lines begin in different banks, with room for eight numbers of each between."""
        return [box.depth, box.side + 8], ir.IntegerType.get_signless(32)

    def loader(self, factor: Factor, along: int | None, first: Index, extent: Index, box: Box) -> Loader:
        """What rounds numbers to 11 bits."""
        return _RoundingLoader(self, factor, along, first, extent, box, is_moved=True)

    def multiply_fragment(self, left: list[Value], right: list[Value], sums: list[Value]) -> list[Value]:
        """Add the products of the rows and columns of a fragment."""
        return add_products("llvm.nvvm.mma.m16n8k8.row.col.tf32", left, right, sums)


class _RoundingLoader(Loader):
    """Puts numbers that are rounded to the nearest one of tf32, ties away from zero, as the hardware has it."""

    def put(self, value: Value, tile: Value, depth: Index, place: Index) -> None:
        """Store the bits of a number."""
        word = call_intrinsic("llvm.nvvm.f2tf32.rna", ir.IntegerType.get_signless(32), [value])
        store(word, tile, [self.emitter.value(depth), self.emitter.value(place)])


class DoubleProducts(Products):
    """Products of f64 on sm_80 and sm_90, whose tensor cores add each term as a fused multiply-add does."""

    name = "tensor-cores-f64"
    reason = "each term is a fused multiply-add"
    writer = DoubleProduct

    @classmethod
    def takes(cls, contraction: Contraction) -> bool:
        gpu = current_gpu()
        sides = known_sides(contraction)
        is_large = len(sides) < 2 or max(sides) > _LEAST
        return gpu.rows_of_doubles > 0 and isinstance(contraction.element, ir.F64Type) and is_large


class ShortProducts(Products):
    """Products of f32 on sm_80 and newer where settings ask for tf32."""

    name = "tensor-cores-tf32"
    reason = "factors are rounded to 11 bits"
    writer = ShortProduct

    @classmethod
    def takes(cls, contraction: Contraction) -> bool:
        gpu = current_gpu()
        factors = (contraction.left, contraction.right)
        return (
            gpu.asynchronous_copies
            and gpu.float32_products == "tf32"
            and isinstance(contraction.element, ir.F32Type)
            and all(side > _LEAST for side in known_sides(contraction))
            and all(factor.conversion is None and not factor.in_parts for factor in factors)
        )

    @property
    def operations_per_second(self) -> float:
        return gpu_figures().f16_per_second / 4
