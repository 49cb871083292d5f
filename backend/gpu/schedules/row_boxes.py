"""Which rows of a result a tile has: those of a box, where several dimensions of the left factor have rows.

Images of 14 by 14 fill tiles of 64 rows by boxes of 2 by 2 in 16 of them, say. Convolutions read such boxes where their
windows lie; with a stride, every so manieth element.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....dialect.mlir import Value, ir
from ....dialect.records import dataclass
from ...nests.contraction import Contraction, Factor
from ...nests.emit import Emitter, Index, create
from ..code.control import compare
from ..code.vectors import element_bytes
from ..code.walk import split

_ALIGNMENT = 16
"""Where rows of arrays have to begin, in bytes."""
_LONGEST = 256
"""Elements of a box along an axis, those between what is read counted."""
_MOST_STEP = 8
_GAIN = 1.1
"""By what boxes of several dimensions have to be better filled, as it takes some work to find their rows."""


@dataclass(frozen=True)
class RowBox:
    """Dimensions that have rows, as the axes of the left factor lie, and how many of each a tile has."""

    dims: tuple[int, ...]
    sizes: tuple[int, ...]

    def counts(self, contraction: Contraction, emitter: Emitter) -> list[Index]:
        """How many boxes there are along each dimension."""
        extents = map(contraction.extent, self.dims)
        return [emitter.divide_up(extent, size) for extent, size in zip(extents, self.sizes, strict=True)]

    def filled(self, contraction: Contraction) -> float:
        """Which part of all boxes lies in the result; 1 where that is not known."""
        extents = [contraction.extent(dim) for dim in self.dims]
        if not all(isinstance(extent, int) for extent in extents):
            return 1.0
        sides = zip(map(int, extents), self.sizes, strict=True)
        return math.prod(extent / (-(-extent // size) * size) for extent, size in sides)


class BlockRows:
    """The rows of a block."""

    def __init__(self, contraction: Contraction, box: RowBox, number: Index, emitter: Emitter) -> None:
        """Those of a box, by its number among all."""
        self._contraction, self.box, self._emitter = contraction, box, emitter
        boxes = split(emitter.value(number), box.counts(contraction, emitter), emitter)
        self.firsts = [emitter.multiply(at, size) for at, size in zip(boxes, box.sizes, strict=True)]

    def places(self, number: Index) -> dict[int, Index]:
        """Where the row of a number in the box is."""
        emitter = self._emitter
        within = split(emitter.value(number), list(self.box.sizes), emitter)
        places = [emitter.add(first, at) for first, at in zip(self.firsts, within, strict=True)]
        return dict(zip(self.box.dims, places, strict=True))

    def clamped(self, number: Index) -> dict[int, Index]:
        """Where the row of a number is, or one that is in the result."""
        extent = self._contraction.extent
        last = {dim: self._emitter.subtract(extent(dim), 1) for dim in self._ends()}
        return {
            dim: self._emitter.minimum(place, last[dim]) if dim in last else place
            for dim, place in self.places(number).items()
        }

    def are_inside(self, places: Mapping[int, Index]) -> Value | None:
        """Whether a row is in the result; None where all are."""
        found, value = None, self._emitter.value
        for dim in self._ends():
            condition = compare("ult", value(places[dim]), value(self._contraction.extent(dim)))
            found = condition if found is None else create("arith.andi", [found.type], [found, condition])
        return found

    def _ends(self) -> list[int]:
        """The dimensions along which boxes reach over the end."""
        extents = [
            (dim, self._contraction.extent(dim), size)
            for dim, size in zip(self.box.dims, self.box.sizes, strict=True)
        ]
        return [dim for dim, extent, size in extents if not isinstance(extent, int) or extent % size]


def tile_counts(contraction: Contraction, box: RowBox, columns: int, emitter: Emitter) -> list[Index]:
    """How many tiles there are: along dimensions that have no rows of them, of rows, and of columns."""
    outer = [contraction.extent(dim) for dim in contraction.outer if dim not in box.dims]
    rows = emitter.product(box.counts(contraction, emitter))
    return [*outer, rows, emitter.divide_up(contraction.columns, columns)]


def depth_dim(contraction: Contraction) -> int:
    """The dimension that is summed along lines of a factor: the last one, if lines are across."""
    lasts = [factor.access.expressions[-1] for factor in (contraction.left, contraction.right)]
    found = [last.position for last in lasts if isinstance(last, ir.AffineDimExpr)]
    return next((dim for dim in found if dim in contraction.summed), contraction.summed[-1])


def row_box(contraction: Contraction, lines: int, is_copied: bool = False) -> RowBox:
    """The box of so many rows that fills the result best; if it `is_copied`, among those that tensor maps have."""
    row, left = contraction.row, contraction.left.access
    assert row is not None
    alone = RowBox((row,), (lines,))
    if left.is_contiguous_in(row):
        return alone
    if not is_copied:
        rows = [dim for dim in sorted((row, *contraction.outer)) if _has_rows(contraction, dim)]
        known = len(rows) > 1 and isinstance(contraction.extent(row), int)
        boxes = [RowBox(tuple(rows), sizes) for sizes in _sizes(lines, len(rows))] if known else []
        best = max([alone, *boxes], key=lambda box: box.filled(contraction))
        return best if best.filled(contraction) > _GAIN * alone.filled(contraction) else alone
    axes = {
        dim: axis_of(contraction.left, dim)
        for dim in (row, *contraction.outer)
        if _has_rows(contraction, dim)
    }
    dims = sorted((dim for dim, axis in axes.items() if axis is not None), key=lambda dim: axes[dim] or 0)
    if len({axes[dim] for dim in dims}) < len(dims) or row not in dims:
        return alone
    steps = [step_of(contraction.left, dim) for dim in dims]
    boxes = [
        RowBox(tuple(dims), sizes)
        for sizes in _sizes(lines, len(dims))
        if all(size * step <= _LONGEST for size, step in zip(sizes, steps, strict=True))
    ]
    return max([alone, *boxes], key=lambda box: box.filled(contraction))


def row_count(contraction: Contraction) -> Index:
    """How many rows there are that tiles can share, of all dimensions that have some."""
    row = contraction.row
    assert row is not None
    alone = contraction.extent(row)
    if contraction.left.access.is_contiguous_in(row) or not isinstance(alone, int):
        return alone
    others = [contraction.extent(dim) for dim in contraction.outer if _has_rows(contraction, dim)]
    return math.prod([alone, *(extent for extent in others if isinstance(extent, int))])


def _has_rows(contraction: Contraction, dim: int) -> bool:
    is_alone = contraction.left.access.mentions(dim) and not contraction.right.access.mentions(dim)
    return dim == contraction.row or (is_alone and isinstance(contraction.extent(dim), int))


def _sizes(lines: int, count: int) -> Iterator[tuple[int, ...]]:
    """The ways to make so many lines of powers of two."""
    if count == 1:
        yield (lines,)
        return
    for power in range(lines.bit_length()):
        for rest in _sizes(lines >> power, count - 1):
            yield (1 << power, *rest)


def axis_of(factor: Factor, dim: int) -> int | None:
    """The only axis that a dimension addresses, forward and by steps that copies of boxes have; None of others."""
    found = [_linear(expression) for expression in factor.access.expressions]
    if any(terms is None for terms in found):
        return None
    axes = [axis for axis, terms in enumerate(found) if terms and terms[dim]]
    return axes[0] if len(axes) == 1 and 0 < step_of(factor, dim) <= _MOST_STEP else None


def step_of(factor: Factor, dim: int) -> int:
    """How many elements of an axis are between neighbours along a dimension."""
    terms = [_linear(expression) for expression in factor.access.expressions]
    return next((each[dim] for each in terms if each and each[dim]), 1)


def _linear(expression: Any) -> Counter[int] | None:
    """By what dimensions are multiplied in an address; None where something else is done to them."""
    if isinstance(expression, ir.AffineDimExpr):
        return Counter({expression.position: 1})
    if isinstance(expression, ir.AffineConstantExpr):
        return Counter()
    if not isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        return None
    left, right = _linear(expression.lhs), _linear(expression.rhs)
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return Counter({dim: left[dim] + right[dim] for dim in {*left, *right}})
    if not isinstance(expression.rhs, ir.AffineConstantExpr):
        return None
    return Counter({dim: number * expression.rhs.value for dim, number in left.items()})


def has_boxes(factor: Factor, line: int | None, depth: int) -> bool:
    """Whether boxes can be taken of a factor: lines along what is summed, or of halves across."""
    access = factor.access
    type, expressions = access.memref.type, access.expressions
    size = element_bytes(type.element_type)
    last = expressions[-1] if expressions else None
    if line is None or not 2 <= len(expressions) <= 5 or not isinstance(last, ir.AffineDimExpr):
        return False
    return (
        type.layout == ir.AffineMapAttr.get(ir.AffineMap.get_identity(len(expressions)))
        and last.position in ((line, depth) if size > 1 else (depth,))
        and access.axis_of(depth) is not None
        and axis_of(factor, line) not in (None, access.axis_of(depth))
        and step_of(factor, line) <= _LONGEST // 128
        and (type.is_dynamic_dim(type.rank - 1) or type.shape[-1] * size % _ALIGNMENT == 0)
    )


def box_of(factor: Factor, sizes: dict[int, int]) -> tuple[list[int], list[int]]:
    """The extents of a box along all axes of a factor that has so many of some dimensions, and its steps."""
    box, steps = [1] * len(factor.access.expressions), [1] * len(factor.access.expressions)
    for dim, size in sizes.items():
        axis = axis_of(factor, dim)
        if axis is not None:
            steps[axis] = step_of(factor, dim) if size > 1 else 1
            box[axis] = size * steps[axis]
    return box, steps


def first_of_box(factor: Factor, points: Sequence[Index], emitter: Emitter) -> list[Index]:
    """Where in a factor a box begins, along the innermost axis first."""
    return [emitter.affine(expression, points) for expression in reversed(factor.access.expressions)]
