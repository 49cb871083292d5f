"""Contractions: sums of products over shared axes.

Floats narrower than 32 bits are added up in float32 and rounded once; booleans are joined by and, then or.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..batching import labelled, multiplied
from ..emitter import Emitter, Tensor
from ..errors import WeftValueError
from ..op import (
    Array,
    Attributes,
    Case,
    Cost,
    ExtentSource,
    Operand,
    ShapedOp,
    String,
    TensorType,
    broadcast_source,
    same_dtype,
)
from ..types import broadcast_shapes, format_shape
from .reductions import widened

LABELS = "abcdefghijklmnopqrstuvwABCDEFGHIJKLMNOPQRSTUVWXYZ"


def transposed(b: Emitter, x: Tensor) -> Tensor:
    """The last two axes exchanged."""
    found: Tensor = b.transpose(x, permutation=(*range(x.rank - 2), x.rank - 1, x.rank - 2))
    return found


def contracted(
    b: Emitter, g: Tensor, result: str, other: Tensor, other_labels: str, x: Tensor, labels: str
) -> Tensor:
    """The cotangent of an operand of a contraction; axes that it alone has were summed, and get the same all along."""
    shared = "".join(label for label in labels if label in result + other_labels)
    found: Tensor = b.contract(g, b.conj(other), spec=f"{result},{other_labels}->{shared}")
    alone = [axis for axis, label in enumerate(labels) if label not in shared]
    return b.expanded(found, x, alone, False)


class Matmul(ShapedOp, name="matmul", family="contraction", cost=Cost.SLOW):
    """Matrix product of the last two axes; leading axes broadcast. Both operands have rank 2 or more."""

    x: Operand
    y: Operand
    batching = multiplied
    cases = (
        Case(((3, 4), (4, 5))),
        Case(((1, 4), (4, 1))),
        Case(((2, 3, 4), (4, 5))),
        Case(((2, 1, 3, 4), (5, 4, 2))),
        Case(((3, 0), (0, 2))),
    )
    linear = ("x", "y")
    multilinear = True

    @staticmethod
    def transpose_x(b: Emitter, g: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """g yᵀ; one matrix for all of a batch gets the sum."""
        if x.rank == 2 and g.rank > 2 and y.rank == g.rank:
            batch = LABELS[: g.rank - 2]
            found: Tensor = b.contract(g, b.conj(y), spec=f"{batch}xz,{batch}yz->xy")
            return found
        return b.unbroadcast(b.matmul(g, b.conj(transposed(b, y))), x)

    @staticmethod
    def transpose_y(b: Emitter, g: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """xᵀ g; one matrix for all of a batch gets the sum."""
        if y.rank == 2 and g.rank > 2 and x.rank == g.rank:
            batch = LABELS[: g.rank - 2]
            found: Tensor = b.contract(b.conj(x), g, spec=f"{batch}xy,{batch}xz->yz")
            return found
        return b.unbroadcast(b.matmul(b.conj(transposed(b, x)), g), y)

    @staticmethod
    def infer(x: TensorType, y: TensorType) -> TensorType:
        dtype = same_dtype("weft.matmul", x, y)
        if x.rank < 2 or y.rank < 2:
            raise WeftValueError(f"weft.matmul takes operands of rank 2 or more, not {x} and {y}")
        inner = (x.shape[-1], y.shape[-2])
        if None not in inner and inner[0] != inner[1]:
            raise WeftValueError(
                f"matmul: the last axis of {format_shape(x.shape)} and the last but one of "
                f"{format_shape(y.shape)} differ ({inner[0]} and {inner[1]})"
            )
        batch = broadcast_shapes([x.shape[:-2], y.shape[:-2]])
        return TensorType((*batch, x.shape[-2], y.shape[-1]), dtype)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        batch = max(operand.rank for operand in types) - 2
        if axis < batch:
            return broadcast_source([operand.shape[:-2] for operand in types], axis)
        number = axis - batch
        return number, types[number].rank - 2 + number

    @staticmethod
    def evaluate(x: Array, y: Array) -> Array:
        return np.asarray(np.matmul(widened(x), widened(y))).astype(x.dtype)


def parse_spec(spec: str) -> tuple[str, str, str]:
    """The axis labels of both operands and the result of a `contract` spec.

    >>> parse_spec("bij,bjk->bik")
    ('bij', 'bjk', 'bik')
    """
    inputs, arrow, result = spec.partition("->")
    x, comma, y = inputs.partition(",")
    labels = (x, y, result)
    if not (arrow and comma) or not all(label.isalpha() for part in labels for label in part):
        raise WeftValueError(f"a contraction of two operands is written as in 'ij,jk->ik', not {spec!r}")
    if any(len(set(part)) != len(part) for part in labels):
        raise WeftValueError(f"{spec!r}: a label stands for one axis of an operand or of the result")
    if unknown := sorted(set(result) - set(x + y)):
        raise WeftValueError(f"{spec!r}: no operand has the label {unknown[0]!r} of the result")
    return labels


class Contract(ShapedOp, name="contract", family="contraction", cost=Cost.SLOW):
    """Sum of products over the axes that the result lacks: two operands of `einsum`, as in `ij,jk->ik`."""

    x: Operand
    y: Operand
    spec: String
    batching = labelled
    cases = (
        Case(((3,), (3,)), {"spec": "i,i->"}),
        Case(((3,), (4,)), {"spec": "i,j->ij"}),
        Case(((3, 4), (3, 4)), {"spec": "ij,ij->i"}),
        Case(((3, 4), (5, 4)), {"spec": "ij,kj->ki"}),
        Case(((2, 3, 4), (4, 3, 5)), {"spec": "aij,jib->ab"}),
        Case(((2, 3, 4), (2, 4, 5)), {"spec": "bij,bjk->ibk"}),
        Case(((0, 3), (3,)), {"spec": "ij,j->i"}),
        Case(((3, 0), (0,)), {"spec": "ij,j->i"}),
        Case(((), (2,)), {"spec": ",i->i"}),
    )
    linear = ("x", "y")
    multilinear = True

    @staticmethod
    def transpose_x(b: Emitter, g: Tensor, x: Tensor, y: Tensor, spec: str) -> Tensor:
        """The cotangent contracted with the other operand."""
        labels, other, result = parse_spec(spec)
        return contracted(b, g, result, y, other, x, labels)

    @staticmethod
    def transpose_y(b: Emitter, g: Tensor, x: Tensor, y: Tensor, spec: str) -> Tensor:
        """The cotangent contracted with the other operand."""
        other, labels, result = parse_spec(spec)
        return contracted(b, g, result, x, other, y, labels)

    @staticmethod
    def infer(x: TensorType, y: TensorType, spec: str) -> TensorType:
        dtype = same_dtype("weft.contract", x, y)
        x_labels, y_labels, result_labels = parse_spec(spec)
        extents: dict[str, int | None] = {}
        for operand, labels in ((x, x_labels), (y, y_labels)):
            if operand.rank != len(labels):
                raise WeftValueError(
                    f"{spec!r}: labels {labels!r} do not fit the {operand.rank} axes of {operand}"
                )
            for label, extent in zip(labels, operand.shape, strict=True):
                known = extents.get(label)
                if known is not None and extent is not None and known != extent:
                    raise WeftValueError(
                        f"{spec!r}: axis {label!r} has extents {known} and {extent} in {x} and {y}"
                    )
                extents[label] = extent if known is None else known
        return TensorType(tuple(extents[label] for label in result_labels), dtype)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        *inputs, result = parse_spec(attributes["spec"])
        number = 0 if result[axis] in inputs[0] else 1
        return number, inputs[number].index(result[axis])

    @staticmethod
    def evaluate(x: Array, y: Array, spec: str) -> Array:
        return np.asarray(np.einsum(spec, widened(x), widened(y))).astype(x.dtype)
