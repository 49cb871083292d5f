"""The lowering of convolutions: named linalg ops where there are some, as for other contractions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.mlir import Attribute, Value, dialect, ir
from ...dialect.ops.convolution import Conv
from ...dialect.records import NamedTuple
from ...dialect.sliding import Phase, Slide, phases_of
from ...dialect.types import TensorType
from ..index_arithmetic import IndexArithmetic
from .accumulators import computing_dtype, round_once
from .contraction import multiply_add, structured
from .conversion import Conversion, Extent, OpInstance, lowers
from .regions import Region, extract_region, insert_region
from .reshapes import collapse, expand
from .sliding import places, slide_over, surrounded

arith = dialect("arith")

CONVOLUTIONS: Mapping[int, str] = MappingProxyType(
    {1: "linalg.conv_1d_nwc_wcf", 2: "linalg.conv_2d_nhwc_hwcf", 3: "linalg.conv_3d_ndhwc_dhwcf"}
)
"""The named ops, by the number of axes that the kernel slides along."""


class _Convolution(NamedTuple):
    """What is convolved, and how."""

    x: Value
    kernel: Value
    slides: Sequence[Slide]
    """Without gaps."""
    groups: int
    result: TensorType


@lowers(Conv)
def lower_conv(c: Conversion, op: OpInstance) -> Value:
    """Where there are gaps, one convolution without for all places that see the same part of the kernel."""
    x, kernel = op.operands
    rank = op.result_type.rank - 2
    window = [extent if isinstance(extent, int) else None for extent in c.extents(kernel)[:rank]]
    slides = Conv.slides(window, op.attributes)
    for axis, slide in enumerate(slides, 1):
        extent = c.extent(x, axis)
        if slide.gap > 1 and (slide.window is None or not (isinstance(extent, int) or slide.stride == 1)):
            x = _with_zeros(c, x, op.result_type.dtype, axis, slide.gap)
            slides[axis - 1] = slide._replace(gap=1)
    whole = _Convolution(x, kernel, slides, op.attributes["groups"], op.result_type)
    return _interleaved(c, whole) if any(slide.gap > 1 for slide in slides) else _convolved(c, whole)


def _with_zeros(c: Conversion, x: Value, dtype: np.dtype[Any], axis: int, gap: int) -> Value:
    """A tensor whose elements along an axis have zeros between them."""
    math = IndexArithmetic()
    sizes = c.extents(x)
    extents = list(sizes)
    extents[axis] = math.maximum(math.add(math.multiply(math.subtract(sizes[axis], 1), gap), 1), 0)
    shape = tuple(extent if isinstance(extent, int) else None for extent in extents)
    zeros = c.fill(c.constant(0, dtype), TensorType(shape, dtype), extents)
    strides = [gap if other == axis else 1 for other in range(len(sizes))]
    return zeros if 0 in sizes else insert_region(x, zeros, Region([0] * len(sizes), sizes, strides))


def _interleaved(c: Conversion, whole: _Convolution) -> Value:
    """The convolution of a tensor with gaps, as those at some places of the result, which see parts of the kernel."""
    math = IndexArithmetic()
    sizes = c.extents(whole.x)
    extents = [sizes[0], *_places_with_gaps(c, whole), c.extent(whole.kernel, -1 + len(sizes))]
    along = [
        list(phases_of(slide, size if isinstance(size, int) else None))
        for slide, size in zip(whole.slides, sizes[1:], strict=False)
    ]
    result = c.fill(c.constant(0, whole.result.dtype), whole.result, extents)
    if 0 in (*sizes, *extents):
        return result
    for phases in itertools.product(*along):
        if any(phase.slide is None for phase in phases):
            continue  # places between elements, which see none
        counts: list[Extent] = []
        for phase, extent in zip(phases, extents[1:], strict=False):
            left = math.subtract(extent, phase.first)
            counts.append(
                math.maximum(math.steps(left, phase.step), 0) if phase.places is None else phase.places
            )
        known = (count if isinstance(count, int) else None for count in counts)
        shape = (whole.result.shape[0], *known, whole.result.shape[-1])
        part = _convolved(c, _phase(c, whole, phases, whole.result.with_shape(shape)))
        region = Region(
            [0, *(phase.first for phase in phases), 0],
            [extents[0], *counts, extents[-1]],
            [1, *(phase.step for phase in phases), 1],
        )
        result = insert_region(c.cast_to(part, whole.result.with_shape(shape)), result, region)
    return result


def _places_with_gaps(c: Conversion, whole: _Convolution) -> list[Extent]:
    """How many places the kernel has along each axis, of which it sees elements at some."""
    math = IndexArithmetic()
    found: list[Extent] = []
    for axis, slide in enumerate(whole.slides, 1):
        extent = c.extent(whole.x, axis)
        if isinstance(extent, int):
            spread: Extent = slide.length(extent)
        else:
            wide = math.multiply(math.subtract(extent, 1), slide.gap)
            spread = math.add(wide, 1 + slide.low + slide.high)
        found.append(places(c, spread, c.extent(whole.kernel, axis - 1), slide))
    return found


def _phase(c: Conversion, whole: _Convolution, phases: Sequence[Phase], result: TensorType) -> _Convolution:
    """The convolution at the places of a phase along each axis."""
    sizes = c.extents(whole.kernel)
    region = Region(
        [*(phase.seen_first for phase in phases), 0, 0],
        [*(phase.seen for phase in phases), *sizes[-2:]],
        [*(phase.seen_step for phase in phases), 1, 1],
    )
    slides = [phase.slide for phase in phases if phase.slide is not None]
    return _Convolution(whole.x, extract_region(whole.kernel, region), slides, whole.groups, result)


def _convolved(c: Conversion, given: _Convolution) -> Value:
    """The convolution of a tensor without gaps."""
    rank = len(given.slides)
    x = surrounded(c, given.x, given.result.dtype, dict(enumerate(given.slides, 1)), 0)
    extents = [
        c.extent(x, 0),
        *(
            places(c, c.extent(x, 1 + axis), c.extent(given.kernel, axis), slide)
            for axis, slide in enumerate(given.slides)
        ),
    ]
    padded = given._replace(x=x)
    return _of_groups(c, padded, extents) if given.groups > 1 else _of_all_channels(c, padded, extents, rank)


def _of_all_channels(c: Conversion, given: _Convolution, extents: Sequence[Extent], rank: int) -> Value:
    """The named convolution; of booleans, and along more axes, a generic of the same loops."""
    dtype = given.result.dtype
    accumulator = given.result.with_dtype(computing_dtype(dtype))
    extents = [*extents, c.extent(given.kernel, rank + 1)]
    destination = c.fill(c.constant(0, accumulator.dtype), accumulator, extents)
    body = multiply_add(c, dtype, accumulator.dtype)
    inputs = [given.x, given.kernel]
    if kind(dtype) == "b" or rank not in CONVOLUTIONS:
        moved, places_, elements = _labels(given.slides)
        labels = ["n", *places_, "c"], [*elements, "c", "f"], ["n", *places_, "f"]
        summed = slide_over(c, labels, moved, inputs, destination, body)
    else:
        attributes: dict[str, Attribute] = {
            "strides": ir.DenseElementsAttr.get(np.array([s.stride for s in given.slides], np.int64)),
            "dilations": ir.DenseElementsAttr.get(np.array([s.dilation for s in given.slides], np.int64)),
        }
        summed = structured(c, CONVOLUTIONS[rank], inputs, destination, attributes, body)
    return round_once(c, summed, accumulator, given.result)


def _labels(slides: Sequence[Slide]) -> tuple[dict[str, tuple[str, Slide]], list[str], list[str]]:
    """Names of the places of a window along each axis, and of the elements in it; which move together."""
    names = [f"place {axis}" for axis in range(len(slides))]
    elements = [f"element {axis}" for axis in range(len(slides))]
    return dict(zip(names, zip(elements, slides, strict=True), strict=True)), names, elements


def _of_groups(c: Conversion, given: _Convolution, extents: Sequence[Extent]) -> Value:
    """Split the channels into groups, and loop over these, too; without, if a group has one channel and one result."""
    x, kernel, groups = given.x, given.kernel, given.groups
    rank, dtype = len(given.slides), given.result.dtype
    channels, results = (c.extent(kernel, axis) for axis in (rank, rank + 1))
    accumulator = given.result.with_dtype(computing_dtype(dtype))
    is_depthwise = channels == 1 and results == groups
    of_group = (
        results // groups if isinstance(results, int) else arith.DivUIOp(results, c.index(groups)).result
    )
    moved, places_, elements = _labels(given.slides)
    around = [[axis] for axis in range(rank + 1)]
    if is_depthwise:
        own: Sequence[Extent] = [groups]
        kernel = collapse(kernel, [*around[:rank], [rank, rank + 1]])
        labels = ["n", *places_, "g"], [*elements, "g"], ["n", *places_, "g"]
    else:
        own = [groups, of_group]
        x = _split_last(c, x, groups, channels)
        kernel = _split_last(c, kernel, groups, of_group)
        labels = ["n", *places_, "g", "c"], [*elements, "c", "g", "f"], ["n", *places_, "g", "f"]
    shape = (*given.result.shape[:-1], *(extent if isinstance(extent, int) else None for extent in own))
    destination = c.fill(c.constant(0, accumulator.dtype), accumulator.with_shape(shape), [*extents, *own])
    body = multiply_add(c, dtype, accumulator.dtype)
    summed = slide_over(c, labels, moved, [x, kernel], destination, body)
    rounded = round_once(c, summed, accumulator.with_shape(shape), given.result.with_shape(shape))
    return rounded if is_depthwise else collapse(rounded, [*around, [rank + 1, rank + 2]])


def _split_last(c: Conversion, x: Value, groups: int, part: Extent) -> Value:
    """The last axis as two; what is known of the parts tells its extent."""
    source = ir.RankedTensorType(x.type)
    last = source.rank - 1
    if isinstance(part, int) and source.is_dynamic_dim(last):
        wanted = ir.RankedTensorType.get([*source.shape[:last], groups * part], source.element_type)
        x = c.operation("tensor.cast", [x], [wanted])
    axes = [*([axis] for axis in range(last)), [last, last + 1]]
    return expand(x, axes, [*c.extents(x)[:last], groups, part])
