"""Which steps of a kernel are attention: its two products and the softmax between them, on memrefs."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Value
from ....dialect.records import dataclass
from ...nests.contraction import Contraction, match_contraction
from ...nests.emit import Index
from ...nests.nest import loop_nest
from ..rewrites.attention import Attention, match_attention, positions, starts_right
from .steps import Step
from .tile_parts import with_row


def find(steps: Sequence[Step]) -> tuple[Attention, int] | None:
    """The attention that the first steps of a run are, and how many they are."""
    made: dict[tuple[Operation, int], Operation | None] = {}
    writers: dict[Value, Operation] = {}
    for count, step in enumerate(steps, 1):
        op = step.nest.operation
        for number, access in enumerate(step.nest.inputs):
            made[op, number] = writers.get(access.memref)
        attention = match_attention(op, lambda op, number: made.get((op, number)))
        if attention is not None:
            is_all = _is_all(attention, steps[:count]) and Parts.of(attention) is not None
            return (attention, count) if is_all else None
        for access in step.nest.outputs:
            writers[access.memref] = op
    return None


def _is_all(attention: Attention, steps: Sequence[Step]) -> bool:
    """Whether steps are attention and nothing else, and nobody else asks for what is between its products."""
    found = {step.nest.operation: step for step in steps}
    if set(attention.operations) != set(found):
        return False
    if not starts_right(attention, lambda op: found[op].initial):
        return False
    return all(
        found[op].alone_touch(steps, found[op].nest.outputs[0].memref)
        for op in (attention.scores, *attention.softmax)
    )


@dataclass(frozen=True)
class Parts:
    """Attention on memrefs."""

    attention: Attention
    scores: Contraction
    result: Contraction

    @staticmethod
    def of(attention: Attention) -> Parts | None:
        """With rows where the softmax has them; None for products that are not written."""
        *_, row, _ = positions(attention.scores)[2]
        scores = _with_row(attention.scores, row)
        result = _with_row(attention.result, positions(attention.result)[attention.place][-2])
        return None if scores is None or result is None else Parts(attention, scores, result)

    @property
    def outer(self) -> list[Index]:
        """The extents of batches."""
        return [self.scores.nest.extents[dim] for dim in positions(self.attention.scores)[2][:-2]]

    @property
    def rows(self) -> Index:
        """How many rows of queries there are."""
        return self.scores.extent(self.scores.row)

    @property
    def keys(self) -> Index:
        """How many keys there are."""
        return self.scores.columns

    @property
    def depth(self) -> int:
        """The columns of queries and keys."""
        depth = self.scores.extent(self.scores.summed[0])
        assert isinstance(depth, int)
        return depth

    @property
    def columns(self) -> int:
        """The columns of values."""
        assert isinstance(self.result.columns, int)
        return self.result.columns


def _with_row(op: Operation, row: int) -> Contraction | None:
    """The contraction that an operation is, of which a dimension has the rows."""
    contraction = match_contraction(loop_nest(op), None)
    return None if contraction is None else with_row(contraction, row)


@dataclass(frozen=True)
class Tile:
    """What a block has at a time."""

    rows: int
    """Of queries."""
    keys: int
    depth: int
    """Columns of queries and keys; where these have fewer, zeros are beyond them."""
    columns: int
    """Of values, as far as threads go."""
