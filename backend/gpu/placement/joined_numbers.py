"""Kernels that compute numbers and follow each other become one: each would be a launch of one thread.

    call @kernel_1(%sum, %mean)                 call @kernel_3(%sum, %mean, %root, %record)
    call @kernel_2(%mean, %root, %record)

What the first stores, the second takes as it is. Memory that is used again for another type is left alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ....dialect.mlir import Module, Operation, Value, dialect, ir
from ....dialect.op import FUNCTIONS
from ....dialect.records import NamedTuple, dataclass
from ....passes.base import Pass, Statistics
from ....passes.control_flow.structure import copy_of
from ....passes.rewriting import constant_integer, operations_in, operations_of, symbols_of
from ...nests.independence import base
from ...planning.boundaries import kernel_functions
from ...planning.names import EXIT, new_kernel_name
from ...planning.shapes import static_shape
from .accesses import accesses_of
from .entries import functions_between_kernels
from .kernel_variants import callee_of
from .place_kernels import DEVICE, SIDE, describe, reason_of, require_placed

_NUMBERS = ("arith.", "complex.", *FUNCTIONS, "scf.if", "scf.yield", "func.return")
_TENSORS = ("tensor.empty", "tensor.extract", "tensor.from_elements")
_MEMORY = (
    "bufferization.to_tensor",
    "bufferization.materialize_in_destination",
    "memref.load",
    "memref.store",
)


@dataclass(frozen=True)
class JoinNumberKernels(Pass):
    """Join kernels of numbers that are called one after the other."""

    def require(self, module: Module) -> None:
        require_placed(module, self.name)

    def run(self, module: Module, statistics: Statistics) -> None:
        joined = _Joined(module)
        for function in functions_between_kernels(module):
            calls = [op for op in operations_of(function) if op.name == "func.call"]
            for block in {call.block: None for call in calls}:
                for group in list(_groups(operations_in(block), joined.kernels)):
                    joined.replace(group)
                    statistics["kernels joined"] += len(group)
        joined.erase_unused()


class _Place(NamedTuple):
    """Memory of an argument: what it is part of, and which bytes, all of them where that is not known."""

    memory: Value
    start: int
    end: float


def _place_of(value: Value) -> _Place:
    """The memory of an argument; of an array of unknown extents that of its first element, where a number may lie.

    Only memory that is used again lies over each other, which another kernel writes to first, and numbers that become
    arrays of one element.
    """
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.operation.name == "memref.view":
        whole, start = owner.operation.operands[0], constant_integer(owner.operation.operands[1])
        if start is not None and isinstance(whole.owner, ir.Block):
            count = math.prod(1 if extent is None else extent for extent in static_shape(value.type))
            return _Place(whole, start, start + count * _bytes_of(value.type.element_type))
    return _Place(base(value), 0, float("inf"))


def _bytes_of(type: ir.Type) -> int:
    if isinstance(type, ir.ComplexType):
        return 2 * _bytes_of(type.element_type)
    return 8 if isinstance(type, ir.IndexType) else (type.width + 7) // 8


class _Group:
    """Calls that may be one."""

    def __init__(self) -> None:
        self.calls: list[Operation] = []
        self._used: list[tuple[_Place, ir.Type, bool, bool]] = []

    def take(self, call: Operation, kernel: Operation) -> bool:
        """Add a call, unless it goes to memory that the others use in another way."""
        new = [
            (_place_of(operand), operand.type, access.reads, access.writes)
            for operand, access in zip(call.operands, accesses_of(kernel), strict=True)
            if isinstance(operand.type, ir.MemRefType) and not _is_record(operand, kernel)
        ]
        if not all(_go_together(one, other) for one in self._used for other in new):
            return False
        self._used += new
        self.calls.append(call)
        return True


def _is_record(operand: Value, kernel: Operation) -> bool:
    """Whether an argument is the record of errors: of those that raise all write to the same one."""
    return _raises(kernel) and operand.type == list(kernel.regions[0].blocks[0].arguments)[-1].type


def _go_together(one: tuple[_Place, ir.Type, bool, bool], other: tuple[_Place, ir.Type, bool, bool]) -> bool:
    """Whether a later use of memory may follow an earlier one in a kernel: what is written is one number for both.

    That is passed on as a value, and what was read before it is written again was read where it stands.
    """
    (first, type, _, is_written), (second, later, _, writes) = one, other
    if first.memory != second.memory or first.end <= second.start or second.end <= first.start:
        return True
    return not (writes or is_written) or (first == second and first.end != float("inf") and type == later)


def _groups(ops: Sequence[Operation], kernels: dict[str, Operation]) -> Iterator[list[Operation]]:
    group = _Group()
    for op in ops:
        kernel = kernels.get(callee_of(op)) if op.name == "func.call" else None
        is_number = kernel is not None and _computes_numbers(kernel)
        if kernel is not None and is_number and group.take(op, kernel):
            continue
        if op.name == "memref.view" or op.name.startswith("arith."):  # where the next one finds its numbers
            continue
        if len(group.calls) > 1:
            yield group.calls
        group = _Group()
        if kernel is not None and is_number:
            group.take(op, kernel)
    if len(group.calls) > 1:
        yield group.calls


def _raises(kernel: Operation) -> bool:
    return any(op.name == "func.call" for op in operations_of(kernel))


def _computes_numbers(kernel: Operation) -> bool:
    """Whether a kernel of the device reads elements, and stores nothing but numbers."""
    if kernel.attributes[SIDE].value != DEVICE:
        return False
    for op in operations_of(kernel):
        is_exit = op.name == "func.call" and op.attributes["callee"].value == EXIT
        # A condition has the search for an index out of bounds.
        is_rare = op.name == "scf.for" and op.parent.name == "scf.if"
        if not (
            is_exit or is_rare or op.name.startswith(_NUMBERS) or op.name in _TENSORS or op.name in _MEMORY
        ):
            return False
        if op.name == "bufferization.materialize_in_destination" and op.operands[1].type.rank:
            return False
    arguments = list(kernel.regions[0].blocks[0].arguments)
    stores = [op.operands[1] for op in operations_of(kernel) if op.name == "memref.store"]
    return not stores or (_raises(kernel) and all(memory == arguments[-1] for memory in stores))


class _Joined:
    """Makes the kernels that others become, equal ones once."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self.kernels = kernel_functions(module)
        self._taken = set(symbols_of(module))
        self._made: dict[tuple[object, ...], str] = {}
        self._replaced: set[str] = set()

    def replace(self, calls: Sequence[Operation]) -> None:
        """Call one kernel in the place of the last of some calls."""
        values: dict[object, Value] = {}
        keys = [[self._key(call, operand) for operand in call.operands] for call in calls]
        raising = next((call for call in calls if _raises(self.kernels[callee_of(call)])), None)
        for call, found in zip(calls, keys, strict=True):
            for key, operand in zip(found, call.operands, strict=True):
                values.setdefault(key, operand)
        if raising is not None:  # its last argument is the record, which is the last again
            record = self._key(raising, list(raising.operands)[-1])
            values[record] = values.pop(record)
        places = {key: number for number, key in enumerate(values)}
        numbers = [[places[key] for key in found] for found in keys]
        with ir.InsertionPoint(calls[-1]), calls[-1].location:
            dialect("func").CallOp(
                [], self._kernel(calls, numbers, list(values.values())), list(values.values())
            )
        for call in calls:
            self._replaced.add(callee_of(call))
            call.erase()

    def _key(self, call: Operation, operand: Value) -> object:
        """Equal for arguments that are one."""
        if not isinstance(operand.type, ir.MemRefType):
            return operand
        place = _place_of(operand)
        return operand if place.end == float("inf") else (place, operand.type)

    def _kernel(self, calls: Sequence[Operation], numbers: list[list[int]], values: list[Value]) -> str:
        kernels = [self.kernels[callee_of(call)] for call in calls]
        key = (*map(callee_of, calls), *map(tuple, numbers))
        if key not in self._made:
            name = self._made[key] = new_kernel_name(self._taken)
            with ir.InsertionPoint(self._module.body), calls[-1].location:
                function = dialect("func").FuncOp(
                    name, ([value.type for value in values], []), visibility="private"
                )
            block = function.add_entry_block()
            current: dict[Value, Value] = {}
            for kernel, places in zip(kernels, numbers, strict=True):
                _append(block, kernel, [block.arguments[place] for place in places], current)
            with ir.InsertionPoint(block), calls[-1].location:
                dialect("func").ReturnOp([])
            describe(function.operation, DEVICE, reason_of(kernels[-1]))
            self.kernels[name] = function.operation
        return self._made[key]

    def erase_unused(self) -> None:
        """Erase the kernels that nobody calls any more."""
        calls = [op for f in functions_between_kernels(self._module) for op in operations_of(f)]
        called = {callee_of(op) for op in calls if op.name == "func.call"}
        for name in self._replaced - called:
            self.kernels[name].erase()


def _append(block: ir.Block, kernel: Operation, arguments: list[Value], current: dict[Value, Value]) -> None:
    """Write what a kernel does behind the others; `current` has the numbers that they store, by their memory."""
    mapping = dict(zip(kernel.regions[0].blocks[0].arguments, arguments, strict=True))
    *ops, _ = operations_in(kernel.regions[0].blocks[0])
    with ir.InsertionPoint(block):
        for op in ops:
            memory = mapping.get(op.operands[0]) if op.name == "bufferization.to_tensor" else None
            if memory is not None and memory in current:
                mapping[op.results[0]] = current[memory]
                continue
            copy = copy_of(op, mapping)
            if op.name == "bufferization.materialize_in_destination":
                current[copy.operands[1]] = copy.operands[0]
