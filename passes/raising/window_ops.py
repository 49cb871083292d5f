"""Write what is computed of windows as `weft.conv` or a reduction of windows, between changes of the order of axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from ...dialect.mlir import Value
from ...dialect.ops.convolution import Conv
from ...dialect.ops.reductions import Max
from ...dialect.ops.shape import Reshape, Transpose
from ...dialect.ops.slicing import Slice
from ...dialect.ops.windows import WindowMax, WindowMean
from ..control_flow.structure import weft_op
from ..rewriting import type_of
from .windows import Windows

Axis: TypeAlias = "tuple[str, int]"
"""An axis of the result: of the windows ("place") by number, or one that what is computed of a window has ("own")."""


def written(windows: Windows, ranges: Sequence[tuple[int, int]], strides: Sequence[int]) -> Value:
    """What is computed of windows that lie in ranges of an image, at the insertion point."""
    image = _part(windows, ranges)
    if windows.filters is None:
        made, axes = _pooling(windows, image, strides)
    else:
        made, axes = _convolution(windows, windows.filters, image, strides)
    own = iter(sorted(axis for axis in axes if axis[0] == "own"))
    places = dict(zip(windows.placed, range(len(windows.placed)), strict=True))
    wanted = [("place", places[axis]) if axis in places else next(own) for axis in range(len(axes))]
    return _transposed(made, [axes.index(axis) for axis in wanted])


def _part(windows: Windows, ranges: Sequence[tuple[int, int]]) -> Value:
    """What all windows see of the image."""
    bounds = [(int(_known(span.start)), int(_known(span.start)) + span.size) for span in windows.spans]
    for axis, range_ in zip(windows.moving, ranges, strict=True):
        bounds[axis] = range_
    shape = type_of(windows.image).shape
    if all((0, extent) == ends for extent, ends in zip(shape, bounds, strict=True)):
        return windows.image
    start, stop = (tuple(ends[n] for ends in bounds) for n in (0, 1))
    return weft_op(Slice, windows.image, start=start, stop=stop, step=(1,) * len(bounds))


def _known(start: object) -> int:
    assert isinstance(start, int)
    return start


def _pooling(windows: Windows, image: Value, strides: Sequence[int]) -> tuple[Value, list[Axis]]:
    """Largest elements or means; channels are the axes behind those along which windows move."""
    others = [axis for axis in range(len(windows.spans)) if axis not in windows.moving]
    channels = [axis for axis in others if axis > windows.moving[-1]]
    images = [axis for axis in others if axis not in channels]
    pooled = weft_op(
        WindowMax if windows.function is Max else WindowMean,
        _images(image, images, windows.moving, channels),
        window=(1, *_pair([windows.spans[axis].size for axis in windows.moving]), 1),
        strides=(1, *_pair(strides), 1),
        padding=(0,) * 8,
        dilations=(1,) * 4,
    )
    return _unfolded(
        pooled,
        [type_of(image).shape[axis] for axis in images],
        len(windows.moving),
        [type_of(image).shape[axis] for axis in channels],
        [("own", others.index(axis)) for axis in images],
        [("own", others.index(axis)) for axis in channels],
    )


def _convolution(
    windows: Windows, filters: Value, image: Value, strides: Sequence[int]
) -> tuple[Value, list[Axis]]:
    """Sums of products: images and filters get the axes that only one factor has."""
    axes = range(len(windows.image_axes))
    pairs = list(zip(windows.image_axes, windows.filter_axes, strict=True))
    at = {axis: d for d, axis in enumerate(windows.image_axes) if axis is not None}
    moving = [at[axis] for axis in windows.moving]
    channels = [d for d in windows.summed if d not in moving]
    images = [d for d in axes if pairs[d][1] is None]
    results = [d for d in axes if pairs[d][0] is None]
    of_image = [[_axis(pairs[d][0]) for d in group] for group in (images, moving, channels)]
    of_filters = [[_axis(pairs[d][1]) for d in group] for group in (moving, channels, results)]
    convolved = weft_op(
        Conv,
        _images(image, *of_image),
        _filters(filters, *of_filters),
        strides=_pair(strides),
        padding=(0, 0, 0, 0),
        dilations=(1, 1),
        input_dilations=(1, 1),
        groups=1,
    )
    kept = [d for d in axes if d not in windows.summed]
    return _unfolded(
        convolved,
        [type_of(image).shape[axis] for axis in of_image[0]],
        len(moving),
        [type_of(filters).shape[axis] for axis in of_filters[2]],
        [("own", kept.index(d)) for d in images],
        [("own", kept.index(d)) for d in results],
    )


def _axis(axis: int | None) -> int:
    assert axis is not None
    return axis


def _images(image: Value, images: Sequence[int], moving: Sequence[int], channels: Sequence[int]) -> Value:
    """An array as images (N,H,W,C)."""
    shape = type_of(image).shape
    count, channel_count = (_count(shape, axes) for axes in (images, channels))
    height, width = _pair([_axis(shape[axis]) for axis in moving])
    moved = _transposed(image, [*images, *moving, *channels])
    return _reshaped(moved, (count, height, width, channel_count))


def _filters(filters: Value, moving: Sequence[int], channels: Sequence[int], results: Sequence[int]) -> Value:
    """An array as filters (KH,KW,C,F)."""
    shape = type_of(filters).shape
    height, width = _pair([_axis(shape[axis]) for axis in moving])
    moved = _transposed(filters, [*moving, *channels, *results])
    return _reshaped(moved, (height, width, _count(shape, channels), _count(shape, results)))


def _unfolded(
    made: Value,
    images: Sequence[int | None],
    moving: int,
    channels: Sequence[int | None],
    first: Sequence[Axis],
    last: Sequence[Axis],
) -> tuple[Value, list[Axis]]:
    """A result (N,H,W,C) with the axes that became those, and which axes it has."""
    places = type_of(made).shape[3 - moving : 3]
    shape = tuple(map(_axis, (*images, *places, *channels)))
    return _reshaped(made, shape), [*first, *(("place", number) for number in range(moving)), *last]


def _pair(numbers: Sequence[int]) -> tuple[int, int]:
    """A height and a width; one number is a width."""
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (1, numbers[0])


def _count(shape: Sequence[int | None], axes: Sequence[int]) -> int:
    return math.prod(_axis(shape[axis]) for axis in axes)


def _transposed(value: Value, permutation: Sequence[int]) -> Value:
    if list(permutation) == list(range(len(permutation))):
        return value
    return weft_op(Transpose, value, permutation=tuple(permutation))


def _reshaped(value: Value, shape: tuple[int, ...]) -> Value:
    return value if type_of(value).shape == shape else weft_op(Reshape, value, shape=shape)
