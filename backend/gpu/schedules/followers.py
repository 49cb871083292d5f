"""What follows a reduction, computed where the kernel has its numbers: rounding, a mean, a square root.

linalg.generic ins(%x) outs(%sum) { addf }               one launch, and %sum is no memory
linalg.generic ins(%sum) outs(%mean) { divf, truncf }
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Value
from ...nests.emit import Index, create
from ...nests.nest import LoopNest, loop_nest
from ..code.kernel import Kernel
from ..code.points import asks_for_outputs, read, write_body
from ..code.points import write as store_point
from ..code.reduce import Reduction
from ..code.walk import split
from .products import takes
from .steps import Step


def with_follower(steps: Sequence[Step]) -> list[Step]:
    """The first step, a reduction, and the one that is computed with it, if the next one may be."""
    nest = steps[0].nest
    if len(steps) == 1 or not all(takes(steps[0], steps[1], number) for number in range(len(nest.outputs))):
        return list(steps[:1])
    order = [dim for dim, parallel in enumerate(nest.parallel) if parallel]
    is_plain = all(
        [str(expression) for expression in access.expressions] == [f"d{dim}" for dim in order]
        for access in nest.outputs
    )
    return list(steps[:2]) if is_plain else list(steps[:1])


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
    asked = [True] * len(nest.inputs) + asks_for_outputs(nest)
    operands = []
    for access, is_asked in zip(nest.accesses, asked, strict=True):
        if not is_asked:
            operands.append(create("ub.poison", [access.memref.type.element_type], []))
        else:
            value = None if access.is_scalar else known.get(access.memref)
            operands.append(read(access, position, emitter) if value is None else value)
    for value, access in zip(write_body(nest, position, operands, emitter), nest.outputs, strict=True):
        store_point(value, access, position, emitter)
    copy.erase()


__all__ = ["finish", "not_asked_for", "with_follower"]
