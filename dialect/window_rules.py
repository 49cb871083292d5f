"""Cotangents of convolutions and of reductions of windows: what a window that slides over an array gives back."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .emitter import INT64_MAX, Emitter, Extent, Tensor
from .errors import UnsupportedError
from .sliding import Slide, slides_of

# Convolutions


def x_cotangent(
    b: Emitter,
    g: Tensor,
    x: Tensor,
    kernel: Tensor,
    *,
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    dilations: tuple[int, ...],
    input_dilations: tuple[int, ...],
    groups: int,
) -> Tensor:
    """A correlation of the cotangent with the kernel turned round: strides become gaps, and gaps strides."""
    rank = x.rank - 2
    slides = slides_of(_window(kernel), strides, padding, dilations, input_dilations)
    around: list[int] = []
    for slide, extent in zip(slides, x.shape[1:], strict=False):
        # What the last place of the window leaves over; where that is not known, the most, and the rest is cut off.
        left = slide.stride - 1 if extent is None else _left_over(slide, extent)
        around += [slide.reach - slide.low, slide.reach - slide.high + left]
    turned = kernel
    for axis in range(rank):
        turned = b.flip(turned, axis)
    found: Tensor = b.conv(
        g,
        b.conj(_exchanged(b, turned, groups)),
        strides=input_dilations,
        padding=tuple(around),
        dilations=dilations,
        input_dilations=strides,
        groups=groups,
    )
    return _cut(b, found, x, range(1, rank + 1), range(1, rank + 1))


def kernel_cotangent(
    b: Emitter,
    g: Tensor,
    x: Tensor,
    kernel: Tensor,
    *,
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    dilations: tuple[int, ...],
    input_dilations: tuple[int, ...],
    groups: int,
) -> Tensor:
    """A correlation of the array with the cotangent, over the batch; strides and dilations change places."""
    rank = x.rank - 2
    inner = tuple(range(1, rank + 1))
    slides = slides_of(_window(kernel), strides, padding, dilations, input_dilations)
    size = math.prod(slide.window or 0 for slide in slides)
    if kernel.shape[rank:] == (1, groups) and set(input_dilations) <= {1} and 0 < size <= _MOST_PLACES:
        return _cotangent_of_own_kernels(b, g, x, kernel, slides)
    around: list[int] = []
    for slide, extent in zip(slides, x.shape[1:], strict=False):
        around += [slide.low, slide.high - (0 if extent is None else _left_over(slide, extent))]
    image, window = x, g
    if groups == 1:
        image = b.transpose(x, permutation=(rank + 1, *inner, 0))
        window = b.transpose(g, permutation=(*inner, 0, rank + 1))
    else:
        images, *sizes, _ = b.extents(x)
        own, each = b.extent(kernel, rank), _divided(b.extent(kernel, rank + 1), groups)
        image = b.reshaped(x, [images, *sizes, groups, own])
        image = b.transpose(image, permutation=(rank + 2, *inner, rank + 1, 0))
        image = b.reshaped(image, [own, *sizes, images * groups])
        places = b.extents(g)[1:-1]
        window = b.reshaped(g, [images, *places, groups, each])
        window = b.transpose(window, permutation=(*inner, 0, rank + 1, rank + 2))
        window = b.reshaped(window, [*places, images, b.extent(kernel, rank + 1)])
    found: Tensor = b.conv(
        b.conj(image),
        window,
        strides=dilations,
        padding=tuple(around),
        dilations=strides,
        input_dilations=input_dilations,
        groups=groups,
    )
    cut = _cut(b, found, kernel, inner, range(rank))
    back: Tensor = b.transpose(cut, permutation=(*inner, 0, rank + 1))
    return back


_MOST_PLACES = 64
"""Kernels for single channels of more elements are correlated like others."""


def _cotangent_of_own_kernels(
    b: Emitter, g: Tensor, x: Tensor, kernel: Tensor, slides: Sequence[Slide]
) -> Tensor:
    """Where each channel has a kernel of its own: for every place in the kernel the sum of what is there times g."""
    labels = string.ascii_letters[: x.rank]
    single = Slide(1, 1, 0, 0)
    moved = [single, *slides, single]
    image = b.conj(surrounded(b, x, moved, 0))
    spec = f"{labels},{labels}->{labels[-1]}"
    parts = parts_of_windows(moved, b.extents(g))
    sums = [b.contract(part_of(b, image, part), g, spec=spec) for part in parts]
    return b.reshaped(b.stack(*sums, axis=0), b.extents(kernel))


def _window(kernel: Tensor) -> list[int]:
    """The extents of a kernel, which are needed as numbers."""
    window = [extent for extent in kernel.shape[:-2] if extent is not None]
    if len(window) < kernel.rank - 2:
        raise UnsupportedError(
            f"the derivative of a convolution needs the extents of its kernel {kernel.type} to be known when it is "
            "compiled; call the function with arrays of one size, or without a signature that leaves them open"
        )
    return window


def _left_over(slide: Slide, extent: int) -> int:
    """How many elements lie behind the last place of a window."""
    return (slide.length(extent) - slide.reach - 1) % slide.stride


def _exchanged(b: Emitter, kernel: Tensor, groups: int) -> Tensor:
    """A kernel whose channels and results have changed places, in each group."""
    rank = kernel.rank - 2
    around = tuple(range(rank))
    if groups == 1:
        found: Tensor = b.transpose(kernel, permutation=(*around, rank + 1, rank))
        return found
    *window, own, results = b.extents(kernel)
    each = _divided(results, groups)
    split = b.reshaped(kernel, [*window, own, groups, each])
    split = b.transpose(split, permutation=(*around, rank + 2, rank + 1, rank))
    return b.reshaped(split, [*window, each, groups * own])


def _divided(extent: Extent, count: int) -> Extent:
    if isinstance(extent, int):
        return extent // count
    found: Tensor = extent.emitter.floor_divide(extent, count)
    return found


def _cut(b: Emitter, found: Tensor, wanted: Tensor, axes: Sequence[int], like: Sequence[int]) -> Tensor:
    """A result without what lies behind the extents that some of its axes are to have."""
    for axis, own in zip(axes, like, strict=True):
        if found.shape[axis] is None or found.shape[axis] != wanted.shape[own]:
            found = b.cut(found, axis, 0, b.extent(wanted, own))
    return found


# Reductions of windows


def parts_of_windows(slides: Sequence[Slide], extents: Sequence[Extent]) -> Iterator[list[Any]]:
    """For every place in a window the bounds of what all windows have there, of an array with what surrounds it.

    The bounds are those of each axis: where it begins, the step, and how many there are.
    """
    along = [
        [(place * slide.dilation, slide.stride, count) for place in range(slide.window or 0)]
        for slide, count in zip(slides, extents, strict=True)
    ]
    return (list(part) for part in itertools.product(*along))


def part_of(b: Emitter, x: Tensor, part: Sequence[Any]) -> Tensor:
    """What all windows have at one place in them."""
    found: Tensor = _by_part(b, part, b.slice, b.dynamic_slice, x)
    return found


def with_part(b: Emitter, x: Tensor, part: Sequence[Any], value: Tensor) -> Tensor:
    """An array with other elements where all windows have one place in them."""
    found: Tensor = _by_part(b, part, b.slice_update, b.dynamic_slice_update, x, value)
    return found


def _by_part(
    b: Emitter, part: Sequence[Any], known: Callable[..., Any], dynamic: Callable[..., Any], *operands: Tensor
) -> Any:
    """Apply an op to the region of a part, by the extents of which some may be known at run time only."""
    start, step = (tuple(bounds[n] for bounds in part) for n in (0, 1))
    stops = [first + (count - 1) * stride + 1 for first, stride, count in part]
    stop = tuple(INT64_MAX if isinstance(bound, Tensor) else bound for bound in stops)
    unknown = [bound for bound in stops if isinstance(bound, Tensor)]
    if not unknown:
        return known(*operands, start=start, stop=stop, step=step)
    axes = tuple(axis for axis, bound in enumerate(stops) if isinstance(bound, Tensor))
    return dynamic(*operands, *unknown, start=start, stop=stop, step=step, start_axes=(), stop_axes=axes)


def surrounded(b: Emitter, x: Tensor, slides: Sequence[Slide], value: float) -> Tensor:
    """An array with what lies around it, or without what is cut."""
    for axis, slide in enumerate(slides):
        if slide.low < 0 or slide.high < 0:
            x = b.along(x, axis, max(-slide.low, 0), min(slide.high, 0) or INT64_MAX)
    low, high = (tuple(max(side, 0) for side in sides) for sides in _sides(slides))
    if not any(low) and not any(high):
        return x
    found: Tensor = b.pad(x, value, low=low, high=high)
    return found


def _sides(slides: Sequence[Slide]) -> tuple[list[int], list[int]]:
    """What lies before all axes, and behind them."""
    return [slide.low for slide in slides], [slide.high for slide in slides]


def spread(
    b: Emitter, x: Tensor, slides: Sequence[Slide], parts: Sequence[Any], values: Sequence[Tensor]
) -> Tensor:
    """The sum over the places in a window of what goes back to all windows there, without what surrounds the array."""
    whole = surrounded(b, b.zeros_like(x), slides, 0)
    for part, value in zip(parts, values, strict=True):
        whole = with_part(b, whole, part, part_of(b, whole, part) + value)
    back = [slide._replace(low=-slide.low, high=-slide.high) for slide in slides]
    return b.refined(surrounded(b, whole, back, 0), x.type)
