"""What the weft-to-weft passes share: a function's ops, who makes and who uses which value, and rewrites.

The bindings make a typed view of an op whenever a block is iterated or the owner of a value is asked for,
which takes 20 us each; here one walk collects plain operations, and dictionaries hold producers and users.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from typing import Any

import numpy as np

from ..dialect.attributes import elements_from_mlir, type_from_mlir
from ..dialect.errors import InternalError
from ..dialect.lazy import lazy
from ..dialect.made_ops import operation_of
from ..dialect.mlir import Attribute, Block, Module, Operation, Type, Value, ir
from ..dialect.op import Array, Op
from ..dialect.ops.creation import Constant
from ..dialect.ops.shape import BroadcastTo
from ..dialect.register import create, decode_attributes, op_class_of
from ..dialect.types import TensorType


def defined_functions(module: Module) -> Iterator[Any]:
    """The functions of a module that have a body."""
    for view in module.body.operations:
        if view.operation.name == "func.func" and not view.is_external:
            yield view


def symbols_of(module: Module) -> dict[str, Operation]:
    """The ops of a module that have names."""
    operations = operations_in(module.body)
    return {op.attributes["sym_name"].value: op for op in operations if "sym_name" in op.attributes}


def operations_in(block: Block) -> list[Operation]:
    """The ops of a block, without those in their regions.

    Going from op to op by insertion points takes a tenth of what iterating over the block takes, which makes views.
    """
    found: list[Operation] = []
    operation = ir.InsertionPoint.at_block_begin(block).ref_operation
    while operation is not None:
        found.append(operation)
        operation = ir.InsertionPoint.after(operation).ref_operation
    return found


def blocks_of(operation: Operation) -> list[Block]:
    """The blocks of all regions of an op."""
    return [block for region in operation.regions for block in region]


def operations_directly_in(operation: Operation) -> list[Operation]:
    """The ops of the blocks of an op, without those in their regions."""
    return [inner for block in blocks_of(operation) for inner in operations_in(block)]


def terminator(block: Block) -> Operation:
    """The last op of a block."""
    return ir.InsertionPoint.at_block_terminator(block).ref_operation


def operations_of(root: Operation) -> list[Operation]:
    """All ops inside an op in program order, an op with regions before what they hold."""
    found: list[Operation] = []
    append, advance = found.append, ir.WalkResult.ADVANCE  # most passes begin with this

    def visit(operation: Operation) -> Any:
        append(operation)
        return advance

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[1:]


def names_of_ops(root: Operation) -> set[str]:
    """The names of all ops inside an op, and its own."""
    found: set[str] = set()
    note, advance = found.add, ir.WalkResult.ADVANCE

    def visit(operation: Operation) -> Any:
        note(operation.name)
        return advance

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def holds(root: Operation, names: Set[str]) -> bool:
    """Whether an op, or one inside of it, has one of some names; looks no further then."""
    found = False
    advance, interrupt = ir.WalkResult.ADVANCE, ir.WalkResult.INTERRUPT

    def visit(operation: Operation) -> Any:
        nonlocal found
        if operation.name not in names:
            return advance
        found = True
        return interrupt

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def reassociation_of(reshape: Operation) -> list[list[int]]:
    """The axes that each axis of the smaller side of `tensor.expand_shape` or `collapse_shape` stands for.

    Counted, not read: axes follow each other, and MLIR's verifier does not look at negative numbers.
    """
    axes = itertools.count()
    return [[next(axes) for _ in group] for group in reshape.attributes["reassociation"]]


def reassociation(groups: Iterable[Iterable[int]]) -> Attribute:
    """The attribute of reshapes that says which axes of the larger side each axis of the smaller one stands for."""
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get(
        [ir.ArrayAttr.get([ir.IntegerAttr.get(i64, axis) for axis in group]) for group in groups]
    )


def settle_signature(function: Any) -> None:
    """Let a function have the types of its arguments and of what it returns, which are others now."""
    block = function.regions[0].blocks[0]
    inputs, results = (
        [value.type for value in values] for values in (block.arguments, terminator(block).operands)
    )
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))


def made_again(operation: Operation, results: Iterable[Type], operands: Iterable[Value]) -> Operation:
    """The op with other operands and types of results, at the insertion point; its blocks move, nothing uses it yet."""
    made = operation_of(
        operation.name,
        operands,
        results,
        regions=len(operation.regions),
        location=operation.location,
        **{name: operation.attributes[name] for name in operation.attributes},
    )
    for source, target in zip(operation.regions, made.regions, strict=True):
        for block in list(source):
            block.append_to(target)
    return made


def is_defined_inside(value: Value, operation: Operation) -> bool:
    """Whether a value comes from inside an op."""
    owner = value.owner
    around = owner.owner if isinstance(owner, ir.Block) else owner.operation.parent
    while around is not None and around.operation.name != "func.func":
        if around.operation == operation:
            return True
        around = around.operation.parent
    return False


_UPSTREAM = "arith.constant"
_CONSTANTS = frozenset({_UPSTREAM, Constant.mlir_name()})


def constant_integer(value: Value) -> int | None:
    """The number that an integer or index is, where it is an `arith.constant`."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != _UPSTREAM:
        return None
    attribute = owner.operation.attributes["value"]
    return int(attribute.value) if isinstance(attribute, (ir.IntegerAttr, ir.BoolAttr)) else None


