"""Loops of the host that launch little kernels become one kernel each, which a block runs from beginning to end.

    scf.for %t = %c0 to %n step %c1 {                call @kernel_2(%x, %y, %n)
      call @kernel_0(%x, %y)
      call @kernel_1(%y, %x)
    }

The host follows such a loop without the kernels where it needs what the loop hands on: which of two arrays has the
result, say. If data of the device decides how often it runs, the kernel tells how often it was, and other numbers that
the host needs, in words behind the workspace: each is read once, where a condition was read in every iteration. Where
the host ends the call in the loop, as the program raises an exception there or an index that it has counted is too
large, the kernel ends as well: the host follows the loop, and comes to the same place.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence

from ....dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ....dialect.records import dataclass, replace
from ....passes.base import Pass, Statistics
from ....passes.rewriting import (
    constant_integer,
    is_defined_inside,
    made_again,
    operations_directly_in,
    operations_in,
    operations_of,
    settle_signature,
    symbols_of,
    terminator,
)
from ...nests.emit import create, scalar
from ...nests.independence import base, handed_on
from ...planning.boundaries import kernel_functions
from ...planning.failures import FailureSites
from ...planning.names import EXIT, RUNTIME, new_kernel_name
from ...planning.plan_attributes import PLAN
from ...planning.shapes import static_shape
from ...target import gpu_figures
from ..placement.effort import known_bytes
from ..placement.entries import entries_of
from ..placement.kernel_effort import blocks_for, seconds_of_block
from ..placement.kernel_variants import callee_of
from ..placement.place_kernels import DEVICE, GUARDED, HOST, VISIBLE, describe, require_placed
from .host_functions import HostFunction, element_bytes, host_functions
from .loop_parts import (
    LOOPS,
    LoopParts,
    can_follow_checks,
    is_decided_by_data,
    is_exit,
    is_on_device,
    parts_of_loop,
    told_by_data,
)
from .told_checks import NO_ENDING, ChecksBehind, ToldChecks, can_be_behind, can_be_told, checks_of_data

_WORD = 64
"""Each number that the host reads has a line of memory for itself."""
_MOST = 2**63 - 1
_REASON_OF_HOST = "the host does the whole loop, which it had parts of in each iteration"
_REASON = "one block does the whole loop sooner than the kernels in it are launched"


@dataclass(frozen=True)
class JoinLoops(Pass):
    """Join the kernels of loops that one block runs sooner than they are launched."""

    def require(self, module: Module) -> None:
        require_placed(module, self.name)

    def run(self, module: Module, statistics: Statistics) -> None:
        joined, entries = _JoinedLoops(module), entries_of(module)
        for host in list(host_functions(module)):
            has_words = host.function in entries and _has_known_workspace(host.function)
            for loop in _outermost(host.function):
                joined.join(loop, host, has_words=has_words)
        statistics["loops joined"] += joined.count


def _has_known_workspace(function: Operation) -> bool:
    return isinstance(ir.DictAttr(function.attributes[PLAN])["workspace"], ir.IntegerAttr)


def _outermost(op: Operation) -> list[Operation]:
    """The loops in an operation, but for those in loops."""
    found: list[Operation] = []
    for inner in (inner for region in op.regions for block in region for inner in operations_in(block)):
        found += [inner] if inner.name in LOOPS else _outermost(inner)
    return found


class _JoinedLoops:
    """Makes the kernels."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._kernels = kernel_functions(module)
        self._taken = set(symbols_of(module))
        self.count = 0

    def join(self, loop: Operation, host: HostFunction, *, has_words: bool) -> None:
        """Join a loop, or else the loops in it."""
        _move_what_stays(loop, host, self._kernels)
        parts = parts_of_loop(loop, host, self._kernels)
        told = told_by_data(parts) if parts is not None else set()
        if parts is None or not _may_be_joined(parts, told, has_words) or not self._is_worth_it(parts):
            for inner in operations_directly_in(loop):
                for within in [inner] if inner.name in LOOPS else _outermost(inner):
                    self.join(within, host, has_words=has_words)
            return
        _Join(self._module, host, self._kernels, new_kernel_name(self._taken)).write(parts, told)
        self.count += 1

    def _is_worth_it(self, parts: LoopParts) -> bool:
        """Whether an iteration takes a block less time than its launches take, and what the host does for itself."""
        calls = parts.calls()
        own = [self._seconds(call) for call in calls]
        copied = [_seconds_of_copy(op) for op in parts.effects if op.name != "func.call"]
        seconds = [number for number in (*own, *copied) if number is not None]
        trips = [kernel for kernel in map(self._callee, calls) if not is_on_device(kernel)]
        figures = gpu_figures()
        others = figures.launch * len(parts.effects) + figures.read * len(parts.loads)
        others += sum(figures.seconds_of_trip(_bytes_of(kernel)) for kernel in trips)
        overlap = any(len(group) > 1 for group in _groups(_arrays(parts)))
        blocks = 1 if copied or overlap else blocks_for([self._callee(call) for call in calls])
        return bool(calls) and len(seconds) == len(parts.effects) and sum(seconds) / blocks < others

    def _callee(self, call: Operation) -> Operation:
        return self._kernels[callee_of(call)]

    def _seconds(self, call: Operation) -> float | None:
        """How long a block takes for a kernel; nothing more than now for one that is the host's before and after."""
        seconds, kernel = seconds_of_block(self._callee(call), call), self._callee(call)
        return 0.0 if seconds is None and not is_on_device(kernel) else seconds


