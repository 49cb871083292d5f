"""Compute what a program takes of one window after the other as one convolution or pooling.

    for i in range(h):
        for j in range(w):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))

is `weft.window_max`, and sums of products of windows with filters are `weft.conv`, also where some or all iterations
are written out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.ops.indexing import Scatter
from ...dialect.ops.slicing import INT64_MAX, SliceUpdate
from ...dialect.records import NamedTuple, dataclass
from ...dialect.sizes import Size, terms_of
from ..base import Pass, Statistics
from ..control_flow.speculation import is_pure
from ..control_flow.structure import (
    FOR,
    body,
    operations_in,
    producer,
    scalar_constant,
    trip_count,
    weft_op,
    yielded,
)
from ..rewriting import blocks_of, defined_functions, is_defined_inside, is_unused, type_of
from .window_ops import written
from .windows import Update, Windows, update_of

_UPDATES = frozenset({FOR, Scatter.mlir_name(), SliceUpdate.mlir_name()})

_MOST_PLACES = 1 << 16
"""So many windows are looked at where loops are written out."""


@dataclass(frozen=True)
class GatherWindows(Pass):
    """Replace updates with what is computed of single windows by one for all windows.

    The windows lie at equal distances, and what is computed of them fills a box of the tensor, each place once.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at what is updated last first, and at loops before what is in them."""
        for function in defined_functions(module):
            gathered: list[Operation] = []
            for block in blocks_of(function.operation):
                _visit(block, gathered)
            statistics["windows gathered"] += sum(map(_erase, gathered))


def _visit(block: Block, gathered: list[Operation]) -> None:
    """Gather the windows of updates in a block; collects the ops that are replaced, users first."""
    for operation in reversed(operations_in(block)):
        if operation.name in _UPDATES and operation not in gathered:
            for result in operation.results:
                gathered += _gather(operation, result)
        if operation not in gathered:
            for inner in blocks_of(operation):
                _visit(inner, gathered)


def _erase(operation: Operation) -> int:
    """Erase an op that was replaced, if it has no other results that are used; whether it was."""
    if not is_unused(operation):
        return 0
    operation.erase()
    return 1


class _Axis(NamedTuple):
    """Windows along one axis."""

    place: int
    """The index of the first one's result."""
    start: int
    """Where the first one begins."""
    number: int
    stride: int

    def starts(self) -> Iterator[tuple[int, int]]:
        """Where each result is, and where its window begins."""
        return ((self.place + n, self.start + n * self.stride) for n in range(self.number))


class _Box(NamedTuple):
    """Windows at equal distances, with results that fill a box of a tensor."""

    base: Value
    """The tensor before."""
    windows: Windows
    axes: tuple[_Axis, ...]


def _gather(operation: Operation, result: Value) -> list[Operation]:
    """Replace a tensor that is updated with what is computed of windows; the ops that updated it, last first."""
    box = _box(result)
    if box is None:
        return []
    boxes, updates = [box], [operation]
    while (before := _box(boxes[-1].base)) is not None and before.windows == box.windows:
        update = producer(boxes[-1].base)
        if update is None or update.block != operation.block or len(list(boxes[-1].base.uses)) > 1:
            break
        boxes.append(before)
        updates.append(update)
    joined = _joined(boxes)
    while joined is None:
        boxes.pop()
        joined = _joined(boxes)
    if math.prod(axis.number for axis in joined) < 2:
        return []
    with ir.InsertionPoint(operation), operation.location:
        made = _update(_Box(boxes[-1].base, box.windows, joined), type_of(result).shape)
    result.replace_all_uses_with(made)
    return updates[: len(boxes)]


def _box(value: Value) -> _Box | None:
    """A tensor as one that was updated for some windows: of one, or of those of a loop."""
    carried: list[tuple[Operation, int]] = []
    base = value
    while (loop := producer(base)) is not None and loop.name == FOR:
        place = list(loop.results).index(base)
        carried.append((loop, place))
        base = yielded(body(loop))[place]
    update = update_of(base)
    if update is None or not all(is_pure(loop) for loop, _ in carried):  # which takes longest
        return None
    return _moved(update, carried)


