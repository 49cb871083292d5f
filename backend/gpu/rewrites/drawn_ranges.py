"""Integers between two bounds, constant ones or such that the run tells, by parts of a stream of words.

Each takes a part, which makes none if it is of the rest that a division of all parts among the integers leaves.
"""

from __future__ import annotations

from collections.abc import Callable

from ....dialect.mlir import Operation, Type, Value, ir
from ....dialect.records import dataclass
from ...functions.number import Integer
from ...nests.emit import create
from .random_parts import Parts, parts_of
from .random_words import Words, constant, either, given, product, quotient, remainder
from .redrawn_places import SCALE, Attempt

_HALF, _WORD = 32, 64


@dataclass(frozen=True)
class ConstantRange:
    """So many integers from one on: the upper part of a product, if the lower one is not of the rest (Lemire, 2019).

    Of a power of two it is the upper bits, and one alone takes none of the stream.
    """

    first: int
    count: int
    width: int
    share = None
    takes_more = False

    @staticmethod
    def of(op: Operation) -> ConstantRange | None:
        """Those that an operation draws; None where only the run tells them."""
        bounds = [_constant_of(value) for value in list(op.operands)[2:]]
        low, high = bounds
        if low is None or high is None:
            return None
        dtype = str(op.attributes["dtype"].value)
        bits = 1 if dtype == "bool" else int(dtype.lstrip("uint"))
        span = (high - low) % (1 << bits)
        return ConstantRange(low, span + 1, 64 if span >> 32 else min(bits, 32) if span else 0)

    @property
    def _rest(self) -> int:
        """How many parts make none."""
        return (1 << self.width) % self.count

    @property
    def again(self) -> float:
        """How many more parts than numbers are taken, by one."""
        return self._rest / ((1 << self.width) - self._rest)

    def parts(self, words: Words) -> Parts:
        """Words, halves, or shares of them."""
        return parts_of(words, self.width)

    def attempt(self, parts: Parts, place: Integer, *, is_far: bool) -> Attempt:
        """The part at a place, which is kept if it is not of the rest."""
        part = parts.part(place, is_far=is_far)
        lower = (part * self.count) & ((1 << self.width) - 1)
        return Attempt(part, place + 1, (Integer(lower.compare("u<", self._rest)) ^ 1).value)

    def number(self, bits: Integer, type: Type) -> Value:
        """The integer of a part."""
        if not self._rest:
            upper = bits >> (self.width - self.count.bit_length() + 1)
        elif self.width == 64:
            upper = product(bits, self.count)[1]
        else:
            upper = (bits * self.count) >> self.width
        found = upper + self.first
        return found.value if type.width == found.bits else create("arith.trunci", [type], [found.value])


