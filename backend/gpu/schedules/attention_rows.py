"""What a thread does for its rows of queries: the softmax of scores that come tile by tile.

The exponential function is taken of scores less the largest that a row has shown so far. When a larger one comes, the
sum of weights and that of values, which were made with the one before, are made smaller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....dialect.mlir import Operation, Type, Value, ir
from ....dialect.records import dataclass, replace
from ....passes.rewriting import operations_in
from ...nests.emit import ForLoop, Index, create, store
from ...nests.nest import LoopNest, loop_nest
from ..code.assembly import instruction
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel, clone_with
from ..code.points import read, write_body
from ..code.reduce import Reduction, warp_reduce
from ..code.walk import split
from ..rewrites.approximations import mark_approximate
from ..rewrites.attention import denominator, positions
from .attention_masks import HiddenTiles, mask_of
from .attention_parts import Parts, Tile
from .loaders import Loader
from .results import Results
from .steps import Step

_UNKNOWN = 24
"""Where the number of keys is not known, weights are made smaller by so many powers of two."""


@dataclass(frozen=True)
class Pieces:
    """How many blocks share the keys of a row."""

    count: int
    memory: Sequence[Value]
    """Where there are several: the largest score of each row in a piece, the sum of its weights, and of its values."""


class Rows(Results):
    """Writes what a thread does: it has rows of the block, and of each some keys, then some columns of values."""

    lanes: int
    """The neighbouring threads that share rows."""
    shared_bytes = 0
    """What a launch gives to a block, besides what the kernel has."""
    of_values: Loader
    """What brings values."""

    @staticmethod
    def tile(parts: Parts) -> Tile | None:
        """How large tiles are; None where this is no way to do it."""
        raise NotImplementedError

    @staticmethod
    def scale(parts: Parts) -> int | None:
        """The power of two that weights are multiplied with, so that halves hold them; None by their number."""
        return None

    def __init__(
        self,
        kernel: Kernel,
        parts: Parts,
        tile: Tile,
        nests: dict[Operation, LoopNest],
        ends: Sequence[Step],
        is_asked_for: bool,
        pieces: Pieces,
    ) -> None:
        outer, self.tile_shape, self.pieces = parts.attention, tile, pieces
        fields = ("scores", "largest", "weights", "total", "shares", "result")
        inner = {name: nests[getattr(outer, name)].operation for name in fields}
        changes = tuple(nests[op].operation for op in outer.changes)
        own = Parts.of(replace(outer, changes=changes, **inner))
        assert own is not None
        self.parts, self.attention, self.queries_keys = own, own.attention, own.scores
        last = [self.parts.result.nest, *[nests[step.nest.operation] for step in ends[1:]]]
        self._take_extents(last[0])
        super().__init__(kernel, self.parts.result, ends, last, is_asked_for)
        self.keys = self.parts.keys
        self.zero = self.emitter.splat(0, self.element)
        self.least = self.emitter.splat(-math.inf, self.element)
        self._place()

    def _take_extents(self, nest: LoopNest) -> None:
        """Let the last product have the extents of the first: there is no memory of shares that would tell them."""
        dims = positions(self.attention.result)[self.attention.place]
        scores = positions(self.attention.scores)[2]
        for dim, other in zip(dims, scores, strict=True):
            nest.extents[dim] = self.queries_keys.nest.extents[other]

    def _place(self) -> None:
        """Which rows the block has."""
        emitter, rows = self.emitter, self.tile_shape.rows
        count = emitter.divide_up(self.rows, rows)
        *batch, tile = split(self.kernel.id("block_id"), [*self.parts.outer, count], emitter)
        self.first = emitter.multiply(tile, rows)
        self.thread = self.kernel.id("thread_id")
        self._take_batch(batch)

    def _take_batch(self, batch: list[Index]) -> None:
        """Which of the batches it is, as each of the products counts them."""
        self.batch = batch
        by_dim = dict(zip(positions(self.attention.scores)[2][:-2], self.batch, strict=True))
        self.outer_of_scores = [by_dim[dim] for dim in self.queries_keys.outer]
        dims = positions(self.attention.result)[self.attention.place][:-2]
        by_dim = dict(zip(dims, self.batch, strict=True))
        self.outer = [by_dim[dim] for dim in self.contraction.outer]

    # What is written in other ways for other types

    def prepare(self) -> None:
        """Compute what the thread needs all the time, and bring the queries."""
        raise NotImplementedError

    def begin(self, first: Index, last: Index) -> None:
        """Begin to bring tiles of keys, of which the block has those before the last."""

    def bring(self, first: Index) -> None:
        """Wait for the tile that begins at a key, where tiles are brought ahead."""

    def row_places(self) -> list[Index]:
        """The rows of the thread, from the first of the block on."""
        raise NotImplementedError

    def key_places(self) -> list[Index]:
        """Its keys in a tile."""
        raise NotImplementedError

    def column_places(self) -> list[Index]:
        """Its columns of values; `quad` of them are neighbours."""
        raise NotImplementedError

    def scores(self, first: Index) -> list[list[Value]]:
        """The products of the rows of the thread with its keys in the tile that begins at one."""
        raise NotImplementedError

    def add_values(
        self, first: Index, weights: list[list[Value]], sums: list[list[Value]]
    ) -> list[list[Value]]:
        """Add the values of the keys in a tile by the weights that the thread, and others, have of them."""
        raise NotImplementedError

    # The softmax

    def emit(self) -> None:
        """Write the kernel; nothing is done where there are no rows."""
        count = self.emitter.product([*self.parts.outer, self.rows])
        if not isinstance(count, int):
            with only_if(compare("ne", count, self.emitter.value(0))):
                self._all_keys()
        elif count:
            self._all_keys()

    def _all_keys(self) -> None:
        emitter = self.emitter
        self.prepare()
        rows, columns = len(self.row_places()), len(self.column_places())
        total = self.attention.total.operands[1].type.element_type
        none = emitter.splat(0, total)
        start = [*[self.least] * rows, *[none] * rows, *[self.zero] * (rows * columns)]
        own = self._own_keys()
        self.begin(*own)
        mask = mask_of(self.attention.changes)
        loop = ForLoop(emitter, *own, self.tile_shape.keys, start)
        with loop.body():
            first, carried = loop.position, loop.carried
            self.bring(first)
            tiles = None if mask is None else HiddenTiles(self, mask)
            hidden = None if tiles is None else tiles.is_hidden(first, carried[:rows])
            if hidden is None:
                loop.end(self._with_tile(first, carried))
            else:
                with only_if(hidden, [value.type for value in start]) as branch:
                    branch.give(carried)
                with otherwise(branch):
                    branch.give(self._with_tile(first, carried))
                loop.end(branch.results)
        totals, found = loop.results[rows : 2 * rows], loop.results[2 * rows :]
        sums = [found[columns * i :][:columns] for i in range(rows)]
        if self.pieces.count > 1:
            self._store_piece(loop.results[:rows], totals, sums)
            return
        self._finish([self._divided(total, own) for total, own in zip(totals, sums, strict=True)])

    def _with_tile(self, first: Value, carried: Sequence[Value]) -> list[Value]:
        """The largest scores of rows, and the sums of weights and of values, with the tile that begins at a key."""
        rows, columns = len(self.row_places()), len(self.column_places())
        largest, totals = list(carried[:rows]), list(carried[rows : 2 * rows])
        sums = [list(carried[2 * rows + columns * i :][:columns]) for i in range(rows)]
        weights = self._changed(first, self.scores(first))
        for i in range(rows):
            before = largest[i]
            largest[i] = self._largest(before, weights[i])
            finite = self._finite(largest[i])
            weights[i] = [self._weight(score, finite) for score in weights[i]]
            smaller = self._exponential(before, finite)
            totals[i] = self._add_weights(totals[i], smaller, weights[i])
            sums[i] = [create("arith.mulf", [v.type], [v, smaller]) for v in sums[i]]
        sums = self.add_values(first, weights, sums)
        return [*largest, *totals, *(value for row in sums for value in row)]

    def _own_keys(self) -> tuple[Index, Index]:
        """The first key of the block, and the first behind its last one."""
        if self.pieces.count == 1:
            return 0, self.keys
        assert isinstance(self.keys, int)
        tiles = -(-self.keys // self.tile_shape.keys)
        each = -(-tiles // self.pieces.count) * self.tile_shape.keys
        start = self.emitter.multiply(self.kernel.id("block_id", "y"), each)
        return start, self.emitter.minimum(self.emitter.add(start, each), self.keys)

    def _store_piece(
        self, largest: Sequence[Value], totals: Sequence[Value], sums: list[list[Value]]
    ) -> None:
        """Leave what the rows have in this piece; of the threads that share a row, one tells what is all of theirs."""
        emitter, (of_largest, of_totals, of_sums) = self.emitter, self.pieces.memory
        columns = [emitter.value(place) for place in self.column_places()]
        is_first = compare("eq", columns[0], emitter.value(0))
        reduction = Reduction.known(loop_nest(self.attention.total))
        for number, place in enumerate(self.row_places()):
            (total,) = warp_reduce(reduction, [totals[number]], self.lanes)
            row = emitter.value(emitter.add(self.first, place))
            at = [self.kernel.id("block_id", "y"), self._row_of_all(row)]
            for column, value in zip(columns, sums[number], strict=True):
                with only_if(self.is_inside(row, column)):
                    store(value, of_sums, [*at, column])
            with only_if(create("arith.andi", [is_first.type], [is_first, self.is_inside(row, columns[0])])):
                store(largest[number], of_largest, at)
                store(total, of_totals, at)

    def _row_of_all(self, row: Index) -> Value:
        """The number of a row among those of all batches."""
        number: Index = 0
        for index, extent in zip([*self.batch, row], [*self.parts.outer, self.rows], strict=True):
            number = self.emitter.add(self.emitter.multiply(number, extent), index)
        return self.emitter.value(number)

    def _largest(self, before: Value, scores: Sequence[Value]) -> Value:
        """The largest number of a row so far, which all threads that share the row know."""
        reduction = Reduction.known(loop_nest(self.attention.largest))
        wide = [self.as_type(score, reduction.types[0]) for score in scores]
        found = wide[0]
        for value in wide[1:]:
            (found,) = reduction.join([found], [value])
        (found,) = warp_reduce(reduction, [found], self.lanes)
        (found,) = reduction.join([self.as_type(before, reduction.types[0])], [found])
        return self.as_type(found, self.element)

    def _finite(self, largest: Value) -> Value:
        """What is subtracted: zero where all scores were minus infinity so far, so that their weights are zeros."""
        none = compare("oeq", largest, self.least)
        return create("arith.select", [largest.type], [none, self.zero, largest])

    def _exponential(self, score: Value, largest: Value, power: float = 0.0) -> Value:
        """2**power times what a score weighs, none being larger than the largest: an instruction is good for f32."""
        difference = create("arith.subf", [self.element], [self.as_type(score, self.element), largest])
        if self.element.width > 32:
            return create("math.exp", [self.element], [difference])
        numbers = [self.emitter.splat(number, self.element) for number in (1 / math.log(2), power)]
        exponent = create("math.fma", [self.element], [difference, *numbers])
        return instruction("ex2.approx.ftz.f32 $0, $1;", "=f,f", self.element, [exponent])

    @property
    def _power(self) -> int:
        """The power of two that weights are multiplied with: none of their sums is larger than the largest value."""
        scale = self.scale(self.parts)
        if scale is not None:
            return scale
        return -(self.keys.bit_length() if isinstance(self.keys, int) else _UNKNOWN)

    def _weight(self, score: Value, largest: Value) -> Value:
        """What a score weighs; the factor of halves costs nothing, and what it costs in accuracy they do not have."""
        if self.scale(self.parts) is not None:
            return self._exponential(score, largest, self._power)
        power = self.emitter.splat(2.0**self._power, self.element)
        return create("arith.mulf", [self.element], [self._exponential(score, largest), power])

    def _add_weights(self, total: Value, smaller: Value, weights: Sequence[Value]) -> Value:
        """The weights of a row that a thread has, with those of before; four are added before they are made wider."""
        smaller = self.as_type(smaller, total.type)
        total = create("arith.mulf", [total.type], [total, smaller])
        for start in range(0, len(weights), 4):
            few = list(weights[start : start + 4])
            while len(few) > 1:
                pairs = zip(few[::2], few[1::2], strict=False)
                few = [create("arith.addf", [a.type], [a, b]) for a, b in pairs] + few[len(few) // 2 * 2 :]
            total = create("arith.addf", [total.type], [total, self.as_type(few[0], total.type)])
        return total

    def _divided(self, total: Value, sums: Sequence[Value]) -> list[Value]:
        """What a row has of values, divided by the sum of all weights of the row."""
        reduction = Reduction.known(loop_nest(self.attention.total))
        (total,) = warp_reduce(reduction, [total], self.lanes)
        back = self.emitter.splat(2.0**-self._power, total.type)
        total = create("arith.mulf", [total.type], [total, back])
        by = denominator(self.attention.shares, self.place_of_weights)
        assert by is not None
        body = self.attention.shares.regions[0].blocks[0]
        values = {body.arguments[1 - self.place_of_weights]: total}
        other = self.as_type(_copied(by.value, values), self.element)
        power = -self._power if by.is_factor else self._power
        other = create("arith.mulf", [self.element], [other, self.emitter.splat(2.0**power, self.element)])
        name = "arith.mulf" if by.is_factor else "arith.divf"
        found = [create(name, [self.element], [value, other]) for value in sums]
        if not by.is_factor:
            for quotient in found:
                mark_approximate(quotient.owner)
        return found

    @property
    def place_of_weights(self) -> int:
        """Which operand of what computes shares the weights are; the other one is their sum."""
        return int(self.attention.shares.operands[0] == self.attention.total.operands[1])

    def _changed(self, first: Index, scores: list[list[Value]]) -> list[list[Value]]:
        """Scores as the softmax is taken of; those beyond the last key weigh nothing."""
        emitter = self.emitter
        places = [emitter.value(emitter.add(first, place)) for place in self.key_places()]
        last = emitter.value(emitter.subtract(self.keys, 1))
        inside = [compare("ule", place, last) for place in places]
        clamped = [create("arith.minui", [place.type], [place, last]) for place in places]
        is_even = isinstance(self.keys, int) and self.keys % self.tile_shape.keys == 0
        found = []
        for place, row in zip(self.row_places(), scores, strict=True):
            at = emitter.minimum(emitter.add(self.first, place), emitter.subtract(self.rows, 1))
            values = [
                self._change(score, [*self.batch, at, key]) for score, key in zip(row, clamped, strict=True)
            ]
            if not is_even:
                values = [
                    create("arith.select", [value.type], [own, emitter.splat(-math.inf, value.type), value])
                    for value, own in zip(values, map(self._negated, inside), strict=True)
                ]
            found.append(values)
        return found

    def _negated(self, condition: Value) -> Value:
        one = self.emitter.splat(1, condition.type)
        return create("arith.xori", [condition.type], [condition, one])

    def _change(self, score: Value, point: list[Index]) -> Value:
        """What the operations before the softmax make of a score."""
        before: Operation = self.attention.scores
        for op in self.attention.changes:
            nest = loop_nest(op)
            own = before.operands[len(before.operands) - 1]
            operands = [
                score if not access.is_scalar and access.memref == own else read(access, point, self.emitter)
                for access in nest.inputs
            ]
            unknown = create("ub.poison", [nest.outputs[0].memref.type.element_type], [])
            (score,) = write_body(nest, point, [*operands, unknown], self.emitter)
            before = op
        return score

    # The result

    def _finish(self, values: list[list[Value]]) -> None:
        """Store the rows of the thread, by neighbours where they are aligned."""
        rows = [self.emitter.add(self.first, place) for place in self.row_places()]
        self.store_places(values, rows, self.column_places())

    def as_type(self, value: Value, type: Type) -> Value:
        """A number in another type."""
        if value.type == type:
            return value
        name = "arith.extf" if type.width > value.type.width else "arith.truncf"
        return create(name, [type], [value])


def _copied(value: Value, values: dict[Value, Value]) -> Value:
    """A value of a body at the insertion point, of other arguments."""
    if value in values or isinstance(value.owner, ir.Block) or not _is_inside(value.owner.operation, values):
        return values.get(value, value)
    op = value.owner.operation
    for operand in op.operands:
        values[operand] = _copied(operand, values)
    clone_with(op, values, lambda outer: values.get(outer, outer))
    return values[value]


def _is_inside(op: Operation, values: dict[Value, Value]) -> bool:
    """Whether an operation is in the body that some arguments are of."""
    block = next(argument.owner for argument in values if isinstance(argument.owner, ir.Block))
    return op in operations_in(block)
