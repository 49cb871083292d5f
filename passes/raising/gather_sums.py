"""Compute what a loop adds to a vector, product by product, as a product of a matrix and a vector.

    for k in range(m): c[i, :i] += alpha * x[i, k] * y[:i, k]

becomes

    c[i, :i] += y[:i] @ (alpha * x)[i]

A loop around it may then take its rows from one product of matrices (`hoist-products`). Like every sum of products, it
is added up in an order of its own; the products are those that were written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import eq
from typing import ClassVar

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.contraction import Contract
from ...dialect.ops.creation import Constant
from ...dialect.ops.elementwise import Add, Multiply
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import BroadcastTo, Dim
from ...dialect.ops.slicing import INT64_MAX, DynamicSlice, DynamicSliceUpdate
from ...dialect.records import dataclass, replace
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.sizes import symbol
from ..base import Pass, Statistics
from ..control_flow.linear import linear
from ..control_flow.speculation import is_pure
from ..control_flow.structure import (
    CAST,
    FOR,
    body,
    control_ops,
    copy_of,
    functions_with_control_flow,
    operation_of,
    operations_in,
    producer,
    scalar_constant,
    trip_count,
    weft_op,
    yielded,
)
from ..rewriting import is_defined_inside, type_of

LEAST_TRIPS = 8
"""Shorter sums stay as they are."""

_DTYPES = ("float32", "float64", "complex64", "complex128", "int16", "int32", "int64")
"""Of which products are as they are when sums are made: those of halves are rounded, each."""


@dataclass(frozen=True)
class GatherSums(Pass):
    """Replace an `scf.for` that does nothing but add products to a vector, which may be a part of a tensor.

    Each product has a number, and a row or column of a matrix, that the iteration takes from tensors which the loop
    does not change, all along an axis of known extent. Numbers that stay the same multiply these tensors.
    """

    name: ClassVar[str] = "gather-sums"
    summary: ClassVar[str] = "compute what a loop adds to a vector as a product of a matrix and a vector"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at the loops without loops in them."""
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, FOR):
                if _gather(loop):
                    statistics["sums gathered"] += 1


def _gather(loop: Operation) -> bool:
    """Replace a loop, if it adds up products; whether it does."""
    operations = operations_in(body(loop))[:-1]
    if len(loop.results) != 1 or (trip_count(loop) or 0) < LEAST_TRIPS:
        return False
    if any(len(op.regions) or not is_pure(op) for op in operations):
        return False
    added = _added(loop)
    products = None if added is None else _Reader(loop).products(added)
    if added is None or products is None:
        return False
    with ir.InsertionPoint(loop), loop.location:
        total, *others = (product.write(loop) for product in products)
        for other in others:
            total = weft_op(Add, total, other)
        if total.type != added.type:
            total = operation_of(CAST, [total], [added.type]).results[0]
        needed = {yielded(body(loop))[0]}
        for operation in reversed(operations):
            if added not in operation.results and not needed.isdisjoint(operation.results):
                needed.update(operation.operands)
        values = {body(loop).arguments[1]: loop.operands[3], added: total}
        for operation in operations:
            if added not in operation.results and not needed.isdisjoint(operation.results):
                copy_of(operation, values)
    last = yielded(body(loop))[0]
    loop.results[0].replace_all_uses_with(values[last])
    loop.erase()
    return True


# What is updated


def _added(loop: Operation) -> Value | None:
    """What an iteration adds to a vector, if it does nothing else: it reads where it writes, always the same place."""
    carried, value = body(loop).arguments[1], yielded(body(loop))[0]
    read: Callable[[Value], bool] = partial(eq, carried)
    while (made := producer(value)) is not None:
        op_class = op_class_of(made)
        operands = list(made.operands)
        if op_class is Add and type_of(value).rank == 1:
            for one, other in (operands, operands[::-1]):
                if read(one) and type_of(other).rank == 1:
                    return other
            return None
        if op_class is BroadcastTo and _stretches_nothing(made, read):
            value = operands[0]
            continue
        if op_class not in _READS or not read(operands[0]):
            return None
        if any(is_defined_inside(index, loop) for index in operands[2:]):
            return None
        if op_class is Scatter and (
            decode_attributes(Scatter, made)["mode"] != "set" or type_of(operands[2]).rank
        ):
            return None
        read, value = _reader_of(made), operands[1]
    return None


_READS: dict[type[Op] | None, type[Op]] = {Scatter: Gather, DynamicSliceUpdate: DynamicSlice}
"""What reads what an update replaces."""


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


def _stretches_nothing(broadcast: Operation, read: Callable[[Value], bool]) -> bool:
    """Whether a vector is broadcast to its own extent: that of what is read, to which something is added."""
    source, *sizes = broadcast.operands
    if type_of(source).rank != 1 or type_of(broadcast.results[0]).rank != 1:
        return False
    dims = [producer(size) for size in sizes]
    if not dims:
        return type_of(source).shape == type_of(broadcast.results[0]).shape
    return all(dim is not None and op_class_of(dim) is Dim and read(dim.operands[0]) for dim in dims)


# What is added


