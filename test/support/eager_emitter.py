"""What the rules of op classes compute, at once: an emitter on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.dialect.emitter import Emitter, Tensor
from weft.dialect.op import Op
from weft.dialect.types import TensorType, type_of


class EagerEmitter(Emitter):
    """Computes on NumPy arrays."""

    def value(self, array: Any) -> Tensor:
        """An array as a value of this emitter."""
        array = np.asarray(array)
        return Tensor(self, array, type_of(array))

    def emit(self, op_class: type[Op], operands: list[Tensor], attributes: dict[str, Any]) -> list[Tensor]:
        """Evaluate the op."""
        return list(map(self.value, op_class.compute([operand.handle for operand in operands], attributes)))

    def refined(self, value: Tensor, wanted: TensorType) -> Tensor:
        """Everything is known of arrays."""
        return value
