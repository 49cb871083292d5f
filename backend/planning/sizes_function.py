"""The function a caller asks for sizes before it allocates results and workspace.

    func.func @f_sizes(inputs of @f...) -> (index...)

It is the part of the planned function that computes sizes, copied out; nothing in it may depend on data. Sums and
products that are too large stay the largest number, so that the caller's allocation fails: a wrapped one would succeed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.errors import InternalError
from ...dialect.mlir import Operation, Value, dialect, ir
from ...passes.index_arithmetic import Extent, saturating_product, saturating_sum
from ...passes.rewriting import operations_in
from .failures import find
from .outlining.outline import clone


def build_sizes_function(function: Operation, inputs: int, extents: Sequence[Extent]) -> str:
    """Make the function that returns the given extents of a planned function, behind it; return its name."""
    name = f"{function.attributes['sym_name'].value}_sizes"
    func, arith = dialect("func"), dialect("arith")
    block = function.regions[0].blocks[0]
    arguments = list(block.arguments)[:inputs]
    with ir.InsertionPoint.after(function.operation):
        sizes = func.FuncOp(
            name, ([argument.type for argument in arguments], [ir.IndexType.get()] * len(extents))
        )
    new_block = sizes.add_entry_block()
    mapping: dict[Value, Value] = dict(zip(arguments, new_block.arguments, strict=True))
    needed = _slice([extent for extent in extents if not isinstance(extent, int)])
    with ir.InsertionPoint(new_block):
        for op in operations_in(block):
            if op in needed:
                clone(op, mapping)
        func.ReturnOp(
            [
                arith.constant(ir.IndexType.get(), extent) if isinstance(extent, int) else mapping[extent]
                for extent in extents
            ]
        )
    _saturate(sizes.operation)
    return name


def _saturate(sizes: Operation) -> None:
    """Replace sums and products of indices by such that do not wrap around."""
    for name, saturating in (("arith.addi", saturating_sum), ("arith.muli", saturating_product)):
        for op in find(sizes, name):
            if op.results[0].type != ir.IndexType.get():
                continue
            with ir.InsertionPoint(op), op.location:
                op.results[0].replace_all_uses_with(saturating(*op.operands))
            op.erase()


def _slice(values: list[Value]) -> set[Operation]:
    """All ops that the values are computed by."""
    needed: set[Operation] = set()
    pending = list(values)
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, ir.Block) or owner.operation in needed:
            continue
        op = owner.operation
        if op.name in ("memref.load", "func.call"):
            raise InternalError(
                "the size of an array depends on the values of another array", at=str(op.location)
            )
        needed.add(op)
        pending.extend(op.operands)
        pending.extend(_captured(op))
    return needed


def _captured(op: Operation) -> list[Value]:
    return [
        operand
        for region in op.regions
        for block in region
        for inner in block.operations
        for operand in [*inner.operands, *_captured(inner.operation)]
        if not isinstance(operand.owner, ir.Block) or operand.owner.owner.operation.name == "func.func"
    ]
