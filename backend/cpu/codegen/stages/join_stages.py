"""Which elementwise ops are stages of one stencil, and share a kernel.

    lap = 4 * x[1:-1, 1:-1] - (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
    flux = lap[1:] - lap[:-1]

An op whose result is read at shifted places is a loop nest of its own, and hands on a whole array. Kernels that have
all nests compute them tile by tile (`stages.tiled_nests`).
"""

from __future__ import annotations

from typing import ClassVar

from .....dialect.mlir import Module, Operation, Value, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.rewriting import defined_functions, operations_in
from ....planning.outlining.clusters import JOINS, MAX_CLUSTER
from ....planning.outlining.slices import Slice
from ..loops.vector_body import body_weight
from ..vectors.temporaries import element_bytes
from .elementwise import is_elementwise
from .tiles import Read, Stage, best_tile


@dataclass(frozen=True)
class JoinStages(Pass):
    """Let the stages of a stencil join the kernel of the last one, where tiles pay."""

    name: ClassVar[str] = "join-stages"
    summary: ClassVar[str] = "let the stages of a stencil share a kernel, where tiles of them pay"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at the ops of functions, not those in loops and branches of theirs."""
        for function in defined_functions(module):
            taken: set[Operation] = set()
            for region in function.operation.regions:
                for block in region:
                    generics = [op for op in operations_in(block) if _is_stage(op)]
                    for last in reversed(generics):
                        group = [] if last in taken else _group(last, generics)
                        if len(group) > 1 and best_tile(_stages(group)) is not None:
                            taken.update(group)
                            for operation in group[:-1]:
                                operation.attributes[JOINS] = ir.UnitAttr.get()
                            statistics["stencils joined"] += 1


def _is_stage(operation: Operation) -> bool:
    """Whether an op computes a new tensor of known extents, element by element."""
    if operation.name != "linalg.generic" or not is_elementwise(operation):
        return False
    maps = operation.attributes["indexing_maps"]
    return operation.results[0].type.rank >= 2 and all(is_simple(map_.value) for map_ in maps)


def is_simple(indexing: ir.AffineMap) -> bool:
    """Whether an operand has some of the loops as axes, in any order."""
    return all(isinstance(expression, ir.AffineDimExpr) for expression in indexing.results)


def _group(last: Operation, generics: list[Operation]) -> list[Operation]:
    """An op, and the ops in front of it that compute for the group alone, in order."""
    group = [last]
    readers = _readers(last.results[0], last.results[0].type.rank)
    if len(readers) == 1 and readers[0] is not None:
        return group  # the op may join that one's kernel
    for operation in reversed(generics[: generics.index(last)]):
        if len(group) == MAX_CLUSTER:
            break
        readers = _readers(operation.results[0], operation.results[0].type.rank)
        if readers and all(reader is not None and reader in group for reader in readers):
            group.insert(0, operation)
    return group


def _readers(value: Value, rank: int) -> list[Operation | None]:
    """The stages that read a tensor, at shifted places perhaps; None among them stands for other uses."""
    found: list[Operation | None] = []
    for use in value.uses:
        user = use.owner.operation
        if user.name == "tensor.extract_slice" and _offsets(user) is not None:
            found += _readers(user.results[0], rank)
        elif _is_stage(user) and user.attributes["indexing_maps"][
            use.operand_number
        ].value == ir.AffineMap.get_identity(rank):
            found.append(user)
        else:
            found.append(None)
    return found


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
