"""Random functions of the weft dialect, drawn from all ops by their cases.

Reference, passes and compiled code must agree bit by bit on a program, so its ops are those that are exact.
Others (elementary functions, sums of floats) are drawn too, but their results are only returned: no later op
could turn a difference in the last place into another program path.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from support.op_uses import GENERATED, OF_VECTORS, SUMMING, WITHOUT_CASES, Use, uses_of
from support.programs import Builder, build, random_bits
from weft.dialect.attributes import type_from_mlir, type_to_mlir
from weft.dialect.dtypes import kind
from weft.dialect.errors import WeftError
from weft.dialect.mlir import Module, ir
from weft.dialect.op import OPS, Case, Op
from weft.dialect.types import RefType, TensorType

EXACT_REDUCTIONS = frozenset(["any", "all", "argmax", "argmin"])

_ARITHMETIC = ("add", "subtract", "negative", "positive", "multiply", "divide", "square", "sqrt", "conjugate")
_DIVISION = ("floor_divide", "remainder", "fmod", "floor", "ceil", "trunc", "rint", "nextafter", "spacing")
_SIGNS = ("absolute", "fabs", "sign", "signbit", "copysign", "heaviside")
_ORDER = ("less", "less_equal", "greater", "greater_equal")
_TESTS = ("equal", "not_equal", "isnan", "isinf", "isfinite")
_LOGIC = ("logical_and", "logical_or", "logical_xor", "logical_not")

EXACT_ON_COMPLEX = {"add", "subtract", "negative", "positive", "conjugate", *_TESTS, *_LOGIC}
EXACT_ON_FLOATS = {*_ARITHMETIC, *_DIVISION, *_SIGNS, *_ORDER, *_TESTS, *_LOGIC}
"""Not the larger and the smaller of two: which of 0.0 and -0.0 they give is left open."""

CHECK = "raise_if"


def is_exact(use: Use) -> bool:
    """Whether compiled code gives NumPy's bits."""
    kinds = {kind(dtype) for dtype in use.dtypes}
    if use.op.family in SUMMING:
        return use.op.name in EXACT_REDUCTIONS or not kinds & set("fc")
    if use.op.name in GENERATED:
        return False
    if use.op.family not in ("elementwise", "special"):
        return True
    return (not kinds & set("f") or use.op.name in EXACT_ON_FLOATS) and (
        "c" not in kinds or use.op.name in EXACT_ON_COMPLEX
    )


class Emission:
    """A program while it is built: the values by their numbers."""

    def __init__(self, b: Builder, arguments: Sequence[Any], *, dynamic: bool) -> None:
        self.b = b
        self.values: dict[int, Any] = dict(enumerate(arguments))
        self.dynamic = dynamic

    @staticmethod
    def within(values: dict[int, Any], *, dynamic: bool) -> Emission:
        """An emission of something else than the program itself, with the values that it knows."""
        emission = Emission(Builder(), [], dynamic=dynamic)
        emission.values.update(values)
        return emission

    def run(self, instructions: Iterable[Instruction | Structure]) -> None:
        """Build instructions at the current insertion point."""
        for instruction in instructions:
            instruction.build(self)

    def cast(self, value: Any, wanted: TensorType) -> Any:
        """The value with another type of the same extents, as far as they are known."""
        mlir_type = type_to_mlir(wanted)
        if value.type == mlir_type:
            return value
        return ir.Operation.create("tensor.cast", results=[mlir_type], operands=[value]).results[0]


class Structure(Protocol):
    """What stands between instructions: a branch or a loop."""

    def build(self, e: Emission) -> None:
        """Build it at the current insertion point."""


@dataclass(frozen=True)
class Instruction:
    """One op: its operands and results are numbers of values."""

    op: type[Op]
    operands: tuple[int, ...]
    attributes: dict[str, Any]
    results: tuple[int, ...] = ()
    types: tuple[TensorType | None, ...] = ()
    """What is known of the operands; None for cells."""

    def build(self, e: Emission) -> None:
        """Build the op; where run-time extents do not do, on operands whose extents are known."""
        operands = [e.values[number] for number in self.operands]
        if self.op is OPS["write_ref"]:
            held = type_from_mlir(operands[0].type)
            assert isinstance(held, RefType)
            operands[1] = e.cast(operands[1], held.tensor)
        try:
            made = e.b(self.op.name, *operands, **self.attributes)
        except WeftError:
            if not e.dynamic:
                raise
            typed = zip(operands, self.types, strict=True)
            operands = [value if known is None else e.cast(value, known) for value, known in typed]
            made = e.b(self.op.name, *operands, **self.attributes)
        e.values.update(zip(self.results, made if isinstance(made, tuple) else (made,), strict=False))


