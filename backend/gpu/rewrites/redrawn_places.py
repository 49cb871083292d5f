"""Numbers of a stream of which some attempts fail, and the next part is tried.

At all places, some more than there are numbers, an attempt is made as if one began there. Attempts that take more than
one part hide those behind them: where none before reaches into one, it begins for sure, and from there it is a few
steps to each place. The bits of those that begin and are kept become one array, with the places behind them. If these
are still too few, which hardly happens, one thread goes on from there, one attempt after the other; so it does from the
start where a few numbers are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

from ....dialect.mlir import Type, Value, ir
from ....passes.control_flow.structure import constant_index
from ...functions.number import Integer
from ...nests.emit import create
from ..code.control import Branch, compare
from .random_parts import Parts
from .random_words import as_index, constant, either, element, inserted, loop_over, loop_while, nest, word_of

_FEW = 32
"""Numbers that are left to one thread."""
_MORE = 256
"""Parts beyond those that are expected to be drawn again: 8 standard deviations s of them, as 8 s < s^2 / 16 + 256."""
SCALE = 20
"""Bits behind the point of the share that is drawn again."""
_WORD = 64
_UNKNOWN = -1


class Attempt(NamedTuple):
    """What comes of a draw that begins at a place."""

    bits: Integer
    end: Integer
    """The place behind the parts that it takes."""
    is_kept: Value


class Attempts(Protocol):
    """Draws of which some fail."""

    @property
    def width(self) -> int:
        """The bits of a part, and the most that a number has."""

    @property
    def again(self) -> float:
        """How many more parts than numbers are taken, by one; none if no draw fails."""

    @property
    def share(self) -> Integer | None:
        """The same in units of the last of `SCALE` bits behind the point, if the run tells it, and a sixteenth more."""

    @property
    def takes_more(self) -> bool:
        """Whether some take more than one part."""

    def attempt(self, parts: Parts, place: Integer, *, is_far: bool) -> Attempt:
        """What comes of the draw that begins at a place; behind the parts that are prepared, too, if it may be far."""


class RedrawnPlaces:
    """The bits of numbers, and the places behind them."""

    def __init__(self, attempts: Attempts, parts: Parts, total: Integer, known: int | None) -> None:
        self._attempts, self._parts, self._total = attempts, parts, total
        self._types = [ir.IntegerType.get_signless(bits) for bits in (max(attempts.width, 32), _WORD)]
        if known is not None and known <= _FEW:
            parts.prepare(total, known)
            empty = [create("tensor.empty", [type], []) for type in self._tensors([known])]
            self._kept = self._gone_on(empty, constant_index(0), math.ceil(known * (1 + attempts.again)))
            return
        again = _share_drawn_again(attempts.again) if attempts.share is None else attempts.share
        looked = None
        if known is not None and isinstance(again, int):
            looked = known + (known * again >> SCALE) + _MORE
        end = total + ((total * again) >> SCALE) + _MORE if looked is None else constant(looked)
        parts.prepare(end, looked)
        *kept, count = self._compacted(as_index(end) if looked is None else looked)
        self._kept = self._gone_on(kept, count, 0)

    def part(self, number: Integer) -> Integer:
        """The bits of a number."""
        return self._widened(element(self._kept[0], as_index(number)))

    def state(self, place: Integer) -> Integer:
        """A word of the state behind all numbers."""
        is_none = self._total.compare("==", 0)
        end = element(self._kept[1], as_index(self._total.constant(0).where(is_none, self._total - 1)))
        return self._parts.state(end.constant(0).where(is_none, end), place, is_far=True)

    def _compacted(self, size: int | Value) -> list[Value]:
        """The bits that are kept of so many places, the places behind them, and how many these are."""
        shape = [size if isinstance(size, int) else ir.ShapedType.get_dynamic_size()]
        sizes = [] if isinstance(size, int) else [size]
        end = constant_index(size) if isinstance(size, int) else size
        types = self._tensors(shape)
        seen, *ends, flags = self._seen(types, sizes)
        if ends:
            (flags,) = nest([flags.type], sizes, _begins(_running_most(ends[0], end), ends[0], flags))
        empty = [create("tensor.empty", [type], sizes) for type in types]
        loop = loop_over(constant_index(0), end, [*empty, constant_index(0)])
        place, bits, behind, count = loop.regions[0].blocks[0].arguments
        with ir.InsertionPoint(loop.regions[0].blocks[0]):
            keeps = element(flags, place).compare("!=", 0)
            after = element(ends[0], place) if ends else word_of(place) + 1
            kept = [inserted(element(seen, place), bits, count), inserted(after, behind, count)]
            more = create("arith.index_castui", [count.type], [keeps])
            create("scf.yield", [], [*kept, create("arith.addi", [count.type], [count, more])])
        return list(loop.results)

    def _seen(self, types: list[Type], sizes: list[Value]) -> list[Value]:
        """The bits of attempts at all places, the places behind them, if these are not the next, and which are kept."""
        byte, takes_more = ir.IntegerType.get_signless(8), self._attempts.takes_more

        def attempt(place: Integer) -> list[Value]:
            found = self._attempts.attempt(self._parts, place, is_far=False)
            kept = create("arith.extui", [byte], [found.is_kept])
            return [self._narrowed(found.bits), *([found.end.value] if takes_more else []), kept]

        return nest([*types[: 1 + takes_more], ir.RankedTensorType.get(types[0].shape, byte)], sizes, attempt)

    def _gone_on(self, kept: list[Value], count: Value, turns: int) -> list[Value]:
        """As many bits and places as are asked for: the rest is looked for behind what is kept."""
        carried = [*kept, count, constant(_UNKNOWN).value]
        size = as_index(self._total)

        def is_left(bits: Value, ends: Value, number: Value, last: Value) -> list[Value]:
            return [compare("slt", number, size), bits, ends, number, last]

        def go_on(bits: Value, ends: Value, number: Value, last: Value) -> list[Value]:
            place = _place_behind(Integer(last), ends, number)
            found = self._attempts.attempt(self._parts, place, is_far=True)
            narrow = Integer(self._narrowed(found.bits))
            written = [inserted(narrow, bits, number), inserted(found.end, ends, number)]
            more = create("arith.index_castui", [number.type], [found.is_kept])
            more = create("arith.addi", [number.type], [number, more])
            return [*written, more, found.end.value]

        return loop_while(turns, carried, is_left, go_on)[:2]

    def _tensors(self, shape: list[int]) -> list[Type]:
        return [ir.RankedTensorType.get(shape, type) for type in self._types]

    def _narrowed(self, bits: Integer) -> Value:
        type = self._types[0]
        return bits.value if type.width == _WORD else create("arith.trunci", [type], [bits.value])

    def _widened(self, bits: Integer) -> Integer:
        return bits if bits.bits == _WORD else Integer(create("arith.extui", [self._types[1]], [bits.value]))


def _share_drawn_again(again: float) -> int:
    """How many parts more than numbers are taken, and a sixteenth of them more, in units of the last bit."""
    return int(again * 17 / 16 * (1 << SCALE)) + 1


def _running_most(ends: Value, size: Value) -> Value:
    """The largest of the elements up to each one."""
    word = ir.IntegerType.get_signless(_WORD)
    sizes = [] if ends.type.has_static_shape else [size]
    loop = loop_over(constant_index(0), size, [create("tensor.empty", [ends.type], sizes)])
    place, most = loop.regions[0].blocks[0].arguments
    with ir.InsertionPoint(loop.regions[0].blocks[0]):
        own = element(ends, place)
        branch = Branch(compare("eq", place, constant_index(0)), [word])
        with branch.way(0):
            branch.give([own.value])
        with branch.way(1):
            before = element(most, create("arith.subi", [place.type], [place, constant_index(1)]))
            branch.give([create("arith.maxsi", [word], [before.value, own.value])])
        create("scf.yield", [], [inserted(Integer(branch.results[0]), most, place)])
    return loop.results[0]


def _begins(reach: Value, ends: Value, flags: Value) -> Callable[[Integer], list[Value]]:
    """Whether an attempt begins at a place, and is kept.

    `reach` is how far attempts up to each place reach, if all begin: one begins for sure where none does further.
    """

    def is_sure(place: Integer) -> Integer:
        is_first = place.compare("==", 0)
        before = element(reach, as_index(place.constant(0).where(is_first, place - 1)))
        return Integer(is_first) | Integer(before.compare("<=", place))

    def begins(place: Integer) -> list[Value]:
        kept = element(flags, as_index(place))
        branch = Branch(is_sure(place).value, [kept.value.type])
        with branch.way(0):
            branch.give([kept.value])
        with branch.way(1):
            first = _stepped(place - 1, lambda at: (is_sure(at) ^ 1).value, lambda at: at - 1)
            found = _stepped(first, lambda at: at.compare("<", place), lambda at: element(ends, as_index(at)))
            branch.give([kept.where(found.compare("==", place), 0).value])
        return branch.results

    return begins


def _stepped(
    first: Integer, goes_on: Callable[[Integer], Value], step: Callable[[Integer], Integer]
) -> Integer:
    """The first place, from one on, from which it does not go on."""

    def test(place: Value) -> list[Value]:
        return [goes_on(Integer(place)), place]

    (last,) = loop_while(1, [first.value], test, lambda place: [step(Integer(place)).value])
    return Integer(last)


def _place_behind(last: Integer, ends: Value, number: Value) -> Integer:
    """The place behind the last attempt, or, if it is not known, behind the last number."""

    def behind() -> Integer:
        is_first = compare("eq", number, constant_index(0))
        before = create("arith.subi", [number.type], [number, constant_index(1)])
        return either(_WORD, is_first, lambda: constant(0), lambda: element(ends, before))

    return either(_WORD, last.compare("<", 0), behind, lambda: last)
