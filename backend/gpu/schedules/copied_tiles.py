"""Tiles of halves or bytes that are copied to shared memory asynchronously, some steps before they are multiplied.

Lines in shared memory are those of the factor: what is summed side by side, or what is not, by which warps load
squares that they turn; bytes are not turned. There are three tiles of each factor: while one is multiplied, two are on
their way, and no registers hold them. A step has one barrier, behind which all have come, and the tile of the step
before is free. Where a factor is not aligned, threads load its elements and store them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ....dialect.mlir import Type, Value, ir
from ...nests.emit import ForLoop, Index, create
from ...target import current_gpu
from ..code.asynchronous import address, begin_copy, close_group, load_matrices, wait_for_groups
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel
from ..code.tensor_copies import SharedTiles
from ..code.vectors import BYTES, element_bytes, is_aligned, vector_alignment
from ..code.walk import rest_and_quotient
from .loaders import Loader, Staged

_PAD = 16
"""Bytes between the lines of a tile, so that the lines of a square lie in different banks."""
_DEEP = 32
"""Bytes of what is summed that an instruction takes of a line."""


class Squared(Staged, Protocol):
    """What tiles of a factor ask of the product that they are squares for."""

    half: Type
    fragments: int
    """Of 16 rows, and of 8 columns, that a warp has."""
    warp: tuple[Index, Index]
    """Where in a tile the rows, and the columns, of the warp begin."""


class Multiplied(Squared, Protocol):
    """What tiles ask of the product that they are multiplied for."""

    kernel: Kernel

    def multiply(
        self, sums: list[Value], left: Sequence[list[Value]], right: Sequence[list[Value]]
    ) -> list[Value]:
        """Multiply all fragments of rows with all of columns."""


def can_copy(loaders: Sequence[Loader]) -> bool:
    """Whether factors come by 16 bytes at a time, where they are aligned, and need not be turned if they are bytes."""
    sizes = [element_bytes(loader.factor.access.memref.type.element_type) for loader in loaders]
    return all(
        loader.lanes * size == BYTES and (size > 1 or loader.by_depth)
        for loader, size in zip(loaders, sizes, strict=True)
    )


class CopiedTiles:
    """The tiles of both factors of a product, and how many of each there are."""

    def __init__(self, product: Multiplied, loaders: Sequence[Loader]) -> None:
        self._product, self._emitter = product, product.emitter
        self._bytes = 0
        self._factors = []
        for loader in loaders:
            self._factors.append(CopiedFactor(product, loader, self._bytes))
            self._bytes += self._factors[-1].bytes
        gpu = current_gpu()
        self._stages = 3 if 2 * 3 * self._bytes <= gpu.shared_bytes else 2  # as two blocks are to have room
        self._depth = loaders[0].box.depth
        self.shared_bytes = self._stages * self._bytes
        self._memory = SharedTiles(product.kernel)

    def add_up(self, zeros: list[Value]) -> list[Value]:
        """The sums of a thread."""
        emitter, stages = self._emitter, self._stages
        depth = self._product.depth
        ahead = (stages - 1) * self._depth
        first = ForLoop(emitter, 0, ahead, self._depth, [emitter.value(0)], unroll=False)
        with first.body():
            self._fill(first.position, first.carried[0])
            first.end([emitter.value(emitter.add(first.carried[0], self._bytes))])
        start = [*zeros, emitter.value(0), emitter.value((stages - 1) * self._bytes)]
        loop = ForLoop(emitter, 0, depth, self._depth, start, unroll=False)
        with loop.body():
            *sums, place, free = loop.carried
            wait_for_groups(stages - 2)
            self._product.kernel.barrier()
            self._fill(emitter.value(emitter.add(loop.position, ahead)), free)
            sums = self._multiply(sums, place)
            last = compare("eq", place, emitter.value((stages - 1) * self._bytes))
            after = [emitter.value(0), emitter.value(emitter.add(place, self._bytes))]
            loop.end([*sums, create("arith.select", [place.type], [last, *after]), place])
        return loop.results[: len(zeros)]

    def _fill(self, depth: Value, place: Value) -> None:
        """Begin to copy the tiles of a step to a place; a group without copies, if there is no such step."""
        with only_if(compare("ult", depth, self._emitter.value(self._product.depth))):
            for factor in self._factors:
                factor.fill(depth, place, self._memory)
        close_group()

    def _multiply(self, sums: list[Value], place: Value) -> list[Value]:
        left, right = self._factors
        for k in range(0, self._depth, _DEEP // left.size):
            rows = left.squares(k, place, self._memory)
            columns = right.squares(k, place, self._memory)
            sums = self._product.multiply(sums, rows, columns)
        return sums


class CopiedFactor:
    """The tiles of a factor, so many bytes from where those of a step begin."""

    def __init__(self, product: Squared, loader: Loader, start: int) -> None:
        self._product, self._loader, self._emitter, self._start = product, loader, product.emitter, start
        self.size = element_bytes(product.half)
        self._lanes = BYTES // self.size
        box = loader.box
        self._side = 0 if loader.along == product.contraction.row else 1
        lines, length = (box.side, box.depth) if loader.by_depth else (box.depth, box.side)
        self._line = self.size * length + _PAD
        self.bytes = lines * self._line
        memref = loader.factor.access.memref
        self._aligned = is_aligned([memref], self._lanes, [], self._emitter)
        self._own = self._of_thread()

    def _at(self, depth: Index, place: Index) -> Index:
        """How many bytes from the start of the tiles an element lies."""
        emitter = self._emitter
        line, within = (place, depth) if self._loader.by_depth else (depth, place)
        return emitter.add(emitter.multiply(line, self._line), emitter.multiply(within, self.size))

    # How a tile comes

    def fill(self, depth: Index, place: Value, memory: SharedTiles) -> None:
        """Begin to copy a tile that begins at a depth; it is stored at once if the factor is not aligned."""
        emitter, loader = self._emitter, self._loader
        start = emitter.add(place, self._start)
        targets = [memory.at(emitter.add(start, self._at(*begin))) for begin in loader.starts]
        assert self._aligned is not None
        with only_if(self._aligned) as branch:
            for (points, is_asked), target in zip(loader.points(depth), targets, strict=True):
                begin_copy(target, address(loader.factor.access, points[0], emitter), is_asked)
        with otherwise(branch):
            values = loader.load(depth)
            for number, target in enumerate(targets):
                self._store(values[number * self._lanes :][: self._lanes], target)

    def _store(self, values: list[Value], target: Value) -> None:
        type = ir.VectorType.get([self._lanes], self._product.half)
        vector = create("vector.from_elements", [type], values)
        create("llvm.store", [], [vector, target], vector_alignment(type))

    # How it is multiplied

    def _of_thread(self) -> Index:
        """Where the line is that the thread tells of the first squares."""
        emitter, product = self._emitter, self._product
        lane, _ = rest_and_quotient(product.thread, 32, emitter)
        line, number = rest_and_quotient(lane, 8, emitter)
        low, high = rest_and_quotient(number, 2, emitter)
        # The squares of 16 rows lie side by side along the rows first; those of columns along what is summed.
        deep, more = (high, low) if self._side == 0 else (low, high)
        begin = emitter.multiply(deep, self._lanes), emitter.multiply(more, 8)
        depth, place = begin if self._loader.by_depth else (emitter.add(begin[0], line), begin[1])
        place = emitter.add(place, line) if self._loader.by_depth else place
        return self._at(depth, emitter.add(place, product.warp[self._side]))

    def squares(self, k: int, place: Value, memory: SharedTiles) -> list[list[Value]]:
        """What the thread gives the instructions of a depth: four words for 16 rows, two for 8 columns."""
        emitter, fragments = self._emitter, self._product.fragments
        lines, count = (16, 4) if self._side == 0 else (8, 2)
        together = 2 if self._side == 1 and fragments > 1 else 1
        start = emitter.add(emitter.add(place, self._own), self._start)
        found = []
        for number in range(0, fragments, together):
            at = memory.at(emitter.add(start, self._at(k, number * lines)))
            words = load_matrices(at, count * together, not self._loader.by_depth)
            found += [words[first : first + count] for first in range(0, len(words), count)]
        return found
