"""Products of which the warps of a block have pieces, made of fragments that tensor cores multiply.

Of 16 rows and 8 columns a thread has two neighbours in a row, and two 8 rows below.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ....dialect.mlir import Value, ir
from ...functions.instructions import call_intrinsic
from ...nests.emit import Index, create
from ..code.control import only_if
from ..code.walk import rest_and_quotient
from .products import Product

ROWS, COLUMNS = 16, 8
"""Of a fragment."""
_WARPS_DOWN, _WARPS_ACROSS = 2, 4


def add_products(intrinsic: str, left: list[Value], right: list[Value], sums: list[Value]) -> list[Value]:
    """Add what an instruction of tensor cores multiplies: what the threads of a warp have of rows and of columns."""
    element = sums[0].type
    struct = ir.Type.parse(f"!llvm.struct<({', '.join([str(element)] * len(sums))})>")
    made = call_intrinsic(intrinsic, struct, [*left, *right, *sums])
    places = [{"position": ir.DenseI64ArrayAttr.get([number])} for number in range(len(sums))]
    return [create("llvm.extractvalue", [element], [made], place) for place in places]


class WarpProduct(Product):
    """Writes what a thread does, with its warp."""

    may_be_small = False
    least_blocks = 1
    """For how many blocks a multiprocessor is to have registers."""
    deep: int
    """Of an instruction."""

    @staticmethod
    def tiles_of(size: int) -> dict[tuple[int, int], float]:
        """Squares, of which the largest has as many sums as half of the registers of a thread have room for."""
        del size
        return {(8, 8): 0.87, (4, 4): 0.68, (2, 2): 0.4}

    def prepare(self) -> None:
        """Find the place of the thread; it has pairs of columns of the result."""
        self.quad = 2
        emitter, thread = self.emitter, self.thread
        lane, warp = rest_and_quotient(thread, 32, emitter)
        self.pair, self.group = rest_and_quotient(lane, 4, emitter)
        across, down = rest_and_quotient(warp, _WARPS_ACROSS, emitter)
        self.warp = (
            emitter.multiply(down, self.shape.rows // _WARPS_DOWN),
            emitter.multiply(across, self.shape.columns // _WARPS_ACROSS),
        )
        self.fragments = self.shape.down // 2
        self.kernel.leave_room_for(self.least_blocks)

    def multiply_tiles(self, sums: list[Value]) -> list[Value]:
        """Multiply what is in shared memory, fragment by fragment."""
        for k in range(0, self.shape.depth, self.deep):
            left = [self.read_fragment(0, number * ROWS, k, (0, 8)) for number in range(self.fragments)]
            right = [self.read_fragment(1, number * COLUMNS, k, (0,)) for number in range(self.fragments)]
            sums = self.multiply(sums, left, right)
        return sums

    def read_fragment(self, side: int, line: int, k: int, below: tuple[int, ...]) -> list[Value]:
        """What a thread gives an instruction of a factor, of one line or of two."""
        emitter = self.emitter
        at = emitter.add(emitter.add(self.warp[side], line), self.group)
        return self.read_lines(side, k, [emitter.add(at, more) for more in below])

    @abstractmethod
    def read_lines(self, side: int, k: int, lines: Sequence[Index]) -> list[Value]:
        """What a thread gives an instruction of some lines, from a depth on."""

    def multiply(
        self, sums: list[Value], left: Sequence[list[Value]], right: Sequence[list[Value]]
    ) -> list[Value]:
        """Multiply all fragments of rows with all of columns."""
        return [
            value
            for i, a in enumerate(left)
            for j, b in enumerate(right)
            for value in self.multiply_fragment(a, b, sums[4 * (i * self.fragments + j) :][:4])
        ]

    @abstractmethod
    def multiply_fragment(self, left: list[Value], right: list[Value], sums: list[Value]) -> list[Value]:
        """Add the products of the rows and columns of a fragment."""

    def store_square(self, sums: list[Value], lanes: int) -> None:
        """Store pairs, or one element after the other."""
        emitter = self.emitter
        for i in range(self.fragments):
            for j in range(self.fragments):
                for half in range(2):
                    start = 4 * (i * self.fragments + j) + 2 * half
                    row = self.place_of(0, i * ROWS + 8 * half, self.group)
                    column = self.place_of(1, j * COLUMNS, emitter.multiply(self.pair, 2))
                    for lane in range(0, 2, lanes):
                        at = emitter.value(emitter.add(column, lane))
                        with only_if(self.is_inside(row, at)):
                            self.store_neighbours(sums[start + lane : start + lane + lanes], row, at)

    def place_of(self, side: int, line: int, within: Index) -> Value:
        """Where what a thread has lies in the result, from where its warp begins."""
        emitter = self.emitter
        return emitter.value(
            emitter.add(emitter.add(emitter.add(self.first[side], self.warp[side]), line), within)
        )
