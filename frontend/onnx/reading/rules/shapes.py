"""Making arrays, and giving them other shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....tracing.array import TracedArray
from ..namespace import item, weft
from ..sizes import Sizes, as_array, elements_of
from ..table import Refused, Visit, ints, known, require, rule
from ..tensors import dtype_of
from .elementwise import scalar


def shape_of(x: Any) -> tuple[Any, ...]:
    """The extents of an array, numbers or traced ones."""
    return tuple(x.shape)


def extents_in(value: Any, what: str) -> list[Any]:
    """The extents that an input holds: numbers, or traced ones."""
    found = elements_of(value)
    if found is not None:
        return found
    if isinstance(value, TracedArray) and len(value.shape) == 1 and isinstance(value.shape[0], int):
        return [value[place] for place in range(value.shape[0])]
    return ints(value, what)


def normal_axis(axis: int, rank: int) -> int:
    """An axis from 0 on."""
    require(-rank <= axis < max(rank, 1), f"the axis {axis} is out of bounds for an array of {rank} axes")
    return axis % rank if rank else 0


@rule("Constant")
def constant(
    *,
    value: Any = None,
    value_float: float | None = None,
    value_floats: Any = None,
    value_int: int | None = None,
    value_ints: Any = None,
) -> Any:
    """The array of the attribute."""
    if value is not None:
        return value
    if value_float is not None or value_floats is not None:
        return np.array(value_float if value_floats is None else value_floats, np.float32)
    if value_int is None and value_ints is None:
        raise Refused("holds texts, or numbers of a kind that is not read")
    return np.array(value_int if value_ints is None else value_ints, np.int64)


@rule("ConstantOfShape", takes_sizes=True)
def constant_of_shape(shape: Any, *, value: Any = None) -> Any:
    """`weft.full`."""
    element = np.zeros(1, np.float32) if value is None else value
    return weft.full(tuple(extents_in(shape, "the shape")), element.ravel()[0], dtype=element.dtype)


@rule("Shape", takes_sizes=True)
def shape(x: Any, *, start: int = 0, end: int | None = None) -> Any:
    """The extents, of which each is known or a number of its own."""
    extents = shape_of(x)[start:end]
    return Sizes((len(extents),), extents)


def _product(extents: Sequence[Any]) -> Any:
    found: Any = math.prod(extent for extent in extents if isinstance(extent, int))
    for extent in extents:
        if not isinstance(extent, int):
            found = extent * found
    return found


@rule("Reshape", moves=(0,), takes_sizes=True)
def reshape(x: Any, shape: Any, *, allowzero: int = 0) -> Any:
    """`weft.reshape`; 0 is the extent that was there, -1 what is left."""
    x = as_array(x)
    own = shape_of(x)
    extents = extents_in(shape, "the shape")
    if isinstance(shape, TracedArray):
        return weft.reshape(x, _resolved(extents, own, allowzero))
    if not allowzero:
        extents = [
            own[place] if isinstance(extent, int) and extent == 0 else extent
            for place, extent in enumerate(extents)
        ]
    return weft.reshape(x, tuple(extents))


def _resolved(extents: Sequence[Any], own: Sequence[Any], allowzero: int) -> tuple[Any, ...]:
    """Extents of which is known when the program runs alone whether they are 0 or -1."""
    if not allowzero:
        kept = [weft.where(weft.equal(n, 0), own[place], n) for place, n in enumerate(extents[: len(own)])]
        extents = [*kept, *extents[len(own) :]]
    product = _product([weft.asarray(extent) for extent in extents])
    left = weft.floor_divide(_product(own), weft.maximum(weft.abs(product), 1))
    return tuple(weft.where(weft.equal(extent, -1), left, extent) for extent in extents)


@rule("Flatten")
def flatten(x: Any, *, axis: int) -> Any:
    """The axes before one, and those from it on, as one each."""
    extents = shape_of(x)
    axis = axis + len(extents) if axis < 0 else axis
    return weft.reshape(x, (_product(extents[:axis]), _product(extents[axis:])))


@rule("Squeeze", moves=(0,), takes_sizes=True)
def squeeze(x: Any, axes: Any = None) -> Any:
    """`weft.squeeze`."""
    x = as_array(x)
    if axes is None:
        return weft.squeeze(x)
    given = ints(axes, "axes")
    return weft.squeeze(x, axis=tuple(given)) if given else x


@rule("Expand", moves=(0,), takes_sizes=True)
def expand(x: Any, shape: Any) -> Any:
    """`weft.broadcast_to` what the shape and that of the array are together."""
    x, wanted = as_array(x), extents_in(shape, "the shape")
    own = list(shape_of(x))
    rank = max(len(own), len(wanted))
    own, wanted = [1] * (rank - len(own)) + own, [1] * (rank - len(wanted)) + wanted
    if isinstance(shape, TracedArray):
        wanted = [weft.where(weft.equal(n, 1), mine, n) for mine, n in zip(own, wanted, strict=True)]
    both = [
        mine if isinstance(theirs, int) and theirs == 1 else theirs
        for mine, theirs in zip(own, wanted, strict=True)
    ]
    return weft.broadcast_to(x, tuple(both))


def part(x: Any, axis: int, which: slice) -> Any:
    """A slice along an axis."""
    axis = normal_axis(axis, x.ndim)
    return item(x, tuple(which if a == axis else slice(None) for a in range(x.ndim)))


@rule("Split", moves=(0,))
def split(
    x: Any, split: Any = None, *, axis: int, num_outputs: int | None = None, node: Visit
) -> tuple[Any, ...]:
    """Parts along an axis, of sizes that are given or equal."""
    if split is None:
        count = num_outputs or node.outputs
        extent = x.shape[axis]
        if not isinstance(extent, int):
            extent = int(known(extent, "the extent that is split"))
        each = -(-extent // count)
        sizes = [max(0, min(each, extent - place * each)) for place in range(count)]
    else:
        sizes = ints(split, "split")
        extent = x.shape[axis]
        require(
            not isinstance(extent, int) or sum(sizes) == extent,
            f"parts of {sizes} elements are not the {extent} that there are",
        )
    ends = np.cumsum(sizes).tolist()
    return tuple(part(x, axis, slice(end - length, end)) for end, length in zip(ends, sizes, strict=True))


@rule("Slice", moves=(0,), takes_sizes=True)
def slice_(x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    """A part of an array, as of NumPy."""
    x = as_array(x)
    first, last = extents_in(starts, "starts"), extents_in(ends, "ends")
    along = list(range(len(first))) if axes is None else ints(axes, "axes")
    by = [1] * len(first) if steps is None else ints(steps, "steps")
    which = [slice(None)] * x.ndim
    for begin, end, axis, step in zip(first, last, along, by, strict=True):
        axis = normal_axis(axis, x.ndim)
        which[axis] = _slice(begin, end, step, x.shape[axis])
    return item(x, tuple(which))


def _slice(begin: Any, end: Any, step: int, extent: Any) -> slice:
    """The slice of NumPy's for one of ONNX's, which are cut to the axis before they are read."""
    if isinstance(extent, int) and isinstance(begin, int) and isinstance(end, int):
        begin, end = (value + extent if value < 0 else value for value in (begin, end))
        if step > 0:
            return slice(min(max(begin, 0), extent), min(max(end, 0), extent), step)
        begin, end = min(max(begin, 0), extent - 1), min(max(end, -1), extent - 1)
        return slice(begin, None if end < 0 else end, step) if extent else slice(0, 0)
    if isinstance(end, int) and step < 0 and end < -(2**31):
        end = None
    return slice(begin, end, step)


@rule("Pad", takes_sizes=True)
def pad(
    x: Any, pads: Any, constant_value: Any = None, axes: Any = None, *, mode: str, value: float = 0.0
) -> Any:
    """`weft.pad`; negative sizes cut."""
    x = as_array(x)
    given = extents_in(pads, "pads")
    along = (
        list(range(x.ndim)) if axes is None else [normal_axis(axis, x.ndim) for axis in ints(axes, "axes")]
    )
    fill = scalar(value, x) if constant_value is None else weft.reshape(weft.asarray(constant_value), ())
    if any(isinstance(width, TracedArray) for width in given):
        if mode != "constant":
            raise Refused("repeats elements at borders whose sizes are computed")
        for place, axis in enumerate(along):
            x = _bordered(x, axis, given[place], given[place + len(along)], fill)
        return x
    widths = [(0, 0)] * x.ndim
    for place, axis in enumerate(along):
        widths[axis] = (given[place], given[place + len(along)])
    added = [(max(low, 0), max(high, 0)) for low, high in widths]
    for axis, (low, high) in enumerate(widths):
        if low < 0 or high < 0:
            x = part(x, axis, slice(max(-low, 0), None if high >= 0 else high))
    if not any(low or high for low, high in added):
        return x
    if mode == "constant":
        return weft.pad(x, added, constant_values=fill)
    return weft.pad(x, added, mode=mode)


def _bordered(x: Any, axis: int, low: Any, high: Any, fill: Any) -> Any:
    """With elements before and behind an axis, of numbers that are computed; negative ones cut."""
    parts = [part(x, axis, slice(weft.maximum(-low, 0), x.shape[axis] - weft.maximum(-high, 0)))]
    for width, place in ((low, 0), (high, 1)):
        shape = tuple(weft.maximum(width, 0) if a == axis else n for a, n in enumerate(x.shape))
        parts.insert(place * len(parts), weft.full(shape, fill, dtype=x.dtype))
    return weft.concat(parts, axis=axis)


@rule("Range", known_inputs=(0, 1, 2), takes_sizes=True)
def range_(start: Any, limit: Any, delta: Any) -> Any:
    """`weft.arange`."""
    dtype = start.dtype
    given = [_number(value, dtype) for value in (start, limit, delta)]
    return weft.asarray(weft.arange(*given, dtype=dtype))


def _number(value: Any, dtype: Any) -> Any:
    if isinstance(value, Sizes):
        return value.elements[0]
    return value.reshape(()) if isinstance(value, TracedArray) else np.asarray(value).ravel()[0].item()


@rule("EyeLike")
def eye_like(x: Any, *, dtype: int | None = None, k: int = 0) -> Any:
    """`weft.eye` of an array's shape."""
    rows, columns = shape_of(x)
    made = x.dtype if dtype is None else dtype_of(dtype, "the result")
    return weft.eye(rows, columns, k=k, dtype=made)


