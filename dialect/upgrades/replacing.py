"""Put other ops in the place of those of a version, in a module where no op is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..made_ops import operation_of
from ..mlir import Operation, Type, Value, ir


def replace(
    op: Operation,
    name: str,
    operands: Sequence[Value] | None = None,
    attributes: Mapping[str, Any] | None = None,
    types: Sequence[Type] | None = None,
) -> Operation:
    """Put another op in the place of one, with what that has of operands, attributes and types that are not given."""
    made = create_before(
        op,
        name,
        list(op.operands) if operands is None else operands,
        {name: op.attributes[name] for name in op.attributes} if attributes is None else attributes,
        [result.type for result in op.results] if types is None else types,
    )
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
    return made


def create_before(
    op: Operation, name: str, operands: Sequence[Value], attributes: Mapping[str, Any], types: Sequence[Type]
) -> Operation:
    """Another op in front of one, at its line."""
    with ir.InsertionPoint(op):
        created: Operation = operation_of(name, operands, types, location=op.location, **dict(attributes))
        return created
