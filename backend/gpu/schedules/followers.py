"""What follows a reduction, computed where the kernel has its numbers: rounding, a mean, a square root.

linalg.generic ins(%x) outs(%sum) { addf }               one launch, and %sum is no memory
linalg.generic ins(%sum) outs(%mean) { divf, truncf }
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Value, ir
from ...nests.emit import Index
from ...nests.independence import base
from ...nests.nest import Access, LoopNest, loop_nest
from ..code.kernel import Kernel
from ..code.points import read, write_all, write_lanes
from ..code.points import write as store_point
from ..code.reduce import Reduction
from ..code.walk import split
from .steps import Step


def may_follow(step: Step, following: Step, output: int = 0) -> bool:
    """Whether a nest that follows a product, or a sum, may be computed with it, as far as one output goes."""
    result, nest = step.nest.outputs[output], following.nest
    if following.number is not None or not all(nest.parallel):
        return False
    if len(nest.parallel) != len(result.expressions) or _reads_by_itself(nest):
        return False
    identity = [ir.AffineExpr.get_dim(dim) for dim in range(len(nest.parallel))]
    if any(list(access.expressions) != identity for access in nest.outputs):
        return False
    same = [a for a in nest.inputs if not a.is_scalar and base(a.memref) == base(result.memref)]
    if not all(a.memref == result.memref and list(a.expressions) == identity for a in same):
        return False
    factors = [base(a.memref) for a in step.nest.inputs]
    return bool(same) and all(base(access.memref) not in factors for access in nest.outputs)


def _reads_by_itself(nest: LoopNest) -> bool:
    return any(isinstance(v.type, ir.MemRefType) for op in nest.body.operations for v in op.operands)


def count_with_follower(steps: Sequence[Step]) -> int:
    """2 where the step behind the first one, a reduction, can be computed with it, else 1."""
    nest = steps[0].nest
    if len(steps) == 1 or not all(
        may_follow(steps[0], steps[1], number) for number in range(len(nest.outputs))
    ):
        return 1
    order = [dim for dim, parallel in enumerate(nest.parallel) if parallel]
    is_plain = all(
        [str(expression) for expression in access.expressions] == [f"d{dim}" for dim in order]
        for access in nest.outputs
    )
    return 2 if is_plain else 1


def not_asked_for(steps: Sequence[Step]) -> list[Value]:
    """The memory of a reduction's numbers that nobody but its follower reads."""
    first, *others = steps
    replaced = {access.memref for step in others for access in step.nest.outputs}
    return [
        access.memref
        for access in first.nest.outputs
        if others and access.memref not in replaced and first.alone_touch(steps, access.memref)
    ]


def finish(
    kernel: Kernel,
    steps: Sequence[Step],
    nest: LoopNest,
    reduction: Reduction,
    values: Sequence[Value],
    point: list[Index],
) -> None:
    """Combine what a reduction has at a point with what it starts from; store it, and what is made of it."""
    first, *others = steps
    emitter = kernel.emitter
    before = [kernel.value(start) for start in first.starts]
    if not before:
        before = [read(access, point, emitter) for access in nest.outputs]
    joined = reduction.join(before, values)
    known: dict[Value, Value] = {}
    for value, access, outer in zip(joined, nest.outputs, first.nest.outputs, strict=True):
        known[kernel.value(outer.memref)] = value
        if not others or not kernel.is_local(kernel.value(outer.memref)):
            store_point(value, access, point, emitter)
    for step in others:
        _follow(kernel, step, nest, known, point)


def _follow(
    kernel: Kernel, step: Step, reduced: LoopNest, known: dict[Value, Value], point: list[Index]
) -> None:
    emitter = kernel.emitter
    flat: Index = 0
    for dim, parallel in enumerate(reduced.parallel):
        if parallel:
            flat = emitter.add(emitter.multiply(flat, reduced.extents[dim]), point[dim])
    copy = kernel.clone(step.nest.operation)
    nest = loop_nest(copy)
    position = split(flat, list(nest.extents), emitter)

    def operand(access: Access) -> list[Value]:
        value = None if access.is_scalar else known.get(access.memref)
        return [read(access, position, emitter) if value is None else value]

    made = write_lanes(nest, [position], operand, emitter)
    write_all((value for (value,) in made), nest, position, emitter)
    copy.erase()
