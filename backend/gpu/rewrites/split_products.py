"""Products of few tiles with long sums are split along these, so that all multiprocessors have something to do.

    %c = linalg.contract ins(%a, %b : 64x8192, 8192x64)   ->   %parts = linalg.contract : 16x64x64, of views of
                                                               64x16x512 and 16x512x64
                                                           %c = linalg.generic ins(%parts) { addf }, over the first axis

A tile goes over all that it sums, one step after the other, in one block. The parts are added in their order, so that
a program has the same results at each call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....dialect.made_ops import filled
from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.lowering.conversion import Conversion
from ....passes.lowering.reshapes import expand
from ....passes.notes import note
from ....passes.rewriting import indexing_maps, operations_in, operations_of
from ...nests.emit import create
from ...planning.outlining.clusters import JOINS
from ...planning.shapes import static_shape
from ...target import current
from .attention import positions

_SIDE = 64
"""Rows and columns of a tile that is neither small nor large."""
_LEAST_LINES = 4
"""With fewer rows or columns products are sums of lines, which are split where they are written."""
_LEAST = 512
"""What a part sums at least: with less, to add up the parts takes as long."""
_FEWEST = 4
"""Parts at least: smaller tiles are twice as many, too."""
_LEAST_FOR_TWO, _FEWEST_FOR_TWO = 4096, 2
"""The same of what warpgroups multiply, of which no tile is smaller."""
_MULTIPLE = 16
"""Of what a part sums: rows of parts begin where rows of the whole may begin, and steps are whole ones."""
_ADDITIONS = {"arith.mulf": "arith.addf", "arith.muli": "arith.addi"}


@dataclass(frozen=True)
class SplitProducts(Pass):
    """Split what products of few rows and columns sum up into parts, for one multiprocessor each."""

    def run(self, module: Module, statistics: Statistics) -> None:
        gpu = current().gpu
        if gpu is None:
            return
        conversion = Conversion(module.body)
        for op in operations_of(module.operation):
            if op.name == "linalg.contract" and _addition(op) is not None and not _is_joined(op):
                count = _count_of_parts(op, gpu.multiprocessors)
                if count > 1:
                    note("algorithm", op.location, f"is multiplied in {count} parts of what it sums")
                    _split(op, count, conversion)
                    statistics["products split"] += 1


def _addition(op: Operation) -> str | None:
    """What adds up products of real numbers; None where something else is done."""
    names = [inner.name for inner in operations_in(op.regions[0].blocks[0])]
    found = [addition for product, addition in _ADDITIONS.items() if product in names and addition in names]
    return found[0] if found else None


def _is_joined(op: Operation) -> bool:
    """Whether a product shares a kernel with what makes its factors, or with what follows."""
    makers = [value.owner.operation for value in op.operands if not isinstance(value.owner, ir.Block)]
    return any(JOINS in each.attributes for each in (op, *makers))


def _count_of_parts(op: Operation, multiprocessors: int) -> int:
    """Into how many parts what is summed is split; 1 where that is nothing to gain by, or not known."""
    if not all(isinstance(e, ir.AffineDimExpr) for map in indexing_maps(op) for e in map.results):
        return 1
    left, right, result = positions(op)
    extents = {
        dim: extent
        for dims, operand in zip((left, right), op.operands, strict=False)
        for dim, extent in zip(dims, static_shape(operand.type), strict=True)
    }
    summed = (set(left) & set(right)) - set(result)
    known = [extent for extent in extents.values() if extent is not None]
    sides = [
        math.prod(extents[dim] or 1 for dim in own)
        for own in (set(left) - set(right), set(right) - set(left))
    ]
    is_plain = len(summed) == 1 and extents.keys() - set(result) == summed
    if not is_plain or len(known) < len(extents) or min(sides) < _LEAST_LINES:
        return 1
    (depth,) = (extents[dim] or 0 for dim in summed)
    batches = math.prod(extents[dim] or 0 for dim in (set(left) & set(right)) - summed)
    tiles = batches * math.prod(-(-side // _SIDE) for side in sides)
    room = multiprocessors // max(tiles, 1)
    counts = [*range(min(room, depth // _LEAST), _FEWEST - 1, -1)]
    if _is_of_warpgroups(op) and min(sides) >= _SIDE:
        counts += range(min(room, depth // _LEAST_FOR_TWO), _FEWEST_FOR_TWO - 1, -1)
    return next((count for count in counts if depth % (count * _MULTIPLE) == 0), 1)


def _is_of_warpgroups(op: Operation) -> bool:
    """Whether warpgroups may multiply the factors."""
    gpu, widths = current().gpu, [value.type.element_type.width for value in list(op.operands)[:2]]
    return gpu is not None and gpu.warpgroups and max(widths) <= 16


def _split(op: Operation, count: int, conversion: Conversion) -> None:
    """Multiply parts, and add them up to what the product starts from."""
    left, right, result = positions(op)
    (summed,) = (set(left) & set(right)) - set(result)
    rank = len({*left, *right, *result})
    parts = rank  # a further dimension
    total = op.operands[2]
    with ir.InsertionPoint(op), op.location:
        copy = op.clone().operation
        maps = []
        for place, dims in enumerate((left, right)):
            axis = dims.index(summed)
            copy.operands[place] = _expanded(op.operands[place], axis, count, conversion)
            maps.append(_map(rank + 1, [*dims[:axis], parts, *dims[axis:]]))
        type = ir.RankedTensorType.get([count, *total.type.shape], total.type.element_type)
        zero = create("arith.constant", [type.element_type], [], {"value": _zero(type.element_type)})
        copy.operands[2] = filled(zero, create("tensor.empty", [type], []))
        copy.results[0].set_type(type)
        maps.append(_map(rank + 1, [parts, *result]))
        copy.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(map) for map in maps])
        copy.move_before(op)
        axes, addition = list(range(total.type.rank + 1)), _addition(op)
        assert addition is not None
        (made,) = conversion.generic(
            [copy.results[0]],
            [total],
            [_map(len(axes), axes), _map(len(axes), axes[1:])],
            ["reduction", *["parallel"] * total.type.rank],
            lambda part, sum: [create(addition, [sum.type], [sum, part])],
        )
    op.results[0].replace_all_uses_with(made)
    op.erase()


def _expanded(value: Value, axis: int, count: int, conversion: Conversion) -> Value:
    """A view of a factor with an axis for parts before one of what they sum."""
    shape = list(value.type.shape)
    shape[axis : axis + 1] = [count, shape[axis] // count]
    groups = [[place + (place > axis)] for place in range(value.type.rank)]
    groups[axis] = [axis, axis + 1]
    return expand(value, groups, shape)


def _map(rank: int, dims: Sequence[int]) -> ir.AffineMap:
    return ir.AffineMap.get(rank, 0, [ir.AffineExpr.get_dim(dim) for dim in dims])


def _zero(element: ir.Type) -> ir.Attribute:
    return (
        ir.IntegerAttr.get(element, 0)
        if isinstance(element, ir.IntegerType)
        else ir.FloatAttr.get(element, 0.0)
    )
