"""Errors that compiled code raises: `weft.raise_if` becomes a record in memory and an early return.

The record is a small buffer of 64-bit integers: the number of the failing site plus one, then the values its
message is formatted with. A failing site fills it and calls `weft_exit`, a function that does not exist: the
call keeps its place through all structured passes as something that may do anything, and at the very end,
when the code is branches, it becomes a return (cpu/lowering/exits.py). A caller of a kernel that may fail looks at
the record after the call and exits too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.mlir import Location, Module, Operation, Type, Value, dialect, ir
from ...dialect.ops.state import RaiseIf
from ...passes.rewriting import symbols_of
from .names import EXIT
from .outlining.scalars import element_of
from .plan import MAX_VALUES, RECORD_LENGTH, HostSite, Site


def record_type() -> Type:
    """The memref type of the error record."""
    return ir.MemRefType.get([RECORD_LENGTH], ir.IntegerType.get_signless(64))


class FailureSites:
    """Numbers the failing sites of a module while they are lowered."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self.sites: list[Site | HostSite] = []
        self._declared = set(symbols_of(module))

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
        for op in find(function, RaiseIf.mlir_name()):
            with ir.InsertionPoint(op), op.location:
                condition, *values = (element_of(operand) for operand in op.operands)
                self.lower(op, condition, values, record)
            op.erase()

    def _exit_if(self, condition: Value) -> Operation:
        """Make an `scf.if` that exits and return its exit call; the record is to be filled before it."""
        scf = dialect("scf")
        branch = scf.IfOp(condition)
        with ir.InsertionPoint(branch.then_block):
            call = self.exit()
            scf.YieldOp([])
        return call

    def exit(self) -> Operation:
        """End the call; the record is filled before."""
        call = dialect("func").CallOp([], EXIT, [])
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


def find(op: Operation, *names: str) -> list[Operation]:
    """All ops of some names inside an op, inner ones first."""
    found: list[Operation] = []
    advance = ir.WalkResult.ADVANCE

    def visit(inner: Operation) -> ir.WalkResult:
        if inner.name in names:
            found.append(inner)
        return advance

    op.walk(visit)
    return found
