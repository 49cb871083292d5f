"""Elements that a condition chooses, of arrays that are split: each rank keeps its own; only the run tells how many.

`nonzero` gives a rank the places of its block, `x[mask]` the elements there; ops on elements and reductions go on with
these. Whatever else asks for such a value gets all of it on every rank: what was chosen, and not the array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialect.dtypes import is_half
from ....dialect.emitter import INT64, Tensor
from ....dialect.mlir import Operation
from ....dialect.op import Elementwise
from ....dialect.ops.indexing import Gather
from ....dialect.ops.reductions import (
    ExtremeNumber,
    Extremum,
    Mean,
    Reduction,
    Spread,
    Std,
    extremum_of_nothing,
    normalize_axes,
)
from ....dialect.ops.shape import Dim
from ....dialect.ops.slicing import DynamicSlice
from ....dialect.register import decode_attributes, op_class_of
from ..messages import padded
from ..parts import Packed, Part, Site
from .reductions import COMBINED, squares_about


def nonzero(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`nonzero`: each rank finds the places of its block, where nobody asks for more of them than there are."""
    (part,) = parts
    split, b = part.layout[0], site.b
    uses = [use.owner.operation for use in site.operation.results[0].uses]
    if split is None or not all(takes_what_is_there(user, site.operation) for user in uses):
        whole = site.whole(
            part, "the places of a condition that is split are asked for in another way than x[mask]"
        )
        values = site.emitted([whole.value])
        return [
            Part(value, shape, (None,) * len(shape)) for value, shape in zip(values, site.shapes, strict=True)
        ]
    places, own = site.emitted([part.value])
    (chosen,) = (
        b.emit(DynamicSlice, [places, own], decode_attributes(DynamicSlice, uses[0])) if uses else (places,)
    )
    chosen = chosen + b.number(site.block(split).start, INT64)
    counted = [use.owner.operation for use in site.operation.results[1].uses]
    count = own if set(counted) <= set(uses) else site.messages.reduced(b, own, "sum", split.axis)
    packed = Packed(0, split, site.operation.results[0], is_places=True)
    return [Part(chosen, (None,), (None,), packed=packed), Part(count, (), ())]


def takes_what_is_there(user: Operation, nonzero: Operation) -> bool:
    """Whether an op takes as many of the places as the condition is true."""
    if op_class_of(user) is not DynamicSlice or len(user.operands) != 2:
        return False
    given = decode_attributes(DynamicSlice, user)
    bounds = tuple(given[name] for name in ("start", "step", "start_axes", "stop_axes"))
    same = user.operands[0] == nonzero.results[0] and user.operands[1] == nonzero.results[1]
    return same and bounds == ((0,), (1,), (), (0,))


def packed_rule(site: Site, parts: Sequence[Part]) -> list[Part] | None:
    """What an op makes of such values without that they are gathered; None where it needs them whole."""
    op_class = site.op_class
    if op_class is DynamicSlice and parts[0].packed is not None and parts[0].packed.is_places:
        return [parts[0]]
    if op_class is Gather:
        return _gather(site, parts)
    if issubclass(op_class, Elementwise):
        return _elementwise(site, parts)
    if op_class is Mean or (issubclass(op_class, Reduction) and op_class in COMBINED):
        return _reduction(site, parts[0])
    if issubclass(op_class, Spread):
        return _spread(site, parts[0])
    if op_class is Dim:
        return _dim(site, parts[0])
    return None


def _elementwise(site: Site, parts: Sequence[Part]) -> list[Part] | None:
    """Values that the same condition has chosen, and others that are broadcast to them."""
    rank = len(site.shapes[0])
    found = {
        (part.packed.dim + rank - part.rank, part.packed.of) for part in parts if part.packed is not None
    }
    if len(found) > 1:
        return None
    ((dim, _),) = found
    for part in parts:
        own = dim - (rank - part.rank)
        if any(part.layout) or (part.packed is None and own >= 0 and part.shape[own] != 1):
            return None
    packed = next(part.packed for part in parts if part.packed is not None)
    made = site.emitted([part.value for part in parts])
    result = packed._replace(dim=dim, is_places=False)
    return [
        Part(value, shape, (None,) * rank, packed=result)
        for value, shape in zip(made, site.shapes, strict=True)
    ]


