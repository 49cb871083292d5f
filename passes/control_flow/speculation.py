"""Which ops may run where the program would not have run them, and what that costs."""

from __future__ import annotations

from functools import cache

from ...dialect.attributes import type_from_mlir
from ...dialect.mlir import Operation
from ...dialect.op import FUNCTIONS
from ...dialect.ops.creation import Constant
from ...dialect.ops.shape import Dim
from ...dialect.register import op_class_named, op_class_of
from ...dialect.types import TensorType
from ..rewriting import operations_of, type_of
from .structure import CAST, CONDITION, CONTROL, EXTRACT, FROM_ELEMENTS, YIELD

_PURE_DIALECTS = ("arith.", "complex.", *FUNCTIONS)
_PURE_OPS = frozenset({EXTRACT, FROM_ELEMENTS, CAST, YIELD, CONDITION})


def is_pure(operation: Operation) -> bool:
    """Whether an op only computes its results; a branch or loop does when all ops inside it do."""
    name = operation.name
    if name in CONTROL:
        return all(_is_simply_pure(inner.name) for inner in operations_of(operation))
    return _is_simply_pure(name)


@cache
def _is_simply_pure(name: str) -> bool:
    op_class = op_class_named(name)
    if op_class is not None:
        return op_class.is_pure()
    return name in _PURE_OPS or name in CONTROL or name.startswith(_PURE_DIALECTS)


def is_speculatable(operation: Operation) -> bool:
    """Whether an op is safe with any operands of its types, so that it may run where it would not have run."""
    op_class = op_class_of(operation)
    if op_class is None:
        return _is_safe_scalar_op(operation)
    if not op_class.is_pure():
        return False
    operands, results = (
        [t for t in (type_from_mlir(value.type) for value in values) if isinstance(t, TensorType)]
        for values in (dict.fromkeys(operation.operands), operation.results)
    )
    return op_class.is_speculatable(operands, results)


def _is_safe_scalar_op(operation: Operation) -> bool:
    name = operation.name
    if name == EXTRACT:
        return len(operation.operands) == 1
    if name == CAST:
        return type_of(operation.operands[0]).is_static
    divides = name.startswith("arith.") and ("div" in name or "rem" in name)
    return (name == FROM_ELEMENTS or name.startswith(_PURE_DIALECTS)) and not divides


def cost(operation: Operation) -> int:
    """About how many simple instructions an op takes for an element."""
    op_class = op_class_of(operation)
    return 0 if op_class is None else op_class.cost


def is_scalar_op(operation: Operation) -> bool:
    """Whether an op works on scalars and tensors of rank 0 only, or is free."""
    op_class = op_class_of(operation)
    if op_class is None or op_class in (Constant, Dim):
        return True
    types = [type_from_mlir(value.type) for value in (*operation.operands, *operation.results)]
    return all(isinstance(t, TensorType) and t.rank == 0 for t in types)
