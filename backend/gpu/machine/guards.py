"""Kernels that look at the record of errors of the device before they do anything.

A check that fails on the device only notes it there; the host goes on and launches what follows. Of that, nothing may
be done that the caller could see, that might not end, or that goes where a number says that was never computed. So
such kernels take the record as their last argument (`weft.guarded`), and do nothing once it tells of an error:

    func.func private @kernel_3(%x: memref<8xf64>, %record: memref<20xi64>) attributes {weft.guarded, ...}

Copies and numbers that the host would put into arguments are left to such kernels, too.
"""

from __future__ import annotations

from ....dialect.mlir import Module, Operation, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import operations_of, symbols_of
from ...planning.boundaries import kernel_functions
from ...planning.names import EXIT, new_kernel_name
from ..placement.accesses import accesses_of
from ..placement.place_kernels import DEVICE, GUARDED, VISIBLE, describe, require_placed
from .host_functions import HostFunction, add_record, calls_in, host_functions
from .loop_parts import is_on_device

_WAYWARD = ("scf.", "tensor.extract", "tensor.insert", "memref.load", "memref.store")
"""What loops, or goes to an element that a number names."""


@dataclass(frozen=True)
class GuardKernels(Pass):
    """Let device kernels look whether a check before has failed."""

    def require(self, module: Module) -> None:
        require_placed(module, self.name)

    def run(self, module: Module, statistics: Statistics) -> None:
        if not any(_raises(kernel) for kernel in kernel_functions(module).values() if is_on_device(kernel)):
            return
        hosts = list(host_functions(module))
        _Writes(module).replace(hosts)
        kernels = kernel_functions(module)
        visible = {
            name
            for host in hosts
            for call, name in calls_in(host.function)
            if name in kernels and _writes_visible(call, kernels[name], host)
        }
        for name in visible:
            kernels[name].attributes[VISIBLE] = ir.UnitAttr.get()
        for name, kernel in kernels.items():
            if is_on_device(kernel) and (name in visible or _raises(kernel) or _is_wayward(kernel)):
                _guard(kernel, hosts)
                statistics["kernels guarded"] += 1


def _raises(kernel: Operation) -> bool:
    return any(_is_exit(op) for op in operations_of(kernel))


def _is_exit(op: Operation) -> bool:
    return bool(op.name == "func.call" and op.attributes["callee"].value == EXIT)


def _is_wayward(kernel: Operation) -> bool:
    """Whether a kernel may run for ever, or leave its arrays, with numbers that nobody has computed."""
    takes_places = any(isinstance(a.type, ir.IndexType) for a in kernel.regions[0].blocks[0].arguments)
    return takes_places or any(op.name.startswith(_WAYWARD) for op in operations_of(kernel))


def _guard(kernel: Operation, hosts: list[HostFunction]) -> None:
    kernel.attributes[GUARDED] = ir.UnitAttr.get()
    if _raises(kernel):
        return  # it has the record
    add_record(kernel)
    name = kernel.attributes["sym_name"].value
    for host in hosts:
        for call, callee in calls_in(host.function):
            if callee == name:
                with ir.InsertionPoint(call), call.location:
                    dialect("func").CallOp([], name, [*call.operands, host.record])
                call.erase()


def _writes_visible(call: Operation, kernel: Operation, host: HostFunction) -> bool:
    """Whether a call of a kernel writes to an argument of the function around."""
    pairs = zip(call.operands, accesses_of(kernel), strict=False)
    return any(access.writes and host.is_visible(operand) for operand, access in pairs)


class _Writes:
    """Kernels for what the host puts into arguments itself; equal ones are one."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._taken = set(symbols_of(module))
        self._made: dict[tuple[str, ...], str] = {}

    def replace(self, hosts: list[HostFunction]) -> None:
        """Let kernels do it."""
        for host in hosts:
            for op in operations_of(host.function):
                if op.name in ("memref.copy", "memref.store") and host.is_visible(op.operands[1]):
                    with ir.InsertionPoint(op), op.location:
                        dialect("func").CallOp([], self._kernel(op), list(op.operands))
                    op.erase()

    def _kernel(self, op: Operation) -> str:
        key = op.name, *(str(operand.type) for operand in op.operands)
        if key not in self._made:
            name = self._made[key] = new_kernel_name(self._taken)
            types = [operand.type for operand in op.operands]
            with ir.InsertionPoint(self._module.body), op.location:
                function = dialect("func").FuncOp(name, (types, []), visibility="private")
                block = function.add_entry_block()
                with ir.InsertionPoint(block):
                    copy = op.clone().operation
                    for index, argument in enumerate(block.arguments):
                        copy.operands[index] = argument
                    dialect("func").ReturnOp([])
            describe(function.operation, DEVICE, "what the caller sees is written if no check has failed")
        return self._made[key]