def _gather(site: Site, parts: Sequence[Part]) -> list[Part] | None:
    """`x[mask]`: what a rank has chosen lies in its block of an array that is split as the mask is."""
    part, *indices = parts
    axes, position = site.attributes["axes"], site.attributes["position"]
    if len(indices) != 1 or part.packed is not None or indices[0].rank != 1:
        return None
    packed, axis, b = indices[0].packed, axes[0], site.b
    if packed is None or any(split is not None for dim, split in enumerate(part.layout) if dim != axis):
        return None
    places, source = indices[0].value, part.value
    if part.layout[axis] is not None:
        if not packed.is_places or part.shape[axis] != packed.split.extent:
            return None
        wanted = tuple(packed.split if dim == axis else None for dim in range(part.rank))
        source = site.laid_out(
            part, wanted, "an array is split along other axes than what chooses of it"
        ).value
        places = places - b.number(site.block(packed.split).start, INT64)
        if source.shape[axis] == 0:
            source = padded(b, source, axis, 1)
    (value,) = site.emitted([source, places])
    result = packed._replace(dim=position, is_places=False)
    return [Part(value, site.shapes[0], (None,) * value.rank, packed=result)]


def _reduction(site: Site, part: Part) -> list[Part] | None:
    """Reductions over what was chosen: partial results are combined."""
    packed, b, x = part.packed, site.b, part.value
    axes, keepdims = normalize_axes(site.attributes["axes"], part.rank), site.attributes["keepdims"]
    how = "sum" if site.op_class is Mean else COMBINED[site.op_class]
    is_short = x.dtype.kind not in "biufc" or (x.dtype.itemsize < 4 and x.dtype.kind == "f")
    if (
        packed is None
        or packed.dim not in axes
        or any(part.layout)
        or issubclass(site.op_class, ExtremeNumber)
    ):
        return None
    if is_short and how in ("sum", "prod"):
        return None
    if issubclass(site.op_class, Extremum):  # a rank that has chosen nothing adds what does not count
        shape = [1 if dim == packed.dim else b.extent(x, dim) for dim in range(x.rank)]
        nothing = b.full(shape, extremum_of_nothing(x.dtype, smallest=how == "min"), x.dtype)
        x = b.concat(x, nothing, axis=packed.dim)
    if site.op_class is Mean:
        total = site.messages.reduced(b, b.sum(x, axes=axes, keepdims=keepdims), "sum", packed.split.axis)
        value = b.divide(total, b.cast(_counted(site, part, axes), dtype=total.dtype))
        value = b.converted(value, x.dtype)
    else:
        value = site.messages.reduced(b, site.emitted([x])[0], how, packed.split.axis)
    return [Part(value, site.shapes[0], (None,) * value.rank)]


def _spread(site: Site, part: Part) -> list[Part] | None:
    """Variance and standard deviation over what was chosen: of the distances from the mean of all."""
    packed, b, x = part.packed, site.b, part.value
    axes, keepdims = normalize_axes(site.attributes["axes"], part.rank), site.attributes["keepdims"]
    if packed is None or packed.dim not in axes or any(part.layout) or is_half(x.dtype):
        return None
    count, over = _counted(site, part, axes), packed.split.axis
    total = site.messages.reduced(b, b.sum(x, axes=axes, keepdims=True), "sum", over)
    mean = b.divide(total, b.cast(count, dtype=total.dtype))
    squares = site.messages.reduced(b, squares_about(site, x, mean, axes), "sum", over)
    left = b.cast(count, dtype=squares.dtype) - b.number(site.attributes["correction"], squares.dtype)
    value = b.divide(squares, b.maximum(left, b.number(0, squares.dtype)))
    value = b.sqrt(value) if site.op_class is Std else value
    value = value if keepdims else b.squeeze(value, axes=axes)
    return [Part(value, site.shapes[0], (None,) * value.rank)]


def _counted(site: Site, part: Part, axes: Sequence[int]) -> Tensor:
    """How many elements of all ranks are reduced to one."""
    assert part.packed is not None
    b = site.b
    count = _count(site, part)
    for dim in axes:
        if dim != part.packed.dim:
            count = count * b.as_number(b.extent(part.value, dim), INT64)
    return count


def _dim(site: Site, part: Part) -> list[Part] | None:
    if part.packed is None or site.attributes["axis"] % part.rank != part.packed.dim:
        return [Part(site.emitted([part.value])[0], (), ())]
    return [Part(_count(site, part), (), ())]


def _count(site: Site, part: Part) -> Tensor:
    """How many elements all ranks have chosen."""
    assert part.packed is not None
    b = site.b
    own: Any = b.as_number(b.extent(part.value, part.packed.dim), np.dtype(np.int64))
    return site.messages.reduced(b, own, "sum", part.packed.split.axis)
