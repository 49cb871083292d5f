"""Lowerings of argmax and argmin: the extremum first, then the smallest index at which it stands.

Both are reductions that vectorise, row by row while the row is in the cache. A long array without rows is cut into
such, where they can be of one length: it is read once for their extrema, and only the row with the best of these is
looked at again. Where it cannot be cut, the second reduction is a search, which ends at the first place.
"""

from __future__ import annotations

from functools import reduce as fold
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.mlir import Value, dialect, ir
from ...dialect.op import Op
from ...dialect.ops.elementwise import Maximum, Minimum
from ...dialect.ops.reductions import Argmax, Argmin, real_dtype
from ...dialect.types import TensorType
from .accumulators import STOPS, computing_dtype, convert_scalar, parts
from .conversion import Conversion, OpInstance, linalg_index, lowers, scalar_type
from .reductions import Reduction, extremum_of, geometry_of
from .regions import box, extract_region
from .reshapes import expand
from .scalars import ScalarBuilder

arith = dialect("arith")
tensor = dialect("tensor")

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_EXTREMUM_OF: dict[type[Op], type[Op]] = {Argmax: Maximum, Argmin: Minimum}

SHORTEST_ROW, LONGEST_ROW = 512, 4096
"""Of the rows that a long array is cut into; they stay in the first-level cache."""


@lowers(Argmax, Argmin)
def lower_argmax_and_argmin(c: Conversion, op: OpInstance) -> Value:
    """The first place of the extremum; that of the first NaN where there is one."""
    geometry, which = geometry_of(c, op), _EXTREMUM_OF[op.op_class]
    row = _row_length(geometry.type.shape)
    if geometry.type.dtype == np.bool_:
        return geometry.finish(_places_of_truth(geometry, which is Maximum), op.result_type)
    found = _places(geometry, which) if row is None else _place_by_rows(geometry, which, row)
    return geometry.finish(found, op.result_type)


def _is_long(shape: tuple[int | None, ...]) -> bool:
    """Whether an array of one axis is, or may be, longer than what stays in the cache."""
    return len(shape) == 1 and (shape[0] is None or shape[0] >= 2 * LONGEST_ROW)


def _row_length(shape: tuple[int | None, ...]) -> int | None:
    """The longest rows that an array of one axis can be cut into, if there are some to cut."""
    length = shape[0] if _is_long(shape) else None
    if length is None:
        return None
    return next((row for row in range(LONGEST_ROW, SHORTEST_ROW - 1, -1) if length % row == 0), None)


def _places_of_truth(geometry: Reduction, wanted: bool) -> Value:
    """The first places at which booleans are what is wanted, 0 where none is; the search ends at the first one."""
    c, place = geometry.c, _place_dtype(geometry)
    index, beyond = ScalarBuilder(c, place), int(np.iinfo(place).max)

    def body(out: Value, x: Value) -> Value:
        truth = c.load(x, geometry.type.dtype)
        position = arith.IndexCastOp(index.type, linalg_index(geometry.axes[0])).result
        never = index.constant(beyond)
        choices = (position, never) if wanted else (never, position)
        candidate = index.select(truth, *choices)
        return c.operation("arith.minsi", [out, candidate], [out.type], {STOPS: ir.UnitAttr.get()})

    types = geometry.reduced_type(place), geometry.reduced_type(_INT64)

    def or_zero(first: Value) -> Value:
        is_none = index.compare("eq", first, index.constant(beyond))
        found = index.select(is_none, index.constant(0), first)
        return found if place == _INT64 else arith.ExtSIOp(scalar_type(_INT64), found).result

    found = geometry.combine(beyond, place, body)
    return c.map_elements([found], [types[0]], [types[1]], or_zero)[0]


def _place_dtype(geometry: Reduction) -> np.dtype[Any]:
    """32 bits where these hold all places along the reduced axis."""
    length = geometry.type.shape[geometry.axes[0]]
    return _INT32 if length is not None and length < np.iinfo(_INT32).max else _INT64


def _places(geometry: Reduction, which: type[Op]) -> Value:
    """The places of extrema along the reduced axis, computed in 32 bits where these hold all places.

    Of one long axis the place is searched for, which ends early; rows are in the cache.
    """
    c, dtype = geometry.c, geometry.type.dtype
    computing = computing_dtype(dtype)
    extreme = extremum_of(geometry, which)
    place = _place_dtype(geometry)
    index, beyond = ScalarBuilder(c, place), int(np.iinfo(place).max)
    stops = {STOPS: ir.UnitAttr.get()} if _is_long(geometry.type.shape) else {}

    def body(out: Value, x: Value, best: Value) -> Value:
        matches = _is_extremum(c, computing, convert_scalar(c, x, dtype, computing), best)
        position = arith.IndexCastOp(index.type, linalg_index(geometry.axes[0])).result
        candidate = index.select(matches, position, index.constant(beyond))
        return c.operation("arith.minsi", [out, candidate], [out.type], stops)

    found = geometry.combine(beyond, place, body, [extreme])
    if place == _INT64:
        return found
    types = geometry.reduced_type(place), geometry.reduced_type(_INT64)
    return c.map_elements(
        [found], [types[0]], [types[1]], lambda x: arith.ExtSIOp(scalar_type(_INT64), x).result
    )[0]


def _place_by_rows(geometry: Reduction, which: type[Op], row: int) -> Value:
    """The place of the extremum of a long array: in the first of its rows of some length with the best extremum."""
    c, x, (length,), dtype = geometry.c, geometry.operand, geometry.type.shape, geometry.type.dtype
    assert length is not None
    rows, place = length // row, TensorType((), _INT64)
    table = expand(x, [[0, 1]], [rows, row])
    extrema = extremum_of(Reduction(c, table, TensorType((rows, row), dtype), (1,)), which)
    best = _places(Reduction(c, extrema, TensorType((rows,), computing_dtype(dtype)), (0,)), which)
    index = ScalarBuilder(c, _INT64)
    # Where there is no extremum its place is beyond: what is read is a row in any case.
    number = index.op("arith.minsi", tensor.ExtractOp(best, []).result, index.constant(rows - 1))
    start = index.op("arith.muli", number, index.constant(row))
    part = extract_region(x, box([arith.IndexCastOp(c.index(0).type, start).result], [row]))
    within = _places(Reduction(c, part, TensorType((row,), dtype), (0,)), which)
    return c.map_elements([within], [place], [place], lambda found: index.op("arith.addi", start, found))[0]


def _is_extremum(c: Conversion, dtype: np.dtype[Any], x: Value, best: Value) -> Value:
    """Whether an element equals the extremum or is a NaN."""
    if kind(dtype) == "b":
        return arith.CmpIOp(arith.CmpIPredicate.eq, x, best).result
    if kind(dtype) not in "fc":
        return ScalarBuilder(c, dtype).compare("eq", x, best)
    pairs, real = [(x, best)], ScalarBuilder(c, dtype)
    if kind(dtype) == "c":
        pairs = list(zip(parts(c, x, dtype), parts(c, best, dtype), strict=True))
        real = ScalarBuilder(c, real_dtype(dtype))
    equal = fold(real.both, [real.compare("eq", a, b) for a, b in pairs])
    return fold(real.either, [real.compare("ne", a, a) for a, _ in pairs], equal)
