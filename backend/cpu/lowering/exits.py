"""How a call ends early: `weft_exit`, which nobody defines, becomes a return.

The error record is filled before. A caller of a kernel that may fail looks at it after the call, and exits too.
"""

from __future__ import annotations

import itertools

from ....dialect.made_ops import operation_of
from ....dialect.mlir import Block, Module, Operation, Type, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import operations_in
from ...planning.names import EXIT


@dataclass(frozen=True)
class BranchAtExits(Pass):
    """Turn every `scf.if` that exits, outside of loops, into a branch.

    Upstream would, too, but from the first to the last: each time it moves all that follows to a new block.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in module.body.operations:
            if function.operation.name == "func.func":
                for block in list(function.regions[0]):
                    _branch_in(block)


def _branch_in(block: Block) -> None:
    """From the last to the first: what follows an exit is already in a block of its own from the next exit on."""
    operations = operations_in(block)
    end = len(operations)
    for position in reversed(range(end)):
        branch = operations[position]
        if branch.name != "scf.if" or len(branch.results) or not _is_exiting(branch):
            continue
        rest, failing = block.create_after(), block.create_after()
        for op in operations[position + 1 : end]:
            rest.append(op)
        *filling, yielding = operations_in(branch.regions[0].blocks[0])
        for op in filling:
            failing.append(op)
        yielding.erase()
        with branch.location:
            with ir.InsertionPoint(failing):
                ir.Operation.create("cf.br", successors=[rest])
            with ir.InsertionPoint(branch):
                segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0])}
                jump = ir.Operation.create(
                    "cf.cond_br",
                    operands=list(branch.operands),
                    successors=[failing, rest],
                    attributes=segments,
                )
        branch.erase()
        operations[position], end = jump, position + 1


def _is_exiting(branch: Operation) -> bool:
    """Whether a conditional without an else branch calls the exit at its end."""
    if branch.regions[1].blocks:
        return False
    operations = list(branch.regions[0].blocks[0].operations)
    return len(operations) > 1 and _calls_exit(operations[-2].operation, "func.call")


@dataclass(frozen=True)
class LowerExits(Pass):
    """Turn every exit call of a module in the LLVM dialect into a return from its function."""

    def run(self, module: Module, statistics: Statistics) -> None:
        statistics["exits"] += return_at_exits(module.body)


def return_at_exits(body: Block) -> int:
    """Turn the exit calls in the functions of a module, of which this is the body, into returns; how many."""
    functions = [op for op in operations_in(body) if op.name == "llvm.func"]
    declaration = next((f for f in functions if f.attributes["sym_name"].value == EXIT), None)
    if declaration is None:
        return 0
    count = 0
    for function in functions:
        if function.regions[0].blocks:
            for call in _exit_calls(function):
                with ir.InsertionPoint(call), call.location:
                    result = _result_type(function)
                    operation_of("llvm.return", [] if result is None else [_poison(result)])
                _erase_from(call)
                count += 1
    declaration.erase()
    return count


def _erase_from(call: Operation) -> None:
    """Erase a call and all that follows it in its block."""
    operations = operations_in(call.block)
    for op in reversed(operations[operations.index(call) :]):
        # Blocks that only this one led to may still use its values; they are never reached.
        for result in op.results:
            if any(True for _ in result.uses):
                with ir.InsertionPoint(operations[0]), op.location:
                    result.replace_all_uses_with(_poison(result.type))
        op.erase()


def _poison(type: Type) -> Value:
    """A value that is never used, at the current insertion point."""
    return operation_of("llvm.mlir.poison", [], [type]).result


def _exit_calls(function: Operation) -> list[Operation]:
    """The first exit call of every block; nothing behind it is reached."""
    calls: list[Operation] = []
    for block in function.regions[0]:
        exits = (op.operation for op in block.operations if _calls_exit(op.operation, "llvm.call"))
        calls += itertools.islice(exits, 1)
    return calls


def _calls_exit(op: Operation, call: str) -> bool:
    return op.name == call and "callee" in op.attributes and bool(op.attributes["callee"].value == EXIT)


def _result_type(function: Operation) -> Type | None:
    result = ir.TypeAttr(function.attributes["function_type"]).value.return_type
    return None if str(result) == "!llvm.void" else result
