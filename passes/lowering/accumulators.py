"""What reductions, scans and contractions combine with, and the dtypes in which they do."""

from __future__ import annotations

from functools import reduce as fold
from typing import Any

import numpy as np

from ...dialect.dtypes import is_half, kind
from ...dialect.mlir import Value, ir
from ...dialect.op import Op
from ...dialect.ops.complex_parts import part_dtype
from ...dialect.ops.elementwise import Maximum, Minimum
from ...dialect.ops.reductions import extremum_of_nothing
from ...dialect.types import TensorType
from .conversion import Conversion, scalar_type
from .emission import emit
from .scalars import ScalarBuilder, narrow, widen

_FLOAT32 = np.dtype(np.float32)
_WIDER: dict[np.dtype[Any], np.dtype[Any]] = {
    _FLOAT32: np.dtype(np.float64),
    np.dtype(np.complex64): np.dtype(np.complex128),
}


def computing_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which single operations of a dtype are computed: float32 for narrower floats."""
    return _FLOAT32 if kind(dtype) == "f" and dtype.itemsize < 4 else dtype


def summing_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which long sums of a dtype are computed: the next wider one for floats of up to 32 bits.

    That makes a sum in any order as accurate as NumPy's pairwise one.
    """
    return _FLOAT32 if is_half(dtype) else _WIDER.get(dtype, dtype)


def parts(c: Conversion, x: Value, dtype: np.dtype[Any]) -> tuple[Value, Value]:
    """The real and imaginary part of a complex scalar."""
    part = [scalar_type(part_dtype(dtype))]
    return c.operation("complex.re", [x], part), c.operation("complex.im", [x], part)


def convert_scalar(c: Conversion, x: Value, source: np.dtype[Any], target: np.dtype[Any]) -> Value:
    """A scalar in a wider or narrower dtype of the same kind, rounded to nearest."""
    if source == target:
        return x
    if kind(source) == "c":
        ends = part_dtype(source), part_dtype(target)
        converted = [convert_scalar(c, part, *ends) for part in parts(c, x, source)]
        return c.operation("complex.create", converted, [scalar_type(target)])
    if target == _FLOAT32 and source.itemsize < 4:
        return widen(ScalarBuilder(c, source), x)
    if source == _FLOAT32 and target.itemsize < 4:
        return narrow(ScalarBuilder(c, target), x)
    name = "arith.extf" if target.itemsize > source.itemsize else "arith.truncf"
    return c.operation(name, [x], [scalar_type(target)])


def round_once(c: Conversion, accumulated: Value, accumulator: TensorType, result: TensorType) -> Value:
    """An accumulated tensor, rounded to the dtype of the result."""
    if accumulator.dtype == result.dtype:
        return accumulated
    return c.map_elements(
        [accumulated],
        [accumulator],
        [result],
        lambda x: convert_scalar(c, x, accumulator.dtype, result.dtype),
    )[0]


# Combiners: the ops on memory scalars (booleans are bytes) that schedules recognise.


def add(c: Conversion, dtype: np.dtype[Any], x: Value, y: Value) -> Value:
    """The sum of two scalars."""
    name = {"f": "arith.addf", "c": "complex.add"}.get(kind(dtype), "arith.addi")
    return c.operation(name, [x, y], [x.type])


ROUNDED = "weft.rounded"
"""On an addition in f64 of a sum of f32 that becomes f32 in the end: neighbours may be added in f32 first."""


def add_to_sum(c: Conversion, source: np.dtype[Any], result: np.dtype[Any], total: Value, x: Value) -> Value:
    """A sum of elements of a dtype, in the wider dtype, with one more; `result` is what it is rounded to."""
    wide = summing_dtype(source)
    sum_ = add(c, wide, total, convert_scalar(c, x, source, wide))
    if source == result == _FLOAT32:
        sum_.owner.attributes[ROUNDED] = ir.UnitAttr.get()
    return sum_


STOPS = "weft.stops"
"""On a combiner that nothing changes any more once it has found something, so that the search may end early:
`arith.ori` and `arith.andi` of bytes that are 0 or 1, and `arith.minsi` of places in ascending order."""


def multiply(c: Conversion, dtype: np.dtype[Any], x: Value, y: Value) -> Value:
    """The product of two scalars."""
    name = {"f": "arith.mulf", "c": "complex.mul"}.get(kind(dtype), "arith.muli")
    return c.operation(name, [x, y], [x.type])


_EXTREMUM_OPS: dict[type[Op], dict[str, str]] = {
    Maximum: {"f": "arith.maximumf", "i": "arith.maxsi", "u": "arith.maxui", "b": "arith.maxui"},
    Minimum: {"f": "arith.minimumf", "i": "arith.minsi", "u": "arith.minui", "b": "arith.minui"},
}


def extremum(c: Conversion, which: type[Op], dtype: np.dtype[Any], x: Value, y: Value) -> Value:
    """The Maximum or Minimum of two scalars as they are in memory; NaN if one is."""
    if kind(dtype) == "c":
        return emit(c, which, (dtype, dtype), (dtype,), x, y)[0]
    return c.operation(_EXTREMUM_OPS[which][kind(dtype)], [x, y], [x.type])


def extremum_identity(which: type[Op], dtype: np.dtype[Any]) -> complex:
    """The value that loses against every other."""
    return extremum_of_nothing(dtype, smallest=which is Minimum)


def is_nonzero(c: Conversion, dtype: np.dtype[Any], x: Value) -> Value:
    """Whether a scalar is not zero, as an i1; NaN is not."""
    if kind(dtype) == "b":
        return x
    if kind(dtype) == "c":
        real = ScalarBuilder(c, part_dtype(dtype))
        return fold(real.either, [real.compare("ne", part, real.constant(0)) for part in parts(c, x, dtype)])
    wide = ScalarBuilder(c, computing_dtype(dtype))
    return wide.compare("ne", convert_scalar(c, x, dtype, wide.dtype), wide.constant(0))
