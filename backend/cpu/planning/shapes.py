"""Sizes of tensor values in terms of what is known before anything is computed.

Buffers are planned before the kernels run, so the sizes of every intermediate must be index arithmetic on the
sizes of the arguments. `Sizes` answers that question for the tensors of one function, op by op.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from ....dialect.errors import InternalError, UnsupportedError
from ....dialect.mlir import Operation, Type, Value, dialect, ir

Extent: TypeAlias = "int | Value"
"""A size: a Python int when static, an `index` value of the function otherwise."""

# Results of these ops have the shape of the operand they are written into.
_DESTINATION_OPERAND = {"tensor.insert_slice": 1, "tensor.insert": 1, "linalg.fill": 1}


class IndexBuilder:
    """Makes index arithmetic at the current insertion point and folds what is static."""

    def __init__(self) -> None:
        self._arith = dialect("arith")
        self._constants: dict[int, Value] = {}

    def value(self, extent: Extent) -> Value:
        """The extent as an `index` value; constants are made once, at the top of the function."""
        if not isinstance(extent, int):
            return extent
        found = self._constants.get(extent)
        if found is None:
            entry = _entry_block(ir.InsertionPoint.current.block)
            with ir.InsertionPoint.at_block_begin(entry):
                found = self._arith.constant(ir.IndexType.get(), extent)
            self._constants[extent] = found
        return found

    def add(self, left: Extent, right: Extent) -> Extent:
        """left + right."""
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        if isinstance(left, int) and left == 0:
            return right
        if isinstance(right, int) and right == 0:
            return left
        return self._arith.addi(self.value(left), self.value(right))

    def multiply(self, left: Extent, right: Extent) -> Extent:
        """left * right."""
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        if isinstance(left, int) and left == 1:
            return right
        if isinstance(right, int) and right == 1:
            return left
        return self._arith.muli(self.value(left), self.value(right))

    def product(self, extents: Sequence[Extent]) -> Extent:
        """The product of all extents, 1 of none."""
        result: Extent = 1
        for extent in extents:
            result = self.multiply(result, extent)
        return result

    def round_up(self, extent: Extent, multiple: int) -> Extent:
        """The smallest multiple of a power of two that is at least the extent."""
        if isinstance(extent, int):
            return -(-extent // multiple) * multiple
        return self._arith.andi(self.value(self.add(extent, multiple - 1)), self.value(-multiple))


class Sizes:
    """The sizes of the tensors of one function, as static ints or index values.

    Ops are made at the current insertion point, which only ever moves forward in one block, so what was made
    for one question is reused for the next. When the function is being rewritten into another one, `mapping`
    gives the values of the new one; the answers are in those terms.
    """

    def __init__(self, builder: IndexBuilder, mapping: dict[Value, Value] | None = None) -> None:
        self.builder = builder
        self._mapping = {} if mapping is None else mapping
        self._known: ChainMap[Value, list[Extent]] = ChainMap()

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget, in the end, what is made inside a region."""
        outside = self._known
        self._known = outside.new_child()
        yield
        self._known = outside

    def of(self, value: Value) -> list[Extent]:
        """The sizes of a tensor, outermost first."""
        shape = static_shape(value.type)
        if None not in shape:
            return [extent for extent in shape if extent is not None]
        known = self._known.get(value)
        if known is None:
            derived = self._derive(value)
            known = [
                self._mapped(found) if extent is None else extent
                for extent, found in zip(shape, derived, strict=True)
            ]
            self._known[value] = known
        return known

    def typed(self, value: Value) -> list[Extent]:
        """The sizes of a tensor, static exactly where its type says so."""
        return [
            extent if known is not None else self.builder.value(extent)
            for known, extent in zip(static_shape(value.type), self.of(value), strict=True)
        ]

    def _mapped(self, extent: Extent) -> Extent:
        return extent if isinstance(extent, int) else self._mapping.get(extent, extent)

    def _derive(self, value: Value) -> Sequence[Extent]:
        owner = value.owner
        if isinstance(owner, ir.Block):
            return self._of_argument(value, owner)
        op = owner.operation
        name: str = op.name
        operands = list(op.operands)
        if name in _DESTINATION_OPERAND:
            return self.of(operands[_DESTINATION_OPERAND[name]])
        if name in ("tensor.cast", "bufferization.materialize_in_destination"):
            return self.of(operands[0])
        if name == "arith.select":
            return self.of(operands[1])
        if name.startswith("linalg."):
            return self.of(operands[len(operands) - len(op.results) + value.result_number])
        rule = getattr(self, "_of_" + name.replace(".", "_"), None)
        if rule is None:
            raise InternalError(f"{op.location}: no rule gives the sizes of the result of {name}")
        extents: Sequence[Extent] = rule(op, value)
        return extents

    def _of_argument(self, value: Value, block: ir.Block) -> Sequence[Extent]:
        parent = block.owner.operation
        if parent.name == "func.func":
            return self._read(value)
        if parent.name == "scf.for":
            return self.of(list(parent.operands)[2 + value.arg_number])
        if parent.name == "scf.while":
            return self.of(list(parent.operands)[value.arg_number])
        raise InternalError(f"{parent.location}: sizes of a block argument of {parent.name}")

    def _read(self, value: Value) -> Sequence[Extent]:
        source: Value = self._mapping.get(value, value)
        dim = dialect("memref" if isinstance(source.type, ir.MemRefType) else "tensor").dim
        return [
            dim(source, self.builder.value(i)) if extent is None else extent
            for i, extent in enumerate(static_shape(value.type))
        ]

    def _of_bufferization_to_tensor(self, op: Operation, value: Value) -> Sequence[Extent]:
        return self._read(op.operands[0])

    def _of_func_call(self, op: Operation, value: Value) -> Sequence[Extent]:
        # The last arguments of a kernel are the destinations of its tensor results.
        tensors = sum(isinstance(result.type, ir.RankedTensorType) for result in op.results)
        return self.of(op.operands[len(op.operands) - tensors + value.result_number])

    def _of_tensor_empty(self, op: Operation, value: Value) -> Sequence[Extent]:
        dynamic = iter(op.operands)
        return [next(dynamic) if extent is None else extent for extent in static_shape(value.type)]

    _of_tensor_generate = _of_tensor_empty

    def _of_tensor_splat(self, op: Operation, value: Value) -> Sequence[Extent]:
        dynamic = iter(list(op.operands)[1:])
        return [next(dynamic) if extent is None else extent for extent in static_shape(value.type)]

    def _of_tensor_extract_slice(self, op: Operation, value: Value) -> Sequence[Extent]:
        sizes = mixed(op, "static_sizes", 2)
        return [sizes[axis] for axis in kept_axes(sizes, static_shape(value.type))]

    def _of_tensor_collapse_shape(self, op: Operation, value: Value) -> Sequence[Extent]:
        source = self.of(op.operands[0])
        groups = op.attributes["reassociation"]
        return [self.builder.product([source[int(i.value)] for i in group]) for group in groups]

    def _of_tensor_expand_shape(self, op: Operation, value: Value) -> Sequence[Extent]:
        dynamic = iter(list(op.operands)[1:])
        return [next(dynamic) if extent is None else extent for extent in static_shape(value.type)]

    def _of_tensor_pad(self, op: Operation, value: Value) -> Sequence[Extent]:
        source = self.of(op.operands[0])
        low, high = mixed(op, "static_low", 1), mixed(op, "static_high", 2)
        add = self.builder.add
        return [
            add(add(extent, before), after) for extent, before, after in zip(source, low, high, strict=True)
        ]

    def _of_tensor_concat(self, op: Operation, value: Value) -> Sequence[Extent]:
        axis = int(op.attributes["dim"].value)
        parts = [self.of(operand) for operand in op.operands]
        total: Extent = 0
        for part in parts:
            total = self.builder.add(total, part[axis])
        return [*parts[0][:axis], total, *parts[0][axis + 1 :]]

    def _of_scf_for(self, op: Operation, value: Value) -> Sequence[Extent]:
        return self.of(list(op.operands)[3 + value.result_number])

    def _of_scf_while(self, op: Operation, value: Value) -> Sequence[Extent]:
        condition = list(op.regions[0].blocks[0].operations)[-1]
        return self._from_inside(condition.operands[1 + value.result_number], op)

    def _of_scf_if(self, op: Operation, value: Value) -> Sequence[Extent]:
        terminator = list(op.regions[0].blocks[0].operations)[-1]
        return self._from_inside(terminator.operands[value.result_number], op)

    def _from_inside(self, value: Value, region_op: Operation) -> Sequence[Extent]:
        """The sizes of a value that is defined in a region, outside of it."""
        with self.scope():  # the region may not be rewritten yet: what is found now must not be remembered
            return [self._lift(extent, region_op) for extent in self.of(value)]

    def _lift(self, extent: Extent, region_op: Operation) -> Extent:
        """A size that is computed inside an op, computed again outside."""
        if isinstance(extent, int) or not _is_inside(extent, region_op):
            return self._mapped(extent)
        if isinstance(extent.owner, ir.Block):
            raise UnsupportedError(
                f"{region_op.location}: the size of an array depends on the course of a loop"
            )
        op = extent.owner.operation
        if op.name == "tensor.dim":
            axis = op.operands[1].owner.operation.attributes["value"].value
            return self._lift(self.of(op.operands[0])[axis], region_op)
        copy = op.clone()
        for index, operand in enumerate(op.operands):
            copy.operands[index] = self.builder.value(self._lift(operand, region_op))
        return copy.results[extent.result_number]

    _of_scf_execute_region = _of_scf_if


