"""Fuse elementwise ops: what is computed element by element is computed where it is used, in one loop nest.

Before, with one `linalg.generic` for every op of the program:

    %product = linalg.generic ins(%x, %y) { mulf }
    %sum = linalg.generic ins(%product, %x) { addf }

After: one for each group, which reads every input once:

    %sum = linalg.generic ins(%x, %y) { mulf, addf }

Fusing two ops at a time would copy the growing body again and again. Here one walk over the ops decides the
groups, and then every group is built once, by moving the bodies of its members.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import MutableMapping, Sequence, Set
from dataclasses import field
from typing import Any, ClassVar

from ...dialect.mlir import Block, Module, Operation, Value, ir
from ...dialect.records import dataclass
from ..base import Pass, Statistics
from ..notes import fields, note, place_of, wanted
from ..rewriting import blocks_of, constant_integer, defined_functions, is_unused, operations_in
from .groups import Builder, Generic, Group, Maps, Read, View, is_simple, scalar_constant, view_of

CHEAP = 8
"""Bodies up to this cost are computed again for every element that they are broadcast to."""

WIDE = 1.5
"""So many instructions of a wide group can run at a time: its cost over that of its longest chain."""


@dataclass(frozen=True)
class FuseElementwise(Pass):
    """Compute elementwise `linalg.generic` ops inside the only loop nest that uses them.

    A producer joins its consumers when all loops of it are parallel and all uses of its results are inputs of
    one group, at one place of the iteration space; so no element is computed twice, unless it is broadcast
    and computing it is cheap or leaves the inner loop. Consumers may also be reductions and gathers, but not
    contractions, which have a schedule of their own. Inputs from `linalg.fill` and constants with equal
    elements become scalars of the body, and axes of extent 1 that a reshape adds or removes are looked through.
    Every op computes on the same scalars as before: values do not change.
    """

    name: ClassVar[str] = "weft-fuse-elementwise"

    max_ops: int = 256
    """The cost of a group, in simple instructions; longer chains are cut, since compile time grows with bodies, and a
    processor that sees no further than that waits for each instruction of a chain."""

    max_wide_ops: int = 1024
    """The cost of a group of which several instructions can run at a time, as those of a formula of many terms: to cut
    it is to store and to read again what the parts have in common."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Fuse in all functions."""
        maps = Maps()
        for function in defined_functions(module):
            captured = _used_further_in(function.operation)
            for block in function.regions[0]:
                _BlockFuser(block, maps, self, statistics, captured).run()


def _used_further_in(function: Operation) -> set[Value]:
    """The values that are used in a block inside of theirs."""
    found: set[Value] = set()

    def visit(block: Block) -> None:
        own = set(block.arguments)
        for operation in operations_in(block):
            for operand in operation.operands:
                if operand not in own:
                    found.add(operand)
            if len(operation.regions):
                for inner in blocks_of(operation):
                    visit(inner)
            own.update(operation.results)

    for block in blocks_of(function):
        visit(block)
    return found


