"""Recurrences of numbers: what stretches of iterations make of them is found first (see `nests/recurrences.py`).

A block goes over its slice of the iterations tile by tile. A thread makes one map of a few neighbours of a tile; what
the maps of the threads before it are together, applied to the numbers before the tile, is what its first iteration
finds, and from there it does its iterations as they are written. Where loops are long, a first kernel leaves what each
slice but the last makes of numbers. So the result depends on the extents alone, and integers, extremes and bits are
those of the loop. Products may have overflowed where the loop has not: a thread that finds no finite map does the
iterations before its own instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from ....dialect.mlir import Operation, Value, ir
from ....passes.rewriting import constant_integer, operations_in
from ...nests.bounded_integers import is_near
from ...nests.emit import Emitter, ForLoop, Index, create, load, scalar, store
from ...nests.independence import roots
from ...nests.recurrences import Handed, Recurrence, match_recurrence
from ...target import current_gpu
from ..code.captures import inner_operations, is_known_to_host, writes_of
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel, allocate
from ..code.scan import BlockScan, Numbers, Prefix
from .device_schedule import DeviceSchedule, Run, stores_number
from .iterations import count

_THREADS = 256
"""Of a block, and as many slices at most: a block looks at the maps of all before it at once."""
_EACH = 4
"""Neighbours that a thread takes of a tile."""
_TILE = _THREADS * _EACH
_TILES = 4
"""Of a slice at least."""
_LEAST = 128
"""Iterations that are worth it; fewer are one thread's, in their order."""


class Recurrences(DeviceSchedule):
    """Loops of which an iteration needs numbers of the last one, and makes of them what is known for many at once.

    That iterations are gone through twice is not weighed.
    """

    reason = "each iteration needs numbers of the one before"

    def __init__(self, run: Run, found: Recurrence, branch: Operation | None) -> None:
        super().__init__(run)
        self.found, self.branch = found, branch

    @classmethod
    def match(cls, run: Run) -> Recurrences | None:
        branch, loop = _branch_around(run.ops[0]) if run.ops else (None, None)
        found = match_recurrence(loop) if loop is not None else None
        if found is None or not all(map(is_known_to_host, list(found.loop.operands)[:3])):
            return None
        bounds = list(map(constant_integer, list(found.loop.operands)[:2]))
        is_short = None not in bounds and (bounds[1] or 0) - (bounds[0] or 0) < _LEAST
        return cls(run, found, branch) if not is_short and _only_store(run.ops) else None

    def write(self, name: str) -> None:
        gpu = current_gpu()
        loop, emitter, share = self.found.loop, Emitter(self.function), _TILE * _TILES
        total = count(loop, list(loop.operands)[:2], emitter)
        blocks = emitter.divide_up(total, share)
        slices = emitter.maximum(1, emitter.minimum(blocks, min(gpu.multiprocessors, _THREADS)))
        maps: list[Value] = []
        kept = self._kept(name, total)
        if slices != 1:
            maps = [allocate([_THREADS], type) for type, _ in self.found.types()]
            first = Kernel(
                self.function, f"{name}_maps", self.ops[:1], (_THREADS, 1, 1), [*maps, *kept], writes=maps
            )
            with first.body(), self._in_branch(first):
                _Slice(first, self.found, kept).leave_map(maps)
            first.launch([slices], f"{self.title}; what slices make of numbers")
        last = Kernel(self.function, name, self.ops, (_THREADS, 1, 1), [*maps, *kept])
        with last.body(), self._in_branch(last):
            _Slice(last, self.found, kept).write(maps, self.branch, self.ops[1:])
        last.launch(
            [slices], f"{self.title}; " + ("slices, behind those before them" if maps else "one block")
        )
        if self.branch is not None:
            self._write_other_way(name, self.branch)

    def _kept(self, name: str, total: Index) -> list[Value]:
        """Memory with the numbers that iterations load and write over, by iterations."""
        kept = [allocate([total], load.results[0].type) for load in self.found.overwritten]
        if kept:
            kernel = Kernel(self.function, f"{name}_kept", self.ops[:1], (_THREADS, 1, 1), kept, writes=kept)
            with kernel.body(), self._in_branch(kernel):
                _Slice(kernel, self.found, ()).keep(kept)
            emitter = Emitter(self.function)
            blocks = emitter.divide_up(total, _THREADS)
            kernel.launch([emitter.maximum(1, blocks)], f"{self.title}; what it writes over is kept")
        return kept

    def _in_branch(self, kernel: Kernel) -> AbstractContextManager[object]:
        """Where a kernel does something: nowhere, if the host takes another way."""
        return nullcontext() if self.branch is None else only_if(kernel.value(self.branch.operands[0]))

    def _write_other_way(self, name: str, branch: Operation) -> None:
        """Let one thread do what is to be done otherwise, as it is written: find the iteration that fails, mostly."""
        kernel = Kernel(self.function, f"{name}_otherwise", self.ops, (1, 1, 1))
        with kernel.body():
            condition = kernel.value(branch.operands[0])
            no = kernel.emitter.splat(0, condition.type)
            *ops, end = operations_in(branch.regions[1].blocks[0])
            with only_if(compare("eq", condition, no)):
                for op in ops:
                    kernel.clone(op)
                for result, value in zip(branch.results, end.operands, strict=True):
                    kernel.bind(result, kernel.value(value))
                for op in self.ops[1:]:
                    kernel.clone(op)
        kernel.launch([1], "one thread: the loop, where indices may be out of bounds")


