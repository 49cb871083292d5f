"""Fuse updates of overlapping regions of one tensor, so that each element is written once.

    x[1:-1] = 0                        the first and last elements  one by one
    x[:-2] += t              becomes   x[2:-2] = (0 + t[2:]) + t[:-2]
    x[2:] += t

Such chains are what the reverse of a stencil is made of. Each update reads and writes its region, and so the chain
goes through memory as often as there are updates; fused, it is a stencil, too. The regions cut the tensor in boxes in
each of which all elements are computed in the same way, of cheap elementwise ops, which are made anew for each box.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...dialect.mlir import Module, Operation, Value
from ...dialect.ops.slicing import Slice, SliceUpdate
from ...dialect.records import dataclass
from ...dialect.register import op_class_of
from ..base import Pass, Statistics
from ..rewriting import Graph, defined_functions, type_of
from .boxes import Box, Boxes, GivesUp, Straddles, Update, apart, halves, part_of, region_in

_MOST_UPDATES = 8
"""How many updates are fused at most: each may cut each axis twice."""
_MOST_BOXES = 32
_MOST_OPS = 64
"""How many ops the elements of a box may take; more are no longer cheaper than memory."""


@dataclass(frozen=True)
class FuseUpdates(Pass):
    """Fuse updates of overlapping regions of a tensor, such as the reverse of a stencil."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Go through all functions that update slices."""
        for function in defined_functions(module):
            graph = Graph(function)
            chains = list(_chains(graph))
            for chain in chains:
                statistics["updates fused"] += _Fusion(graph, chain).run()
            if chains:
                graph.erase_unused()


def _chains(graph: Graph) -> Iterator[list[Update]]:
    """Updates that follow each other in a block, where one replaces what another has replaced."""
    taken: set[Value] = set()
    for operation in graph.operations:
        if op_class_of(operation) is not SliceUpdate or operation.results[0] in taken:
            continue
        chain: list[Update] = []
        following: Operation | None = operation
        while following is not None and len(chain) < _MOST_UPDATES:
            region = region_in(following)
            if region is None:
                break
            chain.append(Update(following, region))
            taken.add(following.results[0])
            following = _next_update(graph, following)
        regions = [update.region for update in chain]
        if any(not apart(one, other) for i, one in enumerate(regions) for other in regions[:i]):
            yield chain


def _next_update(graph: Graph, operation: Operation) -> Operation | None:
    """What updates the result of an update, which is otherwise only read by slices."""
    result, found = operation.results[0], None
    for user in graph.users.get(result, ()):
        if user.block != operation.block:
            return None
        if op_class_of(user) is SliceUpdate and user.operands[0] == result and user.operands[1] != result:
            if found is not None:
                return None
            found = user
        elif op_class_of(user) is not Slice or region_in(user) is None:
            return None
    return found


class _Fusion(Boxes):
    """The fusion of one chain."""

    def __init__(self, graph: Graph, chain: list[Update]) -> None:
        super().__init__(graph, chain[-1].operation, {update.result: update for update in chain})
        self._chain = chain

    def run(self) -> int:
        """Compute the boxes, then write them; how many updates that replaced."""
        first = self._chain[0].operation.operands[0]
        try:
            boxes = self._computed()
        except GivesUp:
            boxes = None
        if boxes is None or not self._are_read_here_alone():
            for operation in reversed(self._made):
                operation.erase()
            return 0
        result = first
        for box, value in sorted(
            boxes, key=lambda pair: -math.prod(map(len, pair[0]))
        ):  # all numbers are read by then
            self._for = self._writer_of(box)
            result = self._written(result, box, value)
        self._graph.replace(self._last, [result])
        return len(self._chain)

    def _computed(self) -> list[tuple[Box, Value]]:
        """The boxes that change, with their elements."""
        found: list[tuple[Box, Value]] = []
        pending: list[Box] = [tuple(range(extent or 0) for extent in type_of(self._last.results[0]).shape)]
        while pending:
            if len(pending) + len(found) > _MOST_BOXES:
                raise GivesUp
            box = pending.pop()
            try:
                if self._is_changed(box):
                    made = len(self._made)
                    self._for = self._writer_of(box)
                    found.append((box, self._value(self._last.results[0], box)))
                    if len(self._made) - made > _MOST_OPS:
                        raise GivesUp
            except Straddles as place:
                pending += halves(box, place)
        return found

    def _is_changed(self, box: Box) -> bool:
        """Whether an update replaces the elements of a box."""
        return any(part_of(box, update.region) is not None for update in self._chain)

    def _writer_of(self, box: Box) -> Operation:
        """The last update of the elements of a box, at whose line they are written; raises `Straddles`."""
        updates = reversed(self._chain)
        return next(update.operation for update in updates if part_of(box, update.region) is not None)

    def _are_read_here_alone(self) -> bool:
        """Whether all that reads the tensors between the updates was computed anew."""
        updates = {id(update.operation) for update in self._chain}
        pending = [update.result for update in self._chain[:-1]]
        while pending:
            for user in self._graph.users.get(pending.pop(), ()):
                if id(user) in updates:
                    continue
                if len(user.results) != 1 or user.results[0] not in self._anew:
                    return False
                pending.append(user.results[0])
        return True
