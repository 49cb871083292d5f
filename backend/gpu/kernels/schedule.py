"""What becomes of a kernel function: its operations in order, each as the launch of a device kernel.

What is chosen for each operation, and why, is the attribute `weft.schedule` of its device kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ....dialect.mlir import Operation, ir
from ....passes.rewriting import operations_in, operations_of
from ...nests.nest import loop_nest
from ...planning.names import EXIT
from ...schedules.schedule import choose
from ..code.captures import NotScheduled, captures, is_pure
from ..schedules.approximations import mark_approximations
from ..schedules.attention import HalfAttention, TiledAttention
from ..schedules.columns import Columns
from ..schedules.compactions import Compactions
from ..schedules.computed_tiles import ComputedTiles
from ..schedules.device_schedule import DeviceSchedule, Run
from ..schedules.double_products import DoubleProducts, ShortProducts
from ..schedules.iterations import Iterations
from ..schedules.one_block import OneBlock
from ..schedules.one_thread import OneThread, Searches
from ..schedules.points import Points, Sums
from ..schedules.products import Products
from ..schedules.recurrences import Recurrences
from ..schedules.rows import Rows
from ..schedules.scans import Scans
from ..schedules.scatters import Scatters
from ..schedules.squares import Squares
from ..schedules.steps import steps_of
from ..schedules.tensor_cores import ByteProducts, TensorProducts
from ..schedules.warpgroups import ByteWarpgroups, Warpgroups
from ..schedules.whole import Whole

LOOPS: tuple[type[DeviceSchedule], ...] = (Compactions, Scans, Recurrences, Iterations, Scatters)
"""Those of loops that threads share."""

SCHEDULES: tuple[type[DeviceSchedule], ...] = (
    *LOOPS,
    OneBlock,
    OneThread,
    HalfAttention,
    TiledAttention,
    ComputedTiles,
    Warpgroups,
    ByteWarpgroups,
    TensorProducts,
    ByteProducts,
    DoubleProducts,
    ShortProducts,
    Products,
    Rows,
    Whole,
    Columns,
    Searches,
    Sums,
    Squares,
    Points,
)
"""All ways of writing kernels; of some that take as long, the first that matches is taken."""


def schedules_of(function: Operation) -> list[tuple[DeviceSchedule, Operation]]:
    """The schedules that write a kernel function, in order, and where; raises `NotScheduled` where it cannot be."""
    block = function.regions[0].blocks[0]
    if operations_in(block)[-1].operands:
        raise NotScheduled("it returns numbers")
    calls = [op.attributes["callee"].value for op in operations_of(function) if op.name == "func.call"]
    if any(callee != EXIT for callee in calls):
        raise NotScheduled("it calls a function")
    found: list[tuple[DeviceSchedule, Operation]] = []
    for run in _joined(function, _runs(working_operations(function))):
        # Not where an operation is: fills are done where they are asked for, not where they are.
        place = run[-1]
        with ir.InsertionPoint(run[0]), run[0].location:  # of the sizes that are asked for
            found += [(schedule, place) for schedule in _schedules_of_run(function, run)]
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


def _joined(function: Operation, runs: Iterable[list[Operation]]) -> list[list[Operation]]:
    """The runs, those of one thread that follow each other as one: what a thread stores, it may load again."""
    found: list[list[Operation]] = []
    for run in runs:
        if found and all(_are_numbers(part) or _is_serial(function, part) for part in (found[-1], run)):
            found[-1] += run
        else:
            found.append(run)
    return found


def _is_serial(function: Operation, run: list[Operation]) -> bool:
    """Whether operations are no nests, and nothing that a schedule of loops takes."""
    if all(op.name == "linalg.generic" for op in run):
        return len(run) > 1 and _are_numbers(run)
    return all(kind.match(Run(function, run)) is None for kind in LOOPS)


def _are_numbers(run: list[Operation]) -> bool:
    """Whether all operations are nests without loops."""
    return all(op.name == "linalg.generic" and not len(op.attributes["iterator_types"]) for op in run)


def _can_start(ops: list[Operation]) -> bool:
    try:
        captures(ops)
    except NotScheduled:
        return False
    return True


def _schedules_of_run(function: Operation, run: list[Operation]) -> Iterator[DeviceSchedule]:
    """How a run is spread over threads."""
    is_serial = _is_serial(function, run)
    if is_serial or not all(op.name == "linalg.generic" for op in run):
        schedule = choose(SCHEDULES, Run(function, run, is_serial=is_serial))
        schedule.require()
        yield schedule
        return
    steps = steps_of([loop_nest(op) for op in run])
    mark_approximations(steps)
    while steps:
        schedule = choose(SCHEDULES, Run(function, [], steps))
        yield schedule
        steps = steps[schedule.taken :]