@dataclass
class Program:
    """A function as data."""

    arguments: list[Any] = field(default_factory=list)
    """The arrays to call with."""
    refs: list[bool] = field(default_factory=list)
    """Which arguments are cells."""
    instructions: list[Any] = field(default_factory=list)
    """Instructions and structures."""
    returned: list[int] = field(default_factory=list)
    inexact: list[bool] = field(default_factory=list)
    """Which results may differ in the last places."""
    functions: list[Any] = field(default_factory=list)
    """Private functions that are called; each defines itself in a module."""

    def inputs(self) -> list[Any]:
        """Fresh copies of the arguments."""
        return [np.array(array) for array in self.arguments]

    def module(self) -> Module:
        """The program in MLIR."""
        return self._build(dynamic=False)

    def dynamic_module(self) -> Module:
        """The program with arguments whose extents are known only at run time, but for cells and extents of 1."""
        return self._build(dynamic=True)

    def _build(self, *, dynamic: bool) -> Module:
        types = [
            RefType(argument_type(array, False)) if ref else argument_type(array, dynamic)
            for array, ref in zip(self.arguments, self.refs, strict=True)
        ]

        def body(b: Builder, *arguments: Any) -> list[Any]:
            emission = Emission(b, arguments, dynamic=dynamic)
            emission.run(self.instructions)
            return [emission.values[number] for number in self.returned]

        def define_functions(module: Module) -> None:
            for function in self.functions:
                function.define(module, dynamic=dynamic)

        return build(types, body, define_functions)


FIRST_RESULT = 1000
"""Arguments are numbered from 0, results from here."""


def argument_type(array: Any, dynamic: bool) -> TensorType:
    """The type of an argument."""
    return TensorType(
        tuple(None if dynamic and extent != 1 else extent for extent in array.shape), array.dtype
    )


