"""Lowerings of the reductions: a fill and a `linalg.generic` that combines, then rounding and division.

The body is always `combine(out, expression)` with the widening inside the expression, so that producers fuse
into it and a schedule recognises the combiner. The order of combination decides nothing but rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce as fold
from typing import Any

import numpy as np

from ...dialect.dtypes import kind
from ...dialect.mlir import Value, dialect, ir
from ...dialect.op import Op
from ...dialect.ops.elementwise import Maximum, Minimum
from ...dialect.ops.reductions import (
    AllOf,
    AnyOf,
    Max,
    MaxNumber,
    Mean,
    Min,
    MinNumber,
    Prod,
    Std,
    Sum,
    Var,
    normalize_axes,
    real_dtype,
)
from ...dialect.records import dataclass
from ...dialect.types import TensorType
from ..index_arithmetic import Extent
from .accumulators import (
    STOPS,
    add,
    add_to_sum,
    computing_dtype,
    convert_scalar,
    extremum,
    extremum_identity,
    is_nonzero,
    multiply,
    parts,
    round_once,
    summing_dtype,
)
from .conversion import Conversion, OpInstance, lowers, scalar_type
from .reshapes import expand
from .scalars import ScalarBuilder

arith = dialect("arith")

_BOOL = np.dtype(np.bool_)
_INT64 = np.dtype(np.int64)


@dataclass(frozen=True)
class Reduction:
    """The geometry of a reduction: the operand, the axes that go, the type and extents of what is left."""

    c: Conversion
    operand: Value
    type: TensorType
    axes: tuple[int, ...]

    @property
    def kept(self) -> list[int]:
        """The axes that stay."""
        return [axis for axis in range(self.type.rank) if axis not in self.axes]

    def reduced_type(self, dtype: np.dtype[Any]) -> TensorType:
        """The type of the result, without the reduced axes."""
        return TensorType(tuple(self.type.shape[axis] for axis in self.kept), dtype)

    def count(self) -> Extent:
        """The number of elements that are combined into one."""
        extents = [self.c.extent(self.operand, axis) for axis in self.axes]
        if all(isinstance(extent, int) for extent in extents):
            return fold(lambda a, b: a * b, extents, 1)
        return fold(lambda a, b: arith.MulIOp(self.c.index(a), self.c.index(b)).result, extents)

    def combine(
        self,
        initial: complex,
        accumulator: np.dtype[Any],
        body: Callable[..., Value],
        reduced_inputs: Sequence[Value] = (),
    ) -> Value:
        """Fill with the initial value and combine: `body(out, x, *reduced)` on scalars as they are in memory.

        `reduced_inputs` are tensors of the result's shape that the body reads as well.
        """
        c, rank = self.c, self.type.rank
        result = self.reduced_type(accumulator)
        extents = [c.extent(self.operand, axis) for axis in self.kept]
        destination = c.fill(c.constant(initial, accumulator), result, extents)
        reduced_map = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(axis) for axis in self.kept])
        maps = [ir.AffineMap.get_identity(rank), *[reduced_map] * (len(reduced_inputs) + 1)]
        iterators = ["reduction" if axis in self.axes else "parallel" for axis in range(rank)]

        def yields(*scalars: Value) -> list[Value]:
            return [body(scalars[-1], *scalars[:-1])]

        return c.generic([self.operand, *reduced_inputs], [destination], maps, iterators, yields)[0]

    def finish(self, reduced: Value, result: TensorType) -> Value:
        """Give the result its kept axes of extent 1, where it has them."""
        if result.rank == len(self.kept):
            return reduced
        return expand_unit_axes(self.c, reduced, self.kept, result)


def geometry_of(c: Conversion, op: OpInstance) -> Reduction:
    x = op.operand_types[0]
    axes = op.attributes["axes"] if "axes" in op.attributes else (op.attributes["axis"],)
    return Reduction(c, op.operands[0], x, normalize_axes(axes, x.rank))


def expand_unit_axes(c: Conversion, value: Value, kept: Sequence[int], result: TensorType) -> Value:
    """A tensor whose axes become the `kept` axes of a result that has extent 1 elsewhere."""
    groups: list[list[int]] = []
    leading: list[int] = []
    for axis in range(result.rank):
        if axis in kept:
            groups.append([*leading, axis])
            leading = []
        elif groups:
            groups[-1].append(axis)
        else:
            leading.append(axis)
    extents = dict(zip(kept, c.extents(value), strict=True))
    shape = [extents.get(axis, 1) for axis in range(result.rank)]
    return expand(value, groups, shape)


# Lowerings


@lowers(Sum, Prod)
def lower_sum_and_prod(c: Conversion, op: OpInstance) -> Value:
    """Combine in the wider dtype, round once."""
    geometry, dtype = geometry_of(c, op), op.result_type.dtype
    wide = summing_dtype(dtype)

    def add_to(out: Value, x: Value) -> Value:
        return add_to_sum(c, dtype, dtype, out, x)

    def multiply_with(out: Value, x: Value) -> Value:
        return multiply(c, wide, out, convert_scalar(c, x, dtype, wide))

    initial, body = (0, add_to) if op.op_class is Sum else (1, multiply_with)
    total = geometry.combine(initial, wide, body)
    reduced = geometry.reduced_type(dtype)
    return geometry.finish(round_once(c, total, reduced.with_dtype(wide), reduced), op.result_type)


def _mean(geometry: Reduction, target: np.dtype[Any]) -> Value:
    """The mean in a dtype, computed in the wider one of the operand's."""
    c, dtype = geometry.c, geometry.type.dtype
    wide = summing_dtype(dtype)
    total = geometry.combine(0, wide, lambda out, x: add_to_sum(c, dtype, target, out, x))
    divisor = _as_float(c, geometry.count(), real_dtype(wide))

    def divide(sum_: Value) -> Value:
        if kind(wide) != "c":
            quotient = arith.DivFOp(sum_, divisor).result
        else:
            quotients = [arith.DivFOp(part, divisor).result for part in parts(c, sum_, wide)]
            quotient = c.operation("complex.create", quotients, [scalar_type(wide)])
        return convert_scalar(c, quotient, wide, target)

    types = geometry.reduced_type(wide), geometry.reduced_type(target)
    return c.map_elements([total], [types[0]], [types[1]], divide)[0]


