"""What a loop adds up, or takes the largest of: tensors, or parts of them, that iterations change only so.

    for k in range(n): c[i, :i] = c[i, :i] + v(k)

reads where it writes, always at the same place. All iterations together do to it what one does, with the sum of all
`v(k)`, or what else is made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import eq
from types import MappingProxyType

import numpy as np

from ...dialect.extents import Axis
from ...dialect.mlir import Operation, Value
from ...dialect.op import Op
from ...dialect.ops.contraction import LABELS, Contract
from ...dialect.ops.elementwise import Add, Maximum, Minimum, Subtract
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.reductions import Max, Min, Sum
from ...dialect.ops.shape import BroadcastTo, Dim, ExpandDims, Stretch
from ...dialect.ops.slicing import DynamicSlice, DynamicSliceUpdate
from ...dialect.ops.state import ReadRef
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.sizes import terms_of
from ..control_flow.extents import Extents
from ..control_flow.linear import linear
from ..control_flow.structure import body, constant_of, copy_of, operations_in, producer, weft_op, yielded
from ..rewriting import is_defined_inside, type_of

PRODUCT_DTYPES = ("float32", "float64", "complex64", "complex128", "int16", "int32", "int64")
"""Of which products are as they are when sums are made: those of halves are rounded, each."""

REDUCTIONS: Mapping[type[Op], type[Op]] = MappingProxyType(
    {Add: Sum, Subtract: Sum, Maximum: Max, Minimum: Min}
)
"""What joins an accumulator with what an iteration has, and the reduction of what all have."""


@dataclass(frozen=True)
class Accumulator:
    """What iterations do to something that a loop carries, if that is nothing else."""

    carried: Value
    last: Value
    """What an iteration hands on."""
    added: Value
    """What one iteration adds, subtracts, or compares with."""
    joins: type[Op]
    """How that is done."""

    @property
    def is_bare(self) -> bool:
        """Whether that is all, and what is carried is no part of anything."""
        made = producer(self.last)
        return made is not None and op_class_of(made) is self.joins and self.carried in made.operands

    def written(self, loop: Operation, initial: Value, total: Value) -> Value:
        """What the loop leaves, at the insertion point: `total` is what all iterations add."""
        operations = operations_in(body(loop))[:-1]
        needed = {self.last}
        values = {self.carried: initial, self.added: total}
        for operation in reversed(operations):
            if self.added not in operation.results and not needed.isdisjoint(operation.results):
                needed.update(operation.operands)
        for operation in operations:
            if self.added not in operation.results and not needed.isdisjoint(operation.results):
                copy_of(operation, values)
        return values[self.last]

    def steps(self, loop: Operation) -> list[Operation]:
        """The ops that find the place, read and write it."""
        found, needed = list[Operation](), {self.last}
        for operation in reversed(operations_in(body(loop))[:-1]):
            if self.added not in operation.results and not needed.isdisjoint(operation.results):
                needed.update(operation.operands)
                found.append(operation)
        return found


def accumulator_of(loop: Operation, carried: Value) -> Accumulator | None:
    """What iterations do to something carried, if they read where they write, always at the same place."""
    last = value = yielded(body(loop))[carried.arg_number - 1]
    read: Callable[[Value], bool] = partial(eq, carried)
    while (made := producer(value)) is not None:
        op_class, operands = op_class_of(made), list(made.operands)
        if op_class is not None and op_class in REDUCTIONS:
            added = _other(made, read)
            if added is None:
                return None
            return Accumulator(carried, last, added, op_class)
        whole = loop.operands[2 + carried.arg_number] if read(carried) else None
        if op_class is BroadcastTo and _stretches_nothing(made, read, whole):
            value = operands[0]
            continue
        if op_class not in _READS or not read(operands[0]) or not _stays(made, loop):
            return None
        read, value = _reader_of(made), operands[1]
    return None


def _other(joining: Operation, read: Callable[[Value], bool]) -> Value | None:
    """What is joined with what was read."""
    operands = list(joining.operands)
    pairs = [operands] if op_class_of(joining) is Subtract else [operands, operands[::-1]]
    rank = type_of(joining.results[0]).rank
    for one, other in pairs:
        if read(one) and type_of(other).rank == rank == type_of(one).rank:
            return other
    return None


_READS: Mapping[type[Op] | None, type[Op]] = MappingProxyType(
    {Scatter: Gather, DynamicSliceUpdate: DynamicSlice}
)
"""What reads what an update replaces."""


def _stays(update: Operation, loop: Operation) -> bool:
    """Whether an update replaces the same elements in all iterations."""
    indices = list(update.operands)[2:]
    names = [name for index in indices for product in terms_of(linear(index)) for name in product]
    if any(is_defined_inside(name, loop) for name in names):
        return False
    is_scatter = op_class_of(update) is Scatter
    return not is_scatter or (
        decode_attributes(Scatter, update)["mode"] == "set" and not type_of(indices[0]).rank
    )


def _reader_of(update: Operation) -> Callable[[Value], bool]:
    """Whether a value is what was at the place that an update replaces."""
    op_class = op_class_of(update)
    assert op_class is not None
    where = decode_attributes(op_class, update)
    base, _, *indices = update.operands
    where.pop("mode", None)

    def is_read(value: Value) -> bool:
        made = producer(value)
        if made is None or op_class_of(made) is not _READS[op_class]:
            return False
        attributes = decode_attributes(_READS[op_class], made)
        return list(made.operands) == [base, *indices] and attributes == where

    return is_read


def _stretches_nothing(broadcast: Operation, read: Callable[[Value], bool], initial: Value | None) -> bool:
    """Whether something is broadcast to its own extents: those of what is read, to which something is added.

    If what the loop begins with is given, all of what is carried is read.
    """
    source, *sizes = broadcast.operands
    shape = type_of(source).shape
    if 1 in shape or shape != type_of(broadcast.results[0]).shape:
        return False
    axes = [axis for axis, extent in enumerate(shape) if extent is None]
    for size, axis in zip(sizes, axes, strict=True):
        dim = producer(size)
        if dim is None or op_class_of(dim) is not Dim:
            return False
        of, own = dim.operands[0], decode_attributes(Dim, dim)["axis"]
        is_initial = initial is not None and _origin(of, own) == _origin(initial, axis)
        if not is_initial and (own != axis or not read(of)):
            return False
    return True


def _origin(value: Value, axis: int) -> Axis:
    """What an extent is of: reads of one cell find the same."""
    value, axis = Extents().origin(value, axis)
    made = producer(value)
    is_read = made is not None and op_class_of(made) is ReadRef
    return (made.operands[0], axis) if made is not None and is_read else (value, axis)


def is_zero(value: Value) -> bool:
    """Whether all elements are known to be 0.0, and none -0.0."""
    while (made := producer(value)) is not None and op_class_of(made) is BroadcastTo:
        value = made.operands[0]
    array = constant_of(value)
    if array is None or array.dtype.kind not in "iuf":
        return False
    return not np.any(array) and not np.any(np.signbit(array))


# Products


@dataclass(frozen=True)
class Factor:
    """A factor of a product: a tensor, and the axes of the product that it has, in the order of its own."""

    value: Value
    axes: tuple[int, ...]


def factors_of(product: Operation) -> list[Factor] | None:
    """The factors of a product, without axes along which they are repeated; None if these cannot be dropped."""
    rank = type_of(product.results[0]).rank
    factors = [_factor(operand, rank) for operand in product.operands]
    found = [factor for factor in factors if factor is not None]
    covered = {axis for factor in found for axis in factor.axes}
    return found if len(found) == 2 and len(covered) == rank else None


def _factor(value: Value, rank: int) -> Factor | None:
    axes = list(range(rank - type_of(value).rank, rank))
    while (made := producer(value)) is not None:
        op_class = op_class_of(made)
        if op_class is ExpandDims:
            dropped = decode_attributes(ExpandDims, made)["axes"]
            axes = [axis for place, axis in enumerate(axes) if place not in dropped]
        elif op_class in (BroadcastTo, Stretch) and type_of(made.operands[0]).rank == 0:
            axes = []
        else:
            break
        value = made.operands[0]
    # An axis of extent 1 may be repeated along the other factor's.
    return Factor(value, tuple(axes)) if 1 not in type_of(value).shape else None


def contraction(factors: list[Factor], laned: list[Value], has_lanes: list[bool], is_last: bool) -> Value:
    """The sum of a product over lanes, of factors some of which have an axis of lanes."""

    def labels(factor: Factor, has_lane: bool) -> str:
        own = "".join(LABELS[1 + axis] for axis in factor.axes)
        return (own + LABELS[0] if is_last else LABELS[0] + own) if has_lane else own

    x, y = map(labels, factors, has_lanes)
    result = "".join(sorted({*x, *y} - {LABELS[0]}))
    return weft_op(Contract, *laned, spec=f"{x},{y}->{result}")
