"""A function as numbered integers and operations on them: what the walk over it needs, read from MLIR once.

Values that are always equal have one number: an index and the i64 it was cast from, a bit and the byte it is kept in,
and what is computed twice, where the first is visible.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable
from dataclasses import field

from ...dialect.mlir import Attribute, Block, Operation, Type, Value, ir
from ...dialect.records import dataclass
from ...passes.rewriting import constant_integer, operations_in
from ..planning.names import EXIT
from ..planning.shapes import static_shape
from .comparisons import NE, SGE, SLT
from .interval import ARITHMETIC, WIDEST

CONSTANT, COMPARISON, CHOICE, CAST, DIM, ARITHMETIC_OP, OTHER = range(7)
FOR, WHILE, IF, CALL = range(7, 11)

_KINDS = {
    "arith.constant": CONSTANT,
    "arith.cmpi": COMPARISON,
    "arith.select": CHOICE,
    "arith.extsi": CAST,
    "arith.index_cast": CAST,
    "arith.trunci": CAST,
    "arith.extui": CAST,
    "memref.dim": DIM,
    "scf.for": FOR,
    "scf.while": WHILE,
    "scf.if": IF,
    "func.call": CALL,
    **dict.fromkeys(ARITHMETIC, ARITHMETIC_OP),
}
_REPEATABLE = (CONSTANT, COMPARISON, CHOICE, CAST, ARITHMETIC_OP)
_BITWISE = ("arith.andi", "arith.ori", "arith.xori")
NOTHING = -1
"""The number of what is no integer."""


@dataclass
class Instruction:
    """An operation with the numbers of its operands and results."""

    kind: int
    operation: Operation
    operands: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    name: str = ""
    detail: int = 0
    """The value of a constant, the predicate of a comparison, or how many bits are extended."""
    regions: tuple[Body, ...] = ()


@dataclass
class Body:
    """A block."""

    arguments: tuple[int, ...]
    instructions: list[Instruction] = field(default_factory=list)
    passed: tuple[int, ...] = ()
    """What the terminator takes."""
    exits: bool = False
    """Whether the call ends here."""


class Numbering:
    """Numbers the integers of a function."""

    def __init__(self, function: Operation) -> None:
        self.widths: list[int] = []
        self.made_by: dict[int, Instruction] = {}
        self.uses: dict[int, list[Instruction]] = {}
        """The simple operations on a number."""
        self._numbers: dict[Value, int] = {}
        self.body = self._body(function.regions[0].blocks[0], ChainMap())

    def _body(self, block: Block, known: ChainMap[Hashable, int]) -> Body:
        body = Body(tuple(self._new(argument) for argument in block.arguments))
        *operations, last = operations_in(block)
        for operation in operations:
            instruction = self._instruction(operation, known)
            if instruction is not None:
                body.instructions.append(instruction)
            elif operation.name == "func.call" and operation.attributes["callee"].value == EXIT:
                body.exits = True
        body.passed = tuple(self._number(value) for value in last.operands)
        return body

    def _instruction(self, operation: Operation, known: ChainMap[Hashable, int]) -> Instruction | None:
        """What there is to say of an operation; None where no integer is computed that is not known already."""
        name = operation.name
        kind = _KINDS.get(name, OTHER)
        if kind >= FOR:
            return self._structured(operation, kind, known)
        results = list(operation.results)
        if len(results) != 1 or not _width(results[0].type):
            return None
        if kind == OTHER:
            return Instruction(OTHER, operation, (), (self._new(results[0]),))
        operands = tuple(self._number(value) for value in operation.operands)
        made = Instruction(kind, operation, operands, (), name)
        if self._is_same(made):
            self._numbers[results[0]] = operands[0]
            return None
        width = _width(results[0].type)
        made.detail = _detail(operation, kind, width)
        if kind != DIM and (NOTHING in operands or _is_of_signed_bits(operation, made)):
            made.kind = OTHER
        key = (name, operands, made.detail, width)
        if made.kind in _REPEATABLE and key in known:
            self._numbers[results[0]] = known[key]
            return Instruction(COMPARISON, operation, (), (known[key],)) if kind == COMPARISON else None
        made.results = (self._new(results[0]),)
        self.made_by[made.results[0]] = made
        if made.kind in _REPEATABLE:
            known[key] = made.results[0]
            for operand in operands:
                self.uses.setdefault(operand, []).append(made)
        return made

    def _is_same(self, made: Instruction) -> bool:
        """Whether an operation gives its first operand, in other words."""
        operand = made.operands[0] if made.operands else NOTHING
        if operand == NOTHING:
            return False
        if made.name == "arith.index_cast":
            return self.widths[operand] == WIDEST and _width(made.operation.results[0].type) == WIDEST
        if made.name == "arith.extui":
            return self.widths[operand] == 1
        if made.kind == COMPARISON and self.widths[operand] == 1:
            zero = self.made_by.get(made.operands[1])
            is_not_zero = _integer(made.operation.attributes["predicate"]) == NE
            return is_not_zero and zero is not None and zero.kind == CONSTANT and zero.detail == 0
        return False

    def _structured(
        self, operation: Operation, kind: int, known: ChainMap[Hashable, int]
    ) -> Instruction | None:
        if kind == CALL and operation.attributes["callee"].value == EXIT:
            return None
        operands = tuple(self._number(value) for value in operation.operands)
        regions = tuple(
            self._body(block, known.new_child()) for region in operation.regions for block in region.blocks
        )
        results = tuple(self._new(value) for value in operation.results)
        made = Instruction(kind, operation, operands, results, operation.name, 0, regions)
        self.made_by.update(dict.fromkeys(results, made))
        return made

    def _new(self, value: Value) -> int:
        width = _width(value.type)
        if not width:
            return NOTHING
        self.widths.append(width)
        self._numbers[value] = len(self.widths) - 1
        return len(self.widths) - 1

    def _number(self, value: Value) -> int:
        return self._numbers.get(value, NOTHING)


def _width(type: Type) -> int:
    """The bits of an integer; 0 for anything else, and for integers wider than words."""
    if isinstance(type, ir.IndexType):
        return WIDEST
    if isinstance(type, ir.IntegerType) and type.width <= WIDEST:
        return int(type.width)
    return 0


def _integer(attribute: Attribute) -> int:
    return int(ir.IntegerAttr(attribute).value)


def _detail(operation: Operation, kind: int, width: int) -> int:
    if kind == CONSTANT:
        value = _integer(operation.attributes["value"])
        return value & 1 if width == 1 else value
    if kind == COMPARISON:
        return _integer(operation.attributes["predicate"])
    if kind == CAST:
        return _width(operation.operands[0].type)
    return _static_extent(operation) if kind == DIM else 0


def _is_of_signed_bits(operation: Operation, made: Instruction) -> bool:
    """Whether an operation on single bits takes 1 for -1."""
    if not made.operands or made.kind == CHOICE or _width(operation.operands[0].type) != 1:
        return False
    if made.kind == COMPARISON:
        return SLT <= made.detail <= SGE
    return made.name not in (*_BITWISE, "arith.extui")


def _static_extent(operation: Operation) -> int:
    """The extent that a memref has by its type, or -1."""
    memref, axis = operation.operands
    position = constant_integer(axis)
    shape = static_shape(memref.type) if isinstance(memref.type, ir.MemRefType) else []
    extent = shape[position] if position is not None and 0 <= position < len(shape) else None
    return -1 if extent is None else extent