def static_shape(type: Type) -> list[int | None]:
    """The shape of a tensor or memref type with None for dynamic sizes."""
    dynamic = ir.ShapedType.get_dynamic_size()
    return [None if extent == dynamic else extent for extent in type.shape]


def mixed(op: Operation, attribute: str, segment: int) -> list[Extent]:
    """Offsets, sizes or paddings of an op: static ones from the attribute, others from an operand segment."""
    segments = list(op.attributes["operandSegmentSizes"])
    first = sum(segments[:segment])
    dynamic = iter(list(op.operands)[first : first + segments[segment]])
    marker = ir.ShapedType.get_dynamic_size()
    return [next(dynamic) if extent == marker else int(extent) for extent in op.attributes[attribute]]


def kept_axes(sizes: list[Extent], shape: list[int | None]) -> list[int]:
    """The axes of a slice that a tensor of a lower rank has: all but some of size 1, the first ones it may miss."""
    kept: list[int] = []
    surplus = len(sizes) - len(shape)
    for axis, size in enumerate(sizes):
        unit = isinstance(size, int) and size == 1
        wanted = shape[len(kept)] if len(kept) < len(shape) else None
        if surplus and unit and wanted != 1:
            surplus -= 1
        else:
            kept.append(axis)
    return kept


def _is_inside(value: Value, region_op: Operation) -> bool:
    """Whether a value is defined in a region of an op."""
    inner = (
        value.owner.owner.operation
        if isinstance(value.owner, ir.Block)
        else value.owner.operation.parent.operation
    )
    while inner.name != "func.func":
        if inner == region_op:
            return True
        inner = inner.parent.operation
    return False


def _entry_block(block: ir.Block) -> ir.Block:
    """The first block of the function around a block."""
    operation = block.owner.operation
    while operation.name != "func.func":
        operation = operation.parent.operation
    return operation.regions[0].blocks[0]
