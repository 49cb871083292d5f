"""Contractions read transposed operands and write transposed results, which costs nothing.

Sums have the same terms; like every sum of products, they may be added up in another order.
"""

from __future__ import annotations

import string

from ....dialect.mlir import Value
from ....dialect.ops.contraction import Contract, Matmul, parse_spec
from ....dialect.ops.shape import ExpandDims, Squeeze, Transpose
from ...rewriting import Match, type_of
from . import simplifies

Labels = tuple[str, str, str]


def labels_of(m: Match) -> Labels | None:
    """The labels of the axes of x, y and the result; None for a product whose batches may broadcast."""
    if m.op_class is Contract:
        return parse_spec(m.attributes["spec"])
    if m.op_class is not Matmul:
        return None
    left, right = (type_of(operand).shape for operand in m.operands)
    if left[:-2] != right[:-2] or None in left[:-2]:
        return None
    batch = string.ascii_lowercase[: len(left) - 2]
    return f"{batch}IJ", f"{batch}JK", f"{batch}IK"


def contract(m: Match, x: Value, y: Value, labels: Labels) -> Value:
    """A contraction in front of an op."""
    return m.create(Contract, x, y, spec=f"{labels[0]},{labels[1]}->{labels[2]}")


@simplifies(Matmul, Contract)
def contract_transposed(m: Match) -> Value | None:
    """A transposed operand is read where it is, with its labels in the order of its axes."""
    labels = labels_of(m)
    if labels is None:
        return None
    operands, own = list(m.operands), list(labels)
    for index in (0, 1):
        if transpose := m.producer(index, Transpose):
            permutation = transpose.attributes["permutation"]
            operands[index] = transpose.operands[0]
            own[index] = "".join(labels[index][permutation.index(axis)] for axis in range(len(permutation)))
    if operands == m.operands:
        return None
    return contract(m, operands[0], operands[1], (own[0], own[1], own[2]))


@simplifies(Transpose)
def transpose_contraction(m: Match) -> Value | None:
    """A contraction that only a transpose uses gives the transposed result itself."""
    made = m.graph.match(m.operands[0])
    labels = None if made is None else labels_of(made)
    if made is None or labels is None or not m.graph.has_one_user(m.operands[0]):
        return None
    result = "".join(labels[2][axis] for axis in m.attributes["permutation"])
    x, y = made.operands
    return contract(m, x, y, (labels[0], labels[1], result))


@simplifies(Squeeze)
def product_of_vectors(m: Match) -> Value | None:
    """Vectors that were made rows or columns for a product are read as they are."""
    made = m.graph.match(m.operands[0])
    labels = None if made is None else labels_of(made)
    if made is None or labels is None or not m.graph.has_one_user(m.operands[0]):
        return None
    dropped = {labels[2][axis] for axis in m.attributes["axes"]}
    if dropped & set(labels[0]) & set(labels[1]) or not (
        made.producer(0, ExpandDims) or made.producer(1, ExpandDims)
    ):
        return None
    x, y = (_without_axes(made, index, dropped & set(labels[index]), labels[index]) for index in (0, 1))
    own = ["".join(label for label in part if label not in dropped) for part in labels]
    return contract(m, x, y, (own[0], own[1], own[2]))


def _without_axes(m: Match, index: int, dropped: set[str], labels: str) -> Value:
    """An operand without some axes of extent 1."""
    axes = tuple(axis for axis, label in enumerate(labels) if label in dropped)
    expanded = m.producer(index, ExpandDims)
    if expanded is not None and expanded.attributes["axes"] == axes:
        return expanded.operands[0]
    return m.create(Squeeze, m.operands[index], axes=axes) if axes else m.operands[index]


@simplifies(Contract)
def contract_as_product(m: Match) -> Value | None:
    """A contraction that is a matrix product, or one with its operands exchanged, is called so."""
    x, y = m.operands
    left, right, result = parse_spec(m.attributes["spec"])
    for first, second, operands in ((left, right, (x, y)), (right, left, (y, x))):
        batch, rest = result[:-2], result[-2:]
        if len(first) != len(second) or len(first) != len(result) or len(rest) != 2:
            continue
        row, column, inner = rest[0], rest[1], first[-1]
        if inner not in result and first == f"{batch}{row}{inner}" and second == f"{batch}{inner}{column}":
            return m.create(Matmul, *operands)
    return None
