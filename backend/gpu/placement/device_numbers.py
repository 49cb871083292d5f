"""Numbers that the device makes and only the device needs stay there.

Between kernels a planned function computes with numbers: the sum that a kernel made is divided, and goes to the next
one. On a GPU each such number would be a read, which waits. Where nothing of the host needs it (no condition, no
extent, no index, no error), the arithmetic becomes a kernel of its own, from rank-0 tensors to one:

    %sum = call @kernel_0(...) : (...) -> tensor<f64>          %sum = call @kernel_0(...)
    %number = tensor.extract %sum[] : tensor<f64>              %mean = call @kernel_1(%sum, %empty)
    %quotient = arith.divf %number, %length : f64
    %mean = tensor.from_elements %quotient : tensor<f64>
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ....dialect.ops.state import RaiseIf
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.control_flow.structure import copy_of, made_by
from ....passes.rewriting import is_unused, operations_of, symbols_of
from ...planning.boundaries import kernel_functions
from ...planning.names import kernel_name
from ...planning.outlining.op_kinds import VIEWS
from .carried_numbers import carry_in_memory
from .device_slices import Slice, depends_on_device, device_only, host_numbers, needs_device, slice_of
from .entries import calls_between_kernels, entries_of, functions_between_kernels
from .kernel_variants import as_tensor, callee_of, change_arguments, from_tensor, take_as_tensor
from .loaded_numbers import may_be_loaded

_SINKS = ("tensor.from_elements", "tensor.insert")
_RAISE = RaiseIf.mlir_name()


@dataclass(frozen=True)
class KeepNumbersOnDevice(Pass):
    """Compute on the device with numbers that only the device needs."""

    def run(self, module: Module, statistics: Statistics) -> None:
        entries = entries_of(module)
        statistics["numbers handed on in memory"] += carry_in_memory(module, entries)
        _take_as_tensors(module, entries)
        makers = _Kernels(module)
        for function in functions_between_kernels(module):
            statistics["numbers kept on the device"] += _Function(function, makers, entries).run()


def _take_as_tensors(module: Module, entries: set[Operation]) -> None:
    """Let kernels take numbers that depend on memory of the device as tensors.

    Where such a number turns out to be the host's, it is passed by value again later.
    """
    kernels = kernel_functions(module)
    places = {
        call: tuple(
            place
            for place, value in enumerate(call.operands)
            if depends_on_device(value, entries) and may_be_loaded(_argument(kernels[callee_of(call)], place))
        )
        for call in calls_between_kernels(module)
        if callee_of(call) in kernels
    }
    change_arguments(module, places, take_as_tensor)
    for call, chosen in places.items():
        with ir.InsertionPoint(call), call.location:
            for place in chosen:
                number = call.operands[place]
                call.operands[place] = as_tensor(number)
                _erase_reading(number)


def _erase_reading(number: Value) -> None:
    """Erase what reads a number of a tensor, if nobody asks for it."""
    for name in ("arith.index_cast", "tensor.extract"):
        reads = made_by(number, name)
        if reads is not None and is_unused(reads):
            number = reads.operands[0]
            reads.erase()


def _argument(kernel: Operation, place: int) -> Value:
    return kernel.regions[0].blocks[0].arguments[place]


class _Function:
    """Rewrites one function between kernels."""

    def __init__(self, function: Operation, kernels: _Kernels, entries: set[Operation]) -> None:
        self._function = function
        self._entries = entries
        self._kernels = kernels

    def run(self) -> int:
        """Outline what may be; how many times."""
        self._hold_apart()
        self._read_once()
        for extract in dict.fromkeys(op for _, found in self._slices() for op in found.moved):
            self._put_apart(extract)
        slices = self._slices()
        for sink, found in slices:
            self._outline(sink, found)
        for op in reversed(list(dict.fromkeys(op for _, found in slices for op in found.ops))):
            if not any(True for _ in op.results[0].uses):
                op.erase()
        return len(slices)

    def _sinks(self, ops: Sequence[Operation]) -> list[Operation]:
        return [op for op in ops if op.name == _RAISE or _is_sink(op)]

    def _hold_apart(self) -> None:
        """Let what raises have tensors of its own of the numbers that it looks at."""
        tensor = dialect("tensor")
        for op in operations_of(self._function):
            if op.name != _RAISE:
                continue
            with ir.InsertionPoint(op), op.location:
                for place, operand in enumerate(op.operands):
                    if _is_made_by("arith.constant", operand):
                        continue
                    holds = _is_made_by("tensor.from_elements", operand)
                    number = operand.owner.operands[0] if holds else tensor.extract(operand, [])
                    op.operands[place] = tensor.from_elements(operand.type, [number])
                    if holds and is_unused(operand.owner.operation):
                        operand.owner.operation.erase()

    def _read_once(self) -> None:
        """Let the host read one number where it would compute it of several."""
        ops = operations_of(self._function)
        for number, uses in host_numbers(ops, _final(self._sinks(ops)), self._entries):
            maker = number.owner.operation
            with ir.InsertionPoint.after(maker), maker.location:
                read = from_tensor(as_tensor(number), number.type)
            for use in uses:
                use.owner.operation.operands[use.operand_number] = read

    def _slices(self) -> list[tuple[Operation, Slice]]:
        """The tensors that are made of numbers of the device, and checks of such, by the ops that make them."""
        ops = operations_of(self._function)
        sinks = self._sinks(ops)
        kept = device_only(ops, _final(sinks), self._entries)
        found = ((sink, slice_of(sink, kept)) for sink in sinks)
        return [(sink, part) for sink, part in found if part is not None and needs_device(part)]

    def _outline(self, sink: Operation, found: Slice) -> None:
        """Put a call of a kernel in the place of an op that makes a tensor of numbers, or checks them."""
        if sink.name == _RAISE:
            self._outline_check(sink, found)
            return
        with ir.InsertionPoint(sink), sink.location:
            inserts = sink.name == "tensor.insert"
            destination = sink.operands[1] if inserts else _empty(sink.results[0].type)
            result = self._kernels.call(found.ops, sink, destination)
        sink.results[0].replace_all_uses_with(result)
        sink.erase()

    def _outline_check(self, check: Operation, found: Slice) -> None:
        holders = [value.owner.operation for value in check.operands]
        with ir.InsertionPoint(check), check.location:
            self._kernels.call([*found.ops, *holders], check, None)
        check.erase()
        for holder in dict.fromkeys(holders):
            if is_unused(holder):
                holder.erase()

    def _put_apart(self, extract: Operation) -> None:
        """Copy an element where it is read, as its array may be another one when it is needed."""
        element = extract.results[0].type
        uses = list(extract.results[0].uses)
        with ir.InsertionPoint.after(extract), extract.location:
            tensor = dialect("tensor")
            apart = tensor.from_elements(ir.RankedTensorType.get([], element), [extract.results[0]])
            number = tensor.extract(apart, [])
        for use in uses:
            use.owner.operation.operands[use.operand_number] = number


class _Kernels:
    """Makes kernels of arithmetic, equal ones once."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._taken = set(symbols_of(module))
        self._made: dict[str, str] = {}
        self._next = 0

    def call(self, ops: Sequence[Operation], sink: Operation, destination: Value | None) -> Value | None:
        """A call, at the current insertion point, of a kernel that does what a sink does with the numbers of some ops.

        It gives the tensor that the sink makes; without a destination it makes none.
        """
        inside = set(ops)
        destinations = [] if destination is None else [destination]
        outer: list[Value] = []
        for op in (*ops, sink):
            for operand in op.operands:
                owner = operand.owner
                is_inside = not isinstance(owner, ir.Block) and owner.operation in inside
                if not is_inside and operand not in destinations and operand not in outer:
                    outer.append(operand)
        arguments = [*outer, *destinations]
        name = self._kernel(ops, sink, arguments)
        call = dialect("func").CallOp([result.type for result in sink.results], name, arguments)
        return None if destination is None else call.result

    def _kernel(self, ops: Sequence[Operation], sink: Operation, arguments: list[Value]) -> str:
        name = self._new_name()
        with ir.InsertionPoint(self._module.body):
            types: list[Type] = [value.type for value in arguments]
            results = [result.type for result in sink.results]
            function = dialect("func").FuncOp(name, (types, results), visibility="private", loc=sink.location)
        block = function.add_entry_block()
        mapping = dict(zip(arguments, block.arguments, strict=True))
        with ir.InsertionPoint(block):
            for op in (*ops, sink):
                copy_of(op, mapping)
            stored = [
                dialect("bufferization").materialize_in_destination(
                    made.type, mapping[made], block.arguments[len(arguments) - 1], loc=sink.location
                )
                for made in sink.results
            ]
            dialect("func").ReturnOp(stored, loc=sink.location)
        # Else the whole module around is verified and its values are named, for each kernel again.
        text = function.operation.get_asm(use_local_scope=True, assume_verified=True)
        text = text.replace(f"@{name}(", "@(", 1)
        place = str(sink.location) if sink.name == _RAISE else ""
        known = self._made.setdefault(text + place, name)
        if known != name:
            function.operation.erase()
            self._taken.discard(name)
        return known

    def _new_name(self) -> str:
        while kernel_name(self._next) in self._taken:
            self._next += 1
        name = kernel_name(self._next)
        self._taken.add(name)
        return name


def _empty(type: Type) -> Value:
    return dialect("tensor").empty(type.shape, type.element_type)


def _final(sinks: Sequence[Operation]) -> list[Operation]:
    """What takes numbers out of the host's hands: sinks, and the tensors that hold what checks look at."""
    holders = [
        value.owner.operation
        for sink in sinks
        if sink.name == _RAISE
        for value in sink.operands
        if _is_made_by("tensor.from_elements", value)
    ]
    return [*sinks, *holders]


def _is_made_by(name: str, value: Value) -> bool:
    return not isinstance(value.owner, ir.Block) and bool(value.owner.operation.name == name)


def _is_sink(op: Operation) -> bool:
    """Whether an op puts numbers into a tensor that nothing of the host looks at."""
    if op.name not in _SINKS or (not op.results[0].type.has_static_shape and op.name != "tensor.insert"):
        return False
    pending = [op.results[0]]
    while pending:
        for use in pending.pop().uses:
            owner = use.owner.operation
            if owner.name == _RAISE:
                return False
            if owner.name in VIEWS:
                pending.append(owner.results[0])
    return True
