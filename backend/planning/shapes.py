"""Sizes of tensor values in terms of what is known before anything is computed.

Buffers are planned before the kernels run, so the sizes of every intermediate must be index arithmetic on the
sizes of the arguments. `Sizes` answers that question for the tensors of one function, op by op.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from typing import TypeAlias

from ...dialect.errors import InternalError
from ...dialect.mlir import Operation, Type, Value, dialect, ir
from .names import is_kernel_name

Extent: TypeAlias = "int | Value"
"""A size: a Python int when static, an `index` value of the function otherwise."""

# Results of these ops have the shape of the operand they are written into, or of the one that they sort.
_DESTINATION_OPERAND = {
    **{"tensor.insert_slice": 1, "tensor.insert": 1, "linalg.fill": 1},
    **{"weft.sort": 0, "weft.argsort": 0, "weft.partition": 0},
}


LARGEST = 2**63 - 1
"""The largest number of type index, for sizes that are too large."""


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
        return self._make("addi", left, right)

    def multiply(self, left: Extent, right: Extent) -> Extent:
        """left * right."""
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        if isinstance(left, int) and left == 1:
            return right
        if isinstance(right, int) and right == 1:
            return left
        return self._make("muli", left, right)

    def maximum(self, left: Extent, right: Extent) -> Extent:
        """The larger one."""
        if isinstance(left, int) and isinstance(right, int):
            return max(left, right)
        return self._make("maxsi", left, right)

    def _make(self, name: str, left: Extent, right: Extent) -> Extent:
        return getattr(self._arith, name)(self.value(left), self.value(right))

    def product(self, extents: Sequence[Extent]) -> Extent:
        """The product of all extents, 1 of none."""
        result: Extent = 1
        for extent in extents:
            result = self.multiply(result, extent)
        return result

    def saturating_product(self, extents: Sequence[Extent]) -> Extent:
        """The product of extents, or the largest number if that is too large."""
        factor, rest = 1, []
        for extent in extents:
            if isinstance(extent, int):
                factor *= extent
            else:
                rest.append(extent)
        result: Extent = min(factor, LARGEST)
        for extent in rest:
            result = (
                extent
                if isinstance(result, int) and result == 1
                else saturating_product(self.value(result), extent)
            )
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
    gives the values of the new one; the answers are in those terms. The sizes in `varying` are not computed from
    others: they are read from the tensor, or `know` said what they are.
    """

    def __init__(
        self,
        builder: IndexBuilder,
        mapping: dict[Value, Value] | None = None,
        varying: Set[tuple[Value, int]] = frozenset(),
    ) -> None:
        self.builder = builder
        self._mapping = {} if mapping is None else mapping
        self._varying = varying
        self._given: dict[tuple[Value, int], Extent] = {}
        self._known: ChainMap[Value, list[Extent]] = ChainMap()

    def varying_axes(self, value: Value) -> list[int]:
        """The axes of a tensor whose sizes are only known where control flow defines it."""
        if not self._varying or not isinstance(value.type, ir.RankedTensorType):
            return []
        return [axis for axis in range(value.type.rank) if (value, axis) in self._varying]

    def know(self, value: Value, axis: int, extent: Extent) -> None:
        """Say what a size is that is not computed from others."""
        self._given[value, axis] = extent

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
            return self._fixed_or_own(value, self._of_argument(value, owner))
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
        if parent.name == "scf.while" and block == parent.regions[0].blocks[0]:
            return self.of(list(parent.operands)[value.arg_number])
        if parent.name == "scf.while":
            return self._passed_on(parent, value, value.arg_number)
        raise InternalError(f"{parent.location}: sizes of a block argument of {parent.name}")

    def _read(self, value: Value) -> Sequence[Extent]:
        return [
            self._own(value, axis) if extent is None else extent
            for axis, extent in enumerate(static_shape(value.type))
        ]

    def _own(self, value: Value, axis: int) -> Extent:
        """A size that is not computed from others."""
        given = self._given.get((value, axis))
        if given is not None:
            return given
        source: Value = self._mapping.get(value, value)
        dim = dialect("memref" if isinstance(source.type, ir.MemRefType) else "tensor").dim
        return dim(source, self.builder.value(axis))

    def _fixed_or_own(self, value: Value, extents: Sequence[Extent]) -> list[Extent]:
        axes = self.varying_axes(value)
        return [self._own(value, axis) if axis in axes else extent for axis, extent in enumerate(extents)]

    def _of_bufferization_to_tensor(self, op: Operation, value: Value) -> Sequence[Extent]:
        return self._read(op.operands[0])

    def _of_func_call(self, op: Operation, value: Value) -> Sequence[Extent]:
        if not is_kernel_name(op.attributes["callee"].value):
            return self._read(value)
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
        return self._fixed_or_own(value, self.of(list(op.operands)[3 + value.result_number]))

    def _of_scf_while(self, op: Operation, value: Value) -> Sequence[Extent]:
        return self._fixed_or_own(value, self._passed_on(op, value, value.result_number))

    def _of_scf_if(self, op: Operation, value: Value) -> Sequence[Extent]:
        terminator = list(op.regions[0].blocks[0].operations)[-1]
        inside = terminator.operands[value.result_number]
        return self._fixed_or_own(value, self._from_inside(inside, self.varying_axes(value)))

    def _passed_on(self, loop: Operation, value: Value, index: int) -> list[Extent]:
        """The sizes of an argument or result that the condition of a while loop passes on; 0 where they vary."""
        condition = list(loop.regions[0].blocks[0].operations)[-1]
        return self._from_inside(condition.operands[1 + index], self.varying_axes(value))

    def _from_inside(self, value: Value, varying: Sequence[int]) -> list[Extent]:
        """The sizes of a value that is defined in a region, outside of it; 0 where they vary."""
        symbolic = SymbolicSizes(self._varying)
        return [
            0 if axis in varying else self._compute(term, symbolic)
            for axis, term in enumerate(symbolic.of(value))
        ]

    def _compute(self, term: Extent, symbolic: SymbolicSizes) -> Extent:
        """The extent that a term stands for."""
        if not isinstance(term, tuple):
            return self._mapped(term)
        if term[0] == "dim":
            return self.of(term[1])[term[2]]
        operands = [self._compute(operand, symbolic) for operand in term[2:]]
        if term not in symbolic.example:
            return (
                self.builder.add(*operands) if term[0] == "arith.addi" else self.builder.multiply(*operands)
            )
        copy = symbolic.example[term].clone()
        for index, operand in enumerate(operands):
            known = self.builder.value(operand) if isinstance(operand, int) else operand
            copy.operands[index] = known
        return copy.results[0]


