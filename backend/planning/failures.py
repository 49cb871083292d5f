"""Errors that compiled code raises: `weft.raise_if` becomes a record in memory and an early return.

The record is a small buffer of 64-bit integers: the number of the failing site plus one, then the values its
message is formatted with. A failing site fills it and calls `weft_exit`, a function that does not exist: the
call keeps its place through all structured passes as something that may do anything, and at the very end,
when the code is branches, `lower_exits` turns it into a return. A caller of a kernel that may fail looks at
the record after the call and exits too.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...dialect.mlir import Block, Location, Module, Operation, Type, Value, dialect, ir
from ...passes.rewriting import operations_in
from .names import EXIT, RUNTIME
from .plan import MAX_VALUES, RECORD_LENGTH, HostSite, Site
from .scalars import element_of


def record_type() -> Type:
    """The memref type of the error record."""
    return ir.MemRefType.get([RECORD_LENGTH], ir.IntegerType.get_signless(64))


class FailureSites:
    """Numbers the failing sites of a module while they are lowered."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self.sites: list[Site | HostSite] = []
        self._declared = {
            name for name in (EXIT, *RUNTIME) if any(_is_named(op, name) for op in module.body.operations)
        }

    def clear(self, record: Value) -> None:
        """At the start of a call: nothing has failed."""
        self._store(record, 0, self._integer(0))

    def lower(self, op: Operation, condition: Value, values: list[Value], record: Value) -> None:
        """Make, in place of a `weft.raise_if`, the code that fills the record and exits."""
        attributes = op.attributes
        arith = dialect("arith")
        failed = condition
        if condition.type != ir.IntegerType.get_signless(1):
            failed = arith.cmpi(arith.CmpIPredicate.ne, condition, arith.constant(condition.type, 0))
        self.fail_if(
            failed, attributes["error"].value, attributes["message"].value, values, record, op.location
        )

    def fail_if(
        self,
        failed: Value,
        error: str,
        message: str,
        values: list[Value],
        record: Value,
        location: Location | None = None,
    ) -> None:
        """End the call with a Python exception when an i1 holds; `message` is formatted with the values, i64.

        Errors are at the current location unless another one is given.
        """
        with ir.InsertionPoint(self._exit_if(failed)):
            self.fill(error, message, values, record, location)

    def fill(
        self,
        error: str,
        message: str,
        values: list[Value],
        record: Value,
        location: Location | None = None,
    ) -> None:
        """Say in the record that the call has failed, without ending it."""
        values = values[:MAX_VALUES]
        location = ir.Location.current if location is None else location
        self.sites.append(Site(error, message, len(values), str(location)))
        for index, value in enumerate(values):
            self._store(record, 1 + index, value)
        self._store(record, 0, self._integer(len(self.sites)))

    def begin(self, site: HostSite, record: Value) -> None:
        """Before a call of Python: it counts as failed until it has set the record back."""
        self.sites.append(site)
        self._store(record, 0, self._integer(len(self.sites)))

    def propagate(self, record: Value) -> None:
        """After the call of a kernel, or of Python, that may have failed: exit when it has."""
        arith = dialect("arith")
        number = dialect("memref").load(record, [arith.constant(ir.IndexType.get(), 0)])
        self._exit_if(arith.cmpi(arith.CmpIPredicate.ne, number, self._integer(0)))

    def lower_nested(self, function: Operation, record: Value) -> None:
        """Lower the sites inside the loops and branches of a kernel."""
        for op in find(function, "weft.raise_if"):
            with ir.InsertionPoint(op), op.location:
                condition, *values = (element_of(operand) for operand in op.operands)
                self.lower(op, condition, values, record)
            op.erase()

    def _exit_if(self, condition: Value) -> Operation:
        """Make an `scf.if` that exits and return its exit call; the record is to be filled before it."""
        scf, func = dialect("scf"), dialect("func")
        branch = scf.IfOp(condition)
        with ir.InsertionPoint(branch.then_block):
            call = func.CallOp([], EXIT, [])
            scf.YieldOp([])
        self.declare(EXIT, [], [])
        return call.operation

    def declare(self, name: str, inputs: Sequence[Type], results: Sequence[Type]) -> None:
        """Declare a function that the backend makes, once."""
        if name not in self._declared:
            with ir.InsertionPoint(self._module.body):
                dialect("func").FuncOp(name, (list(inputs), list(results)), visibility="private")
            self._declared.add(name)

    def _store(self, record: Value, index: int, value: Value) -> None:
        position = dialect("arith").constant(ir.IndexType.get(), index)
        dialect("memref").store(value, record, [position])

    def _integer(self, value: int) -> Value:
        return dialect("arith").constant(ir.IntegerType.get_signless(64), value)


def find(op: Operation, name: str) -> list[Operation]:
    """All ops of a name inside an op."""
    found: list[Operation] = []

    def visit(inner: Operation) -> ir.WalkResult:
        if inner.name == name:
            found.append(inner)
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return found


def branch_at_exits(module: Module) -> None:
    """Turn every `scf.if` that exits, outside of loops, into a branch.

    Upstream would, too, but from the first to the last: each time it moves all that follows to a new block.
    """
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


def lower_exits(module: Module) -> None:
    """Turn every exit call of a module in the llvm dialect into a return from its function."""
    declaration = next((op for op in module.body.operations if _is_named(op, EXIT)), None)
    if declaration is None:
        return
    for function in list(module.body.operations):
        if function.operation.name == "llvm.func" and function.regions[0].blocks:
            for call in _exit_calls(function.operation):
                with ir.InsertionPoint(call), call.location:
                    result = _result_type(function.operation)
                    ir.Operation.create("llvm.return", operands=[] if result is None else [_poison(result)])
                _erase_from(call)
    declaration.operation.erase()


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
    return ir.Operation.create("llvm.mlir.poison", results=[type]).result


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


def _is_named(op: ir.OpView, name: str) -> bool:
    return "sym_name" in op.attributes and bool(op.attributes["sym_name"].value == name)
