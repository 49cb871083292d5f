"""Which nests make the elements of a matrix where they are summed: products, what becomes of them, and the sum."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ....dialect.mlir import Operation, Type, Value, ir
from ....dialect.records import dataclass, replace
from ...nests.contraction import Contraction, match_contraction
from ...nests.emit import Index
from ...nests.nest import Access, LoopNest
from ..code.points import asks_for_outputs
from ..code.reduce import Reduction
from ..rewrites.attention import MOST_COLUMNS
from .steps import Step


@dataclass(frozen=True)
class Part:
    """A nest, and which of the parts before it make its inputs."""

    nest: LoopNest
    makers: tuple[int | None, ...]
    product: Contraction | None = None
    """What it is, if it multiplies."""


@dataclass(frozen=True)
class TileParts:
    """Products of few columns, what is made of their elements, and its sum over rows or columns."""

    makers: Sequence[Part]
    total: Part
    """The last one: a sum of rows, or a product."""
    own: int
    """Which axis of the matrix is not summed, counted from the end: -2 or -1."""

    @cached_property
    def first(self) -> Contraction:
        """The first product."""
        return next(part.product for part in self.makers if part.product is not None)

    @property
    def element(self) -> Type:
        """In which is multiplied."""
        return self.first.element

    @property
    def outer(self) -> list[Index]:
        """The extents of batches."""
        return [self.first.nest.extents[dim] for dim in dims_of(self.first.result)[:-2]]

    @property
    def rows(self) -> Index:
        """How many rows of the result there are."""
        return self.first.nest.extents[dims_of(self.first.result)[self.own]]

    @property
    def keys(self) -> Index:
        """How many elements each of them sums up."""
        return self.first.nest.extents[dims_of(self.first.result)[-3 - self.own]]

    @property
    def columns(self) -> int:
        """Of the result; 0 of sums of rows."""
        count = 0 if self.total.product is None else self.total.product.columns
        assert isinstance(count, int)
        return count

    @staticmethod
    def of(nests: Sequence[LoopNest]) -> TileParts | None:
        """The parts that some nests are, of which the last one is the sum."""
        *makers, last = _with_makers(nests)
        found: list[Part] = []
        for part in makers:
            made = _product(part) if not all(part.nest.parallel) else part if _is_elementwise(part) else None
            if made is None or len(made.nest.outputs[0].expressions) != len(nests[0].outputs[0].expressions):
                return None
            found.append(made)
        elements = {str(part.product.element) for part in found if part.product is not None}
        if len(elements) != 1:
            return None
        parts = _sum_of_rows(found, last) or _sum_of_products(found, last)
        return parts if parts is None or parts.columns <= MOST_COLUMNS else None


def find(steps: Sequence[Step]) -> tuple[TileParts, int] | None:
    """The parts that the first steps of a run are, and how many these are; nobody else asks for the elements."""
    for count, step in enumerate(steps, 1):
        nests = [each.nest for each in steps[:count]]
        if not all(step.nest.parallel) and any(_is_made(nests[:-1], access) for access in step.nest.inputs):
            found = TileParts.of(nests)
            is_all = found is not None and all(
                each.alone_touch(steps[:count], each.nest.outputs[0].memref)
                and (all(each.nest.parallel) or _starts_from_zero(each))
                for each in steps[: count - 1]
            )
            return (found, count) if found is not None and is_all else None
    return None


def dims_of(access: Access) -> list[int]:
    """The dimensions that an operand is addressed by, of one that has no other addresses."""
    return [ir.AffineDimExpr(expression).position for expression in access.expressions]


def _is_made(nests: Sequence[LoopNest], access: Access) -> bool:
    return not access.is_scalar and any(access.memref == nest.outputs[0].memref for nest in nests)


def _starts_from_zero(step: Step) -> bool:
    initial = step.initial
    if initial is None or isinstance(initial.owner, ir.Block):
        return False
    maker: Operation = initial.owner.operation
    return maker.name == "arith.constant" and bool(maker.attributes["value"].value == 0)


def _with_makers(nests: Sequence[LoopNest]) -> list[Part]:
    writers: dict[Value, int] = {}
    found = []
    for number, nest in enumerate(nests):
        makers = [None if access.is_scalar else writers.get(access.memref) for access in nest.inputs]
        found.append(Part(nest, tuple(makers)))
        for access in nest.outputs:
            writers[access.memref] = number
    return found


def _product(part: Part) -> Part | None:
    """A product of floats that has rows and columns at the end, if that is what a nest is."""
    found = match_contraction(part.nest, None)
    if found is None or any(maker is not None for maker in part.makers) or len(found.summed) != 1:
        return None
    if found.parts != 1 or not isinstance(found.element, ir.F32Type | ir.F64Type):
        return None
    if not all(isinstance(expression, ir.AffineDimExpr) for expression in found.result.expressions):
        return None
    dims = dims_of(found.result)
    if len(dims) < 2 or found.column != dims[-1] or found.stored != found.element:
        return None
    row, own = dims[-2], found.left.access
    if not own.mentions(row) or found.right.access.mentions(row):
        return None
    return replace(part, product=with_row(found, row))


def with_row(found: Contraction, row: int) -> Contraction:
    """The same contraction of which a dimension has the rows."""
    others = {*found.outer, found.row} - {row, None}
    return replace(found, row=row, outer=sorted(dim for dim in others if dim is not None))


def _is_elementwise(part: Part) -> bool:
    """Whether each element of a matrix is made of those at the same place, and of others that are in memory."""
    nest, rank = part.nest, len(part.nest.parallel)
    if len(nest.outputs) != 1 or rank < 2 or any(asks_for_outputs(nest)):
        return False
    return all(dims_or_none(a) == list(range(rank)) for a in (*nest.outputs, *_made(part)))


def _made(part: Part) -> list[Access]:
    return [a for a, maker in zip(part.nest.inputs, part.makers, strict=True) if maker is not None]


def dims_or_none(access: Access) -> list[int] | None:
    """The dimensions that an operand is addressed by; None of one that has other addresses."""
    are_dims = all(isinstance(expression, ir.AffineDimExpr) for expression in access.expressions)
    return dims_of(access) if are_dims else None


def _sum_of_rows(makers: Sequence[Part], last: Part) -> TileParts | None:
    nest, rank = last.nest, len(last.nest.parallel)
    whole = list(range(rank))
    if nest.parallel != [True] * (rank - 1) + [False] or Reduction.of(nest) is None:
        return None
    if any(dims_or_none(access) != whole for access in _made(last)):
        return None
    if any(dims_or_none(access) != whole[:-1] for access in nest.outputs):
        return None
    return TileParts(makers, last, -2)


def _sum_of_products(makers: Sequence[Part], last: Part) -> TileParts | None:
    found = match_contraction(last.nest, None)
    if found is None or len(found.summed) != 1 or found.parts != 1 or last.makers.count(None) != 1:
        return None
    left, right, result = (dims_or_none(a) for a in (found.left.access, found.right.access, found.result))
    place = next(number for number, maker in enumerate(last.makers) if maker is not None)
    if left is None or right is None or result is None or not isinstance(found.columns, int):
        return None
    if found.left.access.memref != last.nest.inputs[place].memref or found.summed[0] not in left[-2:]:
        return None
    own = -2 if left[-1] == found.summed[0] else -1
    if result != [*left[:-2], left[own], found.column] or left[own] in right:
        return None
    return TileParts(makers, replace(last, product=with_row(found, left[own])), own)
