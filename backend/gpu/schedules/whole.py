"""Reductions of all that there is to a number: every thread combines its share, blocks combine those of their threads.

Short ones are one block's. Of others each block stores what it has, and one more block combines these numbers in their
order, so that the result depends on the length alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Value
from ....passes.rewriting import operations_in
from ...nests.collapse import collapse_dims
from ...nests.emit import Emitter, Index, load, store
from ...nests.nest import LoopNest, loop_nest
from ...target import current_gpu
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel, allocate
from ..code.reduce import BlockReduction, Reduction
from ..code.vectors import is_aligned, is_vector, lanes_of, load_lanes
from ..code.walk import neighbours, split, stepped
from .device_schedule import DeviceSchedule, Run
from .followers import count_with_follower, finish, not_asked_for
from .steps import Step

THREADS = 256
_BLOCKS = 4
"""For each multiprocessor."""
_SHORT = 1 << 13
"""So many elements are one block's."""
_EACH = 16
"""Elements that a thread has at least, where there are several blocks."""
_AHEAD = 4
"""So many vectors a thread loads before it adds the first of them."""
_LITTLE = 32
"""Operations for an element, up to which it does so: of more, the others hide how long a load takes."""


class Whole(DeviceSchedule):
    """Reductions of everything: blocks leave their shares, which are combined in order."""

    reason = "all elements make one number"

    @classmethod
    def match(cls, run: Run) -> Whole | None:
        nest = run.nest
        if nest is None or not nest.parallel or any(nest.parallel) or run.reduction is None:
            return None
        return cls(run, count_with_follower(run.steps))

    def threads(self) -> float:
        return THREADS

    def write(self, name: str) -> None:
        step = self.steps[0]
        generic = step.nest.operation
        emitter = Emitter(self.function)
        total = emitter.product(step.nest.extents)
        if isinstance(total, int) and total <= _SHORT:
            _one_block(self.function, name, self.steps, self.title)
            return
        gpu = current_gpu()
        most = gpu.multiprocessors * _BLOCKS
        share = THREADS * _EACH
        blocks = emitter.maximum(1, emitter.minimum(emitter.divide_up(total, share), most))
        reduction = Reduction.known(step.nest)
        partial = [allocate([most], type) for type in reduction.types]
        results = [access.memref for access in step.nest.outputs]
        kernel = Kernel(self.function, f"{name}_parts", [generic], (THREADS, 1, 1), partial, results)
        with kernel.body():
            values = _share(kernel, generic)
            with only_if(compare("eq", kernel.id("thread_id"), kernel.emitter.value(0))):
                for value, memory in zip(values, partial, strict=True):
                    store(value, kernel.value(memory), [kernel.id("block_id")])
        kernel.launch([blocks], f"{self.title}: the shares of blocks")
        several = [] if isinstance(blocks, int) else [blocks]
        last = _kernel(self.function, name, self.steps, [*partial, *several])
        with last.body():
            _combine(last, self.steps, partial, blocks if isinstance(blocks, int) else last.value(blocks))
        last.launch([1], f"{self.title}: what blocks have, in their order")


def _kernel(function: Operation, name: str, steps: Sequence[Step], values: Sequence[Value]) -> Kernel:
    """The kernel that has the numbers in the end."""
    ops = [step.nest.operation for step in steps]
    return Kernel(function, name, ops, (THREADS, 1, 1), [*values, *steps[0].starts], not_asked_for(steps))


def _one_block(function: Operation, name: str, steps: Sequence[Step], reason: str) -> None:
    kernel = _kernel(function, name, steps, [])
    with kernel.body():
        _finish(kernel, steps, _share(kernel, steps[0].nest.operation))
    kernel.launch([1], f"{reason}: one block")


def _share(kernel: Kernel, generic: Operation) -> list[Value]:
    """What the threads of a block make of their share of all elements, combined."""
    emitter = kernel.emitter
    copy = kernel.clone(generic)
    nest = loop_nest(copy)
    collapse_dims([nest], emitter)
    reduction = Reduction.known(nest)
    values = BlockReduction(kernel, THREADS).reduce(reduction, _own(kernel, nest, reduction))
    copy.erase()
    return values


