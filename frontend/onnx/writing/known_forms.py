"""What programs spell out in several ops, and ONNX has one op for, which runtimes know better.

A form is found when the last of its ops is written; what is not needed then is left out at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....dialect.dtypes import is_half, kind
from ....dialect.emitter import Tensor
from .table import Builder


def relu(b: Builder, x: Tensor, y: Tensor) -> Tensor | None:
    """`maximum(x, 0)`."""
    for one, other in ((x, y), (y, x)):
        if kind(x.dtype) == "f" and other.rank == 0 and b.is_number(other, 0) and b.takes("Relu", x.dtype):
            return b.same("Relu", one)
    return None


def softmax(b: Builder, x: Tensor, y: Tensor) -> Tensor | None:
    """`exp(x - max(x)) / sum(exp(x - max(x)))` along an axis: a NaN makes all of it NaN in either."""
    axis = _axis_of(b, y.handle, "ReduceSum", x.handle)
    less = b.nodes.inputs(x.handle, "Exp")
    if axis is None or less is None or is_half(x.dtype):
        return None
    base = _without_extreme(b, less[0], axis)
    return None if base is None else b.make("Softmax", [b.value(base, x.type)], x.type, axis=axis)


def log_softmax(b: Builder, x: Tensor, y: Tensor) -> Tensor | None:
    """`x - max(x) - log(sum(exp(x - max(x))))` along an axis."""
    total = b.nodes.inputs(y.handle, "Log")
    if total is None or is_half(x.dtype):
        return None
    powers = b.nodes.inputs(total[0], "ReduceSum")
    if powers is None or b.nodes.inputs(powers[0], "Exp") != [x.handle]:
        return None
    axis = _axis_of(b, total[0], "ReduceSum", powers[0])
    base = None if axis is None else _without_extreme(b, x.handle, axis)
    return None if base is None else b.make("LogSoftmax", [b.value(base, x.type)], x.type, axis=axis)


def _axis_of(b: Builder, name: str, op_type: str, of: str) -> int | None:
    """The axis over which a value is reduced to another one, if it is one, and stays."""
    inputs = b.nodes.inputs(name, op_type)
    if inputs is None or inputs[0] != of or not b.nodes.attribute(name, "keepdims"):
        return None
    axes: Any = b.nodes.known(inputs[1])
    return int(axes[0]) if axes is not None and axes.size == 1 else None


def _without_extreme(b: Builder, name: str, axis: int) -> str | None:
    """Of what the largest element along an axis was subtracted."""
    inputs: Sequence[str] | None = b.nodes.inputs(name, "Sub")
    chosen = None if inputs is None else b.nodes.inputs(inputs[1], "Where")  # NaN, where there is one
    if inputs is None or chosen is None or b.nodes.inputs(chosen[2], "ReduceMax") is None:
        return None
    return inputs[0] if _axis_of(b, chosen[2], "ReduceMax", inputs[0]) == axis else None
