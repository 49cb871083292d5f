"""How many operations may store to some memory: those that are not known are taken for such."""

from __future__ import annotations

from ...dialect.mlir import Operation, Value
from ...passes.rewriting import operations_in

_READS = frozenset(
    {
        "arith.cmpi",
        "memref.dealloc",
        "memref.dim",
        "memref.load",
        "memref.prefetch",
        "vector.gather",
        "vector.load",
        "vector.maskedload",
        "vector.transfer_read",
    }
)
_ADDRESSES = (
    "arith.",
    "builtin.unrealized_conversion_cast",
    "index.",
    "llvm.addrspacecast",
    "llvm.extractvalue",
    "llvm.getelementptr",
    "llvm.insertvalue",
    "llvm.inttoptr",
    "memref.",
)
"""What makes views of memory, and computes with addresses; of operations with results."""
_ATOMICS = frozenset({"memref.atomic_rmw", "memref.generic_atomic_rmw"})


def stores_to(memory: Value) -> int:
    """How many operations, but for nests that are not written yet, may store to a memref or a view of it."""
    pending, seen, count = [(memory, False)], {memory}, 0
    while pending:
        value, in_kernel = pending.pop()
        for use in value.uses:
            op = use.owner.operation
            found: list[Value] = []
            if op.name == "gpu.launch_func":
                found = [_parameter(op, use.operand_number)]
            elif op.results and op.name.startswith(_ADDRESSES) and op.name not in _ATOMICS | _READS:
                found = list(op.results)
            elif op.name.startswith("linalg."):
                count += in_kernel and use.operand_number >= op.attributes["operandSegmentSizes"][0]
            elif op.name not in _READS:
                count += 1
            pending += [
                (each, in_kernel or op.name == "gpu.launch_func") for each in found if each not in seen
            ]
            seen.update(found)
    return count


def _parameter(launch: Operation, number: int) -> Value:
    """What an operand of a launch is in the kernel."""
    *before, _, _ = launch.attributes["operandSegmentSizes"]
    name = launch.attributes["kernel"]
    ops = launch.parent.operation
    while ops.name != "builtin.module":
        ops = ops.parent.operation
    for symbol in name.value:
        ops = _named(ops, symbol)
    return ops.regions[0].blocks[0].arguments[number - sum(before)]


def _named(around: Operation, name: str) -> Operation:
    ops = operations_in(around.regions[0].blocks[0])
    return next(op for op in ops if "sym_name" in op.attributes and op.attributes["sym_name"].value == name)
