"""Vector code for the innermost loop of a nest: whole vectors, then what remains under a mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .....dialect.mlir import Operation, Type, Value, ir
from ....nests.emit import Emitter, Index, create, load, only_if, otherwise, prefetch
from ....nests.independence import any_order
from ....nests.nest import Access, LoopNest
from ....processors.description import LINE_BYTES
from ....target import processor
from ..vectors.code import broadcast, lane_mask, vector_load, vector_store, vector_stream
from ..vectors.temporaries import element_bytes, known_bytes
from ..vectors.width import vector_bytes
from .prefetch import comes_from_memory, first_readers
from .shifted_reads import bytes_along
from .streaming import begin_alike, elements_before_line, is_large, may_stream
from .vector_body import Divisor, SplitBody, is_vectorisable, prepared_divisor, vector_of, vectorise


def match_vector_loop(nest: LoopNest, inner: int, emitter: Emitter) -> VectorLoop | None:
    """The vector form of an innermost parallel loop, where there is a good one."""
    if not streams(nest, inner) or not all(access.is_contiguous_in(inner) for access in nest.outputs):
        return None
    return VectorLoop(nest, inner, emitter)


def streams(nest: LoopNest, inner: int) -> bool:
    """Whether the body has a vector form, and inputs are contiguous or the same along a loop."""
    if nest.extents[inner] in (0, 1) or not is_vectorisable(nest.body):
        return False
    return contiguous_or_same(nest, inner)


def contiguous_or_same(nest: LoopNest, inner: int) -> bool:
    """Whether inputs are contiguous along a loop, or the same and not written."""
    if not all(a.is_scalar or not a.mentions(inner) or a.is_contiguous_in(inner) for a in nest.inputs):
        return False
    outputs = [access.memref for access in nest.outputs]
    return not any(not a.is_scalar and not a.mentions(inner) and a.memref in outputs for a in nest.inputs)


class VectorLoop:
    """An innermost parallel loop.

    What is the same along the loop is computed before it, on scalars; how many lanes there are depends on the rest.
    """

    def __init__(self, nest: LoopNest, inner: int, emitter: Emitter) -> None:
        self.nest, self.inner, self.emitter = nest, inner, emitter
        self.body = self._split()
        self.lanes = max(1, bytes_along(nest, inner) // self.body.widest)
        extent = nest.extents[inner]
        if isinstance(extent, int):
            self.lanes = min(self.lanes, 1 << (extent - 1).bit_length())
        self.unroll = self._unroll_factor()
        self.read_ahead = self._read_ahead()
        self.from_memory = first_readers(
            [
                access
                for _, access in self._arguments()
                if self.read_ahead and self._varies(access) and comes_from_memory(access, nest.operation)
            ]
        )
        """What no cache may hold yet, and has to be asked for."""
        self.divisors: dict[Value, Divisor] = {}
        """What the loop divides by, with reciprocals."""

    def _split(self) -> SplitBody:
        """The body that is written for vectors."""
        varying = [argument for argument, access in self._arguments() if self._varies(access)]
        return SplitBody.of(self.nest.body, [*varying, *self._output_arguments()], self.inner)

    def _varies(self, access: Access) -> bool:
        return not access.is_scalar and access.mentions(self.inner)

    def _arguments(self) -> list[tuple[Value, Access]]:
        """The inputs that the body uses."""
        pairs = zip(self.nest.body.arguments, self.nest.inputs, strict=False)
        return [(argument, access) for argument, access in pairs if is_used(argument)]

    def _output_arguments(self) -> list[Value]:
        return list(self.nest.body.arguments)[len(self.nest.inputs) :]

    def _unroll_factor(self) -> int:
        weight, extent = self.body.weight, self.nest.extents[self.inner]
        factor = 4 if weight <= 8 else 2 if weight <= 16 else 1
        while factor > 1 and isinstance(extent, int) and extent < factor * self.lanes:
            factor //= 2
        return factor

    def _read_ahead(self) -> int:
        """How many bytes the loop reads ahead."""
        return processor().read_ahead

    def emit(self, bounds: tuple[Index, Index] | None) -> None:
        """Write the loop at the insertion point; all other dimensions have a position."""
        start, stop = bounds or (0, self.nest.extents[self.inner])
        constant = self._invariants()
        if bounds is not None or not may_stream(self.nest, self.inner, self.lanes, self.body.weight):
            self._emit_range(start, stop, constant)
            return
        condition = self._streams_pay()
        if condition is None:
            self._stream(stop, constant)
            return
        with only_if(condition) as branch:
            self._stream(stop, constant)
        with otherwise(branch):
            self._emit_range(start, stop, constant)

    def _streams_pay(self) -> Value | None:
        """Whether to store past the caches, where that is known at run time only."""
        several = len(self.nest.outputs) > 1
        alike = (
            begin_alike([self._lead(access) for access in self.nest.outputs], self.emitter)
            if several
            else None
        )
        if known_bytes(self.nest.outputs[0].memref.type) is not None:
            return alike
        large = is_large(self.nest, self.inner, self.lanes, self.emitter)
        return large if alike is None else create("arith.andi", [large.type], [large, alike])

    def _lead(self, access: Access) -> Index:
        """How many elements lie before the first whole vector of a row."""
        return elements_before_line(
            access, access.indices(self.emitter, self._points(0)), self.lanes, self.emitter
        )

    def _emit_range(self, start: Index, stop: Index, constant: dict[Value, Value]) -> None:
        whole = self._whole(start, stop, self.lanes * self.unroll)
        if whole != start:
            step, parallel = self.lanes * self.unroll, any_order([self.nest], [self.inner])
            with self.emitter.loop(whole, step, start, unroll=False, parallel=parallel) as position:
                for number in range(self.unroll):
                    here = self.emitter.add(position, number * self.lanes)
                    self._prefetch(here, number * self.lanes)
                    self._write(here, constant, None)
        vectors = self._whole(whole, stop, self.lanes) if self._writes_rest_whole(start, stop) else whole
        if vectors != whole:
            with self.emitter.loop(vectors, self.lanes, whole, unroll=False) as position:
                self._write(position, constant, None)
        if vectors != stop:
            with self.emitter.loop(stop, self.lanes, vectors, unroll=False) as position:
                self._write(position, constant, self._mask(position, stop))

    def _writes_rest_whole(self, start: Index, stop: Index) -> bool:
        """Whether the vectors behind the last strip have a loop of their own, without masks.

        Stores under masks take 10 cycles and more without AVX-512. Where nobody knows the length, that loop is code
        which may not run at all.
        """
        known = isinstance(start, int) and isinstance(stop, int)
        return self.unroll > 1 and (known or vector_bytes() < 64)

    def _stream(self, stop: Index, constant: dict[Value, Value]) -> None:
        """Write the loop with stores past the caches, from the first aligned vector to the last."""
        emitter, lead = self.emitter, self._lead(self.nest.outputs[0])
        emitter.stores_past_caches = True
        self._write(0, constant, lane_mask(emitter, lead, self.lanes))
        # The lead is shorter than a vector: so many strips fit, whatever it is.
        step, parallel = self.lanes * self.unroll, any_order([self.nest], [self.inner])
        strips = self._whole(0, emitter.subtract(stop, self.lanes - 1), step)
        with emitter.loop(strips, step, unroll=False, parallel=parallel) as position:
            first = emitter.add(position, lead)
            for number in range(self.unroll):
                here = emitter.add(first, number * self.lanes)
                self._prefetch(here, number * self.lanes)
                self._write(here, constant, None, past_caches=True)
        rest = emitter.add(strips, lead)
        if self.unroll > 1:
            vectors = self._whole(rest, stop, self.lanes)
            with emitter.loop(vectors, self.lanes, rest, unroll=False) as position:
                self._write(position, constant, None, past_caches=True)
            rest = vectors
        with emitter.loop(stop, self.lanes, rest, unroll=False) as position:
            self._write(position, constant, self._mask(position, stop))

    def _prefetch(self, position: Index, offset: int) -> None:
        """Ask for the lines that begin in the vector at a position, an offset from where a strip begins."""
        for ahead in self.nest.prefetches:
            if _begins_line(offset, ahead.access):
                ahead.emit(self.emitter, position)
        for place, distance in self.nest.ahead.items():
            access = self.nest.accesses[place]
            if _begins_line(offset, access):
                points = self._points(self.emitter.add(position, distance))
                prefetch(access.memref, access.indices(self.emitter, points), 2)
        for access in self.from_memory:
            if _begins_line(offset, access):
                distance = self.read_ahead // element_bytes(access.memref.type.element_type)
                points = self._points(self.emitter.add(position, distance))
                prefetch(access.memref, access.indices(self.emitter, points), 3)

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
        """The vectors of what is the same along the loop and used in it.

        Notes divisors, too.
        """
        points = self._points(0)
        scalars: dict[Value, Value] = {}
        for argument, access in self._arguments():
            if access.is_scalar:
                scalars[argument] = access.memref
            elif not self._varies(access):
                scalars[argument] = load(access.memref, access.indices(self.emitter, points))
        for op in self.body.invariant:
            scalars[op.results[0]] = self._scalar_operation(op, scalars, points)
        self.divisors = {
            value: prepared_divisor(op, scalars.get(value, value), self.lanes)
            for value, op in self.body.divisors.items()
        }
        wanted = self.body.vectors
        return {
            value: broadcast(scalar, vector_of(scalar.type, self.lanes))
            for value, scalar in scalars.items()
            if value in wanted
        }

    def _scalar_operation(self, op: Operation, scalars: dict[Value, Value], points: list[Index]) -> Value:
        if op.name == "linalg.index":
            return self.emitter.value(points[op.attributes["dim"].value])
        operands = [scalars.get(operand, operand) for operand in op.operands]
        attributes = {name: op.attributes[name] for name in op.attributes}
        return create(op.name, [op.results[0].type], operands, attributes)

    def _points(self, position: Index) -> list[Index]:
        fixed = {**self.nest.fixed, self.inner: position}
        return [fixed.get(dim, 0) for dim in range(len(self.nest.parallel))]

    def _inputs(self, position: Index, known: dict[Value, Value], mask: Value | None) -> dict[Value, Value]:
        """The vectors for all inputs at a position."""
        points, known = self._points(position), dict(known)
        for argument, access in self._arguments():
            if self._varies(access):
                known[argument] = self._load(access, points, mask)
        return known

    def _load(self, access: Access, points: Sequence[Index], mask: Value | None) -> Value:
        type = vector_of(access.memref.type.element_type, self.lanes)
        return vector_load(self.emitter, access.memref, access.indices(self.emitter, points), type, mask)

    def _evaluate(self, position: Index, known: dict[Value, Value]) -> list[Value]:
        def index(dim: int, element: Type) -> Value:
            first = self.emitter.value(self._points(position)[dim])
            if not isinstance(element, ir.IndexType):
                first = create("arith.index_cast", [element], [first])
            type = vector_of(element, self.lanes)
            return create("arith.addi", [type], [broadcast(first, type), self._steps(type)])

        body, divisors = self.body, self.divisors
        return vectorise(body.varying, body.outputs, known, self.lanes, index, divisors, self._read)

    def _read(self, op: Operation, vectors: Mapping[Value, Value]) -> Value:
        """What a load at a vector of places gives."""
        raise NotImplementedError(f"{type(self).__name__} has no loads in its body")

    def _steps(self, type: Type) -> Value:
        """The numbers of the lanes."""
        if isinstance(type.element_type, ir.IndexType):
            return create("vector.step", [type], [])
        numbers = ", ".join(str(lane) for lane in range(self.lanes))
        return self.emitter.constant(ir.Attribute.parse(f"dense<[{numbers}]> : {type}"), type)

    def _write(
        self, position: Index, constant: dict[Value, Value], mask: Value | None, past_caches: bool = False
    ) -> None:
        known, points = self._inputs(position, constant, mask), self._points(position)
        outputs = list(zip(self._output_arguments(), self.nest.outputs, strict=True))
        for argument, access in outputs:
            if is_used(argument):
                known[argument] = self._load(access, points, mask)
        results = self._evaluate(position, known)
        for value, (_, access) in zip(results, outputs, strict=True):
            place = access.indices(self.emitter, points)
            if past_caches:
                vector_stream(value, access.memref, place)
            else:
                vector_store(value, access.memref, place, mask)


def _begins_line(offset: int, access: Access) -> bool:
    return offset * element_bytes(access.memref.type.element_type) % LINE_BYTES == 0


def is_used(value: Value) -> bool:
    """Whether a value has a use."""
    return any(True for _ in value.uses)


def halves(vector: Value) -> list[Value]:
    """The first and the second half of a vector."""
    lanes = vector.type.shape[0] // 2
    type = ir.VectorType.get([lanes], vector.type.element_type)
    return [
        create(
            "vector.extract_strided_slice",
            [type],
            [vector],
            {"offsets": _integers(offset), "sizes": _integers(lanes), "strides": _integers(1)},
        )
        for offset in (0, lanes)
    ]


def _integers(number: int) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)])
