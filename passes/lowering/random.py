"""Lowerings of what draws random numbers: the backend fills a tensor, and changes the state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...dialect.made_ops import operation_of, value_of
from ...dialect.mlir import Value, dialect, ir
from ...dialect.ops.random import (
    FillRandom,
    RandomChoice,
    RandomFloats,
    RandomIntegers,
    RandomPermutation,
)
from ...dialect.types import TensorType
from ..index_arithmetic import IndexArithmetic
from .conversion import Conversion, OpInstance, lowers, storage_type
from .loops import extract

arith = dialect("arith")

_INT64 = np.dtype(np.int64)

_WORDS = TensorType((None,), _INT64)

LARGE_POPULATION = 10000
"""Of more places NumPy shuffles all to choose many of them."""


@lowers(RandomFloats)
def lower_random_floats(c: Conversion, op: OpInstance) -> Sequence[Value]:
    """One function for each distribution."""
    return _filled(c, op, op.attributes["distribution"], (), op.operands[1:])


@lowers(RandomIntegers)
def lower_random_integers(c: Conversion, op: OpInstance) -> Sequence[Value]:
    """The bounds are tensors of one element, or of one for each number."""
    bounds = [_in_tensor([extract(b, [])]) if b.type.rank == 0 else b for b in op.operands[1:3]]
    return _filled(c, op, "integers", bounds, op.operands[3:])


@lowers(RandomPermutation)
def lower_random_permutation(c: Conversion, op: OpInstance) -> Sequence[Value]:
    """Row after row."""
    return _filled(c, op, "permutation", (), op.operands[1:])


@lowers(RandomChoice)
def lower_random_choice(c: Conversion, op: OpInstance) -> Sequence[Value]:
    """With a table of words: as many as the population has places, or a power of two above 1.2 times the sample's."""
    _, population, *dims = op.operands
    count = extract(population, [])
    is_shuffled = op.attributes["shuffle"]
    (size,) = c.target_extents(op.attributes["shape"], dims)
    math, size = IndexArithmetic(), c.index(size)
    places = arith.IndexCastOp(ir.IndexType.get(), count).result
    share = arith.DivUIOp(places, c.index(50 if is_shuffled else 20)).result
    is_part = arith.CmpIOp(arith.CmpIPredicate.sgt, size, share).result
    is_large = arith.CmpIOp(arith.CmpIPredicate.sgt, places, c.index(LARGE_POPULATION)).result
    of_sample = c.index(math.add(math.multiply(size, 3), 2))  # such a power is at most 2.4 n + 2
    words = arith.SelectOp(arith.AndIOp(is_part, is_large).result, places, of_sample).result
    table = c.operation("tensor.empty", [words], [storage_type(_WORDS)])
    asked = c.cast_to(
        _in_tensor([count, c.constant(int(is_shuffled), _INT64)]), _WORDS
    )  # of one type with the table
    return _filled(c, op, "choice", (asked, table), dims)


@lowers(FillRandom)
def lower_fill_random(c: Conversion, op: OpInstance) -> Sequence[Value]:
    """The backend takes it as it is."""
    attributes = {name: ir.StringAttr.get(op.attributes[name]) for name in ("algorithm", "function", "dtype")}
    types = [operand.type for operand in (op.operands[1], op.operands[0])]
    made = operation_of(FillRandom.mlir_name(), op.operands, types, **attributes)
    return list(made.results)


def _filled(
    c: Conversion, op: OpInstance, function: str, given: Sequence[Value], dims: Sequence[Value]
) -> Sequence[Value]:
    numbers = op.result_types[0]
    state = op.operands[0]
    empty = c.empty(numbers, c.target_extents(op.attributes["shape"], dims))
    names = {"algorithm": op.attributes["algorithm"], "function": function, "dtype": str(numbers.dtype)}
    made = operation_of(
        FillRandom.mlir_name(),
        [state, empty, *given],
        [storage_type(numbers), state.type],
        **{name: ir.StringAttr.get(value) for name, value in names.items()},
    )
    return list(made.results)


def _in_tensor(scalars: Sequence[Value]) -> Value:
    type = ir.RankedTensorType.get([len(scalars)], scalars[0].type)
    return value_of("tensor.from_elements", scalars, type)
