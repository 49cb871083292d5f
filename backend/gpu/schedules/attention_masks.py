"""Tiles of keys that no row of a block sees, as half of those of causal attention: they are passed over.

A mask chooses between scores and one number. Where it compares places, bounds tell for a whole tile whether it can
choose scores anywhere in it. What such a tile would add is looked at before: a number weighs nothing only where all
rows have larger ones, and zero times a value is zero only if that is finite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ....dialect.mlir import Operation, Type, Value, ir
from ....passes.rewriting import constant_integer, operations_in
from ...nests.emit import Emitter, Index, create
from ...nests.nest import loop_nest
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel
from ..code.reduce import BlockReduction, Reduction
from ..rewrites.attention import Attention
from .attention_parts import Tile
from .loaders import THREADS, Loader

_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge")
_OPPOSITES = {"slt": "sge", "sge": "slt", "sle": "sgt", "sgt": "sle", "eq": "ne", "ne": "eq"}
_LEAST = {32: -200.0, 64: -800.0}
"""Scores so far below the largest one weigh nothing, by the bits of what they are computed in."""

Bounds = tuple[Index, Index]


class Softmax(Protocol):
    """What is asked of the rows of a block, and of what computes their softmax."""

    kernel: Kernel
    emitter: Emitter
    attention: Attention
    tile_shape: Tile
    batch: list[Index]
    first: Index
    """The first row."""
    rows: Index
    """How many there are in all, and how many keys."""
    keys: Index
    element: Type
    zero: Value
    of_values: Loader

    def as_type(self, value: Value, type: Type) -> Value:
        """A number in another type."""
        ...


class Mask(NamedTuple):
    """What chooses between a score and a number, as the last that is done to scores."""

    condition: Value
    hides: bool
    """Whether the number is chosen where the condition holds."""
    number: float


def mask_of(changes: Sequence[Operation]) -> Mask | None:
    """The mask of scores that operations change, if it chooses a number that can weigh nothing."""
    if not changes:
        return None
    *_, terminator = operations_in(loop_nest(changes[-1]).body)
    value = terminator.operands[0]
    while _name(value) in ("arith.extf", "arith.truncf"):
        value = value.owner.operation.operands[0]
    if _name(value) != "arith.select":
        return None
    condition, *ways = value.owner.operation.operands
    for place, way in enumerate(ways):
        if _name(way) == "arith.constant":
            number = float(ir.FloatAttr(way.owner.operation.attributes["value"]).value)
            return Mask(condition, place == 0, number) if number < min(_LEAST.values()) else None
    return None


def _name(value: Value) -> str:
    """Of the operation that makes a value."""
    return "" if isinstance(value.owner, ir.Block) else str(value.owner.operation.name)


class HiddenTiles:
    """Finds the tiles of which the rows of a block see nothing."""

    def __init__(self, rows: Softmax, mask: Mask) -> None:
        self._rows, self._emitter, self._mask = rows, rows.emitter, mask

    def is_hidden(self, first: Value, largest: Sequence[Value]) -> Value | None:
        """Whether the tile that begins at a key adds nothing to rows of such largest scores; None: not to be told."""
        rows, emitter, tile = self._rows, self._emitter, self._rows.tile_shape
        ends = (
            (start, emitter.minimum(emitter.add(start, count - 1), emitter.subtract(extent, 1)))
            for start, count, extent in ((rows.first, tile.rows, rows.rows), (first, tile.keys, rows.keys))
        )
        self._places: list[Bounds] = [*((place, place) for place in rows.batch), *ends]
        seen = self._can_hold(self._mask.condition, not self._mask.hides)
        if seen is None:
            return None
        with only_if(seen, [seen.type]) as branch:
            branch.give([emitter.splat(0, seen.type)])
        with otherwise(branch):
            branch.give([self._weighs_nothing(first, largest)])
        return branch.results[0]

    def _can_hold(self, condition: Value, wanted: bool) -> Value | None:
        """Whether a condition is, somewhere in the tile, what is wanted; None where that is not to be told."""
        op, name = condition.owner, _name(condition)
        if name == "arith.xori" and constant_integer(op.operation.operands[1]) is not None:
            return self._can_hold(op.operation.operands[0], not wanted)
        if name in ("arith.andi", "arith.ori"):
            found = [self._can_hold(part, wanted) for part in op.operation.operands]
            known = [part for part in found if part is not None]
            if (name == "arith.andi") != wanted and len(known) < 2:
                return None
            joint = "arith.andi" if (name == "arith.andi") == wanted else "arith.ori"
            return create(joint, [known[0].type], known) if len(known) == 2 else next(iter(known), None)
        return self._can_compare(op.operation, wanted) if name == "arith.cmpi" else None

    def _can_compare(self, op: Operation, wanted: bool) -> Value | None:
        number = int(op.attributes["predicate"].value)
        left, right = map(self._bounds, op.operands)
        if left is None or right is None or number >= len(_PREDICATES):
            return None
        predicate = _PREDICATES[number] if wanted else _OPPOSITES[_PREDICATES[number]]
        if predicate == "ne":
            return None
        above, below = (
            compare(kind, *map(self._emitter.value, pair))
            for kind, pair in (
                ("sgt" if predicate == "sgt" else "sge", (left[1], right[0])),
                ("slt" if predicate == "slt" else "sle", (left[0], right[1])),
            )
        )
        if predicate == "eq":
            return create("arith.andi", [above.type], [above, below])
        return above if predicate in ("sgt", "sge") else below

    def _bounds(self, value: Value) -> Bounds | None:
        """The least and the largest that a number made of places is in the tile."""
        known = constant_integer(value)
        if known is not None:
            return known, known
        name = _name(value)
        if name == "linalg.index":
            return self._places[int(value.owner.operation.attributes["dim"].value)]
        if name not in ("arith.addi", "arith.subi", "arith.index_cast", "arith.extsi"):
            return None
        found = [bounds for operand in value.owner.operation.operands if (bounds := self._bounds(operand))]
        if len(found) < len(value.owner.operation.operands):
            return None
        if len(found) == 1:
            return found[0]
        (low, high), (least, most) = found
        emitter = self._emitter
        if name == "arith.addi":
            return emitter.add(low, least), emitter.add(high, most)
        return emitter.subtract(low, most), emitter.subtract(high, least)

    def _weighs_nothing(self, first: Value, largest: Sequence[Value]) -> Value:
        """Whether all values of a tile are finite, and all rows of the block have larger scores than the number."""
        rows, emitter = self._rows, self._emitter
        sum_of_zeros = rows.zero
        for depth in range(0, rows.tile_shape.keys, rows.of_values.box.depth):
            for value in rows.of_values.load(emitter.add(first, depth)):
                number = rows.as_type(value, rows.element)
                sum_of_zeros = create("math.fma", [rows.element], [number, rows.zero, sum_of_zeros])
        holds = compare("oeq", sum_of_zeros, rows.zero)
        if math.isfinite(self._mask.number):
            number, least = (
                emitter.splat(each, rows.element) for each in (self._mask.number, _LEAST[rows.element.width])
            )
            for score in largest:
                below = create("arith.subf", [rows.element], [number, score])
                holds = create("arith.andi", [holds.type], [holds, compare("olt", below, least)])
        reduction = Reduction.known(loop_nest(rows.attention.largest))
        none, some = (emitter.splat(each, reduction.types[0]) for each in (0, 1))
        block = BlockReduction(rows.kernel, THREADS)
        with block.repeated():
            (found,) = block.reduce(reduction, [create("arith.select", [none.type], [holds, none, some])])
        return compare("oeq", found, none)
