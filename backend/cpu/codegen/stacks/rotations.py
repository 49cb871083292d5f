"""Jacobi's method in the lanes of vectors: rotations of two columns after the other, until all are orthogonal.

A round rotates neighbours, half as many pairs at a time as there are columns, and hands the columns on, so that in a
sweep of rounds each column has met every other one (Brent and Luk 1985): all rounds are the same code. What a round
reads and what it writes are the two halves of scratch memory, which change places. Lanes where a matrix needs no more
rotations rotate by nothing while others go on: what becomes of a matrix does not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .....dialect.mlir import Value, ir
from .....dialect.records import dataclass
from ....functions.number import Number, all_of, any_lane
from ....nests.emit import Emitter, ForLoop, compare, while_loop
from ..vectors.temporaries import scratch
from .entries import Entry
from .tables import Memory, Table

_SWEEPS = 30
"""Matrices of eight rows take six to ten; what takes more is left to LAPACK."""
_TINY = 2.0**-500
"""Far below what counts of numbers of size 1: keeps the angle of two zeros from being NaN."""
_SQUARED_ROUNDING = 2.0**-112
"""The square of an eighth of a rounding error, as what is off a diagonal is made of up to six others."""


@dataclass(frozen=True)
class Rotation:
    """The unitary change of columns p and q into `p cos - q conj(sin)` and `p sin + q cos`."""

    cosine: Number
    sine: Entry
    shift: Number
    """By how much it makes the first number on the diagonal smaller and the second one larger."""
    square: Number
    """Of the tangent of the angle."""

    @staticmethod
    def of(first: Number, second: Number, between: Entry, weight: Number) -> Rotation:
        """The smaller one of those that make a Hermitian matrix of two rows diagonal (Rutishauser 1966).

        It is that of no angle where the weight is 0, and not 1.
        """
        half, product = (second - first) * 0.5, between.square()
        length = half.times_plus(half, product).sqrt()
        scale = weight.with_sign_of(half) / (abs(half) + length + _TINY)
        square = scale * scale * product
        cosine = 1.0 / (square + 1.0).sqrt()
        return Rotation(cosine, between.times(scale * cosine), scale * product, square)

    def columns(self, entries: Sequence[tuple[Entry, Entry]]) -> list[tuple[Entry, Entry]]:
        """What entries of the columns become, row for row."""
        return self._turned(entries, self.sine)

    def rows(self, entries: Sequence[tuple[Entry, Entry]]) -> list[tuple[Entry, Entry]]:
        """What entries of the rows become, by the adjoint, column for column."""
        return self._turned(entries, self.sine.conjugate())

    def _turned(self, entries: Sequence[tuple[Entry, Entry]], sine: Entry) -> list[tuple[Entry, Entry]]:
        back = -sine.conjugate()
        return [
            (x.times(self.cosine).plus_product(back, y), y.times(self.cosine).plus_product(sine, x))
            for x, y in entries
        ]


@dataclass(frozen=True)
class Unrest:
    """How much there was to rotate."""

    size: Number
    """The largest square of what was off the diagonal, where 1 is all."""
    turn: Number
    """The larger one of that, and the largest square of the tangent of an angle."""

    def joined(self, size: Number, turn: Number) -> Unrest:
        """With that of another pair, or of other pairs."""
        larger = _larger(self.size, size)
        return Unrest(larger, _larger(self.turn, _larger(turn, size)))

    def is_above(self, bound: float) -> Value:
        """Whether sizes are above a bound after the rotations.

        These made zeros of what was off the diagonal, which became multiples of the rest by the sines of later angles.
        """
        later = (self.size * self.turn).compare(">", _SQUARED_ROUNDING)
        return all_of(later, self.size.compare(">", bound))


def _larger(one: Number, other: Number) -> Number:
    return one.where(one.compare(">", other), other)


def neighbours(extent: int) -> list[tuple[int, int]]:
    """The pairs of columns of a round; of an odd number the first one has none.

    >>> neighbours(5)
    [(1, 2), (3, 4)]
    """
    return [(first, first + 1) for first in range(extent % 2, extent - 1, 2)]


def next_places(extent: int) -> list[int]:
    """Where the columns are in the next round: the first of an even number stays, the others go around.

    >>> next_places(4)
    [0, 2, 3, 1]
    """
    odd = extent % 2
    players = extent + odd
    ring = [place - odd for place in (*range(2, players, 2), *range(players - 1, 0, -2))]
    found = dict(zip(ring, [*ring[1:], *ring[:1]], strict=True))
    return [found.get(place, place) for place in range(extent)]


def rotate_rows(old: Table, new: Table, rows: int, turns: dict[int, Rotation]) -> None:
    """Rotate the columns of a matrix, of which a first one without neighbour stays, and hand them on."""
    to = next_places(old.columns)
    with old.each_row(rows) as places:
        entries = [Entry(*(old.memory.load(place) for place in parts)) for parts in places]
        for p, turn in turns.items():
            ((entries[p], entries[p + 1]),) = turn.columns([(entries[p], entries[p + 1])])
        for place, entry in zip(to, entries, strict=True):
            for part, number in zip(places[place], entry.parts, strict=True):
                new.memory.store(number, part)


@dataclass(frozen=True)
class Iteration:
    """Matrices in memory, and what a round of rotations does with them."""

    emitter: Emitter
    extent: int
    """How many columns there are."""
    numbers: int
    """How many vectors of memory the matrices are."""
    fill: Callable[[Memory], None]
    rotate: Callable[[Memory, Memory, Number, Unrest], Unrest]
    """Read matrices, and write them rotated, with the weights of `Rotation.of`; joins the unrest with what it was."""
    bound: float
    """Below which sizes are those of rounding errors."""

    def run(self, type: ir.VectorType) -> tuple[Memory, Value]:
        """The memory at the end, and in which lanes matrices are settled."""
        emitter = self.emitter
        memory = scratch(emitter, [2, self.numbers, type.shape[0]], type.element_type)
        zero, one = emitter.value(0), Number(emitter.splat(1.0, type))
        self.fill(Memory(emitter, memory, zero))

        def swept(half: Value, sweep: Value, weights: Value) -> list[Value]:
            half, unrest = self._sweep(Memory(emitter, memory, half), Number(weights))
            weight = Number(weights).where(unrest.is_above(self.bound), 0.0)
            go_on = all_of(any_lane(weight.compare(">", 0.0)), compare("slt", sweep, emitter.value(_SWEEPS)))
            return [go_on, half, emitter.value(emitter.add(sweep, 1)), weight.value]

        half, _, weights = while_loop([zero, zero, one.value], swept)
        return Memory(emitter, memory, half), Number(weights).compare("==", 0.0)

    def _sweep(self, start: Memory, weight: Number) -> tuple[Value, Unrest]:
        """All rounds of a sweep; in which half the matrices are behind it."""
        emitter, zero = self.emitter, weight.constant(0.0).value
        rounds = self.extent - 1 + self.extent % 2
        loop = ForLoop(emitter, 0, rounds, 1, [start.half, zero, zero], unroll=False)
        with loop.body():
            half, size, turn = loop.carried
            source = Memory(emitter, start.memory, half)
            target = source.other()
            unrest = self.rotate(source, target, weight, Unrest(Number(size), Number(turn)))
            loop.end([target.half, unrest.size.value, unrest.turn.value])
        half, size, turn = loop.results
        return half, Unrest(Number(size), Number(turn))