def copy_with(operation: Operation, operands: Sequence[Value]) -> Operation:
    """A copy at the current insertion point of an op without regions, on other operands."""
    copy = operation.clone().operation
    for index, operand in enumerate(operands):
        copy.operands[index] = operand
    return copy


class Graph:
    """The ops of one function with their producers and users, kept up to date while they are rewritten."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.operations = operations_of(function.operation)
        self.producers: dict[Value, Operation] = {}
        self._made: list[Operation] = []
        """Ops that were made since."""
        self._replaced: dict[int, Operation] = {}
        """Ops whose results were replaced, by identity: an operation's hash changes with its operands."""
        self._constants: dict[Value, Array | None] = {}
        self._splats: dict[Value, np.generic | None] = {}
        self.origins: dict[tuple[Value, int | None], tuple[Value, int | None]] = {}
        """For axes of values those of others that have the same extent, as far as patterns asked for them."""
        for operation in self.operations:
            for result in operation.results:
                self.producers[result] = operation

    @lazy
    def users(self) -> dict[Value, list[Operation]]:
        """The ops that use a value, as often as they do; found when something is replaced, which is seldom."""
        users: dict[Value, list[Operation]] = {}
        for operation in (*self.operations, *self._made):
            _add_uses(users, operation)
        return users

    def _note(self, operation: Operation) -> None:
        for result in operation.results:
            self.producers[result] = operation
        self._made.append(operation)
        if "users" in self.__dict__:
            _add_uses(self.users, operation)

    def match(self, value: Value) -> Match | None:
        """The weft op that makes a value, or None for arguments and other dialects."""
        operation = self.producers.get(value)
        op_class = None if operation is None else op_class_of(operation)
        return None if op_class is None else Match(self, operation, op_class)

    def producer(self, value: Value, op_class: type[Op]) -> Match | None:
        """The op that makes a value, when it is of a class."""
        operation = self.producers.get(value)
        is_wanted = operation is not None and op_class_of(operation) is op_class
        return Match(self, operation, op_class) if is_wanted else None

    def is_constant(self, value: Value) -> bool:
        """Whether a value is a constant tensor or scalar, ours or upstream's."""
        operation = self.producers.get(value)
        return operation is not None and operation.name in _CONSTANTS

    def constant(self, value: Value) -> Array | None:
        """The array of a constant tensor, ours or upstream's; None for other values."""
        if value not in self._constants:
            self._constants[value] = _constant_array(self.producers.get(value))
        return self._constants[value]

    def splat_of_constant(self, value: Value) -> np.generic | None:
        """The one value of all elements of a constant of ours, if its elements are equal."""
        if value not in self._splats:
            is_splat = self.producers[value].attributes["value"].is_splat
            array = self.constant(value) if is_splat else None
            self._splats[value] = array.flat[0] if array is not None and array.size else None
        return self._splats[value]

    def create(
        self, before: Operation, op_class: type[Op], operands: Sequence[Value], **attributes: Any
    ) -> Operation:
        """Build an op in front of another one, at its location."""
        with ir.InsertionPoint(before):
            operation = create(op_class, list(operands), attributes, location=before.location)
        self._note(operation)
        return operation

    def create_scalar(self, before: Operation, attribute: Attribute) -> Value:
        """Build an `arith.constant` in front of an op, at its location."""
        with ir.InsertionPoint(before):
            operation = operation_of(
                "arith.constant", [], [attribute.type], location=before.location, value=attribute
            )
        self._note(operation)
        return operation.results[0]

    def scalar(self, value: Value) -> Attribute | None:
        """The attribute of a constant scalar; None for other values."""
        operation = self.producers.get(value)
        return None if operation is None or operation.name != _UPSTREAM else operation.attributes["value"]

    def replace(self, operation: Operation, values: Sequence[Value]) -> list[Operation]:
        """Let the users of an op's results use other values of the same types; returns these users."""
        changed: list[Operation] = []
        for result, value in zip(operation.results, values, strict=True):
            users = self.users.pop(result, [])
            result.replace_all_uses_with(value)
            self.users.setdefault(value, []).extend(users)
            changed += users
        self._replaced[id(operation)] = operation
        return [user for user in changed if not self.is_replaced(user)]

    def has_one_user(self, value: Value) -> bool:
        """Whether one op, once, uses a value, as often as it is made: in the same block, not in a loop inside."""
        users = [user for user in self.users.get(value, ()) if not self.is_replaced(user)]
        return len(users) == 1 and value in self.producers and users[0].block == self.producers[value].block

    def is_replaced(self, operation: Operation) -> bool:
        """Whether an op was replaced, so that nothing uses it any more."""
        return id(operation) in self._replaced

    def erase_unused(self) -> None:
        """Erase the replaced ops and the pure ops without users; the graph is of no use afterwards."""
        for operation in self._replaced.values():
            if is_unused(operation):
                operation.erase()
        changed = self._replaced or self._made
        operations = operations_of(self.function.operation) if changed else self.operations
        for operation in reversed(operations):
            if has_pure_class(operation) and is_unused(operation):
                operation.erase()


