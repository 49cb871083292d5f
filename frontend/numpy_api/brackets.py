"""Arrays that are written in brackets: `np.r_` and `np.c_`, `np.mgrid` and `np.ogrid`."""

from __future__ import annotations

from typing import Any

from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ..tracing.staging import ArrayResult, asarray, cast
from .arguments import common_dtype
from .creation import arange, array, linspace
from .grids import meshgrid
from .joining import concatenate, stack
from .selection import is_python_number
from .shape import reshape, swapaxes, transpose


def in_brackets(maker: Any, key: Any) -> ArrayResult:
    """What `np.r_[key]` or `np.c_[key]` makes: entries and ranges joined along an axis."""
    entries = key if isinstance(key, tuple) else (key,)
    axis, rank, moved = maker.axis, maker.ndmin, maker.trans1d
    if entries and isinstance(entries[0], str):
        axis, rank, moved = _directive(entries[0], rank, moved)
        entries = entries[1:]
    pieces = [_piece(entry, rank, moved) for entry in entries]
    dtype = common_dtype(*pieces)
    joined = [array(cast(piece, dtype), ndmin=rank) for piece in pieces]
    if rank <= 1:
        joined = [reshape(piece, (1,)) if piece.ndim == 0 else piece for piece in joined]
    return concatenate(joined, axis=axis)


def grid(maker: Any, key: Any) -> Any:
    """What `np.mgrid[key]` or `np.ogrid[key]` makes: the coordinates of a grid, by a range for each axis."""
    if isinstance(key, slice):
        return _coordinates(key, None)
    if not isinstance(key, tuple) or not all(isinstance(entry, slice) for entry in key):
        raise WeftTypeError("np.mgrid and np.ogrid take ranges, one for each axis: np.mgrid[0:n, 0:m]")
    bounds = [b for entry in key for b in (entry.start, entry.stop, entry.step) if b is not None]
    dtype = common_dtype(0, *(abs(b) if isinstance(b, complex) else b for b in bounds))
    vectors = [_coordinates(entry, dtype) for entry in key]
    found = meshgrid(*vectors, indexing="ij", sparse=maker.sparse)
    return tuple(found) if maker.sparse else stack(found)


def _coordinates(entry: slice, dtype: Any) -> Any:
    """The numbers of a range; `1:2:5j` has 5 of them, the last one included."""
    start = 0 if entry.start is None else entry.start
    step = 1 if entry.step is None else entry.step
    if entry.stop is None and dtype is not None:
        raise WeftTypeError(
            "unsupported operand type(s) for -: 'NoneType' and 'int': a grid needs its ends, as in 0:n"
        )
    if isinstance(step, complex):
        return array(linspace(start, entry.stop, int(abs(step))), dtype)
    if dtype is None:
        return arange(start, entry.stop, step)
    count = arange(start, entry.stop, step).shape[0]
    return arange(count, dtype=dtype) * step + start


def _directive(text: str, rank: int, moved: int) -> tuple[int, int, int]:
    """The axis to join along, the smallest rank, and where axes of vectors go, as text in front says."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise UnsupportedError(
            f"np.r_[{text!r}, ...] makes a matrix, which compiled code does not have; write np.vstack or np.hstack"
        ) from None
    if len(numbers) > 3:
        raise WeftValueError(f"unknown special directive {text!r}")
    return tuple(numbers + [numbers[0], rank, moved][len(numbers) :])  # type: ignore[return-value]


def _piece(entry: Any, rank: int, moved: int) -> Any:
    """An entry as an array of the rank; numbers stay numbers, which are weak."""
    if is_python_number(entry):
        return entry
    if isinstance(entry, str):
        raise WeftValueError("special directives must be the first entry.")
    if isinstance(entry, slice):
        start = 0 if entry.start is None else entry.start
        step = 1 if entry.step is None else entry.step
        if isinstance(step, complex):
            made = linspace(start, entry.stop, int(abs(step)))
        else:
            made = arange(start, entry.stop, step)
        made = array(made, ndmin=rank)
        return swapaxes(made, -1, moved) if rank > 1 and moved != -1 else made
    given = asarray(entry)
    made = array(given, ndmin=rank)
    if moved == -1 or given.ndim >= rank:
        return made
    new = rank - given.ndim
    front = moved + new + 1 if moved < 0 else moved
    axes = list(range(rank))
    return transpose(made, axes[:front] + axes[new:] + axes[front:new])
