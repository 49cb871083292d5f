"""How windows slide over axes of an array: how many places there are, and what is seen at each.

Lists of numbers have one for each of the axes that a window slides along; `padding` has two, what lies before an axis
and behind it, where negative numbers cut. With gaps the elements of an axis are so far apart, zeros between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .errors import WeftValueError
from .op import Array
from .records import NamedTuple
from .types import Shape, TensorType


class Slide(NamedTuple):
    """How a window moves along one axis."""

    window: int | None
    """How many elements it sees; None where that is known only at run time."""
    stride: int
    low: int
    high: int
    dilation: int = 1
    """The distance of what it sees."""
    gap: int = 1
    """The distance of the elements of the axis."""

    @property
    def reach(self) -> int:
        """How far the last element that the window sees is from the first one."""
        assert self.window is not None
        return (self.window - 1) * self.dilation

    def length(self, extent: int) -> int:
        """The axis with its gaps and with what surrounds it."""
        return spread_extent(extent, self.gap) + self.low + self.high

    def places(self, extent: int) -> int:
        """How many places the window has on an axis; not positive where it does not fit.

        >>> Slide(window=3, stride=2, low=1, high=1).places(5)
        3
        """
        return (self.length(extent) - self.reach - 1) // self.stride + 1


def spread_extent(extent: int, gap: int) -> int:
    """The extent of an axis whose elements are so far apart.

    >>> spread_extent(3, 2)
    5
    """
    return (extent - 1) * gap + 1 if extent else 0


def slides_of(
    window: Sequence[int | None],
    strides: Sequence[int],
    padding: Sequence[int],
    dilations: Sequence[int],
    gaps: Sequence[int] | None = None,
) -> list[Slide]:
    """The attributes of an op, axis by axis."""
    gaps = gaps if gaps is not None else [1] * len(window)
    sides = zip(padding[::2], padding[1::2], strict=True)
    return [
        Slide(size, stride, low, high, dilation, gap)
        for size, stride, (low, high), dilation, gap in zip(
            window, strides, sides, dilations, gaps, strict=True
        )
    ]


def require_numbers(what: str, count: int, **given: Sequence[int]) -> None:
    """Raise `WeftValueError` unless there are as many positive numbers as axes, and two sides of each."""
    for name, values in given.items():
        wanted = 2 * count if name == "padding" else count
        if len(values) != wanted or (name != "padding" and values and min(values) < 1):
            least = "" if name == "padding" else " of at least 1"
            raise WeftValueError(f"{what}: {name} takes {wanted} numbers{least}, not {tuple(values)}")


def slid_shape(what: str, x: TensorType, first: int, slides: Sequence[Slide]) -> Shape:
    """How many places windows have on the axes of x from the first on, or `WeftValueError`."""
    slid: list[int | None] = []
    for axis, slide in enumerate(slides, first):
        extent = x.shape[axis]
        if extent is None or slide.window is None:
            slid.append(None)
            continue
        places = slide.places(extent)
        least = 0 if slide.window == 1 else 1  # of an axis without elements there are none, one by one
        if slide.window < 1 or places < least:
            raise WeftValueError(f"{what}: a window of {slide.window} does not fit axis {axis} of {x}")
        slid.append(places)
    return tuple(slid)


def windows_of(x: Array, first: int, slides: Sequence[Slide], outside: Any) -> Array:
    """All windows: the axes of x, with the places in those from the first on, then those of the windows."""
    if not slides:
        return x
    axes = range(first, first + len(slides))
    counts = list(x.shape)
    for axis, slide in zip(axes, slides, strict=True):
        counts[axis] = max(slide.places(x.shape[axis]), 0)
    if 0 in counts:  # also of axes without elements, over which NumPy slides nothing
        return np.empty((*counts, *(slide.window or 0 for slide in slides)), x.dtype)
    image = surrounded(x, first, slides, outside)
    every = np.lib.stride_tricks.sliding_window_view(
        image, [slide.reach + 1 for slide in slides], axis=tuple(axes)
    )
    steps = [slice(None)] * x.ndim
    for axis, slide in zip(axes, slides, strict=True):
        steps[axis] = slice(None, None, slide.stride)
    steps += [slice(None, None, slide.dilation) for slide in slides]
    return every[tuple(steps)]


def surrounded(x: Array, first: int, slides: Sequence[Slide], outside: Any) -> Array:
    """An array with the gaps of its axes, and with what lies around them."""
    for axis, slide in enumerate(slides, first):
        if slide.gap > 1:
            shape = list(x.shape)
            shape[axis] = spread_extent(shape[axis], slide.gap)
            wide = np.zeros(shape, x.dtype)
            wide[(slice(None),) * axis + (slice(None, None, slide.gap),)] = x
            x = wide
    inside = [slice(None)] * x.ndim
    widths = [(0, 0)] * x.ndim
    for axis, slide in enumerate(slides, first):
        inside[axis] = slice(max(-slide.low, 0), x.shape[axis] - max(-slide.high, 0))
        widths[axis] = max(slide.low, 0), max(slide.high, 0)
    return np.pad(x[tuple(inside)], widths, constant_values=outside)


class Phase(NamedTuple):
    """Some places of a window on an axis with gaps, at equal distances, at which it sees elements and no gaps.

    There it is a smaller window, which slides over the axis without gaps.
    """

    first: int
    step: int
    places: int | None
    """How many there are; None where that is known only at run time: up to the end."""
    seen_first: int
    seen_step: int
    seen: int
    """What of the window sees elements: nothing if that is 0."""
    slide: Slide | None


def phases_of(slide: Slide, extent: int | None) -> Iterator[Phase]:
    """The places of a window on an axis with gaps; of unknown extent, the stride has to be 1 or there be no gaps."""
    gap, stride, dilation, size = slide.gap, slide.stride, slide.dilation, slide.window
    assert size is not None
    step, seen_step = gap // math.gcd(stride, gap), gap // math.gcd(dilation, gap)
    for first in range(step):
        begin = first * stride - slide.low
        seen_first = next((k for k in range(min(seen_step, size)) if (begin + k * dilation) % gap == 0), None)
        count = None if extent is None else -(-(slide.places(extent) - first) // step)
        if count is not None and count < 1:
            continue
        if seen_first is None:
            yield Phase(first, step, count, 0, 1, 0, None)
            continue
        seen = -(-(size - seen_first) // seen_step)
        low = -((begin + seen_first * dilation) // gap)
        own = Slide(seen, step * stride // gap, low, 0, seen_step * dilation // gap)
        if extent is None:
            # The places are the extent, less or more by a number: what surrounds the axis does not depend on it.
            more = -((gap - 1 - slide.low - slide.high + slide.reach + first) // gap)
            high = more + own.reach - low
        else:
            assert count is not None
            high = (count - 1) * own.stride + own.reach + 1 - extent - low
        yield Phase(first, step, count, seen_first, seen_step, seen, own._replace(high=high))
