"""Which ops may run where the program would not have run them, and what that costs."""

from __future__ import annotations

from ...dialect.attributes import type_from_mlir
from ...dialect.mlir import Operation
from ...dialect.op import Op
from ...dialect.ops.indexing import Gather, TakeAlongAxis
from ...dialect.ops.shape import Dim, ExpandDims, Transpose
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.types import RefType, TensorType
from ..rewriting import operations_of, type_of
from .structure import CAST, CONDITION, CONTROL, EXTRACT, FROM_ELEMENTS, YIELD

_ELEMENTWISE = frozenset({"elementwise", "casts", "complex_parts", "selection"})
_READS_ANYWHERE = (Gather, TakeAlongAxis)
_KEEPS_EXTENTS = (Dim, Transpose, ExpandDims)
_PURE_DIALECTS = ("arith.", "math.", "complex.")
_PURE_OPS = frozenset({EXTRACT, FROM_ELEMENTS, CAST, YIELD, CONDITION})

_NAMES_OF_DEAR = (
    "power float_power exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 erf sin cos tan arcsin arccos "
    "arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh cbrt hypot gcd lcm fmod spacing nextafter"
)
_NAMES_OF_SLOW = "divide floor_divide remainder divmod sqrt reciprocal modf frexp ldexp"
_DEAR, _SLOW = frozenset(_NAMES_OF_DEAR.split()), frozenset(_NAMES_OF_SLOW.split())
_COST_OF_DEAR, _COST_OF_SLOW = 12, 4


def is_pure(operation: Operation) -> bool:
    """Whether an op only computes its results; a branch or loop does when all ops inside it do."""
    if operation.name in CONTROL:
        return all(_is_simply_pure(inner) for inner in operations_of(operation))
    return _is_simply_pure(operation)


def _is_simply_pure(operation: Operation) -> bool:
    op_class = op_class_of(operation)
    if op_class is not None:
        return op_class.is_pure()
    name = operation.name
    return name in _PURE_OPS or name in CONTROL or name.startswith(_PURE_DIALECTS)


def is_speculatable(operation: Operation) -> bool:
    """Whether an op is safe with any operands of its types, so that it may run where it would not have run.

    Ops that read by extents of several operands rely on the checks in front of them: whether extents that are
    not known agree, whether an axis that is read has elements. They are not safe without these.
    """
    op_class = op_class_of(operation)
    if op_class is None:
        return _is_safe_scalar_op(operation)
    if not op_class.is_pure():
        return False
    types = [type_from_mlir(value.type) for value in (*operation.operands, *operation.results)]
    if any(isinstance(t, RefType) for t in types):
        return False
    if op_class in _READS_ANYWHERE and not _reads_some_element(operation, op_class):
        return False
    if all(isinstance(t, TensorType) and t.is_static for t in types):
        return True
    return op_class in _KEEPS_EXTENTS or (op_class.family in _ELEMENTWISE and _has_one_shape(operation))


def _is_safe_scalar_op(operation: Operation) -> bool:
    name = operation.name
    if name == EXTRACT:
        return len(operation.operands) == 1
    if name == CAST:
        return type_of(operation.operands[0]).is_static
    divides = name.startswith("arith.") and ("div" in name or "rem" in name)
    return (name == FROM_ELEMENTS or name.startswith(_PURE_DIALECTS)) and not divides


def _reads_some_element(operation: Operation, op_class: type[Op]) -> bool:
    """Whether the axes that are indexed are known to have elements: compiled code reads the nearest one."""
    attributes = decode_attributes(op_class, operation)
    shape = type_of(operation.operands[0]).shape
    axes = attributes["axes"] if op_class is Gather else (attributes["axis"],)
    return all((shape[axis] or 0) > 0 for axis in axes)


def _has_one_shape(operation: Operation) -> bool:
    """Whether the extents that are not known come from one operand, and no other has more than one element there."""
    operands = list(dict.fromkeys(operation.operands))
    shapes = [type_of(operand).shape for operand in operands]
    rank = max(len(shape) for shape in shapes)
    for place in range(1, rank + 1):
        meeting = [shape[-place] for shape in shapes if len(shape) >= place and shape[-place] != 1]
        if None in meeting and len(meeting) > 1:
            return False
    return True


def cost(operation: Operation) -> int:
    """About how many simple instructions an op takes for an element."""
    op_class = op_class_of(operation)
    if op_class is None or op_class.name == "constant":
        return 0
    if op_class.name in _DEAR:
        return _COST_OF_DEAR
    return _COST_OF_SLOW if op_class.name in _SLOW else 1


def is_scalar_op(operation: Operation) -> bool:
    """Whether an op works on scalars and tensors of rank 0 only, or is free."""
    op_class = op_class_of(operation)
    if op_class is None or op_class.name in ("constant", "dim"):
        return True
    types = [type_from_mlir(value.type) for value in (*operation.operands, *operation.results)]
    return all(isinstance(t, TensorType) and t.rank == 0 for t in types)
