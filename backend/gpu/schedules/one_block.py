"""One block that runs loops of which each iteration needs the last: its threads share what is in them.

All threads walk the same way through loops and branches, as their bounds and conditions are the same for all. What is
independent in there (nests, loops whose iterations need nothing of each other) they share; what is not, and writes, the
first thread does. Where one needs what another wrote, they wait for each other (see `code/exchanges.py`). If none has
to, as each takes a column of a recurrence of rows from its beginning to its end, more blocks have a share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from itertools import takewhile

from ....dialect.mlir import Operation, Type, Value, ir
from ....dialect.records import replace
from ....passes.rewriting import constant_integer, is_defined_inside, operations_in, operations_of
from ...nests.emit import ForLoop, Index, create, load, store
from ...nests.independence import roots
from ...nests.iterations import are_independent, perfect_nest
from ...nests.nest import LoopNest, loop_nest
from ...target import current_gpu
from ..code.allocations import allocations_can_move, move_allocations
from ..code.captures import is_pure, outer_operands
from ..code.control import Branch, compare, only_if
from ..code.exchanges import ALL, ONE, Access, Order, Places, Spread, accesses_in, column_of
from ..code.kernel import Kernel
from ..code.points import read, write_all, write_point
from ..code.reduce import WARP, BlockReduction, Reduction
from ..code.walk import split, stepped
from ..placement.block_effort import points_of, steps_of_block
from ..placement.kernel_effort import most_blocks
from ..placement.place_kernels import guard_of
from .device_schedule import Run, seconds
from .iterations import count, iteration
from .one_thread import OneThread, check_host

MOST_THREADS = 256
_STRUCTURE = ("scf.for", "scf.while", "scf.if")
_ENDS = ("scf.yield", "scf.condition")
_MEMORY = ("memref.load", "memref.store", "memref.alloc", "memref.dealloc")


class OneBlock(OneThread):
    """Loops of which each iteration needs the last: the threads of one block share what is independent in an iteration,
    and wait for each other where one needs what another wrote.

    It takes no longer than one thread does: how long threads wait for each other is not weighed.
    """

    reason = "an iteration needs the last one, and threads share what is in it"

    @classmethod
    def match(cls, run: Run) -> OneBlock | None:
        ops = run.ops
        is_shared = run.is_serial and all(map(_is_known, ops)) and any(map(has_shared, ops))
        return cls(run) if is_shared and allocations_can_move(ops) else None

    @property
    def title(self) -> str:
        return f"one block: {self.reason}"

    @cached_property
    def steps_of_thread(self) -> float:
        """How many operations a thread does at most, one after the other."""
        steps = steps_of_block(self.ops, is_shared, threads_for(self.ops))
        return math.inf if steps is None else steps

    def require(self) -> None:
        check_host(self.function, self.steps_of_thread, self.work())

    def seconds(self) -> float:
        return min(super().seconds(), seconds(self.steps_of_thread, 1))

    def write(self, name: str) -> None:
        move_allocations(self.ops)
        _Block(self.function, name, self.ops).write(self.title)


def has_shared(op: Operation) -> bool:
    """Whether threads share an operation, or one in it."""
    return is_shared(op) or (
        op.name in _STRUCTURE
        and any(has_shared(inner) for region in op.regions for b in region for inner in operations_in(b))
    )


def is_shared(op: Operation) -> bool:
    """Whether the points of an operation, or its iterations, are independent."""
    if op.name == "linalg.generic":
        return len(op.attributes["iterator_types"]) > 0
    return (
        op.name == "scf.for"
        and constant_integer(op.operands[2]) is not None
        and are_independent(op)
        and not any(inner.name in ("memref.alloc", "memref.alloca") for inner in operations_of(op))
    )


def threads_for(ops: Iterable[Operation]) -> int:
    """How many threads have something to do: a power of two."""
    most = most_points(ops)
    return min(MOST_THREADS, max(WARP, 1 << ((MOST_THREADS if most is None else most) - 1).bit_length()))


def most_points(ops: Iterable[Operation]) -> int | None:
    """How many points of one operation are shared at most; None where that is not known."""
    inside = (inner for outer in ops for inner in (outer, *operations_of(outer)))
    found = [points_of(op) for op in inside if is_shared(op)]
    known = [points for points in found if points is not None]
    return max(known, default=1) if len(known) == len(found) else None


def _is_known(op: Operation) -> bool:
    """Whether an operation, and all in it, can be written."""
    if op.name == "linalg.generic" or is_pure(op):
        return True
    if op.name in _STRUCTURE:
        return all(_is_known(inner) for region in op.regions for b in region for inner in operations_in(b))
    return op.name in _MEMORY or op.name in _ENDS or op.name == "func.call"  # which ends the call


def _is_walked(op: Operation) -> bool:
    """Whether all threads go through a loop or branch: they share what is in it, end there, or need what it makes."""
    if op.name not in _STRUCTURE:
        return False
    ends = any(inner.name == "func.call" for inner in operations_of(op))
    return has_shared(op) or ends or not all(map(_can_be_held, op.results))


def _can_be_held(value: Value) -> bool:
    return isinstance(value.type, (ir.IntegerType, ir.IndexType, ir.FloatType))


def _held(type: Type) -> Type:
    """What a number is in memory."""
    return ir.IntegerType.get_signless(8) if str(type) == "i1" else type


class _Block:
    """Writes the kernel."""

    def __init__(self, function: Operation, name: str, ops: Sequence[Operation]) -> None:
        self._ops = ops
        self._threads = threads_for(ops)
        self._places = Places()
        guard = guard_of(function)
        self._kernel = Kernel(function, name, ops, (self._threads, 1, 1), exchanges=True)
        self._emitter = self._kernel.emitter
        self._order = Order(self._kernel.barrier)
        self._block_reduction, self._turn = BlockReduction(self._kernel, self._threads), 0
        self._spreads = list[Operation]()
        """The loops of which threads take turns."""
        if guard is not None:  # which all have looked at in the beginning
            self._order.touch([Access(roots(guard), ALL, writes=False)])

    def write(self, reason: str) -> None:
        """Write everything, and the launch."""
        kernel = self._kernel
        with kernel.body():
            self._thread = kernel.id("thread_id")
            for op in self._ops:
                for value in outer_operands(op):
                    kernel.value(value)  # before what is written in its regions
                self._walk(op)
        blocks = self._share_with_blocks()
        others = f"; nobody waits for others: {blocks} blocks of" if blocks > 1 else ";"
        kernel.launch([blocks], f"{reason}{others} {self._threads} threads")

    def _share_with_blocks(self) -> int:
        """Where no thread waits for others, let more blocks share what one would do; how many."""
        points, gpu = most_points(self._ops), current_gpu()
        inside = operations_of(self._kernel.operation)
        if points is None or any(op.name in ("gpu.barrier", "func.call") for op in inside):
            return 1
        blocks = min(-(-points // self._threads), most_blocks(gpu))
        if blocks > 1:
            with ir.InsertionPoint.after(self._thread.owner.operation), self._thread.owner.operation.location:
                before = self._emitter.multiply(self._kernel.id("block_id"), self._threads)
                number = create("arith.addi", [self._thread.type], [before, self._thread])
            self._thread.replace_all_uses_except(number, number.owner.operation)
            for loop in self._spreads:
                loop.operands[2] = self._emitter.value(blocks * self._threads)
        return blocks

    # What all threads do

    def _walk(self, op: Operation) -> None:
        """Write an operation: what is shared, what one thread does, what all do."""
        if op.name == "memref.alloc":
            return
        if op.name == "linalg.generic" and is_shared(op):
            self._nest(op)
        elif is_shared(op):
            self._shared_loop(op)
        elif _is_walked(op):
            {"scf.for": self._for, "scf.while": self._while, "scf.if": self._if}[op.name](op)
        elif any(writes for *_, writes in accesses_in([op])):
            self._by_one(op)
        else:
            self._order.touch(self._accesses([op], ALL))
            self._kernel.clone(op)

    def _block(self, block: ir.Block) -> list[Value]:
        """Write what is in a block; what it ends with."""
        *ops, end = operations_in(block)
        for op in ops:
            self._walk(op)
        return [self._kernel.value(value) for value in end.operands]

    def _for(self, op: Operation) -> None:
        start, stop, step, *carried = (self._kernel.value(value) for value in op.operands)
        loop, body = ForLoop(self._emitter, start, stop, step, carried), op.regions[0].blocks[0]
        with self._order.loop(op) as end, loop.body():
            self._bind(list(body.arguments), [loop.position, *loop.carried])
            values = self._block(body)
            end()
            loop.end(values)
        self._bind(list(op.results), loop.results)

    def _while(self, op: Operation) -> None:
        before, after = (region.blocks[0] for region in op.regions)
        carried = [self._kernel.value(value) for value in op.operands]
        loop = ir.Operation.create("scf.while", [r.type for r in op.results], carried, regions=2)
        first, second = (
            region.blocks.append(
                *[a.type for a in old.arguments], arg_locs=[op.location] * len(old.arguments)
            )
            for region, old in zip(loop.regions, (before, after), strict=True)
        )
        with self._order.condition(op) as (between, end):
            with ir.InsertionPoint(first):
                self._bind(list(before.arguments), list(first.arguments))
                create("scf.condition", [], self._block(before))
                between()
            with ir.InsertionPoint(second):
                self._bind(list(after.arguments), list(second.arguments))
                values = self._block(after)
                end()
                create("scf.yield", [], values)
        self._bind(list(op.results), list(loop.results))

    def _if(self, op: Operation) -> None:
        branch = Branch(self._kernel.value(op.operands[0]), [result.type for result in op.results])
        with self._order.ways() as start:
            for number, region in enumerate(op.regions):
                start()
                if list(region.blocks):
                    with branch.way(number):
                        branch.give(self._block(region.blocks[0]))
        self._bind(list(op.results), branch.results)

    def _bind(self, old: Sequence[Value], new: Sequence[Value]) -> None:
        for value, inner in zip(old, new, strict=True):
            self._kernel.bind(value, inner)

    # What one thread does

    def _by_one(self, op: Operation) -> None:
        """Let the first thread do something; what it makes of numbers, all others take from it."""
        self._order.touch(self._accesses([op], ONE))
        held = [self._kernel.shared([1], _held(result.type)) for result in op.results]
        first = [self._emitter.value(0)]
        with self._by_first():
            copy = self._kernel.clone(op)
            for value, slot in zip(copy.results, held, strict=True):
                wide = slot.type.element_type
                store(value if value.type == wide else create("arith.extui", [wide], [value]), slot, first)
        self._order.touch(Access(frozenset([slot]), ONE, writes=True) for slot in held)
        self._order.touch(Access(frozenset([slot]), ALL, writes=False) for slot in held)
        for result, slot in zip(op.results, held, strict=True):
            value = load(slot, first)
            same = value.type == result.type
            self._kernel.bind(result, value if same else create("arith.trunci", [result.type], [value]))

    def _by_first(self) -> AbstractContextManager[Branch]:
        return only_if(compare("eq", self._thread, self._emitter.value(0)))

    def _accesses(
        self, ops: Sequence[Operation], who: Hashable, positions: Sequence[Value] = ()
    ) -> list[Access]:
        """What operations access, at places that are told by the positions of loops."""
        found = []
        for memref, indices, writes in accesses_in(ops):
            if any(is_defined_inside(root, op) for root in roots(memref) for op in ops):
                continue  # memory of each thread
            place, outer = None, frozenset[Value]()
            if indices is not None:
                place, outer = self._places.of([memref, *indices], positions)
            column = column_of(memref, place, len(positions))
            found.append(Access(roots(memref), who, writes, place, outer, column))
        return found

    # What threads share

    def _spread(self, counts: list[Index], body: Callable[[Value], object]) -> None:
        """Let each thread do its part of so many iterations."""
        emitter, total = self._emitter, self._emitter.product(counts)
        if isinstance(total, int) and total <= self._threads:
            with only_if(compare("ult", self._thread, emitter.value(total))):
                body(self._thread)
            return
        loop = ForLoop(emitter, self._thread, total, self._threads, [])
        self._spreads.append(loop.operation)
        with loop.body():
            body(loop.position)
            loop.end([])

    def _shared_loop(self, op: Operation) -> None:
        kernel, loops = (
            self._kernel,
            list(takewhile(lambda each: _has_bounds_before(each, op), perfect_nest(op))),
        )
        bounds = [value for each in loops for value in list(each.operands)[:3]]
        names, outer = self._places.of(bounds)
        positions = [each.regions[0].blocks[0].arguments[0] for each in loops]
        self._order.touch(self._accesses([op], Spread(names, outer), positions))
        pairs = [[kernel.value(bound) for bound in list(each.operands)[:2]] for each in loops]
        counts = [count(each, pair, self._emitter) for each, pair in zip(loops, pairs, strict=True)]
        self._spread(counts, lambda number: iteration(kernel, loops, counts, number))

    def _nest(self, op: Operation) -> None:
        """A nest: points shared by threads, or all elements combined."""
        with ir.InsertionPoint(op), op.location:
            outer_nest = loop_nest(op)
        copy = self._kernel.clone(op)
        nest = loop_nest(copy)
        parallel = [dim for dim, is_parallel in enumerate(nest.parallel) if is_parallel]
        if parallel:
            reads, writes = self._accesses_of_nest(outer_nest, parallel)
            self._order.touch([*reads, *writes])
            counts = [nest.extents[dim] for dim in parallel]
            self._spread(counts, lambda number: self._point(nest, parallel, counts, number))
        else:
            reduction = Reduction.of(nest)
            if reduction is None:
                self._order.touch(self._accesses([op], ONE))
                with self._by_first():
                    self._point(nest, [], [], self._thread)
            else:
                self._reduce(outer_nest, nest, reduction)
        copy.erase()

    def _accesses_of_nest(self, nest: LoopNest, spread: Sequence[int]) -> tuple[list[Access], list[Access]]:
        """What a nest reads, and what it writes, if its points along some dimensions are shared."""
        extents = [nest.extents[dim] for dim in spread]
        outer = frozenset(extent for extent in extents if not isinstance(extent, int))
        names = [e if isinstance(e, int) else self._places.of([e]) for e in extents]
        who = Spread(tuple(("extent", name) for name in names), outer)
        found: list[Access] = []
        for operand in nest.accesses:
            memory, place, values, column = frozenset[Hashable](), None, frozenset[Value](), None
            if not operand.is_scalar:
                memory = roots(operand.memref)
                place, values = self._places.of_expressions(operand.memref, operand.expressions, spread)
                column = column_of(operand.memref, place, len(spread))
            found.append(Access(memory, who, False, place, values, column))
        gathered = self._accesses(operations_in(nest.body), who)
        outputs = found[len(nest.inputs) :]
        return [*found, *gathered], [replace(access, writes=True) for access in outputs]

    def _point(self, nest: LoopNest, parallel: list[int], counts: list[Index], number: Value) -> None:
        """Compute a point of a nest, and what it reduces to there."""
        positions: list[Index] = [0] * len(nest.parallel)
        for dim, position in zip(parallel, split(number, counts, self._emitter), strict=True):
            positions[dim] = position
        values = write_point(nest, positions, self._emitter)
        ends: list[Index] = [
            position if is_parallel else 0
            for position, is_parallel in zip(positions, nest.parallel, strict=True)
        ]
        write_all(values, nest, ends, self._emitter)

    def _reduce(self, outer: LoopNest, nest: LoopNest, reduction: Reduction) -> None:
        """Combine all elements: what each thread has of them, then what the threads have."""
        emitter = self._emitter
        reads, _ = self._accesses_of_nest(outer, range(len(nest.parallel)))
        outputs = {access.memref for access in outer.outputs}
        self._order.touch(reads[: len(nest.inputs)] + reads[len(nest.accesses) :])

        def body(number: Index, so_far: list[Value]) -> list[Value]:
            point = split(number, nest.extents, emitter)
            operands = [read(access, point, emitter) for access in nest.inputs]
            return reduction.add_points(so_far, [point], [operands], emitter)

        total = emitter.product(nest.extents)
        own = stepped(self._thread, total, self._threads, reduction.neutral(emitter), emitter, body)
        values = self._combined(reduction, own)
        self._order.touch(
            Access(roots(memref), ONE, writes) for memref in outputs for writes in (False, True)
        )
        with self._by_first():
            point: list[Index] = [0] * len(nest.parallel)
            before = [read(access, point, emitter) for access in nest.outputs]
            write_all(reduction.join(before, values), nest, point, emitter)

    def _combined(self, reduction: Reduction, own: list[Value]) -> list[Value]:
        """What all threads have made; there is a barrier in it, between what warps leave and what all read."""
        if self._threads <= WARP:
            return self._block_reduction.reduce(reduction, own)
        self._turn = 1 - self._turn
        slots = frozenset[Hashable]([("slots", self._turn)])
        self._order.touch([Access(slots, ALL, writes=True)])
        values = self._block_reduction.reduce(reduction, own)
        self._order.note_barrier()
        self._order.touch([Access(slots, ALL, writes=False)])
        return values


def _has_bounds_before(loop: Operation, outermost: Operation) -> bool:
    return not any(is_defined_inside(bound, outermost) for bound in list(loop.operands)[:3])
