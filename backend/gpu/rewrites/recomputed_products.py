"""Elements that products of few columns become are computed anew by each of those who sum them up.

    %scores = linalg.contract ins(%q, %k)       : tensor<4096x4096xf32>, of tensor<4096x64xf32>
    %weights = linalg.generic ins(%scores, ...)                            of the same place
    %a = linalg.contract ins(%weights, %v)      : tensor<4096x64xf32>      sums of columns,
    %b = linalg.contract ins(%weights, %d)                                 of rows,
    %c = linalg.generic ins(%weights)           : tensor<4096xf32>         and of rows alone

Each of the sums gets a copy of what makes its elements, which joins its kernel: the matrix is in no memory. So it is
where nobody else asks for it, and to multiply again takes no longer than to write and to read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....dialect.mlir import Block, Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import (
    indexing_maps,
    operations_in,
    operations_of,
    parallel_dimensions,
    replace_operands,
)
from ...planning.outlining.clusters import JOINS
from ...target import gpu_figures
from .attention import (
    MOST_COLUMNS,
    contraction_maps,
    is_elementwise,
    match_attention,
    match_quotient,
    positions,
)
from .joined_attention import source_in_block

_UNKNOWN = 1024
"""What an extent counts for that is not known."""


@dataclass(frozen=True)
class RecomputeProducts(Pass):
    """Compute what products of few columns become anew where it is summed, instead of keeping it in memory."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.body.operations:
            for block in _blocks(function.operation):
                for matrix in _matrices(block):
                    if matrix.pays():
                        statistics["sums of computed elements"] += matrix.recompute()


def _blocks(function: Operation) -> list[Block]:
    """Those with products in them."""
    return list(dict.fromkeys(op.block for op in operations_of(function) if op.name == "linalg.contract"))


def _matrices(block: Block) -> list[_Matrix]:
    """What is computed at the places of matrices, as products, and what is made of these, have them."""
    groups: dict[Operation, list[Operation]] = {}
    for op in operations_in(block):
        own = [maker for maker in _makers(op) if maker in groups]
        if _is_narrow(op):
            groups[op] = [op]
        elif own and is_elementwise(op) and all(_is_read_in_place(op, maker) for maker in own):
            joined = [op]
            for maker in own:
                joined += [other for other in groups[maker] if other not in joined]
            for other in joined:
                groups[other] = joined
    distinct = {id(group): group for group in groups.values()}.values()
    order = {op: number for number, op in enumerate(operations_in(block))}
    found = [_matrix(sorted(group, key=order.__getitem__), order) for group in distinct]
    return [matrix for matrix in found if matrix is not None]


def _matrix(makers: list[Operation], order: Mapping[Operation, int]) -> _Matrix | None:
    """What is computed by some operations; None where somebody asks for it who does not sum it up."""
    own = set(makers)
    for op in makers:  # what is computed of places alone, as masks are
        for maker in _makers(op):
            users = [use.owner.operation for use in maker.results[0].uses]
            if (
                maker not in own
                and is_elementwise(maker)
                and all(user in own and _is_read_in_place(user, maker) for user in users)
            ):
                own.add(maker)
    found: set[Operation] = set()
    for op in own:
        for use in op.results[0].uses:
            user = use.owner.operation
            if user in own and _is_read_in_place(user, op):
                continue
            if user.block != op.block or not _sums_up(user, op):
                return None
            found.add(user)
    return _Matrix(sorted(own, key=order.__getitem__), sorted(found, key=order.__getitem__))


def _makers(op: Operation) -> list[Operation]:
    found = [source_in_block(op, number) for number in range(len(op.operands))]
    return [maker for maker in found if maker is not None]


def _is_narrow(op: Operation) -> bool:
    """Whether an operation multiplies matrices of few columns, for a matrix of more."""
    if op.name != "linalg.contract" or contraction_maps(op) is None:
        return False
    left, right, result = positions(op)
    depth = _depth(op)
    if len(result) < 2 or not isinstance(op.results[0].type.element_type, ir.F32Type | ir.F64Type):
        return False
    row, column = result[-2:]
    is_plain = (row in left and column in right and row not in right and column not in left) or (
        row in right and column in left and row not in left and column not in right
    )
    extents = [_UNKNOWN if extent < 0 else extent for extent in op.results[0].type.shape[-2:]]
    return is_plain and 0 < depth <= min(MOST_COLUMNS, *extents)


