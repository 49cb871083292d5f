"""The emitter that makes MLIR ops, at the insertion point that is current, with the location of the op they are for."""

from __future__ import annotations

from typing import Any

from .attributes import type_to_mlir
from .emitter import Emitter, Tensor
from .made_ops import operation_of
from .mlir import Location, Value
from .op import Op
from .register import create, tensor_type
from .types import TensorType


class OpEmitter(Emitter):
    """Makes ops."""

    def __init__(self, location: Location) -> None:
        self.location = location
        """That of the op whose rule is emitted: errors and profiles point to the user's line."""

    def value(self, value: Value) -> Tensor:
        """An SSA value as a value of this emitter."""
        return Tensor(self, value, tensor_type(value))

    def emit(self, op_class: type[Op], operands: list[Tensor], attributes: dict[str, Any]) -> list[Tensor]:
        """Make the op."""
        handles = [operand.handle for operand in operands]
        made = create(op_class, handles, attributes, location=self.location)
        return [self.value(result) for result in made.results]

    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """The value with another static shape, by `tensor.cast`."""
        if value.type == wanted:
            return value
        cast = operation_of("tensor.cast", [value.handle], [type_to_mlir(wanted)], location=self.location)
        return self.value(cast.results[0])
