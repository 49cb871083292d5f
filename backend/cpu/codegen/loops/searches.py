"""Reductions that are searches: they look at a block of elements at a time and end where something was found.

any(x): 4 strips of 64 bytes are joined by `or`, then the result is looked at
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .....dialect.mlir import Value, ir
from .....passes.lowering.accumulators import STOPS
from ....nests.emit import Emitter, Index, compare, create, while_loop
from ....nests.nest import LoopNest
from ....nests.reductions import combine, combiners
from .vector_loops import streams
from .vector_reductions import VectorReduction

BLOCK = 2048
"""How many bytes are looked at before the search is ended if it found something; fewer elements of more bytes, which
take longer."""


class Search(VectorReduction):
    """The innermost loop of a search."""

    def _shares_blocks(self) -> bool:
        return False

    def _loops(self, dims: list[int], totals: list[Value]) -> list[Value]:
        dim, *rest = dims
        if not rest:
            return self._inner_loops(totals, 0, self.nest.extents[self.inner])

        def step(position: Value, found: list[Value]) -> list[Value]:
            self.nest.fixed[dim] = position
            return self._loops(rest, found)

        return self._while_open(totals, 0, self.nest.extents[dim], 1, step)

    def _inner_loops(self, totals: list[Value], start: Index, stop: Index) -> list[Value]:
        constant = self._invariants()
        strips = BLOCK // (self.lanes * self.unroll * self.body.widest**2)
        block = self.lanes * self.unroll * max(1, strips)
        whole = self._whole(start, stop, block)

        def step(position: Value, found: list[Value]) -> list[Value]:
            return self._whole_strips(found, position, self.emitter.add(position, block), constant)

        def rest(position: Value, found: list[Value]) -> list[Value]:
            return self._strips(found, position, stop, constant)

        if whole != start:
            totals = self._while_open(totals, start, whole, block, step)
        return totals if whole == stop else self._while_open(totals, whole, stop, block, rest)

    def _while_open(
        self,
        totals: list[Value],
        start: Index,
        stop: Index,
        step: int,
        body: Callable[[Value, list[Value]], list[Value]],
    ) -> list[Value]:
        """A loop that ends before its end if something was found."""

        def goes_on(position: Value, *found: Value) -> list[Value]:
            is_left = compare("slt", position, self.emitter.value(stop))
            is_open = create("arith.andi", [is_left.type], [is_left, self._is_open(list(found))])
            return [is_open, position, *found]

        def following(position: Value, *found: Value) -> list[Value]:
            after = body(position, list(found))
            return [self.emitter.value(self.emitter.add(position, step)), *after]

        return while_loop([self.emitter.value(start), *totals], goes_on, following)[1:]

    def _is_open(self, totals: list[Value]) -> Value:
        """Whether nothing was found yet, in any lane."""
        (combiner,), (kind,), (total, *others) = self.combiners, self.kinds, totals
        for other in others:
            total = combine(combiner, total, other)
        if combiner.name == "arith.andi":  # bytes are 1 until one is 0
            lanes = compare("eq", total, self.emitter.splat(0, total.type))
        else:
            none = kind.neutral(total.type.element_type)
            lanes = compare("ne", total, self.emitter.splat(none, total.type))
        flag = lanes.type.element_type
        found = create("vector.reduction", [flag], [lanes], {"kind": ir.Attribute.parse("#vector.kind<or>")})
        return compare("eq", found, self.emitter.splat(0, flag))


def match_search(nest: LoopNest, carried: Sequence[int], emitter: Emitter) -> Search | None:
    """The form of a search for reductions that run innermost, where they are one."""
    found = [combiner for combiner in combiners(nest) if combiner is not None]
    is_search = len(nest.outputs) == len(found) == 1 and STOPS in found[0].attributes
    if not is_search or not streams(nest, carried[-1]):
        return None
    return Search(nest, carried[-1], emitter, list(carried), found)