class Generator:
    """Draws a program; the same seed gives the same program."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.program = Program()
        self.types: dict[int, TensorType] = {}
        """The types of the values that ops may use."""
        self.cells: dict[int, TensorType] = {}
        self.instructions: list[Any] = self.program.instructions
        """Those of the block that is drawn."""
        self._next = FIRST_RESULT

    def draw(self, length: int) -> Program:
        """A program of about so many ops."""
        for _ in range(length):
            self._draw_one()
        used = {
            operand
            for instruction in self.program.instructions
            if isinstance(instruction, Instruction)
            for operand in instruction.operands
        }
        candidates = [number for number in self.types if number >= FIRST_RESULT and number not in used]
        self._return(candidates[-8:], inexact=False)
        return self.program

    def _draw_one(self) -> None:
        if self.random.random() < 0.2:
            self._use_cells()
        else:
            self._use_op()

    def _return(self, numbers: list[int], *, inexact: bool) -> None:
        self.program.returned += numbers
        self.program.inexact += [inexact] * len(numbers)

    def _choose(self, several: list[Any]) -> Any:
        return several[self.random.integers(len(several))]

    def _names(self) -> list[str]:
        """The ops that may be used."""
        return NAMES

    def _use_op(self) -> None:
        use: Use = self._choose(ALL_USES[self._choose(self._names())])
        operands = [self._operand(t, use) for t in use.types]
        if use.op.name == "find_out_of_bounds":
            operands[1] = self._new(np.asarray(self.random.integers(0, 6)))  # an extent
        results = self._emit(use.op, operands, use.case.attributes)
        if not is_exact(use):
            for number in results:
                del self.types[number]
            self._return(results, inexact=True)

    def _emit(self, op: type[Op], operands: list[int], attributes: dict[str, Any]) -> list[int]:
        """Append an instruction; its results may be used from now on."""
        types = [self.types[operand] for operand in operands]
        results = [self._number(result) for result in op.result_types(types, attributes)]
        self._append(op, operands, attributes, results)
        return results

    def _append(
        self, op: type[Op], operands: Sequence[int], attributes: dict[str, Any], results: Sequence[int] = ()
    ) -> None:
        types = tuple(self.types.get(operand) for operand in operands)
        self.instructions.append(Instruction(op, tuple(operands), attributes, tuple(results), types))

    def _number(self, value_type: Any) -> int:
        """The number of a new value; cells are no operands of most ops."""
        number = self._next
        self._next += 1
        if isinstance(value_type, RefType):
            self.cells[number] = value_type.tensor
        else:
            self.types[number] = value_type
        return number

    def _operand(self, wanted: TensorType, use: Use) -> int:
        """A value of a type: one there is, one made from another, or a new one. Bounded values are always new."""
        if use.case.low is None and use.case.high is None:
            same = [number for number, t in self.types.items() if t == wanted]
            if same and self.random.random() < 0.7:
                return int(self._choose(same))
            others = [number for number, t in self.types.items() if t.size]
            if others and self.random.random() < 0.6:
                return self._adapted(int(self._choose(others)), wanted)
            shape = tuple(extent or 0 for extent in wanted.shape)
            return self._new(random_bits(self.random, wanted.dtype, shape))
        return self._new(use._values(self.random, wanted))

    def _new(self, array: Any) -> int:
        """A new constant or argument."""
        if self.random.random() < 0.5:
            return self._emit(OPS["constant"], [], {"value": array})[0]
        self.program.arguments.append(array)
        self.program.refs.append(False)
        number = len(self.program.arguments) - 1
        self.types[number] = argument_type(array, False)
        return number

    def _adapted(self, number: int, wanted: TensorType) -> int:
        """Cast, repeat, cut and reshape a value until it has a type."""
        if self.types[number].dtype != wanted.dtype:
            [number] = self._emit(OPS["cast"], [number], {"dtype": wanted.dtype})
        if self.types[number].shape == wanted.shape:
            return number
        size, needed = self.types[number].size or 1, wanted.size or 0
        [number] = self._emit(OPS["reshape"], [number], {"shape": (size,)})
        if size < needed:
            [number] = self._emit(OPS["tile"], [number], {"counts": (-(-needed // size),)})
        if self.types[number].size != needed:
            [number] = self._emit(OPS["slice"], [number], {"start": (0,), "stop": (needed,), "step": (1,)})
        return self._emit(OPS["reshape"], [number], {"shape": wanted.shape})[0]

    def _use_cells(self) -> None:
        """Make, read or write a cell, or check something that may fail."""
        action = self.random.integers(5)
        if action == 0:
            self._new_cell()
        elif action == 1 and self.types:
            number = int(self._choose(list(self.types)))
            self._append(OPS["alloc_ref"], [number], {}, [self._number(RefType(self.types[number]))])
        elif action == 2:
            self._check()
        elif self.cells:
            (self._read_cell if action == 3 else self._write_cell)(int(self._choose(list(self.cells))))

    def _new_cell(self) -> None:
        """A new argument that is a cell."""
        array = random_bits(self.random, self._choose(CELL_DTYPES), tuple(self.random.integers(1, 4, 2)))
        self.program.arguments.append(array)
        self.program.refs.append(True)
        self.cells[len(self.program.arguments) - 1] = argument_type(array, False)

    def _read_cell(self, ref: int) -> int:
        number = self._number(self.cells[ref])
        self._append(OPS["read_ref"], [ref], {}, [number])
        return number

    def _write_cell(self, ref: int) -> None:
        value = self._operand(self.cells[ref], Use(OPS["write_ref"], Case(()), ()))
        self._append(OPS["write_ref"], [ref, value], {})

    def _check(self) -> None:
        """Raise an error if a new condition holds, which it rarely does."""
        condition = self._new(np.asarray(self.random.random() < 0.1))
        self._raise_if(condition, self._new(self.random.integers(-9, 9)))

    def _raise_if(self, condition: int, value: int) -> None:
        message = f"check {self._next}: {{0}}"
        self._append(OPS[CHECK], [condition, value], {"error": "ValueError", "message": message})


NAMES = sorted(name for name in OPS if name not in WITHOUT_CASES | OF_VECTORS)
ALL_USES = {name: list(uses_of(OPS[name])) for name in NAMES}
CELL_DTYPES = [np.dtype(name) for name in ("float32", "int64", "uint8", "bool", "complex64")]


def random_program(seed: int, length: int = 12) -> Program:
    """The program of a seed."""
    return Generator(seed).draw(length)
