"""Short kernels that return numbers store them instead, so that they can run on the device.

A kernel of the device gives nothing back to the host. One that returns numbers therefore runs on the host, on copies
of its arrays. Where it takes few steps, one thread of the device does the same, and stores what it finds:

    func.func private @kernel_0(%x: tensor<8xf64>) -> f64
    func.func private @kernel_0(%x: tensor<8xf64>, %number: tensor<f64>) -> tensor<f64>

If the host needs the number, it reads it. Long loops stay with the host, whose cores are much faster than one thread,
and so does what takes no arrays: the host has all that it needs for it. Numbers that nobody asks for are not returned.
"""

from __future__ import annotations

from collections import defaultdict

from ....dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ....passes.rewriting import operations_in, operations_of, settle_signature, terminator
from ...nests.compaction import match_compaction
from ...nests.recurrences import match_recurrence
from ...planning.boundaries import kernel_functions
from .effort import MOST_STEPS, steps_of_one_thread
from .entries import calls_between_kernels
from .kernel_variants import as_tensor, callee_of, from_tensor, stored_type


@dataclass(frozen=True)
class StoreNumberResults(Pass):
    """Let short kernels store the numbers that they return, as a device needs it."""

    def run(self, module: Module, statistics: Statistics) -> None:
        kernels = kernel_functions(module)
        statistics["numbers dropped"] += _drop_unused(module, kernels)
        changed = {name for name, kernel in kernels.items() if _is_for_device(kernel)}
        for name in changed:
            _store_results(kernels[name])
            statistics["kernels changed"] += 1
        for call in calls_between_kernels(module):
            if callee_of(call) in changed:
                _read_results(call)


def _drop_unused(module: Module, kernels: dict[str, Operation]) -> int:
    """Let kernels return the numbers that some call uses; how many are not returned any more."""
    calls = defaultdict[str, list[Operation]](list)
    for call in calls_between_kernels(module):
        calls[callee_of(call)].append(call)
    dropped = 0
    for name, kernel in kernels.items():
        values = list(terminator(kernel.regions[0].blocks[0]).operands)
        kept = [
            number
            for number, value in enumerate(values)
            if isinstance(value.type, ir.RankedTensorType)
            or any(_has_uses(call.results[number]) for call in calls[name])
        ]
        if len(kept) < len(values):
            dropped += len(values) - len(kept)
            _return_only(kernel, kept)
            for call in calls[name]:
                _take_only(call, kept)
    return dropped


def _has_uses(value: Value) -> bool:
    return any(True for _ in value.uses)


def _return_only(kernel: Operation, kept: list[int]) -> None:
    end = terminator(kernel.regions[0].blocks[0])
    values = [end.operands[number] for number in kept]
    with ir.InsertionPoint(end), end.location:
        dialect("func").ReturnOp(values)
    end.erase()
    settle_signature(kernel)


def _take_only(call: Operation, kept: list[int]) -> None:
    old = [call.results[number] for number in kept]
    with ir.InsertionPoint(call), call.location:
        new = dialect("func").CallOp([value.type for value in old], callee_of(call), list(call.operands))
    for value, result in zip(old, new.operation.results, strict=True):
        value.replace_all_uses_with(result)
    call.erase()


def _is_for_device(kernel: Operation) -> bool:
    """Whether a kernel returns numbers that it makes of arrays, calls nothing, and has few steps."""
    type = ir.TypeAttr(kernel.attributes["function_type"]).value
    numbers = [result for result in type.results if not isinstance(result, ir.RankedTensorType)]
    if not numbers or any(isinstance(number, ir.ComplexType) for number in numbers):
        return False
    if not any(isinstance(input, ir.RankedTensorType) for input in type.inputs):
        return False
    if any(op.name == "func.call" for op in operations_of(kernel)):
        return False
    steps = steps_of_one_thread(kernel)
    is_short = steps is not None and steps <= MOST_STEPS
    return is_short or _counts_what_it_keeps(kernel, type) or _are_of_recurrences(kernel)


def _are_of_recurrences(kernel: Operation) -> bool:
    """Whether all numbers of a kernel are what loops leave, which threads find out together."""
    _, numbers = _split(list(terminator(kernel.regions[0].blocks[0]).operands))
    makers = {None if isinstance(n.owner, ir.Block) else _loop_in(n.owner.operation) for n in numbers}
    return all(maker is not None and match_recurrence(maker) is not None for maker in makers)


def _loop_in(op: Operation) -> Operation:
    """The only loop of a branch that the host decides, as where there is an iteration at all; else the op itself."""
    if op.name != "scf.if" or not isinstance(op.operands[0].owner, ir.Block):
        return op
    loops = [inner for inner in operations_of(op) if inner.name in ("scf.for", "scf.while")]
    is_first = len(loops) == 1 and loops[0].block == op.regions[0].blocks[0]
    return loops[0] if is_first else op


def _counts_what_it_keeps(kernel: Operation, type: Type) -> bool:
    """Whether the only number of a kernel is how many a loop keeps, which threads find out together."""
    found = [
        match_compaction(op) for op in operations_in(kernel.regions[0].blocks[0]) if op.name == "scf.for"
    ]
    numbers = [
        v for v in terminator(kernel.regions[0].blocks[0]).operands if isinstance(v.type, ir.IndexType)
    ]
    if len(found) != 1 or found[0] is None or numbers != [found[0].count]:
        return False
    return sum(isinstance(result, ir.RankedTensorType) for result in type.results) == len(type.results) - 1


def _store_results(kernel: Operation) -> None:
    """Give a kernel destinations for its numbers, behind those that it has."""
    block = kernel.regions[0].blocks[0]
    end = terminator(block)
    tensors, numbers = _split(list(end.operands))
    with ir.InsertionPoint(end), end.location:
        stored = []
        for number in numbers:
            made = as_tensor(number)
            place = block.add_argument(made.type, kernel.location)
            stored.append(dialect("bufferization").materialize_in_destination(made.type, made, place))
        dialect("func").ReturnOp([*tensors, *stored])
    end.erase()
    settle_signature(kernel)


def _read_results(call: Operation) -> None:
    """Give a call the destinations, and read the numbers where they are wanted."""
    tensors, numbers = _split(list(call.results))
    with ir.InsertionPoint(call), call.location:
        elements = [stored_type(number.type) for number in numbers]
        types: list[Type] = [ir.RankedTensorType.get([], element) for element in elements]
        places = [dialect("tensor").empty([], element) for element in elements]
        new = dialect("func").CallOp(
            [*(tensor.type for tensor in tensors), *types], callee_of(call), [*call.operands, *places]
        )
        results = list(new.operation.results)
        for old, result in zip(tensors, results[: len(tensors)], strict=True):
            old.replace_all_uses_with(result)
        for old, result in zip(numbers, results[len(tensors) :], strict=True):
            if _has_uses(old):
                old.replace_all_uses_with(from_tensor(result, old.type))
    call.erase()


def _split(values: list[Value]) -> tuple[list[Value], list[Value]]:
    """Tensors, which come first, and numbers."""
    tensors = [value for value in values if isinstance(value.type, ir.RankedTensorType)]
    return tensors, values[len(tensors) :]
