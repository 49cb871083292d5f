"""Products of f64 by tensor cores: a warp multiplies 16 rows by 8 columns, 4 deep, in one instruction or in two.

Each term is added as by a fused multiply-add. Tiles come to shared memory as in `products`, with what is summed in
lines behind each other. A thread reads one number of each 8 rows and columns, and those of half a warp lie in different
banks.
"""

from __future__ import annotations

from ....dialect.mlir import Value, ir
from ...functions.instructions import call_intrinsic
from ...nests.contraction import Contraction
from ...nests.emit import create, load
from ...target import current
from .products import Products
from .warp_products import COLUMNS, ROWS, WarpProduct

_DEPTH = 4
"""Of an instruction."""
_LEAST = 16
"""Smaller results have a thread for each element."""


class DoubleProduct(WarpProduct):
    """Writes what a thread does, with its warp."""

    @staticmethod
    def depth_of(size: int, each: int) -> int:
        """Two instructions deep, or more: a thread brings a number of each factor."""
        del size
        return max(2 * _DEPTH, 16 // each)

    def multiply_tiles(self, sums: list[Value]) -> list[Value]:
        """Multiply what is in shared memory, fragment by fragment."""
        for k in range(0, self.shape.depth, _DEPTH):
            left = [self._numbers(0, number * ROWS, k, (0, 8)) for number in range(self.fragments)]
            right = [self._numbers(1, number * COLUMNS, k, (0,)) for number in range(self.fragments)]
            sums = self.multiply(sums, left, right)
        return sums

    def multiply_fragment(self, left: list[Value], right: list[Value], sums: list[Value]) -> list[Value]:
        """Add the products of the rows and columns of a fragment."""
        gpu = current().gpu
        assert gpu is not None
        if gpu.rows_of_doubles == ROWS:
            return _instruction(left, right, sums)
        return [
            value
            for half in range(2)
            for value in _instruction([left[half]], right, sums[2 * half : 2 * half + 2])
        ]

    def _numbers(self, side: int, line: int, k: int, lines: tuple[int, ...]) -> list[Value]:
        """What a thread gives an instruction of a factor."""
        emitter = self.emitter
        depth = emitter.value(emitter.add(self.pair, k))
        at = emitter.add(emitter.add(self.warp[side], line), self.group)
        return [load(self.tiles[side], [depth, emitter.value(emitter.add(at, more))]) for more in lines]


def _instruction(left: list[Value], right: list[Value], sums: list[Value]) -> list[Value]:
    """Add the products of 8 rows for each number that the thread has of them, and of 8 columns."""
    f64 = ir.F64Type.get()
    struct = ir.Type.parse(f"!llvm.struct<({', '.join(['f64'] * len(sums))})>")
    name = f"llvm.nvvm.mma.m{8 * len(left)}n8k4.row.col.f64"
    made = call_intrinsic(name, struct, [*left, *right, *sums])
    places = [{"position": ir.DenseI64ArrayAttr.get([number])} for number in range(len(sums))]
    return [create("llvm.extractvalue", [f64], [made], place) for place in places]


class DoubleProducts(Products):
    """Products of f64 on sm_80 and sm_90, whose tensor cores add each term as a fused multiply-add does."""

    name = "tensor-cores-f64"
    reason = "each term is a fused multiply-add"
    writer = DoubleProduct

    @classmethod
    def takes(cls, contraction: Contraction) -> bool:
        gpu = current().gpu
        assert gpu is not None
        extents = [contraction.extent(contraction.row), contraction.columns]
        is_small = all(isinstance(extent, int) and extent <= _LEAST for extent in extents)
        return gpu.rows_of_doubles > 0 and isinstance(contraction.element, ir.F64Type) and not is_small
