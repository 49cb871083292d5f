"""Lower the weft dialect to linalg on tensors: one walk in program order, one lowering function per op class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..dialect.attributes import type_from_mlir
from ..dialect.errors import InternalError
from ..dialect.mlir import Block, Module, Operation, Type, Value, ir
from ..dialect.op import Op
from ..dialect.register import decode_attributes, op_class_of
from ..dialect.types import RefType, TensorType
from .base import Pass, Statistics
from .lowering import load_families
from .lowering.conversion import LOWERINGS, Conversion, OpInstance, storage_type

load_families()


@dataclass(frozen=True)
class ConvertWeftToLinalg(Pass):
    """Rewrite every function: tensors to their storage types, written arguments to memrefs, weft ops to linalg."""

    name: ClassVar[str] = "convert-weft-to-linalg"
    summary: ClassVar[str] = "lower the weft dialect to linalg on tensors"

    def run(self, module: Module, statistics: Statistics) -> None:
        """Convert all functions of the module in place."""
        conversion = Conversion(module.body)
        for operation in list(module.body.operations):
            if operation.operation.name == "func.func" and not operation.is_external:
                _FunctionConverter(conversion, statistics).convert(operation)


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

    def convert(self, function: Any) -> None:
        """Convert the signature, then every op in program order; converted ops are erased at the end."""
        entry = function.regions[0].blocks[0]
        results = [_converted_type(t) for t in function.type.results]
        replaced = self._convert_arguments(entry)
        dead: list[Operation] = []
        self._convert_block(entry, dead)
        for operation in reversed(dead):
            operation.erase()
        for index in reversed(range(replaced)):
            entry.erase_argument(index)
        inputs = [argument.type for argument in entry.arguments]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))

    def _convert_arguments(self, entry: Block) -> int:
        """Append a converted argument for every old one; returns how many old ones there are."""
        old = list(entry.arguments)
        for argument in old:
            self.values[argument] = entry.add_argument(_converted_type(argument.type), argument.location)
        return len(old)

    def _convert_block(self, block: Block, dead: list[Operation]) -> None:
        for view in list(block.operations):
            operation = view.operation
            with ir.InsertionPoint(operation), operation.location:
                op_class = op_class_of(operation)
                if op_class is None:
                    self._retarget(operation)
                else:
                    self._convert_op(op_class, operation)
                    self.statistics["ops lowered"] += 1
                    dead.append(operation)

    def _retarget(self, operation: Operation) -> None:
        """Let an op of another dialect (func.return, func.call) use the converted values."""
        for index, operand in enumerate(operation.operands):
            if operand in self.values:
                operation.operands[index] = self.values[operand]

    def _convert_op(self, op_class: type[Op], operation: Operation) -> None:
        lowering = LOWERINGS.get(op_class)
        if lowering is None:
            raise InternalError(f"weft.{op_class.name} has no lowering to linalg")
        operands = list(operation.operands)
        instance = OpInstance(
            op_class,
            [self.values[operand] for operand in operands],
            [_tensor(type_from_mlir(operand.type)) for operand in operands],
            [_tensor(type_from_mlir(result.type)) for result in operation.results],
            decode_attributes(op_class, operation),
            operation.location,
        )
        lowered = lowering(self.conversion, instance)
        several: Sequence[Value] = (
            () if lowered is None else lowered if isinstance(lowered, (list, tuple)) else (lowered,)
        )
        if len(several) != len(instance.result_types):
            raise InternalError(f"the lowering of weft.{op_class.name} returned {len(several)} values")
        for result, value, value_type in zip(operation.results, several, instance.result_types, strict=True):
            self.values[result] = self.conversion.cast_to(value, value_type)


def _tensor(value_type: Any) -> TensorType:
    """The tensor type of a value, or of what a cell holds."""
    tensor: TensorType = value_type.tensor if isinstance(value_type, RefType) else value_type
    return tensor
