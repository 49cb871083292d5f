"""Arrays that branch after branch may write: one memory from the first to the last.

    %1 = scf.if %a -> (tensor<8xf64>) { ... %w = tensor.insert %v into %0[%i] ... } else { scf.yield %0 }
    %2 = scf.if %b -> (tensor<8xf64>) { ... %w = tensor.insert %u into %1[%j] ... } else { scf.yield %1 }

Upstream's bufferisation asks of each value what it may share memory with, and follows both sides of each branch for it:
with twenty in a row, it does not end. Here, what is written in place anyway becomes loads and stores before that, in
a walk in program order: wherever elements are read or written, it is the latest value of the array that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from ...dialect.mlir import Block, Module, Operation, Value, dialect, ir
from ...dialect.records import dataclass
from ...passes.base import Pass, Statistics
from ...passes.rewriting import defined_functions, made_again, operations_in, operations_of, terminator

_STORE_ALL, _READ_ALL = "bufferization.materialize_in_destination", "bufferization.to_tensor"
_INSERT, _EXTRACT, _DIM = "tensor.insert", "tensor.extract", "tensor.dim"
_FOR, _IF, _WHILE = "scf.for", "scf.if", "scf.while"
_FIRST_CARRIED = 3  # behind the bounds and the step of scf.for

_MANY = 8
"""Branches in a row that upstream's analysis is spared."""


