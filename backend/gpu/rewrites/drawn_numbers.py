"""Uniform numbers of generators, and integers of which there are a power of two, as loops over their places: the state
tells the number of each place by itself. (Of other integers some are drawn again, so that places tell nothing.)

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
    if op.name != FillRandom.mlir_name():
        return False
    return str(op.attributes["function"].value) == "uniform" or _Range.of(op) is not None


@dataclass(frozen=True)
class _Range:
    """Integers from one on, as many as some bits tell apart."""

    first: int
    bits: int

    @staticmethod
    def of(op: Operation) -> _Range | None:
        """Those that an operation draws; None where these are others, or of bytes, or only the run tells them."""
        if str(op.attributes["function"].value) != "integers":
            return None
        is_long = str(op.attributes["dtype"].value) in ("int32", "uint32", "int64", "uint64")
        bounds = [_constant_of(value) for value in list(op.operands)[2:]]
        low, high = bounds if len(bounds) == 2 and is_long else (None, None)
        if low is None or high is None:
            return None
        count = (high - low) % (1 << op.results[0].type.element_type.width) + 1
        is_power = count > 1 and count & (count - 1) == 0
        return _Range(low, count.bit_length() - 1) if is_power else None

    def number(self, word: Integer, width: int, kind: Type) -> Value:
        """What NumPy makes of a word of so many bits: the upper ones."""
        found = (word >> (width - self.bits)) + self.first
        return found.value if kind.width == found.bits else create("arith.trunci", [kind], [found.value])


def _constant_of(value: Value) -> int | None:
    """The integer that all elements of a constant are."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return None
    attribute = value.owner.operation.attributes["value"]
    is_one = isinstance(attribute, ir.DenseIntElementsAttr) and attribute.is_splat
    return int(attribute.get_splat_value().value) if is_one else None


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
        integers = _Range.of(op)
        width = kind.width if integers is None else 32 if integers.bits <= 32 else 64
        draws = _Halves(words, total, known) if width == 32 else _Whole(words, total, known)

    def number(place: Integer) -> Value:
        word = draws.word(place)
        return _unit(word, width, kind) if integers is None else integers.number(word, width, kind)

    target = _only_shape(numbers)
    with ir.InsertionPoint(op if target is None else target), op.location:
        shaped = numbers if target is None else target.results[0]
        sizes = ([] if extent is None else [extent]) if target is None else list(target.operands)[1:]
        (found,) = nest([shaped.type], sizes, lambda place: [number(place)])
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

    def word(self, place: Integer) -> Integer:
        """What the number of a place is made of."""
        return self._words.word(place)

    def state(self, place: Integer) -> Integer:
        """A word of the state behind all numbers."""
        return self._words.state(self._total, place)


class _Halves:
    """Numbers of 32 bits: the half that a word left before, then the lower half of each word before the upper one."""

    def __init__(self, words: Words, total: Integer, known: int | None) -> None:
        self._words, self._total = words, total
        most = None if known is None else (known + 1) // 2
        words.prepare((total + 1) >> 1, most)

    def word(self, place: Integer) -> Integer:
        """What the number of a place is made of, as the lower half of a word."""
        kept = self._words.spare()
        half = place - (kept & 1)
        is_first = half.compare("<", 0)
        word = self._words.word((half >> 1).where(_not(is_first), 0))
        own = (word >> ((half & 1) << 5)) & 0xFFFFFFFF
        return (kept >> 32).where(is_first, own)

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


def _unit(word: Integer, width: int, kind: Type) -> Value:
    """A number in [0, 1) of the upper bits of a word, as many as it has room for."""
    count = {32: 24, 64: 53}[width]
    upper = word >> (width - count)
    return (Number(create("arith.uitofp", [kind], [upper.value])) * 2.0**-count).value
