"""Numbers of which each has a bound that its step tells, from halves of a stream of which some are drawn again.

Which half a step takes depends on how often those before were drawn again. So chunks of halves are gone through beside
each other, each from the step that is thought to begin there; how far each came tells where the next ones begin, and so
on until nothing changes. The first chunk is right at once, and behind each pass one more at least; as a step that is a
little too far keeps nearly the same halves, most chunks are right after a few passes (a Picard iteration).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ....dialect.mlir import Value, ir
from ....passes.control_flow.structure import constant_index
from ...functions.number import Integer
from ...nests.emit import create
from ..code.control import Branch, first_without
from .random_parts import Parts
from .random_words import (
    as_index,
    constant,
    either,
    element,
    inserted,
    loop_over,
    loop_while,
    nest,
    quotient,
    remainder,
    word_of,
    word_type,
)

CHUNK = 32
"""Halves that one thread goes through."""
_MORE = 256
"""Halves beyond those that are expected, and a sixteenth of the steps: some 10 standard deviations."""
_HALF, _WORD = 32, 64
_LOWER = (1 << _HALF) - 1


class Steps(Protocol):
    """Steps that take halves of a stream: each takes one after the other, until one is kept."""

    count: Integer
    """How many there are."""
    share: int
    """How many halves they take at most, on average, in sixteenths of their number."""
    passes: int
    """After how many passes it is looked whether something changed."""

    def begin(self, step: Integer) -> list[Integer]:
        """What is handed on from step to step, as it is at one of them, or behind all."""

    def attempt(self, step: Integer, carried: Sequence[Integer], half: Integer) -> tuple[Integer, Value]:
        """The number that a step makes of a half, and whether it is kept."""

    def behind(self, carried: Sequence[Integer]) -> list[Integer]:
        """What is handed on to the next step."""


class MaskedSteps:
    """Places below those of rows that are not in order yet, from the last one on: the lower bits of a half, if these
    are not above."""

    share, passes = 24, 8

    def __init__(self, rows: Integer, length: Integer) -> None:
        is_none = length.compare("<=", 1)
        self._last = constant(1).where(is_none, length - 1)
        self.each = constant(0).where(is_none, length - 1)
        self.count = rows * self.each

    def begin(self, step: Integer) -> list[Integer]:
        span = self._last - remainder(step, self._last)
        return [span, _mask_of(span)]

    def attempt(self, step: Integer, carried: Sequence[Integer], half: Integer) -> tuple[Integer, Value]:
        span, mask = carried
        drawn = half & mask
        return drawn, drawn.compare("<=", span)

    def behind(self, carried: Sequence[Integer]) -> list[Integer]:
        span, mask = carried[0] - 1, carried[1]
        is_row = span.compare("==", 0)
        mask = (mask >> 1).where(span.compare("<=", mask >> 1), mask)
        return [self._last.where(is_row, span), _mask_of(self._last).where(is_row, mask)]


class ScaledSteps:
    """Numbers up to a span that each step has: the upper part of a product, if the lower one is not of the rest."""

    share, passes = 16, 2

    def __init__(self, count: Integer, span: Callable[[Integer], Integer]) -> None:
        self.count, self._span = count, span

    def begin(self, step: Integer) -> list[Integer]:
        return []

    def attempt(self, step: Integer, carried: Sequence[Integer], half: Integer) -> tuple[Integer, Value]:
        count = (self._span(step) & _LOWER) + 1  # of a step behind all, too
        made = half * count
        low = made & _LOWER
        branch = Branch(low.compare("<", count), [ir.IntegerType.get_signless(1)])
        with branch.way(0):
            branch.give([low.compare(">=", remainder(constant(1 << _HALF), count))])
        with branch.way(1):
            branch.give([count.compare("==", count)])
        return made >> _HALF, branch.results[0]

    def behind(self, carried: Sequence[Integer]) -> list[Integer]:
        return []


class SteppedNumbers:
    """The numbers of steps, as a tensor of at least as many, and the state behind them."""

    def __init__(self, steps: Steps, halves: Parts, most: Integer, known: int | None) -> None:
        """Of so many steps at most, which may be known."""
        self._steps, self._parts = steps, halves
        if known is None:
            self._chunks: int | None = None
            self._chunk_count = as_index(
                (((most * (steps.share + 1)) >> 4) + _MORE >> (CHUNK.bit_length() - 1)) + 1
            )
        else:
            self._chunks = ((known * (steps.share + 1) >> 4) + _MORE) // CHUNK + 1
            self._chunk_count = constant_index(self._chunks)
        self._end = word_of(self._chunk_count) * CHUNK
        halves.prepare(self._end, None if self._chunks is None else self._chunks * CHUNK)
        half = ir.IntegerType.get_signless(_HALF)
        many = [] if self._chunks is not None else [as_index(self._end)]
        type = ir.RankedTensorType.get([_dynamic(self._chunks, CHUNK)], half)
        (self._halves,) = nest(
            [type], many, lambda place: [create("arith.trunci", [half], [halves.part(place).value])]
        )
        self._begins = self._settled()
        numbers = ir.RankedTensorType.get([_dynamic(known)], word_type())
        sizes = [] if known is not None else [as_index(most)]
        (self.tensor,) = nest([numbers], sizes, lambda step: [self._number(step)])
        (self._behind,) = nest(
            [ir.RankedTensorType.get([1], word_type())], [], lambda _: [self._place_behind()]
        )

    def number(self, step: Integer) -> Integer:
        """The number of a step."""
        return element(self.tensor, as_index(step))

    def state(self, place: Integer) -> Integer:
        """A word of the state behind all steps."""
        return self._parts.state(element(self._behind, 0), place, is_far=True)

    def _number(self, step: Integer) -> Value:
        is_step = step.compare("<", self._steps.count)
        return either(_WORD, is_step, lambda: self._found(step)[0], lambda: constant(0)).value

    def _place_behind(self) -> Value:
        count = self._steps.count
        return either(
            _WORD, count.compare("==", 0), lambda: constant(0), lambda: self._found(count - 1)[1]
        ).value

    def _settled(self) -> Value:
        """The step at which each chunk begins."""
        type = ir.RankedTensorType.get([_dynamic(self._chunks)], word_type())
        (first,) = nest([type], self._sizes, lambda chunk: [self._guess(chunk).value])

        def better(begins: Value) -> list[Value]:
            inner = loop_over(constant_index(0), constant_index(self._steps.passes), [begins])
            with ir.InsertionPoint(inner.regions[0].blocks[0]):
                create("scf.yield", [], [self._passed(inner.regions[0].blocks[0].arguments[1])])
            last = inner.results[0]
            new = self._passed(last)
            return [self._differ(last, new), new]

        return loop_while(3, [first], better)[0]

    def _guess(self, chunk: Integer) -> Integer:
        step = quotient(chunk * (16 * CHUNK), constant(self._steps.share))
        return self._steps.count.where(step.compare(">", self._steps.count), step)

    def _passed(self, begins: Value) -> Value:
        """Where chunks begin if those before begin where it is thought."""
        (counts,) = nest([begins.type], self._sizes, lambda chunk: [self._kept(begins, chunk).value])
        empty = create("tensor.empty", [begins.type], self._sizes)
        loop = loop_over(constant_index(0), self._chunk_count, [empty, constant(0).value])
        chunk, made, total = loop.regions[0].blocks[0].arguments
        with ir.InsertionPoint(loop.regions[0].blocks[0]):
            more = Integer(total) + element(counts, chunk)
            create("scf.yield", [], [inserted(Integer(total), made, chunk), more.value])
        return loop.results[0]

    def _differ(self, one: Value, other: Value) -> Value:
        """Whether two tensors differ."""
        loop = loop_over(constant_index(0), self._chunk_count, [constant(0).value])
        chunk, found = loop.regions[0].blocks[0].arguments
        with ir.InsertionPoint(loop.regions[0].blocks[0]):
            bits = element(one, chunk) ^ element(other, chunk)
            create("scf.yield", [], [(Integer(found) | bits).value])
        return Integer(loop.results[0]).compare("!=", 0)

    def _kept(self, begins: Value, chunk: Integer) -> Integer:
        """How many halves of a chunk are kept."""
        first = element(begins, as_index(chunk))
        begin = [first, *self._steps.begin(first)]
        loop = loop_over(constant_index(0), constant_index(CHUNK), [each.value for each in begin])
        number, *carried = loop.regions[0].blocks[0].arguments
        with ir.InsertionPoint(loop.regions[0].blocks[0]):
            half = self._half(chunk * CHUNK + word_of(number))
            step, *others = map(Integer, carried)
            _, is_kept = self._steps.attempt(step, others, half)
            keeps = create("arith.andi", [is_kept.type], [is_kept, step.compare("<", self._steps.count)])
            create("scf.yield", [], [each.value for each in self._moved(step, others, keeps)])
        return Integer(loop.results[0]) - first

    def _moved(self, step: Integer, carried: Sequence[Integer], is_kept: Value) -> list[Integer]:
        """The step behind a half, and what is handed on to it."""
        new = [step + 1, *self._steps.behind(carried)]
        return [one.where(is_kept, other) for one, other in zip(new, [step, *carried], strict=True)]

    def _found(self, wanted: Integer) -> tuple[Integer, Integer]:
        """The number of a step, and the place behind its half."""

        def begins_before(chunk: Value) -> Value:
            return element(self._begins, chunk).compare("<=", wanted)

        one = constant_index(1)
        behind = first_without(begins_before, one, self._chunk_count)
        chunk = create("arith.subi", [one.type], [behind, one])
        first, place = element(self._begins, chunk), word_of(chunk) * CHUNK
        carried = [place, first, *self._steps.begin(first)]

        def attempt(*values: Value) -> list[Value]:
            place, step, *others = map(Integer, values)
            number, is_kept = self._steps.attempt(step, others, self._any_half(place))
            moved = [place + 1, *self._moved(step, others, is_kept)]
            goes_on = moved[1].compare("<=", wanted)
            return [goes_on, number.value, *(each.value for each in moved)]

        types = [word_type()] * (1 + len(carried))
        number, place, *_ = loop_while(CHUNK // 2, [each.value for each in carried], attempt, passed=types)
        return Integer(number), Integer(place)

    def _half(self, place: Integer) -> Integer:
        narrow = create("tensor.extract", [self._halves.type.element_type], [self._halves, as_index(place)])
        return Integer(create("arith.extui", [word_type()], [narrow]))

    def _any_half(self, place: Integer) -> Integer:
        """A half, which hardly ever is behind those that were prepared."""
        is_near = place.compare("<", self._end)
        return either(_WORD, is_near, lambda: self._half(place), lambda: self._parts.part(place, is_far=True))

    @property
    def _sizes(self) -> list[Value]:
        return [] if self._chunks is not None else [self._chunk_count]


def _mask_of(span: Integer) -> Integer:
    """As many ones as a number of 32 bits has bits."""
    for count in (1, 2, 4, 8, 16):
        span = span | (span >> count)
    return span


def _dynamic(known: int | None, factor: int = 1) -> int:
    return ir.ShapedType.get_dynamic_size() if known is None else known * factor