def _as_float(c: Conversion, count: Extent, dtype: np.dtype[Any]) -> Value:
    """A number of elements as a float scalar."""
    if isinstance(count, int):
        return c.constant(count, dtype)
    integer = arith.IndexCastOp(scalar_type(_INT64), count).result
    return c.operation("arith.sitofp", [integer], [scalar_type(dtype)])


@lowers(Mean)
def lower_mean(c: Conversion, op: OpInstance) -> Value:
    """Divide the sum before it is rounded."""
    geometry = geometry_of(c, op)
    return geometry.finish(_mean(geometry, op.result_type.dtype), op.result_type)


@lowers(Var, Std)
def lower_var_and_std(c: Conversion, op: OpInstance) -> Value:
    """Two passes: the mean, then the mean of the squared distances from it, both in the wider dtype."""
    geometry, dtype = geometry_of(c, op), op.operand_types[0].dtype
    wide = summing_dtype(dtype)
    real = real_dtype(wide)
    mean = _mean(geometry, wide)

    def squared_distance(out: Value, x: Value, center: Value) -> Value:
        x = convert_scalar(c, x, dtype, wide)
        pairs = [(x, center)]
        if kind(wide) == "c":
            pairs = list(zip(parts(c, x, wide), parts(c, center, wide), strict=True))
        distances = [arith.SubFOp(a, b).result for a, b in pairs]
        squares = [arith.MulFOp(distance, distance).result for distance in distances]
        return add(c, real, out, fold(lambda a, b: arith.AddFOp(a, b).result, squares))

    total = geometry.combine(0, real, squared_distance, [mean])
    correction = c.constant(op.attributes["correction"], real)
    degrees = arith.SubFOp(_as_float(c, geometry.count(), real), correction).result
    divisor = arith.MaximumFOp(degrees, c.constant(0, real)).result

    def divide(sum_: Value) -> Value:
        quotient = arith.DivFOp(sum_, divisor).result
        if op.op_class is Std:
            quotient = c.operation("math.sqrt", [quotient], [quotient.type])
        return convert_scalar(c, quotient, real, op.result_type.dtype)

    types = geometry.reduced_type(real), geometry.reduced_type(op.result_type.dtype)
    reduced = c.map_elements([total], [types[0]], [types[1]], divide)[0]
    return geometry.finish(reduced, op.result_type)


