"""A schedule of device kernels, what it is asked to write, and how long that takes."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from functools import cached_property

from ....dialect.mlir import Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.rewriting import operations_in, operations_of
from ...nests.contraction import Contraction, match_contraction
from ...nests.independence import roots
from ...nests.nest import LoopNest
from ...schedules.schedule import Schedule
from ...target import current_gpu
from ..code.captures import is_parameter, writes_of
from ..code.reduce import Reduction
from ..placement.effort import steps_of_one_thread
from ..rewrites.attention import Attention
from .attention_parts import find
from .steps import Step

_UNKNOWN = 1024
"""What an extent counts for that is not known."""
_SMALL = 64
"""Elements of a result, and terms of a sum, that a thread each adds up without others."""


@dataclass
class Run:
    """What is left of operations of a kernel function that follow each other."""

    function: Operation
    ops: list[Operation]
    steps: Sequence[Step] = ()
    """The nests that they are, if they are nests with points for threads."""
    is_serial: bool = False
    """Whether they are what no schedule of loops takes."""

    @property
    def operation(self) -> Operation:
        return self.steps[0].nest.operation if self.steps else self.ops[0]

    @property
    def is_loop(self) -> bool:
        """Whether it is one operation whose iterations threads may share."""
        return len(self.ops) == 1 and not self.is_serial

    @property
    def nest(self) -> LoopNest | None:
        """The first nest."""
        return self.steps[0].nest if self.steps else None

    @cached_property
    def contraction(self) -> Contraction | None:
        """The first nest as a contraction."""
        return match_contraction(self.steps[0].nest, None) if self.steps else None

    @cached_property
    def reduction(self) -> Reduction | None:
        """What the first nest combines."""
        return Reduction.of(self.steps[0].nest) if self.steps else None

    @cached_property
    def is_small_product(self) -> bool:
        """Whether the first nest has products of small matrices: most threads of a block would have nothing to do."""
        found = self.contraction
        if found is None or found.row is None or len(found.nest.outputs) != 1:
            return False
        extents = [found.extent(found.row), found.columns, *map(found.extent, found.summed)]
        known = [extent for extent in extents if isinstance(extent, int)]
        is_small = math.prod(known[:2]) <= _SMALL and math.prod(known[2:]) <= _SMALL
        return len(known) == len(extents) and is_small

    @cached_property
    def attention(self) -> tuple[Attention, int] | None:
        """The attention that the first nests are, and how many they are."""
        return find(self.steps) if self.steps else None

    def seconds_of(self, first: int, last: int) -> float:
        return sum(seconds(work_of(step.nest), points(step.nest)) for step in self.steps[first:last])


def seconds(work: float, threads: float) -> float:
    """How long so many threads take for so many operations, if they have the device."""
    gpu = current_gpu()
    resident = gpu.multiprocessors * 2 * gpu.max_threads
    return work * gpu.figures.step / max(1, min(threads, resident))


def points(nest: LoopNest) -> int:
    """How many points of a nest are independent."""
    return size_of(e for e, parallel in zip(nest.extents, nest.parallel, strict=True) if parallel)


def work_of(nest: LoopNest) -> int:
    """How many operations a nest is, with loads and stores."""
    return size_of(nest.extents) * (len(operations_in(nest.body)) + len(nest.accesses))


def size_of(extents: Iterable[object]) -> int:
    """The product of extents."""
    return math.prod(extent if isinstance(extent, int) else _UNKNOWN for extent in extents)


class DeviceSchedule(Schedule[Run, str]):
    """What writes one launch, or several behind each other; it is given the name of the kernels.

    What barriers, further launches and threads without work cost is not weighed.
    """

    @property
    def function(self) -> Operation:
        """The kernel function."""
        return self.run.function

    @property
    def steps(self) -> Sequence[Step]:
        """The nests that are taken."""
        return self.run.steps[: self.taken]

    @property
    def ops(self) -> list[Operation]:
        """The operations that are taken."""
        return [step.nest.operation for step in self.steps] or self.run.ops

    @property
    def title(self) -> str:
        """What is said of it on its kernels."""
        return f"{self.name.replace('-', ' ')}: {self.reason}"

    def require(self) -> None:
        """Raise `NotScheduled` where the host is sooner done with it."""

    def threads(self) -> float:
        """How many threads share the work."""
        return points(self.steps[0].nest) if self.steps else math.inf

    def work(self) -> float:
        """How many operations it does, with loads and stores; infinitely many where data tells."""
        if self.steps:
            return sum(work_of(step.nest) for step in self.steps)
        counts = [steps_of_one_thread(op) for op in self.ops]
        return sum(math.inf if count is None else 1 + count for count in counts)

    def seconds(self) -> float:
        return seconds(self.work(), self.threads())

    def outputs(self) -> Iterable[Value]:
        if self.run.steps:
            some = [step for step in self.steps if 0 not in step.nest.extents]
            found = [(step, access.memref) for step in some for access in step.nest.outputs]
            asked = [memref for step, memref in found if not step.alone_touch(self.steps, memref)]
            return dict.fromkeys(root for memref in asked for root in roots(memref))
        inner = {op for outer in self.ops for op in (outer, *operations_of(outer))}
        written = dict.fromkeys(root for op in inner for memref in writes_of(op) for root in roots(memref))
        return [memref for memref in written if is_parameter(memref) and not _is_of(memref, inner)]


def _is_of(memref: Value, ops: Container[Operation]) -> bool:
    """Whether memory is allocated for some operations alone."""
    users = [use.owner.operation for use in memref.uses]
    return not isinstance(memref.owner, ir.Block) and all(
        user in ops or user.name == "memref.dealloc" for user in users
    )


def stores_number(op: Operation) -> bool:
    """Whether an operation stores a number in memory of rank 0."""
    if op.name == "memref.store":
        return True
    return (
        op.name == "linalg.generic"
        and not list(op.attributes["iterator_types"])
        and len(operations_in(op.regions[0].blocks[0])) == 1
    )
