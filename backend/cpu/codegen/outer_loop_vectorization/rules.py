"""Which loops may run several iterations side by side in the lanes of vectors.

The inner loops must be made of operations that have no effects and no undefined cases, as lanes that are done go on
computing: no reads of arrays, and integers are divided by constants only.
"""

from __future__ import annotations

from .....dialect.mlir import Block, Operation, Value, ir
from .....dialect.op import FUNCTIONS
from .....passes.rewriting import constant_integer, operations_in
from .... import target
from ....nests.nest import nested

_FLOATS = (ir.F32Type, ir.F64Type)
_SCALARS = (*_FLOATS, ir.IntegerType, ir.IndexType)
_DIVISIONS = ("arith.div", "arith.rem", "arith.floordiv", "arith.ceildiv")
# Machines have no form of them for vectors.
_SCALAR_ONLY = ("arith.mulsi_extended", "arith.mului_extended", "arith.addui_extended", "arith.remf")
_IN_ORDER = {
    "tensor.empty",
    "tensor.insert",
    "tensor.extract",
    "tensor.dim",
    "tensor.from_elements",
    "scf.if",
    "scf.yield",
}
"""What may depend on the values that the outer loop carries: it is done lane by lane."""


def has_inner_loop(operation: Operation) -> bool:
    """Whether an operation is an `scf.for` by steps of one with a loop inside that makes lanes worth while."""
    if operation.name != "scf.for" or constant_integer(operation.operands[2]) != 1:
        return False
    return any(op.operation.name == "scf.while" for op in operation.regions[0].blocks[0].operations)


def is_vectorisable_body(loop: Operation) -> bool:
    """Whether the iterations of a loop that has an inner one can run side by side."""
    body = loop.regions[0].blocks[0]
    operations = operations_in(body)
    in_order = following(body)
    return all(
        _may_go_in_order(op) if op in in_order else _may_go_in_lanes(op, body) for op in operations[:-1]
    )


_WASTED = 1.6
"""What lanes cost that wait for the longest of them, beside what an iteration alone takes."""

_WITHOUT_INSTRUCTIONS = {"arith.muli": 10, "arith.shrsi": 8}
"""Vectors of 64-bit integers without AVX-512: so much as others do for one number these take for a vector. Measured on
loops of each (Collatz, powers, linear congruences, square roots by halves, lengths in bits) on Zen 4 with AVX2."""

_PACKED = 7
"""What an op on a flag, a byte, takes beside lanes of 64 bits without masks: shuffles pack it (2) and widen it (5)."""


def pays_in_lanes(loop: Operation, lanes: int) -> bool:
    """Whether inner loops take less time in vectors of so many lanes than one iteration after another."""
    inner = [
        inner.operation
        for op in loop.regions[0].blocks[0].operations
        if op.operation.name == "scf.while"
        for inner in nested(op.operation)
        if _is_arithmetic(inner.operation) and not inner.operation.name.startswith("arith.ext")
    ]
    return lanes * len(inner) > _WASTED * sum(map(_vector_cost, inner)) or target.current().wide_integers


def _vector_cost(op: Operation) -> int:
    if any(_is_integer(operand, 8) for operand in op.operands):
        return _PACKED
    return _WITHOUT_INSTRUCTIONS.get(op.name, 1) if _is_integer(op.results[0], 64) else 1


def _is_integer(value: Value, width: int) -> bool:
    return isinstance(value.type, (ir.IndexType, ir.IntegerType)) and _bits(value) == width


def following(body: Block) -> set[Operation]:
    """The operations of a loop body that depend on the values it carries, except for the extents of arrays."""
    values, found = set(list(body.arguments)[1:]), set[Operation]()
    for op in operations_in(body):
        if op.name != "tensor.dim" and any(value in values for value in used(op)):
            found.add(op)
            values.update(op.results)
    return found


def used(operation: Operation) -> list[Value]:
    """The values that an operation takes, those in its regions included."""
    return [*operation.operands, *(value for op in nested(operation) for value in op.operation.operands)]


def _may_go_in_order(op: Operation) -> bool:
    everything = [op, *(inner.operation for inner in nested(op))]
    return all(_is_arithmetic(inner) or inner.name in _IN_ORDER for inner in everything)


def _is_arithmetic(op: Operation) -> bool:
    return op.name.startswith(("arith.", *FUNCTIONS)) and not list(op.regions)


def _may_go_in_lanes(op: Operation, body: Block) -> bool:
    """Whether an operation outside of inner loops can be written for vectors, or once for each lane."""
    if op.name == "tensor.dim":
        return not isinstance(op.operands[1].owner, ir.Block)
    if op.name == "tensor.extract":
        return True  # each lane reads what its iteration reads
    return _is_total(op)


def _is_total(op: Operation) -> bool:
    """Whether an operation on numbers has a good vector form and is defined for all operands."""
    if op.name in ("scf.yield", "scf.condition", "tensor.empty"):
        return True
    if op.name in ("scf.while", "scf.if"):
        if op.name == "scf.if" and any(inner.operation.name == "scf.while" for inner in nested(op)):
            return False  # lanes that do not take the branch might never leave the loop
        insides = all(_is_total(inner.operation) for inner in nested(op))
        return insides and all(isinstance(value.type, _SCALARS) for value in op.results)
    if op.name in ("tensor.from_elements", "tensor.extract"):
        return _is_boxing(op)
    if not _is_arithmetic(op) or op.name in _SCALAR_ONLY:
        return False
    if op.name.startswith(FUNCTIONS) and not all(
        isinstance(v.type, _FLOATS) for v in [*op.operands, *op.results]
    ):
        return False
    if op.name.startswith(_DIVISIONS) and not op.name.endswith("f") and not _is_good_divisor(op.operands[1]):
        return False
    values = [*op.operands, *op.results]
    return len(list(op.results)) == 1 and all(isinstance(value.type, _SCALARS) for value in values)


def _is_boxing(op: Operation) -> bool:
    """Whether an operation makes an array without axes of a number, or gets the number back."""
    if op.name == "tensor.from_elements":
        return bool(op.results[0].type.rank == 0)
    owner = op.operands[0].owner
    return not isinstance(owner, ir.Block) and owner.name == "tensor.from_elements" and _is_boxing(owner)


def _is_good_divisor(value: Value) -> bool:
    divisor = constant_integer(value)
    # By others, machines divide vectors of 64 bits lane by lane.
    return divisor is not None and divisor > 0 and (divisor & (divisor - 1) == 0 or _bits(value) <= 32)


def _bits(value: Value) -> int:
    return 64 if isinstance(value.type, ir.IndexType) else int(value.type.width)
