"""What is made of each number of a sum or product, right where the kernel has it: rounding, a mean, a step of Adam.

    %sum = linalg.generic ... iterator_types = ["reduction"]      is outlined together with
    %mean = linalg.generic ins(%sum) { divf, truncf }

Kernels of products take what follows them anyway, where that has one result.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import indexing_maps, operations_in, operations_of, parallel_dimensions
from ...planning.outlining.clusters import JOINS


@dataclass(frozen=True)
class JoinFollowers(Pass):
    """Let reductions and products share a kernel with the op that alone asks for what they make."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.body.operations:
            for op in operations_of(function.operation):
                if JOINS not in op.attributes and _sums(op) and _has_follower(op):
                    op.attributes[JOINS] = ir.UnitAttr.get()
                    statistics["ops joined"] += 1


def _sums(op: Operation) -> bool:
    if op.name in ("linalg.contract", "linalg.matmul", "linalg.batch_matmul"):
        return True
    return op.name == "linalg.generic" and not all(parallel_dimensions(op))


def _has_follower(op: Operation) -> bool:
    """Whether one op of the block uses all results, each at its own place alone, to make numbers there."""
    users = {use.owner.operation for result in op.results for use in result.uses}
    follower = users.pop() if len(users) == 1 else None
    if follower is None or follower.name != "linalg.generic" or follower.block != op.block:
        return False
    rank = ir.RankedTensorType(op.results[0].type).rank
    identity = ir.AffineMap.get_identity(rank)
    maps = indexing_maps(follower)
    if not all(parallel_dimensions(follower)) or maps[-1].n_dims != rank:
        return False
    if rank == 0 and any(_may_be_of_host(use.owner.operation) for r in follower.results for use in r.uses):
        return False
    inputs = len(maps) - len(follower.results)
    in_place = [
        indexing == identity
        for number, (value, indexing) in enumerate(zip(follower.operands, maps, strict=True))
        if value in op.results or number >= inputs
    ]
    return all(in_place) and all(
        _is_arithmetic(inner) for inner in operations_in(follower.regions[0].blocks[0])
    )


def _may_be_of_host(user: Operation) -> bool:
    """Whether what uses a number may be the host's, or what a loop goes on by, which is arithmetic of its own."""
    if user.name == "linalg.generic":
        return not len(user.attributes["iterator_types"])
    return user.name != "func.return" and not user.name.startswith("linalg.")


def _is_arithmetic(op: Operation) -> bool:
    """Whether an op of a body computes with numbers alone."""
    return not op.name.startswith(("tensor.", "memref.", "weft.", "func.")) and not len(op.regions)