def _moved(update: Update, carried: Sequence[tuple[Operation, int]]) -> _Box | None:
    """An update in loops, outermost first, with the number of what they carry, as what they do together."""
    base, windows = update.base, update.windows
    loops = [loop for loop, _ in carried]
    for loop, place in reversed(carried):
        arguments = list(body(loop).arguments)
        if base != arguments[1 + place]:  # not another tensor, with which it changes places in each iteration
            return None
        base = loop.operands[3 + place]
    counters = {body(loop).arguments[0]: loop for loop in loops}
    used = [value for value in (windows.image, windows.filters) if value is not None]
    if loops and any(is_defined_inside(each, loops[0]) for each in used):
        return None
    axes = [_axis(*forms, counters) for forms in zip(update.places, update.starts, strict=True)]
    extents = [type_of(base).shape[axis] for axis in windows.placed]
    found = []
    for axis, extent in zip(axes, extents, strict=True):
        if axis is None or extent is None or axis.place < 0 or axis.place + axis.number > extent:
            return None
        found.append(axis)
    moving = {symbol for form in update.places for product in terms_of(form) for symbol in product}
    if len(moving) != len(loops) or sum(len(terms_of(form).keys() - {()}) for form in update.places) != len(
        loops
    ):
        return None
    return _Box(base, windows, tuple(found))


def _axis(place: Size, start: Size, counters: Mapping[Value, Operation]) -> _Axis | None:
    """The windows along one axis, whose results and beginnings move with one counter, or with none."""
    places, starts = dict(terms_of(place)), dict(terms_of(start))
    first, origin = places.pop((), 0), starts.pop((), 0)
    if not places and not starts:
        return _Axis(first, origin, 1, 0)
    ((product, factor),) = places.items() if len(places) == 1 else (((), 0),)
    if factor != 1 or len(product) != 1 or starts.keys() != {product} or product[0] not in counters:
        return None
    stride, loop = starts[product], counters[product[0]]
    lower, count = scalar_constant(loop.operands[0]), trip_count(loop)
    if stride < 1 or lower is None or not count or scalar_constant(loop.operands[2]) != 1:
        return None
    return _Axis(first + lower, origin + stride * lower, count, stride)


def _joined(boxes: Sequence[_Box]) -> tuple[_Axis, ...] | None:
    """Boxes as one that has each place once; None where they are none together."""
    if len(boxes) == 1:
        return boxes[0].axes
    count = sum(math.prod(axis.number for axis in box.axes) for box in boxes)
    if count > _MOST_PLACES:
        return None
    found = []
    for axes in zip(*(box.axes for box in boxes), strict=True):
        starts = sorted({pair for axis in axes for pair in axis.starts()})
        (place, start), stride = starts[0], starts[-1][1] - starts[0][1]
        stride = stride // (len(starts) - 1) if len(starts) > 1 else 0
        joined = _Axis(place, start, len(starts), stride)
        if (len(starts) > 1 and stride < 1) or starts != list(joined.starts()):
            return None
        found.append(joined)
    places = {
        place
        for box in boxes
        for place in itertools.product(*(range(axis.place, axis.place + axis.number) for axis in box.axes))
    }
    whole = math.prod(axis.number for axis in found)
    return tuple(found) if len(places) == count == whole else None


def _update(box: _Box, shape: Sequence[int | None]) -> Value:
    """Compute a box at the insertion point, and put it into the tensor."""
    ranges = [
        (axis.start, axis.start + (axis.number - 1) * axis.stride + box.windows.spans[moving].size)
        for axis, moving in zip(box.axes, box.windows.moving, strict=True)
    ]
    computed = written(box.windows, ranges, [max(axis.stride, 1) for axis in box.axes])
    if type_of(computed).shape == tuple(shape):
        return computed
    start, stop = [0] * len(shape), [INT64_MAX] * len(shape)
    for placed, axis in zip(box.windows.placed, box.axes, strict=True):
        start[placed], stop[placed] = axis.place, axis.place + axis.number
    step = (1,) * len(shape)
    return weft_op(SliceUpdate, box.base, computed, start=tuple(start), stop=tuple(stop), step=step)
