"""Which exponentials and divisions may be quicker than exact: those of which nobody sees more than sums.

Where nothing is summed, results have the bits of the processor. Sums are added in another order there, so what is
summed, and what is made of sums, need not: an exponential is good to 2 ulp then, and a division by a number of a row is
a multiplication by what two floats hold of its reciprocal.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Value, ir
from ....passes.rewriting import operations_in
from ...nests.nest import LoopNest
from ..code.points import asks_for_outputs
from ..code.reduce import Reduction
from ..rewrites.approximations import mark_approximate
from .steps import Step

_SUMS = ("arith.addf", "arith.mulf", "complex.add", "complex.mul")


def mark_approximations(steps: Sequence[Step]) -> None:
    """Mark the exponentials and divisions of a run that may be approximated."""
    sums = [_is_sum(step.nest) for step in steps]
    readers: list[list[int]] = [[] for _ in steps]
    of_sums = [False] * len(steps)
    writers: dict[Value, int] = {}
    for number, step in enumerate(steps):
        nest = step.nest
        asked = [True] * len(nest.inputs) + asks_for_outputs(nest)
        for access, is_asked in zip(nest.accesses, asked, strict=True):
            writer = writers.get(access.memref) if is_asked and not access.is_scalar else None
            if writer is not None:
                readers[writer].append(number)
                of_sums[number] |= sums[writer] or of_sums[writer]
        writers.update((access.memref, number) for access in nest.outputs)
    free = list(of_sums)
    for number in reversed(range(len(steps))):
        step = steps[number]
        if all(sums[reader] or free[reader] for reader in readers[number]):
            free[number] |= all(step.alone_touch(steps, access.memref) for access in step.nest.outputs)
    for step, is_free, is_sum in zip(steps, free, sums, strict=True):
        if is_free or is_sum:
            _mark(step.nest)


def _is_sum(nest: LoopNest) -> bool:
    """Whether all that a nest makes are sums or products of floats."""
    reduction = Reduction.of(nest)
    return reduction is not None and all(op.name in _SUMS for op in reduction.found)


def _mark(nest: LoopNest) -> None:
    """Mark exponentials, and divisions by what neighbours have in common."""
    along = nest.innermost()
    accesses = zip(nest.body.arguments, nest.accesses, strict=True)
    own = {arg for arg, access in accesses if along is not None and access.mentions(along)}
    for op in operations_in(nest.body)[:-1]:
        is_index = op.name == "linalg.index" and op.attributes["dim"].value == along
        if is_index or any(operand in own for operand in op.operands):
            own.update(op.results)
        if op.name in ("math.exp", "math.exp2") or _is_division(op, own):
            mark_approximate(op)


def _is_division(op: Operation, own: set[Value]) -> bool:
    """Whether an operation divides what each point has by what all in a row have, in a type that devices compute in."""
    if op.name != "arith.divf" or not isinstance(op.results[0].type, (ir.F32Type, ir.F64Type)):
        return False
    dividend, divisor = op.operands
    return dividend in own and divisor not in own
