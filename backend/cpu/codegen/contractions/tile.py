"""The sums of a tile: what they start from, and where they go when they are finished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .....dialect.mlir import Type, Value, ir
from .....dialect.records import dataclass
from .... import target
from ....nests.contraction import Contraction
from ....nests.emit import Index, compare, create, only_if, otherwise
from ..vectors.code import broadcast, mask_type
from .plan import Plan
from .walk import Finish, Task, load_result, store_result

Place: TypeAlias = "tuple[list[Index], Value | None]"
"""The point of the first element of a vector of results, and its valid lanes."""


@dataclass(frozen=True)
class Panel:
    """Columns that are computed together: the first one of every vector, and its valid lanes (None for all)."""

    column: Index
    starts: list[Index]
    masks: list[Value | None]


@dataclass(frozen=True)
class PanelRange:
    """Panels of equal width, in vectors; what they have beyond the last column is not computed."""

    first: Index
    stop: Index
    width: int


@dataclass(frozen=True)
class Block:
    """Rows and products that are computed together."""

    row: Index
    last_row: Index
    """Behind the last one."""
    start: Index
    depth: Index
    stop: Index | None = None
    """Where the products of the block end, and how many there are in all; None if the block has them all."""
    whole: Index | None = None


class TileStore:
    """Starts and finishes the sums of tiles.

    Sums are given for row after row, in a row for part after part of the left operand, then for the vectors of the
    panel. Those of a block that is not the first are added to what is in memory; those of the last one are finished.
    """

    def __init__(self, task: Task, plan: Plan) -> None:
        self.contraction, self.plan, self.emitter, self.initial = (
            task.contraction,
            plan,
            task.emitter,
            task.initial,
        )
        self.given_finish = task.finish
        self.vector = ir.VectorType.get([plan.lanes], task.contraction.element)
        self.stored = ir.VectorType.get([plan.lanes], task.contraction.stored)

    def start(self, places: Sequence[Place], width: int, block: Block) -> list[Value]:
        """The first values of all sums of a tile of so many vectors in a row."""
        zero = self.emitter.splat(0, self.vector)
        if block.stop is not None:
            for point, _ in places:
                self._prefetch(point)
            return [zero] * (len(places) * self.contraction.parts)
        values = [self._initial() if self.initial is not None else self._load(*place) for place in places]
        if self.contraction.parts == 1:
            return values
        rows = [values[first : first + width] for first in range(0, len(values), width)]
        return [value for row in rows for value in [*row, *[zero] * width]]

    def finish(self, sums: Sequence[Value], places: Sequence[Place], width: int, block: Block) -> None:
        """Store all sums, or what is made of them."""
        values = self._joined(sums, width)
        if block.stop is None:
            self._write([self._narrow(value) for value in values], places, self.given_finish or self._store)
            return
        later = compare("ne", self.emitter.value(block.start), self.emitter.value(0))
        before = [self._before(place, later) for place in places]
        values = [self._add(value, old) for value, old in zip(values, before, strict=True)]
        if self.given_finish is None:
            self._write(values, places, self._store)
            return
        assert block.whole is not None
        last = compare("eq", self.emitter.value(block.stop), self.emitter.value(block.whole))
        with only_if(last) as branch:
            self._write(values, places, self.given_finish)
        with otherwise(branch):
            self._write(values, places, self._store)

    def _write(self, values: Sequence[Value], places: Sequence[Place], finish: Finish) -> None:
        for value, (point, mask) in zip(values, places, strict=True):
            finish(value, point, mask)

    def _initial(self) -> Value:
        return broadcast_start(self.contraction, self.initial, self.vector)

    def _narrow(self, value: Value) -> Value:
        return value if self.stored == self.vector else create("arith.trunci", [self.stored], [value])

    def _load(self, point: list[Index], mask: Value | None) -> Value:
        vector = load_result(self.contraction, self.emitter, point, self.stored, mask)
        return _widened(vector, self.vector)

    def _before(self, place: Place, later: Value) -> Value:
        """What sums of former blocks left in memory; the initial value in the first one."""
        if self.initial is None:
            return self._load(*place)
        point, mask = place
        result, valid = self.contraction.result, broadcast(later, mask_type(self.plan.lanes))
        if mask is not None:
            valid = create("arith.andi", [valid.type], [valid, mask])
        indices = result.indices(self.emitter, point)
        operands = [result.memref, *indices, valid, self._initial()]
        return create("vector.maskedload", [self.vector], operands)

    def _store(self, vector: Value, point: list[Index], mask: Value | None) -> None:
        store_result(self.contraction, self.emitter, vector, point, mask)

    def _prefetch(self, point: list[Index]) -> None:
        """Ask for the memory that the sums will be added to."""
        result = self.contraction.result
        prefetch(result.memref, result.indices(self.emitter, point), is_write=True)

    def _add(self, left: Value, right: Value) -> Value:
        name = "arith.addi" if isinstance(self.vector.element_type, ir.IntegerType) else "arith.addf"
        return create(name, [self.vector], [left, right])

    def _joined(self, sums: Sequence[Value], width: int) -> list[Value]:
        """The products with the real and the imaginary parts of the left operand, joined to complex numbers."""
        if self.contraction.parts == 1:
            return list(sums)
        rows = [sums[first : first + 2 * width] for first in range(0, len(sums), 2 * width)]
        return [
            self._join(real, imaginary)
            for row in rows
            for real, imaginary in zip(row[:width], row[width:], strict=True)
        ]

    def _join(self, real: Value, imaginary: Value) -> Value:
        """(x r, x i) + i (y r, y i) = (x r - y i, x i + y r)."""
        lanes = self.plan.lanes
        turned = shuffle(imaginary, imaginary, [lane ^ 1 for lane in range(lanes)])
        negative = create("arith.negf", [self.vector], [turned])
        signed = shuffle(negative, turned, [lane + lanes * (lane % 2) for lane in range(lanes)])
        return create("arith.addf", [self.vector], [real, signed])


def prefetch(memref: Value, indices: Sequence[Value], is_write: bool = False) -> None:
    """Ask for the line of an element; there need not be one."""
    attributes = {
        "isWrite": ir.BoolAttr.get(is_write),
        "localityHint": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 3),
        "isDataCache": ir.BoolAttr.get(True),
    }
    create("memref.prefetch", [], [memref, *indices], attributes)


def multiply_add(contraction: Contraction, left: Value, right: Value, total: Value, type: Type) -> Value:
    """left * right + total: for floats with one rounding where the machine can, wrapping for integers.

    For bits it is `and`, then `or`.
    """
    if not isinstance(type.element_type, ir.IntegerType):
        if target.current().fused_multiply_add:
            return create("vector.fma", [type], [left, right, total])
        return create("arith.addf", [type], [create("arith.mulf", [type], [left, right]), total])
    product, add = ("arith.andi", "arith.ori") if contraction.logical else ("arith.muli", "arith.addi")
    return create(add, [type], [create(product, [type], [left, right]), total])


def broadcast_start(contraction: Contraction, initial: Value, type: Type) -> Value:
    """The scalar that sums start from, as a vector."""
    if contraction.parts == 1:
        return broadcast(_widened(initial, type.element_type), type)
    parts = [create(f"complex.{part}", [contraction.element], [initial]) for part in ("re", "im")]
    real, imaginary = (broadcast(part, type) for part in parts)
    lanes = type.shape[0]
    return shuffle(real, imaginary, [lane + lanes * (lane % 2) for lane in range(lanes)])


def _widened(value: Value, type: Type) -> Value:
    return value if value.type == type else create("arith.extsi", [type], [value])


def shuffle(left: Value, right: Value, lanes: Sequence[int]) -> Value:
    """The given lanes of two vectors."""
    type = ir.VectorType.get([len(lanes)], left.type.element_type)
    mask = {"mask": ir.DenseI64ArrayAttr.get(list(lanes))}
    return create("vector.shuffle", [type], [left, right], mask)