@dataclass
class _BlockFuser:
    """Fuses the ops of one block."""

    block: Block
    maps: Maps
    limits: FuseElementwise
    statistics: Statistics
    captured: Set[Value]
    """The values that are used in a block inside of theirs."""
    generics: list[Generic] = field(default_factory=list)
    makers: dict[Value, Generic] = field(default_factory=dict)
    """The generic that computes a value."""
    views: dict[Value, View] = field(default_factory=dict)
    scalars: MutableMapping[Value, Any] = field(default_factory=dict)
    """Tensors with equal elements, also of blocks around: the scalar value, or the attribute of a constant."""
    readers: dict[Value, list[tuple[Generic, Read]]] = field(default_factory=dict)
    """The inputs of generics that read a computed value, also through views."""
    escaping: set[Value] = field(default_factory=set)
    """Computed values that are used in another way."""
    candidates: list[Operation] = field(default_factory=list)
    """Generics and views in program order: what may be left without uses."""
    inner: list[Block] = field(default_factory=list)
    """The blocks of branches and loops."""

    def run(self) -> None:
        """Note who uses what, decide the groups from the last op to the first, and build them.

        Branches and loops come before that: they look at ops of this block, which are then still there.
        """
        for op in operations_in(self.block):
            self._note(op)
        for block in self.inner:
            scalars = ChainMap[Value, Any]({}, self.scalars)
            _BlockFuser(block, self.maps, self.limits, self.statistics, self.captured, scalars=scalars).run()
        groups: list[Group] = []
        for generic in reversed(self.generics):
            if self._joins_users(generic):
                self.statistics["producers fused"] += 1
            else:
                groups.append(Group(generic, self.maps))
        builder = Builder(self.maps)
        for group in reversed(groups):
            if group.is_worth_building:
                if wanted():
                    self._note_group(group)
                builder.build(group)
                self.statistics["groups built"] += 1
        # Last uses first: views of what was fused are used by nothing but fused ops.
        for op in reversed(self.candidates):
            if is_unused(op):
                op.erase()

    # Who uses what

    def _note(self, op: Operation) -> None:
        name: str = op.name
        if name.startswith("linalg.") and not len(op.results):
            self._escape(op)  # on memory
        elif name == "linalg.generic":
            self._note_generic(op)
        elif name == "linalg.fill":
            self.scalars[op.results[0]] = op.operands[0]
            self._escape(op)
        elif name == "arith.constant":
            scalar = scalar_constant(op)
            if scalar is not None:
                self.scalars[op.results[0]] = scalar
        elif name != "tensor.dim" or not self._resolve_dim(op):
            view = view_of(op, self.views, self.maps)
            if view is not None:
                self.views[op.results[0]] = view
                self.candidates.append(op)
                self._escape_captured(op)
            else:
                self._escape(op)
                if not name.startswith("linalg."):
                    self.inner += [block for region in op.regions for block in region]

    def _note_generic(self, op: Operation) -> None:
        generic = Generic(op, self.views, self.scalars, self.maps)
        self.generics.append(generic)
        self.candidates.append(op)
        for read in generic.reads:
            if read.scalar is None and read.source in self.makers:
                self.readers.setdefault(read.source, []).append((generic, read))
        for destination in generic.destinations:
            self._escape_value(destination)
        for result in op.results:
            self.makers[result] = generic
        self._escape_captured(op)
        filling = generic.filling_scalar()
        if filling is not None:
            self.scalars[op.results[0]] = filling

    def _escape(self, op: Operation) -> None:
        """Note what an op uses as used by something that does not fuse; what is used in its regions is captured."""
        for operand in op.operands:
            self._escape_value(operand)

    def _escape_captured(self, op: Operation) -> None:
        for result in op.results:
            if result in self.captured:
                self._escape_value(result)

    def _escape_value(self, value: Value) -> None:
        view = self.views.get(value)
        source = value if view is None else view.source
        if source in self.makers:
            self.escaping.add(source)

    def _resolve_dim(self, op: Operation) -> bool:
        """Replace the size of a computed tensor by the size that its destination was made with."""
        tensor, index = op.operands
        axis = constant_integer(index)
        if axis is None:
            return False
        view = self.views.get(tensor)
        if view is not None:
            tensor, axis = view.source, _axis_of(view, axis)
        generic = self.makers.get(tensor)
        if generic is None or axis is None:
            return False
        made = generic.destinations[tensor.result_number].owner
        ranked = ir.RankedTensorType(tensor.type)
        if isinstance(made, ir.Block) or made.name != "tensor.empty" or not ranked.is_dynamic_dim(axis):
            return False
        size = made.operands[sum(ranked.is_dynamic_dim(before) for before in range(axis))]
        op.results[0].replace_all_uses_with(size)
        op.erase()
        return True

    # Which group a producer joins

    def _joins_users(self, generic: Generic) -> bool:
        """Let a generic join the group of everything that uses it, if there is one and it may."""
        results = list(generic.op.results)
        if not generic.is_elementwise:
            return False
        if any(result in self.escaping for result in results):
            return _apart(generic, "something other than a loop over its elements uses it")
        uses = [
            (number, *use) for number, result in enumerate(results) for use in self.readers.get(result, ())
        ]
        groups = {id(user.group): user.group for _, user, _ in uses}
        if len(groups) != 1:
            return _apart(generic, "loops that differ read it", *(group.root for group in groups.values()))
        (group,) = groups.values()
        if group.root.is_contraction:
            return _apart(generic, "a product reads it again and again", group.root)
        if not self._fits(generic, group, [user for _, user, _ in uses]):
            return _apart(generic, "one loop for all would be too long to compile", group.root)
        places = {self._place(generic, *use) for use in uses}
        if len(places) != 1:
            return _apart(generic, "its elements are read at several places", group.root)
        (loops,) = places
        if not _is_efficient(generic, loops):
            return _apart(generic, "each element of it is read many times", group.root)
        joined = group.add(generic, loops, [use[1:] for use in uses])
        return joined or _apart(generic, "its elements are read at places that depend on data", group.root)

    def _fits(self, generic: Generic, group: Group, users: Sequence[Generic]) -> bool:
        """Whether a group stays short with a producer, or is wide: its longest chain is a part of its cost only."""
        cost = group.cost + generic.cost
        chain = max(group.chain, generic.cost + max(user.chain for user in users))
        return cost <= self.limits.max_ops or (cost <= self.limits.max_wide_ops and cost >= WIDE * chain)

    def _note_group(self, group: Group) -> None:
        """Note what is computed in one loop; how the results of reductions are rounded is no part of the program."""
        if group.root.is_number:
            return
        apart = {place_of(generic.op.location) for generic in self.generics if not generic.is_elementwise}
        apart.add(place_of(group.root.op.location))
        places = dict.fromkeys(place_of(member.op.location) for member in group.members)
        others = [place for place in places if place not in apart]
        if others:
            reason = f"is computed in one loop with {fields(len(others))}"
            note("fused", group.root.op.location, reason, *others)

    def _place(self, generic: Generic, number: int, user: Generic, read: Read) -> Any:
        """The map from the loops of a user's group to the loops of a producer, for one use."""
        element = self.maps.compose(read.map, user.loops)
        return self.maps.compose(self.maps.inverse(generic.output_maps[number]), element)


