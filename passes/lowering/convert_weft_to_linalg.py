"""Lower the weft dialect to linalg on tensors: one walk in program order, one lowering function per op class.

Ops of other dialects that weft tensors go through (branches, loops, calls, elements) are rebuilt on storage types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any

from ...dialect.attributes import elements_from_mlir, type_from_mlir
from ...dialect.errors import InternalError, UnsupportedError, WeftError
from ...dialect.host_calls import SIGNATURE, declared_callback
from ...dialect.loops import INTERRUPTIBLE
from ...dialect.mlir import Block, Module, Operation, Type, Value, ir
from ...dialect.op import Op
from ...dialect.ops.creation import Constant
from ...dialect.outside_ops import OUTSIDE
from ...dialect.records import dataclass
from ...dialect.register import decode_attributes, op_class_of
from ...dialect.types import RefType, TensorType
from ..base import Pass, Statistics
from ..preconditions import placed
from ..rewriting import blocks_of, made_again, operations_in, operations_of, settle_signature
from . import lowering_of
from .conversion import Conversion, OpInstance, storage_type
from .creation import lower_constant


def _unlowered(op_class: type[Op]) -> WeftError:
    """What is missing, for who wrote the op."""
    said = f"{op_class.mlir_name()} has no lowering to linalg"
    if op_class.__module__ not in OUTSIDE:
        return InternalError(said)
    return UnsupportedError(
        f'{said}: {op_class.__module__}.{op_class.__qualname__} is to name a module, lowering = "package.module", '
        f"with a function for it under @lowers({op_class.__qualname__})"
    )


@dataclass(frozen=True)
class ConvertWeftToLinalg(Pass):
    """Rewrite every function: tensors to their storage types, written arguments to memrefs, weft ops to linalg."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Convert all functions of the module in place."""
        conversion = Conversion(module.body)
        for operation in list(module.body.operations):
            if operation.operation.name == "func.func" and not operation.is_external:
                with placed(operation.operation):
                    _FunctionConverter(conversion, statistics).convert(operation)
            elif declared_callback(operation.operation) is not None:
                _convert_declaration(operation)


def _convert_declaration(function: Any) -> None:
    """Let a Python function take and give storage types; what they stand for is kept for those who call it."""
    signature = function.type
    inputs, results = ([_converted_type(t) for t in types] for types in (signature.inputs, signature.results))
    function.attributes[SIGNATURE] = ir.TypeAttr.get(signature)
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))


def _converted_type(mlir_type: Type) -> Type:
    """The storage type of a function argument or result; types outside the weft dialect stay."""
    if not isinstance(mlir_type, ir.RankedTensorType) and not str(mlir_type).startswith("!weft."):
        return mlir_type
    value_type = type_from_mlir(mlir_type)
    if isinstance(value_type, RefType):
        tensor = storage_type(value_type.tensor)
        return ir.MemRefType.get(tensor.shape, tensor.element_type)
    return storage_type(value_type)


