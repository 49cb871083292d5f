"""What threads of a warp, and of a block, make of their numbers together; always in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ....dialect.mlir import Operation, Type, Value, ir
from ....passes.rewriting import operations_in
from ...nests.emit import Emitter, Index, create, load, scalar, store
from ...nests.nest import LoopNest
from ...nests.reductions import KINDS, combine, combiners, widened_sum
from .control import compare, only_if
from .kernel import Kernel, clone_with

WARP = 32


class Reduction:
    """What a nest reduces to: how numbers of its outputs are combined, and what an element contributes."""

    def __init__(self, nest: LoopNest, found: Sequence[Operation]) -> None:
        self.nest, self.found = nest, list(found)
        self._widened = [widened_sum(op) for op in self.found]

    @staticmethod
    def of(nest: LoopNest) -> Reduction | None:
        """The reduction that a nest is, if numbers may be combined in any order."""
        if all(nest.parallel):
            return None
        found = [op for op in combiners(nest) if op is not None]
        if len(found) != len(nest.outputs):
            found = _complex_combiners(nest)
        return Reduction(nest, found) if len(found) == len(nest.outputs) else None

    @staticmethod
    def known(nest: LoopNest) -> Reduction:
        """That of a nest which is known to be one."""
        found = Reduction.of(nest)
        assert found is not None
        return found

    @property
    def types(self) -> list[Type]:
        """Of the numbers that are combined."""
        return [op.results[0].type for op in self.found]

    def neutral(self, emitter: Emitter) -> list[Value]:
        """The numbers that change nothing."""
        return [_neutral(op, type, emitter) for op, type in zip(self.found, self.types, strict=True)]

    def join(self, left: Sequence[Value], right: Sequence[Value]) -> list[Value]:
        """Two sets of numbers combined."""
        return [combine(op, a, b) for op, a, b in zip(self.found, left, right, strict=True)]

    def add_points(
        self,
        carried: Sequence[Value],
        points: Sequence[Sequence[Index]],
        operands: Sequence[Sequence[Value]],
        emitter: Emitter,
    ) -> list[Value]:
        """What was combined so far, and the elements at neighbouring points, of which `operands` are the inputs.

        Neighbours of a sum that is rounded in the end are added before they are made wider.
        """
        terms = [self._terms(point, values, emitter) for point, values in zip(points, operands, strict=True)]
        result = list(carried)
        for number, (op, widened) in enumerate(zip(self.found, self._widened, strict=True)):
            own = [term[number] for term in terms]
            if widened is not None:
                own = [create("arith.extf", [op.results[0].type], [_sum_of_neighbours(own)])]
            for value in own:
                result[number] = combine(op, result[number], value)
        return result

    def _terms(self, point: Sequence[Index], operands: Sequence[Value], emitter: Emitter) -> list[Value]:
        """What an element contributes to each number, before it is made wider where `_widened` says so."""
        nest = self.nest
        arguments = list(nest.body.arguments)
        values = dict(zip(arguments[: len(nest.inputs)], operands, strict=True))
        outputs = arguments[len(nest.inputs) :]

        def value(outer: Value) -> Value:
            return values.get(outer, outer)

        *ops, _ = operations_in(nest.body)
        for op in ops:
            if op in (*self.found, *(widened for widened in self._widened if widened is not None)):
                continue
            if op.name == "linalg.index":
                values[op.results[0]] = emitter.value(point[op.attributes["dim"].value])
            else:
                clone_with(op, values, value)
        terms = []
        for op, widened, output in zip(self.found, self._widened, outputs, strict=True):
            term = next(operand for operand in op.operands if operand != output)
            if widened is not None:
                term = widened.operands[0]
            terms.append(value(term))
        return terms


def _sum_of_neighbours(narrow: list[Value]) -> Value:
    """The sum of numbers in pairs, and of these in pairs."""
    while len(narrow) > 1:
        pairs = zip(narrow[::2], narrow[1::2], strict=False)
        rest = narrow[len(narrow) // 2 * 2 :]
        narrow = [create("arith.addf", [a.type], [a, b]) for a, b in pairs] + rest
    return narrow[0]


_COMPLEX = {"complex.add": 0.0, "complex.mul": 1.0}
"""Combiners of complex numbers, and the real part of the number that changes nothing."""


def _complex_combiners(nest: LoopNest) -> list[Operation]:
    """The operation that combines the only output with something that does not depend on it, if there is one."""
    *_, terminator = operations_in(nest.body)
    owner = terminator.operands[0].owner
    if len(nest.outputs) != 1 or isinstance(owner, ir.Block) or owner.operation.name not in _COMPLEX:
        return []
    uses = [use.owner.operation for use in list(nest.body.arguments)[-1].uses]
    return [owner.operation] if uses == [owner.operation] else []


def _neutral(combiner: Operation, type: Type, emitter: Emitter) -> Value:
    if combiner.name not in _COMPLEX:
        return emitter.splat(KINDS[combiner.name].neutral(type), type)
    parts = [emitter.splat(number, type.element_type) for number in (_COMPLEX[combiner.name], 0.0)]
    return create("complex.create", [type], parts)


def warp_reduce(reduction: Reduction, values: list[Value], width: int = WARP) -> list[Value]:
    """The numbers of groups of so many threads combined: every thread of a group has them."""
    distance = width // 2
    while distance:
        values = reduction.join(values, [shuffle(value, distance) for value in values])
        distance //= 2
    return values


class BlockReduction:
    """The numbers of all threads of a block, or of parts of so many threads of it, combined."""

    def __init__(self, kernel: Kernel, threads: int) -> None:
        self._kernel, self._threads = kernel, threads
        self._slots: dict[tuple[int, str], Value] = {}
        self._turn = 0

    def reduce(self, reduction: Reduction, values: list[Value]) -> list[Value]:
        """Combine the numbers of all threads; every thread has the result.

        Memory is used in turns, so that one barrier is enough; in loops, write them `repeated`.
        """
        warps = self._threads // WARP
        values = warp_reduce(reduction, values, min(self._threads, WARP))
        if warps <= 1:
            return values
        kernel, emitter = self._kernel, self._kernel.emitter
        thread = kernel.id("thread_id")
        lane = create("arith.remui", [thread.type], [thread, emitter.value(WARP)])
        warp = create("arith.divui", [thread.type], [thread, emitter.value(WARP)])
        memory = [self._slot(number, value.type) for number, value in enumerate(values)]
        self._turn += 1
        with only_if(compare("eq", lane, emitter.value(0))):
            for value, slot in zip(values, memory, strict=True):
                store(value, slot, [warp])
        create("gpu.barrier", [], [])
        place = create("arith.remui", [thread.type], [thread, emitter.value(warps)])
        return warp_reduce(reduction, [load(slot, [place]) for slot in memory], warps)

    @contextmanager
    def repeated(self) -> Iterator[None]:
        """Write what is run again and again: where the same memory comes last and first, all wait in between."""
        before = self._turn
        yield
        if (self._turn - before) % 2:
            self._kernel.barrier()

    def _slot(self, number: int, type: Type) -> Value:
        """Memory for a number of each warp: two of them in turn."""
        key = (2 * number + self._turn % 2, str(type))
        if key not in self._slots:
            self._slots[key] = self._kernel.shared([self._threads // WARP], type)
        return self._slots[key]


def shuffle(value: Value, distance: int, mode: str = "xor") -> Value:
    """The number of the thread whose lane differs by a power of two; or, `up`, of the one so many lanes before."""
    type = value.type
    if isinstance(type, ir.ComplexType):
        parts = [create(name, [type.element_type], [value]) for name in ("complex.re", "complex.im")]
        return create("complex.create", [type], [shuffle(part, distance, mode) for part in parts])
    width = 64 if isinstance(type, ir.IndexType) else int(type.width)
    word = ir.IntegerType.get_signless(width)
    i32, i1 = ir.IntegerType.get_signless(32), ir.IntegerType.get_signless(1)
    bits = value if type == word else create(_cast(type), [word], [value])
    wide = create("arith.extui", [i32], [bits]) if width < 32 else bits
    numbers = [scalar(i32, n) for n in (distance, WARP)]
    attributes = {"mode": ir.Attribute.parse(f"#gpu<shuffle_mode {mode}>")}
    bits = ir.Operation.create("gpu.shuffle", [wide.type, i1], [wide, *numbers], attributes).results[0]
    narrow = create("arith.trunci", [word], [bits]) if width < 32 else bits
    return narrow if type == word else create(_cast(type), [type], [narrow])


def _cast(type: Type) -> str:
    return "arith.index_cast" if isinstance(type, ir.IndexType) else "arith.bitcast"