def _branch_around(op: Operation) -> tuple[Operation | None, Operation | None]:
    """A loop, and the branch of which it is one way, if there is one: where no index was found to be wrong."""
    if op.name != "scf.if" or not is_known_to_host(op.operands[0]) or not list(op.regions[1].blocks):
        return None, op
    loop, *others = operations_in(op.regions[0].blocks[0])
    inside = inner_operations([op])
    if len(others) != 1 or any(inner.name == "memref.alloc" for inner in inside):
        return None, None
    is_loops = all(value in list(loop.results) for value in others[0].operands)
    return (op, loop) if is_loops else (None, None)


def _only_store(ops: Sequence[Operation]) -> bool:
    """Whether all that is behind a loop stores its numbers, where nothing in the loop looks."""
    loop, *others = ops
    if not all(map(stores_number, others)):
        return False
    stored = {root for op in others for memref in writes_of(op) for root in roots(memref)}
    touched = [op.operands[0] for op in inner_operations([loop]) if op.name == "memref.load"]
    touched += [memref for op in inner_operations([loop]) for memref in writes_of(op)]
    return not any(stored & roots(memref) for memref in touched)


class _Slice:
    """Writes what a block does with its slice."""

    def __init__(self, kernel: Kernel, found: Recurrence, kept: Sequence[Value]) -> None:
        self.kernel, self.found, self.emitter = kernel, found, kernel.emitter
        self.kept = dict(zip(found.overwritten, kept, strict=False))
        emitter, loop = self.emitter, found.loop
        self.thread, self.number = kernel.id("thread_id"), kernel.id("block_id")
        self.start = kernel.value(loop.operands[0])
        self.total = emitter.value(
            count(loop, [kernel.value(each) for each in list(loop.operands)[:2]], emitter)
        )
        blocks = kernel.id("grid_dim")
        each = create("arith.ceildivui", [self.total.type], [self.total, blocks])
        self.each = emitter.multiply(emitter.divide_up(each, _TILE), _TILE)
        self.first = emitter.value(emitter.minimum(emitter.multiply(self.number, self.each), self.total))
        self.end = emitter.value(emitter.minimum(emitter.add(self.first, self.each), self.total))
        self.scan = BlockScan(kernel, _THREADS, found.joined)

    def keep(self, kept: Sequence[Value]) -> None:
        """Store what the iteration of each thread loads, before it is written over."""
        emitter = self.emitter
        place = emitter.value(emitter.add(emitter.multiply(self.number, _THREADS), self.thread))
        with only_if(compare("ult", place, self.total)):
            self._go_to(place)
            loaded = [load.results[0] for load in self.found.overwritten]
            for op in self.found.making(loaded):
                self.kernel.clone(op)
            for value, memory in zip(loaded, kept, strict=True):
                store(self.kernel.value(value), self.kernel.value(memory), [place])

    def leave_map(self, maps: Sequence[Value]) -> None:
        """Store what the slice makes of numbers, if another one is behind it, so that it is whole tiles."""
        emitter = self.emitter
        with only_if(compare("ult", self.end, self.total)):
            whole = self._map(self.first)  # of the types, where there is nothing before
            loop = ForLoop(emitter, self.first, self.end, _TILE, whole)
            with loop.body():
                has = compare("ugt", loop.position, self.first)
                own = self._maps(self._places(loop.position))
                loop.end(self.scan.before_threads(own, Prefix(loop.carried, has))[1])
            with only_if(compare("eq", self.thread, emitter.value(0))):
                for number, memory in zip(loop.results, maps, strict=True):
                    store(number, self.kernel.value(memory), [self.number])

    def write(self, maps: Sequence[Value], branch: Operation | None, rest: Sequence[Operation]) -> None:
        """Do the iterations of the slice; behind the last one what is left to do."""
        kernel, emitter = self.kernel, self.emitter
        handed, zero = self.found.handed, emitter.value(0)
        self.slots = [kernel.shared([1], each.after.type) for each in handed]
        is_some = compare("ult", self.first, self.end)
        with only_if(_joined("or", is_some, compare("eq", self.number, zero))):
            numbers: Numbers = [self._first_number(each) for each in handed]
            if maps:
                numbers = self._behind_slices([kernel.value(memory) for memory in maps], numbers)
            loop = ForLoop(emitter, self.first, self.end, _TILE, numbers)
            with loop.body():
                loop.end(self._tile(loop.position, loop.carried))
            is_first_thread = compare("eq", self.thread, zero)
            with only_if(_joined("and", compare("eq", self.end, self.total), is_first_thread)):
                for each, number in zip(handed, loop.results, strict=True):
                    if each.result is not None:
                        kernel.bind(each.result, number)
                if branch is not None:
                    end = operations_in(branch.regions[0].blocks[0])[-1]
                    for result, value in zip(branch.results, end.operands, strict=True):
                        kernel.bind(result, kernel.value(value))
                for op in rest:
                    kernel.clone(op)

    def _tile(self, tile: Value, numbers: Numbers) -> Numbers:
        """Do the iterations of a tile; what the last one leaves."""
        emitter = self.emitter
        places = self._places(tile)
        is_there = [compare("ult", place, self.end) for place in places]
        own = self._start(self._before_threads(self._maps(places)), numbers, tile, places[0], is_there[0])
        for place, is_one in zip(places, is_there, strict=True):
            with only_if(is_one, [number.type for number in own]) as branch:
                branch.give(self._iterate(place, own))
            with otherwise(branch):
                branch.give(own)
            own = branch.results
        end = emitter.value(emitter.minimum(emitter.add(tile, _TILE), self.end))
        last = create(
            "arith.divui",
            [end.type],
            [emitter.subtract(emitter.subtract(end, 1), tile), emitter.value(_EACH)],
        )
        return self._exchanged(own, compare("eq", self.thread, last))

    def _first_number(self, handed: Handed) -> Value:
        """What the first iteration of all finds."""
        kernel, type = self.kernel, handed.before.type
        if handed.first is not None:
            return kernel.value(handed.first)
        with only_if(compare("ugt", self.total, self.emitter.value(0)), [type]) as branch:
            self._go_to(self.emitter.value(0))
            for op in self.found.making([handed.before]):
                kernel.clone(op)
            branch.give([kernel.value(handed.before)])
        with otherwise(branch):
            branch.give([self.emitter.splat(0, type)])
        return branch.results[0]

    def _behind_slices(self, maps: Sequence[Value], numbers: Numbers) -> Numbers:
        """What the first iteration of the slice finds: each thread looks at the map of one slice before it."""
        emitter = self.emitter
        last = emitter.subtract(emitter.maximum(1, self.number), 1)
        place = emitter.value(emitter.minimum(self.thread, last))
        prefix = self._before_threads([load(memory, [place]) for memory in maps])
        is_it = compare("eq", self.thread, self.number)
        return self._exchanged(self._start(prefix, numbers, emitter.value(0), self.first, is_it), is_it)

    def _before_threads(self, numbers: Numbers) -> Prefix:
        """What is before a thread, of what the threads have."""
        prefix, _ = self.scan.before_threads(
            numbers, Prefix(numbers, compare("ne", self.thread, self.thread))
        )
        return prefix

    def _start(
        self, prefix: Prefix, numbers: Numbers, first: Value, place: Value, is_asked: Value
    ) -> Numbers:
        """What the iteration of a place finds, of which `numbers` are what the first one does."""
        emitter, types = self.emitter, [number.type for number in numbers]
        with only_if(prefix.is_there, types) as branch:
            branch.give(self.found.applied(prefix.numbers, numbers))
        with otherwise(branch):
            branch.give(numbers)
        is_finite = self._is_finite(prefix.numbers, numbers)
        if is_finite is None:
            return branch.results
        has_overflowed = create("arith.xori", [is_finite.type], [is_finite, emitter.splat(1, is_finite.type)])
        has_overflowed = _joined("and", has_overflowed, prefix.is_there)
        with only_if(_joined("and", has_overflowed, is_asked), types) as again:
            loop = ForLoop(emitter, first, place, 1, numbers, unroll=False)
            with loop.body():
                loop.end(self._iterate(loop.position, loop.carried, self.found.numbers))
            again.give(loop.results)
        with otherwise(again):
            again.give(branch.results)
        return again.results

    def _is_finite(self, parts: Numbers, numbers: Numbers) -> Value | None:
        """Whether a map tells what the loop makes of numbers; None where it always does.

        What may overflow in products and sums is finite then, or as an integer near zero; bounds are where numbers may
        be, and so are numbers that are kept within bounds.
        """
        limited = [(part, limit) for part, (_, limit) in zip(parts, self.found.types(), strict=True) if limit]
        have_to_be = zip(numbers, self.found.have_to_be_finite(), strict=True)
        limited += [(number, "finite") for number, has_to_be in have_to_be if has_to_be]
        found: Value | None = None
        for number, limit in limited:
            if isinstance(number.type, ir.IntegerType):
                one = is_near(number, number.type, create)
            elif limit == "finite":  # then nothing is left of it by itself
                one = _compares("oeq", create("arith.subf", [number.type], [number, number]), 0.0)
            else:
                one = _compares(
                    *{"lower": ("olt", number, math.inf), "upper": ("ogt", number, -math.inf)}[limit]
                )
            found = one if found is None else create("arith.andi", [one.type], [found, one])
        return found

    def _exchanged(self, numbers: Numbers, is_it: Value) -> Numbers:
        """What one thread has, for all."""
        zero = [self.emitter.value(0)]
        with only_if(is_it):
            for number, slot in zip(numbers, self.slots, strict=True):
                store(number, slot, zero)
        self.kernel.barrier()
        found = [load(slot, zero) for slot in self.slots]
        self.kernel.barrier()  # before they are written again
        return found

    def _places(self, tile: Value) -> list[Value]:
        """The iterations of a thread in a tile."""
        first = self.emitter.add(tile, self.emitter.multiply(self.thread, _EACH))
        return [self.emitter.value(self.emitter.add(first, number)) for number in range(_EACH)]

    def _maps(self, places: Sequence[Value]) -> Numbers:
        """What iterations make of numbers together; those behind the end count as the last one."""
        last = self.emitter.value(self.emitter.subtract(self.end, 1))
        inside = [self.emitter.value(self.emitter.minimum(place, last)) for place in places]
        joined = self._map(inside[0])
        for place in inside[1:]:
            joined = self.found.joined(joined, self._map(place))
        return joined

    def _map(self, place: Value) -> Numbers:
        self._go_to(place)
        for op in self.found.element:
            self._clone(op, place)
        return self.found.parts(self.kernel.value)

    def _iterate(self, place: Value, numbers: Numbers, ops: Sequence[Operation] | None = None) -> Numbers:
        """Do an iteration as it is written, or some of it; what it leaves."""
        self._go_to(place)
        loaded = self.found.loaded()
        for each, number in zip(self.found.handed, numbers, strict=True):
            self.kernel.bind(each.before, number)
        for op in operations_in(self.found.loop.regions[0].blocks[0])[:-1] if ops is None else ops:
            if not any(value in loaded for value in op.results):
                self._clone(op, place)
        return [self.kernel.value(each.after) for each in self.found.handed]

    def _clone(self, op: Operation, place: Value) -> None:
        """Do an operation of an iteration; what others may have written over is kept elsewhere."""
        if op in self.kept:
            self.kernel.bind(op.results[0], load(self.kernel.value(self.kept[op]), [place]))
        else:
            self.kernel.clone(op)

    def _go_to(self, place: Value) -> None:
        """Say which iteration is meant."""
        step = constant_integer(self.found.loop.operands[2])
        assert step is not None
        at = self.emitter.add(self.start, self.emitter.multiply(place, step))
        self.kernel.bind(self.found.position, self.emitter.value(at))


def _compares(how: str, number: Value, with_what: float) -> Value:
    """How a float compares with a known one."""
    return compare(how, number, scalar(number.type, with_what))


def _joined(how: str, left: Value, right: Value) -> Value:
    """Both of two truth values, or one."""
    return create(f"arith.{how}i", [left.type], [left, right])
