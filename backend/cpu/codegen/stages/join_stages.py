"""Which elementwise ops are stages of one stencil, and share a kernel.

    lap = 4 * x[1:-1, 1:-1] - (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
    flux = lap[1:] - lap[:-1]

An op whose result is read at shifted places is a loop nest of its own, and hands on a whole array. Kernels that have
all nests compute them tile by tile (`stages.tiled_nests`).
"""

from __future__ import annotations

import heapq

from .....dialect.mlir import Module, Operation, Value, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.rewriting import blocks_of, defined_functions, operations_in
from ....planning.outlining.clusters import JOINS, MAX_CLUSTER
from ....planning.outlining.slices import Slice
from ..loops.vector_body import body_weight
from ..vectors.temporaries import element_bytes
from .elementwise import is_elementwise
from .tiles import Read, Stage, best_tile


@dataclass(frozen=True)
class JoinStages(Pass):
    """Let the stages of a stencil join the kernel of the last one, where tiles pay."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at the ops of functions, not those in loops and branches of theirs."""
        for function in defined_functions(module):
            joining: list[Operation] = []  # marked last: an op with another attribute has another hash
            for block in blocks_of(function.operation):
                taken: set[Operation] = set()
                readers = _Readers([op for op in operations_in(block) if _is_stage(op)])
                for last in reversed(readers.stages):
                    group = [] if last in taken else readers.group(last)
                    if len(group) > 1 and best_tile(_stages(group)) is not None:
                        taken.update(group)
                        joining += group[:-1]
                        statistics["stencils joined"] += 1
            for operation in joining:
                operation.attributes[JOINS] = ir.UnitAttr.get()


def _is_stage(operation: Operation) -> bool:
    """Whether an op computes a new tensor of known extents, element by element."""
    if operation.name != "linalg.generic" or not is_elementwise(operation):
        return False
    maps = operation.attributes["indexing_maps"]
    return operation.results[0].type.rank >= 2 and all(is_simple(map_.value) for map_ in maps)


def is_simple(indexing: ir.AffineMap) -> bool:
    """Whether an operand has some of the loops as axes, in any order."""
    return all(isinstance(expression, ir.AffineDimExpr) for expression in indexing.results)


class _Readers:
    """The stages of a block, and which read which."""

    def __init__(self, stages: list[Operation]) -> None:
        self.stages = stages
        self._place = {stage: place for place, stage in enumerate(stages)}
        self._is_stage = dict.fromkeys(stages, True)  # those in regions are added when they are asked for
        self._of = [self._readers(stage.results[0], stage.results[0].type.rank) for stage in stages]
        self._sources: list[list[int]] = [[] for _ in stages]
        for place, readers in enumerate(self._of):
            for reader in readers:
                if reader in self._place:
                    self._sources[self._place[reader]].append(place)

    def group(self, last: Operation) -> list[Operation]:
        """An op, and the ops in front of it that compute for the group alone, in order."""
        readers = self._of[self._place[last]]
        if len(readers) == 1 and readers[0] is not None:
            return [last]  # the op may join that one's kernel
        group = {last}
        places = [-self._place[last]]
        seen = set(places)
        found: list[Operation] = []
        while places and len(found) < MAX_CLUSTER:  # the latest first: all that read it were looked at before
            place = -heapq.heappop(places)
            stage = self.stages[place]
            if stage is not last and not all(reader in group for reader in self._of[place]):
                continue
            group.add(stage)
            found.insert(0, stage)
            for source in self._sources[place]:
                if -source not in seen:
                    seen.add(-source)
                    heapq.heappush(places, -source)
        return found

    def _readers(self, value: Value, rank: int) -> list[Operation | None]:
        """The stages that read a tensor, at shifted places perhaps; None among them stands for other uses."""
        found: list[Operation | None] = []
        for use in value.uses:
            user = use.owner.operation
            if user.name == "tensor.extract_slice" and _offsets(user) is not None:
                found += self._readers(user.results[0], rank)
            elif self._takes(user) and user.attributes["indexing_maps"][
                use.operand_number
            ].value == ir.AffineMap.get_identity(rank):
                found.append(user)
            else:
                found.append(None)
        return found

    def _takes(self, user: Operation) -> bool:
        known = self._is_stage.get(user)
        if known is None:
            known = self._is_stage[user] = _is_stage(user)
        return known


def _offsets(operation: Operation) -> tuple[int, ...] | None:
    """Where a slice begins; None where that is not known, or elements or axes are left out."""
    slice_ = Slice.of(operation)
    known = [offset for offset in slice_.offsets if isinstance(offset, int)]
    plain = all(isinstance(stride, int) and stride == 1 for stride in slice_.strides)
    whole = len(slice_.kept) == len(slice_.offsets)
    return tuple(known) if plain and whole and len(known) == len(slice_.offsets) else None


def _stages(group: list[Operation]) -> list[Stage]:
    place = {operation.results[0]: number for number, operation in enumerate(group)}
    stages = []
    for operation in group:
        type, reads = operation.results[0].type, []
        for operand in list(operation.operands)[:-1]:
            source, offsets = operand, (0,) * type.rank
            if not isinstance(operand.owner, ir.Block) and operand.owner.name == "tensor.extract_slice":
                source, offsets = operand.owner.operation.operands[0], _offsets(operand.owner.operation) or ()
            if source in place:
                reads.append(Read(place[source], offsets))
        work = body_weight(operation.regions[0].blocks[0])
        stages.append(Stage(tuple(type.shape), element_bytes(type.element_type), work, tuple(reads)))
    return stages
