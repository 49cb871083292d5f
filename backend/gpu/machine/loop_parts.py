"""What a loop of the host does on the device, and what of it the host has to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ....dialect.mlir import Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.rewriting import is_defined_inside, operations_in, operations_of, terminator
from ...planning.names import EXIT, POLL
from ..code.captures import is_pure
from ..placement.kernel_variants import callee_of
from ..placement.place_kernels import DEVICE, RETURNS, SIDE, reason_of
from .host_functions import HostFunction

LOOPS = ("scf.for", "scf.while")
_STRUCTURE = (*LOOPS, "scf.if")
_ENDS = ("scf.yield", "scf.condition")
_KERNEL_OPS = ("arith.", "complex.", "index.", "linalg.", "math.", "scf.")
_TENSOR_OPS = frozenset(
    f"tensor.{name}"
    for name in (
        *("cast", "collapse_shape", "dim", "empty", "expand_shape", "extract", "extract_slice"),
        *("from_elements", "insert", "insert_slice", "splat"),
    )
)
_MEMORY_OPS = (
    "bufferization.materialize_in_destination",
    "bufferization.to_tensor",
    "func.return",
    "memref.copy",
    "memref.dim",
    "memref.load",
    "memref.store",
)


@dataclass
class LoopParts:
    """A loop of a host function that works on the device alone."""

    loop: Operation
    effects: list[Operation]
    """Calls of kernels, copies and stores."""
    loads: list[Operation]
    """Where numbers of the device are read."""
    polls: list[Operation]
    """What looks for interrupts, and for errors that the host has noted."""
    checks: list[Operation]
    """Branches in which the host ends the call, as an exception is raised: there the device ends the loop, too."""
    notes: list[Operation]
    """What the device stores in these branches for the host to know of."""

    def calls(self) -> list[Operation]:
        """The calls of kernels."""
        return [op for op in self.effects if op.name == "func.call"]

    def on_device(self) -> set[Operation]:
        """The operations that the device has to do, control flow among them."""
        ends = [exit_of(check) for check in self.checks]
        return _closure(self.loop, [*self.effects, *ends, *self.notes], lambda value: True)

    def on_host(self, told: set[Value]) -> set[Operation]:
        """The operations by which the host follows the loop, but for values that data of the device tells."""
        inside = [op for check in self.checks for op in (check, *operations_of(check))]
        checks = [op for op in inside if op not in self.notes]
        return _closure(self.loop, [*self.polls, *checks], lambda value: value not in told)


def parts_of_loop(loop: Operation, host: HostFunction, kernels: Mapping[str, Operation]) -> LoopParts | None:
    """What a loop does; None if the host does more in it than to compute numbers."""
    parts = LoopParts(loop, [], [], [], [], [])
    for op in _outside_checks(loop, parts, host):
        kind = _kind(op, host, kernels)
        if kind is None:
            return None
        kind_of_part = {"effect": parts.effects, "load": parts.loads, "poll": parts.polls}
        if kind in kind_of_part:
            kind_of_part[kind].append(op)
    for op in parts.on_device():
        is_part = op in parts.effects or op in parts.loads or is_exit(op)
        if not (is_part or op.name in (*_STRUCTURE, *_ENDS) or is_pure(op)):
            return None
    return parts


def _outside_checks(loop: Operation, parts: LoopParts, host: HostFunction) -> Iterator[Operation]:
    """The operations of a loop without those that look for interrupts and errors, which are noted."""
    for block in (block for region in loop.regions for block in region):
        for op in operations_in(block):
            if _looks_for_interrupts(op):
                parts.polls += [op, *operations_of(op)]
            elif op.name == "scf.if" and _ends_call(op):
                if _asks_host(op.operands[0], host):
                    parts.polls += [op, *operations_of(op)]
                else:
                    parts.checks.append(op)
            else:
                yield op
                yield from _outside_checks(op, parts, host)


def _looks_for_interrupts(op: Operation) -> bool:
    """Whether an operation is the branch in which the host looks for interrupts; loops have branches of their own."""
    return op.name == "scf.if" and any(
        inner.name == "func.call" and callee_of(inner) == POLL
        for region in op.regions
        for block in region
        for inner in operations_in(block)
    )


def _ends_call(branch: Operation) -> bool:
    """Whether the host ends the call in a branch, whatever it does before: behind it, nothing runs on the device."""
    way, other = branch.regions
    if list(branch.results) or any(operations_in(block)[:-1] for block in other):
        return False
    ops = operations_in(way.blocks[0])[:-1]
    return bool(ops) and is_exit(ops[-1])


def _asks_host(condition: Value, host: HostFunction) -> bool:
    """Whether a condition is about what is in the record of errors."""
    pending, seen = [condition], {condition}
    while pending:
        value = pending.pop()
        if isinstance(value.owner, ir.Block):
            continue
        op = value.owner.operation
        if op.name == "memref.load" and op.operands[0] == host.record:
            return True
        if is_pure(op):
            pending += [operand for operand in op.operands if operand not in seen]
            seen.update(op.operands)
    return False


def exit_of(check: Operation) -> Operation:
    """Where the host ends the call in a branch."""
    return operations_in(check.regions[0].blocks[0])[-2]


def is_exit(op: Operation) -> bool:
    """Whether an operation ends a call."""
    return bool(op.name == "func.call" and callee_of(op) == EXIT)


def is_on_device(kernel: Operation) -> bool:
    """Whether it is the device that runs a kernel."""
    return bool(kernel.attributes[SIDE].value == DEVICE)


def _kind(op: Operation, host: HostFunction, kernels: Mapping[str, Operation]) -> str | None:
    """What an operation is for the device; None if the loop cannot be the device's."""
    if op.name == "func.call":
        kernel = kernels.get(callee_of(op))
        return "effect" if kernel is not None and _is_simple(kernel) else None
    if op.name == "memref.copy":
        return None if any(host.is_on_host(memref) for memref in op.operands) else "effect"
    if op.name == "memref.store":
        target = op.operands[1]
        if not host.is_on_host(target):
            return "effect"
        return "poll" if not isinstance(target.owner, ir.Block) else None  # on the stack
    if op.name == "memref.load":
        return "host" if host.is_on_host(op.operands[0]) else "load"
    return "host" if op.name in (*_STRUCTURE, *_ENDS) or is_pure(op) else None


