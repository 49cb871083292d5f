"""Checks of sizes as ops in front of the op that relies on them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from ...dialect.mlir import Operation, Value
from ...dialect.op import OPS
from ...dialect.ops.creation import Constant
from ...dialect.ops.shape import Dim
from ...dialect.ops.state import RaiseIf
from ...dialect.register import create


def extent_of(array: Value, axis: int) -> Value:
    """The extent of an axis, as an i64[]; one from the end if negative."""
    return create(Dim, [array], {"axis": axis % array.type.rank}).results[0]


def number(value: int) -> Value:
    """A number as an i64[]."""
    return create(Constant, [], {"value": np.asarray(value, np.int64)}).results[0]


def binary(name: str, one: Value, other: Value) -> Value:
    """The result of an op on two scalars."""
    return create(OPS[name], [one, other], {}).results[0]


def product(extents: Sequence[Value]) -> Value:
    """The number of elements of some extents."""
    return reduce(lambda total, extent: binary("multiply", total, extent), extents, number(1))


def require_equal(op: Operation, one: Value, other: Value) -> None:
    """Raise ValueError unless two sizes are equal."""
    raise_if(op, binary("not_equal", one, other), "ValueError", "sizes {0} and {1} do not fit", (one, other))


def require_at_least(op: Operation, extent: Value, least: int) -> None:
    """Raise ValueError unless an extent is as large as needed."""
    message = f"an axis has size {{0}}, and needs {least}"
    raise_if(op, binary("less", extent, number(least)), "ValueError", message, (extent,))


def require_elements(op: Operation, indices: Value, extent: Value) -> None:
    """Raise IndexError where there are indices into an axis without elements."""
    count = product([extent_of(indices, axis) for axis in range(indices.type.rank)])
    is_outside = binary(
        "logical_and", binary("equal", extent, number(0)), binary("greater", count, number(0))
    )
    raise_if(op, is_outside, "IndexError", "there are {0} indices into an axis without elements", (count,))


def raise_if(op: Operation, condition: Value, error: str, message: str, values: Sequence[Value]) -> None:
    """Raise an error that names an op."""
    create(RaiseIf, [condition, *values], {"error": error, "message": f"{op.name}: {message}"})
