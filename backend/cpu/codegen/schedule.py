"""The schedules of processors, and what becomes of a run of loop nests: some are products, with what surrounds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import ClassVar, Generic, Protocol, TypeVar

from ....dialect.mlir import Operation, Value, ir
from ....passes.notes import note
from ...nests.contraction import Contraction, match_contraction
from ...nests.emit import Emitter
from ...nests.nest import LoopNest
from ...schedules.schedule import Schedule, choose
from .contractions.dot_product import (
    DotPlan,
    DotProducts,
    cycles_along_columns,
    cycles_of_dot_products,
    plan_dot_products,
    plan_paying_dot_products,
)
from .contractions.emitter import ContractionEmitter
from .contractions.epilogue import Epilogue, match_epilogue
from .contractions.one_pass import OnePass, Pair, match_pair
from .contractions.plan import Plan, plan, plan_rows, plan_tiles
from .contractions.row_product import RowProduct
from .contractions.streamed_product import StreamedProduct, StreamPlan, plan_streamed_product
from .contractions.symmetric_product import mirrored_result
from .contractions.transposed_product import copy_back, may_transpose, transposed
from .contractions.walk import Task
from .contractions.window_reduction import (
    WindowPlan,
    WindowReduction,
    match_window_reduction,
    plan_window_reduction,
)
from .loops.runs import emit_loops

_CYCLE = 3e-10
"""Seconds. What estimates are made of are cycles, which are compared with each other alone."""


class NestRun:
    """What is left of loop nests that follow each other, and the one before that sets the first result to a scalar."""

    def __init__(self, nests: Sequence[LoopNest], before: Sequence[LoopNest], emitter: Emitter) -> None:
        self.nests, self.emitter = nests, emitter
        self.fill = before[-1] if before and _fills(before[-1], nests[0]) else None

    @property
    def operation(self) -> Operation:
        return self.nests[0].operation

    @cached_property
    def contraction(self) -> Contraction | None:
        """The first nest as a product."""
        return match_contraction(self.nests[0], self.emitter)

    def seconds_of(self, first: int, last: int) -> float:
        """What follows a product takes as long in all ways, as far as estimates go."""
        return 0.0


class NestSchedule(Schedule[NestRun, Emitter]):
    """What writes nests, with the fill before the first one.

    Vectors run along the columns of a result in all but dot products, and take equally long then.
    """

    @property
    def nests(self) -> list[LoopNest]:
        """All that is written."""
        return [*([self.run.fill] if self.run.fill else []), *self.run.nests[: self.taken]]

    def seconds(self) -> float:
        return 0.0 if self.run.contraction is None else _CYCLE * cycles_along_columns(self.run.contraction)

    def outputs(self) -> Iterable[Value]:
        own = {nest.operation for nest in self.nests}
        memory = [access.memref for nest in self.nests if 0 not in nest.extents for access in nest.outputs]
        return [memref for memref in memory if _is_asked_for(memref, own)]

    def note(self, lanes: int) -> None:
        """Say that it was taken."""
        reason = f"is written by the schedule {self.name}: {self.reason}, in vectors of {{}}"
        note("vector", self.run.operation.location, reason, str(lanes))


class Loops(NestSchedule):
    """Loops over vectors of what is contiguous, or over elements, of all that is no product; nests share them."""

    reason = "nests share loops"

    @classmethod
    def match(cls, run: NestRun) -> Loops:
        return cls(run)

    def write(self, out: Emitter) -> None:
        emit_loops(self.nests, out)


class OnePassProducts(NestSchedule):
    """Two products of vectors with one matrix, which is read once. What that saves is not weighed: it is taken where
    it matches.
    """

    name = "one-pass"
    reason = "two products read the same matrix"

    def __init__(self, run: NestRun, pair: Pair) -> None:
        super().__init__(run, len(pair.nests) - 1)
        self.pair = pair

    @classmethod
    def match(cls, run: NestRun) -> OnePassProducts | None:
        pair = None if run.fill is None else match_pair([run.fill, *run.nests], _fills, run.emitter)
        return None if pair is None else cls(run, pair)

    def seconds(self) -> float:
        return 0.0

    def write(self, out: Emitter) -> None:
        self.note(self.pair.plan.depth_lanes)
        OnePass(self.pair, out).emit()


class TransposedProducts(NestSchedule):
    """Products whose factors change their roles, and a transposing copy. What that saves is not weighed: it is taken
    where it matches.
    """

    name = "transposed"
    reason = "its factors lie better the other way round"

    def __init__(self, run: NestRun, found: Contraction, other: Contraction, plan: DotPlan | Plan) -> None:
        super().__init__(run)
        self.found, self.other, self.plan = found, other, plan

    @classmethod
    def match(cls, run: NestRun) -> TransposedProducts | None:
        found = run.contraction
        if run.fill is None or found is None or not may_transpose(found):
            return None
        other = transposed(found, run.emitter)
        own = plan_paying_dot_products(other) or plan(other)
        return None if own is None else cls(run, found, other, own)

    def seconds(self) -> float:
        return 0.0

    def write(self, out: Emitter) -> None:
        assert self.run.fill is not None
        self.note(self.plan.lanes)
        task = Task(self.other, out, self.run.fill.inputs[0].memref)
        if isinstance(self.plan, DotPlan):
            DotProducts(task, self.plan).emit()
        elif self.plan.by_rows:
            RowProduct(task, self.plan).emit()
        else:
            ContractionEmitter(task, self.plan).emit()
        if self.other.result.memref.type.rank == self.found.result.memref.type.rank:
            emit_loops([copy_back(self.other, self.found)], out)


P = TypeVar("P", DotPlan, StreamPlan, WindowPlan, Plan)


class Writer(Protocol):
    """What writes a product at the insertion point."""

    def emit(self) -> None:
        """Write it."""


class ProductSchedule(NestSchedule, Generic[P]):
    """A product by itself, with the elementwise nest behind it where results are at hand."""

    plan_of: Callable[[Contraction], P | None]
    writer: Callable[[Task, P], Writer]
    has_epilogue: ClassVar[bool] = True

    def __init__(self, run: NestRun, contraction: Contraction, plan: P) -> None:
        self.contraction = contraction
        self.plan: P = plan
        self.epilogue: Epilogue | None = None
        if self.has_epilogue and run.fill is not None and len(run.nests) > 1:
            own = [run.nests[0].operation, run.fill.operation]
            self.epilogue = match_epilogue(contraction, own, run.nests[1], plan.lanes, run.emitter)
        super().__init__(run, 1 if self.epilogue is None else 2)

    @classmethod
    def match(cls, run: NestRun) -> ProductSchedule[P] | None:
        found = cls.contraction_of(run)
        own = None if found is None else cls.plan_of(found)
        return None if found is None or own is None else cls(run, found, own)

    @classmethod
    def contraction_of(cls, run: NestRun) -> Contraction | None:
        """What it is a schedule of."""
        return run.contraction

    def write(self, out: Emitter) -> None:
        self.note(self.plan.lanes)
        initial = self.run.fill.inputs[0].memref if self.run.fill else None
        finish = self.epilogue.finish if self.epilogue else None
        may_repeat = self.epilogue is None or not self.epilogue.updates()
        task = Task(self.contraction, out, initial, finish, may_repeat, self.mirrored())
        self.writer(task, self.plan).emit()

    def mirrored(self) -> Value | None:
        """The memory of the result, where one half is to be the mirror image of the other."""
        return None


class Streams(ProductSchedule[StreamPlan]):
    """Products of some rows with a large matrix, which is read once, in blocks of its rows."""

    reason = "it is a product that reads a matrix once"
    plan_of, writer, has_epilogue = staticmethod(plan_streamed_product), StreamedProduct, False


class RowSums(ProductSchedule[Plan]):
    """Products of few rows: those of the matrix are added up in memory order."""

    reason = "it is a product that adds up rows"
    plan_of, writer, has_epilogue = staticmethod(plan_rows), RowProduct, False


class Tiles(ProductSchedule[Plan]):
    """Products in tiles that stay in registers; factors are packed where that pays, and of symmetric ones one half is
    computed.
    """

    reason = "it is a product in tiles that stay in registers"
    plan_of, writer = staticmethod(plan_tiles), ContractionEmitter

    def mirrored(self) -> Value | None:
        return self.run.fill and mirrored_result(self.contraction, self.plan, self.epilogue)


class Windows(ProductSchedule[WindowPlan]):
    """Pooling, and convolutions of each channel by itself: results of some pixels stay in registers."""

    reason = "it runs over windows"
    plan_of, writer = staticmethod(plan_window_reduction), WindowReduction

    @classmethod
    def contraction_of(cls, run: NestRun) -> Contraction | None:
        return match_window_reduction(run.nests[0]) if run.contraction is None else None


class Dots(ProductSchedule[DotPlan]):
    """Products by sums along what both factors have in common, for long sums and few results."""

    name = "dot-products"
    reason = "it is a product by sums over rows"
    plan_of, writer = staticmethod(plan_dot_products), DotProducts

    def seconds(self) -> float:
        return _CYCLE * cycles_of_dot_products(self.contraction, self.plan)


SCHEDULES: tuple[type[NestSchedule], ...] = (
    OnePassProducts,
    TransposedProducts,
    Streams,
    RowSums,
    Tiles,
    Windows,
    Loops,
    Dots,
)
"""All ways of writing nests; of some that take as long, the first that matches is taken."""


def emit_run(nests: list[LoopNest], emitter: Emitter) -> None:
    """Write loop nests that follow each other at the insertion point."""
    waiting: list[LoopNest] = []
    while nests:
        schedule = choose(SCHEDULES, NestRun(nests, waiting, emitter))
        nests = nests[schedule.taken :]
        if isinstance(schedule, Loops):
            waiting += schedule.run.nests[:1]
            continue
        written = schedule.nests
        _emit_loops([nest for nest in waiting if nest is not schedule.run.fill], emitter)
        waiting = []
        with schedule.run.operation.location:
            schedule.write_all(emitter)
        for nest in written:
            nest.operation.erase()
    _emit_loops(waiting, emitter)


def _emit_loops(nests: Sequence[LoopNest], emitter: Emitter) -> None:
    """Write nests that are no products, which may share loops."""
    if nests:
        Loops(NestRun(nests, [], emitter), len(nests)).write_all(emitter)


def _is_asked_for(memref: Value, own: set[Operation]) -> bool:
    """Whether memory is no allocation of some operations alone."""
    users = [use.owner.operation for use in memref.uses]
    is_allocated = not isinstance(memref.owner, ir.Block) and memref.owner.operation.name == "memref.alloc"
    return not is_allocated or not all(user in own or user.name == "memref.dealloc" for user in users)


def _fills(fill: LoopNest, nest: LoopNest) -> bool:
    """Whether a nest only sets the result of another to a scalar."""
    if len(nest.outputs) != 1 or len(fill.outputs) != 1 or len(fill.inputs) != 1:
        return False
    if not fill.inputs[0].is_scalar or fill.outputs[0].memref != nest.outputs[0].memref:
        return False
    expressions = fill.outputs[0].expressions
    plain = [ir.AffineExpr.get_dim(dim) for dim in range(len(fill.parallel))] == list(expressions)
    (terminator,) = list(fill.body.operations)[-1:]
    return plain and terminator.operation.operands[0] == fill.body.arguments[0]
