"""Scatters (see `nests/scatter.py`): a thread an iteration, and what iterations write at the same place in their order.

* Where some loops alone tell where is written, their iterations have a thread each, and it does the others in order.
* Integers are joined by atomic instructions, as their order does not matter. Where many are counted, blocks count in
  their shared memory first: of threads that ask the same place of the device, one comes after the other.
* Where nothing is read, the last write wins: the largest number of an iteration is kept for each place that is written,
  and that iteration alone writes.
* All else is sorted by the places, and a thread does all iterations that write at one, in their order.

The results are those of the processor in every bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ....dialect.mlir import Operation, Value, ir
from ....passes.rewriting import constant_integer
from ...nests.emit import Emitter, ForLoop, Index, create, load, store, while_loop
from ...nests.scatter import Scatter, is_check, match_scatter
from ...target import current_gpu
from ..code.atomics import JOINS, join, join_shared, update
from ..code.captures import is_known_to_host
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel, allocate, allocate_like
from ..code.walk import split
from .device_schedule import DeviceSchedule, Run
from .iterations import count, is_visible, note_if_failing, raise_first, record_of
from .sorts import Runs, Sorter

_THREADS = 128
_WORD = 32
"""Bits of counts in shared memory."""
_FEW = 32
"""So few iterations are one thread's."""
_MANY = 1 << 15
"""From so many iterations on blocks count for themselves; of fewer, to begin and to end with it takes longer."""
_BINS = 2048
"""The places of which they do."""
_MOST = 16
"""The largest number that is added in counts of 32 bits."""
_EACH = 16
"""Iterations that a thread then does at least."""
_BLOCKS = 8
"""For each multiprocessor."""
_WIDTHS = (8, 16, 32, 64)
"""Of integers in memory; those that there are no atomic instructions for are joined in the word around them."""


class Scatters(DeviceSchedule):
    """A thread for each update: integers by atomic instructions (of one and two bytes on the word around them), as
    `bincount`, `histogram` and loops with `c[i[k]] += 1` have them, of which long ones count the first 2,048 places
    in the shared memory of blocks; else the last wins, or all of a place in their order; a thread for each place
    where loops tell it.
    """

    reason = "a thread an iteration"

    def __init__(self, run: Run, found: Scatter) -> None:
        super().__init__(run)
        self.found = found

    @classmethod
    def match(cls, run: Run) -> Scatters | None:
        found = _scatter_of(run.ops[0]) if run.is_loop and run.ops[0].name == "scf.for" else None
        return cls(run, found) if found is not None and _has_many(found) else None

    def write(self, name: str) -> None:
        found = self.found
        if found.owners:
            scatter = _Scatter(self.function, name, found, found.owners)
            scatter.place_by_place(f"{self.title} of the loops that say where")
            return
        scatter = _Scatter(self.function, name, found, found.loops)
        joined = found.update
        if (
            joined is not None
            and found.store.operands[1].type.rank == 1
            and _is_count(*joined, scatter.total)
        ):
            scatter.count(joined[1], f"{self.title}; counted by blocks in shared memory")
        elif joined is not None and _is_atomic(joined[0]):
            scatter.join(*joined, f"{self.title}; joined by atomic instructions")
        elif found.before is None:
            scatter.overwrite(f"{self.title}; the last one wins")
        else:
            scatter.in_order(f"{self.title}; sorted by their places")


