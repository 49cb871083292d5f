"""What compiled code has of a collective: an array of words that is a constant of the program.

The first words are numbers for native code, the rest is text for Python: so many bytes, as `Word.BYTES` tells.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .collectives import Collective, current_member
from .dtypes import by_short, element_type
from .types import TensorType

if TYPE_CHECKING:
    from .op import Array

KINDS = (
    "rank",
    "rank_count",
    "require_same",
    "barrier",
    "all_reduce",
    "reduce_scatter",
    "all_gather",
    "broadcast",
    "all_to_all",
    "send_receive",
    "start_send_receive",
    "finish_send_receive",
)
"""What tells about ranks, then collectives, by their numbers in words; those that combine elements are neighbours."""

NATIVE_DTYPES = (
    "bool",
    *("int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
"""Elements that MPI combines as NumPy does, by their numbers in words; others have the number -1."""

NATIVE_REDUCTIONS = ("sum", "prod", "min", "max")


class Word(IntEnum):
    """What the words of a description are."""

    BYTES = 0
    """Of the text."""
    KIND = 1
    DTYPE = 2
    ITEM = 3
    """Bytes of an element."""
    REDUCTION = 4
    """The number of the reduction; -1 where MPI does it in another way than NumPy."""
    NUMBER = 5
    WRAPS = 6
    OVER = 7
    """A number for the axes that it is over."""
    RESULT = 8
    """Which word of the call has the address of the result."""
    DIGEST = 9
    """A number for what ranks must have in common, as far as the program tells."""
    AXES = 10
    """How many the array has."""
    EXTENTS = 11
    """Of these axes, -1 where only the run tells it; the text comes behind them."""


def group_key(over: str) -> int:
    """A number of 63 bits for the axes that a collective is over; 0 for all of them."""
    return 0 if not over else number_of(over)


def number_of(text: str) -> int:
    """A number of 63 bits for a text, the same in all processes."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") >> 1


def digest_of(collective: Collective, x: TensorType | None) -> int:
    """A number of 63 bits for what ranks must have in common, whatever the extents are: a program may not know them."""
    kind = "" if x is None or collective.kind == "barrier" else f"{x.dtype.name}[{x.rank}]"
    return number_of(repr((*collective.asked, kind)))


def key_of(collective: Collective, x: TensorType) -> int:
    """The digest with the number of elements, which the run tells: what ranks must have in common to do it together."""
    count = math.prod(extent for extent in x.shape if extent is not None)
    return digest_of(collective, x) ^ (0 if collective.kind == "barrier" else count)


@lru_cache(maxsize=1024)
def described(
    collective: Collective, x: TensorType | None, result: int
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A collective on arrays like x in words."""
    dtype = "" if x is None else x.dtype.name
    fields = [*map(str, collective[:4]), str(int(collective.wraps))]
    fields.append("" if x is None else element_type(x.dtype).short)
    text = "\n".join([*fields, collective.place, collective.of]).encode("utf-8", "surrogateescape")
    extents = [] if x is None else [-1 if extent is None else extent for extent in x.shape]
    is_order = collective.reduction in ("min", "max") and x is not None and x.dtype.kind not in "biu"
    reductions = () if is_order else NATIVE_REDUCTIONS
    words = [
        len(text),
        KINDS.index(collective.kind),
        NATIVE_DTYPES.index(dtype) if dtype in NATIVE_DTYPES else -1,
        0 if x is None else x.dtype.itemsize,
        reductions.index(collective.reduction) if collective.reduction in reductions else -1,
        collective.number,
        int(collective.wraps),
        group_key(collective.over),
        result,
        digest_of(collective, x),
        len(extents),
        *extents,
    ]
    padded = text + bytes(-len(text) % 8)
    made = np.concatenate([np.array(words, np.int64), np.frombuffer(padded, "<i8").astype(np.int64)])
    made.flags.writeable = False
    return made


@lru_cache(maxsize=1024)
def collective_of(words: bytes) -> Collective:
    """What the words of a description tell."""
    kind, over, reduction, number, wraps, _, place, of = _text_of(words)
    return Collective(kind, over, reduction, int(number), wraps == "1", place, True, of)


def operand_of(words: bytes, extents: Sequence[int]) -> TensorType:
    """The type of the array that a description is of, given its extents."""
    found = by_short(_text_of(words)[5])
    return TensorType(tuple(extents), np.dtype(np.int8) if found is None else found.dtype)


def _text_of(words: bytes) -> list[str]:
    numbers = np.frombuffer(words, np.int64)
    text = numbers[Word.EXTENTS + int(numbers[Word.AXES]) :].astype("<i8").tobytes()
    return text[: int(numbers[Word.BYTES])].decode("utf-8", "surrogateescape").split("\n", 7)


def perform_described(description: Array, *operands: Array) -> list[Array]:
    """What compiled code calls: the description, how many elements the array has, it, and the extents of the result.

    Some have no array, and then nothing of it.
    """
    collective, member = collective_of(description.tobytes()), current_member()
    if collective.kind in ("rank", "rank_count"):
        place, count = member.place_in(collective.over)
        return [np.asarray(np.int64(place if collective.kind == "rank" else count))]
    if collective.kind == "barrier":
        member.perform(collective, np.zeros((), np.int8))
        return []
    if collective.kind == "require_same":
        member.perform(collective, operands[1])
        return []
    if collective.kind == "start_send_receive":
        return [np.asarray(member.start(collective, operands[1]))]
    if collective.kind == "finish_send_receive":
        return [member.finish(collective, int(operands[1]))]
    return [member.perform(collective, operands[1])]
