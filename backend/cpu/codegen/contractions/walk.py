"""What all that write contractions share: the current point, loops that move it, and the result at a point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from .....dialect.mlir import Type, Value
from .....dialect.records import dataclass
from ....nests.contraction import Contraction
from ....nests.emit import Emitter, Index
from ..vectors.code import vector_load, vector_store

Finish: TypeAlias = Callable[[Value, "list[Index]", "Value | None"], None]
"""Takes a vector of results, the loop position of its first element, and the mask of valid lanes."""


@dataclass(frozen=True)
class Task:
    """A contraction to be written, and what becomes of its sums."""

    contraction: Contraction
    emitter: Emitter
    initial: Value | None
    """The scalar that sums start from; without it they are added to the result in memory."""
    finish: Finish | None = None
    """What takes the finished vectors; without it they are stored."""
    may_repeat: bool = True
    """Whether a vector may be finished twice."""
    mirrored: Value | None = None
    """The memory of the result of a symmetric product: only panels up to the diagonal are to be computed."""


class Walk:
    """A contraction with the point at which code is written; dimensions without a loop yet are at 0."""

    def __init__(self, task: Task) -> None:
        self.contraction, self.emitter, self.initial = task.contraction, task.emitter, task.initial
        self.finish: Finish = task.finish or self._store
        self.may_repeat = task.may_repeat and task.initial is not None
        self.points: list[Index] = [0] * len(task.contraction.nest.parallel)

    def _around(self) -> list[int]:
        """The outer dimensions that the right operand depends on: their loops are outside of its panels."""
        right = self.contraction.right.access
        return [dim for dim in self.contraction.outer if right.mentions(dim)]

    def _inside(self) -> list[int]:
        """The other outer dimensions."""
        right = self.contraction.right.access
        return [dim for dim in self.contraction.outer if not right.mentions(dim)]

    @contextmanager
    def _loops(self, dims: Sequence[int]) -> Iterator[None]:
        """Loops over whole dimensions, the first one outermost."""
        if not dims:
            yield
            return
        with self.emitter.loop(self.contraction.extent(dims[0]), parallel=True) as position:
            self.points[dims[0]] = position
            with self._loops(dims[1:]):
                yield

    def _at(self, row: int, column: Index) -> list[Index]:
        """The current point, so many rows further, at a column."""
        point = list(self.points)
        if self.contraction.row is not None:
            point[self.contraction.row] = self.emitter.add(point[self.contraction.row], row)
        point[self.contraction.column] = column
        return point

    def _load_result(self, point: Sequence[Index], type: Type, mask: Value | None) -> Value:
        return load_result(self.contraction, self.emitter, point, type, mask)

    def _store(self, vector: Value, point: list[Index], mask: Value | None) -> None:
        store_result(self.contraction, self.emitter, vector, point, mask)


def load_result(
    contraction: Contraction, emitter: Emitter, point: Sequence[Index], type: Type, mask: Value | None
) -> Value:
    """The vector of results that begins at a point, as it is in memory."""
    result = contraction.result
    return vector_load(emitter, result.memref, result.indices(emitter, point), type, mask)


def store_result(
    contraction: Contraction, emitter: Emitter, vector: Value, point: Sequence[Index], mask: Value | None
) -> None:
    """Write a vector of results to memory."""
    result = contraction.result
    vector_store(vector, result.memref, result.indices(emitter, point), mask)