class SymbolBuilder(IndexBuilder):
    """Index arithmetic as hashable terms: an int, an index value, or `(operation, attributes, operands...)`."""

    def value(self, extent: Extent) -> Extent:
        """The extent itself."""
        return extent

    def _make(self, name: str, left: Extent, right: Extent) -> Extent:
        return (f"arith.{name}", "", left, right)


class SymbolicSizes(Sizes):
    """The sizes of tensors as terms; `("dim", tensor, axis)` is a size that is not computed from others."""

    def __init__(self, varying: Set[tuple[Value, int]]) -> None:
        super().__init__(SymbolBuilder(), varying=varying)
        self.example: dict[Extent, Operation] = {}
        """An op that computes a term, for those that are no sums and products."""
        self._terms: dict[Value, Extent] = {}

    def _own(self, value: Value, axis: int) -> Extent:
        return ("dim", value, axis)

    def _from_inside(self, value: Value, varying: Sequence[int]) -> list[Extent]:
        return self.of(value)

    def _mapped(self, extent: Extent) -> Extent:
        if isinstance(extent, (int, tuple)):
            return extent
        term = self._terms.get(extent)
        if term is None:
            term = self._terms[extent] = self._term(extent)
        return term

    def _term(self, value: Value) -> Extent:
        """An index value in terms of what it is computed from."""
        if isinstance(value.owner, ir.Block):
            return value
        op = value.owner.operation
        if op.name == "arith.constant" and value.type == ir.IndexType.get():
            return int(op.attributes["value"].value)
        if op.name in ("tensor.dim", "memref.dim"):
            axis = self._mapped(op.operands[1])
            return self.of(op.operands[0])[axis] if isinstance(axis, int) else value
        if not op.name.startswith("arith.") or len(op.results) != 1:
            return value
        operands = [self._mapped(operand) for operand in op.operands]
        if value.type == ir.IndexType.get() and op.name in ("arith.addi", "arith.muli"):
            combine = self.builder.add if op.name == "arith.addi" else self.builder.multiply
            return combine(*operands)
        attributes = ", ".join(f"{name} = {op.attributes[name]}" for name in op.attributes)
        term = (op.name, f"{value.type} {attributes}", *operands)
        self.example.setdefault(term, op)
        return term


def saturating_product(left: Value, right: Value) -> Value:
    """left * right; the upper half of the product must repeat the sign of the lower one."""
    arith = dialect("arith")
    index, i64 = ir.IndexType.get(), ir.IntegerType.get_signless(64)
    # Upstream's canonicalize makes invalid ops of a product of indices with 1; not so of one of i64.
    low, high = arith.mulsi_extended(arith.index_cast(i64, left), arith.index_cast(i64, right))
    sign = arith.shrsi(low, arith.constant(i64, 63))
    wraps = arith.cmpi(arith.CmpIPredicate.ne, high, sign)
    return arith.select(wraps, arith.constant(index, LARGEST), arith.index_cast(index, low))


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


def is_inside(value: Value, region_op: Operation) -> bool:
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
