"""The arguments that a call changes: each must be found in one way only, and arrays be writable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...backend.gpu.devices.on_device import memory_of
from ...dialect.errors import OverlapError, WeftValueError

_OVERLAP_WORK: Any = 1_000_000


def writes_captured(written: Iterable[int], captured: Sequence[Any], leaves: Sequence[Any]) -> bool:
    """Whether an argument is written that was found outside of the arguments, too, as it was not when tracing."""
    arguments = [leaves[place] for place in written if place < len(leaves)]
    return any(array is argument for argument in arguments for array in captured)


def require_separate(
    name: str,
    names: Sequence[str],
    written: Iterable[int],
    sources: Iterable[int],
    captured: Sequence[Any],
    leaves: Sequence[Any],
) -> None:
    """Raise unless what is written can be written, and shares no memory with anything else."""
    for index in written:
        leaf = memory_of(leaves[index])
        if not isinstance(leaf, np.ndarray) or not leaf.flags.writeable:
            raise WeftValueError(
                f"assignment destination is read-only: {name} writes to its argument {names[index]!r}; pass a writable "
                "array (a copy)"
            )
        for other in sources:
            if other != index and overlap(leaf, leaves[other]):
                raise OverlapError(
                    f"arguments {names[index]!r} and {names[other]!r} of {name} overlap in memory and the function "
                    f"writes to {names[index]!r}; pass a copy of one"
                )
        if any(overlap(leaf, array) for array in captured):
            raise WeftValueError(
                f"argument {names[index]!r} of {name} overlaps in memory with an array that the function uses from "
                "outside, and the function writes to it; pass a copy"
            )


def overlap(written: Any, other: Any) -> bool:
    """Whether two arrays have an element in common; bounds are compared first, which decides almost always.

    For some strides the exact answer would take for ever: then they count as overlapping.
    """
    written, other = memory_of(written), memory_of(other)
    if not isinstance(other, np.ndarray) or not np.may_share_memory(written, other):
        return False
    try:
        return np.shares_memory(written, other, max_work=_OVERLAP_WORK)
    except np.exceptions.TooHardError:
        return True
