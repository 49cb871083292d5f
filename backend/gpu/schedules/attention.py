"""Attention: queries stay with their threads, keys and values go by, and no scores are in memory.

A block has some rows of queries. It goes over the keys, tile by tile: it multiplies the rows with the keys, takes the
exponential function of what comes out, less the largest number that each row has shown so far, and adds up the values
by these weights. When a larger number comes, what was added up before is made smaller. The weights of a row are added
up as well, and what it has of values is divided by their sum in the end. All is done in one order, whatever else runs.

Where there are few rows, several blocks share the keys: each leaves what its piece comes to, with the largest number in
it, and a second kernel makes one of these.

A row all of whose scores are minus infinity has no weights but zeros, and is 0 / 0 in the end, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ....dialect.mlir import Value
from ...nests.emit import Emitter, Index
from ...target import gpu_figures
from ..code.kernel import Kernel, allocate
from ..rewrites.attention import Attention
from .attention_parts import Parts, Tile
from .attention_pieces import merged, pieces_of
from .attention_rows import Pieces, Rows
from .attention_tensor_cores import HalfRows
from .attention_tensor_cores import takes as takes_halves
from .attention_tiles import TiledRows
from .device_schedule import DeviceSchedule, Run, size_of
from .followers import may_follow
from .loaders import THREADS
from .products import is_asked_for, is_replaced


class TiledAttention(DeviceSchedule):
    """A product, the softmax of its rows and the product of that with values, as one kernel; two, where rows are few:
    blocks share the keys, and what they found is merged.
    """

    name = "attention"
    reason = "scores stay with their threads"
    writer: ClassVar[type[Rows]] = TiledRows

    def __init__(self, run: Run, found: Attention, count: int, parts: Parts, tile: Tile) -> None:
        follows = len(run.steps) > count and may_follow(run.steps[count - 1], run.steps[count])
        super().__init__(run, count + follows)
        self.found, self.count, self.parts, self.tile = found, count, parts, tile

    @classmethod
    def match(cls, run: Run) -> TiledAttention | None:
        found, count = run.attention or (None, 0)
        parts = None if found is None else Parts.of(found)
        tile = None if parts is None or not cls.takes(parts) else cls.writer.tile(parts)
        return None if found is None or parts is None or tile is None else cls(run, found, count, parts, tile)

    @classmethod
    def takes(cls, parts: Parts) -> bool:
        """Products of halves alone are faster by tensor cores than attention without."""
        return not takes_halves(parts)

    @property
    def operations_per_second(self) -> float:
        """Additions and multiplications in products; 0 where that is not known."""
        return gpu_figures().f32_per_second

    def seconds(self) -> float:
        products = (self.parts.scores, self.parts.result)
        each = 2 * sum(size_of(product.nest.extents) for product in products)
        return each / self.operations_per_second if self.operations_per_second else 0.0

    def write(self, name: str) -> None:
        steps, parts, tile, kind = self.steps, self.parts, self.tile, self.writer
        emitter = Emitter(self.function)
        ends = steps[self.count - 1 :]
        asked = is_asked_for(ends)
        result = ends[0].nest.outputs[0].memref
        between = [step.nest.outputs[0].memref for step in steps[: self.count - 1]]
        if not asked and not is_replaced(ends):
            between.append(result)
        ops = [step.nest.operation for step in steps]
        given = [step.initial for step in steps if step.initial is not None]

        def write(
            name: str, kind: type[Rows], memory: Sequence[Value], blocks: Sequence[Index], text: str
        ) -> None:
            kernel = Kernel(self.function, name, ops, (THREADS, 1, 1), [*given, *memory], between)
            with kernel.nests(ops) as nests:
                own = Pieces(pieces, [kernel.value(memref) for memref in memory])
                written = kind(kernel, parts, tile, dict(zip(ops, nests, strict=True)), ends, asked, own)
                written.emit()
            kernel.launch(blocks, text, shared=written.shared_bytes)

        counts = [*parts.outer, emitter.divide_up(parts.rows, tile.rows)]
        blocks = emitter.maximum(1, emitter.product(counts))
        text = f"{self.title}; {tile.rows} rows and {tile.keys} keys at a time"
        pieces = pieces_of(parts, tile, blocks)
        if pieces == 1:
            write(name, kind, [], [blocks], text)
            return
        rows = emitter.product([*parts.outer, parts.rows])
        assert isinstance(rows, int)
        types = [parts.scores.element, self.found.total.operands[1].type.element_type, parts.scores.element]
        shapes = [[pieces, rows], [pieces, rows], [pieces, rows, parts.columns]]
        memory = [allocate(shape, type) for shape, type in zip(shapes, types, strict=True)]
        write(f"{name}_parts", kind, memory, [blocks, pieces], f"{text}, in {pieces} pieces")
        last = [-(-rows * parts.columns // THREADS)]
        write(name, merged(kind), memory, last, f"{self.title}: the pieces, in their order")


class HalfAttention(TiledAttention):
    """Attention of halves, of which tensor cores multiply queries with keys and weights with values."""

    reason = "scores stay with their threads, and tensor cores multiply"
    writer = HalfRows

    @classmethod
    def takes(cls, parts: Parts) -> bool:
        return takes_halves(parts)

    @property
    def operations_per_second(self) -> float:
        return gpu_figures().f16_per_second
