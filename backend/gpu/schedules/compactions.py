"""Compactions (see `nests/compaction.py`): blocks count what their slices keep, then write it behind that of others.

A block goes over its slice tile by tile; how many are kept before each one of a tile is a running sum. The last block
knows how many there are in all, and does what is done with that number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....dialect.mlir import Operation, Value, ir
from ....passes.rewriting import constant_integer
from ...nests.compaction import Compaction, match_compaction
from ...nests.emit import Emitter, ForLoop, Index, create, load, store
from ...target import current_gpu
from ..code.captures import is_known_to_host
from ..code.control import compare, only_if
from ..code.kernel import Kernel, allocate
from ..code.scan import BlockScan, Prefix, of_one
from .device_schedule import DeviceSchedule, Run, stores_number

_THREADS = 256
_EACH = 4
"""Neighbours that a thread looks at in a tile."""
_TILE = _THREADS * _EACH
_TILES = 4
"""Of a slice at least."""


class Compactions(DeviceSchedule):
    """Masks and `nonzero`: blocks count what they keep, then write it behind each other."""

    reason = "what is kept lies behind what was kept before"

    def __init__(self, run: Run, found: Compaction) -> None:
        super().__init__(run)
        self.found = found

    @classmethod
    def match(cls, run: Run) -> Compactions | None:
        found = match_compaction(run.ops[0]) if run.ops else None
        if found is None or not is_known_to_host(found.loop.operands[1]):
            return None
        return cls(run, found) if all(map(stores_number, run.ops[1:])) else None

    def write(self, name: str) -> None:
        known = constant_integer(self.found.loop.operands[1])
        length: Index = self.found.loop.operands[1] if known is None else known
        gpu = current_gpu()
        emitter, share = Emitter(self.function), _TILE * _TILES
        blocks = emitter.divide_up(length, share)
        slices = emitter.maximum(1, emitter.minimum(blocks, gpu.multiprocessors))
        if slices == 1:
            kernel = Kernel(self.function, name, self.ops, (_THREADS, 1, 1))
            with kernel.body():
                _Slice(kernel, self.found).write(None, self.ops[1:])
            kernel.launch([1], f"{self.title}; one block")
            return
        shares = allocate([gpu.multiprocessors], ir.IntegerType.get_signless(64))
        first = Kernel(
            self.function, f"{name}_counts", [self.found.loop], (_THREADS, 1, 1), [shares], writes=[shares]
        )
        with first.body():
            _Slice(first, self.found).count(shares)
        first.launch([slices], f"{self.title}; how many slices keep")
        last = Kernel(self.function, name, self.ops, (_THREADS, 1, 1), [shares])
        with last.body():
            _Slice(last, self.found).write(shares, self.ops[1:])
        last.launch([slices], f"{self.title}; slices, behind those before them")


class _Slice:
    """Writes what a block does with its slice."""

    def __init__(self, kernel: Kernel, found: Compaction) -> None:
        self.kernel, self.found, self.emitter = kernel, found, kernel.emitter
        self.word = ir.IntegerType.get_signless(64)
        emitter = self.emitter
        self.thread, self.number = kernel.id("thread_id"), kernel.id("block_id")
        self.blocks = kernel.id("grid_dim")
        length = kernel.value(found.loop.operands[1])
        each = create("arith.ceildivui", [length.type], [length, self.blocks])
        each = emitter.value(emitter.multiply(emitter.divide_up(each, _TILE), _TILE))
        self.start = emitter.value(emitter.minimum(emitter.multiply(self.number, each), length))
        self.end = emitter.value(emitter.minimum(emitter.add(self.start, each), length))

    def count(self, shares: Value) -> None:
        """Store how many the slice keeps."""
        emitter = self.emitter
        scan, zero = BlockScan(self.kernel, _THREADS, of_one(_add)), self._constant(0)

        def body(first: Value, carried: Value) -> Value:
            places = self._places(first)
            own = [self._kept(place) for place in places]
            total = own[0]
            for value in own[1:]:
                total = _add(total, value)
            return _add(carried, total)

        own = self._tiles(zero, body)
        nothing = Prefix([zero], compare("ne", zero, zero))
        _, (total,) = scan.scan([[own]], nothing)
        with only_if(compare("eq", self.thread, emitter.value(0))):
            store(total, self.kernel.value(shares), [self.number])

    def write(self, shares: Value | None, rest: Sequence[Operation]) -> None:
        """Write what is kept, and let the last block do the rest, which asks how many there are."""
        kernel, emitter = self.kernel, self.emitter
        before = self._constant(0)
        if shares is not None:
            memory = kernel.value(shares)
            loop = ForLoop(emitter, 0, self.number, 1, [before])
            with loop.body():
                loop.end([_add(loop.carried[0], load(memory, [loop.position]))])
            before = loop.results[0]
        scan = BlockScan(kernel, _THREADS, of_one(_add))
        always = compare("eq", self.blocks, self.blocks)

        def body(first: Value, carried: Value) -> Value:
            places = self._places(first)
            own = [self._kept(place) for place in places]
            kept, (total,) = scan.scan([[one] for one in own], Prefix([carried], always))
            for place, one, (behind,) in zip(places, own, kept, strict=True):
                with only_if(compare("ne", one, self._constant(0))):
                    self._write_one(place, create("arith.subi", [self.word], [behind, one]))
            return total

        total = self._tiles(before, body)
        is_last = compare("eq", self.number, emitter.value(emitter.subtract(self.blocks, 1)))
        is_first_thread = compare("eq", self.thread, emitter.value(0))
        with only_if(create("arith.andi", [is_last.type], [is_last, is_first_thread])):
            kernel.bind(self.found.count, self._index(total))
            for op in rest:
                kernel.clone(op)

    def _tiles(self, carried: Value, body: Callable[[Value, Value], Value]) -> Value:
        """Go over the tiles of the slice with a number that is carried on."""
        loop = ForLoop(self.emitter, self.start, self.end, _TILE, [carried])
        with loop.body():
            loop.end([body(loop.position, loop.carried[0])])
        return loop.results[0]

    def _places(self, first: Value) -> list[Value]:
        """The elements of a thread in a tile."""
        emitter = self.emitter
        place = emitter.add(first, emitter.multiply(self.thread, _EACH))
        return [emitter.value(emitter.add(place, number)) for number in range(_EACH)]

    def _kept(self, place: Value) -> Value:
        """1 if there is an element at a place, and it is kept; else 0."""
        is_there = compare("ult", place, self.end)
        with only_if(is_there, [self.word]) as branch:
            self._go_to(place)
            branch.give([create("arith.extui", [self.word], [self.kernel.value(self.found.keeps)])])
        with branch.way(1):
            branch.give([self._constant(0)])
        return branch.results[0]

    def _go_to(self, place: Value) -> None:
        self.kernel.bind(self.found.position, place)
        for op in self.found.work:
            self.kernel.clone(op)

    def _write_one(self, place: Value, behind: Value) -> None:
        self._go_to(place)
        for op in self.found.writes:
            value, target = (self.kernel.value(operand) for operand in list(op.operands)[:2])
            store(value, target, [self._index(behind)])

    def _constant(self, number: int) -> Value:
        return self.emitter.splat(number, self.word)

    def _index(self, number: Value) -> Value:
        return create("arith.index_cast", [self.emitter.index_type], [number])


def _add(left: Value, right: Value) -> Value:
    return create("arith.addi", [left.type], [left, right])
