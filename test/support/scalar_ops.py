"""What ops of upstream dialects mean that stand between weft ops: arithmetic on scalars, elements of tensors.

Scalars are NumPy scalars: `i1` is a bool, `index` an int64; arithmetic wraps around. Only the interpreter runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from weft.dialect.attributes import elements_from_mlir, type_from_mlir
from weft.dialect.dtypes import by_mlir
from weft.dialect.errors import InternalError, WeftTypeError
from weft.dialect.mlir import Operation, Type, ir
from weft.dialect.types import compatible_shapes, type_of

Evaluate = Callable[..., Any]
"""Computes the only result from the operands."""


def element_dtype(mlir_type: Type) -> np.dtype[Any]:
    """The dtype of the NumPy scalar that stands for a scalar of an MLIR type."""
    if isinstance(mlir_type, ir.IndexType):
        return np.dtype(np.int64)
    row = by_mlir(str(mlir_type))
    if row is None:
        raise WeftTypeError(f"{mlir_type} is not the type of an element")
    return row.dtype


def _result_dtype(operation: Operation) -> np.dtype[Any]:
    return element_dtype(operation.results[0].type)


def _unsigned(value: Any) -> Any:
    return value if value.dtype.kind in "bu" else value.view(f"u{value.dtype.itemsize}")


_COMPARISONS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x == y,
    lambda x, y: x != y,
    lambda x, y: x < y,
    lambda x, y: x <= y,
    lambda x, y: x > y,
    lambda x, y: x >= y,
    lambda x, y: _unsigned(x) < _unsigned(y),
    lambda x, y: _unsigned(x) <= _unsigned(y),
    lambda x, y: _unsigned(x) > _unsigned(y),
    lambda x, y: _unsigned(x) >= _unsigned(y),
)
"""By the number of the predicate of `arith.cmpi`."""


def _compare(operation: Operation) -> Evaluate:
    predicate: int = operation.attributes["predicate"].value
    return _COMPARISONS[predicate]


def _constant(operation: Operation) -> Evaluate:
    attribute = operation.attributes["value"]
    if isinstance(operation.results[0].type, ir.RankedTensorType):
        array = elements_from_mlir(attribute)
        return lambda: array
    scalar = _result_dtype(operation).type(attribute.value)
    return lambda: scalar


def _convert(operation: Operation) -> Evaluate:
    convert: Evaluate = _result_dtype(operation).type
    return convert


def _zero_extend(operation: Operation) -> Evaluate:
    dtype = _result_dtype(operation)
    return lambda x: dtype.type(_unsigned(x))


def _truncated(x: Any, y: Any) -> Any:
    """A quotient, rounded towards zero."""
    floor = x // y
    return floor + (floor < 0 and floor * y != x)


def _from_elements(operation: Operation) -> Evaluate:
    result = ir.RankedTensorType(operation.results[0].type)
    dtype, shape = element_dtype(result.element_type), list(result.shape)
    return lambda *elements: np.array(elements, dtype).reshape(shape)


def _cast(operation: Operation) -> Evaluate:
    declared = type_from_mlir(operation.results[0].type)
    return lambda tensor: check_tensor("tensor.cast", declared, tensor)


def check_tensor(what: str, declared: Any, value: Any) -> Any:
    """The value, if it is of a type; else an `InternalError`: a pass or the frontend made a wrong program."""
    if value.dtype != declared.dtype or not compatible_shapes(value.shape, declared.shape):
        raise InternalError(f"{what} computed {type_of(value)} where its type is {declared}")
    return value


def _same(evaluate: Evaluate) -> Callable[[Operation], Evaluate]:
    return lambda operation: evaluate


SCALAR_OPS: Mapping[str, Callable[[Operation], Evaluate]] = MappingProxyType(
    {
        "arith.addi": _same(lambda x, y: x ^ y if x.dtype.kind == "b" else x + y),
        "arith.andi": _same(lambda x, y: x & y),
        "arith.ceildivsi": _same(lambda x, y: -(-x // y)),
        "arith.cmpi": _compare,
        "arith.constant": _constant,
        "arith.divsi": _same(_truncated),
        "arith.extsi": _convert,
        "arith.extui": _zero_extend,
        "arith.index_cast": _convert,
        "arith.index_castui": _zero_extend,
        "arith.maxsi": _same(max),
        "arith.minsi": _same(min),
        "arith.muli": _same(lambda x, y: x & y if x.dtype.kind == "b" else x * y),
        "arith.ori": _same(lambda x, y: x | y),
        "arith.select": _same(lambda condition, x, y: x if condition else y),
        "arith.subi": _same(lambda x, y: x ^ y if x.dtype.kind == "b" else x - y),
        "arith.trunci": _convert,
        "arith.xori": _same(lambda x, y: x ^ y),
        "tensor.cast": _cast,
        "tensor.extract": _same(lambda tensor, *indices: tensor[tuple(indices)]),
        "tensor.from_elements": _from_elements,
    }
)
"""How to run an op, by name: a function from the operation to what computes its result."""
