"""Permutations, and samples without repetition, of many places: all numbers are drawn first, and then it is found for
each place beside the others what the steps leave there, though each exchanges what the ones before left.

Step i exchanges place i and a place j(i) up to it, from the last one on. What is at a place p before step i came there
at the last step before that had p as its j, which is the smallest k > i with j(k) = p; it was at place k before, and so
on, until there is no such step: then it is what was there at the start. Sorted pairs of j and i tell these steps by a
search, and there are few of them behind each other: of n places the logarithm of n, at most some times it.

A sample of distinct numbers (Floyd's) takes at step m the last number that could come, b + m, where the one that it
draws was taken before: if an earlier step drew the same, or if it is b + k and step k took that for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ....dialect.mlir import Operation, Value, ir
from ....dialect.ops.sorting import Sort
from ....dialect.ops.state import RaiseIf
from ....passes.control_flow.structure import constant_index
from ....passes.lowering.random import LARGE_POPULATION
from ....passes.rewriting import constant_integer
from ...functions.number import Integer
from ...nests.emit import create, scalar
from ...planning.shapes import static_shape
from ..code.control import Branch, compare, first_without, only_if
from ..placement.sorts import SORTED_BITS
from .drawn_steps import MaskedSteps, ScaledSteps, SteppedNumbers
from .random_parts import parts_of
from .random_words import (
    Words,
    as_index,
    constant,
    either,
    element,
    given,
    loop_while,
    nest,
    quotient,
    word_of,
    word_type,
)

_HALF, _WORD = 32, 64
_LOWER = (1 << _HALF) - 1
MOST_PLACES = (1 << 32) - 1
"""Of which, and of the number behind them, two are a word."""
_SIGN = 1 << 63
"""What is turned in pairs, as words are sorted by their signs, too."""
_NONE = (1 << 64) - 1
"""Behind all pairs; its number is none that is drawn."""

Extent: TypeAlias = "int | Integer"
"""A number that is known, or not."""


def can_arrange(op: Operation) -> bool:
    """Whether an operation draws permutations of rows, or a sample, of no more places than there may be."""
    function, shape = str(op.attributes["function"].value), static_shape(op.results[0].type)
    places = 1
    for extent in shape:
        places *= 0 if extent is None else extent
    if function == "choice":
        population, shuffles = (_known(op.operands[2], place) for place in range(2))
        return shuffles is not None and max(places, population or 0) <= MOST_PLACES
    return function == "permutation" and places <= MOST_PLACES


def arrange(op: Operation, words: Callable[[], Words]) -> None:
    """Replace an operation by nests; where only the run tells that a population is too large, the host draws."""
    is_sample = str(op.attributes["function"].value) == "choice"
    places = _population(op) if is_sample else _product(_extents(op))
    if isinstance(places, int):
        results = _sample(op, words()) if is_sample else _permutations(op, words())
    elif is_sample:  # which may be of a population that there is no memory for
        branch = Branch(places.compare("<=", MOST_PLACES), [result.type for result in op.results])
        with branch.way(0):
            branch.give(_sample(op, words()))
        with branch.way(1):
            branch.give(list(op.clone().operation.results))
        results = branch.results
    else:
        with only_if(places.compare(">", MOST_PLACES)):
            _refuse(places)
        results = _permutations(op, words())
    for old, new in zip(op.results, results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _refuse(places: Integer) -> None:
    """Say that a permutation has too many places, of which no GPU has had the memory: some 160 GB."""
    always = scalar(ir.IntegerType.get_signless(8), 1)
    operands = [
        create("tensor.from_elements", [ir.RankedTensorType.get([], value.type)], [value])
        for value in (always, places.value)
    ]
    message = f"a permutation of {{0}} places, of which a GPU draws {MOST_PLACES} at most"
    texts = {"error": ir.StringAttr.get("MemoryError"), "message": ir.StringAttr.get(message)}
    create(RaiseIf.mlir_name(), [], operands, texts)


def _permutations(op: Operation, words: Words) -> list[Value]:
    """For every row its places, shuffled."""
    (rows, length), type = _extents(op), op.results[0].type
    steps = MaskedSteps(_integer(rows), _integer(length))
    known = rows * max(length - 1, 0) if isinstance(rows, int) and isinstance(length, int) else None
    if known == 0:
        return [nest([type], [], lambda _: [constant(0).value])[0], op.operands[0]]
    numbers = SteppedNumbers(steps, parts_of(words, _HALF), steps.count, known)
    each = length - 1 if isinstance(length, int) else steps.each
    bits = _bits_below(length)
    exchanges = _Exchanges(numbers, (rows, each), _integer(length) - 1, constant(0), steps.count, bits)
    sizes = [as_index(extent) for extent in (rows, length) if not isinstance(extent, int)]

    def place(at: Integer) -> Value:
        row = quotient(at, _integer(length))
        return exchanges.origin(row, at - row * _integer(length)).value

    return [nest([type], sizes, lambda at: [place(at)])[0], _state(op, numbers)]


def _sample(op: Operation, words: Words) -> list[Value]:
    """Different numbers below a population, in random order or in any."""
    (count,), population, type = _extents(op), _population(op), op.results[0].type
    if count == 0:
        return list(op.operands)[1::-1]
    shuffles = bool(_known(op.operands[2], 1))

    def one_by_one() -> list[Value]:
        return _sample_of_distinct(op, words, count, _integer(population), shuffles)

    def last_of_all() -> list[Value]:
        return _sample_of_shuffled(op, words, count, _integer(population))

    share = 50 if shuffles else 20
    if isinstance(count, int) and isinstance(population, int):
        is_part = population > LARGE_POPULATION and count > population // share
        return last_of_all() if is_part else one_by_one()
    asked = _integer(population)
    is_part = _integer(count).compare(">", quotient(asked, constant(share)))
    is_part = create("arith.andi", [is_part.type], [is_part, asked.compare(">", LARGE_POPULATION)])
    branch = Branch(is_part, [type, op.operands[0].type])
    for number, way in enumerate((last_of_all, one_by_one)):
        with branch.way(number):
            branch.give(way())
    return branch.results


def _sample_of_shuffled(op: Operation, words: Words, count: Extent, population: Integer) -> list[Value]:
    """The end of a range whose last places are shuffled, from the last one on; the first one has no choice."""
    wanted, last, zero = _integer(count), population - 1, constant(0)
    first = population - wanted
    total = wanted - constant(1).where(first.compare("==", 0), 0)
    numbers = _numbers(op, words, ScaledSteps(total, lambda step: last - step), wanted, count)
    exchanges = _Exchanges(numbers, (1, count), last, zero, total, _bits_up_to(_population(op)))
    made = _nest(op, count, lambda at: exchanges.origin(zero, first + at))
    return [made, _state(op, numbers)]


def _sample_of_distinct(
    op: Operation, words: Words, count: Extent, population: Integer, shuffles: bool
) -> list[Value]:
    """Numbers below bounds that rise, the bound itself where one comes again; then they are shuffled."""
    wanted, zero, one = _integer(count), constant(0), constant(1)
    first = population - wanted
    is_all = wanted.compare(">", 0) if isinstance(count, int) else wanted.compare("!=", 0)
    skipped = one.where(create("arith.andi", [is_all.type], [is_all, first.compare("==", 0)]), 0)
    drawn = wanted - skipped  # the first of all has no choice, and takes no half
    shuffled = (wanted - 1).where(wanted.compare(">", 1), 0) if shuffles else zero

    def span(step: Integer) -> Integer:
        behind = wanted - 1 - (step - drawn)
        return (first + skipped + step).where(step.compare("<", drawn), behind)

    most = count * (1 + shuffles) if isinstance(count, int) else None
    steps = ScaledSteps(drawn + shuffled, span)
    numbers = _numbers(op, words, steps, wanted * (1 + shuffles), most)
    chosen = _Distinct(numbers, count, first, skipped, _bits_below(_population(op)))
    found = _nest(op, count, chosen.number)
    if shuffles:
        bits = _bits_up_to(count)
        exchanges = _Exchanges(numbers, (1, count), wanted - 1, drawn, shuffled, bits)
        before = found
        found = _nest(op, count, lambda at: element(before, as_index(exchanges.origin(zero, at))))
    return [found, _state(op, numbers)]


class _Pairs:
    """Rows of pairs of a number and the place or step that has it, in order."""

    def __init__(
        self,
        shape: tuple[Extent, Extent],
        pair: Callable[[Integer], tuple[Integer, Integer, Value]],
        most: int | None,
    ) -> None:
        """`pair` gives the halves of a pair by its place among all, and whether there is one.

        The second halves are in order; of the first ones it may be known how many bits they have at most.
        """
        self._each = shape[1]
        known = [extent if isinstance(extent, int) else ir.ShapedType.get_dynamic_size() for extent in shape]
        type = ir.RankedTensorType.get(known, word_type())

        def packed(place: Integer) -> list[Value]:
            upper, lower, is_there = pair(place)
            return [(((upper << _HALF) | lower).where(is_there, constant(_NONE)) ^ constant(_SIGN)).value]

        (pairs,) = nest([type], _sizes(shape), packed)
        axis = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 1)
        attributes = {"axis": axis, "descending": ir.BoolAttr.get(False)}
        if most is not None:
            bits = [_HALF, min(_WORD, _HALF + most)]
            attributes[SORTED_BITS] = ir.DenseI64ArrayAttr.get(bits)
        self._sorted = create(Sort.mlir_name(), [type], [pairs], attributes)

    def at(self, row: Integer, place: Value) -> Integer:
        """A pair in a row."""
        return self._turned(row, place) ^ constant(_SIGN)

    def _turned(self, row: Integer, place: Value) -> Integer:
        return Integer(create("tensor.extract", [word_type()], [self._sorted, as_index(row), place]))

    def first_from(self, row: Integer, upper: Integer, lower: Integer) -> tuple[Value, Integer]:
        """The place in a row of the first pair that is not below one, and the pair; none behind all."""
        wanted, end = ((upper << _HALF) | lower) ^ constant(_SIGN), as_index(_integer(self._each))
        place = first_without(
            lambda middle: self._turned(row, middle).compare("<", wanted), constant_index(0), end
        )
        is_there = compare("ult", place, end)
        return place, either(_WORD, is_there, lambda: self.at(row, place), lambda: constant(_NONE))


class _Exchanges:
    """Steps that exchange a last place and the one that was drawn; the last place is the next lower one each time."""

    def __init__(
        self,
        numbers: SteppedNumbers,
        shape: tuple[Extent, Extent],
        last: Integer,
        begin: Integer,
        count: Integer,
        bits: int | None,
    ) -> None:
        """Of rows of so many steps at most, which are so many in all, and begin behind others of the same stream.

        Of numbers it may be known how many bits they have.
        """
        self._numbers, self._last, self._begin, self._each = numbers, last, begin, _integer(shape[1])

        def pair(at: Integer) -> tuple[Integer, Integer, Value]:
            row = quotient(at, self._each)
            before = (row + 1) * self._each - 1 - at  # the last step of a row is that of its lowest place
            step = row * self._each + before
            is_step = step.compare("<", count)
            return self._drawn(begin + step.where(is_step, 0)), self._last - before, is_step

        self._pairs = _Pairs(shape, pair, bits)

    def _drawn(self, step: Integer) -> Integer:
        return self._numbers.number(step)

    def origin(self, row: Integer, place: Integer) -> Integer:
        """Where that which is at a place of a row in the end was at the start."""

        def own() -> Integer:
            return self._drawn(self._begin + row * self._each + self._last - place)

        drawn = either(_WORD, place.compare("==", 0), lambda: constant(0), own)

        def moved(place: Value, first: Value) -> list[Value]:
            at = Integer(place)
            _, pair = self._pairs.first_from(row, at, Integer(first))
            is_moved = (pair >> _HALF).compare("==", at)
            source = (pair & _LOWER).where(is_moved, at)
            return [is_moved, source.value, (source + 1).value]

        return Integer(loop_while(1, [drawn.value, (place + 1).value], moved)[0])


class _Distinct:
    """Numbers of steps of which none comes again: a step takes the last that could come instead."""

    def __init__(
        self, numbers: SteppedNumbers, count: Extent, first: Integer, skipped: Integer, bits: int | None
    ) -> None:
        """The last number of the first step, and how many steps are without a draw, as zero is all that could come.

        Of numbers it may be known how many bits they have.
        """
        self._numbers, self._first, self._skipped = numbers, first, skipped

        def pair(at: Integer) -> tuple[Integer, Integer, Value]:
            return self._drawn(at), at, at.compare("==", at)

        self._pairs = _Pairs((1, count), pair, bits)

    def number(self, step: Integer) -> Integer:
        """What a step takes."""
        flag = ir.IntegerType.get_signless(1)

        def other(place: Value) -> list[Value]:
            at = Integer(place)
            drawn = self._drawn(at)
            _, pair = self._pairs.first_from(constant(0), drawn, constant(0))
            is_again = (pair & _LOWER).compare("<", at)
            source = drawn - self._first
            is_before = create("arith.andi", [flag], [source.compare(">=", 0), source.compare("<", at)])
            is_new = (Integer(is_again) ^ 1).value
            return [create("arith.andi", [flag], [is_before, is_new]), is_again, source.value]

        is_again, _ = loop_while(1, [step.value], other, passed=[flag, word_type()])
        return (self._first + step).where(is_again, self._drawn(step))

    def _drawn(self, step: Integer) -> Integer:
        is_skipped = step.compare("<", self._skipped)
        return either(
            _WORD, is_skipped, lambda: constant(0), lambda: self._numbers.number(step - self._skipped)
        )


def _numbers(
    op: Operation, words: Words, steps: ScaledSteps, most: Integer, known: Extent | None
) -> SteppedNumbers:
    return SteppedNumbers(steps, parts_of(words, _HALF), most, known if isinstance(known, int) else None)


def _nest(op: Operation, count: Extent, number: Callable[[Integer], Integer]) -> Value:
    """As many numbers as an operation draws."""
    return nest([op.results[0].type], _sizes([count]), lambda at: [number(at).value])[0]


def _state(op: Operation, numbers: SteppedNumbers) -> Value:
    """The state behind the numbers of an operation."""
    return nest([op.operands[0].type], [], lambda place: [numbers.state(place).value])[0]


def _extents(op: Operation) -> list[Extent]:
    """How many numbers an operation draws along each axis."""
    empty, word = op.operands[1], ir.IndexType.get()
    return [
        word_of(create("tensor.dim", [word], [empty, constant_index(axis)])) if extent is None else extent
        for axis, extent in enumerate(static_shape(op.results[0].type))
    ]


def _population(op: Operation) -> Extent:
    known = _known(op.operands[2], 0)
    return given(op.operands[2], 0) if known is None else known


def _product(extents: Sequence[Extent]) -> Extent:
    rows, length = extents
    if isinstance(rows, int) and isinstance(length, int):
        return rows * length
    return _integer(rows) * _integer(length)


def _sizes(extents: Sequence[Extent]) -> list[Value]:
    return [as_index(extent) for extent in extents if not isinstance(extent, int)]


def _bits_below(extent: Extent) -> int | None:
    """How many bits numbers below one have, if that is known."""
    return max(extent - 1, 0).bit_length() if isinstance(extent, int) else None


def _bits_up_to(extent: Extent) -> int | None:
    """How many bits numbers below one have, and one more, which only pairs that are not there have."""
    bits = _bits_below(extent)
    return None if bits is None else bits + 1


def _integer(extent: Extent) -> Integer:
    return constant(extent) if isinstance(extent, int) else extent


def _known(tensor: Value, place: int) -> int | None:
    """A number that a tensor is made of, if it is a constant."""
    made = tensor.owner
    while not isinstance(made, ir.Block) and made.name == "tensor.cast":
        made = made.operands[0].owner
    if isinstance(made, ir.Block):
        return None
    if made.name == "tensor.from_elements":
        return constant_integer(made.operands[place])
    if made.name != "arith.constant":
        return None
    numbers = made.attributes["value"]
    return int(numbers.get_splat_value().value if numbers.is_splat else numbers[place])