def _own(kernel: Kernel, nest: LoopNest, reduction: Reduction) -> list[Value]:
    """What a thread makes of its share: of vectors, where they are aligned, and of what is left over."""
    emitter = kernel.emitter
    last = len(nest.parallel) - 1
    lanes = lanes_of(nest.inputs, last)
    extent = nest.extents[last]
    is_row = len(nest.parallel) == 1
    if isinstance(extent, int) and (extent < lanes or (extent % lanes and not is_row)):
        lanes = 1
    neutral = reduction.neutral(emitter)
    if lanes == 1:
        return _loop(kernel, nest, reduction, 1, neutral, 0)
    memrefs = [access.memref for access in nest.inputs if is_vector(access, last)]
    aligned = is_aligned(memrefs, lanes, [] if is_row else [extent], emitter)
    assert aligned is not None
    with only_if(aligned, reduction.types) as branch:
        ahead = _AHEAD if len(operations_in(nest.body)) <= _LITTLE else 1
        values = _loop(kernel, nest, reduction, lanes, neutral, 0, ahead)
        if is_row and not (isinstance(extent, int) and extent % lanes == 0):
            whole = emitter.multiply(emitter.divide(extent, lanes), lanes)
            values = _loop(kernel, nest, reduction, 1, values, whole)
        branch.give(values)
    with otherwise(branch):
        branch.give(_loop(kernel, nest, reduction, 1, neutral, 0))
    return branch.results


def _loop(
    kernel: Kernel,
    nest: LoopNest,
    reduction: Reduction,
    lanes: int,
    carried: list[Value],
    start: Index,
    ahead: int = 1,
) -> list[Value]:
    """What a thread makes of every so-manieth vector, in their order; `ahead` of them are loaded at once."""
    emitter, last = kernel.emitter, len(nest.parallel) - 1
    extents = list(nest.extents)
    if lanes > 1:
        extents[-1] = emitter.divide(extents[-1], lanes)
    total = emitter.product(extents)
    first = emitter.value(emitter.add(kernel.number(), start))
    step = emitter.multiply(kernel.id("grid_dim"), THREADS)

    def add(numbers: Sequence[Index], so_far: list[Value]) -> list[Value]:
        loaded = []
        for number in numbers:
            dims = range(len(nest.parallel))
            points = neighbours(nest, dims, split(number, extents, emitter), lanes, emitter)
            operands = [load_lanes(access, points, last, emitter) for access in nest.inputs]
            loaded.append((points, [[values[lane] for values in operands] for lane in range(lanes)]))
        for points, each in loaded:
            so_far = reduction.add_points(so_far, points, each, emitter)
        return so_far

    if ahead > 1:

        def several(number: Index, so_far: list[Value]) -> list[Value]:
            numbers = [emitter.add(number, emitter.multiply(step, turn)) for turn in range(ahead)]
            behind = emitter.value(emitter.add(number, emitter.multiply(step, ahead)))
            return [*add(numbers, so_far[:-1]), behind]

        end = emitter.subtract(total, emitter.multiply(step, ahead - 1))
        *carried, first = stepped(
            first, end, emitter.multiply(step, ahead), [*carried, first], emitter, several
        )
    return stepped(first, total, step, carried, emitter, lambda number, so_far: add([number], so_far))


def _combine(kernel: Kernel, steps: Sequence[Step], partial: list[Value], blocks: Index) -> None:
    """Combine what blocks have stored."""
    emitter = kernel.emitter
    copy = kernel.clone(steps[0].nest.operation)
    reduction = Reduction.known(loop_nest(copy))
    memory = [kernel.value(value) for value in partial]

    def body(number: Index, so_far: list[Value]) -> list[Value]:
        return reduction.join(so_far, [load(place, [emitter.value(number)]) for place in memory])

    own = stepped(kernel.id("thread_id"), blocks, THREADS, reduction.neutral(emitter), emitter, body)
    values = BlockReduction(kernel, THREADS).reduce(reduction, own)
    _finish(kernel, steps, values)
    copy.erase()


def _finish(kernel: Kernel, steps: Sequence[Step], values: list[Value]) -> None:
    """Store what all threads have made, and what there was before."""
    emitter = kernel.emitter
    with only_if(compare("eq", kernel.id("thread_id"), emitter.value(0))):
        copy = kernel.clone(steps[0].nest.operation)
        nest = loop_nest(copy)
        reduction = Reduction.known(nest)
        finish(kernel, steps, nest, reduction, values, [0] * len(nest.parallel))
        copy.erase()
