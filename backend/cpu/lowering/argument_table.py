"""Functions of many arrays look where these are when they need them, and not all at the start.

The addresses of hundreds of arrays do not fit into registers. If a function takes them as arguments, its whole body is
between where each is read and where it is used, and LLVM takes a time that grows with the square of their number.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.made_ops import operation_of
from ....dialect.mlir import Module, Operation, Value, ir
from ....dialect.records import dataclass
from ....passes.base import Pass, Statistics
from ...planning.plan_attributes import PLAN, called_once
from .array_layout import DATA
from .parameters import BY_POINTER

MAX_ARRAYS = 64
"""So many arrays are arguments."""


BY_TABLE = "weft.by_table"
"""The attribute of functions that take the table of array objects."""


@dataclass(frozen=True)
class ReadArgumentTable(Pass):
    """Let a planned function in the LLVM dialect take the table of array objects, if it has many of them.

    f(a, b, ..., workspace, record) becomes f(arrays, workspace, record).
    """

    data: int = DATA
    """Where the objects in the table have the address of the elements, in bytes."""

    def run(self, module: Module, statistics: Statistics) -> None:
        for function in called_once(module):
            if BY_POINTER in function.attributes and PLAN in function.attributes:
                plan = ir.DictAttr(function.attributes[PLAN])
                count = len(plan["inputs"]) + len(plan["results"])
                if count > MAX_ARRAYS:
                    _read_when_used(function, count, self.data)
                    statistics["arrays"] += count


def _read_when_used(function: Operation, count: int, data: int) -> None:
    """Replace the first arguments of a function, so many arrays, by their table."""
    block = function.regions[0].blocks[0]
    pointer = ir.Type.parse("!llvm.ptr")
    table = block.add_argument(pointer, function.location)
    reader = _Reader(table, pointer, data)
    for number, argument in enumerate(list(block.arguments)[:count]):
        for use in list(argument.uses):
            user = use.owner.operation
            with ir.InsertionPoint(user), user.location:
                user.operands[use.operand_number] = reader.address(number)
    rest = list(block.arguments)[count:-1]
    for old in rest:
        old.replace_all_uses_with(block.add_argument(pointer, function.location))
    for _ in range(count + len(rest)):
        block.erase_argument(0)
    function.attributes["function_type"] = ir.TypeAttr.get(
        ir.Type.parse(f"!llvm.func<void ({', '.join(['ptr'] * (1 + len(rest)))})>")
    )
    if "arg_attrs" in function.attributes:
        del function.attributes["arg_attrs"]
    function.attributes[BY_TABLE] = ir.UnitAttr.get()


class _Reader:
    """Writes how the address of an array's elements is found; array objects do not change while compiled code runs."""

    def __init__(self, table: Value, pointer: ir.Type, data: int) -> None:
        self._table = table
        self._pointer = pointer
        self._data = data
        self._word = ir.TypeAttr.get(pointer)
        self._byte = ir.TypeAttr.get(ir.IntegerType.get_signless(8))

    def address(self, number: int) -> Value:
        """The address of the elements of the array with a number, read at the insertion point."""
        array = self._load(self._offset(self._table, self._word, number))
        return self._load(self._offset(array, self._byte, self._data))

    def _offset(self, base: Value, element: ir.Attribute, index: int) -> Value:
        constant = {"elem_type": element, "rawConstantIndices": ir.DenseI32ArrayAttr.get([index])}
        return self._make("llvm.getelementptr", [base], constant)

    def _load(self, address: Value) -> Value:
        return self._make("llvm.load", [address], {"invariant": ir.UnitAttr.get()})

    def _make(self, name: str, operands: Sequence[Value], attributes: dict[str, ir.Attribute]) -> Value:
        made: Operation = operation_of(name, operands, [self._pointer], **attributes)
        return made.results[0]