def _add_uses(users: dict[Value, list[Operation]], operation: Operation) -> None:
    for operand in operation.operands:
        found = users.get(operand)
        if found is None:
            users[operand] = [operation]
        else:
            found.append(operation)


def _constant_array(operation: Operation | None) -> Array | None:
    if operation is None or operation.name not in _CONSTANTS:
        return None
    attribute = operation.attributes["value"]
    return elements_from_mlir(attribute) if isinstance(attribute, ir.DenseElementsAttr) else None


def replace_operands(operation: Operation, replaced: Mapping[Value, Value]) -> None:
    """Replace the operands of an op that have become others."""
    for number, operand in enumerate(operation.operands):
        if operand in replaced:
            operation.operands[number] = replaced[operand]


def function_around(operation: Operation) -> Operation:
    """The function that an op is in, or is."""
    while operation.name != "func.func":
        operation = operation.parent.operation
    return operation


def indexing_maps(operation: Operation) -> list[ir.AffineMap]:
    """How a nest reads and writes its operands."""
    return [attribute.value for attribute in operation.attributes["indexing_maps"]]


def parallel_dimensions(operation: Operation) -> list[bool]:
    """Which dimensions of a nest are parallel."""
    return ["parallel" in str(kind) for kind in operation.attributes["iterator_types"]]


def is_unused(operation: Operation) -> bool:
    """Whether no result of an op has a use."""
    for result in operation.results:
        for _ in result.uses:
            return False
    return True


def has_pure_class(operation: Operation) -> bool:
    """Whether an op is one of weft's that only computes."""
    op_class = op_class_of(operation)
    return op_class is not None and op_class.is_pure()


