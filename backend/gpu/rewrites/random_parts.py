"""Words of a stream, and what numbers of fewer bits take of them: halves, of which one may be left by the draw before,
and bytes and bits of halves, of which none is left."""

from __future__ import annotations

from typing import Protocol

from ....dialect.mlir import Value
from ...functions.number import Integer
from .random_words import Words, constant

_HALF = 32


class Parts(Protocol):
    """The parts of a stream."""

    def prepare(self, total: Integer, known: int | None) -> None:
        """Say that so many are asked for, and the state behind them."""

    def part(self, place: Integer, *, is_far: bool = False) -> Integer:
        """The part at a place; behind those that are prepared, too, if it may be far."""

    def state(self, total: Integer, place: Integer, *, is_far: bool = False) -> Integer:
        """A word of the state after so many parts."""


def parts_of(words: Words, width: int) -> Parts:
    """The parts of so many bits."""
    if not width:
        return _Nothing(words)
    if width == 2 * _HALF:
        return _Whole(words)
    return _Halves(words) if width == _HALF else _Shares(words, width)


class _Nothing:
    """No bits, which are zero."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def prepare(self, total: Integer, known: int | None) -> None:
        pass

    def part(self, place: Integer, *, is_far: bool = False) -> Integer:
        return constant(0)

    def state(self, total: Integer, place: Integer, *, is_far: bool = False) -> Integer:
        return self._words.state(constant(0), place)


class _Whole:
    """Words."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def prepare(self, total: Integer, known: int | None) -> None:
        self._words.prepare(total, known)

    def part(self, place: Integer, *, is_far: bool = False) -> Integer:
        return self._words.word(place, is_far=is_far)

    def state(self, total: Integer, place: Integer, *, is_far: bool = False) -> Integer:
        return self._words.state(total, place, is_far=is_far)


class _Halves:
    """The half that a word left before, then the lower half of each word before the upper one."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def prepare(self, total: Integer, known: int | None) -> None:
        self._words.prepare((total + 1) >> 1, None if known is None else (known + 1) // 2)

    def part(self, place: Integer, *, is_far: bool = False) -> Integer:
        kept = self._words.spare()
        half = place - (kept & 1)
        is_first = half.compare("<", 0)
        word = self._words.word((half >> 1).where(_not(is_first), 0), is_far=is_far)
        own = (word >> ((half & 1) << 5)) & 0xFFFFFFFF
        return (kept >> _HALF).where(is_first, own)

    def state(self, total: Integer, place: Integer, *, is_far: bool = False) -> Integer:
        words, kept = self._words, self._words.spare()
        halves = total - (kept & 1)
        rest = halves.where(_not(halves.compare("<", 0)), 0)
        drawn = (rest + 1) >> 1
        last = words.word((drawn - 1).where(_not(drawn.compare("==", 0)), 0), is_far=is_far)
        upper = kept.where(drawn.compare("==", 0), last) & 0xFFFFFFFF00000000
        spare = upper | (rest & 1)
        spare = kept.where(total.compare("==", 0), spare)
        is_spare = place.compare("==", words.place_of_spare)
        return spare.where(is_spare, words.state(drawn, place, is_far=is_far))


class _Shares:
    """So many bits of halves, the lower ones first; the rest of the last half is left to nobody."""

    def __init__(self, words: Words, width: int) -> None:
        self._halves, self._width = _Halves(words), width
        self._shift = (_HALF // width).bit_length() - 1

    def prepare(self, total: Integer, known: int | None) -> None:
        halves = None if known is None else -(-known // (1 << self._shift))
        self._halves.prepare(self._count(total), halves)

    def part(self, place: Integer, *, is_far: bool = False) -> Integer:
        half = self._halves.part(place >> self._shift, is_far=is_far)
        within = (place & ((1 << self._shift) - 1)) * self._width
        return (half >> within) & ((1 << self._width) - 1)

    def state(self, total: Integer, place: Integer, *, is_far: bool = False) -> Integer:
        return self._halves.state(self._count(total), place, is_far=is_far)

    def _count(self, total: Integer) -> Integer:
        """Of how many halves so many parts are."""
        return (total + ((1 << self._shift) - 1)) >> self._shift


def _not(condition: Value) -> Value:
    """Whether a condition does not hold."""
    return (Integer(condition) ^ 1).value