def _has_many(found: Scatter) -> bool:
    """Whether it has more than a few iterations, whose number the host knows."""
    if not all(is_known_to_host(bound) for each in found.loops for bound in each.operands):
        return False
    total = 1
    for each in found.loops:
        start, end, step = (constant_integer(operand) for operand in list(each.operands)[:3])
        assert step is not None
        total *= _FEW + 1 if start is None or end is None else max(0, -((start - end) // step))
    return total > _FEW


def _scatter_of(loop: Operation) -> Scatter | None:
    """A loop as a scatter; one that may raise has integers to join, in memory that nobody looks at once it has."""
    found = match_scatter(loop, may_raise=True)
    if found is None or record_of(loop) is None:
        return found
    joined, count = found.update, len(found.loops)
    is_joined = joined is not None and _is_atomic(joined[0]) and not found.owners
    loops_are_outside = all(level.name == "scf.for" for level in found.levels[:count])
    checks_are_inside = not any(map(is_check, (op for work in found.work[: count - 1] for op in work)))
    return found if is_joined and loops_are_outside and checks_are_inside and not is_visible(loop) else None


def _is_atomic(operation: Operation) -> bool:
    type = operation.results[0].type
    return operation.name in JOINS and isinstance(type, ir.IntegerType) and type.width in _WIDTHS


def _is_count(operation: Operation, number: Value, total: Index) -> bool:
    """Whether many small numbers are added that are known."""
    if operation.name != "arith.addi" or operation.results[0].type.width < _WORD:
        return False
    known = constant_integer(number)
    return known is not None and 0 < known <= _MOST and (not isinstance(total, int) or total >= _MANY)


class _Scatter:
    """Writes the kernels of a scatter."""

    def __init__(self, function: Operation, name: str, found: Scatter, loops: list[Operation]) -> None:
        """Of `loops`, each iteration has a thread."""
        self.function, self.name, self.found, self.loops = function, name, found, loops
        self.outer = Emitter(function)
        counts = [count(each, list(each.operands)[:2], self.outer) for each in loops]
        self.total = self.outer.product(counts)

    def place_by_place(self, reason: str) -> None:
        """Let each thread do all that is written at its place, in the order of the loops."""
        with _threads(self, self.name, reason) as threads:
            threads.at_place(lambda *_: threads.kernel.clone(self.found.store))

    def join(self, operation: Operation, number: Value, reason: str) -> None:
        """Let atomic instructions join numbers to what there is."""
        record = record_of(self.loops[0])
        with _threads(self, self.name, reason) as threads:
            threads.note(record)
            threads.at_place(
                lambda target, places: join(
                    operation.name, threads.kernel.value(number), target, places, threads.kernel.emitter
                )
            )
        if record is not None:
            raise_first(self.function, f"{self.name}_first", self.loops, record)

    def count(self, number: Value, reason: str) -> None:
        """Let each block add up what comes at the first places in its shared memory, and then add that."""
        record = record_of(self.loops[0])
        threads = _Threads(self, self.name, [])
        kernel, emitter = threads.kernel, threads.kernel.emitter
        with kernel.body():
            i32 = ir.IntegerType.get_signless(_WORD)
            own, one = kernel.shared([_BINS], i32), emitter.splat(constant_integer(number) or 0, i32)
            target = kernel.value(self.found.store.operands[1])
            bins = _places_of(target, emitter)
            own_bins = range(0, min(_BINS, bins) if isinstance(bins, int) else _BINS, _THREADS)
            places = [emitter.value(emitter.add(kernel.id("thread_id"), first)) for first in own_bins]
            for place in places:
                store(emitter.splat(0, i32), own, [place])
            kernel.barrier()
            threads.note(record)

            def add(memory: Value, where: list[Value]) -> None:
                (place,) = where
                with only_if(compare("ult", place, emitter.value(_BINS))) as branch:
                    join_shared(one, own, place)
                with otherwise(branch):
                    join("arith.addi", kernel.value(number), memory, where, emitter)

            step = emitter.multiply(kernel.id("grid_dim"), _THREADS)
            loop = ForLoop(emitter, threads.number, threads.total, step, [])
            with loop.body():
                threads.number = loop.position
                threads.go_to(loop.position)
                threads.at_place(add)
                loop.end([])
            kernel.barrier()
            for place in places:
                count = load(own, [place])
                is_there = compare("ult", place, emitter.value(bins))
                some = compare("ne", count, emitter.splat(0, i32))
                with only_if(create("arith.andi", [some.type], [some, is_there])):
                    element = target.type.element_type
                    wide = count if element == i32 else create("arith.extui", [element], [count])
                    join("arith.addi", wide, target, [place], emitter)
        outer, gpu = self.outer, current_gpu()
        share = _THREADS * _EACH
        blocks = outer.divide_up(self.total, share)
        kernel.launch([outer.maximum(1, outer.minimum(blocks, gpu.multiprocessors * _BLOCKS))], reason)
        if record is not None:
            raise_first(self.function, f"{self.name}_first", self.loops, record)

    def overwrite(self, reason: str) -> None:
        """Let the last iteration that writes at a place be the one that does."""
        winners = allocate_like(self.found.store.operands[1], ir.IntegerType.get_signless(64))
        with _threads(self, f"{self.name}_clear", reason, [winners]) as threads:
            threads.at_place(_Mark(threads, winners, "xchg", _word(threads.kernel.emitter.value(-1))))
        with _threads(self, f"{self.name}_choose", reason, [winners]) as threads:
            threads.at_place(_Mark(threads, winners, "max", _word(threads.number)))
        with _threads(self, self.name, reason, [winners]) as threads:
            threads.at_place(lambda _, places: self._write_if_last(threads, winners, places))

    def _write_if_last(self, threads: _Threads, winners: Value, places: Sequence[Value]) -> None:
        kernel = threads.kernel
        last = load(kernel.value(winners), places)
        with only_if(compare("eq", last, _word(threads.number))):
            kernel.clone(self.found.store)

    def in_order(self, reason: str) -> None:
        """Sort iterations by where they write, and let a thread do all of a place."""
        i64 = ir.IntegerType.get_signless(64)
        keys, ordered, spare, numbers, others = (allocate([self.total], i64) for _ in range(5))
        with _threads(self, f"{self.name}_places", reason, [keys]) as threads:
            kernel, emitter = threads.kernel, threads.kernel.emitter
            own = kernel.value(keys)
            nowhere = _word(emitter.value((1 << 63) - 1))
            store(nowhere, own, [threads.number])
            threads.at_place(
                lambda memory, places: store(
                    _word(emitter.value(_number_of_place(memory, places, emitter))), own, [threads.number]
                )
            )
        sorter = Sorter(self.function, f"{self.name}_order", 1, self.total, reason)
        sorter.sort(keys, Runs(ordered, numbers), Runs(spare, others))
        with _threads(self, self.name, reason, [ordered, numbers]) as threads:
            self._do_place(threads, threads.kernel.value(ordered), threads.kernel.value(numbers))

    def _do_place(self, threads: _Threads, ordered: Value, numbers: Value) -> None:
        """Let the thread of the first iteration of a place do all of them."""
        kernel, emitter, first = threads.kernel, threads.kernel.emitter, threads.number
        own = load(ordered, [first])
        one = emitter.value(1)
        before = load(ordered, [emitter.value(emitter.maximum(0, emitter.subtract(first, one)))])
        is_begin = create(
            "arith.ori",
            [ir.IntegerType.get_signless(1)],
            [compare("eq", first, emitter.value(0)), compare("ne", before, own)],
        )
        is_somewhere = compare("ne", own, _word(emitter.value((1 << 63) - 1)))
        with only_if(create("arith.andi", [is_begin.type], [is_begin, is_somewhere])):
            total = emitter.value(threads.total)
            last = emitter.value(emitter.subtract(total, 1))

            def is_at_place(at: Value) -> list[Value]:
                same = compare("eq", load(ordered, [emitter.value(emitter.minimum(at, last))]), own)
                return [create("arith.andi", [same.type], [same, compare("ult", at, total)]), at]

            def do(at: Value) -> list[Value]:
                threads.go_to(create("arith.index_cast", [emitter.index_type], [load(numbers, [at])]))
                threads.at_place(lambda *_: kernel.clone(self.found.store))
                return [emitter.value(emitter.add(at, 1))]

            while_loop([first], is_at_place, do)


class _Threads:
    """A kernel with a thread for each iteration; see `_threads`."""

    def __init__(self, scatter: _Scatter, name: str, memory: Sequence[Value]) -> None:
        self._found, self._loops = scatter.found, scatter.loops
        self._errors: Value | None = None
        total = [] if isinstance(scatter.total, int) else [scatter.total]
        self.kernel = Kernel(
            scatter.function,
            name,
            [self._found.levels[0]],
            (_THREADS, 1, 1),
            [*memory, *total],
            writes=memory,
        )
        self.total = scatter.total if isinstance(scatter.total, int) else self.kernel.value(scatter.total)
        with self.kernel.body():
            self.number = self.kernel.number()

    def go_to(self, number: Value) -> None:
        """Say which iteration is meant."""
        kernel, emitter = self.kernel, self.kernel.emitter
        loops = self._loops
        bounds = [[kernel.value(bound) for bound in list(each.operands)[:2]] for each in loops]
        counts = [count(each, pair, emitter) for each, pair in zip(loops, bounds, strict=True)]
        for each, (first, _), turn in zip(loops, bounds, split(number, counts, emitter), strict=True):
            step = constant_integer(each.operands[2])
            assert step is not None
            position = emitter.add(first, emitter.multiply(turn, step))
            kernel.bind(each.regions[0].blocks[0].arguments[0], emitter.value(position))

    def note(self, record: Value | None) -> None:
        """Leave the number of the first iteration that fails in the device's record; what it would say nobody reads."""
        if record is not None:
            self._errors = self.kernel.value(record)
            segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])}
            self.kernel.bind(record, create("memref.alloca", [record.type], [], segments))

    def at_place(self, do: Callable[[Value, list[Value]], object]) -> None:
        """Do something where the iteration writes, if it does; the memory and the place are given."""
        self._go_through(0, do)

    def _go_through(self, level: int, do: Callable[[Value, list[Value]], object]) -> None:
        found, kernel = self._found, self.kernel
        if level == len(found.levels):
            _, target, *places = found.store.operands
            do(kernel.value(target), [kernel.value(place) for place in places])
            return
        op = found.levels[level]
        if op.name == "scf.if":
            with only_if(kernel.value(op.operands[0])):
                self._compute(level, do)
        elif op in self._loops:
            self._compute(level, do)
        else:
            self._repeat(op, level, do)

    def _repeat(self, op: Operation, level: int, do: Callable[[Value, list[Value]], object]) -> None:
        """Write a loop whose iterations a thread does one after the other."""
        start, end = (self.kernel.value(bound) for bound in list(op.operands)[:2])
        step = constant_integer(op.operands[2])
        assert step is not None
        loop = ForLoop(self.kernel.emitter, start, end, step, [])
        with loop.body():
            self.kernel.bind(op.regions[0].blocks[0].arguments[0], loop.position)
            self._compute(level, do)
            loop.end([])

    def _compute(self, level: int, do: Callable[[Value, list[Value]], object]) -> None:
        for op in self._found.work[level]:
            written = self.kernel.clone(op)
            if self._errors is not None:
                note_if_failing([written], self.number, self._errors, self.kernel.emitter)
        self._go_through(level + 1, do)


