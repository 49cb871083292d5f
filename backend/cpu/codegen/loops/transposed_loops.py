"""Elementwise nests that read along one axis and write along another, square by square through registers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from .....dialect.mlir import Value
from ....nests.emit import Emitter, Index, load, prefetch
from ....nests.nest import Access, LoopNest
from ..vectors.code import broadcast, transpose, vector_load, vector_store
from ..vectors.temporaries import known_bytes
from ..vectors.width import vector_bytes
from .vector_body import body_weight, is_vectorisable, vector_of, vectorise_body, widest_element

MOST_OPERATIONS = 6
"""A longer body is not repeated for all rows of a square."""

LARGEST_SQUARE = 16

SQUARES_AHEAD = 2
"""Whose lines are asked for: further down in what is read, to the right in what is written. That makes transposing a
matrix of 0.4 to 4 MB up to 1.6 times as fast."""

LARGE_BYTES = 1 << 17
"""Smaller arrays are in a cache soon enough."""


def match_transposed_loops(nest: LoopNest, order: Sequence[int], emitter: Emitter) -> TransposedLoops | None:
    """The nest as squares, where that is possible: static sizes, nothing written that is also read."""
    if len(order) < 2 or not all(nest.parallel) or nest.uses_index() or not is_vectorisable(nest.body):
        return None
    along = order[-1]
    across = [dim for dim in order[:-1] if any(_is_transposed(access, along, dim) for access in nest.inputs)]
    if len(across) != 1 or body_weight(nest.body) > MOST_OPERATIONS:
        return None
    written = [access.memref for access in nest.outputs]
    if not all(access.is_contiguous_in(along) for access in nest.outputs):
        return None
    if any(access.memref in written for access in nest.inputs) or _reads_outputs(nest):
        return None
    loops = TransposedLoops(nest, along, across[0], [d for d in order[:-1] if d != across[0]], emitter)
    sizes = [nest.extents[along], nest.extents[across[0]]]
    if not all(isinstance(size, int) and size >= loops.lanes for size in sizes):
        return None
    return loops if all(map(loops.can_read, nest.inputs)) else None


def _is_transposed(access: Access, along: int, across: int) -> bool:
    if access.is_scalar or access.axis_of(along) is None:
        return False
    return access.is_contiguous_in(across)


def _reads_outputs(nest: LoopNest) -> bool:
    arguments = list(nest.body.arguments)[len(nest.inputs) :]
    return any(True for argument in arguments for _ in argument.uses)


def _is_large(access: Access) -> bool:
    size = known_bytes(access.memref.type)
    return size is None or size > LARGE_BYTES


class TransposedLoops:
    """Runs over squares of `lanes` by `lanes`; the last ones overlap those before."""

    def __init__(
        self, nest: LoopNest, along: int, across: int, outer: Sequence[int], emitter: Emitter
    ) -> None:
        self.nest, self.along, self.across, self.outer = nest, along, across, list(outer)
        self.emitter = emitter
        self.lanes = min(LARGEST_SQUARE, vector_bytes() // widest_element(nest.body))

    def can_read(self, access: Access) -> bool:
        """Whether an input is one of: scalar, transposed, contiguous, or the same along the vectors."""
        if access.is_scalar or not access.mentions(self.along):
            return True
        return access.is_contiguous_in(self.along) or _is_transposed(access, self.along, self.across)

    def emit(self) -> None:
        """Write the loops at the insertion point."""
        if self.outer:
            dim = self.outer.pop(0)
            with self.emitter.loop(self.nest.extents[dim], parallel=True) as position:
                self.nest.fixed[dim] = position
                self.emit()
            return
        with self._squares(self.across) as row, self._squares(self.along) as column:
            self._square(self._start(self.across, row), self._start(self.along, column))

    def _squares(self, dim: int) -> AbstractContextManager[Index]:
        # Squares that overlap write the same numbers twice.
        return self.emitter.loop(self.nest.extents[dim], self.lanes, unroll=False, parallel=True)

    def _start(self, dim: int, position: Index) -> Index:
        extent = self.nest.extents[dim]
        whole = isinstance(extent, int) and extent % self.lanes == 0
        return (
            position if whole else self.emitter.minimum(position, self.emitter.subtract(extent, self.lanes))
        )

    def _square(self, row: Index, column: Index) -> None:
        squares = {
            number: self._transposed(access, row, column)
            for number, access in enumerate(self.nest.inputs)
            if _is_transposed(access, self.along, self.across)
        }
        for lane in range(self.lanes):
            points = self._points(self.emitter.add(row, lane), column)
            known: dict[Value, Value] = {}
            for number, access in enumerate(self.nest.inputs):
                argument = self.nest.body.arguments[number]
                known[argument] = (
                    squares[number][lane] if number in squares else self._plain(argument, access, points)
                )
            self._ask_for_results(self.emitter.add(row, lane), column)
            results = vectorise_body(self.nest.body, known, self.lanes)
            for value, access in zip(results, self.nest.outputs, strict=True):
                vector_store(value, access.memref, access.indices(self.emitter, points), None)

    def _ask_for_results(self, row: Index, column: Index) -> None:
        """Ask for the lines that squares to the right write in a row."""
        ahead = self._points(row, self.emitter.add(column, SQUARES_AHEAD * self.lanes))
        for access in filter(_is_large, self.nest.outputs):
            prefetch(access.memref, access.indices(self.emitter, ahead), 3, writes=True)

    def _points(self, row: Index, column: Index) -> list[Index]:
        fixed = {**self.nest.fixed, self.across: row, self.along: column}
        return [fixed[dim] for dim in range(len(self.nest.parallel))]

    def _transposed(self, access: Access, row: Index, column: Index) -> list[Value]:
        type = vector_of(access.memref.type.element_type, self.lanes)
        columns = [self._points(row, self.emitter.add(column, lane)) for lane in range(self.lanes)]
        places = [access.indices(self.emitter, points) for points in columns]
        if _is_large(access):
            for number in range(SQUARES_AHEAD * self.lanes, (SQUARES_AHEAD + 1) * self.lanes):
                ahead = self._points(row, self.emitter.add(column, number))
                prefetch(access.memref, access.indices(self.emitter, ahead), 3)
        return transpose([vector_load(self.emitter, access.memref, place, type, None) for place in places])

    def _plain(self, argument: Value, access: Access, points: Sequence[Index]) -> Value:
        type = vector_of(argument.type, self.lanes)
        if access.is_scalar:
            return broadcast(access.memref, type)
        indices = access.indices(self.emitter, points)
        if access.mentions(self.along):
            return vector_load(self.emitter, access.memref, indices, type, None)
        return broadcast(load(access.memref, indices), type)
