"""Writes the program of one rank: op by op, with blocks in place of arrays that are split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.emitter import INT64, Tensor
from ...dialect.errors import PartitionError
from ...dialect.host_calls import callback_of
from ...dialect.mlir import Block, Operation, Type, Value, ir
from ...dialect.op import Op
from ...dialect.op_emitter import OpEmitter
from ...dialect.ops.indexing import Gather
from ...dialect.ops.random import RandomFloats
from ...dialect.ops.state import AllocRef, ReadRef, WriteRef
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ...dialect.types import TensorType
from ..control_flow.structure import (
    CAST,
    CONDITION,
    EXTRACT,
    FOR,
    FROM_ELEMENTS,
    IF,
    WHILE,
    YIELD,
    body,
    copy_of,
    has_else,
    operation_of,
    used_inside,
)
from ..rewriting import operations_in
from .combining import combine, has_effects
from .layouts import Layout, Split, local_shape
from .messages import Messages
from .parts import Halo, Part, Room, Site
from .rules import slices
from .rules.indexing import gather
from .rules.packed import packed_rule
from .rules.table import rule_of, whole

_KNOW_OF_ROOM = (slices.slice_, slices.slice_update)
"""The rules that take values with such room; others get them without."""


@dataclass(frozen=True, eq=False)
class Cell:
    """A cell that a rank has a block of."""

    handle: Value
    shape: tuple[int | None, ...]
    layout: Layout


_PRINTS = (
    "a function over split arrays calls Python, which every rank would do for itself: return what is to be shown, or "
    "do it behind the call"
)


_COLLECTIVES = (
    "a function over split arrays calls {name} of weft.distributed, but is written as for one machine: leave it out, "
    "or run the function on blocks by mesh.run"
)


class Partitioner:
    """What stands for the values of a program on one rank; one for each region, which knows those around it."""

    def __init__(self, messages: Messages) -> None:
        self.messages = messages
        self.parts: dict[Value, Part] = {}
        self.cells: dict[Value, Cell] = {}
        self.scalars: dict[Value, Value] = {}
        self.halos: dict[Value, Halo] = {}
        self.moments: dict[tuple[Value, tuple[int, ...]], tuple[Tensor, Tensor]] = {}
        self.laid: dict[tuple[int, Layout], tuple[Part, Part]] = {}

    def inside(self) -> Partitioner:
        """For a region: what becomes known there is not known around it."""
        made = Partitioner(self.messages)
        for name in ("parts", "cells", "scalars", "halos", "moments", "laid"):
            setattr(made, name, dict(getattr(self, name)))
        return made

    def part(self, value: Value, b: OpEmitter) -> Part:
        """What stands for a tensor."""
        found = self.parts.get(value)
        if found is None:  # a number that is no tensor
            tensor = b.value(value)
            found = self.parts[value] = Part(tensor, tensor.shape, (None,) * tensor.rank)
        return found

    def local_type(self, wanted: TensorType, layout: Layout, held: Room = ()) -> TensorType:
        """The type of what a rank has of a value."""
        shape = list(local_shape(wanted.shape, layout, self.messages.grid))
        for dim, ranges in held:
            split = layout[dim]
            assert split is not None
            shape[dim] = len(ranges[self.messages.grid.place(split.axis)])
        return wanted.with_shape(shape)

    # Ops

    def write(self, operations: Sequence[Operation]) -> None:
        """Write ops at the current insertion point, those that need reductions over ranks behind others that do not."""
        while operations:
            operations = self._write_round(operations)

    def _write_round(self, operations: Sequence[Operation]) -> list[Operation]:
        """Write what needs no result of a reduction of this round; returns what is left.

        Which ops these are is the same on all ranks, as it is told from the program of the whole arrays.
        """
        later: list[Operation] = []
        late: set[Value] = set()
        ready: list[int] = []
        waits = False
        sent = self.messages.sent
        for operation in operations:
            effects = has_effects(operation)
            if (effects and waits) or not late.isdisjoint(used_inside(operation)):
                later.append(operation)
                late.update(operation.results)
                waits = waits or effects
                continue
            before = len(sent)
            self._write(operation)
            if len(sent) > before and sent[-1].kind == "all_reduce" and operation.name not in _REGIONS:
                ready.append(len(sent) - 1)
                late.update(operation.results)
        replaced = combine(self.messages, ready)
        if replaced:
            self._replace(replaced)
        return later

    def _replace(self, replaced: dict[Value, Tensor]) -> None:
        """Let values stand for others, which are erased."""

        def changed(part: Part) -> Part:
            found = replaced.get(part.value.handle)
            return part if found is None else Part(found, part.shape, part.layout, packed=part.packed)

        self.parts = {value: changed(part) for value, part in self.parts.items()}
        self.laid = {key: (part, changed(laid)) for key, (part, laid) in self.laid.items()}
        self.moments = {
            key: (mean, replaced.get(squares.handle, squares))
            for key, (mean, squares) in self.moments.items()
        }
        for value in replaced:
            value.owner.operation.erase()

    def _write(self, operation: Operation) -> None:
        op_class = op_class_of(operation)
        if callback_of(operation) is not None:
            raise PartitionError(_PRINTS, str(operation.location))
        if op_class is not None and op_class.family == "distributed":
            raise PartitionError(_COLLECTIVES.format(name=op_class.name), str(operation.location))
        if operation.name in _REGIONS:
            _REGIONS[operation.name](self, operation)
        elif op_class in (AllocRef, ReadRef, WriteRef):
            self._write_cell(operation, op_class)
        elif op_class is not None:
            self._write_op(operation, op_class)
        else:
            self._write_scalar(operation)

    def site(
        self, operation: Operation, op_class: type[Op], attributes: dict[str, Any] | None = None
    ) -> Site:
        """Where an op is written."""
        shapes = tuple(tuple(_tensor_type(result.type).shape) for result in operation.results)
        given = decode_attributes(op_class, operation) if attributes is None else attributes
        b = OpEmitter(operation.location)
        return Site(b, operation, op_class, given, shapes, self.messages, self.halos, self.moments, self.laid)

    def _write_op(self, operation: Operation, op_class: type[Op]) -> None:
        site = self.site(operation, op_class)
        parts = [self.part(value, site.b) for value in operation.operands]
        is_alike = all(part.is_whole for part in parts) and op_class is not RandomFloats
        rule = whole if is_alike else rule_of(op_class)
        made = packed_rule(site, parts) if any(part.packed for part in parts) else None
        if made is None:
            if rule not in _KNOW_OF_ROOM or any(part.packed for part in parts):
                parts = site.disjoint(list(map(site.trimmed, parts)))
            made = rule(site, parts)
        for result, part in zip(operation.results, made, strict=True):
            wanted = self.local_type(_tensor_type(result.type), part.layout, part.held)
            if part.packed is not None:
                wanted = wanted.with_shape(part.value.shape)
            value = site.b.refined(part.value, wanted) if part.value.type != wanted else part.value
            known = tuple(
                s.extent if s is not None else e for s, e in zip(part.layout, part.shape, strict=True)
            )
            self.parts[result] = Part(value, known, part.layout, part.held, part.packed)

    def _write_cell(self, operation: Operation, op_class: type[Op]) -> None:
        b = OpEmitter(operation.location)
        if op_class is AllocRef:
            part = self.site(operation, op_class, {}).trimmed(self.part(operation.operands[0], b))
            (handle,) = create(AllocRef, [part.value.handle], {}, location=b.location).results
            self.cells[operation.results[0]] = Cell(handle, part.shape, part.layout)
            return
        cell = self.cells[operation.operands[0]]
        if op_class is ReadRef:
            (handle,) = create(ReadRef, [cell.handle], {}, location=b.location).results
            self.parts[operation.results[0]] = Part(b.value(handle), cell.shape, cell.layout)
            return
        site = self.site(operation, op_class, {})
        reason = "what is written is split along another axis than the array"
        part = site.laid_out(site.trimmed(self.part(operation.operands[1], b)), cell.layout, reason)
        create(WriteRef, [cell.handle, part.value.handle], {}, location=b.location)

    def _write_scalar(self, operation: Operation) -> None:
        """Numbers, which are the same on all ranks, and what moves them to tensors and back."""
        b = OpEmitter(operation.location)
        name = operation.name
        if name == EXTRACT:
            self._extract(operation, b)
            return
        if name == CAST and operation.operands[0] in self.parts:
            part = self.site(operation, Gather, {}).trimmed(self.parts[operation.operands[0]])
            wanted = self.local_type(_tensor_type(operation.results[0].type), part.layout)
            shape = tuple(
                a if a is not None else c
                for a, c in zip(_tensor_type(operation.results[0].type).shape, part.shape, strict=True)
            )
            self.parts[operation.results[0]] = Part(b.refined(part.value, wanted), shape, part.layout)
            return
        known = dict(self.scalars)
        for value in operation.operands:
            if value in self.parts:
                site = self.site(operation, Gather, {})
                reason = f"{name} is done on the whole array by every rank"
                known[value] = site.whole(site.trimmed(self.parts[value]), reason).value.handle
        copy = copy_of(operation, known)
        for result, made in zip(operation.results, copy.results, strict=True):
            if isinstance(result.type, ir.RankedTensorType):
                tensor = b.value(made)
                self.parts[result] = Part(tensor, tensor.shape, (None,) * tensor.rank)
            else:
                self.scalars[result] = made

    def _extract(self, operation: Operation, b: OpEmitter) -> None:
        """An element of a tensor: of a split one it comes from the rank that has it."""
        tensor, *indices = operation.operands
        part = self.site(operation, Gather, {}).trimmed(self.part(tensor, b))
        places = [self.scalars.get(index, index) for index in indices]
        if not part.is_whole:
            tensors = []
            for place in places:
                word = operation_of("arith.index_cast", [place], [ir.IntegerType.get_signless(64)]).results[0]
                made = operation_of(FROM_ELEMENTS, [word], [type_to_mlir(TensorType((), INT64))]).results[0]
                tensors.append(Part(b.value(made), (), ()))
            attributes = {"axes": tuple(range(part.rank)), "position": 0}
            site = Site(b, operation, Gather, attributes, ((),), self.messages, {}, {}, {})
            (part,) = gather(site, [part, *tensors])
            places = []
        source = part.value
        if math.prod(self.messages.grid.extents) > 1:
            source = b.replicated(source, over="")  # so that all ranks take the same branches
        element = operation.results[0].type
        made = operation_of(EXTRACT, [source.handle, *places], [element], location=operation.location)
        self.scalars[operation.results[0]] = made.results[0]

    # Branches and loops

    def laid_out(self, at: Operation, part: Part, layout: Layout, held: Room = ()) -> Part:
        """A value as a branch or loop hands it over."""
        site = self.site(at, Gather, {})
        if held and part.held == held:
            return part
        reason = "a loop or branch carries an array that is split in several ways"
        part = site.laid_out(site.trimmed(part), layout, reason)
        return site.widened(part, held) if held else part

    def trimmed(self, at: Operation, value: Value) -> Part:
        """What stands for a tensor, without room for elements of neighbours."""
        site = self.site(at, Gather, {})
        return site.trimmed(self.part(value, site.b))

    def returned(self, at: Operation, value: Value) -> Part:
        """What stands for a result: of what was chosen that of this rank."""
        part = self.part(value, OpEmitter(at.location))
        if part.packed is None:
            return self.trimmed(at, value)
        split = Split(part.packed.split.axis, ())
        layout = tuple(split if dim == part.packed.dim else None for dim in range(part.rank))
        return Part(part.value, part.shape, layout)

    def handed(self, at: Operation, values: Sequence[Value]) -> list[Part | Value]:
        """What stands for values that a region hands over: tensors and numbers."""
        b = OpEmitter(at.location)
        return [
            self.part(v, b) if isinstance(v.type, ir.RankedTensorType) else self.scalars.get(v, v)
            for v in values
        ]

    def give(self, values: Sequence[Value], made: Sequence[Value], parts: Sequence[Part | Value]) -> None:
        """Note what stands for the results or arguments of a region, split as other values."""
        for value, new, part in zip(values, made, parts, strict=True):
            if isinstance(part, Part):
                b = OpEmitter(ir.Location.unknown())
                shape = tuple(_tensor_type(value.type).shape)
                self.parts[value] = Part(b.value(new), shape, part.layout, part.held)
            else:
                self.scalars[value] = new


def _tensor_type(wanted: Type) -> TensorType:
    found = type_from_mlir(wanted) if isinstance(wanted, ir.RankedTensorType) else None
    return found if isinstance(found, TensorType) else TensorType((), np.dtype(np.int64))


def _handles(parts: Sequence[Part | Value]) -> list[Value]:
    return [part.value.handle if isinstance(part, Part) else part for part in parts]


def _merged(first: Sequence[Part | Value], second: Sequence[Part | Value]) -> list[Layout | None]:
    """How what two sides hand over is split: as the first of them that splits it."""
    found: list[Layout | None] = []
    for a, b in zip(first, second, strict=True):
        if isinstance(a, Part) and isinstance(b, Part):
            found.append(b.layout if a.is_whole else a.layout)
        else:
            found.append(None)
    return found


def _lasting(layouts: Sequence[Layout | None], values: Sequence[Value]) -> list[Layout | None]:
    """Layouts of what regions hand over: axes of which the extents may be others each time are whole."""
    found: list[Layout | None] = []
    for layout, value in zip(layouts, values, strict=True):
        shape = _tensor_type(value.type).shape
        if layout is None or len(shape) != len(layout):
            found.append(layout)
        else:
            found.append(tuple(s if e is not None else None for s, e in zip(layout, shape, strict=True)))
    return found


def _settled(
    walk: Partitioner,
    at: Operation,
    parts: Sequence[Part | Value],
    layouts: Sequence[Layout | None],
    rooms: Sequence[Room] = (),
) -> list[Part | Value]:
    rooms = rooms or [()] * len(parts)
    return [
        walk.laid_out(at, part, layout, held) if isinstance(part, Part) and layout is not None else part
        for part, layout, held in zip(parts, layouts, rooms, strict=True)
    ]


def _rooms(inner: Partitioner, carried: Sequence[Value]) -> list[Room]:
    """For what a loop carries the elements of neighbours that slices of it need: it is carried with room for these."""
    found: list[Room] = []
    for value in carried:
        held: Room = ()
        for dim, wanted in inner.halos[value].room if value in inner.halos else ():
            split = inner.parts[value].layout[dim]
            assert split is not None
            around = [_around(block, want) for block, want in zip(split.blocks(), wanted, strict=True)]
            held = (*held, (dim, tuple(around)))
        found.append(held)
    return found


def _around(block: range, wanted: range) -> range:
    if not len(wanted):
        return block
    return range(min(block.start, wanted.start), max(block.stop, wanted.stop))


def _refined(walk: Partitioner, parts: Sequence[Part | Value], values: Sequence[Value]) -> list[Part | Value]:
    """Tensors in the types that are known of the values they stand for."""
    found: list[Part | Value] = []
    for part, value in zip(parts, values, strict=True):
        if isinstance(part, Part):
            wanted = walk.local_type(_tensor_type(value.type), part.layout, part.held)
            b = OpEmitter(ir.Location.unknown())
            tensor = b.refined(part.value, wanted) if part.value.type != wanted else part.value
            found.append(Part(tensor, part.shape, part.layout, part.held))
        else:
            found.append(part)
    return found


def _write_if(walk: Partitioner, branch: Operation) -> None:
    condition = walk.scalars.get(branch.operands[0], branch.operands[0])
    draft = operation_of(IF, [condition], [], regions=2, location=branch.location)
    sides: list[tuple[Partitioner, Block, Operation, list[Part | Value]]] = []
    for number in range(2 if has_else(branch) else 1):
        block = draft.regions[number].blocks.append()
        inner, old = walk.inside(), body(branch, number)
        *operations, end = operations_in(old)
        with ir.InsertionPoint(block):
            inner.write(operations)
            handed = _refined(inner, inner.handed(end, list(end.operands)), list(branch.results))
        sides.append((inner, block, end, handed))
    layouts = _lasting(_merged(sides[0][3], sides[-1][3]), list(branch.results))
    types: list[Type] = []
    parts: list[Part | Value] = []
    for inner, block, end, handed in sides:
        with ir.InsertionPoint(block):
            parts = _refined(inner, _settled(inner, end, handed, layouts), list(branch.results))
            operation_of(YIELD, _handles(parts), [], location=end.location)
        types = [handle.type for handle in _handles(parts)]
    made = operation_of(IF, [condition], types, regions=2, location=branch.location)
    for number, (_, block, _, _) in enumerate(sides):
        block.append_to(made.regions[number])
    draft.erase()
    walk.give(list(branch.results), list(made.results), parts)


_MOST_TRIES = 4
"""How often the layout of what a loop carries is looked for; what is not found then is gathered or moved each time."""


def _write_for(walk: Partitioner, loop: Operation) -> None:
    bounds = [walk.scalars.get(v, v) for v in list(loop.operands)[:3]]
    initial = walk.handed(loop, list(loop.operands)[3:])
    old = body(loop)
    *operations, end = operations_in(old)
    wanted: list[Layout | None] = [part.layout if isinstance(part, Part) else None for part in initial]
    wanted = _lasting(wanted, list(loop.results))
    rooms: list[Room] = [()] * len(initial)
    for attempt in range(_MOST_TRIES):
        sent = len(walk.messages.sent)
        begin = _refined(walk, _settled(walk, loop, initial, wanted, rooms), list(loop.results))
        types = [handle.type for handle in _handles(begin)]
        made = operation_of(FOR, [*bounds, *_handles(begin)], types, regions=1, location=loop.location)
        block = made.regions[0].blocks.append(
            ir.IndexType.get(), *types, arg_locs=[loop.location] * (1 + len(types))
        )
        inner = walk.inside()
        inner.scalars[old.arguments[0]] = block.arguments[0]
        inner.give(list(old.arguments)[1:], list(block.arguments)[1:], begin)
        walk.messages.depth += 1
        with ir.InsertionPoint(block):
            inner.write(operations)
            handed = _refined(inner, inner.handed(end, list(end.operands)), list(loop.results))
            better = _lasting(_merged(begin, handed), list(loop.results))
            needed = _rooms(inner, list(old.arguments)[1:]) if better == wanted else rooms
            if (better != wanted or needed != rooms) and attempt < _MOST_TRIES - 1:
                rooms = needed
                walk.messages.depth -= 1
                operation_of(YIELD, _handles(begin), [], location=end.location)
                made.erase()
                walk.messages.forget(sent)
                wanted = better
                continue
            settled = _refined(inner, _settled(inner, end, handed, wanted, rooms), list(loop.results))
            operation_of(YIELD, _handles(settled), [], location=end.location)
        walk.messages.depth -= 1
        walk.give(list(loop.results), list(made.results), begin)
        return


def _write_while(walk: Partitioner, loop: Operation) -> None:
    initial = walk.handed(loop, list(loop.operands))
    tested, run = body(loop), body(loop, 1)
    wanted: list[Layout | None] = [part.layout if isinstance(part, Part) else None for part in initial]
    wanted = _lasting(wanted, list(tested.arguments))
    rooms: list[Room] = [()] * len(initial)
    inner_rooms: list[Room] = [()] * len(loop.results)
    for attempt in range(_MOST_TRIES):
        sent = len(walk.messages.sent)
        begin = _refined(walk, _settled(walk, loop, initial, wanted, rooms), list(tested.arguments))
        types = [handle.type for handle in _handles(begin)]
        draft = operation_of(WHILE, _handles(begin), [], regions=2, location=loop.location)
        walk.messages.depth += 1
        first = draft.regions[0].blocks.append(*types, arg_locs=[loop.location] * len(types))
        inner = walk.inside()
        inner.give(list(tested.arguments), list(first.arguments), begin)
        *operations, end = operations_in(tested)
        with ir.InsertionPoint(first):
            inner.write(operations)
            condition = inner.scalars.get(end.operands[0], end.operands[0])
            found = inner.handed(end, list(end.operands)[1:])
            own = [part.layout if isinstance(part, Part) else None for part in found]
            passed = _settled(inner, end, found, _lasting(own, list(loop.results)), inner_rooms)
            passed = _refined(inner, passed, list(loop.results))
            needed = _rooms(inner, list(tested.arguments))
            handed_on = {value: number for number, value in enumerate(list(end.operands)[1:])}
            operation_of(CONDITION, [condition, *_handles(passed)], [], location=end.location)
        results = [handle.type for handle in _handles(passed)]
        second = draft.regions[1].blocks.append(*results, arg_locs=[loop.location] * len(results))
        outer = walk.inside()
        outer.give(list(run.arguments), list(second.arguments), passed)
        *operations, end = operations_in(run)
        with ir.InsertionPoint(second):
            outer.write(operations)
            handed = _refined(outer, outer.handed(end, list(end.operands)), list(tested.arguments))
            better = _lasting(_merged(begin, handed), list(tested.arguments))
            inner_needed = _rooms(outer, list(run.arguments)) if better == wanted else inner_rooms
            needed = [
                own or (inner_needed[handed_on[value]] if value in handed_on else ())
                for value, own in zip(tested.arguments, needed, strict=True)
            ]
            is_settled = (better, needed, inner_needed) == (wanted, rooms, inner_rooms)
            is_last = is_settled or attempt == _MOST_TRIES - 1
            settled = _settled(outer, end, handed, wanted, rooms) if is_last else begin
            settled = _refined(outer, settled, list(tested.arguments))
            operation_of(YIELD, _handles(settled), [], location=end.location)
        walk.messages.depth -= 1
        if not is_last:
            draft.erase()
            walk.messages.forget(sent)
            wanted, rooms, inner_rooms = better, needed, inner_needed
            continue
        made = operation_of(WHILE, _handles(begin), results, regions=2, location=loop.location)
        first.append_to(made.regions[0])
        second.append_to(made.regions[1])
        draft.erase()
        walk.give(list(loop.results), list(made.results), passed)
        return


_REGIONS = {IF: _write_if, FOR: _write_for, WHILE: _write_while}
