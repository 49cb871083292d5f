"""Take several steps of a loop over time on some rows, before the next rows: arrays go through the caches less often.

    for t in range(steps):                    for t in range(0, steps, 20):
        b[1:-1] = f(a)              becomes       for u in range(0, n + 2 * 20, 16):
        a[1:-1] = f(b)                                for s in range(t, min(t + 20, steps)):
                                                          b[rows from u - 2 * s] = f(a)
                                                          a[rows from u - 2 * s - 1] = f(b)

Where several threads share the rows of a step, each has them in a cache of its own, or they are read faster: a round is
one step then, and a band is all rows, as the loop was written.

A step takes its rows further up than the one before by as many as stencils reach down. All that it reads is there by
then, and nothing that is still to be read has been written over: each element is computed by the same operations from
the same numbers. `steps.py` finds what is read and written, and by how many rows steps are shifted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .....dialect.loops import INTERRUPTIBLE
from .....dialect.made_ops import slice_of
from .....dialect.mlir import Module, Operation, Value, dialect, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.control_flow.structure import (
    FOR,
    IF,
    add_yield,
    body,
    copy_of,
    operation_of,
    replace_all,
    used_inside,
)
from .....passes.index_arithmetic import Extent, IndexArithmetic
from .....passes.rewriting import defined_functions, operations_in, operations_of, symbols_of
from ....planning.names import THREADS
from ....planning.outlining.slices import Slice
from .bands import Bands, best_bands, is_beyond_caches
from .steps import Statement, Steps, steps_of

arith = dialect("arith")


@dataclass(frozen=True)
class TileSteps(Pass):
    """Take the steps of an `scf.for` band by band, where its arrays are larger than a cache and a band of them is not.

    The body updates rows of tensors that the loop carries by elementwise ops, which read them at other rows, and does
    nothing else but arithmetic.
    """

    def run(self, module: Module, statistics: Statistics) -> None:
        """Look at the loops of all functions."""
        for function in defined_functions(module):
            loops = [op for op in operations_of(function.operation) if op.name == FOR]
            for loop in filter(is_beyond_caches, loops):
                steps = steps_of(loop)
                bands = None if steps is None else best_bands(steps)
                if steps is not None and bands is not None:
                    _declare(module)
                    _Writer(steps, bands).write()
                    statistics["loops tiled"] += 1


def _declare(module: Module) -> None:
    """Declare the function that tells how many threads there are."""
    if THREADS not in symbols_of(module):
        with ir.InsertionPoint(module.body), ir.Location.unknown():
            dialect("func").FuncOp(THREADS, ([], [_int64()]), visibility="private")


def _int64() -> ir.Type:
    return ir.IntegerType.get_signless(64)


class _Writer:
    """Writes the loops over rounds of steps, bands of rows, and steps."""

    def __init__(self, steps: Steps, bands: Bands) -> None:
        self._steps = steps
        self._bands = bands
        self._index = IndexArithmetic()

    def write(self) -> None:
        """Replace the loop."""
        loop, index, bands = self._steps.loop, self._index, self._bands
        first, last, step, *initial = loop.operands
        placed = list(zip(self._steps.statements, bands.shifts.within, strict=True))
        top = min(statement.first + shift for statement, shift in placed)
        bottom = max(statement.end + shift for statement, shift in placed)
        with ir.InsertionPoint(loop), loop.location:
            alone = self._is_alone()
            length = self._either(alone, bands.steps, 1)
            height = self._either(alone, bands.rows, max(bottom - top, 1))

        def round_(start: Value, carried: Sequence[Value]) -> Sequence[Value]:
            end = index.minimum(index.add(start, length), last)
            ahead = index.multiply(index.subtract(index.subtract(end, start), 1), bands.shifts.step)
            return self._loop(
                *(index.value(top), index.value(index.add(ahead, bottom)), height, carried),
                lambda row, found: self._loop(
                    *(start, index.value(end), step, found),
                    lambda time, values: self._step(start, row, height, time, values),
                ),
                interruptible=True,
            )

        with ir.InsertionPoint(loop), loop.location:
            replace_all(loop.results, self._loop(first, last, length, initial, round_))
        loop.erase()

    def _loop(
        self,
        first: Value,
        last: Value,
        step: Value,
        carried: Sequence[Value],
        write: Callable[[Value, Sequence[Value]], Sequence[Value]],
        *,
        interruptible: bool = False,
    ) -> Sequence[Value]:
        """Write a loop around what is written for its counter and what it carries; returns what it leaves."""
        location = self._steps.loop.location
        types = [value.type for value in carried]
        marks = {INTERRUPTIBLE: ir.UnitAttr.get()} if interruptible else {}
        made = operation_of(FOR, [first, last, step, *carried], types, regions=1, location=location, **marks)
        block = made.regions[0].blocks.append(first.type, *types, arg_locs=[location] * (1 + len(types)))
        with ir.InsertionPoint(block):
            counter, *values = block.arguments
            add_yield(list(write(counter, values)), location)
        return list(made.results)

    def _is_alone(self) -> Value:
        """Whether no other thread helps, asked where the loop begins."""
        callee = ir.FlatSymbolRefAttr.get(THREADS)
        threads = operation_of("func.call", [], [_int64()], callee=callee).results[0]
        one = arith.ConstantOp(_int64(), 1).result
        return arith.CmpIOp(arith.CmpIPredicate.eq, threads, one).result

    def _either(self, condition: Value, one: int, other: int) -> Value:
        return arith.SelectOp(condition, self._index.value(one), self._index.value(other)).result

    def _step(
        self, start: Value, row: Value, height: Value, time: Value, carried: Sequence[Value]
    ) -> Sequence[Value]:
        """Write one step on a band."""
        index = self._index
        values: dict[Value, Value] = {body(self._steps.loop).arguments[0]: time}
        known = dict(zip(self._steps.carried, carried, strict=True))
        generics = [
            statement.generic for statement in self._steps.statements if statement.generic is not None
        ]
        used = [value for generic in generics for value in used_inside(generic)]
        self._compute([value for value in used if value not in _outputs(generics)], values)
        moved = index.subtract(row, index.multiply(index.subtract(time, start), self._bands.shifts.step))
        for statement, shift in zip(self._steps.statements, self._bands.shifts.within, strict=True):
            first, end = statement.first, statement.end
            begin = index.minimum(index.maximum(index.subtract(moved, shift), first), end)
            below = index.add(index.subtract(moved, shift), height)
            size = index.subtract(index.minimum(index.maximum(below, begin), end), begin)
            whole = known[statement.insert.operands[1]]
            if statement.generic is None:
                updated = self._row(statement, size, whole, dict(values))
            else:
                part = self._part(statement.generic, statement.first, begin, size, {**values, **known})
                updated = self._insert(statement.insert, part, whole, begin, size)
            known[statement.insert.results[0]] = updated
        places = [statement.insert.results[0] for statement in self._steps.statements]
        latest = dict(zip((statement.place for statement in self._steps.statements), places, strict=True))
        return [known[latest[place]] if place in latest else value for place, value in enumerate(carried)]

    def _compute(self, wanted: Sequence[Value], values: dict[Value, Value]) -> None:
        """Write the ops that values depend on, and nothing that the loop carries."""
        needed = set(wanted)
        for operation in reversed(self._steps.others):
            if not needed.isdisjoint(operation.results):
                needed.update(used_inside(operation))
        for operation in self._steps.others:
            if not needed.isdisjoint(operation.results) and operation.results[0] not in values:
                copy_of(operation, values)

    def _row(self, statement: Statement, size: Extent, whole: Value, values: dict[Value, Value]) -> Value:
        """Write one row that depends on nothing that the loop carries, if it is in the band."""
        insert, location = statement.insert, statement.insert.location
        is_here = arith.CmpIOp(arith.CmpIPredicate.eq, self._index.value(size), self._index.value(1)).result
        branch = operation_of(IF, [is_here], [whole.type], regions=2, location=location)
        with ir.InsertionPoint(branch.regions[0].blocks.append()):
            self._compute([insert.operands[0]], values)
            values[insert.operands[1]] = whole
            add_yield([copy_of(insert, values).results[0]], location)
        with ir.InsertionPoint(branch.regions[1].blocks.append()):
            add_yield([whole], location)
        result: Value = branch.results[0]
        return result

    def _part(
        self, generic: Operation, top: int, begin: Extent, size: Extent, values: dict[Value, Value]
    ) -> Value:
        """Write an elementwise op on some of its rows, which begin at a row of what it updates."""
        index, row = self._index, ir.AffineExpr.get_dim(0)
        ahead = index.subtract(begin, top)
        operands = []
        for operand, mapped in zip(generic.operands, generic.attributes["indexing_maps"], strict=True):
            axes = [axis for axis, expression in enumerate(mapped.value.results) if expression == row]
            operands.append(self._rows(operand, axes, ahead, size, values))
        type = _with_rows(generic.results[0].type, [0])
        extents = [index.value(size)]
        operands[-1] = operation_of("tensor.empty", extents, [type]).results[0]
        attributes = {name: generic.attributes[name] for name in generic.attributes}
        made = operation_of(
            "linalg.generic", operands, [type], regions=1, location=generic.location, **attributes
        )
        source = generic.regions[0].blocks[0]
        arguments = list(source.arguments)
        types = [argument.type for argument in arguments]
        block = made.regions[0].blocks.append(*types, arg_locs=[generic.location] * len(types))
        inner = {**values, **dict(zip(arguments, block.arguments, strict=True))}
        with ir.InsertionPoint(block):
            for operation in operations_in(source):
                copy_of(operation, inner)
        result: Value = made.results[0]
        return result

    def _rows(
        self, operand: Value, axes: list[int], ahead: Extent, size: Extent, values: dict[Value, Value]
    ) -> Value:
        """Some rows of an operand, counted from its first one, along axes."""
        made = None if isinstance(operand.owner, ir.Block) else operand.owner.operation
        is_empty = made is not None and made.name == "tensor.empty"
        offsets: list[Extent] = [0] * operand.type.rank
        source = operand
        is_part = made is not None and made.name == "tensor.extract_slice" and made.operands[0] in values
        if is_empty or not (axes or is_part):
            return values.get(operand, operand)
        if made is not None and is_part:
            source, offsets = made.operands[0], list(Slice.of(made).offsets)
        sizes: list[Extent] = list(operand.type.shape)
        for axis in axes:
            offsets[axis], sizes[axis] = self._index.add(offsets[axis], ahead), size
        type = _with_rows(operand.type, axes)
        return slice_of("tensor.extract_slice", [values.get(source, source)], type, offsets, sizes).results[0]

    def _insert(self, insert: Operation, part: Value, whole: Value, begin: Extent, size: Extent) -> Value:
        bounds = Slice.of(insert)
        offsets, sizes = [begin, *bounds.offsets[1:]], [size, *bounds.sizes[1:]]
        return slice_of("tensor.insert_slice", [part, whole], whole.type, offsets, sizes).results[0]


def _outputs(generics: Sequence[Operation]) -> set[Value]:
    return {generic.operands[len(generic.operands) - 1] for generic in generics}


def _with_rows(type: ir.RankedTensorType, axes: Sequence[int]) -> ir.RankedTensorType:
    """A type with unknown extents of some axes."""
    unknown = ir.ShapedType.get_dynamic_size()
    shape = [unknown if axis in axes else extent for axis, extent in enumerate(type.shape)]
    return ir.RankedTensorType.get(shape, type.element_type)
