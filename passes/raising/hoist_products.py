"""Compute the products that the iterations of a loop make of vectors with one matrix as one product, before the loop.

    for i in range(n): c[i, i:] = x[:, i] @ y[:, i:]

becomes

    p = x.T @ y
    for i in range(n): c[i, i:] = p[i][i:]

A product of a vector reads the whole matrix, so that memory decides how long the loop takes; a product of matrices
reads it once for many rows. What iterations take parts of is computed whole, even if they need but a triangle.
"""

from __future__ import annotations

import math

import numpy as np

from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Array
from ...dialect.ops.contraction import LABELS, Contract, parse_spec
from ...dialect.ops.elementwise import Multiply
from ...dialect.ops.indexing import Gather
from ...dialect.ops.slicing import DynamicSlice
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.sizes import terms_of
from ...dialect.types import TensorType
from ..base import Pass, Statistics
from ..control_flow.linear import linear
from ..control_flow.structure import (
    CAST,
    FOR,
    body,
    control_ops,
    functions_with_control_flow,
    is_used,
    operation_of,
    operations_in,
    producer,
    scalar_constant,
    tensor_from,
    trip_count,
    weft_op,
)
from ..rewriting import type_of
from .relations import Iterations
from .vectorise import Vectorised

LEAST_TRIPS = 8
"""Shorter loops stay as they are: they are not worth another array."""

LEAST_SHARE = 1 / 3
"""Of the whole product the iterations have to read so much. Products of vectors take two to eight times as long by
count, the more the further away the matrix is."""


@dataclass(frozen=True)
class HoistProducts(Pass):
    """Make one product of matrices of the products of vectors in an `scf.for`, in front of it.

    In each iteration the vector is another row or column of a tensor that the loop does not change. The other operand,
    a matrix or a vector, stays the same, or iterations read a slice of it, along what the result keeps. Extents and the
    number of iterations have to be known. The product takes no more memory than its operands and what the loop carries.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Inner loops first: products that leave them may be of vectors that the outer ones take."""
        for function in functions_with_control_flow(module):
            for loop in control_ops(function, FOR):
                if (trip_count(loop) or 0) < LEAST_TRIPS:
                    continue
                for operation in operations_in(body(loop)):
                    product = _product(Iterations(loop), operation)
                    if product is not None and product.hoist(loop):
                        statistics["products computed before loops"] += 1


@dataclass(frozen=True)
class _Vectors:
    """The vectors of the iterations: `matrix[at]` along an axis, or something that is computed of each."""

    source: Value
    """The matrix, or what an iteration computes."""
    type: TensorType
    """That of the matrix."""
    axis: int
    at: Value | None = None

    def written(self, loop: Operation) -> tuple[Value, Value] | None:
        """The matrix, and the index of an iteration's vector; None if that depends on other iterations."""
        if self.at is not None:
            return self.source, self.at
        matrix = Vectorised(loop, is_last=False).lanes_of(self.source)
        if matrix is None:
            return None
        with ir.InsertionPoint.at_block_begin(body(loop)):
            return matrix, tensor_from(body(loop).arguments[0])


@dataclass(frozen=True)
class _Product:
    """A product of a vector that moves along a matrix, and a factor that stays."""

    operation: Operation
    vectors: _Vectors
    factor: Value
    summed: int
    """The axis of the factor that is summed."""
    slice: Operation | None
    """What an iteration reads of the factor."""
    scaling: tuple[Operation, ...] = ()
    """What multiplies that; it multiplies the whole factor then."""

    def hoist(self, loop: Operation) -> bool:
        """Write the product in front of the loop, and what an iteration needs of it in its place, if it can be."""
        factor, vectors, old = self.factor, self.vectors, self.operation
        with old.location:
            written = vectors.written(loop)
        if written is None:
            return False
        matrix, at = written
        labels = [LABELS[1 + axis] for axis in range(type_of(factor).rank)]
        kept = "".join(label for axis, label in enumerate(labels) if axis != self.summed)
        moving = ["", ""]
        moving[vectors.axis], moving[1 - vectors.axis] = LABELS[0], labels[self.summed]
        with ir.InsertionPoint(loop), old.location:
            for product in reversed(self.scaling):
                operands = list(product.operands)
                operands[_tensor_of(product)] = factor
                factor = weft_op(Multiply, *operands)
            spec = f"{''.join(moving)},{''.join(labels)}->{LABELS[0]}{kept}"
            whole = weft_op(Contract, matrix, factor, spec=spec)
        with ir.InsertionPoint(old), old.location:
            value = weft_op(Gather, whole, at, axes=(0,), position=0)
            if self.slice is not None:
                value = _sliced(value, self.slice, 1 - self.summed)
            if value.type != old.results[0].type:
                value = operation_of(CAST, [value], [old.results[0].type]).results[0]
        old.results[0].replace_all_uses_with(value)
        read = [producer(operand) for operand in old.operands]
        for operation in [old, *read]:
            if operation is not None and not is_used(operation.results[0]):
                operation.erase()
        return True


def _product(iterations: Iterations, operation: Operation) -> _Product | None:
    """An op as a product that can be computed for all iterations at once."""
    if op_class_of(operation) is not Contract:
        return None
    *labels, result = parse_spec(decode_attributes(Contract, operation)["spec"])
    for moving, other in ((0, 1), (1, 0)):
        vectors = _vectors(iterations, operation.operands[moving])
        if vectors is None or labels[moving] in result or set(labels[other]) != {*labels[moving], *result}:
            continue
        summed = labels[other].index(labels[moving])
        factor, cut, scaling = operation.operands[other], None, list[Operation]()
        if not iterations.is_constant(factor):
            scaling = _scaling(iterations, factor)
            cut = producer(scaling[-1].operands[_tensor_of(scaling[-1])] if scaling else factor)
            if cut is None or op_class_of(cut) is not DynamicSlice or type_of(factor).rank != 2:
                continue
            factor = cut.operands[0]
        if type_of(factor).rank <= 2 and iterations.is_constant(factor):
            product = _Product(operation, vectors, factor, summed, cut, tuple(scaling))
            if _is_read_enough(iterations, product) and _fits(iterations, product):
                return product
    return None


