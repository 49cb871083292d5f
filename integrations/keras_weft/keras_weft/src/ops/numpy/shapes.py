"""Functions that move numbers and leave them as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src.backend.common import KerasVariable

import weft

from ...conversion import convert_to_tensor
from ..namespace import namespace


def _moving(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an array, and of numbers that say where to."""

    name = function.__name__

    def called(x: Any, *places: Any, **options: Any) -> Any:
        given = {name: _place(value) for name, value in options.items()}
        return getattr(namespace(), name)(convert_to_tensor(x), *map(_place, places), **given)

    return called


def _place(value: Any) -> Any:
    """A number or several, as NumPy takes them."""
    if isinstance(value, KerasVariable):
        return value.value
    return tuple(value) if isinstance(value, list) else value


broadcast_to = _moving(np.broadcast_to)
copy = _moving(np.copy)
diag = _moving(np.diag)
diagflat = _moving(np.diagflat)
diagonal = _moving(np.diagonal)
diff = _moving(np.diff)
expand_dims = _moving(np.expand_dims)
flip = _moving(np.flip)
fliplr = _moving(np.fliplr)
flipud = _moving(np.flipud)
moveaxis = _moving(np.moveaxis)
ravel = _moving(np.ravel)
repeat = _moving(np.repeat)
roll = _moving(np.roll)
squeeze = _moving(np.squeeze)
swapaxes = _moving(np.swapaxes)
transpose = _moving(np.transpose)
tril = _moving(np.tril)
triu = _moving(np.triu)


def ndim(x: Any) -> int:
    """The number of axes."""
    return np.ndim(convert_to_tensor(x))


def pad(x: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = None) -> Any:
    """An array with an edge around it."""
    x = convert_to_tensor(x)
    if constant_values is None:
        return namespace().pad(x, pad_width, mode)
    if mode != "constant":
        raise ValueError(
            f"Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode={mode}"
        )
    return namespace().pad(x, pad_width, mode, constant_values=_place(constant_values))


def reshape(x: Any, newshape: Any) -> Any:
    """The numbers in another shape."""
    return namespace().reshape(convert_to_tensor(x), _place(newshape))


def rot90(array: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """An array turned by right angles, in the plane of two axes."""
    array = convert_to_tensor(array)
    if array.ndim < 2:
        raise ValueError(f"Input array must have at least 2 dimensions. Received: array.ndim={array.ndim}")
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"Invalid axes: {axes}. Axes must be a tuple of two different dimensions.")
    return np.rot90(array, k, tuple(axes))


def size(x: Any) -> Any:
    """The number of numbers."""
    return np.size(convert_to_tensor(x))


def tile(x: Any, repeats: Any) -> Any:
    """An array repeated along its axes, as often as is known now or when the function runs."""
    array = convert_to_tensor(x)
    counts = repeats if isinstance(repeats, (list, tuple)) else (repeats,)
    if not any(weft.is_traced(count) for count in counts):
        return np.tile(array, _place(repeats))
    rank = max(len(array.shape), len(counts))
    extents = [1] * (rank - len(array.shape)) + list(array.shape)
    counts = [1] * (rank - len(counts)) + list(counts)
    apart = [part for extent in extents for part in (1, extent)]
    repeated = [part for pair in zip(counts, extents, strict=True) for part in pair]
    together = [count * extent for count, extent in zip(counts, extents, strict=True)]
    return np.reshape(weft.broadcast_to(np.reshape(array, apart), tuple(repeated)), together)


__all__ = [
    "broadcast_to",
    "copy",
    "diag",
    "diagflat",
    "diagonal",
    "diff",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "moveaxis",
    "ndim",
    "pad",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rot90",
    "size",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
    "tril",
    "triu",
]
