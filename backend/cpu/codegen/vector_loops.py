"""Vector code for the innermost loop of a nest: whole vectors, then what remains under a mask."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Operation, Type, Value
from .blocked_reductions import may_have_blocks, reduce_blocks
from .emit import Emitter, ForLoop, Index, create, load, store
from .independence import any_order
from .loop_nest import Access, LoopNest
from .reductions import KINDS, combiners
from .vector_body import body_weight, is_vectorisable, vector_of, vectorise_body, widest_element
from .vector_code import broadcast, lane_mask, vector_load, vector_store
from .vector_width import vector_bytes


def match_vector_loop(
    nest: LoopNest, order: Sequence[int], carried: Sequence[int], emitter: Emitter
) -> VectorLoop | None:
    """The vector form of the innermost loop, or of all `carried` reductions, where there is a good one."""
    if not order or nest.extents[order[-1]] in (0, 1) or not is_vectorisable(nest.body):
        return None
    inner = order[-1]
    if not all(_streams(access, inner) for access in nest.inputs):
        return None
    outputs = [access.memref for access in nest.outputs]
    if any(not a.is_scalar and not a.mentions(inner) and a.memref in outputs for a in nest.inputs):
        return None
    if carried:
        found = combiners(nest)
        if any(op is None for op in found):
            return None
        return VectorReduction(nest, inner, emitter, list(carried), [op for op in found if op is not None])
    if not all(access.is_contiguous_in(inner) for access in nest.outputs):
        return None
    return VectorLoop(nest, inner, emitter)


def _streams(access: Access, inner: int) -> bool:
    return access.is_scalar or not access.mentions(inner) or access.is_contiguous_in(inner)


class VectorLoop:
    """An innermost parallel loop."""

    def __init__(self, nest: LoopNest, inner: int, emitter: Emitter) -> None:
        self.nest, self.inner, self.emitter = nest, inner, emitter
        self.lanes = vector_bytes() // widest_element(nest.body)
        extent = nest.extents[inner]
        if isinstance(extent, int):
            self.lanes = min(self.lanes, 1 << (extent - 1).bit_length())
        self.unroll = self._unroll_factor()

    def _unroll_factor(self) -> int:
        weight, extent = body_weight(self.nest.body), self.nest.extents[self.inner]
        factor = 4 if weight <= 8 else 2 if weight <= 16 else 1
        while factor > 1 and isinstance(extent, int) and extent < factor * self.lanes:
            factor //= 2
        return factor

    def emit(self, bounds: tuple[Index, Index] | None) -> None:
        """Write the loop at the insertion point; all other dimensions have a position."""
        start, stop = bounds or (0, self.nest.extents[self.inner])
        constant = self._invariants()
        whole = self._whole(start, stop, self.lanes * self.unroll)
        if whole != start:
            step, parallel = self.lanes * self.unroll, any_order([self.nest], [self.inner])
            with self.emitter.loop(whole, step, start, unroll=False, parallel=parallel) as position:
                for number in range(self.unroll):
                    self._write(self.emitter.add(position, number * self.lanes), constant, None)
        if whole != stop:
            with self.emitter.loop(stop, self.lanes, whole, unroll=False) as position:
                self._write(position, constant, self._mask(position, stop))

    def _whole(self, start: Index, stop: Index, step: int) -> Index:
        """Where the last whole step ends."""
        steps = self.emitter.divide(self.emitter.subtract(stop, start), step)
        return self.emitter.add(start, self.emitter.multiply(steps, step))

    def _mask(self, position: Index, stop: Index) -> Value | None:
        valid = self.emitter.subtract(stop, position)
        if isinstance(valid, int) and valid >= self.lanes:
            return None
        return lane_mask(self.emitter, valid, self.lanes)

    def _invariants(self) -> dict[Value, Value]:
        """The vectors for inputs that are the same along the loop."""
        points = self._points(0)
        known: dict[Value, Value] = {}
        for argument, access in zip(self.nest.body.arguments, self.nest.inputs, strict=False):
            if access.is_scalar:
                known[argument] = broadcast(access.memref, vector_of(argument.type, self.lanes))
            elif not access.mentions(self.inner) and _is_used(argument):
                scalar = load(access.memref, access.indices(self.emitter, points))
                known[argument] = broadcast(scalar, vector_of(argument.type, self.lanes))
        return known

    def _points(self, position: Index) -> list[Index]:
        fixed = {**self.nest.fixed, self.inner: position}
        return [fixed.get(dim, 0) for dim in range(len(self.nest.parallel))]

    def _inputs(self, position: Index, known: dict[Value, Value], mask: Value | None) -> dict[Value, Value]:
        """The vectors for all inputs at a position."""
        points, known = self._points(position), dict(known)
        for argument, access in zip(self.nest.body.arguments, self.nest.inputs, strict=False):
            if argument not in known and _is_used(argument):
                known[argument] = self._load(access, points, mask)
        return known

    def _load(self, access: Access, points: Sequence[Index], mask: Value | None) -> Value:
        type = vector_of(access.memref.type.element_type, self.lanes)
        return vector_load(self.emitter, access.memref, access.indices(self.emitter, points), type, mask)

    def _evaluate(self, position: Index, known: dict[Value, Value]) -> list[Value]:
        def index(dim: int) -> Value:
            type = vector_of(self.emitter.index_type, self.lanes)
            first = broadcast(self.emitter.value(self._points(position)[dim]), type)
            return create("arith.addi", [type], [first, self._steps(type)]) if dim == self.inner else first

        return vectorise_body(self.nest.body, known, self.lanes, index)

    def _steps(self, type: Type) -> Value:
        return create("vector.step", [type], [])

    def _write(self, position: Index, constant: dict[Value, Value], mask: Value | None) -> None:
        known, points = self._inputs(position, constant, mask), self._points(position)
        outputs = list(zip(self._output_arguments(), self.nest.outputs, strict=True))
        for argument, access in outputs:
            if _is_used(argument):
                known[argument] = self._load(access, points, mask)
        results = self._evaluate(position, known)
        for value, (_, access) in zip(results, outputs, strict=True):
            vector_store(value, access.memref, access.indices(self.emitter, points), mask)

    def _output_arguments(self) -> list[Value]:
        return list(self.nest.body.arguments)[len(self.nest.inputs) :]


class VectorReduction(VectorLoop):
    """The innermost reduction loops: every lane adds up its share, and the lanes are combined at the end."""

    def __init__(
        self, nest: LoopNest, inner: int, emitter: Emitter, dims: list[int], combiners: list[Operation]
    ) -> None:
        super().__init__(nest, inner, emitter)
        self.dims, self.combiners = dims, combiners
        self.kinds = [KINDS[op.name] for op in combiners]

    def emit(self, bounds: tuple[Index, Index] | None) -> None:
        """Write the loops, and what adds their result to the value in memory."""
        is_alone = not self.nest.fixed and len(self.dims) == 1
        for dim in self.dims:
            self.nest.fixed.setdefault(dim, 0)
        extent = self.nest.extents[self.inner]
        if is_alone and may_have_blocks(extent):
            neutral = [self._neutral(number, op.results[0].type) for number, op in enumerate(self.combiners)]
            results = reduce_blocks(self.emitter, extent, neutral, self._of_range, self._join)
        else:
            results = self._of_range(0, extent)
        places = [access.indices(self.emitter, self._points(0)) for access in self.nest.outputs]
        before = [load(access.memref, at) for access, at in zip(self.nest.outputs, places, strict=True)]
        for value, access, at in zip(self._join(before, results), self.nest.outputs, places, strict=True):
            store(value, access.memref, at)

    def _of_range(self, start: Index, stop: Index) -> list[Value]:
        """The numbers that a range of the innermost dimension comes to."""
        neutral = [
            self._neutral(number, vector_of(op.results[0].type, self.lanes))
            for number, op in enumerate(self.combiners)
        ]
        totals = self._loops(self.dims, neutral * self.unroll, start, stop)
        results = []
        for number, op in enumerate(self.combiners):
            total, *others = totals[number :: len(neutral)]
            for other in others:
                total = self._combine(op, total, other)
            attributes = {"kind": self.kinds[number].attribute()}
            if "fastmath" in op.attributes:
                attributes["fastmath"] = op.attributes["fastmath"]
            results.append(create("vector.reduction", [op.results[0].type], [total], attributes))
        return results

    def _neutral(self, number: int, type: Type) -> Value:
        """What changes nothing, of the type of a result or a vector of those."""
        element = self.combiners[number].results[0].type
        return self.emitter.splat(self.kinds[number].neutral(element), type)

    def _join(self, left: list[Value], right: list[Value]) -> list[Value]:
        return [self._combine(op, a, b) for op, a, b in zip(self.combiners, left, right, strict=True)]

    def _combine(self, op: Operation, left: Value, right: Value) -> Value:
        attributes = {name: op.attributes[name] for name in op.attributes}
        return create(op.name, [left.type], [left, right], attributes)

    def _loops(self, dims: list[int], totals: list[Value], start: Index, stop: Index) -> list[Value]:
        dim, *rest = dims
        if not rest:
            return self._inner_loops(totals, start, stop)
        loop = ForLoop(self.emitter, 0, self.nest.extents[dim], 1, totals)
        with loop.body():
            self.nest.fixed[dim] = loop.position
            loop.end(self._loops(rest, loop.carried, start, stop))
        return loop.results

    def _inner_loops(self, totals: list[Value], start: Index, stop: Index) -> list[Value]:
        step = self.lanes * self.unroll
        constant, whole = self._invariants(), self._whole(start, stop, step)
        if whole != start:
            loop = ForLoop(self.emitter, start, whole, step, totals, unroll=False)
            with loop.body():
                loop.end(self._strip(loop.position, loop.carried, constant))
            totals = loop.results
        if whole == stop:
            return totals
        count = len(self.combiners)
        loop = ForLoop(self.emitter, whole, stop, self.lanes, totals[:count], unroll=False)
        with loop.body():
            mask = lane_mask(self.emitter, self.emitter.subtract(stop, loop.position), self.lanes)
            loop.end(self._step(loop.position, loop.carried, constant, mask))
        return [*loop.results, *totals[count:]]

    def _strip(self, position: Index, totals: list[Value], constant: dict[Value, Value]) -> list[Value]:
        count, results = len(self.combiners), []
        for number in range(self.unroll):
            here = self.emitter.add(position, number * self.lanes)
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


def _is_used(value: Value) -> bool:
    return any(True for _ in value.uses)
