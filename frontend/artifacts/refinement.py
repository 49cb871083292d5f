"""A function of a file for arrays whose sizes are known: what follows from them is written into the types.

Sizes are followed through ops by their own rules, through branches and loops as far as all paths agree.
Where sizes do not fit, the program raises.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.attributes import type_from_mlir, type_to_mlir
from ...dialect.errors import WeftError
from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.ops.shape import Dim, Stretch
from ...dialect.ops.state import WriteRef
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.types import RefType, TensorType, ValueType
from ...passes.guarding.guard_sizes import TAKES_EMPTY
from ...passes.rewriting import blocks_of, operations_in, operations_of, settle_signature, terminator
from .unreachable import raise_instead

_CAST = "tensor.cast"


def refine(function: Operation, inputs: Sequence[ValueType]) -> bool:
    """Give a function arguments of some types, which have more extents; False where it must stay as it is."""
    refinement = _Refinement()
    block = function.regions[0].blocks[0]
    if any(op.name == "func.call" for op in operations_of(function)):
        return False  # what it calls has types of its own, and cells cannot be cast
    for argument, given in zip(block.arguments, inputs, strict=True):
        refinement.types[argument] = given
    refinement.infer_block(block)
    refinement.apply(function)
    return True


class _Refinement:
    """What the values of one function turn out to be."""

    def __init__(self) -> None:
        self.types: dict[Value, ValueType] = {}
        self._extents: dict[Value, int] = {}
        """What is known to be the extent of an array."""
        self._refused: dict[Operation, str] = {}
        """Ops that do not take the sizes of their operands, with the reasons."""

    def type_of(self, value: Value) -> ValueType | None:
        """The type of a value; None for scalars."""
        if value not in self.types:
            if not isinstance(value.type, ir.RankedTensorType) and not str(value.type).startswith("!weft"):
                return None
            self.types[value] = type_from_mlir(value.type)
        return self.types[value]

    # What follows

    def infer_block(self, block: Block) -> None:
        """Follow the ops of a block, as far as one that does not take its operands."""
        self._refused = {op: reason for op, reason in self._refused.items() if not _is_within(op, block)}
        for op in operations_in(block):
            if op.name == "scf.if":
                self._infer_if(op)
            elif op.name == "scf.for":
                self._infer_for(op)
            elif op.name == "scf.while":
                self._infer_while(op)
            elif op.name == _CAST:
                self._set(op.results[0], self.type_of(op.operands[0]))
            elif op_class_of(op) is not None:
                self._infer_op(op)
            if op in self._refused and not _takes_empty(op):
                return

    def _infer_op(self, op: Operation) -> None:
        op_class = op_class_of(op)
        assert op_class is not None
        operands = [self.type_of(operand) for operand in op.operands]
        if None in operands:
            return
        try:
            found = op_class.result_types(operands, decode_attributes(op_class, op))  # type: ignore[arg-type]
        except WeftError as error:
            self._refused[op] = str(error)
            return
        for result, inferred in zip(op.results, found, strict=True):
            self._set(result, self._with_given_extents(op, inferred))
        if op_class is Dim:
            self._note_extent(op)

    def _note_extent(self, op: Operation) -> None:
        array, axis = self.type_of(op.operands[0]), int(op.attributes["axis"])
        self._extents.pop(op.results[0], None)
        if isinstance(array, TensorType) and (extent := array.shape[axis]) is not None:
            self._extents[op.results[0]] = extent

    def _with_given_extents(self, op: Operation, found: ValueType) -> ValueType:
        """What an op makes whose shape is an attribute, where -1 stands for the next of its operands."""
        if "shape" not in op.attributes or not isinstance(found, TensorType):
            return found
        given = iter(list(op.operands)[1:])
        shape = [
            self._extents.get(next(given)) if extent == -1 else extent for extent in op.attributes["shape"]
        ]
        if len(shape) != found.rank:
            return found
        pairs = zip(found.shape, shape, strict=True)
        return found.with_shape([one if one is not None else other for one, other in pairs])

    def _set(self, value: Value, found: ValueType | None) -> None:
        """A value is of a type, and of the one that it is declared to be."""
        declared = type_from_mlir(value.type)
        self.types[value] = declared if found is None else _merged(declared, found)

    def _infer_if(self, op: Operation) -> None:
        ends = []
        for block in blocks_of(op):
            self.infer_block(block)
            ends.append(list(terminator(block).operands))
        if len(ends) == 2:
            for result, one, other in zip(op.results, *ends, strict=True):
                self._join(result, one, other)

    def _join(self, value: Value, *sources: Value) -> None:
        """A value is one of several."""
        found = [self.type_of(source) for source in sources]
        if found[0] is not None:
            joined = found[0]
            for other in found[1:]:
                joined = _joined(joined, other)
            self.types[value] = joined

    def _infer_for(self, op: Operation) -> None:
        block = op.regions[0].blocks[0]
        carried = list(block.arguments)[1:]
        self._settle(carried, list(op.operands)[3:], block, list(terminator(block).operands))
        for result, argument in zip(op.results, carried, strict=True):
            self._join(result, argument)

    def _infer_while(self, op: Operation) -> None:
        before, after = op.regions[0].blocks[0], op.regions[1].blocks[0]
        passed = list(terminator(before).operands)[1:]
        carried, starts = list(before.arguments), list(op.operands)
        for argument, start in zip(carried, starts, strict=True):
            self._join(argument, start)
        while True:
            self.infer_block(before)
            for argument, value in zip(after.arguments, passed, strict=True):
                self._join(argument, value)
            self.infer_block(after)
            if not self._widened(carried, list(terminator(after).operands)):
                break
        for result, value in zip(op.results, passed, strict=True):
            self._join(result, value)

    def _settle(self, carried: list[Value], starts: list[Value], block: Block, ends: list[Value]) -> None:
        """Follow the body of a loop until what it carries is what its end gives: extents only become unknown."""
        for argument, start in zip(carried, starts, strict=True):
            self._join(argument, start)
        while True:
            self.infer_block(block)
            if not self._widened(carried, ends):
                return

    def _widened(self, carried: list[Value], ends: list[Value]) -> bool:
        changed = False
        for argument, end in zip(carried, ends, strict=True):
            before, given = self.type_of(argument), self.type_of(end)
            if before is not None:
                self.types[argument] = _joined(before, given)
                changed |= self.types[argument] != before
        return changed

    # The new types

    def apply(self, function: Operation) -> None:
        """Write the types into the function, with casts where some op takes another one."""
        declared = {op: [type_from_mlir(operand.type) for operand in op.operands] for op in self._refused}
        for value, found in self.types.items():
            value.set_type(type_to_mlir(found))
        for op, reason in self._refused.items():
            if _takes_empty(op):
                for place, wanted in enumerate(declared[op]):
                    assert isinstance(wanted, TensorType)
                    self._cast(op, place, wanted)
            else:
                raise_instead(op, reason)
        for op in operations_of(function):
            if op.name == "scf.if":
                self._fit_ends(op, list(op.results))
            elif op.name == "scf.for":
                carried = list(op.regions[0].blocks[0].arguments)[1:]
                self._fit(op, 3, carried)
                self._fit_ends(op, carried)
            elif op.name == "scf.while":
                before, after = op.regions[0].blocks[0], op.regions[1].blocks[0]
                self._fit(op, 0, list(before.arguments))
                self._fit(terminator(before), 1, list(after.arguments))
                self._fit(terminator(after), 0, list(before.arguments))
            elif op_class_of(op) is Stretch and op.operands[0].type == op.results[0].type:
                op.results[0].replace_all_uses_with(op.operands[0])
                op.erase()
            elif op_class_of(op) is WriteRef:
                cell = type_from_mlir(op.operands[0].type)
                assert isinstance(cell, RefType)
                self._cast(op, 1, cell.tensor)
        settle_signature(function)

    def _fit_ends(self, op: Operation, wanted: list[Value]) -> None:
        for block in blocks_of(op):
            self._fit(terminator(block), 0, wanted)

    def _fit(self, op: Operation, first: int, wanted: list[Value]) -> None:
        """Let operands of an op have the types of some values."""
        for place, value in enumerate(wanted, first):
            found = self.type_of(value)
            if isinstance(found, TensorType):
                self._cast(op, place, found)

    def _cast(self, op: Operation, place: int, wanted: TensorType) -> None:
        operand = op.operands[place]
        if type_from_mlir(operand.type) != wanted:
            with ir.InsertionPoint(op), op.location:
                op.operands[place] = ir.Operation.create(_CAST, [type_to_mlir(wanted)], [operand]).results[0]


def _takes_empty(op: Operation) -> bool:
    """Whether an op makes something of no elements, though its rule refuses what is known to have none."""
    op_class = op_class_of(op)
    return op_class is not None and op_class.family == TAKES_EMPTY


def _is_within(op: Operation, block: Block) -> bool:
    """Whether an op lies in a block, or in the regions of its ops."""
    while op.name != "func.func" and op.block != block:
        op = op.parent.operation
    return bool(op.name != "func.func")


def _merged(declared: ValueType, found: ValueType) -> ValueType:
    """What is known of a value that is of two types."""
    if isinstance(declared, RefType) and isinstance(found, RefType):
        inner = _merged(declared.tensor, found.tensor)
        return RefType(inner) if isinstance(inner, TensorType) else declared
    if not isinstance(declared, TensorType) or not isinstance(found, TensorType):
        return declared
    if len(declared.shape) != len(found.shape):
        return declared
    pairs = zip(declared.shape, found.shape, strict=True)
    return declared.with_shape([one if one is not None else other for one, other in pairs])


def _joined(one: ValueType, other: ValueType | None) -> ValueType:
    """What is known of a value that is of one of two types."""
    if not isinstance(one, TensorType) or not isinstance(other, TensorType):
        return one
    pairs = zip(one.shape, other.shape, strict=True)
    return one.with_shape([a if a == b else None for a, b in pairs])
