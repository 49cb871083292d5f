"""Numbers that loops between kernels hand on, and only the device needs, are handed on in its memory.

    %total = scf.for ... iter_args(%s = %zero) -> (f64) {
      %loss = tensor.extract %made[] : tensor<f64>
      %next = arith.addf %s, %loss : f64

would be read in each iteration, as the sum of a loss over steps is. As a rank-0 tensor it is read behind the loop, if
at all. What decides where the loop goes, or how large something is, stays with the host.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Value, dialect, ir
from ....dialect.op import FUNCTIONS
from ....dialect.records import dataclass
from ....passes.rewriting import operations_of, terminator
from ...planning.boundaries import kernel_functions
from .device_slices import MOST_OPS, depends_on_device
from .entries import functions_between_kernels
from .kernel_variants import callee_of
from .loaded_numbers import may_be_loaded

_ARITHMETIC = ("arith.", *FUNCTIONS)
_SINKS = ("tensor.from_elements", "tensor.insert")
_BOUNDS = 3
"""The first operands of an `scf.for`."""


@dataclass(frozen=True)
class _Handed:
    """A number that a loop hands on."""

    loop: Operation
    operand: int
    """Where the loop is given the first one."""
    end: Operation
    place: int
    """Where an iteration gives the next one to what ends it."""
    arguments: list[Value]
    """What iterations find, first in the region that decides whether there is one."""
    result: Value


def carry_in_memory(module: ir.Module, entries: set[Operation]) -> int:
    """Let loops hand on in memory what only the device needs; how many numbers."""
    kernels = kernel_functions(module)
    count = 0
    for function in functions_between_kernels(module):
        for loop in reversed(operations_of(function)):  # those inside first
            chosen = [each for each in _handed_by(loop) if _is_of_device(each, entries, kernels)]
            for handed in chosen:
                _carry(handed)
            count += len(chosen)
    return count


def _handed_by(loop: Operation) -> list[_Handed]:
    """What a loop hands on; of an `scf.while` what goes through its condition as it is."""
    if loop.name == "scf.for":
        block = loop.regions[0].blocks[0]
        arguments, end = list(block.arguments)[1:], terminator(block)
        return [
            _Handed(loop, _BOUNDS + place, end, place, [argument], loop.results[place])
            for place, argument in enumerate(arguments)
        ]
    if loop.name != "scf.while":
        return []
    before, after = (region.blocks[0] for region in loop.regions)
    end, given = terminator(after), list(terminator(before).operands)[1:]
    return [
        _Handed(loop, place, end, place, [argument, after.arguments[number]], loop.results[number])
        for place, argument in enumerate(before.arguments)
        for number, value in enumerate(given)
        if value == argument and given.count(value) == 1
    ]


def _is_of_device(handed: _Handed, entries: set[Operation], kernels: dict[str, Operation]) -> bool:
    """Whether a number that is handed on is made by the device, and nothing in the loop asks the host for it."""
    type = handed.result.type
    if not isinstance(type, (ir.FloatType, ir.IntegerType)) or type == ir.IntegerType.get_signless(1):
        return False
    if not depends_on_device(handed.end.operands[handed.place], entries):
        return False
    pending, seen = list(handed.arguments), set[Operation]()
    while pending:
        for use in pending.pop().uses:
            user = use.owner.operation
            if (
                user in seen
                or user.name in _SINKS
                or (user == handed.end and use.operand_number == handed.place)
            ):
                continue
            if user.name == "scf.condition" and user.parent.operation == handed.loop and use.operand_number:
                continue
            if user.name == "func.call" and callee_of(user) in kernels:
                kernel = kernels[callee_of(user)]
                if not may_be_loaded(kernel.regions[0].blocks[0].arguments[use.operand_number]):
                    return False
                continue
            if not user.name.startswith(_ARITHMETIC) or user.regions or len(seen) > MOST_OPS:
                return False
            seen.add(user)
            pending += user.results
    return True


def _carry(handed: _Handed) -> None:
    """Hand a number on as a rank-0 tensor."""
    loop, end = handed.loop, handed.end
    type = ir.RankedTensorType.get([], handed.result.type)
    tensor = dialect("tensor")
    with ir.InsertionPoint(loop), loop.location:
        loop.operands[handed.operand] = tensor.from_elements(type, [loop.operands[handed.operand]])
    with ir.InsertionPoint(end), loop.location:
        end.operands[handed.place] = tensor.from_elements(type, [end.operands[handed.place]])
    for argument in handed.arguments:
        argument.set_type(type)
        _read(argument, ir.InsertionPoint.at_block_begin(argument.owner), loop.location)
    handed.result.set_type(type)
    _read(handed.result, ir.InsertionPoint.after(loop), loop.location)


def _read(held: Value, place: ir.InsertionPoint, location: ir.Location) -> None:
    """Let all that use a number take it out of the tensor that it has become."""
    uses: Sequence[ir.OpOperand] = [use for use in held.uses if use.owner.operation.name != "scf.condition"]
    if not uses:
        return
    with place, location:
        read = dialect("tensor").extract(held, [])
    for use in uses:
        use.owner.operation.operands[use.operand_number] = read