@dataclass(frozen=True)
class WriteChains(Pass):
    """Turn arrays that many branches in a row may write into memory."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in defined_functions(module):
            block = view.operation.regions[0].blocks[0]
            for op in operations_in(block):
                if op.name == _STORE_ALL:
                    statistics["chains written"] += _write(op)


def _write(end: Operation) -> int:
    """Do with memory what leads to a value that is stored as a whole, where that is one chain; whether it was done."""
    destination = end.operands[1]
    root = _origin(end.operands[0])
    if root == end.operands[0] or isinstance(root.owner, ir.Block):
        return 0
    begin = root.owner.operation
    is_read_there = begin.name == _READ_ALL and begin.operands[0] == destination
    if begin.block != end.block or sum(1 for _ in destination.uses) != 1 + is_read_there:
        return 0
    if begin.name == _READ_ALL and not is_read_there and not _is_own(begin):
        return 0
    chain = _Chain(destination, root, end)
    operations = operations_in(end.block)
    if not chain.follow(operations[operations.index(begin) + 1 :], root) or chain.branches < _MANY:
        return 0
    chain.rewrite(is_read_there)
    return 1


def _is_own(read: Operation) -> bool:
    """Whether what is read from memory does not change while it is a value."""
    return "writable" not in read.attributes


def _origin(value: Value) -> Value:
    """The value that a chain began with that may end in a value."""
    while True:
        owner = value.owner
        if isinstance(owner, ir.Block):
            loop = owner.owner.operation
            if loop.name == _FOR and value.arg_number:
                value = loop.operands[_FIRST_CARRIED + value.arg_number - 1]
            elif loop.name == _WHILE and owner == loop.regions[0].blocks[0]:
                value = loop.operands[value.arg_number]
            elif loop.name == _WHILE:
                value = terminator(loop.regions[0].blocks[0]).operands[1 + value.arg_number]
            else:
                return value
            continue
        op = owner.operation
        if op.name == _INSERT:
            value = op.operands[1]
        elif op.name == _FOR:
            value = op.operands[_FIRST_CARRIED + value.result_number]
        elif op.name == _IF:
            value = terminator(op.regions[0].blocks[0]).operands[value.result_number]
        elif op.name == _WHILE:
            value = terminator(op.regions[0].blocks[0]).operands[1 + value.result_number]
        else:
            return value


@dataclass
class _Carrier:
    """A branch or loop that hands an array on, and where it is among what it carries."""

    op: Operation
    operand: int | None
    result: int
    places: Sequence[int]
    """In the terminators of the regions, one after the other."""
    arguments: Sequence[Value]


@dataclass
class _Chain:
    """The values of one array in the order in which they are made."""

    destination: Value
    root: Value
    end: Operation
    branches: int = 0
    versions: set[Value] = field(default_factory=set)
    elements: list[Operation] = field(default_factory=list)
    carriers: list[_Carrier] = field(default_factory=list)

    # Following

    def follow(self, operations: Sequence[Operation], current: Value) -> bool:
        """Whether all of the block of the function uses the latest value only, and as a chain does."""
        self.versions.add(current)
        for op in operations:
            if op == self.end:
                if op.operands[0] != current:
                    return False
                continue
            after = self._after(op, current)
            if after is None:
                return False
            current = after
        return True

    def _through(self, block: Block, current: Value) -> Value | None:
        """The latest value at the end of a block; None where it is no chain."""
        latest: Value | None = current
        for op in operations_in(block)[:-1]:
            latest = self._after(op, latest)
            if latest is None:
                return None
        return latest

    def _after(self, op: Operation, current: Value) -> Value | None:
        """The latest value behind an op."""
        if op.name in (_FOR, _IF, _WHILE):
            return {_FOR: self._after_for, _IF: self._after_if, _WHILE: self._after_while}[op.name](
                op, current
            )
        inner = [op, *operations_of(op)] if len(op.regions) else [op]
        used = [value for inside in inner for value in inside.operands if value in self.versions]
        if not used:
            return current
        if len(used) > 1 or used[0] != current or op.name not in (_INSERT, _EXTRACT, _DIM):
            return None
        self.elements.append(op)
        return self._made(op.results[0]) if op.name == _INSERT else current

    def _made(self, value: Value) -> Value:
        self.versions.add(value)
        return value

    def _place(self, values: Sequence[Value], current: Value) -> int | None:
        """Where the latest value is; -1 where the array is not, None where others of its values are."""
        places = [place for place, value in enumerate(values) if value in self.versions]
        if not places:
            return -1
        return places[0] if len(places) == 1 and values[places[0]] == current else None

    def _after_if(self, op: Operation, current: Value) -> Value | None:
        places = []
        for region in op.regions:
            if not region.blocks:
                continue
            block = region.blocks[0]
            latest = self._through(block, current)
            place = None if latest is None else self._place(terminator(block).operands, latest)
            if place is None or (place < 0 and latest != current):
                return None
            places.append(place)
        if len(set(places)) != 1:
            return None
        if places[0] < 0:
            return current
        self.branches += 1
        self.carriers.append(_Carrier(op, None, places[0], places, ()))
        return self._made(op.results[places[0]])

    def _after_for(self, op: Operation, current: Value) -> Value | None:
        block = op.regions[0].blocks[0]
        place = self._place(op.operands, current)
        if place is None:
            return None
        carried = place - _FIRST_CARRIED
        inside = current if place < 0 else self._made(block.arguments[1 + carried])
        latest = self._through(block, inside)
        handed_on = None if latest is None else self._place(terminator(block).operands, latest)
        if place < 0:
            return current if handed_on == -1 and latest == current else None
        if handed_on != carried:
            return None
        self.carriers.append(_Carrier(op, place, carried, [carried], [inside]))
        return self._made(op.results[carried])

    def _after_while(self, op: Operation, current: Value) -> Value | None:
        before, body = (region.blocks[0] for region in op.regions)
        place = self._place(op.operands, current)
        if place is None:
            return None
        inside = current if place < 0 else self._made(before.arguments[place])
        tested = self._through(before, inside)
        passed = None if tested is None else self._place(terminator(before).operands, tested)
        if passed is None or (passed < 0) != (place < 0) or (place < 0 and tested != current):
            return None
        again = current if place < 0 else self._made(body.arguments[passed - 1])
        latest = self._through(body, again)
        handed_on = None if latest is None else self._place(terminator(body).operands, latest)
        if place < 0:
            return current if handed_on == -1 and latest == current else None
        if handed_on != place:
            return None
        self.carriers.append(_Carrier(op, place, passed - 1, [passed, place], [inside, again]))
        return self._made(op.results[passed - 1])

    # Rewriting

    def rewrite(self, is_read_there: bool) -> None:
        """Use memory from the first value on; the last is not stored again."""
        for op in self.elements:
            with ir.InsertionPoint(op), op.location:
                self._access(op)
        for carrier in self.carriers:
            for value in (*carrier.arguments, carrier.op.results[carrier.result]):
                value.replace_all_uses_with(self.root)
        for carrier in self.carriers:
            _drop(carrier)
        begin = self.root.owner.operation
        if is_read_there or begin.name == "tensor.empty":
            self.end.erase()
            begin.erase()
        else:
            self.end.move_after(begin)
            self.end.operands[0] = self.root

    def _access(self, op: Operation) -> None:
        memref = dialect("memref")
        if op.name == _INSERT:
            value, array, *indices = op.operands
            memref.store(value, self.destination, indices)
            op.results[0].replace_all_uses_with(array)
        elif op.name == _EXTRACT:
            op.results[0].replace_all_uses_with(memref.load(self.destination, list(op.operands)[1:]))
        else:
            op.results[0].replace_all_uses_with(memref.dim(self.destination, op.operands[1]))
        op.erase()


def _drop(carrier: _Carrier) -> None:
    """Let a branch or loop not hand an array on that nothing uses any more."""
    op = carrier.op
    operands = [value for place, value in enumerate(op.operands) if place != carrier.operand]
    results = [value for place, value in enumerate(op.results) if place != carrier.result]
    with ir.InsertionPoint(op):
        made = made_again(op, [value.type for value in results], operands)
    blocks = [region.blocks[0] for region in made.regions if region.blocks]
    for argument in carrier.arguments:
        argument.owner.erase_argument(argument.arg_number)
    for block, place in zip(blocks, carrier.places, strict=True):
        kept = [value for number, value in enumerate(terminator(block).operands) if number != place]
        _set_operands(terminator(block), kept)
    for old, new in zip(results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _set_operands(end: Operation, operands: Sequence[Value]) -> None:
    with ir.InsertionPoint(end), end.location:
        ir.Operation.create(end.name, [], list(operands))
    end.erase()
