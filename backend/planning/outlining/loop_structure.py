"""How an op runs over its iteration space: what clusters ask before ops share loops."""

from __future__ import annotations

from ....dialect.mlir import Operation, ir
from ....dialect.records import dataclass

_CONTRACTIONS = frozenset(
    {
        "linalg.matmul",
        "linalg.batch_matmul",
        "linalg.matvec",
        "linalg.vecmat",
        "linalg.batch_matvec",
        "linalg.conv_1d_nwc_wcf",
        "linalg.conv_2d_nhwc_hwcf",
        "linalg.conv_3d_ndhwc_dhwcf",
        "linalg.contract",
    }
)


@dataclass(frozen=True)
class Structure:
    """How an op runs over its iteration space."""

    parallel: int  # leading parallel loops
    reduction: int  # trailing reduction loops
    contraction: bool

    @staticmethod
    def of(op: Operation) -> Structure | None:
        """The structure of a linalg op with parallel loops outside and reductions inside, else None."""
        if op.name in _CONTRACTIONS:
            return Structure(0, 0, contraction=True)
        if op.name != "linalg.generic" or len(op.results) != 1:
            return None
        kinds = ["parallel" in str(kind) for kind in op.attributes["iterator_types"]]
        parallel = kinds.index(False) if False in kinds else len(kinds)
        maps = [attribute.value for attribute in op.attributes["indexing_maps"]]
        if any(kinds[parallel:]):
            return Structure(0, 0, contraction=True) if _is_contraction(kinds, maps) else None
        reduction = len(kinds) - parallel
        if reduction and _is_contraction(kinds, maps):
            return Structure(parallel, reduction, contraction=True)
        if maps[-1] != ir.AffineMap.get(len(kinds), 0, [ir.AffineDimExpr.get(i) for i in range(parallel)]):
            return None
        return Structure(parallel, reduction, contraction=False)

    @property
    def elementwise(self) -> bool:
        """Whether every element of the result depends on one element of the iteration space."""
        return not self.contraction and self.reduction == 0


def _is_contraction(parallel: list[bool], maps: list[ir.AffineMap]) -> bool:
    """Whether two inputs are multiplied along a reduced dimension, judged by the indexing."""
    reduced = {i for i, flag in enumerate(parallel) if not flag}
    if len(maps) != 3 or not reduced:
        return False
    used = [_dimensions(indexing) for indexing in maps]
    return reduced <= used[0] & used[1] and used[0] != used[1]


def _dimensions(indexing: ir.AffineMap) -> set[int]:
    found: set[int] = set()
    for dimension in range(indexing.n_dims):
        if any(f"d{dimension}" in _terms(expression) for expression in indexing.results):
            found.add(dimension)
    return found


def _terms(expression: ir.AffineExpr) -> list[str]:
    return str(expression).replace("(", " ").replace(")", " ").split()
