"""Sharing loops among threads: the iterations of a loop become a function of a range of them.

A loop that is marked as parallel and long enough becomes

    func.func @kernel_3.loop_0(%begin: index, %end: index, ...)     // runs the iterations begin <= i < end

and a call of `@kernel_3.loop_0.parallel(%iterations, %grain, ...)`, which the lowering to LLVM defines (see
shared_loops.py): it has the pool of threads call the function for pieces of at least `grain` iterations. Where the
length of the loop is known only at run time, that decides between the two. The numbers that an iteration computes are
the same in any piece; so the result does not depend on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from .....dialect.mlir import Block, Module, Operation, Value, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.control_flow.structure import constant_index
from .....passes.notes import note, wanted
from .....passes.rewriting import constant_integer, defined_functions, operations_in, replace_operands
from ....nests.emit import PARALLEL, compare, create, only_if, otherwise
from ....nests.independence import written_memrefs
from ....nests.nest import nested
from ....planning.names import parallel_name
from ..loops.streaming import STREAMS
from .captures import Captures, is_pure, make_function
from .costs import Cost, Term, cost_of, cost_of_iteration, trips

GRAIN = 100_000
"""Steps (see costs.py) that are worth the attention of a thread: some 12 microseconds. Handing work over takes one
microsecond while the others are waiting for it, and ten to twenty when they have to be woken."""

EVEN = 8
"""Loops of fewer iterations cannot be shared evenly; loops in them are shared instead where those are long enough."""

FAR = 10
"""Loops that would have to be so many times as long to be shared are told of without a number."""


@dataclass(frozen=True)
class SplitParallelLoops(Pass):
    """Make functions of a range of iterations from long parallel loops."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for view in list(defined_functions(module)):
            statistics["loops split"] += len(_split_loops(view.operation))


def _split_loops(function: Operation) -> list[Operation]:
    """Make functions from the loops of a function that are worth it; returns them, in order."""
    made: list[Operation] = []
    for shape, cost in _worthwhile(function.regions[0].blocks[0]):
        part = _Part(shape, f"{function.attributes['sym_name'].value}.loop_{len(made)}")
        if not part.is_possible():
            note(
                "threads",
                shape.root.location,
                "stays on one thread: what its iterations write may be one memory",
            )
        else:
            if wanted():
                _note_shared(shape, cost)
            with shape.root.location:
                made.append(part.split(function, cost))
                if STREAMS in function.attributes:
                    made[-1].attributes[STREAMS] = function.attributes[STREAMS]
    return made


@dataclass
class _Shape:
    """A loop to share: alone, or in all iterations of a loop around it, `root`, where nothing else is done.

    That one adds row after row to an array, say, and threads share the columns. `tail` does the last columns, under a
    mask.
    """

    root: Operation
    loop: Operation
    tail: Operation | None = None


def _worthwhile(block: Block) -> Iterator[tuple[_Shape, Cost]]:
    """The loops to share, with the cost of one iteration each; none is inside another."""
    for op in operations_in(block):
        shape = _shape(op)
        if shape is not None:
            cost, count = cost_of_iteration(shape.loop, shape.root), trips(shape.loop)
            is_static = cost.is_static and not count.values
            if is_static and cost.steps * count.number < 2 * GRAIN:
                if wanted():
                    _note_short(shape, cost, count)
                continue
            if not (is_static and count.number < EVEN and _inner_loops_do(shape.loop, cost)):
                if not is_static or count.number >= 2:
                    yield shape, cost
                continue
        for region in op.regions:
            for inner in region:
                yield from _worthwhile(inner)


def _shape(op: Operation) -> _Shape | None:
    if op.name != "scf.for" or op.results:
        return None
    if PARALLEL in op.attributes:
        return _Shape(op, op)
    *inner, _ = operations_in(op.regions[0].blocks[0])
    loops = [each for each in inner if not is_pure(each)]
    if not 1 <= len(loops) <= 2 or not all(
        each.name == "scf.for" and PARALLEL in each.attributes for each in loops
    ):
        return None
    loop, *tail = loops
    if tail and not _is_same(tail[0].operands[0], loop.operands[1]):
        return None
    return _Shape(op, loop, *tail)


def _inner_loops_do(loop: Operation, cost: Cost) -> bool:
    """Whether nearly all work of an iteration is in parallel loops that are long enough to be shared each time."""
    shared = 0.0
    for op in operations_in(loop.regions[0].blocks[0]):
        if op.name == "scf.for" and PARALLEL in op.attributes:
            inner, count = cost_of(op), trips(op)
            long = inner.steps >= 8 * GRAIN
            if long and (count.number >= EVEN or _inner_loops_do(op, cost_of_iteration(op))):
                shared += inner.steps
    return shared >= 0.9 * cost.steps


def _note_short(shape: _Shape, cost: Cost, count: Term) -> None:
    """Note that a loop of known length is too short to share."""
    step = constant_integer(shape.loop.operands[2]) or 1
    least = math.ceil(2 * GRAIN / max(1.0, cost.steps)) * step
    if count.number * step * FAR < least:
        note("threads", shape.root.location, "these are far too short for threads")
    else:
        note(
            "threads",
            shape.root.location,
            "is too short for threads, which pay from {} iterations on",
            f"{least:,}",
        )


