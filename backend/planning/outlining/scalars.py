"""Rank-0 computations become scalar arithmetic.

A `linalg.generic` without loops works on tensors of one element; as a kernel it would be a call that moves
single numbers through memory. Unless it joins the kernel of what it follows, its body is put in its place instead,
between `tensor.extract` and `tensor.from_elements`, and an extract of an element that was just put into a tensor is
that element.
"""

from __future__ import annotations

from ....dialect.mlir import Attribute, Block, Operation, Type, Value, dialect, ir
from ....passes.rewriting import blocks_of, made_again, operations_directly_in, operations_in, terminator
from .clusters import JOINS


def scalarize(function: Operation) -> int:
    """Rewrite all rank-0 generics of a function, in nested regions too; return how many."""
    count = 0
    for op in operations_directly_in(function):
        if op.name == "linalg.generic":
            if _is_rank_0(op):
                _inline_body(op)
                count += 1
        elif op.name == "tensor.extract":
            _forward_element(op)
        elif op.regions:
            count += scalarize(_carry_scalars(op))
    return count


def _is_rank_0(op: Operation) -> bool:
    return len(op.attributes["iterator_types"]) == 0 and len(op.results) > 0 and not _follows(op)


def _follows(op: Operation) -> bool:
    """Whether the kernel of an operand's maker computes an op."""
    makers = (value.owner.operation for value in op.operands if not isinstance(value.owner, ir.Block))
    return any(JOINS in maker.attributes for maker in makers)


def _inline_body(op: Operation) -> None:
    body = op.regions[0].blocks[0]
    tensor = dialect("tensor")
    with ir.InsertionPoint(op), op.location:
        for argument, operand in zip(body.arguments, op.operands, strict=True):
            if any(True for _ in argument.uses):
                argument.replace_all_uses_with(element_of(operand))
        inner = operations_in(body)
        for scalar in inner[:-1]:
            scalar.move_before(op)
        for result, value in zip(op.results, inner[-1].operands, strict=True):
            result.replace_all_uses_with(tensor.from_elements(result.type, [value]))
    op.erase()


def _carry_scalars(op: Operation) -> Operation:
    """Let control flow carry scalars where it carries rank-0 tensors, so that a loop over numbers is one."""
    if op.name not in ("scf.for", "scf.if", "scf.while"):
        return op
    arguments = [argument for region in op.regions for block in region for argument in block.arguments]
    if not any(_is_rank_0_tensor(value) for value in [*op.results, *arguments]):
        return op
    with ir.InsertionPoint(op), op.location:
        operands = [element_of(value) if _is_rank_0_tensor(value) else value for value in op.operands]
        new = made_again(op, map(_scalar_type, op.results), operands)
        for block in blocks_of(new):
            _take_and_give_scalars(block)
        for old, result in zip(op.results, new.results, strict=True):
            wrapped = (
                dialect("tensor").from_elements(old.type, [result]) if _is_rank_0_tensor(old) else result
            )
            old.replace_all_uses_with(wrapped)
    op.erase()
    return new


def _take_and_give_scalars(block: Block) -> None:
    """Wrap the scalar arguments of a block into tensors, and unwrap what it yields."""
    tensor = dialect("tensor")
    with ir.InsertionPoint.at_block_begin(block):
        for argument in block.arguments:
            if _is_rank_0_tensor(argument):
                type = argument.type
                argument.set_type(type.element_type)
                wrapped = tensor.from_elements(type, [argument])
                argument.replace_all_uses_except(wrapped, wrapped.owner.operation)
    last = terminator(block)
    with ir.InsertionPoint(last):
        for index, value in enumerate(last.operands):
            if _is_rank_0_tensor(value):
                last.operands[index] = element_of(value)


def _is_rank_0_tensor(value: Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and value.type.rank == 0


def _scalar_type(value: Value) -> Type:
    return value.type.element_type if _is_rank_0_tensor(value) else value.type


def element_of(value: Value) -> Value:
    """The element of a rank-0 tensor: the scalar it is made of, or what is read of it.

    It is read once in a block: at the current insertion point, or before the outermost loop or branch around that which
    the tensor comes from outside of.
    """
    known = _known_element(value)
    if known is not None:
        return known
    point = ir.InsertionPoint.current
    home = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
    around = point.ref_operation
    if point.block != home:
        around = point.block.owner.operation
        while around.block != home:
            around = around.parent.operation
    for use in value.uses:
        reader = use.owner.operation
        is_read_here = reader.name == "tensor.extract" and reader.block == home
        if is_read_here and (around is None or reader.is_before_in_block(around)):
            return reader.results[0]
    with point if around is None else ir.InsertionPoint(around):
        return dialect("tensor").extract(value, [])


def _known_element(value: Value) -> Value | None:
    """The scalar that a rank-0 tensor or operand is made of."""
    if not isinstance(value.type, ir.RankedTensorType):
        return value
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    if owner.operation.name == "tensor.from_elements":
        return owner.operands[0]
    if owner.operation.name == "linalg.fill":
        return owner.operands[0]
    if owner.operation.name == "arith.constant":
        attribute = owner.operation.attributes["value"]
        if isinstance(attribute, ir.DenseElementsAttr):
            return scalar_constant(value.type.element_type, attribute)
    return None


def scalar_constant(type: Type, elements: Attribute) -> Value:
    """A constant that is the one element of a tensor constant."""
    name = "complex.constant" if isinstance(type, ir.ComplexType) else "arith.constant"
    attributes = {"value": elements.get_splat_value()}
    return ir.Operation.create(name, results=[type], attributes=attributes).result


def _forward_element(op: Operation) -> None:
    """Replace an element read of a rank-0 tensor that is known, or read farther out."""
    if len(op.operands) != 1:
        return
    with ir.InsertionPoint(op), op.location:
        element = element_of(op.operands[0])
    op.results[0].replace_all_uses_with(element)
    op.erase()
