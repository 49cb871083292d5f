"""What operations of a kernel function take from around them, and what of that a device kernel makes again.

Arithmetic on sizes and numbers, and views, are cheap: each thread makes them again. What is left are arguments of the
kernel function and memory that it allocates, which are the parameters of the device kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....dialect.errors import WeftError
from ....dialect.mlir import Operation, Value, ir
from ....dialect.op import FUNCTIONS
from ....passes.rewriting import function_around, operations_of
from ...nests.independence import roots, written_memrefs

_VIEWS = frozenset(
    {
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.get_global",
        "memref.reinterpret_cast",
        "memref.subview",
        "memref.view",
    }
)
_FACTS = ("memref.dim", "memref.extract_aligned_pointer_as_index")
"""What is asked of memory without a look into it."""
_PURE_DIALECTS = ("affine.apply", "affine.max", "affine.min", "arith.", "complex.", "index.", *FUNCTIONS)


class NotScheduled(WeftError):
    """Why a schedule does not take a kernel; another one may."""


def is_pure(op: Operation) -> bool:
    """Whether an operation only computes a number, or another view of memory."""
    return not op.regions and (op.name in _VIEWS or op.name in _FACTS or op.name.startswith(_PURE_DIALECTS))


def is_parameter(value: Value) -> bool:
    """Whether a value is an argument of the kernel function, or memory that it allocates."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return bool(owner.owner.operation.name == "func.func")
    return bool(owner.operation.name == "memref.alloc")


def outer_operands(op: Operation) -> list[Value]:
    """The values that an operation, and what is in its regions, takes from outside."""
    found = dict.fromkeys(op.operands)
    inner = operations_of(op)
    if inner:
        made = {value for o in inner for value in o.results}
        made |= {value for o in (op, *inner) for region in o.regions for b in region for value in b.arguments}
        found |= dict.fromkeys(v for o in inner for v in o.operands if v not in made)
    return list(found)


def inner_operations(ops: Iterable[Operation]) -> list[Operation]:
    """The operations in the regions of some operations."""
    return [inner for op in ops for inner in operations_of(op)]


def captures(ops: Iterable[Operation], values: Iterable[Value] = ()) -> list[Value]:
    """The parameters of a device kernel that runs some operations of a kernel function, and asks for some values.

    Raises `NotScheduled` where an operation takes what another one made that cannot be made again.
    """
    ops = list(ops)
    made = {value for op in ops for value in op.results}
    found: dict[Value, None] = {}
    seen: set[Value] = set()

    def visit(value: Value) -> None:
        if value in seen or value in made:
            return
        seen.add(value)
        if is_parameter(value):
            found[value] = None
            if not isinstance(value.owner, ir.Block):
                for extent in value.owner.operation.operands:
                    visit(extent)
            return
        maker = _maker(value)
        for operand in maker.operands:
            visit(operand)

    for op in ops:
        for value in outer_operands(op):
            visit(value)
    for value in values:
        visit(value)
    return list(found)


def _maker(value: Value) -> Operation:
    """The operation that is made again for a value."""
    if isinstance(value.owner, ir.Block):
        raise NotScheduled("it uses a value of a loop around it")
    maker = value.owner.operation
    if is_pure(maker) or (maker.name == "memref.load" and is_constant_memory(maker.operands[0], maker)):
        return maker
    raise NotScheduled(f"it uses what {maker.name} made")


def is_known_to_host(value: Value) -> bool:
    """Whether the host can compute a number of what it gives a kernel, which it needs for a launch."""
    pending, seen = [value], {value}
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, ir.Block):
            if owner.owner.operation.name != "func.func":
                return False
        elif owner.operation.name != "memref.dim":
            if not is_pure(owner.operation):
                return False
            pending += [operand for operand in owner.operation.operands if operand not in seen]
            seen.update(owner.operation.operands)
    return True


def is_constant_memory(memref: Value, inside: Operation) -> bool:
    """Whether nothing in the kernel function around an operation writes the memory of a memref."""
    function = function_around(inside)
    memory = roots(memref)
    return not any(roots(written) & memory for op in operations_of(function) for written in writes_of(op))


def writes_of(op: Operation) -> Iterator[Value]:
    """The memrefs that an operation writes, without those that operations inside of it write."""
    yield from written_memrefs(op)
    if op.name in ("linalg.generic", "linalg.fill"):
        inputs = next(iter(op.attributes["operandSegmentSizes"]))
        yield from (v for v in list(op.operands)[inputs:] if isinstance(v.type, ir.MemRefType))
    elif op.name == "memref.copy":
        yield op.operands[1]
    elif op.name == "func.call":
        yield from (v for v in op.operands if isinstance(v.type, ir.MemRefType))
