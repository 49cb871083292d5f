"""Version 1 becomes version 2: convolutions and windows of images are those along any axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..mlir import Attribute, Operation  # which loads MLIR, as the functions do


def _convolution(op: Operation) -> None:
    """`conv2d`, which had no groups, and `grouped_conv2d`; nothing had gaps."""
    from ..mlir import ir
    from .replacing import replace

    attributes: dict[str, Attribute] = {
        "groups": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 1),
        **{name: op.attributes[name] for name in op.attributes},
        "input_dilations": ir.DenseI64ArrayAttr.get([1, 1]),
    }
    replace(op, "weft.conv", attributes=attributes)


def _pooling(name: str) -> Callable[[Operation], None]:
    """A reduction of windows of height and width."""

    def upgrade(op: Operation) -> None:
        from ..mlir import ir
        from .replacing import replace

        around = {"window": 1, "strides": 1, "padding": 0}
        numbers = {key: list(ir.DenseI64ArrayAttr(op.attributes[key])) for key in around}
        sides = {key: [value] * (2 if key == "padding" else 1) for key, value in around.items()}
        attributes = {
            key: ir.DenseI64ArrayAttr.get([*sides[key], *numbers[key], *sides[key]]) for key in around
        }
        replace(op, name, attributes={**attributes, "dilations": ir.DenseI64ArrayAttr.get([1] * 4)})

    return upgrade


OPS: Mapping[str, Callable[[Operation], None]] = {
    "conv2d": _convolution,
    "grouped_conv2d": _convolution,
    "max_pool2d": _pooling("weft.window_max"),
    "avg_pool2d": _pooling("weft.window_mean"),
}
