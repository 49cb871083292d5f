"""Contractions taken apart: which axes of two operands are shared, and which of these are summed over."""

from __future__ import annotations

from typing import NamedTuple

from ...dialect.emitter import Tensor
from ...dialect.ops.contraction import parse_spec
from .table import BOOL, GraphBuilder


class Contraction(NamedTuple):
    """Two operands, without axes over which one alone is summed, and the labels of theirs and of the result's axes."""

    x: Tensor
    y: Tensor
    left: str
    right: str
    result: str

    @property
    def shared(self) -> list[str]:
        """The labels that both have."""
        return [label for label in self.left if label in self.right]

    @property
    def batches(self) -> list[str]:
        """Those that the result has, too."""
        return [label for label in self.shared if label in self.result]

    @property
    def summed(self) -> list[str]:
        """Those over which is summed."""
        return [label for label in self.shared if label not in self.result]

    @property
    def rows(self) -> list[str]:
        """Those of the first operand alone."""
        return [label for label in self.left if label not in self.right]

    @property
    def columns(self) -> list[str]:
        """Those of the second one alone."""
        return [label for label in self.right if label not in self.left]


def contraction(b: GraphBuilder, x: Tensor, y: Tensor, spec: str) -> Contraction:
    """What a spec says of two operands."""
    left, right, result = parse_spec(spec)
    x, left = _summed(b, x, left, right + result)
    y, right = _summed(b, y, right, left + result)
    return Contraction(x, y, left, right, result)


def _summed(b: GraphBuilder, x: Tensor, labels: str, others: str) -> tuple[Tensor, str]:
    """An operand without the axes that it alone has, over which is summed."""
    alone = tuple(axis for axis, label in enumerate(labels) if label not in others)
    if not alone:
        return x, labels
    name = "any" if x.dtype == BOOL else "sum"
    found = b.one(name, x, axes=alone, keepdims=False)
    return found, "".join(label for label in labels if label in others)