def _depth(op: Operation) -> int:
    """How many products a contraction adds up; 0 where that is not known."""
    dims = positions(op)
    (summed,) = {dim for own in dims for dim in own} - set(dims[-1])
    extent = next(op.operands[n].type.shape[own.index(summed)] for n, own in enumerate(dims) if summed in own)
    return max(0, int(extent))


def _is_read_in_place(op: Operation, maker: Operation) -> bool:
    rank = maker.results[0].type.rank
    maps = [
        map for value, map in zip(op.operands, indexing_maps(op), strict=True) if value == maker.results[0]
    ]
    return is_elementwise(op) and all(map == ir.AffineMap.get_identity(rank) for map in maps)


def _sums_up(op: Operation, maker: Operation) -> bool:
    """Whether an operation adds up what another one makes, over rows or columns, or combines rows."""
    if op.name not in ("linalg.contract", "linalg.generic") or len(op.results) != 1:
        return False
    rank, result = maker.results[0].type.rank, maker.results[0]
    maps = [map for value, map in zip(op.operands, indexing_maps(op), strict=True) if value == result]
    if contraction_maps(op) is not None:
        (place,) = [number for number, value in enumerate(op.operands) if value == result][:1]
        own, ends = positions(op)[place], positions(op)[-1]
        summed = [dim for dim in own if dim not in ends]
        kept = next((dim for dim in own[-2:] if dim not in summed), None)
        is_last = len(summed) == 1 and summed[0] in own[-2:] and ends[:-1] == [*own[:-2], kept]
        return len(maps) == 1 and is_last and kept not in positions(op)[1 - place]
    kinds = parallel_dimensions(op)
    whole, rows = ir.AffineMap.get_identity(rank), [ir.AffineDimExpr.get(dim) for dim in range(rank - 1)]
    if op.name != "linalg.generic" or list(kinds) != [True] * (rank - 1) + [False]:
        return False
    return all(map == whole for map in maps) and list(indexing_maps(op)[-1].results) == rows


def _is_attention(op: Operation) -> bool:
    """Whether an operation is the last of attention, which is one kernel; but for a division behind it."""
    users = [use.owner.operation for use in op.results[0].uses]
    return match_attention(op, source_in_block) is not None or any(
        user.name == "linalg.generic" and match_quotient(user, source_in_block) is not None for user in users
    )


def _bits(value: Value) -> int:
    return int(value.type.element_type.width)


class _Matrix:
    """What is computed at the places of a matrix, of products of few columns, and who sums it up."""

    def __init__(self, makers: Sequence[Operation], sums: Sequence[Operation]) -> None:
        self.makers, self.sums = makers, sums

    def pays(self) -> bool:
        """Whether multiplying again takes no longer than memory does."""
        figures = gpu_figures()
        ends = [op for op in self.sums if contraction_maps(op) is not None]
        if not ends or (len(ends) == 1 and _is_attention(ends[0])):
            return False
        products = [op for op in self.makers if contraction_maps(op) is not None]
        again = sum(_depth(op) for total in self.sums for op in self._makers_of(total) if op in products)
        more = 2 * (again - sum(map(_depth, products)))
        kept = [(op, len(list(op.results[0].uses))) for op in self.makers]
        moved = sum(
            _bits(op.results[0]) / 8 * (1 + count) for op, count in kept if count > 1 or op in products
        )
        return more * figures.bytes_per_second <= moved * figures.f32_per_second

    def recompute(self) -> int:
        """Give a copy of what it needs to each sum; how many these are."""
        for total in self.sums:
            copies: dict[Value, Value] = {}
            with ir.InsertionPoint(total):
                for maker in self._makers_of(total):
                    copy = maker.clone()
                    copy.attributes[JOINS] = ir.UnitAttr.get()
                    replace_operands(copy, copies)
                    copies[maker.results[0]] = copy.results[0]
            replace_operands(total, copies)
        for op in reversed(self.makers):
            op.erase()
        return len(self.sums)

    def _makers_of(self, total: Operation) -> list[Operation]:
        """What makes the elements that a sum asks for, in order."""
        needed, pending = set[Operation](), [total]
        while pending:
            makers = [
                maker for maker in _makers(pending.pop()) if maker in self.makers and maker not in needed
            ]
            needed |= set(makers)
            pending += makers
        return [maker for maker in self.makers if maker in needed]
