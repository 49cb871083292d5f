"""Windows that slide over tensors: what surrounds them, how many places windows have, and the loops over these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialect.mlir import Value, dialect, ir
from ...dialect.sliding import Slide
from ...dialect.types import TensorType
from ..index_arithmetic import Extent, IndexArithmetic
from .conversion import Conversion
from .regions import box, extract_region, insert_region

arith = dialect("arith")

Labels: TypeAlias = Sequence[str]
"""A name for each axis of a tensor."""


def surrounded(
    c: Conversion, x: Value, dtype: np.dtype[Any], slides: Mapping[int, Slide], value: complex
) -> Value:
    """A tensor with what lies around some of its axes, or without what is cut; itself where there is nothing."""
    math = IndexArithmetic()
    sizes = c.extents(x)
    cuts = {axis: (max(-s.low, 0), max(-s.high, 0)) for axis, s in slides.items()}
    if any(map(any, cuts.values())):
        offsets = [cuts.get(axis, (0, 0))[0] for axis in range(len(sizes))]
        sizes = [
            math.maximum(math.subtract(size, sum(cuts.get(axis, (0, 0)))), 0)
            for axis, size in enumerate(sizes)
        ]
        x = extract_region(x, box(offsets, sizes))
    before = [max(slides[axis].low, 0) if axis in slides else 0 for axis in range(len(sizes))]
    behind = [max(slides[axis].high, 0) if axis in slides else 0 for axis in range(len(sizes))]
    if not any((*before, *behind)):
        return x
    extents = [math.add(size, low + high) for size, low, high in zip(sizes, before, behind, strict=True)]
    shape = tuple(extent if isinstance(extent, int) else None for extent in extents)
    border = c.fill(c.constant(value, dtype), TensorType(shape, dtype), extents)
    return border if 0 in sizes else insert_region(x, border, box(before, sizes))


def places(c: Conversion, extent: Extent, window: Extent, slide: Slide) -> Extent:
    """How many places a window has on an axis with what surrounds it; 0 where it does not fit."""
    if isinstance(extent, int) and isinstance(window, int):
        return (extent - (window - 1) * slide.dilation - 1) // slide.stride + 1
    math = IndexArithmetic()
    reach = math.multiply(math.subtract(window, 1), slide.dilation)
    # One stride is added before the division instead of 1 after it, so that nothing negative is divided.
    room = math.maximum(math.subtract(math.add(extent, slide.stride - 1), reach), 0)
    return arith.DivUIOp(c.index(room), c.index(slide.stride)).result


def slide_over(
    c: Conversion,
    labels: Sequence[Labels],
    moved: Mapping[str, tuple[str, Slide]],
    inputs: Sequence[Value],
    destination: Value,
    body: Callable[..., Value],
) -> Value:
    """Loops over the axes of the result, then over others, which are reduced.

    `labels` name the axes of the inputs and of the result. Where the first input has an axis of the result that is
    `moved`, it is read by the place of a window in it and by the one of an element in the window, another axis.
    """
    *read, result = labels
    loops = list(dict.fromkeys([*result, *(label for part in read[::-1] for label in part)]))
    dims = {label: ir.AffineDimExpr.get(number) for number, label in enumerate(loops)}

    def expression(label: str, is_first: bool) -> ir.AffineExpr:
        if not is_first or label not in moved:
            return dims[label]
        element, slide = moved[label]
        place = dims[label] * slide.stride
        return place + dims[element] * slide.dilation if element in dims else place

    maps = [
        ir.AffineMap.get(len(dims), 0, [expression(label, number == 0) for label in part])
        for number, part in enumerate((*read, result))
    ]
    iterators = ["parallel" if label in result else "reduction" for label in loops]
    return c.generic(inputs, [destination], maps, iterators, lambda *scalars: [body(*scalars)])[0]
