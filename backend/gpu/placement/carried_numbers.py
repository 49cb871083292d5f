"""Numbers that loops between kernels hand on, and branches give, stay on the device where only it needs them.

    %total = scf.for ... iter_args(%s = %zero) -> (f64) {
      %loss = tensor.extract %made[] : tensor<f64>
      %next = arith.addf %s, %loss : f64

would be read in each iteration, as the sum of a loss over steps is. As a rank-0 tensor it is read behind the loop, if
at all; so is what a branch gives that reads it of memory. What decides where the program goes, or how large something
is, stays with the host.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Type, Value, dialect, ir
from ....dialect.op import FUNCTIONS
from ....dialect.records import dataclass
from ....passes.control_flow.structure import made_by
from ....passes.rewriting import is_unused, operations_of, terminator
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
        for op in reversed(operations_of(function)):  # those inside first
            handed = _of_device(_handed_by(op), entries, kernels)
            for each in handed:
                _carry(each)
            given = [place for place in _given_by(op) if _only_device_asks([op.results[place]], kernels)]
            for place in given:
                _give(op, place)
            count += len(handed) + len(given)
    return count


def _given_by(branch: Operation) -> list[int]:
    """Which results of a branch are numbers that one of its ways reads of memory of the device."""
    if branch.name != "scf.if":
        return []
    ends = [terminator(region.blocks[0]) for region in branch.regions if len(region.blocks)]
    return [
        place
        for place, result in enumerate(branch.results)
        if _is_number(result) and any(_is_read_in(end.operands[place], end.parent.operation) for end in ends)
    ]


def _is_read_in(number: Value, branch: Operation) -> bool:
    """Whether a number is computed of what is read in a branch: what was read before may be the host's anyway."""
    pending, seen = [number], set[Operation]()
    while pending and len(seen) < MOST_OPS:
        owner = pending.pop().owner
        if isinstance(owner, ir.Block) or owner.operation in seen or not _lies_in(owner.operation, branch):
            continue
        seen.add(owner.operation)
        if owner.operation.name == "tensor.extract":
            return True
        pending += owner.operation.operands if owner.operation.name.startswith(_ARITHMETIC) else []
    return False


def _lies_in(op: Operation, branch: Operation) -> bool:
    """Whether an op is in a way of a branch, and in no loop in it."""
    return bool(op.parent is not None and op.parent.operation == branch)


def _give(branch: Operation, place: int) -> None:
    """Give a number as a rank-0 tensor."""
    result = branch.results[place]
    type = ir.RankedTensorType.get([], result.type)
    for region in branch.regions:
        end = terminator(region.blocks[0])
        with ir.InsertionPoint(end), branch.location:
            _hold(end, place, type)
    result.set_type(type)
    _read(result, ir.InsertionPoint.after(branch), branch.location)


def _hold(end: Operation, place: int, type: Type) -> None:
    """Let a region end with a tensor that holds a number: that which it was read of, if nothing else is in it."""
    number = end.operands[place]
    read = made_by(number, "tensor.extract")
    if read is None or read.operands[0].type != type:
        end.operands[place] = dialect("tensor").from_elements(type, [number])
        return
    end.operands[place] = read.operands[0]
    if is_unused(read):
        read.erase()


def _is_number(value: Value) -> bool:
    """Whether a value is a number that a kernel may make, and no truth value, which decides something."""
    type = value.type
    return isinstance(type, (ir.FloatType, ir.IntegerType)) and type != ir.IntegerType.get_signless(1)


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


def _of_device(
    handed: list[_Handed], entries: set[Operation], kernels: dict[str, Operation]
) -> list[_Handed]:
    """The numbers of a loop that are made by the device, or were another such one before, and that only it asks for."""
    left = [each for each in handed if _is_number(each.result)]
    while True:
        made = {
            argument: depends_on_device(each.end.operands[each.place], entries)
            for each in left
            for argument in each.arguments
        }
        for _ in left:
            for each in left:
                if made.get(each.end.operands[each.place], False):
                    made.update(dict.fromkeys(each.arguments, True))
        kept = [
            each
            for each in left
            if made[each.arguments[0]] and _only_device_asks(each.arguments, kernels, left)
        ]
        if len(kept) == len(left):
            return kept
        left = kept


def _only_device_asks(
    numbers: Sequence[Value], kernels: dict[str, Operation], handed: Sequence[_Handed] = ()
) -> bool:
    """Whether numbers are only computed with, given to kernels, stored, and handed on as some that are known to be."""
    pending, seen = list(numbers), set[Value]()
    while pending:
        number = pending.pop()
        if number in seen:
            continue
        seen.add(number)
        if len(seen) > MOST_OPS:
            return False
        for use in number.uses:
            user = use.owner.operation
            if user.name in _SINKS:
                continue
            if user.name == "func.call" and callee_of(user) in kernels:
                kernel = kernels[callee_of(user)]
                if not may_be_loaded(kernel.regions[0].blocks[0].arguments[use.operand_number]):
                    return False
            elif user.name in ("scf.yield", "scf.condition"):
                followed = _handed_to(use, number, handed)
                if followed is None:
                    return False
                pending += followed
            elif user.name.startswith(_ARITHMETIC) and not user.regions:
                pending += user.results
            else:
                return False
    return True


def _handed_to(use: ir.OpOperand, number: Value, handed: Sequence[_Handed]) -> list[Value] | None:
    """What a number becomes behind the end of a region; None where the host may have to know.

    Of a loop around it only fresh numbers are followed: it may not hand on what it was given as another one.
    """
    end = use.owner.operation
    op = end.parent.operation
    if op.name == "scf.if":
        return [op.results[use.operand_number]]
    chosen = [each for each in (*handed, *_handed_by(op)) if each.loop == op]
    if end.name == "scf.condition":
        return [] if use.operand_number and any(number in each.arguments for each in chosen) else None
    own = [each for each in chosen if each.place == use.operand_number]
    if not own:
        return None
    is_fresh = not isinstance(number.owner, ir.Block) or number in own[0].arguments
    return list(own[0].arguments) if is_fresh or own[0] in handed else None


def _carry(handed: _Handed) -> None:
    """Hand a number on as a rank-0 tensor."""
    loop, end = handed.loop, handed.end
    type = ir.RankedTensorType.get([], handed.result.type)
    tensor = dialect("tensor")
    with ir.InsertionPoint(loop), loop.location:
        loop.operands[handed.operand] = tensor.from_elements(type, [loop.operands[handed.operand]])
    with ir.InsertionPoint(end), loop.location:
        _hold(end, handed.place, type)
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
