"""The same array in memory in many ways."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

LAYOUTS = ("row-major", "column-major", "reversed", "strided", "columns", "unaligned", "swapped bytes")
"""How an array of two axes may lie in memory."""


def laid_out(array: np.ndarray, layout: str) -> np.ndarray:
    """A new array that can be written, with these elements, which lies in memory in a way."""
    if layout == "column-major":
        return np.array(array, order="F")
    if layout == "swapped bytes":
        return array.astype(array.dtype.newbyteorder())
    made = _room(array, layout)
    made[...] = array
    return made


def other_layout(arguments: Any, seed: str) -> Any:
    """The arguments of a call with their arrays, in containers too, in memory in ways that a seed chooses."""
    return _relaid(arguments, zlib.crc32(seed.encode()), {})


def _relaid(value: Any, number: int, known: dict[int, Any]) -> Any:
    """The value with other arrays; an array in two places stays one array."""
    kind = type(value)
    if kind is np.ndarray and id(value) not in known:
        layout = LAYOUTS[
            1 + (number + len(known)) % (len(LAYOUTS) - 2)
        ]  # bytes are swapped where that is tested
        known[id(value)] = (
            laid_out(value, layout) if value.dtype.kind in "biufc" and value.flags.writeable else value
        )
    if kind is np.ndarray:
        return known[id(value)]
    if kind in (list, tuple):
        return kind(_relaid(item, number, known) for item in value)
    if kind is dict:
        return {key: _relaid(item, number, known) for key, item in value.items()}
    return value


def shared(result: Any, arguments: Any) -> list[bool]:
    """For each array in a result and each in the arguments whether they share memory."""
    return [np.shares_memory(one, other) for one in _arrays(result) for other in _arrays(arguments)]


def shares_no_more(got: Any, arguments: Any, expected: Any, eager_arguments: Any) -> bool:
    """Whether a result shares memory with an argument only where the eager one does; what a branch chose is a copy."""
    pairs = zip(shared(got, arguments), shared(expected, eager_arguments), strict=True)
    return all(eager or not ours for ours, eager in pairs)


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [array for item in value for array in _arrays(item)] if isinstance(value, (list, tuple)) else []


def _room(array: np.ndarray, layout: str) -> np.ndarray:
    if layout == "reversed":
        return np.empty_like(array, order="C")[(*(slice(None, None, -1),) * array.ndim, ...)]
    if layout == "strided":
        return np.empty([2 * n for n in array.shape], array.dtype)[
            (*(slice(None, None, 2),) * array.ndim, ...)
        ]
    if layout == "columns":
        return np.empty([n + 1 for n in array.shape], array.dtype)[(*(slice(None, -1),) * array.ndim, ...)]
    if layout == "unaligned":
        return np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    return np.empty_like(array, order="C")