def _is_simple(kernel: Operation) -> bool:
    """Whether a kernel does what a block can do as a part of something larger."""
    if SIDE not in kernel.attributes or not (is_on_device(kernel) or reason_of(kernel) == RETURNS):
        return False
    return all(
        op.name.startswith(_KERNEL_OPS) or op.name in _TENSOR_OPS or op.name in _MEMORY_OPS or is_exit(op)
        for op in operations_of(kernel)
    )


def _closure(loop: Operation, roots: Iterable[Operation], follows: Callable[[Value], bool]) -> set[Operation]:
    """Operations in a loop, the loop, and all in it that they need: control flow around them, and operands."""
    found: set[Operation] = set()
    pending = [loop, *roots]
    while pending:
        op = pending.pop()
        if op in found:
            continue
        found.add(op)
        if op != loop:
            pending.append(op.parent.operation)
        if op.name in _STRUCTURE:
            pending += [terminator(block) for region in op.regions for block in region]
        for value in op.operands:
            if (
                op != loop
                and follows(value)
                and is_defined_inside(value, loop)
                and not isinstance(value.owner, ir.Block)
            ):
                pending.append(value.owner.operation)
    return found


def told_by_data(parts: LoopParts) -> set[Value]:
    """The values in a loop, and its results, that depend on numbers of the device.

    What an inner loop or branch makes does where its condition does; what the loop makes does not, as whoever knows
    how many iterations there were can follow it.
    """
    found = {result for op in (*parts.loads, *parts.effects) for result in op.results}
    while True:
        before = len(found)
        for op in (parts.loop, *operations_of(parts.loop)):
            _spread(op, found, is_outermost=op == parts.loop)
        if len(found) == before:
            return found


def can_follow_checks(parts: LoopParts, told: set[Value]) -> bool:
    """Whether the host comes to the same checks as the device, with what it knows of the loop and is told of checks."""
    return all(_can_follow(check, parts.loop, told) for check in parts.checks)


def _can_follow(check: Operation, loop: Operation, told: set[Value]) -> bool:
    around = []
    while check.parent.operation != loop:
        check = check.parent.operation
        around.append(check)
    return not any(_is_decided_by(op, told) for op in around)


def _is_decided_by(op: Operation, told: set[Value]) -> bool:
    """Whether numbers of the device say which way a branch takes, or how often a loop runs."""
    if op.name == "scf.if":
        return op.operands[0] in told
    if op.name == "scf.for":
        return any(bound in told for bound in list(op.operands)[:3])
    return is_decided_by_data(op, told)


def _spread(op: Operation, found: set[Value], *, is_outermost: bool) -> None:
    if op.name not in _STRUCTURE:
        if any(value in found for value in op.operands):
            found.update(op.results)
        return
    blocks = [block for region in op.regions for block in region]
    ends = [terminator(block) for block in blocks]
    if op.name == "scf.if":
        _join(list(op.results), [list(end.operands) for end in ends], found)
    elif op.name == "scf.for":
        carried = list(blocks[0].arguments)[1:]
        _join(carried, [list(op.operands)[3:], list(ends[0].operands)], found)
        _join(list(op.results), [carried], found)
    else:
        passed = list(ends[0].operands)
        _join(list(blocks[0].arguments), [list(op.operands), list(ends[1].operands)], found)
        _join(list(blocks[1].arguments), [passed[1:]], found)
        _join(list(op.results), [passed[1:]], found)
    if not is_outermost and _is_decided_by(op, found):
        found.update(op.results)


def _join(values: Sequence[Value], sources: Sequence[Sequence[Value]], found: set[Value]) -> None:
    for number, value in enumerate(values):
        if any(source[number] in found for source in sources):
            found.add(value)


def is_decided_by_data(loop: Operation, told: set[Value]) -> bool:
    """Whether numbers of the device say how often a loop runs."""
    return loop.name == "scf.while" and terminator(loop.regions[0].blocks[0]).operands[0] in told
