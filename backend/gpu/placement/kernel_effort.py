"""How long one block takes for kernels that are not written yet, beside the launches that they would be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ....dialect.mlir import Operation, ir
from ....passes.rewriting import operations_in, operations_of
from ...planning.shapes import static_shape
from ...target import Gpu, current, gpu_figures
from .block_effort import BARRIER
from .effort import turns
from .extent_bounds import ExtentBounds

THREADS = 256
_PRODUCTS = ("linalg.matmul", "linalg.batch_matmul", "linalg.matvec", "linalg.vecmat", "linalg.batch_matvec")

_OF_ALL = ("arith.", "bufferization.", "tensor.from_elements", "tensor.empty", "func.return")
"""What all points share, or what computes nothing."""
Shape: TypeAlias = "tuple[int, ...]"


def seconds_of_block(kernel: Operation, call: Operation | None = None) -> float | None:
    """How long a block takes at most for what a kernel does, or does for a call; None where that is not known."""
    steps = _Effort(kernel, call).steps(operations_in(kernel.regions[0].blocks[0]))
    return None if steps is None else steps * gpu_figures().step


def blocks_for(kernels: Sequence[Operation]) -> int:
    """How many blocks can do what kernels do behind each other, again and again, and wait for nobody."""
    shapes = {_shape_of_points(kernel) for kernel in kernels}
    shape = shapes.pop() if len(shapes) == 1 else None
    gpu = current().gpu
    return (
        1 if shape is None or gpu is None else max(1, min(-(-math.prod(shape) // THREADS), most_blocks(gpu)))
    )


def most_blocks(gpu: Gpu) -> int:
    """How many blocks the device has at a time."""
    return gpu.multiprocessors * (gpu.max_threads // THREADS)


def _shape_of_points(kernel: Operation) -> Shape | None:
    """The extents of all nests of a kernel, and of the last axes of arrays, if each point needs nothing of others."""
    ops = operations_in(kernel.regions[0].blocks[0])
    shapes = {_points_alone(op) for op in ops if not op.name.startswith(_OF_ALL) and not _is_of_number(op)}
    return shapes.pop() if len(shapes) == 1 else None


def _is_of_number(op: Operation) -> bool:
    return op.name == "tensor.extract" and not op.operands[0].type.rank


def _points_alone(op: Operation) -> Shape | None:
    """The extents of what a nest computes point by point, or of the rows that a view has whole."""
    if op.name == "linalg.generic" and op.results:
        maps = [attribute.value for attribute in op.attributes["indexing_maps"]]
        own = [each for each in maps if each.n_dims and each.results]
        gathers = any(inner.name.startswith(("tensor.", "memref.")) for inner in operations_of(op))
        is_alone = all(each == ir.AffineMap.get_identity(each.n_dims) for each in own)
        return _known(static_shape(op.results[0].type)) if own and is_alone and not gathers else None
    if op.name in ("tensor.extract_slice", "tensor.insert_slice"):
        types = op.results[0].type, op.operands[0].type
        part, whole = map(static_shape, types if op.name == "tensor.extract_slice" else types[::-1])
        return _known(part) if part == whole[-len(part) :] else None
    return None


def _known(shape: Sequence[int | None]) -> Shape | None:
    known = tuple(extent for extent in shape if extent is not None)
    return known if len(known) == len(shape) else None


class _Effort:
    """Counts what a thread does, if all that may be is shared."""

    def __init__(self, kernel: Operation, call: Operation | None) -> None:
        self._bounds = ExtentBounds(kernel, call)
        self._is_of_host = bool(ir.TypeAttr(kernel.attributes["function_type"]).value.results)

    def steps(self, ops: Iterable[Operation]) -> int | None:
        """How many operations a thread does."""
        found = [self._steps_of(op) for op in ops]
        known = [steps for steps in found if steps is not None]
        return sum(known) if len(known) == len(found) else None

    def _steps_of(self, op: Operation) -> int | None:
        if op.name.startswith("linalg."):
            space = self._space(op)
            if space is None:
                return None
            points, inner = space
            work = len(operations_in(op.regions[0].blocks[0])) + len(list(op.operands))
            return -(-points // THREADS) * inner * work + BARRIER
        if op.name == "memref.copy":
            shape = self._bounds.shape(op.operands[0])
            return (
                None if None in shape else -(-math.prod(extent or 0 for extent in shape) // THREADS) + BARRIER
            )
        if not op.regions:
            return 1
        count = turns(op)
        inside = self.steps(
            inner for region in op.regions for block in region for inner in operations_in(block)
        )
        if count is None or inside is None:
            return None
        if self._is_of_host and not all(isinstance(result.type, ir.ShapedType) for result in op.results):
            return (
                count * inside
            )  # each iteration needs a number of the last one: with launches, too, but not on the host
        return -(-count // THREADS) * inside + BARRIER  # what is in it then counts as if it were not shared

    def _space(self, op: Operation) -> tuple[int, int] | None:
        """How many points of a nest are independent, and how many elements each of them takes."""
        bounds = [self._bounds.shape(v) for v in op.operands if isinstance(v.type, ir.ShapedType)]
        shapes = [[extent for extent in shape if extent is not None] for shape in bounds]
        if shapes != bounds:
            return None
        points = math.prod(shapes[-1])
        if op.name in _PRODUCTS:
            inner = shapes[0][-2] if op.name == "linalg.vecmat" else shapes[0][-1]
            return points, inner
        if op.name in ("linalg.generic", "linalg.contract"):
            extents = _extents(op, shapes)
            if extents is None:
                return None
            if op.name == "linalg.contract":  # which adds up along what the result does not have
                *_, result = op.attributes["indexing_maps"]
                kept = {e.position for e in result.value.results if isinstance(e, ir.AffineDimExpr)}
                kinds = [dim in kept for dim in range(len(extents))]
            else:
                kinds = ["parallel" in str(kind) for kind in op.attributes["iterator_types"]]
            parallel = math.prod(e for e, is_parallel in zip(extents, kinds, strict=True) if is_parallel)
            reduced = math.prod(e for e, is_parallel in zip(extents, kinds, strict=True) if not is_parallel)
            return (parallel, reduced) if any(kinds) else (reduced, 1)
        return (points, 1) if op.name == "linalg.fill" else None


def _extents(generic: Operation, shapes: Sequence[Sequence[int]]) -> list[int] | None:
    """The extents of the dimensions of a nest whose arrays have these shapes."""
    found: dict[int, int] = {}
    arrays = iter(shapes)
    for operand, attribute in zip(generic.operands, generic.attributes["indexing_maps"], strict=True):
        if isinstance(operand.type, ir.ShapedType):
            for expression, extent in zip(attribute.value.results, next(arrays), strict=True):
                if isinstance(expression, ir.AffineDimExpr):
                    found[expression.position] = min(extent, found.get(expression.position, extent))
    first, *_ = generic.attributes["indexing_maps"]
    count = first.value.n_dims
    return [found[dim] for dim in range(count)] if len(found) == count else None