def _axis_of(view: View, axis: int | None) -> int | None:
    """The axis of the source of a view that has the size of an axis of the view, if there is one."""
    expressions = list(view.map.results)
    wanted = ir.AffineDimExpr.get(axis)
    return expressions.index(wanted) if wanted in expressions else None


def _is_efficient(generic: Generic, loops: Any) -> bool:
    """Whether a producer may run in all loops of a group at the place that the map tells."""
    if not is_simple(loops):
        return generic.cost <= CHEAP and not generic.uses_index
    used = {e.position for e in loops.results if isinstance(e, ir.AffineDimExpr)}
    repeated = [loop for loop in range(loops.n_dims) if loop not in used]
    # In the innermost loops alone it is the same work each time round, which LLVM moves out.
    innermost = repeated == list(range(loops.n_dims - len(repeated), loops.n_dims))
    return not repeated or generic.cost <= CHEAP or (innermost and generic.is_movable)


def _apart(generic: Generic, why: str, *readers: Generic) -> bool:
    """Note that a generic has a loop of its own, whose results the readers get from memory."""
    if readers and wanted() and not generic.is_number:
        others = {place_of(reader.op.location): reader.op.location for reader in readers}
        others.pop(place_of(generic.op.location), None)
        reason = f"is computed before {fields(len(others))}" if others else "has a loop of its own"
        note("stored", generic.op.location, f"{reason}, as {why}", *others.values())
    return False
