"""Hash tables: slots that say at which place of an array a key lies.

Keys are one or several words, i64s that are equal where the keys are. They lie in an array in the order in which they
came in, the words of each side by side. The slots, a power of two of them, hold places in that array, and -1
where there is none. A key is looked for from the slot that its hash says onwards: linear probing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import WeftTypeError, WeftValueError
from ..op import Array, Attributes, Case, Cost, ExtentSource, Int, Op, Operand, Operands, TensorType
from .shape import INT64

INT32 = np.dtype(np.int32)
"""The dtype of slots."""

MULTIPLIER = 0x9E3779B97F4A7C15
"""2**64 by the golden ratio: odd, and without a pattern in its bits."""

HALF = 32
"""By how many bits a word is shifted: its upper half meets its lower one."""

_WORD = (1 << 64) - 1


def hashed(words: Sequence[Any]) -> int:
    """The hash of a key: all bits of its words matter to all bits of it."""
    found = 0
    for word in words:
        found ^= int(word) & _WORD
        found = (found ^ found >> HALF) * MULTIPLIER & _WORD
        found ^= found >> HALF
    return found


class OfTables(Op, family="tables", cost=Cost.EXPENSIVE):
    """Base of the ops on tables."""

    dtypes = "i"

    @classmethod
    def is_speculatable(cls, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """All extents are known, and there are slots and keys."""
        return all(t.is_static and 0 not in t.shape for t in operands)

    @classmethod
    def operand_dtypes(cls) -> Iterator[tuple[np.dtype[Any], ...]]:
        """Slots are i32, all others i64."""
        return iter([(INT32, INT64, INT64)])


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

    @staticmethod
    def infer(slots: TensorType, keys: TensorType, words: tuple[TensorType, ...]) -> TensorType:
        _require("weft.table_find", slots, keys, *words)
        if not words:
            raise WeftValueError("weft.table_find: a key has a word")
        return TensorType((), INT64)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return None

    @staticmethod
    def evaluate(slots: Array, keys: Array, words: tuple[Array, ...]) -> Array:
        rows, mask = _rows(keys, len(words)), len(slots) - 1
        slot = hashed(words) & mask
        for _ in range(len(slots)):
            place = int(slots[slot])
            if place < 0 or np.array_equal(rows[place if place < len(rows) else 0], words):
                break
            slot = (slot + 1) & mask
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
        rows, mask = _rows(keys, width), len(slots) - 1
        for place in range(min(int(count), len(rows))):
            slot = hashed(rows[place]) & mask
            for _ in range(len(slots)):
                if filled[slot] < 0:
                    break
                slot = (slot + 1) & mask
            filled[slot] = place
        return filled


__all__ = ["HALF", "MULTIPLIER", "TableFind", "TableIndex"]
