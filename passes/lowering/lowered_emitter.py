"""The emitter that makes linalg of ops at once, for rewrites of what is in linalg already."""

from __future__ import annotations

from typing import Any

from ...dialect.emitter import Emitter, Tensor
from ...dialect.mlir import Module, Value, ir
from ...dialect.op import Op
from ...dialect.types import TensorType
from . import lowering_of
from .conversion import Conversion, OpInstance


class LoweredEmitter(Emitter):
    """Makes what ops become, at the insertion point and with the location that are current."""

    def __init__(self, module: Module) -> None:
        self._conversion = Conversion(module.body)

    def emit(self, op_class: type[Op], operands: list[Tensor], attributes: dict[str, Any]) -> list[Tensor]:
        """Lower the op."""
        lowering = lowering_of(op_class)
        assert lowering is not None
        types = [operand.type for operand in operands]
        handles = [operand.handle for operand in operands]
        results = list(op_class.result_types(types, attributes))
        assert all(isinstance(result, TensorType) for result in results)
        instance = OpInstance(op_class, handles, types, results, attributes, ir.Location.current)  # type: ignore[arg-type]
        lowered = lowering(self._conversion, instance)
        several: list[Value] = list(lowered) if isinstance(lowered, (list, tuple)) else [lowered]
        return [self.value(v, t) for v, t in zip(several, results, strict=True)]  # type: ignore[arg-type]

    def value(self, value: Value, type: TensorType) -> Tensor:
        """A value of linalg as one of this emitter."""
        return Tensor(self, self._conversion.cast_to(value, type), type)

    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """The value with another static shape."""
        return self.value(value.handle, wanted)
