"""Random functions that call functions, which may call themselves: with branches, loops and checks inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.random_programs import Emission, Program
from support.random_regions import (
    NUMBER,
    Body,
    Branch,
    RegionGenerator,
    carried_type,
    carry,
    mlir_types,
)
from weft.dialect.mlir import Module, dialect, ir
from weft.dialect.op import OPS
from weft.dialect.types import TensorType


@dataclass(frozen=True)
class Function:
    """A private function; its body is as a block's."""

    name: str
    types: tuple[TensorType, ...]
    body: Body
    results: tuple[TensorType, ...]

    def define(self, module: Module, *, dynamic: bool) -> None:
        """Add the function to a module."""
        func = dialect("func")
        inputs, outputs = ([carried_type(t, dynamic) for t in types] for types in (self.types, self.results))
        signature = mlir_types(inputs), mlir_types(outputs)
        with ir.InsertionPoint(module.body):
            function = func.FuncOp(self.name, signature, visibility="private")
        entry = function.add_entry_block()
        values = dict(zip(self.body.parameters, entry.arguments, strict=True))
        emission = Emission.within(values, dynamic=dynamic)
        with ir.InsertionPoint(entry):
            emission.run(self.body.instructions)
            func.ReturnOp(carry(emission, self.body.yielded, self.results))


@dataclass(frozen=True)
class Call:
    """A call of a function, perhaps of the one that it is in."""

    callee: str
    operands: tuple[int, ...]
    types: tuple[TensorType, ...]
    results: tuple[int, ...]
    result_types: tuple[TensorType, ...]

    def build(self, e: Emission) -> None:
        """Build the call."""
        op = ir.Operation.create(
            "func.call",
            results=mlir_types(carried_type(t, e.dynamic) for t in self.result_types),
            operands=carry(e, self.operands, self.types),
            attributes={"callee": ir.FlatSymbolRefAttr.get(self.callee)},
        )
        e.values.update(zip(self.results, op.results, strict=True))


class CallGenerator(RegionGenerator):
    """Draws functions and a program that calls them."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.is_main = True

    def draw(self, length: int) -> Program:
        """A program of about so many ops and structures."""
        for _ in range(self.random.integers(1, 3)):
            self.program.functions.append(self._function(f"function_{len(self.program.functions)}"))
        return super().draw(length)

    def _draw_one(self) -> None:
        if self.program.functions and self.random.random() < 0.2:
            function = self._choose(self.program.functions)
            depth = self._new(np.asarray(int(self.random.integers(-1, 4))))
            operands = [depth, *(self._value(t) for t in function.types[1:])]
            self._call(function.name, operands, function.types, function.results)
        else:
            super()._draw_one()

    def _call(self, name: str, operands: Any, types: Any, results: Any) -> tuple[int, ...]:
        numbers = tuple(self._number(t) for t in results)
        self.instructions.append(Call(name, tuple(operands), tuple(types), numbers, tuple(results)))
        return numbers

    def _new(self, array: Any) -> int:
        """Only the program itself has arguments that are made up on the way."""
        if self.is_main:
            return super()._new(array)
        return self._emit(OPS["constant"], [], {"value": array})[0]

    def _new_cell(self) -> None:
        if self.is_main:
            super()._new_cell()

    @contextmanager
    def _separate(self) -> Iterator[None]:
        """Draw what knows nothing of the program."""
        saved = self.types, self.cells
        self.types, self.cells, self.is_main = {}, {}, False
        yield
        (self.types, self.cells), self.is_main = saved, True

    def _function(self, name: str) -> Function:
        """A function that counts its first argument down and calls itself until it is 0."""
        shapes = [(), (3,), (2, 2)]
        dtypes = [np.dtype(t) for t in ("int64", "bool", "uint8", "float32")]
        types = [TensorType(self._choose(shapes), self._choose(dtypes)) for _ in range(3)]
        parameters, results = (NUMBER, *types[:2]), tuple(types[1:])
        with self._separate(), self._block() as instructions:
            numbers = tuple(self._number(t) for t in parameters)
            zero = self._new(np.asarray(0))
            condition = self._emit(OPS["greater"], [numbers[0], zero], {})[0]
            again = self._calling_body(name, numbers[0], parameters, results)
            bodies = (again, self._body([], results))
            returned = tuple(self._number(t) for t in results)
            instructions.append(Branch(condition, bodies, returned, results))
        return Function(name, parameters, Body(numbers, tuple(instructions), returned), results)

    def _calling_body(self, name: str, counter: int, types: Any, results: Any) -> Body:
        with self._block() as instructions:
            self._draw_some()
            one = self._new(np.asarray(1))
            rest = self._emit(OPS["subtract"], [counter, one], {})[0]
            made = self._call(name, [rest, *(self._value(t) for t in types[1:])], types, results)
            self._draw_some()
            yielded = (self._value(results[0]), *made[1:])
        return Body((), tuple(instructions), yielded)


def random_calls(seed: int, length: int = 6) -> Program:
    """The program of a seed."""
    return CallGenerator(seed).draw(length)
