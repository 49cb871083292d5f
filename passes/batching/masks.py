"""What may run in lanes that do not want it, as long as nobody looks at what it gives there."""

from __future__ import annotations

from ...dialect.mlir import Operation
from ...dialect.op import Op
from ...dialect.ops.differentiation import Marker, Request
from ...dialect.ops.indexing import FindOutOfBounds
from ...dialect.ops.state import RaiseIf, ReadRef
from ...dialect.ops.ufunc_loops import LoopOp
from ...dialect.register import op_class_of, tensor_type
from ..control_flow.speculation import is_speculatable
from ..control_flow.structure import CONDITION, FOR, IF, WHILE, YIELD
from ..rewriting import operations_of


def can_be_masked(operation: Operation) -> bool:
    """Whether all lanes may run a branch or loop of which some want the results: what is inside, and how it ends."""
    return all(map(_is_harmless, operations_of(operation))) and _is_known(operation)


def _is_harmless(operation: Operation) -> bool:
    """Whether an op inside has no effect but an error, which looks at the mask, and is safe with any operands."""
    if operation.name in (IF, FOR, WHILE):
        return _is_known(operation)
    op_class = op_class_of(operation)
    if op_class is None:
        return operation.name in (YIELD, CONDITION) or is_speculatable(operation)
    if op_class in (RaiseIf, ReadRef):
        return True
    if op_class is FindOutOfBounds:
        indices = tensor_type(operation.operands[0])
        return bool(indices.size)
    return not _fails_for_all(op_class) and is_speculatable(operation)


def _fails_for_all(op_class: type[Op]) -> bool:
    """Whether what an op says of failures is about all lanes, or whether it belongs to where it is."""
    return issubclass(op_class, (Marker, Request)) or (issubclass(op_class, LoopOp) and op_class.fails)


def _is_known(operation: Operation) -> bool:
    """Whether the extents of all results are known."""
    kinds = [str(result.type) for result in operation.results]
    return not any("?" in kind for kind in kinds)