@dataclass(frozen=True)
class _Part:
    """What an iteration reads of a tensor along an axis: a number, or a vector of a matrix."""

    base: Value
    axis: int
    """The one that iterations go along."""
    at: Value | None = None
    """Where a number is on the other axis; None where a tensor has no other, or vectors are read."""
    cut: Operation | None = None
    """The slice of vectors that is used."""
    factors: tuple[tuple[Value, bool], ...] = ()
    """Numbers that multiply, and whether each stands on the left."""

    def scaled(self, factor: Value, on_left: bool) -> _Part:
        """The same, multiplied by a number."""
        return replace(self, factors=(*self.factors, (factor, on_left)))

    def tensor(self, loop: Operation) -> Value:
        """The tensor, multiplied in front of all loops that do not change it."""
        values = [self.base, *(factor for factor, _ in self.factors)]
        place, around = loop, loop.parent.operation
        while around.name == FOR and not any(_changes(value, around) for value in values):
            place, around = around, around.parent.operation
        base = self.base
        with ir.InsertionPoint(place), loop.location:
            for factor, on_left in self.factors:
                made = producer(factor)
                if made is not None and is_defined_inside(factor, place):
                    factor = made.clone().operation.results[0]
                base = weft_op(Multiply, *((factor, base) if on_left else (base, factor)))
        return base


def _changes(value: Value, loop: Operation) -> bool:
    """Whether a value depends on a loop; constants do not, wherever they are."""
    made = producer(value)
    is_constant = made is not None and op_class_of(made) is Constant
    return is_defined_inside(value, loop) and not is_constant


@dataclass(frozen=True)
class _Product:
    """A number times a vector, of each iteration."""

    number: _Part
    vector: _Part

    def write(self, loop: Operation) -> Value:
        """The sum over all iterations, in front of the loop."""
        numbers, vectors = self.number.tensor(loop), self.vector.tensor(loop)
        if self.number.at is not None:
            numbers = weft_op(Gather, numbers, self.number.at, axes=(1 - self.number.axis,), position=0)
        if self.vector.cut is not None:
            vectors = _sliced(vectors, self.vector.cut, 1 - self.vector.axis)
        return weft_op(Contract, vectors, numbers, spec="ab,b->a" if self.vector.axis == 1 else "ba,b->a")


@dataclass(frozen=True)
class _Reader:
    """Finds out what the iterations of a loop compute."""

    loop: Operation

    def products(self, value: Value) -> list[_Product] | None:
        """A vector as a sum of products; None if it is none."""
        made = producer(value)
        op_class = None if made is None else op_class_of(made)
        if made is None or str(type_of(value).dtype) not in _DTYPES:
            return None
        operands = list(made.operands)
        if op_class is Add and all(type_of(operand).rank == 1 for operand in operands):
            left, right = (self.products(operand) for operand in operands)
            return None if left is None or right is None else [*left, *right]
        if op_class is not Multiply:
            return None
        number, vector = sorted((self._part(operand) for operand in operands), key=_rank_of)
        if number is None or vector is None or (_rank_of(number), _rank_of(vector)) != (0, 1):
            return None
        return [_Product(number, vector)]

    def _part(self, value: Value) -> _Part | None:
        """What is read of one tensor, and multiplied by numbers."""
        made = producer(value)
        op_class = None if made is None else op_class_of(made)
        if made is None or not is_defined_inside(value, self.loop):
            return None
        operands = list(made.operands)
        if op_class is Multiply:
            for place, factor in enumerate(operands):
                if type_of(factor).rank == 0 and not _changes(factor, self.loop):
                    part = self._part(operands[1 - place])
                    return None if part is None else part.scaled(factor, place == 0)
            return None
        if op_class is DynamicSlice and type_of(value).rank == 1:
            part = self._part(operands[0])
            stays = not any(is_defined_inside(bound, self.loop) for bound in operands[1:])
            # What is multiplied first is sliced like what is sliced first.
            return replace(part, cut=made) if part is not None and part.cut is None and stays else None
        return self._read(made) if op_class is Gather else None

    def _read(self, gather: Operation) -> _Part | None:
        """A gather that goes along all of an axis with the iterations."""
        base, *indices = gather.operands
        axes = decode_attributes(Gather, gather)["axes"]
        if is_defined_inside(base, self.loop) or any(type_of(index).rank for index in indices):
            return None
        counter = symbol(body(self.loop).arguments[0])
        moving = [axis for axis, index in zip(axes, indices, strict=True) if linear(index) == counter]
        others = [index for index in indices if linear(index) != counter]
        if len(moving) != 1 or any(is_defined_inside(index, self.loop) for index in others):
            return None
        (axis,) = moving
        if type_of(base).rank > 2 or not self._covers(type_of(base).shape[axis]):
            return None
        return _Part(base, axis, others[0] if others else None)

    def _covers(self, extent: int | None) -> bool:
        first, _, step = (scalar_constant(bound) for bound in list(self.loop.operands)[:3])
        return first == 0 and step == 1 and trip_count(self.loop) == extent


def _rank_of(part: _Part | None) -> int:
    """The rank of what an iteration reads; -1 where it is not known."""
    if part is None:
        return -1
    return type_of(part.base).rank - 1 - (part.at is not None)


def _sliced(matrix: Value, cut: Operation, axis: int) -> Value:
    """A matrix cut along an axis as a vector was."""
    attributes = decode_attributes(DynamicSlice, cut)
    bounds = {"start": [0, 0], "stop": [INT64_MAX] * 2, "step": [1, 1]}
    for name, values in bounds.items():
        (values[axis],) = attributes[name]
    axes = {name: (axis,) * len(attributes[name]) for name in ("start_axes", "stop_axes")}
    return weft_op(
        DynamicSlice, matrix, *list(cut.operands)[1:], **{n: tuple(v) for n, v in bounds.items()}, **axes
    )


__all__ = ["GatherSums"]