@dataclass
class _FunctionConverter:
    conversion: Conversion
    statistics: Statistics
    values: dict[Value, Value] = field(default_factory=dict)
    """The converted value of every weft value so far; values of other dialects are absent."""
    dead: list[Operation] = field(default_factory=list)
    """Ops that are replaced, in program order."""
    replaced_arguments: list[tuple[Block, int]] = field(default_factory=list)
    """Blocks, and how many old arguments stand before the converted ones."""

    def convert(self, function: Any) -> None:
        """Convert the signature, then every op in program order; what was converted is erased at the end."""
        entry = function.regions[0].blocks[0]
        self._convert_block(entry)
        for operation in reversed(self.dead):
            operation.erase()
        for block, replaced in self.replaced_arguments:
            for index in reversed(range(replaced)):
                block.erase_argument(index)
        settle_signature(function)

    def _convert_block(self, block: Block) -> None:
        """Append a converted argument for every old one, then convert the ops."""
        old = list(block.arguments)
        if old:
            self.replaced_arguments.append((block, len(old)))
        for argument in old:
            self.values[argument] = block.add_argument(_converted_type(argument.type), argument.location)
        for operation in operations_in(block):
            with ir.InsertionPoint(operation), operation.location, placed(operation):
                op_class = op_class_of(operation)
                if op_class is not None:
                    self._convert_op(op_class, operation)
                    self.statistics["ops lowered"] += 1
                    self.dead.append(operation)
                elif operation.name in _REBUILD:
                    _REBUILD[operation.name](self, operation)
                    self.dead.append(operation)
                else:
                    self._retarget(operation)

    # Ops of other dialects

    def _operands(self, operation: Operation) -> list[Value]:
        return [self.values.get(operand, operand) for operand in operation.operands]

    def _retarget(self, operation: Operation) -> None:
        """Let an op of another dialect, and what it holds, use the converted values."""
        for user in (operation, *(operations_of(operation) if len(operation.regions) else ())):
            for index, operand in enumerate(user.operands):
                if operand in self.values:
                    user.operands[index] = self.values[operand]

    def _rebuild(self, operation: Operation) -> None:
        """Make an op again with converted operands and results; it takes over the blocks, which are converted."""
        types = [_converted_type(result.type) for result in operation.results]
        new = made_again(operation, types, self._operands(operation))
        if operation.name in ("scf.for", "scf.while"):
            new.attributes[INTERRUPTIBLE] = ir.UnitAttr.get()
        self.values.update(zip(operation.results, new.results, strict=True))
        for block in blocks_of(new):
            self._convert_block(block)

    def _read_element(self, operation: Operation) -> None:
        """A boolean in memory is a byte."""
        source, *indices = self._operands(operation)
        stored = self.conversion.operation("tensor.extract", [source, *indices], [source.type.element_type])
        dtype = _tensor(type_from_mlir(operation.operands[0].type)).dtype
        self.values[operation.results[0]] = self.conversion.load(stored, dtype)

    def _make_of_elements(self, operation: Operation) -> None:
        made = _tensor(type_from_mlir(operation.results[0].type))
        stored = [self.conversion.store(element, made.dtype) for element in self._operands(operation)]
        result = self.conversion.operation("tensor.from_elements", stored, [storage_type(made)])
        self.values[operation.results[0]] = result

    def _cast(self, operation: Operation) -> None:
        result = _tensor(type_from_mlir(operation.results[0].type))
        (source,) = self._operands(operation)
        self.values[operation.results[0]] = self.conversion.cast_to(source, result)

    def _make_constant(self, operation: Operation) -> None:
        result = operation.results[0]
        if not isinstance(result.type, ir.RankedTensorType):
            self._rebuild(operation)
            return
        array = elements_from_mlir(operation.attributes["value"])
        types = [_tensor(type_from_mlir(result.type))]
        instance = OpInstance(Constant, [], [], types, {"value": array}, operation.location)
        self.values[result] = lower_constant(self.conversion, instance)

    def _select(self, operation: Operation) -> None:
        """Which of two tensors it is becomes a branch, so that only the one that is needed is computed."""
        condition, *values = self._operands(operation)
        if not isinstance(values[0].type, ir.RankedTensorType):
            self._rebuild(operation)
            return
        choice = ir.Operation.create("scf.if", results=[values[0].type], operands=[condition], regions=2)
        for region, value in zip(choice.regions, values, strict=True):
            with ir.InsertionPoint(region.blocks.append()):
                ir.Operation.create("scf.yield", operands=[value])
        self.values[operation.results[0]] = choice.results[0]

    def _convert_op(self, op_class: type[Op], operation: Operation) -> None:
        lowering = lowering_of(op_class)
        if lowering is None:
            raise _unlowered(op_class)
        operands = list(operation.operands)
        instance = OpInstance(
            op_class,
            self._operands(operation),
            [_tensor(type_from_mlir(operand.type)) for operand in operands],
            [_tensor(type_from_mlir(result.type)) for result in operation.results],
            decode_attributes(op_class, operation),
            operation.location,
            operation,
        )
        lowered = lowering(self.conversion, instance)
        several: Sequence[Value] = (
            () if lowered is None else lowered if isinstance(lowered, (list, tuple)) else (lowered,)
        )
        if len(several) != len(instance.result_types):
            raise InternalError(f"the lowering of weft.{op_class.name} returned {len(several)} values")
        for result, value, value_type in zip(operation.results, several, instance.result_types, strict=True):
            self.values[result] = self.conversion.cast_to(value, value_type)


_REBUILD: Mapping[str, Callable[[_FunctionConverter, Operation], None]] = MappingProxyType(
    {
        "arith.constant": _FunctionConverter._make_constant,
        "arith.select": _FunctionConverter._select,
        "func.call": _FunctionConverter._rebuild,
        "scf.for": _FunctionConverter._rebuild,
        "scf.if": _FunctionConverter._rebuild,
        "scf.while": _FunctionConverter._rebuild,
        "tensor.cast": _FunctionConverter._cast,
        "tensor.extract": _FunctionConverter._read_element,
        "tensor.from_elements": _FunctionConverter._make_of_elements,
    }
)
"""How ops of other dialects are made again; the others only use converted values."""


def _tensor(value_type: Any) -> TensorType:
    """The tensor type of a value, or of what a cell holds."""
    tensor: TensorType = value_type.tensor if isinstance(value_type, RefType) else value_type
    return tensor
