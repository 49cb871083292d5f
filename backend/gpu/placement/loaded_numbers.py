"""Which numbers a kernel may load itself: those that its launch does not need."""

from __future__ import annotations

from collections.abc import Iterator

from ....dialect.mlir import Operation, Value, ir
from ....dialect.op import FUNCTIONS
from ....dialect.ops.state import RaiseIf

_SLICES = ("tensor.extract_slice", "tensor.insert_slice")
_NUMERIC = (
    "arith.",
    "complex.",
    "linalg.",
    *FUNCTIONS,
    "scf.if",
    "tensor.extract",
    "tensor.from_elements",
    "tensor.insert",
    RaiseIf.mlir_name(),
)
"""What computes with numbers, or puts them somewhere, or goes to where they say."""
_BOUNDS = 3
"""The first operands of an `scf.for`."""


def may_be_loaded(number: Value) -> bool:
    """Whether a kernel needs a number only while it runs.

    The host needs what extents of arrays, and lengths of loops, depend on: they tell how many threads there are.
    """
    pending, seen = [number], set[Value]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            if _is_extent(use):
                return False
            pending += _followers(use)
    return True


def _is_extent(use: ir.OpOperand) -> bool:
    op = use.owner.operation
    if op.name == "scf.for":
        return bool(use.operand_number < _BOUNDS)
    if op.name in _SLICES:
        tensors = 1 + (op.name == _SLICES[1])
        offsets = op.attributes["operandSegmentSizes"][tensors]
        return not tensors <= use.operand_number < tensors + offsets
    return not op.name.startswith((*_NUMERIC, "scf.yield", "scf.condition", "scf.while", "func.return"))


def _followers(use: ir.OpOperand) -> Iterator[Value]:
    """The numbers that depend on a use."""
    op = use.owner.operation
    if op.name in ("scf.yield", "scf.condition"):
        op = op.parent.operation
    if op.name in ("scf.for", "scf.while"):
        yield from _carried(op)
    yield from (result for result in op.results if not isinstance(result.type, ir.ShapedType))


def _carried(loop: Operation) -> Iterator[Value]:
    """What iterations of a loop hand on."""
    for region in loop.regions:
        arguments = list(region.blocks[0].arguments)
        yield from arguments[1:] if loop.name == "scf.for" else arguments
