"""What becomes of a kernel function: its operations in order, each as the launch of a device kernel.

What is chosen for each operation, and why, is the attribute `weft.schedule` of its device kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ....dialect.mlir import Operation, ir
from ....dialect.records import dataclass
from ....passes.rewriting import operations_in, operations_of
from ...nests.contraction import match_contraction
from ...nests.nest import loop_nest
from ...planning.names import EXIT
from ...target import gpu_figures
from ..code.captures import NotScheduled, captures, is_pure
from ..code.reduce import Reduction
from ..placement.effort import is_better_on_host, known_bytes, steps_of_one_thread
from ..schedules import (
    attention,
    attention_parts,
    columns,
    compactions,
    double_products,
    iterations,
    one_block,
    one_thread,
    points,
    products,
    rows,
    scans,
    scatters,
    squares,
    tensor_cores,
    warpgroups,
    whole,
)
from ..schedules.attention_tensor_cores import HalfRows
from ..schedules.attention_tensor_cores import takes as takes_halves
from ..schedules.attention_tiles import TiledRows
from ..schedules.followers import with_follower
from ..schedules.steps import Step, steps_of


@dataclass
class Part:
    """Operations of a kernel function that become one launch, or several behind each other."""

    operation: Operation
    """The last of them, whose location the launches have."""
    write: Callable[[str], None]
    """Writes the device kernels, named after the part, and their launches."""
    place: Operation | None = None
    """Where the launches go: right before the end of what follows each other without anything else between."""


def parts_of(function: Operation) -> list[Part]:
    """The parts that a kernel function is cut into, in order; raises `NotScheduled` where it cannot be."""
    block = function.regions[0].blocks[0]
    if operations_in(block)[-1].operands:
        raise NotScheduled("it returns numbers")
    calls = [op.attributes["callee"].value for op in operations_of(function) if op.name == "func.call"]
    if any(callee != EXIT for callee in calls):
        raise NotScheduled("it calls a function")
    found: list[Part] = []
    for run in _joined(_runs(working_operations(function))):
        with ir.InsertionPoint(run[0]), run[0].location:  # of the sizes that are asked for
            parts = _parts_of_run(function, run)
        for part in parts:
            part.place = run[
                -1
            ]  # not what is its last: fills are done where they are asked for, not where they are
        found += parts
    return found


def working_operations(function: Operation) -> list[Operation]:
    """The operations of a kernel function that do more than to compute sizes and views."""
    *ops, _ = operations_in(function.regions[0].blocks[0])
    return [op for op in ops if not is_pure(op) and op.name not in ("memref.alloc", "memref.dealloc")]


def _runs(ops: Sequence[Operation]) -> Iterator[list[Operation]]:
    """Nests that follow each other; and other operations, with those that use the numbers that they make."""
    groups: list[list[Operation]] = []
    for op in ops:
        groups.append([op])
        while len(groups) > 1 and not _can_start(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    nests: list[Operation] = []
    for group in groups:
        if group[0].name == "memref.load" and len(group) == 1:
            continue  # made again where it is used
        if len(group) == 1 and group[0].name == "linalg.generic":
            nests += group
            continue
        if nests:
            yield nests
            nests = []
        yield group
    if nests:
        yield nests


def _joined(runs: Iterable[list[Operation]]) -> list[list[Operation]]:
    """The runs, those of one thread that follow each other as one: what a thread stores, it may load again."""
    found: list[list[Operation]] = []
    for run in runs:
        if found and all(_are_numbers(part) or _is_of_one_thread(part) for part in (found[-1], run)):
            found[-1] += run
        else:
            found.append(run)
    return found


_LOOPS = (
    (scans, "scans: each element needs the one before"),
    (iterations, "iterations: none needs another"),
    (scatters, "scatters: a thread an iteration"),
)
"""The schedules of loops, the first of which that matches is taken, and why."""


def _is_of_one_thread(run: list[Operation]) -> bool:
    if all(op.name == "linalg.generic" for op in run):
        return len(run) > 1 and _are_numbers(run)
    return not compactions.matches(run) and _kind_of_loop(run) is None


def _are_numbers(run: list[Operation]) -> bool:
    """Whether all operations are nests without loops."""
    return all(op.name == "linalg.generic" and not len(op.attributes["iterator_types"]) for op in run)


def _kind_of_loop(run: list[Operation]) -> tuple[Any, str] | None:
    """The schedule of a loop that threads share, and the reason."""
    if len(run) != 1:
        return None
    return next(((kind, why) for kind, why in _LOOPS if kind.matches(run[0])), None)


def _can_start(ops: list[Operation]) -> bool:
    try:
        captures(ops)
    except NotScheduled:
        return False
    return True


def _parts_of_run(function: Operation, run: list[Operation]) -> list[Part]:
    """How a run is spread over threads."""
    if _is_of_one_thread(run):
        if one_block.matches(run):
            _check_host(function, one_block.steps_of(run), _steps_of_one_thread(run))
            why = "one block: an iteration needs the last one, and threads share what is in it"
            return [Part(run[-1], lambda name: one_block.write(function, name, run, why))]
        names = " and ".join(sorted({op.name for op in run if op.name != "memref.load"}))
        reason = f"one thread: {names} is one step after the other"
        count = _steps_of_one_thread(run)
        if count is None and any(op.name == "func.call" for op in operations_of(function)):
            raise NotScheduled("it may raise in a loop of unknown length, which one thread may take long for")
        _check_host(function, count, count)
        return [Part(run[-1], lambda name: one_thread.write(function, name, run, reason, steps=count))]
    if compactions.matches(run):
        why = "compactions: what is kept lies behind what was kept before"
        return [Part(run[-1], lambda name: compactions.write(function, name, run, why))]
    loop = _kind_of_loop(run)
    if loop is not None:
        kind, why = loop
        return [Part(run[0], lambda name: kind.write(function, name, run[0], why))]
    steps, found = steps_of([loop_nest(op) for op in run]), []
    while steps:
        joined = _part_of_attention(function, steps)
        if joined is not None:
            part, count = joined
            found.append(part)
            steps = steps[count:]
            continue
        if products.is_small(steps[0]):
            small = "points: a thread for each sum of small products"
            found.append(_part(function, steps[0], points.write, small))
            steps = steps[1:]
            continue
        if products.matches(steps[0]):
            count = 2 if len(steps) > 1 and products.takes(steps[0], steps[1]) else 1
            found.append(_part_of_product(function, steps[:count]))
            steps = steps[count:]
            continue
        count = _shared_rows(function, steps)
        if count:
            found.append(_part_of_rows(function, steps[:count]))
        else:
            part, count = _part_of_step(function, steps)
            found.append(part)
        steps = steps[count:]
    return found


def _steps_of_one_thread(run: list[Operation]) -> int | None:
    """How many operations one thread does, if that is known."""
    counts = [steps_of_one_thread(op) for op in run]
    known = [count for count in counts if count is not None]
    return len(run) + sum(known) if len(known) == len(run) else None


def _check_host(function: Operation, steps: int | None, work: int | None) -> None:
    """Raise `NotScheduled` where the host is sooner done with the work than the device with so many steps of it."""
    if steps is None or work is None:
        return
    arrays = [a.type for a in function.regions[0].blocks[0].arguments if isinstance(a.type, ir.MemRefType)]
    if is_better_on_host(steps, work, sum(map(known_bytes, arrays))):
        raise NotScheduled(
            f"the device would take some {steps * gpu_figures().step * 1e3:.0f} ms, step by step"
        )


def _shared_rows(function: Operation, steps: list[Step]) -> int:
    """How many of the first steps share rows that threads can keep; 0 if none do."""
    for count in range(len(steps), 0, -1):
        if rows.matches(steps[:count], function):
            return count
    return 0


def _part_of_attention(function: Operation, steps: list[Step]) -> tuple[Part, int] | None:
    """The first steps as attention, if they are, and how many they are."""
    found = attention_parts.find(steps)
    if found is None:
        return None
    kinds = (
        (HalfRows, "attention: scores stay with their threads, and tensor cores multiply"),
        (TiledRows, "attention: scores stay with their threads"),
    )
    parts, count = attention_parts.Parts.of(found[0]), found[1]
    assert parts is not None
    # Products of halves alone are faster by tensor cores than attention without.
    possible = kinds[:1] if takes_halves(parts) else kinds
    kind, why = next(((kind, why) for kind, why in possible if kind.tile(parts) is not None), (None, ""))
    if kind is None:
        return None
    if len(steps) > count and products.takes(steps[count - 1], steps[count]):
        count += 1
    own = steps[:count]
    return Part(own[-1].nest.operation, lambda name: attention.write(function, name, own, kind, why)), count


def _part_of_product(function: Operation, steps: list[Step]) -> Part:
    last = steps[-1].nest.operation
    contraction = match_contraction(steps[0].nest, None)
    if warpgroups.takes(contraction):
        why = "warpgroups: halves are added up in f32"
        return Part(last, lambda name: warpgroups.write(function, name, steps, why))
    if tensor_cores.takes(contraction):
        kind, reason = tensor_cores.TensorProduct, "tensor cores: halves are added up in f32"
        return Part(last, lambda name: products.write(function, name, steps, reason, kind))
    if double_products.takes(contraction):
        doubles = double_products.DoubleProduct, "tensor cores: f64"
        return Part(last, lambda name: products.write(function, name, steps, doubles[1], doubles[0]))
    return Part(last, lambda name: products.write(function, name, steps, "products: tiles in shared memory"))


def _part_of_rows(function: Operation, steps: list[Step]) -> Part:
    last = steps[-1].nest.operation
    return Part(
        last, lambda name: rows.write(function, name, steps, "rows: what is asked for lies in one row")
    )


def _part_of_step(function: Operation, steps: list[Step]) -> tuple[Part, int]:
    """The first step as a part, with what is computed where it has numbers; and how many steps these are."""
    kind = _kind_of_reduction(function, steps[0])
    if kind is None:
        return _part_of_one(function, steps[0]), 1
    (write, why), own = kind, with_follower(steps)
    return Part(own[-1].nest.operation, lambda name: write(function, name, own, why)), len(own)


def _kind_of_reduction(
    function: Operation, step: Step
) -> tuple[Callable[[Operation, str, Sequence[Step], str], None], str] | None:
    """The schedule of a reduction that takes what follows, and the reason."""
    nest = step.nest
    if nest.parallel and not any(nest.parallel) and Reduction.of(nest) is not None:
        return whole.write, "whole: all elements make one number"
    if not all(nest.parallel) and any(nest.parallel) and columns.matches(step, function):
        return columns.write, "columns: neighbours are added to neighbours"
    return None


def _part_of_one(function: Operation, step: Step) -> Part:
    nest = step.nest
    if not any(nest.parallel) and nest.parallel:
        ops = [nest.operation]
        reason = "one thread: what is searched for takes one element after the other"
        return Part(nest.operation, lambda name: one_thread.write(function, name, ops, reason, step))
    if not all(nest.parallel):
        return _part(function, step, points.write, "points: a thread for each sum")
    if squares.matches(step, function):
        return _part(
            function, step, squares.write, "squares: rows are read that lie across those of the result"
        )
    return _part(function, step, points.write, "points: no point needs another")


def _part(
    function: Operation, step: Step, write: Callable[[Operation, str, Step, str], None], reason: str
) -> Part:
    return Part(step.nest.operation, lambda name: write(function, name, step, reason))


__all__ = ["Part", "parts_of", "working_operations"]
