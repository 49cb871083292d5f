"""What becomes of a run of loop nests: contractions with what surrounds them, and loops for all else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ....dialect.mlir import Value, ir
from ....passes.notes import note, wanted
from ...nests.contraction import Contraction, match_contraction
from ...nests.emit import Emitter
from ...nests.nest import LoopNest
from ...nests.reductions import relax_combiners
from .contractions.dot_product import DotPlan, DotProducts, plan_dot_products
from .contractions.emitter import ContractionEmitter
from .contractions.epilogue import Epilogue, match_epilogue
from .contractions.one_pass import OnePass, match_pair
from .contractions.plan import Plan, plan
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

Choice: TypeAlias = "Plan | DotPlan | StreamPlan | WindowPlan"
"""How a contraction, or a reduction over windows, is written."""


def emit_run(nests: list[LoopNest], emitter: Emitter) -> None:
    """Write loop nests that follow each other at the insertion point."""
    waiting: list[LoopNest] = []
    while nests:
        pair = match_pair(nests, _fills, emitter)
        if pair is not None:
            emit_loops(waiting, emitter)
            waiting = []
            with pair.rows.contraction.nest.operation.location:
                note(
                    "vector",
                    ir.Location.current,
                    "is computed with the product before it, which reads the same matrix",
                )
                OnePass(pair, emitter).emit()
            _erase(pair.nests)
            nests = nests[len(pair.nests) :]
            continue
        nest, *nests = nests
        fill = waiting[-1] if waiting and _fills(waiting[-1], nest) else None
        following = nests[0] if nests else None
        if fill is not None and (products := _transposed(nest, emitter)) is not None:
            waiting.remove(fill)
            emit_loops(waiting, emitter)
            waiting = []
            with nest.operation.location:
                _emit_transposed(*products, fill, emitter)
            continue
        found = _contraction(nest, fill, following, emitter)
        if found is None:
            waiting.append(nest)
            continue
        contraction, choice, epilogue = found
        if fill is not None:
            waiting.remove(fill)
        emit_loops(waiting, emitter)
        waiting = []
        with nest.operation.location:
            _emit_contraction(contraction, choice, fill, epilogue, emitter)
        if epilogue is not None:
            nests = nests[1:]
    emit_loops(waiting, emitter)


def _contraction(
    nest: LoopNest, fill: LoopNest | None, following: LoopNest | None, emitter: Emitter
) -> tuple[Contraction, Choice, Epilogue | None] | None:
    """A nest as contraction, with the choices for it and the nest that follows if that is an epilogue."""
    choice: Choice | None
    contraction = match_contraction(nest, emitter)
    if contraction is not None:
        choice = plan_dot_products(contraction) or plan_streamed_product(contraction) or plan(contraction)
    else:
        contraction = match_window_reduction(nest)
        choice = None if contraction is None else plan_window_reduction(contraction)
    if contraction is None or choice is None:
        return None
    own = [nest.operation, *([fill.operation] if fill else [])]
    by_rows = isinstance(choice, StreamPlan) or (isinstance(choice, Plan) and choice.by_rows)
    if following is not None and fill is not None and not by_rows:
        epilogue = match_epilogue(contraction, own, following, choice.lanes, emitter)
        if epilogue is not None:
            return contraction, choice, epilogue
    return contraction, choice, None


def _transposed(nest: LoopNest, emitter: Emitter) -> tuple[Contraction, Contraction, Choice] | None:
    """A nest as a contraction that is better computed transposed, that one, and how."""
    contraction = match_contraction(nest, emitter)
    if contraction is None or not may_transpose(contraction):
        return None
    other = transposed(contraction, emitter)
    choice = plan_dot_products(other) or plan(other)
    return None if choice is None else (contraction, other, choice)


def _emit_transposed(
    contraction: Contraction, other: Contraction, choice: Choice, fill: LoopNest, emitter: Emitter
) -> None:
    """Write a contraction with its operands in each other's role, then a transposing copy."""
    _write(Task(other, emitter, fill.inputs[0].memref), choice)
    if other.result.memref.type.rank == contraction.result.memref.type.rank:
        emit_loops([copy_back(other, contraction)], emitter)
    _erase([contraction.nest, fill])


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


def _emit_contraction(
    contraction: Contraction,
    choice: Choice,
    fill: LoopNest | None,
    epilogue: Epilogue | None,
    emitter: Emitter,
) -> None:
    initial: Value | None = fill.inputs[0].memref if fill else None
    finish = epilogue.finish if epilogue else None
    may_repeat = epilogue is None or not epilogue.updates()
    mirrored = None
    if fill is not None and isinstance(choice, Plan):
        mirrored = mirrored_result(contraction, choice, epilogue)
    _write(Task(contraction, emitter, initial, finish, may_repeat, mirrored), choice)
    _erase([contraction.nest, fill, epilogue.nest if epilogue else None])


def _write(task: Task, choice: Choice) -> None:
    if wanted():
        note("vector", ir.Location.current, *_described(choice))
    if isinstance(choice, DotPlan):
        DotProducts(task, choice).emit()
    elif isinstance(choice, WindowPlan):
        relax_combiners(task.contraction.nest)
        WindowReduction(task, choice).emit()
    elif isinstance(choice, StreamPlan):
        StreamedProduct(task, choice).emit()
    elif choice.by_rows:
        RowProduct(task, choice).emit()
    else:
        ContractionEmitter(task, choice).emit()


def _described(choice: Choice) -> tuple[str, ...]:
    """How a product is computed, in words."""
    lanes = str(choice.lanes)
    if isinstance(choice, DotPlan):
        return "is a product, by sums over rows in vectors of {}", str(choice.depth_lanes)
    if isinstance(choice, WindowPlan):
        return "runs over windows in vectors of {}", lanes
    if isinstance(choice, StreamPlan):
        return "is a product that reads a matrix once, in vectors of {}", lanes
    if choice.by_rows:
        return "is a product that adds up rows in vectors of {}", lanes
    return "is a product in tiles that stay in registers, in vectors of {}", lanes


def _erase(nests: Sequence[LoopNest | None]) -> None:
    for nest in nests:
        if nest is not None:
            nest.operation.erase()