def _note_shared(shape: _Shape, cost: Cost) -> None:
    """Note that a loop is shared, and from which length."""
    if cost.is_static:
        least = 2 * _grain(cost) * (constant_integer(shape.loop.operands[2]) or 1)
        note("threads", shape.root.location, "is shared among threads from {} iterations on", f"{least:,}")
    else:
        note("threads", shape.root.location, "is shared among threads where sizes give them enough to do")


class _Part:
    """A loop on its way into a function of its own."""

    def __init__(self, shape: _Shape, name: str) -> None:
        self.shape, self.name = shape, name
        self._operations = [shape.root, *(view.operation for view in nested(shape.root))]
        self._inside: set[Value] = set()
        self._used: dict[Value, None] = {}
        """The operands of all operations but the loop."""
        for op in self._operations:
            self._inside.update(op.results)
            for region in op.regions:
                for block in region:
                    self._inside.update(block.arguments)
            if op != shape.loop:
                self._used.update(dict.fromkeys(op.operands))

    def is_possible(self) -> bool:
        """Whether the loop can be moved: memory must be known to be apart.

        What a loop around it writes must be the same memory in all iterations: then an element is met by one thread.
        """
        shape = self.shape
        if any(bound in self._inside for bound in shape.loop.operands):
            return False
        if shape.root != shape.loop and not all(
            memref not in self._inside for op in self._operations for memref in written_memrefs(op)
        ):
            return False
        return self._captures().are_apart()

    def _captures(self, *others: Value) -> Captures:
        stop = self.shape.loop.operands[1]
        start, _, step = list(self.shape.loop.operands)[:3]
        used = [value for value in self._used if value not in self._inside and value != stop]
        return Captures([start, step, *used, *others, *([stop] if stop in self._used else [])])

    def split(self, function: Operation, cost: Cost) -> Operation:
        """Make the function, put calls of it where the loop was, and move the loop there."""
        index, shape = ir.IndexType.get(), self.shape
        with ir.InsertionPoint(shape.root):
            count = self._count()
            captures = self._captures(*([count] if shape.tail is not None else []))
            self._share(count, cost, list(captures.passed))
        types = [index, index, *captures.types]
        with ir.InsertionPoint(function):
            made = make_function(self.name, types)
            make_function(parallel_name(self.name), types, has_body=False)
        entry = made.regions[0].blocks[0]
        begin, end, *arguments = entry.arguments
        with ir.InsertionPoint(entry):
            known = captures.enter(arguments)
            start, _, step = (known.get(value, value) for value in list(shape.loop.operands)[:3])
            bounds = [
                create("arith.addi", [index], [create("arith.muli", [index], [i, step]), start])
                for i in (begin, end)
            ]
            leave = ir.Operation.create("func.return", [], [])
        shape.root.move_before(leave)
        for op in self._operations:
            replace_operands(op, known)
        shape.loop.operands[0], shape.loop.operands[1] = bounds
        del shape.loop.attributes[PARALLEL]
        if shape.tail is not None:
            _run_if_equal(end, known[count], shape.tail)
        return made

    def _share(self, count: Value, cost: Cost, operands: list[Value]) -> None:
        """Call the pool, or the function where there is too little to do."""
        static = trips(self.shape.loop)
        grain = constant_index(_grain(cost)) if cost.is_static else _grain_value(cost)
        enough = create("arith.muli", [grain.type], [grain, constant_index(2)])
        if self.shape.root != self.shape.loop:
            # Rows are read faster where more of each is read: one piece for each thread, which a negative grain says.
            grain = create("arith.subi", [grain.type], [constant_index(0), grain])
        if cost.is_static and not static.values:
            self._call(parallel_name(self.name), [count, grain, *operands])
            return
        first = constant_index(0)
        with only_if(compare("sge", count, enough)) as branch:
            self._call(parallel_name(self.name), [count, grain, *operands])
        with otherwise(branch):
            self._call(self.name, [first, count, *operands])

    def _call(self, name: str, operands: Sequence[Value]) -> None:
        create("func.call", [], operands, {"callee": ir.FlatSymbolRefAttr.get(name)})

    def _count(self) -> Value:
        """The number of iterations."""
        static: Term = trips(self.shape.loop)
        start, stop, step = list(self.shape.loop.operands)[:3]
        if not static.values and None not in map(constant_integer, (start, stop, step)):
            return constant_index(int(static.number))
        index = start.type
        length = create("arith.subi", [index], [stop, start])
        positive = create("arith.maxsi", [index], [length, constant_index(0)])
        above = create(
            "arith.addi", [index], [positive, create("arith.subi", [index], [step, constant_index(1)])]
        )
        return create("arith.divui", [index], [above, step])


def _grain(cost: Cost) -> int:
    return max(1, math.ceil(GRAIN / max(1.0, cost.steps)))


def _grain_value(cost: Cost) -> Value:
    type = ir.IndexType.get()
    quotient = create("arith.divui", [type], [constant_index(GRAIN), cost.value()])
    return create("arith.addi", [type], [quotient, constant_index(1)])


def _run_if_equal(left: Value, right: Value, op: Operation) -> None:
    """Let an operation run only where two indices are equal."""
    with ir.InsertionPoint(op):
        branch = ir.Operation.create("scf.if", [], [compare("eq", left, right)], regions=2)
    with ir.InsertionPoint(branch.regions[0].blocks.append()):
        op.move_before(ir.Operation.create("scf.yield", [], []))


def _is_same(left: Value, right: Value) -> bool:
    """Whether two indices are one value, or equal constants."""
    number = constant_integer(left)
    return left == right or (number is not None and number == constant_integer(right))
