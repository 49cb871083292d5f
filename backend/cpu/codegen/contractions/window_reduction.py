"""Reductions over sliding windows: results of some pixels stay in registers meanwhile.

Pooling, and convolutions in which every channel has a filter of its own: vectors run along the channels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from .....dialect.mlir import Value, ir
from .....dialect.records import NamedTuple
from ....nests.contraction import Contraction, Factor
from ....nests.emit import Index
from ....nests.nest import LoopNest
from ....nests.reductions import relax_combiners
from ..loops.vector_body import is_vectorisable, vector_of, vectorise_body, widest_element
from ..vectors.code import broadcast, lane_mask, vector_load
from ..vectors.width import vector_bytes
from .plan import masks_are_cheap
from .walk import Task, Walk

MOST_POSITIONS = 49
"""Larger windows are left to plain loops: this code is written out for every position."""

SUMS = 8
"""So many vectors of results are computed at once: with fewer, operations wait for each other."""

MOST_VECTORS = 4
"""Vectors of channels that are computed together."""


def match_window_reduction(nest: LoopNest) -> Contraction | None:
    """See a nest as a reduction over windows of an image, its channels last; None if it is none.

    It is described as a contraction. Its second factor has the elements of the filters, or is not there: then the shape
    of the window is all there is of it.
    """
    if len(nest.inputs) != 2 or len(nest.outputs) != 1 or nest.fixed or nest.uses_index():
        return None
    image, window = nest.inputs
    result = nest.outputs[0]
    if image.is_scalar or window.is_scalar:
        return None
    if not all(isinstance(expression, ir.AffineDimExpr) for expression in result.expressions):
        return None
    summed = [dim for dim, parallel in enumerate(nest.parallel) if not parallel]
    sizes = [nest.extents[dim] for dim in summed]
    if not summed or sum(nest.parallel) < 2 or not all(isinstance(size, int) and size > 0 for size in sizes):
        return None
    if math.prod(size for size in sizes if isinstance(size, int)) > MOST_POSITIONS or not is_vectorisable(
        nest.body
    ):
        return None
    column = result.expressions[-1].position
    if not image.is_contiguous_in(column) or not result.is_contiguous_in(column) or nest.extents[column] == 1:
        return None
    if has_filters(nest) and not window.is_contiguous_in(column):
        return None
    outer = [dim for dim, parallel in enumerate(nest.parallel) if parallel and dim != column]
    if has_filters(nest) and any(window.mentions(dim) for dim in outer):
        return None  # filters are read once for several pixels
    left, right, element = Factor(image, None), Factor(window, None), result.memref.type.element_type
    return Contraction(nest, left, right, result, None, column, summed, outer, element, nest.extents[column])


def has_filters(nest: LoopNest) -> bool:
    """Whether the elements of the window matter, and not its shape alone."""
    return any(True for _ in nest.body.arguments[1].uses)


class WindowPlan(NamedTuple):
    """Lanes of the vectors of channels."""

    lanes: int


def plan_window_reduction(contraction: Contraction) -> WindowPlan | None:
    """Choose the vectors; None where plain loops do better."""
    lanes = vector_bytes() // widest_element(contraction.nest.body)
    if masks_are_cheap(contraction):
        columns = contraction.columns
        if isinstance(columns, int) and columns > 0:
            lanes = min(lanes, 1 << (columns - 1).bit_length())
        return WindowPlan(lanes)
    if not isinstance(contraction.columns, int) or contraction.columns == 0:
        return None
    return WindowPlan(min(lanes, 1 << (contraction.columns.bit_length() - 1)))


class WindowReduction(Walk):
    """Writes one reduction at the insertion point."""

    def __init__(self, task: Task, plan: WindowPlan) -> None:
        super().__init__(task)
        relax_combiners(task.contraction.nest)
        self.lanes = plan.lanes
        self.has_filters = has_filters(task.contraction.nest)
        self.vector = vector_of(task.contraction.element, plan.lanes)

    def emit(self) -> None:
        """Write the whole reduction."""
        columns, lanes = self.contraction.columns, self.lanes
        *around, last = self.contraction.outer
        with self._loops(around):
            if not isinstance(columns, int):
                self._pixels(last, columns, 0, 1)
                return
            vectors = min(MOST_VECTORS, -(-columns // lanes))
            whole = columns // (lanes * vectors) * lanes * vectors
            for first, stop, count in ((0, whole, vectors), (whole, columns, 1)):
                if first < stop:
                    self._pixels(last, stop, first, count)

    def _pixels(self, dim: int, stop: Index, first: Index, count: int) -> None:
        """Some pixels of a row at once, then those that remain; for each all vectors of channels in a range."""
        emitter, extent, together = self.emitter, self.contraction.extent(dim), max(1, SUMS // count)
        whole = emitter.multiply(emitter.divide(extent, together), together)
        for start, end, pixels in ((0, whole, together), (whole, extent, 1)):
            if isinstance(end, int) and isinstance(start, int) and start >= end:
                continue
            with (
                emitter.loop(end, pixels, start, parallel=True) as position,
                emitter.loop(stop, self.lanes * count, first) as column,
            ):
                places = [emitter.add(position, number) for number in range(pixels)]
                self._channels(dim, places, column, count)

    def _channels(self, dim: int, pixels: Sequence[Index], column: Index, count: int) -> None:
        """Compute some vectors of channels of some pixels of a row."""
        emitter, columns = self.emitter, self.contraction.columns
        starts = [emitter.add(column, v * self.lanes) for v in range(count)]
        mask = None
        if count == 1 and not (isinstance(columns, int) and columns % self.lanes == 0):
            if isinstance(columns, int) and columns > self.lanes and self.may_repeat:
                starts = [emitter.minimum(starts[0], columns - self.lanes)]
            else:
                mask = lane_mask(emitter, emitter.subtract(columns, starts[0]), self.lanes)
        places = [(dim, pixel, start) for pixel in pixels for start in starts]
        values = [self._start(self._at_pixel(*place), mask) for place in places]
        for position in self._positions(self.contraction.summed):
            for summed, index in zip(self.contraction.summed, position, strict=True):
                self.points[summed] = index
            filters: list[Value | None] = [None] * count
            if self.has_filters:
                own = self.contraction.right
                filters = [self._read(own, self._at(0, start), mask) for start in starts]
            values = [
                self._combine(value, self._at_pixel(*place), filters[number % count], mask)
                for number, (value, place) in enumerate(zip(values, places, strict=True))
            ]
        for value, place in zip(values, places, strict=True):
            self.finish(value, self._at_pixel(*place), mask)

    def _positions(self, dims: Sequence[int]) -> Iterator[tuple[int, ...]]:
        if not dims:
            yield ()
            return
        extent = self.contraction.extent(dims[0])
        assert isinstance(extent, int)
        for index in range(extent):
            for rest in self._positions(dims[1:]):
                yield (index, *rest)

    def _at_pixel(self, dim: int, pixel: Index, column: Index) -> list[Index]:
        point = self._at(0, column)
        point[dim] = pixel
        return point

    def _combine(self, value: Value, point: list[Index], filters: Value | None, mask: Value | None) -> Value:
        arguments = self.contraction.nest.body.arguments
        read = self._read(self.contraction.left, point, mask)
        known: dict[Value, Value] = {arguments[0]: read, arguments[2]: value}
        if filters is not None:
            known[arguments[1]] = filters
        (result,) = vectorise_body(self.contraction.nest.body, known, self.lanes)
        return result

    def _read(self, factor: Factor, point: list[Index], mask: Value | None) -> Value:
        """A vector of channels of the image or of the filters."""
        access = factor.access
        type = vector_of(access.memref.type.element_type, self.lanes)
        return vector_load(self.emitter, access.memref, access.indices(self.emitter, point), type, mask)

    def _start(self, point: list[Index], mask: Value | None) -> Value:
        if self.initial is not None:
            return broadcast(self.initial, self.vector)
        return self._load_result(point, self.vector, mask)