def _bytes_of(kernel: Operation) -> int:
    """The bytes of the arrays that a kernel takes, as far as they are known."""
    types = [argument.type for argument in kernel.regions[0].blocks[0].arguments]
    return sum(known_bytes(type) for type in types if isinstance(type, ir.MemRefType))


def _move_what_stays(loop: Operation, host: HostFunction, kernels: Container[str]) -> None:
    """Take views, and numbers that the host has and does not change, out of a loop."""
    ops = operations_of(loop)
    known = (*RUNTIME, EXIT)
    calls = (callee_of(op) for op in ops if op.name == "func.call")
    is_closed = all(
        callee in kernels or callee in known for callee in calls
    )  # nothing of the user's runs in it
    for op in ops:
        is_number = is_closed and op.name == "memref.load" and host.is_on_host(op.operands[0])
        is_kept = is_number and all(
            user.name == "memref.load" for use in op.operands[0].uses if (user := use.owner.operation) in ops
        )
        if (is_kept or op.name in ("memref.view", "arith.constant")) and not any(
            is_defined_inside(operand, loop) for operand in op.operands
        ):
            op.move_before(loop)


def _seconds_of_copy(op: Operation) -> float | None:
    """How long a block takes for a copy, or to store a number."""
    if op.name == "memref.store":
        return 0.0
    shape = static_shape(op.operands[0].type)
    if None in shape:
        return None
    count = 1
    for extent in shape:
        count *= extent or 0
    return -(-count // 256) * 1e-7


def _may_be_joined(parts: LoopParts, told: set[Value], has_words: bool) -> bool:
    """Whether the host can go on behind the loop, and it is known which arrays share memory."""
    used = [result for result in parts.loop.results if any(True for _ in result.uses)]
    if any(value in told and not _is_number(value.type) for value in used):
        return False
    behind = _are_behind(parts, told)
    if not behind and not (can_follow_checks(parts, told) and can_be_told(parts, told, _is_number)):
        return False
    needs_words = (
        behind
        or any(value in told for value in [*used, *(check.operands[0] for check in parts.checks)])
        or (bool(used or parts.checks) and is_decided_by_data(parts.loop, told))
    )
    if needs_words and not has_words:
        return False
    arrays = _arrays(parts)
    if any(None in static_shape(value.type) for value in arrays):
        return False
    known = all(len(group) == 1 or math.isfinite(group.end) for group in _groups(arrays))
    return known and not any(
        _may_meet(one, other) for number, one in enumerate(arrays) for other in arrays[:number]
    )


def _arrays(parts: LoopParts) -> list[Value]:
    """The arrays that a loop takes, each once."""
    found = {_key(value): value for value in _taken(parts) if isinstance(value.type, ir.MemRefType)}
    return list(found.values())


def _are_behind(parts: LoopParts, told: set[Value]) -> bool:
    """Whether the device tells of all checks; of those that the host comes to by counting, nothing has to be read."""
    is_told = bool(checks_of_data(parts, told)) or not can_follow_checks(parts, told)
    return is_told and can_be_behind(parts, _is_number)


def _may_meet(one: Value, other: Value) -> bool:
    """Whether a loop around hands on one of two memrefs, which may be the other one; those that it swaps differ."""
    if not (_is_handed_on(one) or _is_handed_on(other)) or one.owner == other.owner:
        return False
    return any(
        first[0] == second[0] and first[1] < second[2] and second[1] < first[2]
        for first in _possible_ranges(one)
        for second in _possible_ranges(other)
    )


def _is_handed_on(memref: Value) -> bool:
    return not _is_view(base(memref)) and bool(handed_on(base(memref)))


def _is_view(memref: Value) -> bool:
    return not isinstance(memref.owner, ir.Block) and bool(memref.owner.operation.name == "memref.view")


def _possible_ranges(memref: Value) -> list[tuple[Value, float, float]]:
    found: list[tuple[Value, float, float]] = []
    pending, seen = [memref], {memref}
    while pending:
        value = pending.pop()
        if not _is_handed_on(value):
            found.append(_range_of(value))
            continue
        following = [other for other in handed_on(base(value)) if other not in seen]
        pending += following
        seen.update(following)
    return found


def _is_number(type: Type) -> bool:
    return isinstance(type, (ir.FloatType, ir.IndexType)) or (
        isinstance(type, ir.IntegerType) and type.width >= 8
    )


def _taken(parts: LoopParts) -> list[Value]:
    """The values from outside of a loop that the device needs."""
    ops = parts.on_device()
    values = [value for op in (parts.loop, *operations_of(parts.loop)) if op in ops for value in op.operands]
    inside = [value for value in values if not is_defined_inside(value, parts.loop)]
    return list(dict.fromkeys(inside))


@dataclass
class _Group:
    """Memrefs that share memory, and where that begins and ends."""

    memory: Value
    start: float
    end: float
    members: list[Value]

    def __len__(self) -> int:
        return len(self.members)


def _groups(memrefs: Iterable[Value]) -> list[_Group]:
    """Memrefs, those together that overlap."""
    by_memory: dict[Value, list[_Group]] = {}
    for memref in memrefs:
        memory, start, end = _range_of(memref)
        by_memory.setdefault(memory, []).append(_Group(memory, start, end, [memref]))
    found: list[_Group] = []
    for groups in by_memory.values():
        for number, group in enumerate(sorted(groups, key=lambda group: group.start)):
            if number and group.start < found[-1].end:
                found[-1].members += group.members
                found[-1].end = max(found[-1].end, group.end)
            else:
                found.append(group)
    return found


def _range_of(memref: Value) -> tuple[Value, float, float]:
    """The memory of a memref, and which bytes of it; all behind its first where views are taken of views."""
    view = base(memref)
    if not _is_view(view):
        return view, 0, math.inf
    source, offset = list(view.owner.operation.operands)[:2]
    start = constant_integer(offset)
    if start is None or view != memref:
        return base(source), start or 0, math.inf
    size = element_bytes(memref.type.element_type) * math.prod(e or 0 for e in static_shape(memref.type))
    return base(source), start, start + size


def _key(value: Value) -> tuple[Hashable, ...]:
    """Equal for values that are one: views of the same bytes as the same type are."""
    if isinstance(value.type, ir.MemRefType):
        memory, start, end = _range_of(value)
        if math.isfinite(end):
            return (memory, start, value.type)
    return (value,)


class _Join:
    """Makes a kernel of a loop, and leaves to the host what it needs of it."""

    def __init__(
        self, module: Module, host: HostFunction, kernels: Mapping[str, Operation], name: str
    ) -> None:
        self._module, self._host, self._kernels, self._name = module, host, kernels, name

    def write(self, parts: LoopParts, told: set[Value]) -> None:
        """Do so, for a loop that `_may_be_joined`."""
        numbers = [r.result_number for r in parts.loop.results if r in told and any(True for _ in r.uses)]
        behind = _are_behind(parts, told)
        follows = bool(parts.checks and not behind) or any(
            r not in told and any(True for _ in r.uses) for r in parts.loop.results
        )
        counts = follows and is_decided_by_data(parts.loop, told)
        if parts.loop.name == "scf.while" and (counts or (checks_of_data(parts, told) and not behind)):
            parts = replace(parts, loop=_with_count(parts.loop))
        loop = parts.loop
        if counts:
            numbers.append(len(list(loop.results)) - 1)
        with ir.InsertionPoint(loop), loop.location:
            words = [self._new_word(loop.results[number].type) for number in numbers]
            checks = (
                ChecksBehind.of(parts, self._new_word)
                if behind
                else ToldChecks.of(parts, told, self._new_word)
            )
            if checks is not None:
                checks.let_device_tell()
            self._call(parts, numbers, words, words[-1] if counts else None, checks)
        if checks is not None:
            parts = checks.let_host_end()
        with ir.InsertionPoint(loop), loop.location:
            read = [create("memref.load", [word.type.element_type], [word]) for word in words]
        told = told_by_data(parts)
        for number, value in zip(numbers, read, strict=True):
            loop.results[number].replace_all_uses_with(value)
        if not follows:
            loop.erase()
            return
        _leave_to_host(parts, told, read[-1] if counts else None)

    def _call(
        self,
        parts: LoopParts,
        numbers: list[int],
        words: list[Value],
        count: Value | None,
        checks: ToldChecks | ChecksBehind | None,
    ) -> None:
        """Make the kernel and call it; it stores numbers that the loop results in, if it comes to its end.

        Where a check ends it, it tells that there were more iterations than the host will follow.
        """
        taken = [value for value in _taken(parts) if not _is_constant(value)]
        callees = [self._kernels[callee_of(call)] for call in parts.calls()]
        # A loop may run for ever with numbers that were never computed, as a check had failed.
        is_guarded = any(GUARDED in kernel.attributes for kernel in self._kernels.values())
        takes_record = is_guarded or self._host.record in taken
        values = {_key(value): value for value in taken if value != self._host.record}
        shared = _shared_memory(value for value in values.values() if isinstance(value.type, ir.MemRefType))
        for group in shared.values():
            for member in group.members:
                del values[_key(member)]
        arguments = [*values.values(), *shared, *words, *([self._host.record] if takes_record else [])]
        with ir.InsertionPoint(self._module.body), parts.loop.location:
            types = [value.type for value in arguments]
            function = dialect("func").FuncOp(self._name, (types, []), visibility="private")
        block = function.add_entry_block()
        inner = dict(zip(map(_key, arguments), block.arguments, strict=True))
        with ir.InsertionPoint(block), parts.loop.location:
            for whole, group in shared.items():
                for member in group.members:
                    start = int(_range_of(member)[1] - group.start)
                    inner[_key(member)] = _view(inner[_key(whole)], start, member.type)
            if checks is not None:
                nothing = dialect("arith").constant(checks.ending.type.element_type, NO_ENDING)
                create("memref.store", [], [nothing, inner[_key(checks.ending)]])
            copy = _copied(parts, inner)
            for number, word in zip(numbers, words, strict=True):
                create("memref.store", [], [copy.results[number], inner[_key(word)]])
            dialect("func").ReturnOp([])
        if count is not None:
            for exit in [op for op in operations_of(copy) if is_exit(op)]:
                with ir.InsertionPoint(exit), exit.location:
                    most = dialect("arith").constant(count.type.element_type, _MOST)
                    create("memref.store", [], [most, inner[_key(count)]])
        attributes = function.operation.attributes
        side, reason = self._side(parts, callees)
        if is_guarded and side == DEVICE:
            attributes[GUARDED] = ir.UnitAttr.get()
        if any(VISIBLE in kernel.attributes for kernel in callees):
            attributes[VISIBLE] = ir.UnitAttr.get()
        describe(function.operation, side, reason)
        dialect("func").CallOp([], self._name, arguments)
        if any(map(_raises, callees)):
            # As the planned function does behind kernels that raise: this one may turn out to be the host's.
            FailureSites(self._module).propagate(self._host.record)

    def _side(self, parts: LoopParts, callees: Sequence[Operation]) -> tuple[str, str]:
        """Where the loop runs: on the host, if it has long been busy with parts of it, or may raise in them."""
        of_host = [
            (call, kernel)
            for call, kernel in zip(parts.calls(), callees, strict=True)
            if not is_on_device(kernel)
        ]
        is_guarded = any(GUARDED in kernel.attributes for kernel in self._kernels.values())
        if any(
            seconds_of_block(kernel, call) is None or (_raises(kernel) and not is_guarded)
            for call, kernel in of_host
        ):
            return HOST, _REASON_OF_HOST
        return DEVICE, _REASON

    def _new_word(self, type: Type) -> Value:
        """Memory for a number, behind the workspace."""
        function = self._host.function
        plan = ir.DictAttr(function.attributes[PLAN])
        fields = {entry.name: entry.attr for entry in plan}
        start = -(-int(fields["workspace"].value) // _WORD) * _WORD
        fields["workspace"] = ir.IntegerAttr.get(fields["workspace"].type, start + _WORD)
        function.attributes[PLAN] = ir.DictAttr.get(fields)
        arguments = list(function.regions[0].blocks[0].arguments)
        workspace = arguments[arguments.index(self._host.record) - 1]
        workspace.set_type(ir.MemRefType.get([start + _WORD], workspace.type.element_type))
        settle_signature(function)
        return _view(workspace, start, ir.MemRefType.get([], type))


def _raises(kernel: Operation) -> bool:
    return any(map(is_exit, operations_of(kernel)))


def _view(memory: Value, start: int, type: Type) -> Value:
    return dialect("memref").view(type, memory, dialect("arith").constant(ir.IndexType.get(), start), [])


def _shared_memory(memrefs: Iterable[Value]) -> dict[Value, _Group]:
    """Memory that several memrefs share, as one for all of them."""
    byte = ir.IntegerType.get_signless(8)
    return {
        _view(group.memory, int(group.start), ir.MemRefType.get([int(group.end - group.start)], byte)): group
        for group in _groups(memrefs)
        if len(group) > 1
    }


def _is_constant(value: Value) -> bool:
    return not isinstance(value.owner, ir.Block) and bool(value.owner.operation.name == "arith.constant")


def _copied(parts: LoopParts, inner: Mapping[tuple[Hashable, ...], Value]) -> Operation:
    """A copy of what the device has to do of a loop, at the insertion point."""
    needed = parts.on_device()
    constants: dict[Value, Value] = {}
    for value in filter(_is_constant, _taken(parts)):
        constants[value] = value.owner.operation.clone().operation.results[0]
    copy = parts.loop.clone().operation
    pairs = [(parts.loop, copy), *zip(operations_of(parts.loop), operations_of(copy), strict=True)]
    for op, own in pairs:
        if op in needed:
            for index, value in enumerate(op.operands):
                if not is_defined_inside(value, parts.loop):
                    own.operands[index] = constants[value] if _is_constant(value) else inner[_key(value)]
    for op, own in reversed(pairs):
        if op not in needed:
            own.erase()
    return copy


def _with_count(loop: Operation) -> Operation:
    """A `while` that hands on how many iterations there were, as its last value, in the place of one."""
    word, arith = ir.IntegerType.get_signless(64), dialect("arith")
    with ir.InsertionPoint(loop), loop.location:
        start = arith.constant(word, 0)
        types = [*(result.type for result in loop.results), word]
        new = made_again(loop, types, [*loop.operands, start])
        one = arith.constant(word, 1)
        one.owner.operation.move_before(new)
    for region in new.regions:
        block = region.blocks[0]
        count = block.add_argument(word, loop.location)
        end = terminator(block)
        with ir.InsertionPoint(end), end.location:
            last = count if end.name == "scf.condition" else arith.addi(count, one)
            create(end.name, [], [*end.operands, last])
        end.erase()
    for result, again in zip(loop.results, list(new.results)[:-1], strict=True):
        result.replace_all_uses_with(again)
    loop.erase()
    return new


def _leave_to_host(parts: LoopParts, told: set[Value], count: Value | None) -> None:
    """Leave of a loop what the host needs to follow it, for `count` iterations if that is told."""
    loop, kept = parts.loop, parts.on_host(told)
    # Before operands change, and hashes of operations with them:
    unneeded = [op for op in operations_of(loop) if op not in kept]
    for op in reversed(unneeded):
        for result in op.results:
            if any(True for _ in result.uses):
                with ir.InsertionPoint(loop), loop.location:
                    result.replace_all_uses_with(_nothing(result.type))
        op.erase()
    if count is not None:
        end = terminator(loop.regions[0].blocks[0])
        with ir.InsertionPoint(end), end.location:
            done = list(end.operands)[-1]
            end.operands[0] = dialect("arith").cmpi(dialect("arith").CmpIPredicate.slt, done, count)


def _nothing(type: Type) -> Value:
    """A number in the place of one that nobody looks at."""
    return scalar(type, 0)
