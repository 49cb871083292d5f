"""Checks a buffer plan against the program it was made for, without running machine code.

Both are followed side by side: the program on tensors (stage "kernels") and the plan on memory (stage "buffers"). A
tensor is a term: the kernel that makes it, applied to the terms of its operands. Memory is a list of places with the
term that was written there last; what overlaps a place that is written is gone. A plan is right if every kernel finds
the terms in its operands that it has in the program, and makes its results where nothing else is that it reads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from weft.backend.planning.buffer_assignment import byte_width
from weft.backend.planning.names import is_kernel_name
from weft.dialect.mlir import ir
from weft.dialect.register import context

UNDEFINED = "undefined"


class WrongPlan(AssertionError):
    """The plan does not compute what the program says."""


def check_plan(concrete: Any, trips: int = 2) -> int:
    """Raise WrongPlan unless the plan is right, every loop running so often; tells how many kernels were called."""
    with context(), ir.Location.unknown():
        program = ir.Module.parse(concrete.as_text("kernels"))
        plan = ir.Module.parse(concrete.as_text("buffers"))
        name = concrete._executable.plan.name
        tensors = _Program(trips)
        returned = tensors.follow(_body(program, name))
        memory = _Memory(tensors.calls, trips)
        block = _body(plan, name)
        inputs = len(concrete._executable.plan.inputs)
        for index, argument in enumerate(block.arguments):
            place = Place(index, 0, _bytes(argument.type))
            memory.place[argument] = place
            if index < inputs:
                memory.write(place, ("argument", index))
        memory.follow(block)
        for number, term in enumerate(returned):
            memory.expect(memory.place[block.arguments[inputs + number]], term, f"result {number}")
        if memory.called != len(tensors.calls):
            raise WrongPlan(f"{memory.called} kernels are called instead of {len(tensors.calls)}")
        return memory.called


def _body(module: Any, name: str) -> Any:
    for view in module.body.operations:
        op = view.operation
        if op.name == "func.func" and op.attributes["sym_name"].value == name:
            return op.regions[0].blocks[0]
    raise LookupError(name)


def _bytes(type: Any) -> int:
    if not isinstance(type, ir.MemRefType) or not type.has_static_shape:
        return 1 << 60
    return math.prod(type.shape) * byte_width(type.element_type)


def _is_tensor(value: Any) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


class _Program:
    """Follows the program on tensors; `calls` are the operands of every kernel that is called, and its results."""

    def __init__(self, trips: int) -> None:
        self.calls: list[tuple[list[Any], list[Any]]] = []
        self.terms: dict[Any, Any] = {}
        self._trips = trips
        self._stored = 0
        """How many numbers were put into tensors: they are stored in the same order."""

    def follow(self, block: Any) -> list[Any]:
        for argument in block.arguments:
            if argument not in self.terms:
                self.terms[argument] = ("argument", argument.arg_number)
        for view in block.operations:
            self._visit(view.operation)
        return [self.terms.get(value) for value in list(block.operations)[-1].operation.operands]

    def _visit(self, op: Any) -> None:
        name = op.name
        if name == "tensor.empty":
            self.terms[op.results[0]] = UNDEFINED
        elif name == "func.call" and is_kernel_name(op.attributes["callee"].value):
            kernel = op.attributes["callee"].value
            operands = [self.terms[value] for value in op.operands if _is_tensor(value)]
            results = [
                (kernel, number, *operands) for number, value in enumerate(op.results) if _is_tensor(value)
            ]
            self.terms.update(zip(op.results, results, strict=False))
            self.calls.append((operands, results))
        elif name == "scf.for":
            carried = [self.terms.get(value) for value in list(op.operands)[3:]]
            body = op.regions[0].blocks[0]
            for _ in range(self._trips):
                self.terms.update(zip(list(body.arguments)[1:], carried, strict=True))
                carried = self.follow(body)
            self.terms.update(zip(op.results, carried, strict=True))
        elif name == "tensor.from_elements":
            self.terms[op.results[0]] = ("number", self._stored)
            self._stored += 1
        elif name in ("tensor.cast", "tensor.collapse_shape", "tensor.expand_shape"):
            self.terms[op.results[0]] = self.terms[op.operands[0]]
        elif op.results and _is_tensor(op.results[0]) and name != "arith.constant":
            raise NotImplementedError(name)
        elif name == "arith.constant" and _is_tensor(op.results[0]):
            self.terms[op.results[0]] = ("constant", str(op.attributes["value"]))


@dataclass(frozen=True)
class Place:
    """Bytes of an argument of the planned function."""

    base: Any
    offset: int
    size: int

    def overlaps(self, other: Place) -> bool:
        return (
            self.base == other.base
            and self.offset < other.offset + other.size
            and other.offset < self.offset + self.size
        )


class _Memory:
    """Follows the plan; `place` tells where memrefs are, and `_held` what lies there."""

    def __init__(self, calls: list[tuple[list[Any], list[Any]]], trips: int) -> None:
        self.place: dict[Any, Place] = {}
        self.called = 0
        self._calls = calls
        self._trips = trips
        self._held: dict[Place, Any] = {}
        self._numbers: dict[Any, int] = {}
        self._stored = 0

    def write(self, place: Place, term: Any) -> None:
        """Something lies in a place now, and what overlapped it is gone."""
        for other in [other for other in self._held if other.overlaps(place)]:
            del self._held[other]
        self._held[place] = term

    def expect(self, place: Place, term: Any, what: str) -> None:
        """Raise unless a term lies in a place, or anything does if it is undefined."""
        if term != UNDEFINED and self._held.get(place) != term:
            raise WrongPlan(f"{what} at {place} is {self._held.get(place)}, not {term}")

    def follow(self, block: Any) -> None:
        for view in block.operations:
            self._visit(view.operation)

    def _visit(self, op: Any) -> None:
        name = op.name
        if name == "arith.constant" and isinstance(op.attributes["value"], ir.IntegerAttr):
            self._numbers[op.results[0]] = op.attributes["value"].value
        elif name == "memref.view":
            base = self.place[op.operands[0]]
            self.place[op.results[0]] = Place(
                base.base, self._numbers[op.operands[1]], _bytes(op.results[0].type)
            )
        elif name in ("memref.cast", "memref.reinterpret_cast"):
            source = self.place[op.operands[0]]
            self.place[op.results[0]] = Place(source.base, source.offset, _bytes(op.results[0].type))
        elif name == "memref.get_global":
            self.place[op.results[0]] = place = Place(
                str(op.attributes["name"]), 0, _bytes(op.results[0].type)
            )
            self._held.setdefault(place, ("constant", self._value_of_global(op)))
        elif name == "memref.store" and op.operands[1] in self.place and len(op.operands) == 2:
            self.write(self.place[op.operands[1]], ("number", self._stored))
            self._stored += 1
        elif name == "memref.copy":
            source, target = (self.place[operand] for operand in op.operands)
            self.write(target, self._held.get(source))
        elif name == "memref.extract_aligned_pointer_as_index":
            self.place[op.results[0]] = self.place[op.operands[0]]
        elif name == "func.call" and is_kernel_name(op.attributes["callee"].value):
            self._call(op)
        elif name == "scf.for":
            self._for(op)
        elif name == "scf.if":
            self._if(op)

    def _value_of_global(self, op: Any) -> str:
        module = op.parent
        while module.name != "builtin.module":
            module = module.parent
        found = next(
            view.operation
            for view in module.regions[0].blocks[0].operations
            if view.operation.name == "memref.global"
            and view.operation.attributes["sym_name"].value == op.attributes["name"].value
        )
        return str(found.attributes["initial_value"])

    def _call(self, op: Any) -> None:
        operands, results = self._calls[self.called]
        self.called += 1
        memrefs = [value for value in op.operands if isinstance(value.type, ir.MemRefType)][: len(operands)]
        places = [self.place[value] for value in memrefs]
        for number, (place, term) in enumerate(zip(places, operands, strict=True)):
            self.expect(place, term, f"operand {number} of call {self.called}")
        made = places[len(places) - len(results) :]
        for index, place in enumerate(made):
            others = [other for other in places if other is not place]
            if any(place.overlaps(other) for other in others):
                raise WrongPlan(f"result {index} of call {self.called} overlaps another operand")
        for place, term in zip(made, results, strict=True):
            self.write(place, term)

    def _for(self, op: Any) -> None:
        body = op.regions[0].blocks[0]
        carried = [self.place.get(value) for value in list(op.operands)[3:]]
        for _ in range(self._trips):
            self._bind(list(body.arguments)[1:], carried)
            self.follow(body)
            carried = [self.place.get(value) for value in list(body.operations)[-1].operation.operands]
        self._bind(list(op.results), carried)

    def _bind(self, values: list[Any], places: list[Place | None]) -> None:
        self.place.update((v, p) for v, p in zip(values, places, strict=True) if p is not None)

    def _if(self, op: Any) -> None:
        """Follow what is done where memory is elsewhere; other branches look for interrupts."""
        condition = op.operands[0].owner.operation
        if condition.name == "arith.cmpi":
            left, right = (self.place.get(operand) for operand in condition.operands)
            if left is not None and right is not None and left != right:
                self.follow(op.regions[0].blocks[0])


def least_bytes(concrete: Any) -> int:
    """What a program must hold at its worst time besides its arguments: all results, or more values that are alive.

    Counted on the tensors of stage "kernels": what a kernel reads and what it makes, once if it is an update.
    """
    with context(), ir.Location.unknown():
        module = ir.Module.parse(concrete.as_text("kernels"))
        block = _body(module, concrete._executable.plan.name)
        returned = list(block.operations)[-1].operation.operands
        return max(sum(_tensor_bytes(value.type) for value in returned), _most_alive(block))


def _most_alive(block: Any) -> int:
    """The most bytes of values of a block, and of the blocks inside, that are alive at one time."""
    operations = [view.operation for view in block.operations]
    last: dict[Any, int] = {}
    first: dict[Any, int] = {}
    root: dict[Any, Any] = {}
    inside = [0] * len(operations)
    for position, op in enumerate(operations):
        for value in _used(op):
            if value in root:
                last[root[value]] = position
        made = [value for value in op.results if _is_tensor(value)]
        if op.name in ("tensor.empty", "arith.constant"):
            continue
        updated = list(op.operands)[-len(made) :] if made else []
        for value, destination in zip(made, updated, strict=True):
            root[value] = root.get(destination, value)
            last[root[value]] = position
            first.setdefault(root[value], position)
        inside[position] = max((_most_alive(b) for region in op.regions for b in region), default=0)
    return max(
        sum(_tensor_bytes(value.type) for value in first if first[value] <= position <= last[value])
        + inside[position]
        for position in range(len(operations))
    )


def _used(op: Any) -> list[Any]:
    inner = [
        value
        for region in op.regions
        for block in region
        for view in block.operations
        for value in _used(view.operation)
    ]
    return [*op.operands, *inner]


def _tensor_bytes(type: Any) -> int:
    return math.prod(type.shape) * byte_width(type.element_type)
