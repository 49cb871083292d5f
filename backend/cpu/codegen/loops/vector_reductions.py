"""Vector code for the innermost reduction loops: every lane combines its share, and the lanes are combined at the end.

Sums are never one long running sum, whose error grows with its length. Sums of f32 are added four and four, and
those sums in f64. Sums of f64 are added up block by block. Threads share long reductions of all that there is in
longer blocks (blocked_reductions.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Operation, Type, Value
from ....nests.emit import Emitter, ForLoop, Index, create, load, store
from ....nests.extents import longest
from ....nests.nest import LoopNest
from ....nests.reductions import KINDS, combine, combiners, widened_sum
from ....target import processor
from ..vectors.code import lane_mask
from .blocked_reductions import may_have_blocks, reduce_blocks
from .vector_body import SplitBody, vector_of
from .vector_loops import VectorLoop, halves, streams

BLOCK_STRIPS = 64
"""How many strips of a sum are added up before their sum is added to that of the blocks before."""

LIGHT = 8
"""With so little arithmetic for each vector, the loop waits for memory alone."""


def match_vector_reduction(
    nest: LoopNest, carried: Sequence[int], emitter: Emitter
) -> VectorReduction | None:
    """The vector form of the reductions that run innermost, where there is a good one."""
    inner = carried[-1]
    found = combiners(nest)
    if not streams(nest, inner) or any(op is None for op in found):
        return None
    known = [op for op in found if op is not None]
    if len(known) == 1 and widened_sum(known[0]) is not None:
        sum_of_narrow = WidenedSum(nest, inner, emitter, list(carried), known)
        if sum_of_narrow.lanes >= 4:
            return sum_of_narrow
    return VectorReduction(nest, inner, emitter, list(carried), known)


class VectorReduction(VectorLoop):
    """The innermost reduction loops."""

    def __init__(
        self, nest: LoopNest, inner: int, emitter: Emitter, dims: list[int], combiners: list[Operation]
    ) -> None:
        self.dims, self.combiners = dims, combiners
        self.kinds = [KINDS[op.name] for op in combiners]
        super().__init__(nest, inner, emitter)
        self.longest = longest(nest, inner)

    def _read_ahead(self) -> int:
        return super()._read_ahead() if self.body.weight > LIGHT else processor().reduction_read_ahead

    def emit(self, bounds: tuple[Index, Index] | None) -> None:
        """Write the loops, and what adds their result to the value in memory."""
        for dim in self.dims:
            self.nest.fixed.setdefault(dim, 0)
        extent = self.nest.extents[self.inner]
        is_whole = len(self.nest.parallel) == len(self.dims) == 1
        if is_whole and self._shares_blocks():
            neutral = self._neutral_of([op.results[0].type for op in self.combiners])
            numbers = reduce_blocks(self.emitter, extent, neutral, self._of_range, self._added)
        else:
            numbers = self._scalars(self._loops(self.dims, self._neutral()))
        places = [access.indices(self.emitter, self._points(0)) for access in self.nest.outputs]
        before = [load(access.memref, at) for access, at in zip(self.nest.outputs, places, strict=True)]
        for value, access, at in zip(self._added(before, numbers), self.nest.outputs, places, strict=True):
            store(value, access.memref, at)

    def _shares_blocks(self) -> bool:
        """Whether the reduction is cut into blocks that threads share."""
        return may_have_blocks(self.longest)

    def _of_range(self, start: Index, stop: Index) -> list[Value]:
        """The numbers that a range of the innermost dimension comes to."""
        return self._scalars(self._inner_loops(self._neutral(), start, stop))

    def _neutral(self) -> list[Value]:
        """The accumulators at the beginning."""
        return (
            self._neutral_of([vector_of(op.results[0].type, self.lanes) for op in self.combiners])
            * self.unroll
        )

    def _neutral_of(self, types: Sequence[Type]) -> list[Value]:
        pairs = zip(self.kinds, self.combiners, types, strict=True)
        return [self.emitter.splat(kind.neutral(op.results[0].type), type) for kind, op, type in pairs]

    def _scalars(self, totals: list[Value]) -> list[Value]:
        """The accumulators, each combined into one number."""
        count, results = len(self.combiners), []
        for number, op in enumerate(self.combiners):
            total, *others = totals[number::count]
            for other in others:
                total = combine(op, total, other)
            attributes = {"kind": self.kinds[number].attribute()}
            if "fastmath" in op.attributes:
                attributes["fastmath"] = op.attributes["fastmath"]
            results.append(create("vector.reduction", [op.results[0].type], [total], attributes))
        return results

    # Loops

    def _loops(self, dims: list[int], totals: list[Value]) -> list[Value]:
        dim, *rest = dims
        if not rest:
            return self._inner_loops(totals, 0, self.nest.extents[self.inner])
        loop = ForLoop(self.emitter, 0, self.nest.extents[dim], 1, totals)
        with loop.body():
            self.nest.fixed[dim] = loop.position
            loop.end(self._loops(rest, loop.carried))
        return loop.results

    def _inner_loops(self, totals: list[Value], start: Index, stop: Index) -> list[Value]:
        constant, block = self._invariants(), self.lanes * self.unroll * BLOCK_STRIPS
        whole = self._whole(start, stop, block) if self._needs_blocks(block) else start
        if whole != start:
            loop = ForLoop(self.emitter, start, whole, block, totals, unroll=False)
            with loop.body():
                end = self.emitter.add(loop.position, block)
                sums = self._whole_strips(self._neutral(), loop.position, end, constant)
                loop.end(self._added(loop.carried, sums))
            totals = loop.results
        return self._strips(totals, whole, stop, constant)

    def _needs_blocks(self, block: int) -> bool:
        is_sum = any(op.name == "arith.addf" for op in self.combiners)
        return is_sum and (self.longest is None or self.longest >= block)

    def _added(self, totals: Sequence[Value], others: Sequence[Value]) -> list[Value]:
        ops = list(self.combiners) * (len(totals) // len(self.combiners))
        return [combine(op, *pair) for op, *pair in zip(ops, totals, others, strict=True)]

    def _strips(
        self, totals: list[Value], start: Index, stop: Index, constant: dict[Value, Value]
    ) -> list[Value]:
        whole = self._whole(start, stop, self.lanes * self.unroll)
        totals = self._whole_strips(totals, start, whole, constant)
        if whole == stop:
            return totals
        count = self._accumulators()
        first, vectors = totals[:count], self._whole(whole, stop, self.lanes)
        if self.unroll > 1 and vectors != whole:
            loop = ForLoop(self.emitter, whole, vectors, self.lanes, first, unroll=False)
            with loop.body():
                loop.end(self._step(loop.position, loop.carried, constant, None))
            first, whole = loop.results, vectors
        if whole != stop:
            loop = ForLoop(self.emitter, whole, stop, self.lanes, first, unroll=False)
            with loop.body():
                mask = lane_mask(self.emitter, self.emitter.subtract(stop, loop.position), self.lanes)
                loop.end(self._step(loop.position, loop.carried, constant, mask))
            first = loop.results
        return [*first, *totals[count:]]

    def _whole_strips(
        self, totals: list[Value], start: Index, stop: Index, constant: dict[Value, Value]
    ) -> list[Value]:
        if start == stop:
            return totals
        loop = ForLoop(self.emitter, start, stop, self.lanes * self.unroll, totals, unroll=False)
        with loop.body():
            loop.end(self._strip(loop.position, loop.carried, constant))
        return loop.results

    def _accumulators(self) -> int:
        """How many vectors a step works on."""
        return len(self.combiners)

    def _strip(self, position: Index, totals: list[Value], constant: dict[Value, Value]) -> list[Value]:
        count, results = self._accumulators(), []
        for number in range(self.unroll):
            here = self.emitter.add(position, number * self.lanes)
            self._prefetch(here, number * self.lanes)
            results += self._step(here, totals[number * count : (number + 1) * count], constant, None)
        return results

    def _step(
        self, position: Index, totals: list[Value], constant: dict[Value, Value], mask: Value | None
    ) -> list[Value]:
        known = self._inputs(position, constant, mask)
        known.update(zip(self._output_arguments(), totals, strict=True))
        results = self._evaluate(position, known)
        if mask is None:
            return results
        return [
            create("arith.select", [new.type], [mask, new, old])
            for new, old in zip(results, totals, strict=True)
        ]


class WidenedSum(VectorReduction):
    """A sum of f32 in f64: neighbouring vectors are added in f32, and their sums in f64."""

    def _split(self) -> SplitBody:
        return narrow_body(super()._split(), self.combiners[0])

    def _unroll_factor(self) -> int:
        extent, factor = self.nest.extents[self.inner], 4
        while factor > 1 and isinstance(extent, int) and extent < factor * self.lanes:
            factor //= 2
        return factor

    def _needs_blocks(self, block: int) -> bool:
        return False

    def _accumulators(self) -> int:
        return 2

    def _neutral(self) -> list[Value]:
        half = vector_of(self.combiners[0].results[0].type, self.lanes // 2)
        return self._neutral_of([half]) * 2

    def _strip(self, position: Index, totals: list[Value], constant: dict[Value, Value]) -> list[Value]:
        places = [self.emitter.add(position, number * self.lanes) for number in range(self.unroll)]
        for number, place in enumerate(places):
            self._prefetch(place, number * self.lanes)
        vectors = [self._evaluate(place, self._inputs(place, constant, None))[0] for place in places]
        return self._widen_and_add(totals, pairwise_sum(vectors))

    def _step(
        self, position: Index, totals: list[Value], constant: dict[Value, Value], mask: Value | None
    ) -> list[Value]:
        (vector,) = self._evaluate(position, self._inputs(position, constant, mask))
        if mask is not None:
            vector = create(
                "arith.select", [vector.type], [mask, vector, self.emitter.splat(0.0, vector.type)]
            )
        return self._widen_and_add(totals, vector)

    def _widen_and_add(self, totals: Sequence[Value], vector: Value) -> list[Value]:
        return [
            combine(self.combiners[0], total, create("arith.extf", [total.type], [half]))
            for total, half in zip(totals, halves(vector), strict=True)
        ]


def narrow_body(body: SplitBody, combiner: Operation) -> SplitBody:
    """The body that computes what a sum of f32 in f64 adds, before it is widened."""
    widening = widened_sum(combiner)
    assert widening is not None
    return body.without([widening, combiner], [widening.operands[0]])


def pairwise_sum(vectors: Sequence[Value]) -> Value:
    """The sum of vectors, by halves."""
    if len(vectors) == 1:
        return vectors[0]
    middle = len(vectors) // 2
    sums = [pairwise_sum(vectors[:middle]), pairwise_sum(vectors[middle:])]
    return create("arith.addf", [sums[0].type], sums)