@contextmanager
def _threads(scatter: _Scatter, name: str, reason: str, memory: Sequence[Value] = ()) -> Iterator[_Threads]:
    """Write a kernel with a thread for each iteration, which uses some memory of the kernel function; and launch it."""
    threads = _Threads(scatter, name, memory)
    emitter = threads.kernel.emitter
    with (
        threads.kernel.body(),
        only_if(compare("ult", threads.number, emitter.value(threads.total))),
    ):
        threads.go_to(threads.number)
        yield threads
    outer = scatter.outer
    blocks = outer.divide_up(scatter.total, _THREADS)
    threads.kernel.launch([outer.maximum(1, blocks)], reason)


class _Mark:
    """Updates the number of the winner of a place."""

    def __init__(self, threads: _Threads, winners: Value, kind: str, number: Value) -> None:
        self._kind, self._number, self._emitter = kind, number, threads.kernel.emitter
        self._winners = threads.kernel.value(winners)

    def __call__(self, _: Value, places: list[Value]) -> None:
        update(self._kind, self._number, self._winners, places, self._emitter)


def _places_of(memory: Value, emitter: Emitter) -> Index:
    """How many elements a row has."""
    (extent,) = memory.type.shape
    if extent != ir.ShapedType.get_dynamic_size():
        return int(extent)
    return create("memref.dim", [emitter.index_type], [memory, emitter.value(0)])


def _number_of_place(memory: Value, places: Sequence[Value], emitter: Emitter) -> Index:
    """The number of an element among all of a memref."""
    number: Index = 0
    for axis, place in enumerate(places):
        extent = memory.type.shape[axis]
        if extent == ir.ShapedType.get_dynamic_size():
            extent = create("memref.dim", [emitter.index_type], [memory, emitter.value(axis)])
        number = emitter.add(emitter.multiply(number, extent), place)
    return number


def _word(number: Value) -> Value:
    return create("arith.index_cast", [ir.IntegerType.get_signless(64)], [number])
