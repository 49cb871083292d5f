"""Arrays with equal elements are filled, each where it is needed.

* A tensor constant with equal elements becomes a `linalg.fill`: it takes no space in the compiled code, and is made
  in the memory that wants it instead of copied there.
* A fill that several loops start from, or elements are inserted into, becomes one fill for each of them, as does one
  of a computed number and of sizes that the program knows (a `linalg.generic` that reads numbers alone).
"""

from __future__ import annotations

from ....dialect.made_ops import filled, value_of
from ....dialect.mlir import Operation, Value, ir
from ....passes.rewriting import operations_directly_in, operations_in
from .scalars import scalar_constant

_UPDATED = {"scf.for": 3, "scf.while": 0, "tensor.insert": 1, "tensor.insert_slice": 1}
"""Ops that make something new of an array, by the first operand that may be one; of loops, all from there on."""


def separate_fills(function: Operation) -> None:
    """Give every use of equal elements a fill of its own, in all regions of a function."""
    for op in _nested(function):
        if op.name == "arith.constant":
            _fill_constant(op)
        elif op.name in _UPDATED:
            first = _UPDATED[op.name]
            last = first + 1 if op.name.startswith("tensor") else sum(1 for _ in op.operands)
            for index in range(first, last):
                _make_own(op, index)


def _fill_constant(op: Operation) -> None:
    """Replace a constant of rank 1 or more."""
    result, attribute = op.results[0], op.attributes["value"]
    if not isinstance(attribute, ir.DenseElementsAttr) or not attribute.is_splat or not result.type.rank:
        return
    with ir.InsertionPoint(op), op.location:
        result.replace_all_uses_with(_fill(scalar_constant(result.type.element_type, attribute), result))
    op.erase()


def _make_own(op: Operation, index: int) -> None:
    """Let an operand that is filled be used by this op only."""
    value = op.operands[index]
    if isinstance(value.owner, ir.Block):
        return
    if _reads_numbers_alone(value.owner.operation) and len(list(value.uses)) > 1:
        with ir.InsertionPoint(op), value.owner.operation.location:
            op.operands[index] = value.owner.operation.clone().result
        return
    if value.owner.operation.name != "linalg.fill":
        return
    destination = value.owner.operands[1].owner
    filled_empty = not isinstance(destination, ir.Block) and destination.operation.name == "tensor.empty"
    if filled_empty and len(list(value.uses)) > 1:
        with ir.InsertionPoint(op), value.owner.operation.location:
            op.operands[index] = _fill(value.owner.operands[0], value)


def _reads_numbers_alone(op: Operation) -> bool:
    """Whether an op gives new arrays the same elements all over, as what NumPy's `full` makes."""
    if op.name != "linalg.generic" or len(op.results) != 1 or not op.result.type.rank:
        return False
    *inputs, destination = op.operands
    is_new = (
        not isinstance(destination.owner, ir.Block) and destination.owner.operation.name == "tensor.empty"
    )
    has_arrays = any(isinstance(value.type, ir.ShapedType) and value.type.rank for value in inputs)
    is_given = len(operations_in(op.regions[0].blocks[0])) == 1  # and not computed again for each
    return is_new and is_given and not has_arrays


def _fill(scalar: Value, like: Value) -> Value:
    """A new array with the type and sizes of another one, which is static or filled itself."""
    sizes = []
    if not like.type.has_static_shape:
        sizes = list(like.owner.operation.operands[1].owner.operands)
    return filled(scalar, value_of("tensor.empty", sizes, like.type))


def _nested(function: Operation) -> list[Operation]:
    """The ops in a function, without those in the bodies of loop nests, outer ones first."""
    found: list[Operation] = []

    def visit(op: Operation) -> None:
        for inner in operations_directly_in(op):
            found.append(inner)
            if not inner.name.startswith("linalg."):
                visit(inner)

    visit(function)
    return found