class Match:
    """An op as patterns look at it."""

    def __init__(self, graph: Graph, operation: Operation, op_class: type[Op]) -> None:
        self.graph = graph
        self.operation = operation
        self.op_class = op_class

    @lazy
    def operands(self) -> list[Value]:
        """The operands, flat."""
        return list(self.operation.operands)

    @lazy
    def attributes(self) -> dict[str, Any]:
        """The attribute values by field name."""
        return decode_attributes(self.op_class, self.operation)

    @lazy
    def result(self) -> Value:
        """The only result."""
        return self.operation.results[0]

    @lazy
    def result_type(self) -> TensorType:
        """The type of the result."""
        return type_of(self.result)

    def producer(self, operand: int, op_class: type[Op]) -> Match | None:
        """The op that makes an operand, when it is of a class."""
        return self.graph.producer(self.operands[operand], op_class)

    def create(self, op_class: type[Op], *operands: Value, **attributes: Any) -> Value:
        """Build an op in front of this one and return its only result."""
        created: Value = self.graph.create(self.operation, op_class, operands, **attributes).results[0]
        return created

    def splat(self, operand: int) -> np.generic | None:
        """The one value that all elements of an operand have, when that is known."""
        return splat_value(self.graph, self.operands[operand])

    def filled(self, value: Any) -> Value | None:
        """A constant of the result's type with all elements equal, or None when the shape is not static."""
        if not self.result_type.is_static:
            return None
        scalar = self.create(Constant, value=np.asarray(value, self.result_type.dtype))
        if self.result_type.rank == 0:
            return scalar
        return self.create(BroadcastTo, scalar, shape=self.result_type.shape)


def type_of(value: Value) -> TensorType:
    """The tensor type of a value."""
    found = type_from_mlir(value.type)
    if not isinstance(found, TensorType):
        raise InternalError(f"expected a tensor, not {found}")
    return found


def splat_value(graph: Graph, value: Value) -> np.generic | None:
    """The one value of all elements of a constant with equal elements, or of a broadcast scalar constant."""
    operation = graph.producers.get(value)
    if operation is None:
        return None
    op_class = op_class_of(operation)
    if op_class is BroadcastTo:
        return splat_value(graph, operation.operands[0])
    return graph.splat_of_constant(value) if op_class is Constant else None


# linalg.generic


def new_generic(
    inputs: Sequence[Value],
    destinations: Sequence[Value],
    maps: Sequence[ir.AffineMap],
    iterators: Sequence[str] | Attribute,
    results: Sequence[Type] | None = None,
) -> Operation:
    """A `linalg.generic` at the insertion point, with an empty block; `results` are none where it works on memory.

    `maps` are affine maps, inputs first; `iterators` are "parallel" or "reduction".
    """
    kinds = iterators if isinstance(iterators, ir.Attribute) else iterators_attribute(tuple(iterators))
    operands = [*inputs, *destinations]
    op = operation_of(
        "linalg.generic",
        operands,
        [d.type for d in destinations] if results is None else list(results),
        regions=1,
        indexing_maps=maps_attribute(tuple(maps)),
        iterator_types=kinds,
        operandSegmentSizes=segments_attribute(len(inputs), len(destinations)),
    )
    elements = [value.type.element_type for value in operands]
    op.regions[0].blocks.append(*elements, arg_locs=[op.location] * len(elements))
    return op


@cache
def maps_attribute(maps: tuple[Any, ...]) -> Attribute:
    """The `indexing_maps` of a linalg op: programs have few different ones."""
    return ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps])


@cache
def segments_attribute(inputs: int, destinations: int) -> Attribute:
    """The `operandSegmentSizes` of a linalg op."""
    return ir.DenseI32ArrayAttr.get([inputs, destinations])


@cache
def iterators_attribute(iterators: tuple[str, ...]) -> Attribute:
    return ir.ArrayAttr.get([_iterator(name) for name in iterators])


@cache
def _iterator(name: str) -> Attribute:
    return ir.Attribute.parse(f"#linalg.iterator_type<{name}>")
