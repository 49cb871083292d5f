"""Random functions with branches and loops in each other: what they carry, cells, and checks that may fail inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.op_uses import Use
from support.random_programs import NAMES, Emission, Generator, Program
from weft.dialect.attributes import type_to_mlir
from weft.dialect.mlir import dialect, ir
from weft.dialect.op import OPS, Case
from weft.dialect.ops.distributed import Together
from weft.dialect.types import TensorType

BOOL = TensorType((), np.dtype(np.bool_))
NUMBER = TensorType((), np.dtype(np.int64))
DEPTH = 3
"""How many branches and loops are in each other at most."""


def carried_type(known: TensorType, dynamic: bool) -> TensorType:
    """The type of what branches give and loops carry: extents of 1 are known, others perhaps."""
    return TensorType(
        tuple(None if dynamic and extent != 1 else extent for extent in known.shape), known.dtype
    )


def mlir_types(types: Iterable[TensorType]) -> list[Any]:
    """The types in MLIR."""
    return [type_to_mlir(t) for t in types]


def _mlir_types(e: Emission, types: Sequence[TensorType]) -> list[Any]:
    return mlir_types(carried_type(t, e.dynamic) for t in types)


def carry(e: Emission, numbers: Sequence[int], types: Sequence[TensorType]) -> list[Any]:
    """Values with the types that are carried."""
    pairs = zip(numbers, types, strict=True)
    return [e.cast(e.values[number], carried_type(t, e.dynamic)) for number, t in pairs]


def _condition(e: Emission, number: int) -> Any:
    return dialect("tensor").ExtractOp(e.values[number], []).result


def _index(e: Emission, number: int) -> Any:
    scalar = dialect("tensor").ExtractOp(e.values[number], []).result
    return dialect("arith").IndexCastOp(ir.IndexType.get(), scalar).result


def _constant(value: int) -> Any:
    index = ir.IndexType.get()
    return dialect("arith").ConstantOp(index, ir.IntegerAttr.get(index, value)).result


@dataclass(frozen=True)
class Body:
    """A block: what it binds, does and hands over."""

    parameters: tuple[int, ...]
    instructions: tuple[Any, ...]
    yielded: tuple[int, ...]

    def build(self, e: Emission, block: Any, arguments: Sequence[Any], types: Sequence[TensorType]) -> None:
        """Fill a block; the values it hands over have these types."""
        e.values.update(zip(self.parameters, arguments, strict=True))
        with ir.InsertionPoint(block):
            e.run(self.instructions)
            ir.Operation.create("scf.yield", operands=carry(e, self.yielded, types))


@dataclass(frozen=True)
class Branch:
    """An `scf.if`; without results it may have no else branch."""

    condition: int
    bodies: tuple[Body, ...]
    results: tuple[int, ...]
    types: tuple[TensorType, ...]

    def build(self, e: Emission) -> None:
        """Build the op and its blocks."""
        operands = [_condition(e, self.condition)]
        op = ir.Operation.create("scf.if", results=_mlir_types(e, self.types), operands=operands, regions=2)
        for region, body in zip(op.regions, self.bodies, strict=False):
            body.build(e, region.blocks.append(), [], self.types)
        e.values.update(zip(self.results, op.results, strict=True))


@dataclass(frozen=True)
class Loop:
    """An `scf.for` of some trips, known or not; its first parameter is the number of the iteration, as a tensor."""

    trips: int
    is_known: bool
    initial: tuple[int, ...]
    body: Body
    results: tuple[int, ...]
    types: tuple[TensorType, ...]

    def build(self, e: Emission) -> None:
        """Build the op and its block."""
        upper = _constant(self.trips) if self.is_known else _index(e, self.trips)
        bounds = [_constant(0), upper, _constant(1)]
        types = _mlir_types(e, self.types)
        operands = [*bounds, *carry(e, self.initial, self.types)]
        op = ir.Operation.create("scf.for", results=types, operands=operands, regions=1)
        block = op.regions[0].blocks.append(ir.IndexType.get(), *types)
        induction, *carried = block.arguments
        with ir.InsertionPoint(block):
            number = dialect("arith").IndexCastOp(ir.IntegerType.get_signless(64), induction).result
            made = dialect("tensor").FromElementsOp(type_to_mlir(NUMBER), [number]).result
        self.body.build(e, block, [made, *carried], self.types)
        e.values.update(zip(self.results, op.results, strict=True))


@dataclass(frozen=True)
class While:
    """An `scf.while`; the test hands over what it likes, and both blocks may do anything."""

    initial: tuple[int, ...]
    types: tuple[TensorType, ...]
    test: Body
    condition: int
    passed: tuple[TensorType, ...]
    body: Body
    results: tuple[int, ...]

    def build(self, e: Emission) -> None:
        """Build the op and its blocks."""
        before, after = _mlir_types(e, self.types), _mlir_types(e, self.passed)
        operands = carry(e, self.initial, self.types)
        op = ir.Operation.create("scf.while", results=after, operands=operands, regions=2)
        test = op.regions[0].blocks.append(*before)
        e.values.update(zip(self.test.parameters, test.arguments, strict=True))
        with ir.InsertionPoint(test):
            e.run(self.test.instructions)
            passed = carry(e, self.test.yielded, self.passed)
            ir.Operation.create("scf.condition", operands=[_condition(e, self.condition), *passed])
        body = op.regions[1].blocks.append(*after)
        self.body.build(e, body, list(body.arguments), self.types)
        e.values.update(zip(self.results, op.results, strict=True))


FOR_ANY_RANK = [name for name in NAMES if not issubclass(OPS[name], Together)]


class RegionGenerator(Generator):
    """Draws a program with branches and loops; the same seed gives the same program."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.depth = 0

    def _names(self) -> list[str]:
        """Without those to which all ranks have to come: a drawn condition would decide whether they do."""
        return FOR_ANY_RANK

    def _draw_one(self) -> None:
        if self.depth < DEPTH and self.random.random() < (0.35, 0.25, 0.15)[self.depth]:
            drawn = [self._branch, self._loop, self._while]
            self._choose([*drawn, *drawn, self._cut, self._grow])()
        elif self.cells and self.random.random() < 0.2:
            self._use_cells()
        else:
            super()._draw_one()

    def draw(self, length: int) -> Program:
        """A program of about so many ops and structures, with a few cells from the start."""
        for _ in range(self.random.integers(0, 3)):
            self._new_cell()
        return super().draw(length)

    def _use_cells(self) -> None:
        """Update a cell there is, so that it depends on its history, or do anything else to cells."""
        if not self.cells or self.random.random() < 0.4:
            super()._use_cells()
            return
        ref = int(self._choose(list(self.cells)))
        old = self._read_cell(ref)
        known = self.types[old]
        if known.dtype.kind in "iu":
            [new] = self._emit(OPS["add"], [old, self._value(known)], {})
        elif known.dtype.kind in "fb":
            [new] = self._emit(OPS["logical_not" if known.dtype.kind == "b" else "negative"], [old], {})
        else:
            new = self._value(known)
        self._append(OPS["write_ref"], [ref, new], {})

    # Blocks

    @contextmanager
    def _block(self) -> Iterator[list[Any]]:
        """Draw into a new block; what it defines is not known behind it, but for new arguments."""
        saved = self.types.copy(), self.cells.copy(), self.instructions
        inner: list[Any] = []
        self.instructions, self.depth = inner, self.depth + 1
        yield inner
        self.depth -= 1
        self.types, self.cells, self.instructions = saved

    def _body(self, types: Sequence[TensorType], wanted: Sequence[TensorType]) -> Body:
        """A block with parameters of some types that hands over values of some types."""
        with self._block() as instructions:
            parameters = [self._number(t) for t in types]
            self._draw_some()
            yielded = [self._value(t) for t in wanted]
        return Body(tuple(parameters), tuple(instructions), tuple(yielded))

    def _draw_some(self) -> None:
        for _ in range(self.random.integers(1, 4)):
            self._draw_one()

    def _value(self, wanted: TensorType) -> int:
        return self._operand(wanted, Use(OPS["write_ref"], Case(()), ()))

    def _picked(self, most: int) -> list[int]:
        """Some of the values whose extents are known."""
        several = [number for number, known in self.types.items() if known.is_static]
        count = min(len(several), int(self.random.integers(0, most + 1)))
        return [int(self._choose(several)) for _ in range(count)]

    def _use_op(self) -> None:
        """Inside of blocks, what may differ in the last places is not used at all."""
        returned = len(self.program.returned)
        super()._use_op()
        if self.depth:
            del self.program.returned[returned:], self.program.inexact[returned:]

    # Structures

    def _branch(self) -> None:
        condition = self._value(BOOL)
        types = tuple(self.types[number] for number in self._picked(2))
        sides = 1 if not types and self.random.random() < 0.5 else 2
        bodies = tuple(self._body([], types) for _ in range(sides))
        results = tuple(self._number(t) for t in types)
        self.instructions.append(Branch(condition, bodies, results, types))

    def _loop(self) -> None:
        initial = tuple(self._picked(2))
        types = tuple(self.types[number] for number in initial)
        trips = int(self.random.integers(0, 4))
        is_known = bool(self.random.random() < 0.5)
        upper = trips if is_known else self._new(np.asarray(trips))
        with self._block() as instructions:
            number = self._number(NUMBER)
            if self.random.random() < 0.2:
                self._raise_at(number, int(self.random.integers(0, 5)))
            inner = self._body(types, types)
        parameters = (number, *inner.parameters)
        body = Body(parameters, (*instructions, *inner.instructions), inner.yielded)
        results = tuple(self._number(t) for t in types)
        self.instructions.append(Loop(upper, is_known, initial, body, results, types))

    def _cut(self) -> None:
        """A branch whose sides give arrays of different sizes."""
        source, known = self._long_value()
        bodies = []
        for _ in range(2):
            with self._block() as instructions:
                cut = self._cut_at(source, int(self.random.integers(0, 4)))
            bodies.append(Body((), tuple(instructions), (cut,)))
        types = (known.with_shape([None, *known.shape[1:]]),)
        condition = self._value(BOOL)
        results = (self._number(types[0]),)
        self.instructions.append(Branch(condition, tuple(bodies), results, types))
        self._look_at(results[0])

    def _grow(self) -> None:
        """A loop that carries an array that gets longer."""
        source, known = self._long_value()
        types = (known.with_shape([None, *known.shape[1:]]),)
        trips = self._new(np.asarray(int(self.random.integers(0, 4))))
        with self._block() as instructions:
            parameters = (self._number(NUMBER), self._number(types[0]))
            self._draw_some()
            added = self._cut_at(parameters[1], int(self.random.integers(0, 3)))
            longer = self._emit(OPS["concat"], [parameters[1], added], {"axis": 0})[0]
        body = Body(parameters, tuple(instructions), (longer,))
        results = (self._number(types[0]),)
        self.instructions.append(Loop(trips, False, (source,), body, results, types))
        self._look_at(results[0])

    def _long_value(self) -> tuple[int, TensorType]:
        """A value with an axis to cut, and its type."""
        several = [n for n, known in self.types.items() if known.is_static and known.rank and known.shape[0]]
        number = int(self._choose(several)) if several else self._new(np.arange(3))
        return number, self.types[number]

    def _cut_at(self, number: int, stop: int) -> int:
        rest = self.types[number].rank - 1
        stops = (stop, *[2**63 - 1] * rest)
        attributes = {"start": (0,) * (rest + 1), "stop": stops, "step": (1,) * (rest + 1)}
        return self._emit(OPS["slice"], [number], attributes)[0]

    def _look_at(self, number: int) -> None:
        """What later ops may use of an array whose size is known at run time only."""
        axes = tuple(range(self.types[number].rank))
        self._emit(OPS["any"], [number], {"axes": axes, "keepdims": False})
        self._emit(OPS["dim"], [number], {"axis": 0})

    def _raise_at(self, number: int, value: int) -> None:
        """Raise an error in one iteration."""
        wanted = self._emit(OPS["constant"], [], {"value": np.asarray(value)})[0]
        condition = self._emit(OPS["equal"], [number, wanted], {})[0]
        self._raise_if(condition, number)

    def _while(self) -> None:
        """Counts to a limit, or stops before."""
        counter = self._emit(OPS["constant"], [], {"value": np.asarray(0)})[0]
        initial = (counter, *self._picked(2))
        types = tuple(self.types[number] for number in initial)
        limit = self._new(np.asarray(int(self.random.integers(0, 4))))
        with self._block() as tested:
            parameters = tuple(self._number(t) for t in types)
            self._draw_some()
            condition = self._emit(OPS["less"], [parameters[0], limit], {})[0]
            if self.random.random() < 0.3:
                condition = self._emit(OPS["logical_and"], [condition, self._value(BOOL)], {})[0]
            yielded = (parameters[0], *self._picked(2))
            passed = tuple(self.types[number] for number in yielded)
        test = Body(parameters, tuple(tested), yielded)
        with self._block() as worked:
            arguments = tuple(self._number(t) for t in passed)
            self._draw_some()
            one = self._emit(OPS["constant"], [], {"value": np.asarray(1)})[0]
            following = self._emit(OPS["add"], [arguments[0], one], {})[0]
            handed = (following, *(self._value(t) for t in types[1:]))
        body = Body(arguments, tuple(worked), handed)
        results = tuple(self._number(t) for t in passed)
        self.instructions.append(While(initial, types, test, condition, passed, body, results))


def random_regions(seed: int, length: int = 8) -> Program:
    """The program of a seed."""
    return RegionGenerator(seed).draw(length)
