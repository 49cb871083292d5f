"""Where a number is among many that are known while tracing: a table that is made then."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.ops.tables import INT32, TableFind, TableIndex
from ....tracing.array import TracedArray
from ....tracing.current import required_trace
from ....tracing.staging import cast, emit
from .columns import read, traced
from .hash_tables import Found
from .keys import INT64, as_number, word_of

FEW = 16
"""Among so many numbers one is found as soon by comparing it with each."""


def found_among(keys: list[Any], key: Any) -> Found | None:
    """At which place of some different numbers one is; None where it is better compared with each."""
    if len(keys) <= FEW or not isinstance(key, TracedArray) or key.dtype.kind not in "biuf":
        return None
    numbers = np.asarray(keys)
    if numbers.dtype.kind not in "if" or numbers.dtype.itemsize != 8 or not _are_exact(keys, numbers):
        return None
    words = np.asarray(word_of(numbers))
    slots = np.full(1 << (2 * len(keys) - 1).bit_length(), -1, INT32)
    slots = TableIndex.evaluate(slots, words, np.asarray(len(keys)), width=1)
    word, fits = as_number(key, numbers.dtype)
    slot = emit(required_trace(), TableFind, (traced(slots), traced(words), word), {})
    place = cast(read(traced(slots), slot), INT64)
    is_there = np.greater_equal(place, 0)
    return Found(slot, place, is_there if fits is True else np.logical_and(is_there, fits))


def _are_exact(keys: list[Any], numbers: Any) -> bool:
    """Whether an array holds some numbers as they are, and no NaN."""
    return all(key == number for key, number in zip(keys, numbers.tolist(), strict=True))
