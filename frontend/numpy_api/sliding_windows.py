"""Windows that slide over arrays: convolutions, and largest elements, sums and means of windows.

Arrays of images have the channels last, (batch, height, width, channels), and any number of axes in between; those that
have them first are transposed, `np.moveaxis(x, 1, -1)`, which costs nothing where the copy can be fused.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ...dialect.errors import WeftValueError
from ...dialect.op import Op
from ...dialect.ops.convolution import Conv
from ...dialect.ops.reductions import extremum_of_nothing
from ...dialect.ops.windows import WindowMax, WindowMean, WindowMin, WindowReduction, WindowSum
from ...dialect.sliding import Slide, slides_of
from ..tracing.extents import extents_text, known_shape, require_equal
from ..tracing.staging import (
    ArrayLike,
    ArrayResult,
    apply,
    asarray,
    is_traced,
    raise_if,
    staged,
    trace_of,
    type_of_operand,
)
from .arguments import promoted
from .padding import pad
from .shape import flip, permute_dims, reshape


def conv(
    x: ArrayLike,
    kernel: ArrayLike,
    /,
    *,
    strides: Any = 1,
    padding: Any = "valid",
    dilations: Any = 1,
    input_dilations: Any = 1,
    groups: int = 1,
) -> ArrayResult:
    """The cross-correlation of arrays with kernels: convolutions of one, two, three and more dimensions.

    Shape: (N, H', W', F) for images (N, H, W, C) and a kernel (KH, KW, C/groups, F), with any number of axes in place
    of height and width. Dtype: the common one. `strides` and `dilations` (of the kernel) are a number, or one for each
    of these axes. `padding` is "valid" (none), "same" (the result has the extents of x divided by the strides, rounded
    up), a number, or for each axis a number or a pair of them, before it and behind; negative ones cut. With
    `input_dilations` the elements of x are so far apart, zeros between them, as in `conv_transpose`; nothing is
    multiplied by these. With `groups`, channels and results are divided into so many parts of equal size, in their
    order, and results see the channels of their part alone; with as many groups as channels every channel has kernels
    of its own (depthwise). Raises `ValueError` where the shapes do not fit.

    >>> weft.conv(np.ones((1, 3, 3, 1)), np.ones((2, 2, 1, 1))).shape
    (1, 2, 2, 1)
    >>> weft.conv(np.arange(5.0).reshape(1, 5, 1), np.ones((3, 1, 1)), padding="same").ravel()
    array([1., 3., 6., 9., 7.])
    """
    image, weights = promoted(x, kernel)
    rank, parts = image.ndim - 2, operator.index(groups)
    steps = _positive(strides, rank, "strides")
    spread, gaps = (
        _positive(dilations, rank, "dilations"),
        _positive(input_dilations, rank, "input_dilations"),
    )
    window = known_shape(weights)[:-2]
    if image.ndim == weights.ndim and rank >= 0:
        slides = slides_of(window, steps, (0, 0) * rank, spread, gaps)
        image, borders = _padding(padding, image, 1, window, slides, 0)
        _require_channels(image, weights, parts)
        _require_fit("conv", image, 1, weights.shape[:-2], slides_of(window, steps, borders, spread, gaps))
    else:
        borders = (0, 0) * rank
    if parts != 1 and None in known_shape(image)[-1:] + known_shape(weights)[-2:]:
        raise WeftValueError("weft.conv: groups need the numbers of channels and results while tracing")
    return _checked(
        Conv,
        image,
        weights,
        strides=steps,
        padding=borders,
        dilations=spread,
        input_dilations=gaps,
        groups=parts,
    )


def conv_transpose(
    x: ArrayLike,
    kernel: ArrayLike,
    /,
    *,
    strides: Any = 1,
    padding: Any = "valid",
    output_padding: Any = 0,
    dilations: Any = 1,
    groups: int = 1,
) -> ArrayResult:
    """The transpose of `conv`, by the kernel of which it takes results back to what they may have been made of.

    Shape: (N, H', W', F) for images (N, H, W, C) and a kernel (KH, KW, F/groups, C). With "same", H' is H times the
    stride, with "valid" the kernel less the stride more, if that is positive; with numbers, (H - 1) * stride +
    (KH - 1) * dilation + 1, less these, and `output_padding` more. Dtype: the common one. Raises `ValueError` where
    the shapes do not fit.

    >>> weft.conv_transpose(np.array([1.0, 2.0]).reshape(1, 2, 1), np.ones((2, 1, 1)), strides=2).ravel()
    array([1., 1., 2., 2.])
    """
    image, weights = promoted(x, kernel)
    rank, parts = image.ndim - 2, operator.index(groups)
    if weights.ndim != image.ndim or rank < 0:
        raise WeftValueError(
            "weft.conv_transpose takes an array (batch, ..., channels) and a kernel (..., results of a group, "
            f"channels) with as many axes, not {type_of_operand(image)} and {type_of_operand(weights)}"
        )
    steps, spread = _positive(strides, rank, "strides"), _positive(dilations, rank, "dilations")
    more, window = _numbers(output_padding, rank, "output_padding"), known_shape(weights)[:-2]
    if None in window or (parts != 1 and None in known_shape(weights)):
        raise WeftValueError("weft.conv_transpose needs the extents of the kernel while tracing")
    slides = slides_of(window, steps, (0, 0) * rank, spread)
    around = [_transposed_sides(padding, axis, rank, slide, more[axis]) for axis, slide in enumerate(slides)]
    for axis in range(rank):
        weights = flip(weights, axis=axis)
    own, channels = weights.shape[-2:]
    if parts != 1:
        if parts < 1 or channels % parts:
            raise WeftValueError(
                f"weft.conv_transpose: {channels} channels do not make {parts} groups of equal size"
            )
        weights = reshape(weights, (*window, own, parts, channels // parts))
        weights = permute_dims(weights, (*range(rank), rank + 2, rank + 1, rank))
        weights = reshape(weights, (*window, channels // parts, parts * own))
    else:
        weights = permute_dims(weights, (*range(rank), rank + 1, rank))
    return conv(image, weights, padding=around, dilations=spread, input_dilations=steps, groups=parts)


def _transposed_sides(padding: Any, axis: int, rank: int, slide: Slide, more: int) -> tuple[int, int]:
    """What surrounds an axis with gaps, by the padding of the convolution of which this is the transpose."""
    span = slide.reach + 1
    if isinstance(padding, str):
        if padding.lower() == "valid":
            return slide.reach, max(slide.stride, span) - 1 + more
        if padding.lower() == "same":
            low = max(span - slide.stride, 0) // 2
            return slide.reach - low, slide.stride - 1 + low + more
        raise WeftValueError(f"padding is 'valid', 'same' or numbers, not {padding!r}")
    before, behind = _sides(padding, rank)[2 * axis : 2 * axis + 2]
    return slide.reach - before, slide.reach - behind + more


_REDUCTIONS: Mapping[str, type[WindowReduction]] = MappingProxyType(
    {"max": WindowMax, "min": WindowMin, "sum": WindowSum, "mean": WindowMean}
)


def reduce_window(
    x: ArrayLike,
    reduction: str,
    /,
    window: Any,
    *,
    strides: Any = 1,
    padding: Any = "valid",
    dilations: Any = 1,
) -> ArrayResult:
    """The largest ("max") or smallest ("min") element, "sum" or "mean" of every window that slides over an array.

    Shape: how many places the window has along each axis. Dtype: that of x. `window`, `strides` and `dilations` are a
    number, or one for each axis of x, `padding` as in `conv`, of all axes. What surrounds the array does not count:
    windows that see nothing else have the number that loses against all others, 0, or NaN ("mean"). Of several equal
    largest elements the first in the window has the derivative, as in JAX and TensorFlow. Raises `ValueError` where
    the window does not fit.

    >>> weft.reduce_window(np.array([3, 1, 4, 1, 5]), "max", 2)
    array([3, 4, 4, 5])
    >>> weft.reduce_window(np.arange(12.0).reshape(3, 4), "sum", (2, 2), strides=(1, 2))
    array([[10., 18.],
           [26., 34.]])
    """
    array = asarray(x)
    if reduction not in _REDUCTIONS:
        raise WeftValueError(
            f"a reduction of windows is one of {', '.join(map(repr, _REDUCTIONS))}, not {reduction!r}"
        )
    return _reduced("reduce_window", _REDUCTIONS[reduction], array, 0, window, strides, padding, dilations)


def max_pool(
    x: ArrayLike, /, window: Any, *, strides: Any = None, padding: Any = "valid", dilations: Any = 1
) -> ArrayResult:
    """The largest element in every window of images; the stride is the window unless given.

    Shape: (N, H', W', C) for images (N, H, W, C), with any number of axes in place of height and width; `window` is a
    number, or one for each of these axes, and the rest as in `reduce_window`. Dtype: that of x. Raises `ValueError`
    where the window does not fit.

    >>> weft.max_pool(np.arange(4.0).reshape(1, 2, 2, 1), 2)
    array([[[[3.]]]])
    """
    return _pool("max_pool", WindowMax, x, window, strides, padding, dilations)


def avg_pool(
    x: ArrayLike, /, window: Any, *, strides: Any = None, padding: Any = "valid", dilations: Any = 1
) -> ArrayResult:
    """The mean of every window of images, in which the border does not count; the stride is the window unless given.

    Shape: (N, H', W', C) for images (N, H, W, C), with any number of axes in place of height and width; `window` is a
    number, or one for each of these axes, and the rest as in `reduce_window`. Dtype: that of x. Raises `ValueError`
    where the window does not fit.

    >>> weft.avg_pool(np.arange(4.0).reshape(1, 2, 2, 1), 2)
    array([[[[1.5]]]])
    """
    return _pool("avg_pool", WindowMean, x, window, strides, padding, dilations)


def _pool(
    name: str, op_class: type[Op], x: ArrayLike, window: Any, strides: Any, padding: Any, dilations: Any
) -> ArrayResult:
    image = asarray(x)
    if image.ndim < 2:
        raise WeftValueError(
            f"weft.{name} takes an array (batch, ..., channels), not {type_of_operand(image)}"
        )
    return _reduced(
        name, op_class, image, 1, window, window if strides is None else strides, padding, dilations
    )


def _reduced(
    name: str,
    op_class: type[Op],
    x: ArrayResult,
    outer: int,
    window: Any,
    strides: Any,
    padding: Any,
    dilations: Any,
) -> ArrayResult:
    """Reduce windows of all axes but some outermost and as many innermost ones."""
    rank = x.ndim - 2 * outer
    size, steps, spread = (
        _positive(value, rank, what)
        for value, what in ((window, "window"), (strides, "strides"), (dilations, "dilations"))
    )
    slides = slides_of(size, steps, (0, 0) * rank, spread)
    is_open = None in known_shape(x) and isinstance(padding, str) and padding.lower() == "same"
    if op_class is WindowMean and is_open:  # of what surrounds the array nothing counts
        how = window, strides, padding, dilations
        totals, counts = (_reduced(name, WindowSum, each, outer, *how) for each in (x, np.ones_like(x)))
        return totals / counts
    outside = extremum_of_nothing(x.dtype, op_class is WindowMin) if op_class in (WindowMax, WindowMin) else 0
    x, borders = _padding(padding, x, outer, size, slides, outside)
    _require_fit(name, x, outer, size, slides_of(size, steps, borders, spread))
    one, none = (1,) * outer, (0, 0) * outer
    return _checked(
        op_class,
        x,
        window=(*one, *size, *one),
        strides=(*one, *steps, *one),
        padding=(*none, *borders, *none),
        dilations=(*one, *spread, *one),
    )


def _checked(op_class: type[Op], *operands: ArrayResult, **attributes: Any) -> ArrayResult:
    """Apply an op after its own rule has looked at the shapes, also for NumPy arrays."""
    op_class.result_types([type_of_operand(operand) for operand in operands], attributes)
    return asarray(apply(op_class, *operands, **attributes))


def _require_channels(image: ArrayResult, kernel: ArrayResult, groups: int) -> None:
    """Check at run time that images and kernel have the same number of channels; with groups it is known before."""
    trace = trace_of((image, kernel))
    if trace is not None and groups == 1:
        (left, right), shown = extents_text(image.shape[-1], kernel.shape[-2])
        message = f"weft.conv: the array has {left} channels, the kernel {right}"
        require_equal(trace, [(image, image.ndim - 1, kernel, kernel.ndim - 2)], message, *shown)


def _require_fit(
    name: str, image: ArrayResult, first: int, window: Sequence[Any], slides: Sequence[Slide]
) -> None:
    """Check that a window fits an array with its padding: when the program runs where extents are not known before."""
    trace = trace_of((image, *window))
    for axis, (slide, size) in enumerate(zip(slides, window, strict=True), first):
        extent = image.shape[axis]
        if slide.window == 1 and slide.low >= 0 and slide.high >= 0:
            continue
        (size_text, extent_text), shown = extents_text(size, extent)
        message = f"weft.{name}: a window of {size_text} does not fit axis {axis} of extent {extent_text}"
        if trace is None or not (is_traced(extent) or is_traced(size)):
            if size < 1 or slide.places(extent) < 1:
                raise WeftValueError(message)
            continue
        span = (size - 1) * slide.dilation + 1
        length = (extent - 1) * slide.gap + 1 + slide.low + slide.high
        misfit = np.logical_or(np.less(length, span), np.less(size, 1))
        raise_if(staged(trace, misfit), "ValueError", message, *shown)


def _numbers(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """A number for all axes, or one for each."""
    entries = tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank
    if len(entries) != rank:
        raise WeftValueError(f"{name} is a number or {rank} numbers, one for each axis, not {value!r}")
    return tuple(operator.index(entry) for entry in entries)


def _positive(value: Any, rank: int, name: str) -> tuple[int, ...]:
    """The same, of at least 1."""
    numbers = _numbers(value, rank, name)
    if numbers and min(numbers) < 1:
        raise WeftValueError(f"{name} takes numbers of at least 1, not {value!r}")
    return numbers


def _sides(padding: Any, rank: int) -> tuple[int, ...]:
    """What lies before and behind each axis, where numbers are given."""
    entries = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * rank
    if len(entries) != rank:
        raise WeftValueError(
            f"padding is 'valid', 'same', a number, or {rank} numbers or pairs, one for each axis, not {padding!r}"
        )
    return tuple(side for entry in entries for side in _numbers(entry, 2, "the padding of an axis"))


def _padding(
    padding: Any,
    x: ArrayResult,
    first: int,
    window: Sequence[int | None],
    slides: Sequence[Slide],
    outside: complex,
) -> tuple[ArrayResult, tuple[int, ...]]:
    """What lies before and behind each axis, by numbers or by name.

    Where "same" depends on extents that are known only at run time, x has it already.
    """
    if not isinstance(padding, str):
        return x, _sides(padding, len(slides))
    if padding.lower() == "valid":
        return x, (0, 0) * len(slides)
    if padding.lower() != "same":
        raise WeftValueError(f"padding is 'valid', 'same' or numbers, not {padding!r}")
    borders: list[int] = []
    for axis, (size, slide) in enumerate(zip(window, slides, strict=True), first):
        if size is None:
            raise WeftValueError("padding 'same' needs the size of the window while tracing")
        extent = known_shape(x)[axis]
        if extent is None and slide.stride == slide.gap == 1:
            total = slide.reach
        elif extent is None:
            x, total = _surrounded(x, axis, slide, outside), 0
        else:
            length = slide.length(extent)
            total = max((-(-length // slide.stride) - 1) * slide.stride + slide.reach + 1 - length, 0)
        borders += [total // 2, total - total // 2]
    return x, tuple(borders)


def _surrounded(x: ArrayResult, axis: int, slide: Slide, outside: complex) -> ArrayResult:
    """An array with what "same" puts around an axis of which the extent is known only at run time."""
    if slide.gap > 1:
        raise WeftValueError("padding 'same' with input_dilations needs the extents while tracing")
    extent, most = x.shape[axis], slide.reach // 2
    widths = [(most, slide.reach - most) if a == axis else (0, 0) for a in range(x.ndim)]
    wide = pad(x, widths, constant_values=x.dtype.type(outside))
    places = (extent + slide.stride - 1) // slide.stride
    total = np.maximum((places - 1) * slide.stride + slide.reach + 1 - extent, 0)
    begin = most - total // 2
    kept = [slice(None)] * x.ndim
    kept[axis] = slice(begin, begin + extent + total)
    inside: ArrayResult = wide[tuple(kept)]
    return inside
