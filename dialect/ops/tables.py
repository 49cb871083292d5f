"""Hash tables: slots that say at which place of an array a key lies.

Keys are one or several words, i64s that are equal where the keys are. They lie in an array in the order in which they
came in, the words of each side by side. The slots, a power of two of them, hold places in that array, and -1
where there is none; `probes` says in which slots a key is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import WeftTypeError, WeftValueError
from ..op import (
    Array,
    Attributes,
    Case,
    Cost,
    ExtentSource,
    Int,
    Op,
    Operand,
    Operands,
    TensorType,
    no_source,
)
from .shape import INT64

INT32 = np.dtype(np.int32)
"""The dtype of slots."""

MULTIPLIER = 0x9E3779B97F4A7C15
"""2**64 by the golden ratio: odd, and without a pattern in its bits."""

HALF = 32
"""By how many bits a word is shifted: its upper half meets its lower one."""

_WORD = (1 << 64) - 1


def folded(words: Sequence[Any]) -> int:
    """The words of a key as one, which is as near to that of another key as their last words are."""
    found = 0
    for number, word in enumerate(words):
        found = ((mixed(found) if number else 0) + int(word)) & _WORD
    return found


def mixed(word: int) -> int:
    """A word of which all bits depend on all bits of another."""
    word = (word ^ word >> HALF) * MULTIPLIER & _WORD
    return word ^ word >> HALF


def probes(words: Sequence[Any], slots: int) -> Iterator[int]:
    """The slots in which a key is looked for, in order: one that neighbours share the neighbourhood of, then others.

    Most keys are near to each other, and so are these slots, with no two keys in one. Where there are, others are
    looked at, which have nothing to do with where the key lies: a step that is odd leads to all of them.
    """
    word = folded(words)
    yield word & slots - 1
    slot = mixed(word)
    stride = slot >> HALF | 1
    for _ in range(slots):
        yield slot & slots - 1
        slot += stride


class OfTables(Op, family="tables", cost=Cost.EXPENSIVE):
    """Base of the ops on tables."""

    operand_pattern = (INT32, INT64, INT64)
    dtypes = "i"

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """All extents are known, and there are slots and keys."""
        return all(t.is_static and 0 not in t.shape for t in operands)


def _require(what: str, slots: TensorType, keys: TensorType, *numbers: TensorType) -> None:
    """Raise unless these are slots, the words of keys, and numbers."""
    if slots.dtype != INT32 or slots.rank != 1:
        raise WeftTypeError(f"{what}: slots are i32 of rank 1, not {slots}")
    if keys.dtype != INT64 or keys.rank != 1:
        raise WeftTypeError(f"{what}: the words of keys are i64 of rank 1, not {keys}")
    for number in numbers:
        if number.rank or number.dtype != INT64:
            raise WeftTypeError(f"{what}: a word or a number of keys is i64[], not {number}")


def _rows(keys: Array, width: int) -> Array:
    """The keys, with a row for each."""
    rows: Array = keys[: len(keys) // width * width].reshape(-1, width)
    return rows


class TableFind(OfTables, name="table_find"):
    """The slot that leads to a key, given by its words, or the empty one into which its place would be put."""

    slots: Operand
    keys: Operand
    words: Operands
    cases = (
        Case(((8,), (4,), ()), low=-1, high=4),
        Case(((4,), (6,), (), ()), low=-1, high=3),
        Case(((1,), (1,), ()), low=-1, high=1),
    )
    extent_source = staticmethod(no_source)

    @staticmethod
    def infer(slots: TensorType, keys: TensorType, words: tuple[TensorType, ...]) -> TensorType:
        _require("weft.table_find", slots, keys, *words)
        if not words:
            raise WeftValueError("weft.table_find: a key has a word")
        return TensorType((), INT64)

    @staticmethod
    def evaluate(slots: Array, keys: Array, words: tuple[Array, ...]) -> Array:
        rows = _rows(keys, len(words))
        for slot in probes(words, len(slots)):
            place = int(slots[slot])
            if place < 0 or np.array_equal(rows[place if place < len(rows) else 0], words):
                break
        return np.asarray(slot, np.int64)


class TableIndex(OfTables, name="table_index"):
    """Put the places of the first `count` keys, which are all different, into slots that are empty."""

    slots: Operand
    keys: Operand
    count: Operand
    width: Int
    """The number of words of a key."""
    cases = (
        Case(((8,), (4,), ()), {"width": 1}, low=-1, high=4),
        Case(((4,), (6,), ()), {"width": 2}, low=-1, high=3),
        Case(((1,), (1,), ()), {"width": 1}, low=-1, high=1),
    )

    @staticmethod
    def infer(slots: TensorType, keys: TensorType, count: TensorType, width: int) -> TensorType:
        _require("weft.table_index", slots, keys, count)
        if width < 1:
            raise WeftValueError(f"weft.table_index: a key has at least a word, not {width}")
        return slots

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return 0, 0

    @staticmethod
    def evaluate(slots: Array, keys: Array, count: Array, width: int) -> Array:
        filled: Array = slots.copy()
        rows = _rows(keys, width)
        for place in range(min(int(count), len(rows))):
            for slot in probes(rows[place], len(slots)):
                if filled[slot] < 0:
                    break
            filled[slot] = place
        return filled
