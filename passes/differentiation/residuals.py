"""What a reverse region needs of the forward one: used, computed again, or kept.

The reverse region is built first, with values of the forward region as operands. Then it is seen which of them it
uses, and these are provided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...dialect.attributes import type_from_mlir
from ...dialect.errors import WeftTypeError
from ...dialect.extents import SCALAR
from ...dialect.mlir import Block, Operation, Value, ir
from ...dialect.op import Cost
from ...dialect.ops.creation import Empty
from ...dialect.ops.shape import Dim
from ...dialect.ops.slicing import Update
from ...dialect.ops.state import RaiseIf, ReadRef, WriteRef
from ...dialect.register import create, decode_attributes, op_class_of
from ...dialect.types import TensorType
from ..control_flow.extents import Extents
from ..control_flow.speculation import is_pure
from ..control_flow.structure import CONTROL, copy_of, defined_inside, used_inside
from ..rewriting import is_unused, made_again, operations_in, operations_of
from .minimum_cut import values_to_keep

PIECE = "weft.piece"
"""The attribute of loops over a piece of another loop, whose step is the length of the piece."""
AGAIN = "weft.again"
"""The attribute of cells that the second run of a loop works on."""
LOGGED = "weft.logged"
"""The attribute of calls of Python whose results the second run of a loop reads of a log."""
_UNKNOWN_EXTENT = 4096
"""What is taken for an extent that is known only at run time."""
_NEVER_KEPT = 1 << 50
"""The size of what other values are computed of again in any case: numbers of other dialects."""

_LARGE_FAMILIES = ("contraction", "reductions", "scans", "sorting", "windows", "state", "differentiation")
_SCALAR_DIALECTS = ("arith.", "tensor.")


def may_repeat(operation: Operation) -> bool:
    """Whether an op is as cheap as reading its result, or what it takes is that much smaller."""
    if op_class_of(operation) is Empty:
        return True
    if len(operation.regions) or not is_pure(operation):
        return False
    op_class = op_class_of(operation)
    if op_class is None:
        return bool(operation.name.startswith(_SCALAR_DIALECTS))
    if op_class.family == "random":
        return True  # of a state, which is small: a mask of dropout is drawn again
    is_cheap = op_class.cost < Cost.EXPENSIVE and op_class.family not in _LARGE_FAMILIES
    return is_cheap and not issubclass(op_class, Update)


def may_run_again(operation: Operation) -> bool:
    """Whether a branch or loop computes the same when it runs again without its effects."""
    if operation.name not in CONTROL:
        return False
    inside = operations_of(operation)
    return not any(
        op_class_of(op) is ReadRef or (op.name == "func.call" and len(op.results)) for op in inside
    )


def is_piece(operation: Operation) -> bool:
    """Whether an op is a loop over a piece of another."""
    return PIECE in operation.attributes


def is_effect(operation: Operation) -> bool:
    """Whether an op is there for what it does: a check, a write, a call of Python; not a write that runs again, too."""
    if op_class_of(operation) is WriteRef and is_again(operation.operands[0]):
        return False
    is_call = operation.name == "func.call" and is_unused(operation) and LOGGED not in operation.attributes
    return is_call or op_class_of(operation) in (RaiseIf, WriteRef)


def is_again(cell: Value) -> bool:
    """Whether a cell was made for what runs again, in place of one of the program."""
    return not isinstance(cell.owner, ir.Block) and AGAIN in cell.owner.operation.attributes


def copy_without_effects(operation: Operation, values: dict[Value, Value]) -> Operation:
    """A copy at the current insertion point, as of `copy_of`, that leaves out what ops inside do."""
    copy = copy_of(operation, values)
    for inner in reversed(operations_of(copy)) if len(copy.regions) else ():
        if is_effect(inner):
            inner.erase()
    return copy


def size_of(value: Value) -> int:
    """How many bytes it takes to keep a value, about as many where extents are known only at run time."""
    try:
        found = type_from_mlir(value.type)
    except WeftTypeError:
        return _NEVER_KEPT
    assert isinstance(found, TensorType)
    extents = (_UNKNOWN_EXTENT if extent is None else extent for extent in found.shape)
    return max(1, math.prod(extents) * found.dtype.itemsize)


def _is_static(value: Value) -> bool:
    return not isinstance(value.type, ir.RankedTensorType) or value.type.has_static_shape


class ForwardRegion:
    """A block of the forward program that has a reverse."""

    def __init__(self, owner: Operation, block: Block, known: Iterable[Value]) -> None:
        self.owner = owner
        self.block = block
        self.operations = operations_in(block)[:-1]
        self.producers = {result: op for op in self.operations for result in op.results}
        self.inside = defined_inside(owner)
        self.outer = {*block.arguments, *self.producers}
        """What is defined in the block itself."""
        self.free = set(known)
        """What is computed of values from outside, and of those known, by cheap ops."""
        for operation in self.operations:
            operands = operation.operands
            if may_repeat(operation) and all(v not in self.inside or v in self.free for v in operands):
                self.free.update(operation.results)

    def used_by(self, operations: Iterable[Operation]) -> list[Value]:
        """Its values that ops use, and those inside of them."""
        found: dict[Value, None] = {}
        for operation in operations:
            for inner in [operation, *operations_of(operation)]:
                found.update((operand, None) for operand in inner.operands if operand in self.inside)
        return list(found)

    def sources(self, value: Value) -> list[Value] | None:
        """Of what a value may be computed again; a loop runs again for what has another size each time, or a piece."""
        operation = self.producers.get(value)
        if operation is None:
            return None
        is_again = is_piece(operation) or not _is_static(value)
        if may_repeat(operation) or (is_again and may_run_again(operation)):
            return self.read_by(operation)
        return None

    def read_by(self, operation: Operation) -> list[Value]:
        """The values of the block that an op reads, also inside of it."""
        return [value for value in dict.fromkeys(used_inside(operation)) if value in self.outer]

    def keep(self, needed: list[Value], also_free: Iterable[Value] = ()) -> list[Value]:
        """Which values to keep for those that are needed."""
        return values_to_keep(needed, self.sources, self.free | set(also_free), size_of)

    def reached(self, needed: list[Value], kept: Iterable[Value]) -> set[Value]:
        """What is computed again, and of what, on the way from what is kept to what is needed."""
        found: set[Value] = set()
        pending, stops = list(needed), set(kept)
        while pending:
            value = pending.pop()
            if value in found or value in stops or value not in self.inside:
                continue
            found.add(value)
            if value in self.producers:
                pending += self.read_by(self.producers[value])
        return found

    def provide(self, operations: Iterable[Operation], known: dict[Value, Value], anchor: Operation) -> None:
        """Let ops use values that are known in place of forward ones, or compute them again in front of an op."""
        for operation in operations:
            for inner in [operation, *operations_of(operation)]:
                for index, operand in enumerate(inner.operands):
                    if operand in self.inside:
                        inner.operands[index] = self.again(operand, known, anchor)

    def again(self, value: Value, known: dict[Value, Value], anchor: Operation) -> Value:
        """A value of the forward region in the reverse one."""
        if value in known or value not in self.inside:
            return known.get(value, value)
        operation = self.producers[value]
        for operand in self.read_by(operation):
            self.again(operand, known, anchor)
        with ir.InsertionPoint(anchor):
            copy_without_effects(operation, known)
        return known[value]

    def ask_for_extents(self, operations: Iterable[Operation]) -> None:
        """Let ops ask for extents of forward values outside of the region, or in it: not of a value that is kept."""
        extents = Extents()
        for root in list(operations):
            for operation in [root, *operations_of(root)]:
                if op_class_of(operation) is Dim and operation.operands[0] in self.inside:
                    self._ask(operation, extents)

    def _ask(self, dim: Operation, extents: Extents) -> None:
        value = dim.operands[0]
        source, axis = extents.origin(value, decode_attributes(Dim, dim)["axis"])
        if source not in self.inside and axis == SCALAR:
            dim.results[0].replace_all_uses_with(source)
            dim.erase()
            return
        if source not in self.inside:
            with ir.InsertionPoint(dim):
                made = create(Dim, [source], {"axis": axis}, location=dim.location)
        else:
            place = (
                ir.InsertionPoint.at_block_begin(value.owner)
                if isinstance(value.owner, ir.Block)
                else ir.InsertionPoint.after(value.owner.operation)
            )
            with place:
                made = create(Dim, [value], decode_attributes(Dim, dim), location=dim.location)
            self.inside.add(made.results[0])
            self.outer.add(made.results[0])
            self.producers[made.results[0]] = made
        dim.results[0].replace_all_uses_with(made.results[0])
        dim.erase()


def rebuilt(operation: Operation, operands: list[Value], results: list[Value]) -> Operation:
    """The op with further operands and results, in its place; its blocks move.

    The caller takes the op out of the program, where handles of it stay valid.
    """
    with ir.InsertionPoint(operation):
        types = [result.type for result in (*operation.results, *results)]
        made = made_again(operation, types, [*operation.operands, *operands])
    for old, new in zip(operation.results, made.results, strict=False):
        old.replace_all_uses_with(new)
    return made
