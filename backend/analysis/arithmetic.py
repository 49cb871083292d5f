"""Which ops compute, what each counts, and how often the body of a linalg op runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

from ...dialect.mlir import Operation, ir
from ...dialect.op import OPS
from ...dialect.ops import load_families
from ...dialect.sizes import Size

_ONE = """
arith.addf arith.subf arith.mulf arith.divf arith.remf arith.negf arith.maximumf arith.minimumf arith.maxnumf
arith.minnumf arith.cmpf arith.addi arith.subi arith.muli arith.divsi arith.divui arith.floordivsi arith.ceildivsi
arith.remsi arith.remui arith.maxsi arith.maxui arith.minsi arith.minui arith.andi arith.ori arith.xori arith.shli
arith.shrsi arith.shrui arith.cmpi math.absf math.absi math.copysign math.floor math.ceil math.round math.roundeven
math.trunc math.ctpop math.ctlz math.cttz
"""
FLOPS: Mapping[str, int] = {
    **dict.fromkeys(_ONE.split(), 1),
    "math.fma": 2,
    "complex.add": 2,
    "complex.sub": 2,
    "complex.neg": 2,
    "complex.mul": 6,
    "complex.div": 11,
    "complex.eq": 2,
    "complex.neq": 2,
}
"""Additions, multiplications, divisions, comparisons and the like on elements, integers too; the parts of complex
arithmetic one by one."""

load_families()
_FUNCTIONS = {op.elementary for op in OPS.values() if op.elementary} | {
    "math.fpowi",
    "math.ipowi",
    "math.rsqrt",
    "math.sincos",
    "math.sqrt",
}
_COMPLEX_FUNCTIONS = "abs angle cos exp expm1 log log1p pow rsqrt sin sqrt tan tanh"
TRANSCENDENTAL: Mapping[str, int] = {
    **dict.fromkeys(_FUNCTIONS, 1),
    **{f"complex.{name}": 1 for name in _COMPLEX_FUNCTIONS.split()},
}
"""Roots, powers, exponentials, logarithms, angles: one each, whatever their expansion costs."""


def is_arithmetic(op: Operation) -> bool:
    """Whether an op is counted: arithmetic, but not on indices and conditions."""
    if op.name not in FLOPS and op.name not in TRANSCENDENTAL:
        return False
    type = op.operands[0].type
    return not isinstance(type, ir.IndexType) and not (isinstance(type, ir.IntegerType) and type.width == 1)


def runs(op: Operation, shapes: Sequence[Sequence[Size | None]]) -> Size | None:
    """How often the body of a linalg op runs, by the shapes of its operands; None where an extent is not known."""
    maps = _indexing_maps(op)
    if maps is None:
        return _named_runs(op, shapes)
    extents: dict[int, Size | None] = {}
    for indexing, shape in zip(maps, shapes, strict=True):
        for expression, extent in zip(indexing.results, shape, strict=True):
            if isinstance(expression, ir.AffineDimExpr):
                position = ir.AffineDimExpr(expression).position
                if not isinstance(extents.get(position), int) and extent is not None:
                    extents[position] = extent
    known = [extents.get(axis) for axis in range(maps[0].n_dims)] if maps else []
    return product(known)


def product(extents: Sequence[Size | None]) -> Size | None:
    """The number of elements of a shape; None where an extent is not known."""
    known = [extent for extent in extents if extent is not None]
    return math.prod(known, start=cast("Size", 1)) if len(known) == len(extents) else None


def _indexing_maps(op: Operation) -> list[ir.AffineMap] | None:
    if "indexing_maps" not in op.attributes:
        return None
    return [attribute.value for attribute in op.attributes["indexing_maps"]]


def _named_runs(op: Operation, shapes: Sequence[Sequence[Size | None]]) -> Size | None:
    """The same of ops whose name tells how they index: all extents of the result and those that are summed over."""
    result = list(shapes[-1])
    summed: list[Size | None] = []
    if op.name in ("linalg.matmul", "linalg.batch_matmul", "linalg.matvec", "linalg.batch_matvec"):
        summed = [shapes[0][-1]]
    elif op.name in ("linalg.vecmat", "linalg.dot"):
        summed = [shapes[0][0]]
    elif op.name.startswith("linalg.conv_"):
        summed = list(shapes[1][:-1])
    elif op.name == "linalg.reduce":
        result = list(shapes[0])
    return product(result + summed)