_EXTREMUM_OF: dict[type[Op], type[Op]] = {Max: Maximum, Min: Minimum}


def extremum_of(geometry: Reduction, which: type[Op]) -> Value:
    """The extremum in the computing dtype of the operand's."""
    c, dtype = geometry.c, geometry.type.dtype
    computing = computing_dtype(dtype)

    def body(out: Value, x: Value) -> Value:
        return extremum(c, which, computing, out, convert_scalar(c, x, dtype, computing))

    return geometry.combine(extremum_identity(which, computing), computing, body)


@lowers(Max, Min)
def lower_max_and_min(c: Conversion, op: OpInstance) -> Value:
    """Combine from the value that loses against every other; of booleans it is any or all."""
    if op.operand_types[0].dtype == _BOOL:
        return lower_any_and_all(c, op)
    geometry, reduced = geometry_of(c, op), geometry_of(c, op).reduced_type(op.result_type.dtype)
    extreme = extremum_of(geometry, _EXTREMUM_OF[op.op_class])
    accumulator = reduced.with_dtype(computing_dtype(reduced.dtype))
    return geometry.finish(round_once(c, extreme, accumulator, reduced), op.result_type)


_NUMBER_OF: dict[type[Op], type[Op]] = {MaxNumber: Maximum, MinNumber: Minimum}


@lowers(MaxNumber, MinNumber)
def lower_max_and_min_of_numbers(c: Conversion, op: OpInstance) -> Value:
    """Combine integers in the order of the numbers they stand for; that of NaN loses against every other."""
    geometry, dtype, which = geometry_of(c, op), op.operand_types[0].dtype, _NUMBER_OF[op.op_class]
    computing = computing_dtype(dtype)
    b = ScalarBuilder(c, np.dtype(f"int{8 * computing.itemsize}"))
    loser = int(extremum_identity(which, b.dtype).real)

    def ordered(bits: Value) -> Value:
        """Invert all bits but the sign of negative numbers; twice gives the same again."""
        sign = b.op("arith.shrsi", bits, b.constant(b.width - 1))
        return b.differ(bits, b.both(sign, b.constant(int(np.iinfo(b.dtype).max))))

    def body(out: Value, x: Value) -> Value:
        number = convert_scalar(c, x, dtype, computing)
        is_nan = arith.CmpFOp(arith.CmpFPredicate.UNO, number, number).result
        key = ordered(b.op("arith.bitcast", number, result=b.type))
        return extremum(c, which, b.dtype, out, b.select(is_nan, b.constant(loser), key))

    def decode(key: Value) -> Value:
        number = c.operation("arith.bitcast", [ordered(key)], [scalar_type(computing)])
        nan = c.constant(np.nan, computing)
        found = b.select(b.compare("eq", key, b.constant(loser)), nan, number)
        return convert_scalar(c, found, computing, dtype)

    types = geometry.reduced_type(b.dtype), geometry.reduced_type(dtype)
    extreme = geometry.combine(loser, b.dtype, body)
    return geometry.finish(c.map_elements([extreme], [types[0]], [types[1]], decode)[0], op.result_type)


@lowers(AnyOf, AllOf)
def lower_any_and_all(c: Conversion, op: OpInstance) -> Value:
    """Or and and of bytes that say whether an element is not zero."""
    geometry, dtype = geometry_of(c, op), op.operand_types[0].dtype
    combiner, initial = ("arith.ori", False) if op.op_class in (AnyOf, Max) else ("arith.andi", True)

    def body(out: Value, x: Value) -> Value:
        truth = c.store(is_nonzero(c, dtype, c.load(x, dtype)), _BOOL)
        return c.operation(combiner, [out, truth], [out.type], {STOPS: ir.UnitAttr.get()})

    return geometry.finish(geometry.combine(initial, _BOOL, body), op.result_type)
