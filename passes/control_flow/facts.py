"""What is known about values: constants, and what follows from a condition that holds or does not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...dialect.mlir import Operation, Value
from ...dialect.op import Array, Elementwise, Op
from ...dialect.ops.comparison import (
    BitwiseAnd,
    BitwiseOr,
    Equal,
    Invert,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    NotEqual,
)
from ...dialect.register import decode_attributes, op_class_of
from ..rewriting import type_of
from .structure import EXTRACT, IF, body, constant_of, producer, tensor_of, yielded

Facts = dict[Value, Array]
"""What tensors of rank 0 are known to be."""

_CONJUNCTIONS: Mapping[bool, tuple[type[Op], ...]] = {
    True: (LogicalAnd, BitwiseAnd),
    False: (LogicalOr, BitwiseOr),
}
"""The ops that tell about both operands when their result is the key."""
_DEPTH = 8
"""How many ops deep conditions are looked through: status codes need three."""


def facts_of(condition: Value, holds: bool) -> Facts:
    """What is known where a condition of rank 0 holds, or does not."""
    facts: Facts = {}
    _add_facts(condition, holds, facts, _DEPTH)
    return facts


def _add_facts(condition: Value, holds: bool, facts: Facts, depth: int) -> None:
    facts[condition] = np.asarray(holds)
    operation = producer(condition)
    if operation is not None and operation.name == IF and depth:
        _add_branch_taken(operation, list(operation.results).index(condition), holds, facts, depth - 1)
    op_class = None if operation is None else op_class_of(operation)
    if operation is None or op_class is None or not depth:
        return
    operands = list(operation.operands)
    booleans = all(type_of(operand).dtype == np.bool_ for operand in operands)
    if op_class in (LogicalNot, Invert) and booleans:
        _add_facts(operands[0], not holds, facts, depth - 1)
    elif op_class in _CONJUNCTIONS[holds] and booleans:
        for operand in operands:
            _add_facts(operand, holds, facts, depth - 1)
    elif op_class is (Equal if holds else NotEqual):
        _add_equality(operands[0], operands[1], facts)


def _add_branch_taken(branch: Operation, place: int, holds: bool, facts: Facts, depth: int) -> None:
    """What `a and b` and `a or b` are made of, where b is computed only if it matters: the other branch is constant."""
    for region in (0, 1):
        other = constant_of(yielded(body(branch, 1 - region))[place])
        condition = tensor_of(branch.operands[0])
        if other is not None and not other.ndim and bool(other) != holds and condition is not None:
            _add_facts(condition, region == 0, facts, depth)
            _add_facts(yielded(body(branch, region))[place], holds, facts, depth)


def _add_equality(left: Value, right: Value, facts: Facts) -> None:
    """An integer that equals a constant is that constant; a float may be the zero of the other sign."""
    for value, other in ((left, right), (right, left)):
        constant = constant_of(other)
        if constant is not None and type_of(value) == type_of(other) and constant.dtype.kind in "biu":
            facts.setdefault(value, constant)


def evaluate(value: Value, facts: Facts, depth: int = _DEPTH) -> Array | None:
    """The array that a value is, given some facts; None where that is not known."""
    known = facts.get(value)
    if known is None:
        known = constant_of(value)
    operation = producer(value) if known is None and depth else None
    if operation is None:
        return known
    if operation.name == EXTRACT and len(operation.operands) == 1:
        return evaluate(operation.operands[0], facts, depth - 1)
    op_class = op_class_of(operation)
    if op_class is None or not _is_evaluated(op_class, value):
        return None
    operands: list[Array] = []
    for operand in operation.operands:
        array = evaluate(operand, facts, depth - 1)
        if array is None:
            return _decided(op_class, operation.operands, facts, depth)
        operands.append(array)
    return op_class.compute(operands, decode_attributes(op_class, operation))[0]


def _is_evaluated(op_class: type[Op], value: Value) -> bool:
    return issubclass(op_class, Elementwise) and op_class.results == 1 and type_of(value).rank == 0


def _decided(op_class: type[Op], operands: list[Value], facts: Facts, depth: int) -> Array | None:
    """What `and` and `or` of booleans are when one operand decides."""
    for holds, op_classes in _CONJUNCTIONS.items():
        if op_class in op_classes:
            for operand in operands:
                known = None if type_of(operand).dtype != np.bool_ else evaluate(operand, facts, depth - 1)
                if known is not None and bool(known) is not holds:
                    return known
    return None