def _scaling(iterations: Iterations, value: Value) -> list[Operation]:
    """The products with numbers that stay, from the last to the first, that were made of a part of a matrix."""
    found: list[Operation] = []
    while (made := producer(value)) is not None and op_class_of(made) is Multiply:
        place = _tensor_of(made)
        number = made.operands[1 - place]
        if type_of(number).rank or not iterations.is_constant(number):
            break
        found.append(made)
        value = made.operands[place]
    return found


def _tensor_of(product: Operation) -> int:
    """Which of the factors is more than a number."""
    return int(type_of(product.operands[0]).rank == 0)


def _vectors(iterations: Iterations, value: Value) -> _Vectors | None:
    """The vector of an iteration as a row or a column of a matrix; each has another one."""
    gather = producer(value)
    if gather is None or type_of(value).rank != 1 or iterations.is_constant(value):
        return None
    if op_class_of(gather) is not Gather:
        return _computed_vectors(iterations, value)
    matrix, *indices = gather.operands
    if len(indices) != 1 or type_of(matrix).rank != 2 or not iterations.is_constant(matrix):
        return None
    if not iterations.pace(indices[0]):
        return None
    (axis,) = decode_attributes(Gather, gather)["axes"]
    return _Vectors(matrix, type_of(matrix), axis, indices[0])


def _computed_vectors(iterations: Iterations, value: Value) -> _Vectors | None:
    """The vectors of all iterations, if they may be computed before the loop."""
    loop = iterations.loop
    trips = trip_count(loop)
    if trips is None or scalar_constant(loop.operands[0]) != 0 or scalar_constant(loop.operands[2]) != 1:
        return None
    type = type_of(value)
    return _Vectors(value, type.with_shape([trips, *type.shape]), 0)


def _is_read_enough(iterations: Iterations, product: _Product) -> bool:
    """Whether the iterations read so much of the whole product that computing it takes less time."""
    rows = product.vectors.type.shape[product.vectors.axis]
    factor = type_of(product.factor)
    if rows is None or None in factor.shape:
        return False
    columns = 1 if factor.rank == 1 else factor.shape[1 - product.summed]
    assert columns is not None
    counts = _counts(iterations)
    read: int | None = len(counts) * columns
    if product.slice is not None:
        read = _elements_read(iterations, counts, product.slice, product.summed, columns)
    return read is not None and read > LEAST_SHARE * rows * columns


def _counts(iterations: Iterations) -> Array:
    """What the counter is in each iteration."""
    bounds = [scalar_constant(bound) for bound in list(iterations.loop.operands)[:3]]
    return np.arange(*(bound for bound in bounds if bound is not None), dtype=np.int64)


def _elements_read(
    iterations: Iterations, counts: Array, cut: Operation, summed: int, columns: int
) -> int | None:
    """How many elements of rows of the product slices take; None where that is not known, or they cut sums."""
    attributes = decode_attributes(DynamicSlice, cut)
    ends = list(cut.operands)[1:]
    starts, stops = attributes["start_axes"], attributes["stop_axes"]
    if attributes["step"] != (1, 1) or summed in (*starts, *stops) or attributes["start"][summed] != 0:
        return None
    extent = type_of(cut.operands[0]).shape[summed]
    if extent is None or attributes["stop"][summed] < extent:
        return None
    kept = 1 - summed
    first = _along(iterations, counts, ends.pop(0)) if starts else counts * 0 + attributes["start"][kept]
    last = _along(iterations, counts, ends.pop(0)) if stops else counts * 0 + attributes["stop"][kept]
    if first is None or last is None or min(first.min(), last.min()) < 0:
        return None
    return int((last.clip(0, columns) - first.clip(0, columns)).clip(0).sum())


def _along(iterations: Iterations, counts: Array, index: Value) -> Array | None:
    """What an index is in each iteration, if that depends on the counter alone."""
    terms = terms_of(linear(index))
    if terms.keys() - {(), (iterations.counter,)}:
        return None
    return np.asarray(counts * terms.get((iterations.counter,), 0) + terms.get((), 0))


def _fits(iterations: Iterations, product: _Product) -> bool:
    """Whether the product has no more elements than its operands, and what the loop carries, together."""
    matrix, factor = product.vectors.type, type_of(product.factor)
    carried = [type_of(v) for v in iterations.loop.results if isinstance(v.type, ir.RankedTensorType)]
    sizes = [_size(type) for type in (matrix, factor, *carried)]
    rows = matrix.shape[product.vectors.axis] or 0
    columns = 1 if factor.rank == 1 else factor.shape[1 - product.summed] or 0
    return sizes[0] is not None and rows * columns <= sum(size or 0 for size in sizes)


def _size(type: TensorType) -> int | None:
    """The number of elements, if it is known."""
    extents = [extent for extent in type.shape if extent is not None]
    return math.prod(extents) if len(extents) == type.rank else None


def _sliced(row: Value, cut: Operation, axis: int) -> Value:
    """A row of the product, cut as one axis of its factor was."""
    attributes = decode_attributes(DynamicSlice, cut)
    bounds = {name: (attributes[name][axis],) for name in ("start", "stop", "step")}
    axes = {name: (0,) * len(attributes[name]) for name in ("start_axes", "stop_axes")}
    return weft_op(DynamicSlice, row, *list(cut.operands)[1:], **bounds, **axes)