class RunRange:
    """Integers from one up to another one, which the run tells: of words if there are more than 2^32, else of halves.

    One alone takes none of the stream.
    """

    takes_more = False
    again = 0.0

    def __init__(self, low: Integer, span: Integer, dtype_bits: int) -> None:
        self._low, self._span = low, span
        self.width = min(dtype_bits, _HALF) if dtype_bits < _WORD else _WORD
        self._is_wide = (span >> _HALF).compare("!=", 0) if dtype_bits == _WORD else None
        self._count = span + 1
        self._rest = self._choose(self._rest_of_words, self._rest_of_halves)

    @staticmethod
    def of(op: Operation) -> RunRange | None:
        """Those that an operation draws; None where each has bounds of its own."""
        bounds = list(op.operands)[2:]
        if any(list(bound.type.shape) != [1] for bound in bounds):
            return None
        dtype = str(op.attributes["dtype"].value)
        bits = 1 if dtype == "bool" else int(dtype.lstrip("uint"))
        low, high = map(_bound, bounds)
        span = high - low
        return RunRange(low, span if bits == _WORD else span & ((1 << bits) - 1), bits)

    @property
    def share(self) -> Integer:
        """How many more parts than numbers are looked at, in units of the last of `SCALE` bits behind the point."""

        def of_half(rest: Integer) -> Integer:
            kept = constant(1 << _HALF) - rest
            return quotient(rest * (17 << (SCALE - 4)), kept) + 1

        upper = self._choose(
            lambda: (self._rest >> _HALF) + 1, lambda: self._rest << (_HALF - min(self.width, _HALF))
        )
        return of_half(upper)

    def parts(self, words: Words) -> Parts:
        """Words or halves, shares of halves, or none."""
        wide = parts_of(words, self.width)
        return _Chosen(
            wide, parts_of(words, min(self.width, _HALF)), self._is_wide, self._span.compare("==", 0)
        )

    def attempt(self, parts: Parts, place: Integer, *, is_far: bool) -> Attempt:
        """The part at a place, which is kept if it is not of the rest."""
        part = parts.part(place, is_far=is_far)
        narrow = (1 << min(self.width, _HALF)) - 1
        lower = self._choose(lambda: part * self._count, lambda: (part * self._count) & narrow)
        return Attempt(part, place + 1, (Integer(lower.compare("u<", self._rest)) ^ 1).value)

    def number(self, bits: Integer, type: Type) -> Value:
        """The integer of a part."""

        def of_word() -> Integer:
            return bits.where(self._count.compare("==", 0), product(bits, self._count)[1])

        upper = self._choose(of_word, lambda: (bits * self._count) >> min(self.width, _HALF))
        found = upper + self._low
        return found.value if type.width == found.bits else create("arith.trunci", [type], [found.value])

    def _rest_of_words(self) -> Integer:
        count = constant(1).where(self._count.compare("==", 0), self._count)
        return remainder(constant(0) - self._count, count)

    def _rest_of_halves(self) -> Integer:
        return remainder(constant(1 << min(self.width, _HALF)), self._count)

    def _choose(self, *ways: Callable[[], Integer]) -> Integer:
        """What is found one way of words, the other way of halves or less."""
        return ways[1]() if self._is_wide is None else either(_WORD, self._is_wide, *ways)


class _Chosen:
    """Parts of one width or of another one, or none: the run tells."""

    def __init__(self, wide: Parts, narrow: Parts, is_wide: Value | None, is_none: Value) -> None:
        self._wide, self._narrow, self._is_wide, self._is_none = wide, narrow, is_wide, is_none

    def prepare(self, total: Integer, known: int | None) -> None:
        self._wide.prepare(total, known)  # which the narrow ones are parts of

    def part(self, place: Integer, *, is_far: bool = False) -> Integer:
        if self._is_wide is None:
            return self._narrow.part(place, is_far=is_far)
        ways = (
            (lambda: self._wide.part(place, is_far=is_far)),
            (lambda: self._narrow.part(place, is_far=is_far)),
        )
        return either(_WORD, self._is_wide, *ways)

    def state(self, total: Integer, place: Integer, *, is_far: bool = False) -> Integer:
        total = constant(0).where(self._is_none, total)
        if self._is_wide is None:
            return self._narrow.state(total, place, is_far=is_far)
        ways = (
            lambda: self._wide.state(total, place, is_far=is_far),
            lambda: self._narrow.state(total, place, is_far=is_far),
        )
        return either(_WORD, self._is_wide, *ways)


def _bound(value: Value) -> Integer:
    """The only element of a tensor as a word, with zeros above it."""
    known = _constant_of(value)
    if known is not None:
        return constant(known & ((1 << value.type.element_type.width) - 1))
    number, word = given(value, 0), ir.IntegerType.get_signless(_WORD)
    return number if number.bits == _WORD else Integer(create("arith.extui", [word], [number.value]))


def _constant_of(value: Value) -> int | None:
    """The integer that all elements of a constant are."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return None
    attribute = value.owner.operation.attributes["value"]
    is_one = isinstance(attribute, ir.DenseIntElementsAttr) and attribute.is_splat
    return int(attribute.get_splat_value().value) if is_one else None
