"""Rows that threads keep in registers: softmax, layer norm, sums and maxima of rows, and what shares a row with them.

A row is a warp's, or a block's where it is long. Each thread has the same columns in all nests, so that what one nest
makes of a column the next one finds in a register; what a row is reduced to, all of its threads have. Rows too long for
registers, and those of unknown length, are gone over anew by each nest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from ....dialect.mlir import Operation, Value, ir
from ....dialect.records import dataclass
from ...nests.collapse import collapse_dims
from ...nests.emit import Emitter, Index, create
from ...nests.extents import same_extent
from ...nests.independence import any_order, base
from ...nests.nest import Access, LoopNest, loop_nest
from ...target import current_gpu
from ..code.control import compare, only_if, otherwise
from ..code.kernel import Kernel
from ..code.points import asks_for_outputs, read, write_body, write_lanes
from ..code.points import write as store_point
from ..code.reduce import WARP, BlockReduction, Reduction
from ..code.vectors import elements_of, is_aligned, is_vector, lanes_of, load_lanes, load_vector, store_lanes
from ..code.walk import stepped
from .device_schedule import DeviceSchedule, Run, points
from .steps import Step

_THREADS = 256
"""Of a block where a row is a warp's, or of unknown length."""
_IN_REGISTERS = 8
"""So many accesses to an operand a thread keeps the elements of; of several operands, half as many of each."""
_FEW = 8
"""A row of so few columns is a thread's."""


@dataclass(frozen=True)
class _Shape:
    """How a row is given to threads."""

    threads: int
    """Of a row."""
    rows: int
    """Of a block."""
    lanes: int
    """Neighbouring columns of a thread."""
    turns: int | None
    """How often a thread has such neighbours; None where that is not known, or too often for registers."""


class Rows(DeviceSchedule):
    """Softmax, layer norm: a warp or a block for each row, which stays in registers."""

    reason = "what is asked for lies in one row"

    @classmethod
    def match(cls, run: Run) -> Rows | None:
        counts = range(0 if run.is_small_product else len(run.steps), 0, -1)
        return next((cls(run, n) for n in counts if _matches(run.steps[:n], run.function)), None)

    def threads(self) -> float:
        """Those of a warp for each row: of a block there are more."""
        first = next(step.nest for step in self.steps if not all(step.nest.parallel))
        return points(first) * WARP

    def write(self, name: str) -> None:
        outer = [loop_nest(step.nest.operation) for step in self.steps]
        emitter = Emitter(self.function)
        collapse_dims(outer, emitter)
        shape = _shape(outer)
        ops = [step.nest.operation for step in self.steps]
        given = [v for step in self.steps for v in (*step.starts, step.number) if v is not None]
        kept = _kept(self.steps)
        local = [] if shape.turns is None else _local(self.steps, kept)
        kernel = Kernel(self.function, name, ops, (shape.threads * shape.rows, 1, 1), given, local)
        with kernel.nests(ops) as nests:
            collapse_dims(nests, kernel.emitter)
            _Rows(kernel, self.steps, nests, shape, kept).emit()
        rows = next(nest.extents[0] for nest in outer if len(nest.parallel) == 2)
        blocks = emitter.divide_up(rows, shape.rows)
        kernel.launch(
            [emitter.maximum(1, emitter.minimum(blocks, _most_blocks()))], f"{self.title}; {_text(shape)}"
        )


def _matches(steps: Sequence[Step], function: Operation) -> bool:
    """Whether nests share their rows, of which at least one is reduced to a number."""
    nests = [loop_nest(step.nest.operation) for step in steps]
    collapse_dims(nests, Emitter(function))
    if not any(_reduces(nest) for nest in nests):
        return False
    first = next((nest for nest in nests if len(nest.parallel) == 2), None)
    if first is None:
        return False
    for nest in nests:
        if not nest.parallel or not nest.parallel[0] or len(nest.parallel) > 2:
            return False
        if not same_extent(nest, 0, first, 0):
            return False
        if len(nest.parallel) == 2 and not same_extent(nest, 1, first, 1):
            return False
        if _reduces(nest) and (Reduction.of(nest) is None or not _is_row_only(nest)):
            return False
        if len(nest.parallel) == 2 and not _lies_side_by_side(nest):
            return False
    columns = first.extents[1]
    if len(nests) == 1 and isinstance(columns, int) and columns <= _FEW:
        return False
    return any_order(nests, [0] * len(nests)) and _columns_are_own(nests)


