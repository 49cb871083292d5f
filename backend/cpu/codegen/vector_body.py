"""The scalar body of a loop nest, written for vectors."""

from __future__ import annotations

from collections.abc import Callable

from ....dialect.mlir import Block, Operation, Type, Value, ir
from .emit import create
from .loop_nest import nested
from .math_expansion import is_expanded
from .temporaries import element_bytes
from .vector_code import broadcast

MATH_WEIGHT = 24
"""How many operations an elementary function counts as."""

# Lanes beyond the end hold zeros, and dividing integers by zero is an error even in a lane nobody uses.
_DIVISIONS = ("arith.div", "arith.rem", "arith.floordiv", "arith.ceildiv")
_SCALARS = (ir.F16Type, ir.BF16Type, ir.F32Type, ir.F64Type, ir.IntegerType, ir.IndexType)


def is_vectorisable(body: Block) -> bool:
    """Whether every operation of a body has a vector form that is as good as the scalar one."""
    *operations, terminator = [op.operation for op in body.operations]
    values = [*body.arguments, *terminator.operands]
    return all(map(_has_vector_form, operations)) and all(isinstance(v.type, _SCALARS) for v in values)


def _has_vector_form(op: Operation) -> bool:
    if op.name == "linalg.index":
        return True
    if not op.name.startswith(("arith.", "math.")) or list(op.regions) or len(op.results) != 1:
        return False
    if op.name.startswith(_DIVISIONS) and not op.name.endswith("f"):
        return False
    types = [value.type for value in [*op.operands, *op.results]]
    return all(isinstance(type, _SCALARS) for type in types)


def body_weight(body: Block) -> int:
    """About how many instructions a body takes."""
    return sum(MATH_WEIGHT if is_expanded(op.operation) else 1 for op in body.operations)


def widest_element(body: Block) -> int:
    """The size of the largest values of a body in bytes."""
    types = [argument.type for argument in body.arguments]
    types += [result.type for op in body.operations for result in op.operation.results]
    return max(8 if isinstance(type, ir.IndexType) else element_bytes(type) for type in types)


def vectorise_body(
    body: Block, known: dict[Value, Value], lanes: int, index: Callable[[int], Value] | None = None
) -> list[Value]:
    """Write a body for vectors at the insertion point; returns what it yields.

    `known` has the vectors for the block arguments; `index` gives the positions in a loop dimension.
    """
    *operations, terminator = [op.operation for op in body.operations]
    for op in operations:
        if op.name == "linalg.index":
            assert index is not None
            known[op.results[0]] = index(op.attributes["dim"].value)
        else:
            known[op.results[0]] = _vector_operation(op, known, lanes)
    return [_vector_value(value, known, lanes) for value in terminator.operands]


def _vector_operation(op: Operation, known: dict[Value, Value], lanes: int) -> Value:
    attributes = {name: op.attributes[name] for name in op.attributes}
    scalar = op.results[0].type
    if op.name == "arith.constant":
        return broadcast(create(op.name, [scalar], [], attributes), vector_of(scalar, lanes))
    operands = [_vector_value(operand, known, lanes) for operand in op.operands]
    return create(op.name, [vector_of(scalar, lanes)], operands, attributes)


def _vector_value(value: Value, known: dict[Value, Value], lanes: int) -> Value:
    if value not in known:
        known[value] = broadcast(value, vector_of(value.type, lanes))
    return known[value]


def vector_of(scalar: Type, lanes: int) -> Type:
    """The vector type with elements of a scalar type."""
    return ir.VectorType.get([lanes], scalar)


def has_index(body: Block) -> bool:
    """Whether a body asks for its position."""
    return any(op.operation.name == "linalg.index" for op in nested(body.owner.operation))
