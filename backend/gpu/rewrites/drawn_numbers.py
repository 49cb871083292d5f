"""Uniform numbers of generators as loops over their places: the state tells the number of each place by itself.

    %numbers, %next = weft.fill_random(%state, %empty) {algorithm = "pcg64", function = "uniform"}

becomes a nest for the numbers, which is computed where they are used (a mask of dropout is never in memory), and one
for the state behind them. A generator moves on once for each draw, in branches and loops where it runs, as on the host.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, Type, Value, ir
from ....dialect.ops.random import FillRandom
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.fusion.fuse_elementwise import FuseElementwise
from ....passes.notes import note
from ....passes.rewriting import operations_of
from ...functions.number import Integer, Number
from ...nests.emit import create
from ...planning.shapes import static_shape
from .random_words import Pcg, Philox, Words, constant, nest, word_of


@dataclass(frozen=True)
class DrawByPlace(Pass):
    """Draw uniform numbers at all places at once, by jumping ahead."""

    def run(self, module: Module, statistics: Statistics) -> None:
        draws = [op for op in operations_of(module.operation) if _is_by_place(op)]
        for op in draws:
            note("algorithm", op.location, "draws the number of each place by itself, by jumping ahead")
            _write(op)
            statistics["draws written"] += 1
        if draws:
            FuseElementwise().run(module, statistics)


def _is_by_place(op: Operation) -> bool:
    """Whether an operation draws numbers that each take as much of the stream."""
    return op.name == FillRandom.mlir_name() and str(op.attributes["function"].value) == "uniform"


def _write(op: Operation) -> None:
    state, empty = list(op.operands)[:2]
    numbers, after = op.results
    kind = numbers.type.element_type
    with ir.InsertionPoint(op), op.location:
        (known,) = static_shape(empty.type)
        if known == 0:
            numbers.replace_all_uses_with(empty)
            after.replace_all_uses_with(state)
            op.erase()
            return
        extent = create("tensor.dim", [ir.IndexType.get()], [empty, _zero()]) if known is None else None
        total = constant(known) if known is not None else word_of(extent)
        algorithm = op.attributes["algorithm"].value
        words: Words = Philox(state) if algorithm == "philox" else Pcg(state, algorithm)
        draws = _Halves(words, total, known) if kind.width == 32 else _Whole(words, total, known)
    target = _only_shape(numbers)
    with ir.InsertionPoint(op if target is None else target), op.location:
        shaped = numbers if target is None else target.results[0]
        sizes = ([] if extent is None else [extent]) if target is None else list(target.operands)[1:]
        (found,) = nest([shaped.type], sizes, lambda place: [draws.number(place, kind)])
        shaped.replace_all_uses_with(found)
    if target is not None:
        target.erase()
    with ir.InsertionPoint(op), op.location:
        if any(True for _ in after.uses):
            (moved,) = nest([state.type], [], lambda place: [draws.state(place).value])
            after.replace_all_uses_with(moved)
    op.erase()


def _only_shape(numbers: Value) -> Operation | None:
    """The shape that numbers get, if they are used in no other: they are computed in it."""
    users = [use.owner.operation for use in numbers.uses]
    return users[0] if len(users) == 1 and users[0].name == "tensor.expand_shape" else None


class _Whole:
    """Numbers of 64 bits: a word each."""

    def __init__(self, words: Words, total: Integer, known: int | None) -> None:
        self._words, self._total = words, total
        words.prepare(total, known)

    def number(self, place: Integer, kind: Type) -> Value:
        """The number of a place."""
        return _unit(self._words.word(place) >> 11, kind, 53)

    def state(self, place: Integer) -> Integer:
        """A word of the state behind all numbers."""
        return self._words.state(self._total, place)


class _Halves:
    """Numbers of 32 bits: the half that a word left before, then the lower half of each word before the upper one."""

    def __init__(self, words: Words, total: Integer, known: int | None) -> None:
        self._words, self._total = words, total
        most = None if known is None else (known + 1) // 2
        words.prepare((total + 1) >> 1, most)

    def number(self, place: Integer, kind: Type) -> Value:
        """The number of a place."""
        kept = self._words.spare()
        half = place - (kept & 1)
        is_first = half.compare("<", 0)
        word = self._words.word((half >> 1).where(_not(is_first), 0))
        own = (word >> ((half & 1) << 5)) & 0xFFFFFFFF
        return _unit((kept >> 32).where(is_first, own) >> 8, kind, 24)

    def state(self, place: Integer) -> Integer:
        """A word of the state behind all numbers, with the half that is left."""
        words, kept = self._words, self._words.spare()
        halves = self._total - (kept & 1)
        rest = halves.where(_not(halves.compare("<", 0)), 0)
        drawn = (rest + 1) >> 1
        last = words.word((drawn - 1).where(_not(drawn.compare("==", 0)), 0))
        upper = kept.where(drawn.compare("==", 0), last) & 0xFFFFFFFF00000000
        spare = upper | (rest & 1)
        spare = kept.where(self._total.compare("==", 0), spare)
        return spare.where(place.compare("==", words.place_of_spare), words.state(drawn, place))


def _not(condition: Value) -> Value:
    """Whether a condition does not hold."""
    return (Integer(condition) ^ 1).value


def _zero() -> Value:
    index = ir.IndexType.get()
    return create("arith.constant", [index], [], {"value": ir.IntegerAttr.get(index, 0)})


def _unit(bits: Integer, kind: Type, count: int) -> Value:
    """A number in [0, 1) of so many bits."""
    return (Number(create("arith.uitofp", [kind], [bits.value])) * 2.0**-count).value