def _reduces(nest: LoopNest) -> bool:
    return len(nest.parallel) == 2 and not nest.parallel[1]


def _is_row_only(nest: LoopNest) -> bool:
    return all(not access.mentions(1) for access in nest.outputs)


def _lies_side_by_side(nest: LoopNest) -> bool:
    """Whether neighbouring columns are neighbours in memory, in some operand at least; a matrix, if there are any."""
    accesses = [access for access in nest.accesses if not access.is_scalar and access.mentions(1)]
    matrices = [access for access in accesses if access.mentions(0)]
    return not accesses or any(access.is_contiguous_in(1) for access in matrices or accesses)


def _columns_are_own(nests: Sequence[LoopNest]) -> bool:
    """Whether what one nest makes is only asked for at the same row and column, and by the same view."""
    made: dict[Value, Access] = {}
    for nest in nests:
        for access in nest.inputs:
            if access.is_scalar:
                continue
            written = next((a for m, a in made.items() if base(m) == base(access.memref)), None)
            if written is not None and (
                written.memref != access.memref or written.expressions != access.expressions
            ):
                return False
        for access in nest.outputs:
            other = next((a for m, a in made.items() if base(m) == base(access.memref)), None)
            if other is not None and (
                other.memref != access.memref or other.expressions != access.expressions
            ):
                return False
            made[access.memref] = access
    return True


def _most_blocks() -> int:
    gpu = current_gpu()
    return gpu.multiprocessors * 32


def _text(shape: _Shape) -> str:
    who = "a warp" if shape.rows > 1 else f"{shape.threads} threads"
    where = "in memory" if shape.turns is None else f"{shape.turns} times {shape.lanes} columns in registers"
    return f"{who} a row, {where}"


