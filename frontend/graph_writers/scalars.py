"""What stands between ops of weft: arithmetic on scalars, which are tensors of rank 0 here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ...dialect.dtypes import by_mlir
from ...dialect.emitter import INT64, Tensor
from ...dialect.mlir import Operation, Type, ir
from .table import BOOL, GraphBuilder, Unsaid

_SIGNED = ("less", "less_equal", "greater", "greater_equal")
_PREDICATES = ("equal", "not_equal", *_SIGNED, *_SIGNED)
"""Of `arith.cmpi`, by number; the last four are of unsigned numbers."""


def dtype_of(mlir_type: Type) -> np.dtype[Any]:
    """The dtype of a scalar; places are i64."""
    if isinstance(mlir_type, ir.IndexType):
        return INT64
    row = by_mlir(str(mlir_type))
    if row is None:
        raise Unsaid(f"has a scalar of type {mlir_type}")
    return row.dtype


def _compare(b: GraphBuilder, op: Operation, x: Tensor, y: Tensor) -> Tensor:
    number = op.attributes["predicate"].value
    if number > 5 and x.dtype != BOOL:
        x, y = (b.bitcast(each, dtype=np.dtype(f"u{each.dtype.itemsize}")) for each in (x, y))
    return b.one(_PREDICATES[number], x, y)


def _constant(b: GraphBuilder, op: Operation) -> Tensor:
    return b.number(op.attributes["value"].value, dtype_of(op.results[0].type))


def _converted(b: GraphBuilder, op: Operation, x: Tensor) -> Tensor:
    return b.converted(x, dtype_of(op.results[0].type))


def _unsigned(b: GraphBuilder, op: Operation, x: Tensor) -> Tensor:
    if x.dtype != BOOL:
        x = b.bitcast(x, dtype=np.dtype(f"u{x.dtype.itemsize}"))
    return b.converted(x, dtype_of(op.results[0].type))


def _named(name: str) -> Callable[..., Tensor]:
    return lambda b, op, *operands: b.one(name, *operands)


SCALAR_WRITERS: Mapping[str, Callable[..., Tensor]] = MappingProxyType(
    {
        "arith.constant": _constant,
        "arith.cmpi": _compare,
        "arith.index_cast": _converted,
        "arith.extsi": _converted,
        "arith.trunci": _converted,
        "arith.extui": _unsigned,
        "arith.index_castui": _unsigned,
        **{
            f"arith.{name}": _named(own)
            for name, own in {
                "addi": "add",
                "subi": "subtract",
                "muli": "multiply",
                "andi": "bitwise_and",
                "ori": "bitwise_or",
                "xori": "bitwise_xor",
                "minsi": "minimum",
                "maxsi": "maximum",
                "floordivsi": "floor_divide",
                "remsi": "fmod",
                "select": "select",
                "addf": "add",
                "subf": "subtract",
                "mulf": "multiply",
                "divf": "divide",
                "negf": "negative",
            }.items()
        },
    }
)
"""The ops on scalars that can be written."""
