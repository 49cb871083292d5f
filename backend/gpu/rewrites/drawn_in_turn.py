"""Numbers that one thread draws one after the other, as each tells where the next one begins: permutations, samples
without repetition, and integers that have bounds of their own.

So it is where there are few of them, which takes less time than the host's part, with its waits and copies, would. The
steps are those of `cpu/random_numbers/integers.py`; words are found by their places, as everywhere on a device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....dialect.mlir import Operation, Value, ir
from ....passes.control_flow.structure import constant_index
from ...functions.number import Integer
from ...nests.emit import create
from ...planning.shapes import static_shape
from ..code.control import Branch
from .random_words import (
    Words,
    as_index,
    constant,
    element,
    given,
    inserted,
    loop_over,
    loop_while,
    nest,
    product,
    quotient,
    remainder,
    word_of,
    word_type,
)

MOST = 64
"""Numbers that one thread draws."""
_HALF = 32
_LOWER = (1 << _HALF) - 1
_UPPER = _LOWER << _HALF


class Turn:
    """A stream of words as one draw after the other takes it: how many were taken, and the half that is left."""

    def __init__(self, words: Words, taken: Value, spare: Value) -> None:
        self._words, self.taken, self.spare = words, Integer(taken), Integer(spare)

    @property
    def carried(self) -> list[Value]:
        """What a loop hands on."""
        return [self.taken.value, self.spare.value]

    def word(self) -> Integer:
        """The next word."""
        found = self._words.word(self.taken, is_far=True)
        self.taken = self.taken + 1
        return found

    def half(self) -> Integer:
        """The half that is left, or the lower one of the next word."""
        branch = Branch((self.spare & 1).compare("!=", 0), [self.taken.value.type] * 3)
        with branch.way(0):
            branch.give([(self.spare >> _HALF).value, self.taken.value, (self.spare & _UPPER).value])
        with branch.way(1):
            word = self._words.word(self.taken, is_far=True)
            kept = [word & _LOWER, self.taken + 1, (word & _UPPER) | 1]
            branch.give([each.value for each in kept])
        found, self.taken, self.spare = map(Integer, branch.results)
        return found

    def masked(self, span: Integer) -> Integer:
        """An integer from zero to a span of 32 bits: drawn until one that has as many bits is not above it."""
        mask = span
        for count in (1, 2, 4, 8, 16):
            mask = mask | (mask >> count)

        def attempt(turn: Turn) -> tuple[Integer, Value]:
            drawn = turn.half() & mask
            return drawn, drawn.compare(">", span)

        return self._until(attempt)

    def below(self, span: Integer, bits: int) -> Integer:
        """An integer from zero to a span of so many bits: the upper part of a product (Lemire, 2019)."""

        def drawn(is_wide: bool) -> Callable[[], Integer]:
            return lambda: self._below_words(span) if is_wide else self._below_halves(span)

        if bits <= _HALF:
            return self._either(span.compare("==", 0), lambda: constant(0), drawn(False))

        def some() -> Integer:
            return self._either((span >> _HALF).compare("!=", 0), drawn(True), drawn(False))

        return self._either(span.compare("==", 0), lambda: constant(0), some)

    def _below_halves(self, span: Integer) -> Integer:
        count = span + 1
        rest = remainder(constant(1 << _HALF), count)

        def attempt(turn: Turn) -> tuple[Integer, Value]:
            made = turn.half() * count
            return made >> _HALF, (made & _LOWER).compare("u<", rest)

        return self._until(attempt)

    def _below_words(self, span: Integer) -> Integer:
        count = span + 1
        is_all = count.compare("==", 0)
        rest = remainder(count.constant(0) - count, count.constant(1).where(is_all, count))

        def attempt(turn: Turn) -> tuple[Integer, Value]:
            word = turn.word()
            low, high = product(word, count)
            return word.where(is_all, high), low.compare("u<", rest)

        return self._until(attempt)

    def _either(self, condition: Value, *ways: Callable[[], Integer]) -> Integer:
        """The integer that is drawn one way if a condition holds, else the other way."""
        begin = self.carried
        branch = Branch(condition, [begin[0].type] * 3)
        for number, way in enumerate(ways):
            self.taken, self.spare = map(Integer, begin)
            with branch.way(number):
                branch.give([way().value, *self.carried])
        found, self.taken, self.spare = map(Integer, branch.results)
        return found

    def _until(self, attempt: Callable[[Turn], tuple[Integer, Value]]) -> Integer:
        """The integer of the first attempt that is not drawn again."""

        def again(*carried: Value) -> list[Value]:
            turn = Turn(self._words, *carried)
            found, is_again = attempt(turn)
            return [is_again, found.value, *turn.carried]

        results = loop_while(1, self.carried, again, passed=[self.taken.value.type] * 3)
        found, self.taken, self.spare = map(Integer, results)
        return found


def can_draw_in_turn(op: Operation) -> bool:
    """Whether one thread draws what an operation asks for: if it is of a kind that has to, and little."""
    shape = static_shape(op.results[0].type)
    if any(extent is None for extent in shape):
        return False
    total = 1
    for extent in shape:
        total *= extent or 0
    function = str(op.attributes["function"].value)
    if function == "integers" and op.results[0].type.element_type.width < _HALF:
        return False  # which share halves of words
    return function in _WRITERS and 0 < total <= MOST


def draw_in_turn(op: Operation, words: Words) -> None:
    """Replace an operation by loops of one thread."""
    numbers, after = op.results
    words.prepare(constant(0), 0)
    stream = _Stream(words)
    numbers.replace_all_uses_with(_WRITERS[str(op.attributes["function"].value)](op, stream))
    if any(True for _ in after.uses):
        (moved,) = nest([after.type], [], lambda place: [stream.state(place).value])
        after.replace_all_uses_with(moved)
    op.erase()


class _Stream:
    """A stream of words between loops: what they hand on is in memory, as the host does not ask for it."""

    def __init__(self, words: Words) -> None:
        self._words = words
        type = ir.RankedTensorType.get([2], word_type())
        begin = [constant(0), words.spare()]
        (self._place,) = nest(
            [type], [], lambda place: [begin[0].where(place.compare("==", 0), begin[1]).value]
        )

    def loop(
        self, start: int, end: Value, tensor: Value, body: Callable[[Turn, Value, Value], Value]
    ) -> Value:
        """A loop that hands on a tensor, and the stream."""
        loop = loop_over(constant_index(start), end, [tensor, self._place])
        place, carried, stream = loop.regions[0].blocks[0].arguments
        with ir.InsertionPoint(loop.regions[0].blocks[0]):
            turn = Turn(self._words, element(stream, 0).value, element(stream, 1).value)
            made = body(turn, place, carried)
            for number, word in enumerate(turn.carried):
                stream = inserted(Integer(word), stream, constant_index(number))
            create("scf.yield", [], [made, stream])
        made, self._place = loop.results
        return made

    def state(self, place: Integer) -> Integer:
        """A word of the state behind what was taken."""
        is_spare = place.compare("==", self._words.place_of_spare)
        behind = self._words.state(element(self._place, 0), place, is_far=True)
        return element(self._place, 1).where(is_spare, behind)


def _permutations(op: Operation, stream: _Stream) -> Value:
    """For every row its places, shuffled."""
    type = op.results[0].type
    rows, length = type.shape
    (places,) = nest([type], [], lambda place: [remainder(place, constant(length)).value])
    if length == 1:
        return places

    def swap(turn: Turn, number: Value, places: Value) -> Value:
        at = word_of(number)
        row, step = quotient(at, constant(length - 1)), remainder(at, constant(length - 1))
        last = constant(length - 1) - step
        return _swapped(places, [as_index(row)], as_index(last), as_index(turn.masked(last)))

    return stream.loop(0, constant_index(rows * (length - 1)), places, swap)


def _sample(op: Operation, stream: _Stream) -> Value:
    """Different places among a population: where one comes again, the last one that could come stands for it."""
    asked, type = op.operands[2], op.results[0].type
    (count,) = type.shape
    population, shuffles = given(asked, 0), given(asked, 1)

    def chosen(turn: Turn, number: Value, places: Value) -> Value:
        last = population - count + word_of(number)
        drawn = turn.below(last, 2 * _HALF)
        seen = loop_over(constant_index(0), number, [constant(0).value])
        place, is_seen = seen.regions[0].blocks[0].arguments
        with ir.InsertionPoint(seen.regions[0].blocks[0]):
            same = element(places, place).compare("==", drawn)
            create("scf.yield", [], [constant(1).where(same, Integer(is_seen)).value])
        is_new = Integer(seen.results[0]).compare("==", 0)
        return inserted(drawn.where(is_new, last), places, number)

    def swap(turn: Turn, step: Value, places: Value) -> Value:
        last = create("arith.subi", [step.type], [constant_index(count), step])
        return _swapped(places, [], last, as_index(turn.below(word_of(last), _HALF)))

    places = create("tensor.empty", [type], [])
    places = stream.loop(0, constant_index(count), places, chosen)
    steps = as_index(constant(count).where(shuffles.compare("!=", 0), constant(1)))
    return stream.loop(1, steps, places, swap)


def _integers(op: Operation, stream: _Stream) -> Value:
    """Integers between bounds of their own."""
    lows, highs = list(op.operands)[2:]
    type = op.results[0].type
    width = type.element_type.width

    def drawn(turn: Turn, number: Value, numbers: Value) -> Value:
        low, high = element(lows, number), element(highs, number)
        span = high - low
        wide = span if width == 2 * _HALF else Integer(create("arith.extui", [word_type()], [span.value]))
        found = turn.below(wide, width)
        return inserted(low + (found if width == 2 * _HALF else found.narrow(width)), numbers, number)

    return stream.loop(0, constant_index(type.shape[0]), create("tensor.empty", [type], []), drawn)


_WRITERS: dict[str, Callable[[Operation, _Stream], Value]] = {
    "permutation": _permutations,
    "choice": _sample,
    "integers": _integers,
}


def _swapped(places: Value, row: Sequence[Value], one: Value, other: Value) -> Value:
    """A tensor in a row of which two words are exchanged."""
    first, second = (create("tensor.extract", [word_type()], [places, *row, at]) for at in (one, other))
    for word, at in ((second, one), (first, other)):
        places = create("tensor.insert", [places.type], [word, places, *row, at])
    return places