def _shape(nests: Sequence[LoopNest]) -> _Shape:
    columns = next(nest.extents[1] for nest in nests if len(nest.parallel) == 2)
    accesses = [access for nest in nests if len(nest.parallel) == 2 for access in nest.accesses]
    lanes = lanes_of(accesses, 1)
    if not isinstance(columns, int):
        return _Shape(_THREADS, 1, 1, None)
    if columns % lanes:
        lanes = 1
    most = _IN_REGISTERS if _loaded(nests) == 1 else _IN_REGISTERS // 2
    if columns <= WARP * lanes * most:
        while lanes > 1 and columns < WARP * lanes // 2:
            lanes //= 2
        return _Shape(WARP, _THREADS // WARP, lanes, -(-columns // (WARP * lanes)))
    threads = 2 * WARP
    while threads < 1024 and columns > threads * lanes * (_IN_REGISTERS // 2):
        threads *= 2
    turns = -(-columns // (threads * lanes))
    return _Shape(threads, 1, lanes, turns if turns <= most else None)


def _loaded(nests: Sequence[LoopNest]) -> int:
    """How many operands have elements in registers of their own: all that vary along rows, and no nest makes."""
    made = {access.memref for nest in nests for access in nest.outputs}
    inputs = [access for nest in nests if len(nest.parallel) == 2 for access in nest.inputs]
    return len({_key(a) for a in inputs if not a.is_scalar and a.mentions(1) and a.memref not in made})


def _kept(steps: Sequence[Step]) -> set[int]:
    """The numbers of the steps whose outputs somebody else asks for."""
    return {
        number
        for number, step in enumerate(steps)
        if not all(step.alone_touch(steps, access.memref) for access in step.nest.outputs)
    }


def _local(steps: Sequence[Step], kept: set[int]) -> list[Value]:
    """The memory that is not needed, as what would be in it stays in registers."""
    return [
        access.memref
        for number, step in enumerate(steps)
        if number not in kept
        for access in step.nest.outputs
    ]


@dataclass(frozen=True)
class _Turn:
    """Neighbouring columns of a thread."""

    points: list[list[Index]]
    inside: Value | None
    """Whether the thread has columns in this turn; None where all have."""


def _key(access: Access) -> tuple[Value, str]:
    """Equal for accesses that find the same elements."""
    return access.memref, str(access.expressions)


class _Rows:
    """Writes the nests of a row, one behind the other.

    Where elements stay in registers, only loads and stores are written twice, for aligned rows and for others: each
    element has code of its own.
    """

    def __init__(
        self,
        kernel: Kernel,
        steps: Sequence[Step],
        nests: Sequence[LoopNest],
        shape: _Shape,
        kept: set[int],
    ) -> None:
        self.kernel, self.steps, self.nests, self.shape, self.kept = kernel, steps, nests, shape, kept
        self.emitter = kernel.emitter
        self.columns = next(nest.extents[1] for nest in nests if len(nest.parallel) == 2)
        self.rows = next(nest.extents[0] for nest in nests if len(nest.parallel) == 2)
        self.blocks = BlockReduction(kernel, shape.threads)
        self.is_vector = shape.lanes > 1
        self.aligned: Value | None = None
        """Whether rows are aligned, where that is asked for at each access."""

    def emit(self) -> None:
        """Go over the rows of the block, in steps as long as the grid."""
        if self.shape.lanes == 1:
            self._all_rows()
            return
        memrefs = [
            access.memref
            for nest in self.nests
            if len(nest.parallel) == 2
            for access in nest.accesses
            if is_vector(access, 1) and not self.kernel.is_local(access.memref)
        ]
        aligned = is_aligned(memrefs, self.shape.lanes, [], self.emitter)
        assert aligned is not None
        if self.shape.turns is not None:
            self.aligned = aligned
            self._all_rows()
            return
        with only_if(aligned) as branch:
            self._all_rows()
        self.is_vector = False
        with otherwise(branch):
            self._all_rows()

    def _all_rows(self) -> None:
        emitter, kernel = self.emitter, self.kernel
        thread = kernel.id("thread_id")
        first = kernel.id("block_id")
        step = kernel.id("grid_dim")
        self.thread = thread
        if self.shape.rows > 1:
            warp = create("arith.divui", [thread.type], [thread, emitter.value(WARP)])
            self.thread = create("arith.remui", [thread.type], [thread, emitter.value(WARP)])
            first = emitter.value(emitter.add(emitter.multiply(first, self.shape.rows), warp))
            step = emitter.value(emitter.multiply(step, self.shape.rows))

        def body(row: Index, _: list[Value]) -> list[Value]:
            self.row = row
            self.turns = [self._turn(turn) for turn in range(self.shape.turns or 0)]
            self.registers: dict[Value, list[Value]] = {}
            self.numbers: dict[Value, Value] = {}
            self.loaded: dict[tuple[tuple[Value, str], int], list[Value]] = {}
            with self.blocks.repeated():
                for number in range(len(self.nests)):
                    self._nest(number)
            return []

        stepped(first, self.rows, step, [], emitter, body)

    def _nest(self, number: int) -> None:
        nest = self.nests[number]
        if len(nest.parallel) == 1:
            self._number(number)
        elif nest.parallel[1]:
            self._columns(number)
        else:
            self._reduce(number)

    # Numbers of rows

    def _number(self, number: int) -> None:
        """A nest that has one point a row: all threads compute it."""
        nest = self.nests[number]
        if self.steps[number].number is not None:
            values = [self.kernel.value(self.steps[number].number)]
        else:
            operands = [self._row_operand(access) for access in nest.accesses]
            values = write_body(nest, [self.row], operands, self.emitter)
        self._give(number, values)

    def _row_operand(self, access: Access) -> Value:
        found = None if access.is_scalar else self.numbers.get(access.memref)
        return read(access, [self.row, 0], self.emitter) if found is None else found

    def _give(self, number: int, values: Sequence[Value]) -> None:
        """Keep the numbers of a row, and store them if they are asked for."""
        nest = self.nests[number]
        for access, value in zip(nest.outputs, values, strict=True):
            self.numbers[access.memref] = value
        if number in self.kept:
            with only_if(compare("eq", self.thread, self.emitter.value(0))):
                for access, value in zip(nest.outputs, values, strict=True):
                    store_point(value, access, [self.row, 0], self.emitter)

    # Columns

    def _columns(self, number: int) -> None:
        """A nest that has a point for each column."""
        nest = self.nests[number]
        asked = [True] * len(nest.inputs) + asks_for_outputs(nest)
        fixed = self.steps[number].number

        self._load_ahead(access for access, is_asked in zip(nest.accesses, asked, strict=True) if is_asked)

        def body(turn: int, points: list[list[Index]], _: list[Value]) -> list[Value]:
            if fixed is not None:
                made = [[self.kernel.value(fixed)] * len(points)]
            else:
                made = write_lanes(
                    nest, points, lambda access: self._operand(access, turn, points), self.emitter
                )
            if self.shape.turns is None:
                for values, access in zip(made, nest.outputs, strict=True):
                    self._store(values, access, points)
            return [value for values in made for value in values]

        results = self._turns(body, [])
        if self.shape.turns is None:
            return
        lanes = self.shape.lanes
        for place, access in enumerate(nest.outputs):
            made = [turn[place * lanes : (place + 1) * lanes] for turn in results]
            self.registers[access.memref] = [value for values in made for value in values]
            if number in self.kept:
                self._store_turns(made, access)

    def _store_turns(self, made: list[list[Value]], access: Access) -> None:
        """Store what a thread has made of its columns."""
        if self.aligned is None:
            self._store_all(made, access)
            return
        with only_if(self.aligned) as branch:
            self._store_all(made, access)
        with otherwise(branch), self._one_by_one():
            self._store_all(made, access)

    def _store_all(self, made: list[list[Value]], access: Access) -> None:
        for turn, values in zip(self.turns, made, strict=True):
            if turn.inside is None:
                self._store(values, access, turn.points)
            else:
                with only_if(turn.inside):
                    self._store(values, access, turn.points)

    @contextmanager
    def _one_by_one(self) -> Iterator[None]:
        """Write accesses of elements in the place of vectors."""
        self.is_vector = False
        yield
        self.is_vector = True

    def _store(self, values: list[Value], access: Access, points: list[list[Index]]) -> None:
        if self.is_vector and is_vector(access, 1):
            store_lanes(values, access, points[0], self.emitter)
            return
        for value, point in zip(values, points, strict=True):
            store_point(value, access, point, self.emitter)

    def _load_ahead(self, accesses: Iterable[Access]) -> None:
        """Load all that a thread needs of operands that are vectors where rows are aligned."""
        if self.aligned is None:
            return
        wanted = {
            _key(access): access
            for access in accesses
            if is_vector(access, 1)
            and (_key(access), 0) not in self.loaded
            and access.memref not in self.numbers
            and access.memref not in self.registers
        }
        if not wanted:
            return
        lanes, elements = self.shape.lanes, [access.memref.type.element_type for access in wanted.values()]
        types = [ir.VectorType.get([lanes], element) for element in elements for _ in self.turns]
        with only_if(self.aligned, types) as branch:
            branch.give(
                [
                    load_vector(a, t.points[0], lanes, self.emitter)
                    for a in wanted.values()
                    for t in self.turns
                ]
            )
        with otherwise(branch):
            branch.give([self._collected(a, t) for a in wanted.values() for t in self.turns])
        results = iter(branch.results)
        for key in wanted:
            for number in range(len(self.turns)):
                self.loaded[key, number] = elements_of(next(results))

    def _collected(self, access: Access, turn: _Turn) -> Value:
        """Neighbours in memory that are not aligned."""
        values = [read(access, point, self.emitter) for point in turn.points]
        type = ir.VectorType.get([len(values)], access.memref.type.element_type)
        return create("vector.from_elements", [type], values)

    def _operand(self, access: Access, turn: int, points: list[list[Index]]) -> list[Value]:
        if not access.is_scalar:
            if access.memref in self.numbers:
                return [self.numbers[access.memref]] * len(points)
            if self.registers.get(access.memref):
                start = turn * self.shape.lanes
                return self.registers[access.memref][start : start + self.shape.lanes]
        key = (_key(access), turn)
        if self.shape.turns is None or access.is_scalar:
            return self._load(access, points)
        if key not in self.loaded:
            self.loaded[key] = self._load(access, points)
        return self.loaded[key]

    def _load(self, access: Access, points: list[list[Index]]) -> list[Value]:
        if self.is_vector or not (access.is_scalar or access.mentions(1)):
            return load_lanes(access, points, 1, self.emitter)
        return [read(access, point, self.emitter) for point in points]

    # Reductions

    def _reduce(self, number: int) -> None:
        """A nest that makes a number of a row."""
        nest = self.nests[number]
        reduction = Reduction.known(nest)
        carried = reduction.neutral(self.emitter)
        self._load_ahead(nest.inputs)

        def body(turn: int, points: list[list[Index]], so_far: list[Value]) -> list[Value]:
            operands = [self._operand(access, turn, points) for access in nest.inputs]
            each = [[values[lane] for values in operands] for lane in range(len(points))]
            return reduction.add_points(so_far, points, each, self.emitter)

        results = self._turns(body, carried)
        values = self.blocks.reduce(reduction, results[-1])
        before = [self.kernel.value(start) for start in self.steps[number].starts]
        if not before:
            before = [self._row_operand(access) for access in nest.outputs]
        self._give(number, reduction.join(before, values))

    # The columns of a thread

    def _turns(
        self,
        body: Callable[[int, list[list[Index]], list[Value]], list[Value]],
        carried: list[Value],
    ) -> list[list[Value]]:
        """Write the code for all columns of a thread; what it results in, of each turn.

        Turns hand on what is carried, if anything is.
        """
        if self.shape.turns is None:
            return [self._loop(body, carried)]
        found: list[list[Value]] = []
        for number, turn in enumerate(self.turns):
            made = body(number, turn.points, carried)
            if carried and turn.inside is not None:
                made = [
                    create("arith.select", [new.type], [turn.inside, new, old])
                    for new, old in zip(made, carried, strict=True)
                ]
            carried = made if carried else []
            found.append(made)
        return found

    def _turn(self, turn: int) -> _Turn:
        """The columns of a thread in one turn."""
        emitter, shape = self.emitter, self.shape
        assert isinstance(self.columns, int)
        column = emitter.add(emitter.multiply(self.thread, shape.lanes), turn * shape.threads * shape.lanes)
        inside = None
        if (turn + 1) * shape.threads * shape.lanes > self.columns:
            # Threads without columns take the last ones, and nobody asks for what they make of them.
            inside = compare("ult", emitter.value(column), emitter.value(self.columns))
            column = emitter.minimum(column, self.columns - shape.lanes)
        return _Turn([[self.row, emitter.add(column, lane)] for lane in range(shape.lanes)], inside)

    def _loop(
        self, body: Callable[[int, list[list[Index]], list[Value]], list[Value]], carried: list[Value]
    ) -> list[Value]:
        """Go over the columns in steps as long as the block, by memory."""
        emitter, shape = self.emitter, self.shape
        total = emitter.divide(self.columns, shape.lanes)

        def one(position: Index, so_far: list[Value]) -> list[Value]:
            column = emitter.multiply(position, shape.lanes)
            points: list[list[Index]] = [[self.row, emitter.add(column, lane)] for lane in range(shape.lanes)]
            made = body(0, points, so_far)
            return made if carried else []

        return stepped(self.thread, total, shape.threads, carried, emitter, one)
