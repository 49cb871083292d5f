"""Memory that kernels need while they run, and that is not there: they end, and so does the call.

What gives the memory counts how often it could not. A function that gets none returns at once, and who called it looks
whether the count has changed: what was to be computed is not there, and may not be used, as indices least of all. The
planned function notes it in the error record.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....dialect.mlir import Block, Module, Operation, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import defined_functions, operations_in, operations_of, symbols_of
from ...planning.names import EXIT, REFUSALS, loop_of_name, parallel_name
from ...planning.plan import OUT_OF_MEMORY
from ...planning.plan_attributes import PLAN, SCRATCH


@dataclass(frozen=True)
class CheckScratch(Pass):
    """End the call where kernels get no memory for temporaries."""

    of_loops: bool = False
    """Whether the loops of ufuncs that kernels call ask for memory, too, and count where there is none."""

    def run(self, module: Module, statistics: Statistics) -> None:
        functions = {
            view.operation.attributes["sym_name"].value: view.operation for view in defined_functions(module)
        }
        inside = {name: operations_of(function) for name, function in functions.items()}
        asking = {name for name in symbols_of(module) if self.of_loops and loop_of_name(name)}
        needing = _needing(inside, asking)
        ending = needing & functions.keys()
        if not ending:
            return
        _declare(module)
        for name in ending:
            _check(functions[name], inside[name], needing)
        statistics["functions that may get no memory"] += len(ending)


def _needing(inside: dict[str, list[Operation]], asking: set[str]) -> set[str]:
    """The functions that ask for memory, themselves or by what they call; some others do."""
    found = {name for name, ops in inside.items() if any(op.name == "memref.alloc" for op in ops)} | asking
    while more := {
        name for name, ops in inside.items() if name not in found and any(_may_lack(op, found) for op in ops)
    }:
        found |= more
    return found


def _may_lack(op: Operation, needing: set[str]) -> bool:
    """Whether an op calls a function that asks for memory, or one that shares its iterations."""
    if op.name != "func.call":
        return False
    callee: str = op.attributes["callee"].value
    return callee in needing or any(parallel_name(name) == callee for name in needing)


def _declare(module: Module) -> None:
    known, func = symbols_of(module), dialect("func")
    with ir.InsertionPoint(module.body), ir.Location.unknown():
        if REFUSALS not in known:
            func.FuncOp(REFUSALS, ([], [_i64()]), visibility="private")
        if EXIT not in known:
            func.FuncOp(EXIT, ([], []), visibility="private")


def _check(function: Operation, operations: list[Operation], needing: set[str]) -> None:
    """Look at what each allocation gave, and at the count behind each call."""
    arith, func, memref = dialect("arith"), dialect("func"), dialect("memref")
    allocations = [op for op in operations if op.name == "memref.alloc"]
    calls = [op for op in operations if _may_lack(op, needing)]
    with ir.InsertionPoint.at_block_begin(function.regions[0].blocks[0]), function.location:
        if calls:
            before = func.CallOp([_i64()], REFUSALS, []).results[0]
        if PLAN in function.attributes:
            function.attributes[SCRATCH] = ir.UnitAttr.get()
            _note(function, 0)
    for op in allocations:
        with _behind(op), op.location:
            address = memref.extract_aligned_pointer_as_index(op.results[0])
            nothing = arith.constant(ir.IndexType.get(), 0)
            _exit_if(arith.cmpi(arith.CmpIPredicate.eq, address, nothing), function, op, allocations)
    for op in calls:
        with _behind(op), op.location:
            now = func.CallOp([_i64()], REFUSALS, []).results[0]
            _exit_if(arith.cmpi(arith.CmpIPredicate.ne, now, before), function, op, allocations)


def _behind(op: Operation) -> ir.InsertionPoint:
    return ir.InsertionPoint.after(op)


def _exit_if(failed: Value, function: Operation, op: Operation, allocations: list[Operation]) -> None:
    """End the function behind an op: what it has is given back."""
    scf, func = dialect("scf"), dialect("func")
    branch = scf.IfOp(failed)
    with ir.InsertionPoint(branch.then_block):
        for held in _held(op, allocations):
            dialect("memref").dealloc(held.results[0])
        if PLAN in function.attributes:
            _note(function, OUT_OF_MEMORY)
        func.CallOp([], EXIT, [])
        scf.YieldOp([])


def _note(function: Operation, state: int) -> None:
    """Write the first word of the error record."""
    arith = dialect("arith")
    first = arith.constant(ir.IndexType.get(), 0)
    dialect("memref").store(arith.constant(_i64(), state), _record_of(function), [first])


def _held(op: Operation, allocations: list[Operation]) -> Iterator[Operation]:
    """The allocations whose memory a function has where an op ends."""
    around: list[tuple[Block, Operation]] = []
    inner = op
    while inner.name != "func.func":
        around.append((inner.block, inner))
        inner = inner.parent.operation
    for block, place in around:
        ahead = operations_in(block)
        ahead = ahead[: ahead.index(place)]
        freed = {held.operands[0] for held in ahead if held.name == "memref.dealloc"}
        yield from (made for made in ahead if made in allocations and made.results[0] not in freed)


def _record_of(function: Operation) -> Value:
    """The error record of a planned function: behind it are the table of heap blocks and sizes, where there are any."""
    plan = ir.DictAttr(function.attributes[PLAN])
    behind = bool(plan["blocks"].value) + bool(len(plan["on_heap"]))
    arguments = list(function.regions[0].blocks[0].arguments)
    return arguments[len(arguments) - 1 - behind]


def _i64() -> ir.Type:
    return ir.IntegerType.get_signless(64)
