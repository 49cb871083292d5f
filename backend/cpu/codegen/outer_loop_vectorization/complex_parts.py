"""Complex numbers that branches and loops carry, as two numbers each: then there are real numbers in the lanes alone.

    while (z = ...) complex<f64>          becomes          while (x = ..., y = ...) f64, f64

Real parts take the places of the complex numbers, imaginary parts follow behind everything else.
"""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Block, Operation, Type, Value, ir
from .....passes.rewriting import blocks_of, made_again
from ....nests.emit import create
from ....nests.nest import nested

_STRUCTURED = ("scf.for", "scf.while", "scf.if")
_PARTS = ("complex.re", "complex.im")


def split_complex_numbers(loop: Operation) -> None:
    """Split the complex numbers that branches and loops inside of a loop carry."""
    inside = [op.operation for op in nested(loop)]
    if not any(op.name.startswith("complex.") for op in inside):
        return
    for op in reversed(inside):
        if op.name in _STRUCTURED:
            _split(op)
    for op in [op.operation for op in nested(loop)]:
        if op.name in _PARTS:
            with ir.InsertionPoint(op), op.location:
                known = _known_part(op.operands[0], _PARTS.index(op.name))
            if known is not None:
                op.results[0].replace_all_uses_with(known)
    for op in reversed([op.operation for op in nested(loop)]):
        is_used = any(True for result in op.results for _ in result.uses)
        if (op.name.startswith("complex.") or op.name == "tensor.from_elements") and not is_used:
            op.erase()


def _split(op: Operation) -> None:
    blocks = [block for region in op.regions for block in region.blocks]
    carried = [*op.results, *(argument for block in blocks for argument in block.arguments)]
    if not any(map(_is_complex, carried)):
        return
    with ir.InsertionPoint(op), op.location:
        types = _split_types([result.type for result in op.results])
        new = made_again(op, types, _split_values(list(op.operands)))
        for block in blocks_of(new):
            _split_block(block, op.location)
        results, parts = list(new.results), iter(list(new.results)[len(op.results) :])
        for old, real in zip(op.results, results, strict=False):
            is_complex = _is_complex(old)
            joined = create("complex.create", [old.type], [real, next(parts)]) if is_complex else real
            old.replace_all_uses_with(joined)
    op.erase()


def _split_block(block: Block, location: ir.Location) -> None:
    """Take parts and join them, and hand on parts."""
    with ir.InsertionPoint.at_block_begin(block), location:
        for argument in list(block.arguments):
            if _is_complex(argument):
                type, element = argument.type, argument.type.element_type
                argument.set_type(element)
                imaginary = block.add_argument(element, location)
                joined = create("complex.create", [type], [argument, imaginary])
                argument.replace_all_uses_except(joined, joined.owner.operation)
    last = list(block.operations)[-1].operation
    with ir.InsertionPoint(last), last.location:
        ir.Operation.create(last.name, operands=_split_values(list(last.operands)))
    last.erase()


def _split_values(values: Sequence[Value]) -> list[Value]:
    complex_ones = [value for value in values if _is_complex(value)]
    real = [_part(value, 0) if _is_complex(value) else value for value in values]
    return [*real, *(_part(value, 1) for value in complex_ones)]


def _split_types(types: Sequence[Type]) -> list[Type]:
    elements = [type.element_type for type in types if isinstance(type, ir.ComplexType)]
    return [t.element_type if isinstance(t, ir.ComplexType) else t for t in types] + elements


def _known_part(value: Value, which: int) -> Value | None:
    """The real or imaginary part that a number was made of."""
    made = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if made is not None and made.name == "complex.create":
        return made.operands[which]
    if made is not None and made.name == "complex.constant":
        attributes = {"value": made.attributes["value"][which]}
        return create("arith.constant", [value.type.element_type], [], attributes)
    return None


def _part(value: Value, which: int) -> Value:
    """The real or imaginary part of a number."""
    known = _known_part(value, which)
    return create(_PARTS[which], [value.type.element_type], [value]) if known is None else known


def _is_complex(value: Value) -> bool:
    return isinstance(value.type, ir.ComplexType)