@rule("Trilu")
def trilu(x: Any, k: Any = None, *, upper: int) -> Any:
    """`weft.triu` or `weft.tril`."""
    offset = 0 if k is None else ints(k, "k")[0]
    return (weft.triu if upper else weft.tril)(x, k=offset)


@rule("DepthToSpace")
def depth_to_space(x: Any, *, blocksize: int, mode: str) -> Any:
    """Channels as blocks of pixels."""
    batch, channels, height, width = shape_of(x)
    rest = channels // (blocksize * blocksize)
    if mode == "DCR":
        blocks = weft.reshape(x, (batch, blocksize, blocksize, rest, height, width))
        order: tuple[int, ...] = (0, 3, 4, 1, 5, 2)
    else:
        blocks = weft.reshape(x, (batch, rest, blocksize, blocksize, height, width))
        order = (0, 1, 4, 2, 5, 3)
    moved = weft.permute_dims(blocks, order)
    return weft.reshape(moved, (batch, rest, height * blocksize, width * blocksize))


@rule("SpaceToDepth")
def space_to_depth(x: Any, *, blocksize: int, mode: str = "DCR") -> Any:
    """Blocks of pixels as channels."""
    batch, channels, height, width = shape_of(x)
    rows, columns = height // blocksize, width // blocksize
    blocks = weft.reshape(x, (batch, channels, rows, blocksize, columns, blocksize))
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return weft.reshape(weft.permute_dims(blocks, order), (batch, channels * blocksize**2, rows, columns))


rule("Size", takes_sizes=True, says="The number of elements.")(lambda x: Sizes((), (_product(shape_of(x)),)))
rule("Unsqueeze", moves=(0,), takes_sizes=True, says="`weft.expand_dims`.")(
    lambda x, axes: weft.expand_dims(as_array(x), axis=tuple(ints(axes, "axes")))
)
rule("Transpose", moves=(0,), says="`weft.permute_dims`.")(
    lambda x, *, perm=None: weft.permute_dims(x, tuple(range(x.ndim))[::-1] if perm is None else tuple(perm))
)
rule("Tile", moves=(0,), takes_sizes=True, says="`weft.tile`.")(
    lambda x, repeats: weft.tile(as_array(x), tuple(ints(repeats, "repeats")))
)
rule("Concat", moves=(-1,), says="`weft.concat`.")(
    lambda *parts, axis: weft.concat([weft.asarray(part) for part in parts], axis=axis)
)
