"""Lowerings of the ops on tables: loops over slots that read keys where they lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...dialect.mlir import Value, dialect
from ...dialect.ops.tables import HALF, MULTIPLIER, TableFind, TableIndex
from ...dialect.records import dataclass
from .conversion import Conversion, OpInstance, lowers
from .loops import extract, for_loop, insert
from .regions import index_of, index_or_first, scalar_tensor
from .scalars import BOOL, ScalarBuilder

arith = dialect("arith")

_INT32 = np.dtype(np.int32)
_INT64 = np.dtype(np.int64)


@lowers(TableFind)
def lower_find(c: Conversion, op: OpInstance) -> Value:
    """Look from the first slot on until one is empty or leads to the key."""
    slots, keys, *scalars = op.operands
    words = [extract(scalar, []) for scalar in scalars]
    room = _number_of_keys(c, keys, len(words))

    def differs(place: Value) -> Value:
        place = index_or_first(c, place, room)
        b, flags, different = ScalarBuilder(c, _INT64), ScalarBuilder(c, BOOL), None
        for there, word in zip(_words_at(c, keys, place, len(words)), words, strict=True):
            found = b.compare("ne", there, word)
            different = found if different is None else flags.either(different, found)
        assert different is not None, "a key has a word"
        return different

    return scalar_tensor(_Probe.of(c, slots, words).found(slots, differs))


@lowers(TableIndex)
def lower_index(c: Conversion, op: OpInstance) -> Value:
    """Put place after place into the first empty slot."""
    slots, keys, count = op.operands
    b, width = ScalarBuilder(c, _INT64), op.attributes["width"]
    room = arith.IndexCastOp(b.type, _number_of_keys(c, keys, width)).result
    number = b.op("arith.maxsi", b.op("arith.minsi", extract(count, []), room), b.constant(0))

    def put(place: Value, carried: list[Value]) -> Sequence[Value]:
        slot = _Probe.of(c, slots, _words_at(c, keys, place, width)).found(carried[0])
        stored = arith.IndexCastOp(ScalarBuilder(c, _INT32).type, place).result
        return [insert(stored, carried[0], [index_of(c, slot)])]

    return for_loop(c, 0, index_of(c, number), [slots], put)[0]


def _number_of_keys(c: Conversion, keys: Value, width: int) -> Value:
    """For how many keys there is room."""
    size = c.index(c.extent(keys, 0))
    return size if width == 1 else arith.DivUIOp(size, c.index(width)).result


def _words_at(c: Conversion, keys: Value, place: Value, width: int) -> list[Value]:
    """The words of the key at a place."""
    if width == 1:
        return [extract(keys, [place])]
    first = arith.MulIOp(place, c.index(width)).result
    return [extract(keys, [arith.AddIOp(first, c.index(number)).result]) for number in range(width)]


@dataclass(frozen=True)
class _Probe:
    """A walk over slots as `probes` says, until all were seen."""

    c: Conversion
    word: Value
    size: Value

    @classmethod
    def of(cls, c: Conversion, slots: Value, words: Sequence[Value]) -> _Probe:
        """The walk that looks for a key."""
        size = arith.IndexCastOp(ScalarBuilder(c, _INT64).type, c.index(c.extent(slots, 0))).result
        return cls(c, _folded(ScalarBuilder(c, _INT64), words), size)

    def masked(self, number: Value) -> Value:
        """A number that grows as the slot where it is: behind the last one the first follows."""
        b = ScalarBuilder(self.c, _INT64)
        return b.both(number, b.op("arith.subi", self.size, b.constant(1)))

    def found(self, slots: Value, differs: Callable[[Value], Value] | None = None) -> Value:
        """The first slot that is empty or leads to a place that does not differ from what is looked for."""
        c, b, short = self.c, ScalarBuilder(self.c, _INT64), ScalarBuilder(self.c, _INT32)

        def goes_on(slot: Value, step: Value) -> Value:
            place = extract(slots, [index_of(c, slot)])
            wrong = short.compare("ge", place, short.constant(0))
            if differs is not None:
                wrong = b.both(wrong, differs(index_of(c, place)))
            return b.both(wrong, b.compare("lt", step, self.size))

        def following(slot: Value, step: Value) -> list[Value]:
            one, mixed = b.constant(1), _mixed(b, self.word)
            stride = b.either(b.op("arith.shrui", mixed, b.constant(HALF)), one)
            is_first = b.compare("eq", step, b.constant(0))
            number = b.select(is_first, mixed, b.op("arith.addi", slot, stride))
            return [self.masked(number), b.op("arith.addi", step, one)]

        return b.loop([self.masked(self.word), b.constant(0)], goes_on, following)[0]


def _folded(b: ScalarBuilder, words: Sequence[Value]) -> Value:
    """The words of a key as one."""
    found = words[0]
    for word in words[1:]:
        found = b.op("arith.addi", _mixed(b, found), word)
    return found


def _mixed(b: ScalarBuilder, word: Value) -> Value:
    """A word of which all bits depend on all bits of another."""
    halves = b.differ(word, b.op("arith.shrui", word, b.constant(HALF)))
    spread = b.op("arith.muli", halves, b.constant(MULTIPLIER))
    return b.differ(spread, b.op("arith.shrui", spread, b.constant(HALF)))
