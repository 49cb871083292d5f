"""Check the sizes that ops rely on: modules from files may bring together what does not fit, traces check it before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...dialect.attributes import type_from_mlir
from ...dialect.extents import SCALAR, Axis, extent_source
from ...dialect.mlir import Module, Operation, Value, ir
from ...dialect.op import Op
from ...dialect.ops.slicing import DynamicSliceUpdate, SliceUpdate
from ...dialect.ops.state import RaiseIf, ReadRef, WriteRef
from ...dialect.records import dataclass
from ...dialect.register import create, decode_attributes, op_class_of
from ...dialect.types import TensorType
from ..base import Pass, Statistics
from ..rewriting import operations_of
from .size_checks import extent_of, number, require_at_least, require_equal
from .size_needs import SIZE_NEEDS
from .size_rules import AtLeast, Need, Place, SizeRule

_WITHOUT_RULE = (RaiseIf, SliceUpdate, DynamicSliceUpdate)
"""Ops whose rules say nothing of sizes, or of regions whose sizes follow from bounds (`size_needs.py`)."""

TAKES_EMPTY = "reductions"
"""The family of ops that make some number of no elements, though their rules refuse it: traces check that apart."""


@dataclass(frozen=True)
class GuardSizes(Pass):
    """Raise in front of each op whose operands may be of sizes that it does not take."""

    def run(self, module: Module, statistics: Statistics) -> None:
        """Put checks in front of each op that needs some."""
        known = _Known()
        for op in operations_of(module.operation):
            with ir.InsertionPoint(op), op.location:
                if op.name == "tensor.cast":
                    _guard_cast(op)
                elif (op_class := op_class_of(op)) is WriteRef:
                    _guard_write(op)
                elif op_class is not None:
                    statistics["ops checked"] += _guard(op, op_class, known)


def _guard_cast(op: Operation) -> None:
    """What is cast to a type of more known extents has them."""
    (array,) = op.operands
    known = type_from_mlir(op.results[0].type)
    if isinstance(known, TensorType):
        for axis, extent in enumerate(known.shape):
            if extent is not None and array.type.is_dynamic_dim(axis):
                require_equal(op, extent_of(array, axis), number(extent))


def _guard_write(op: Operation) -> None:
    """Arguments are written as a whole: by arrays of their size."""
    cell, value = op.operands
    unknown = [axis for axis in range(value.type.rank) if value.type.is_dynamic_dim(axis)]
    if unknown and isinstance(cell.owner, ir.Block):
        before = create(ReadRef, [cell], {}).results[0]
        for axis in unknown:
            require_equal(op, extent_of(value, axis), extent_of(before, axis))


class _Known:
    """What was found out of a module: programs repeat ops, and extents come from far away."""

    def __init__(self) -> None:
        self._needs: dict[Any, list[Need]] = {}
        self._sources: dict[Axis, Axis] = {}

    def needs(
        self, op: Operation, op_class: type[Op], types: Sequence[TensorType], attributes: Mapping[str, Any]
    ) -> list[Need]:
        """What the rule of an op demands."""
        key = op_class, tuple(types), tuple(op.attributes.items())
        if key not in self._needs:
            self._needs[key] = list(SizeRule(op_class, types, attributes).needs())
        return self._needs[key]

    def source(self, axis: Axis) -> Axis:
        """Where an extent comes from: axes with one source are of one extent."""
        passed: list[Axis] = []
        while axis not in self._sources:
            passed.append(axis)
            before = extent_source(*axis)
            if before is None:
                self._sources[axis] = axis
            else:
                axis = before
        source = self._sources[axis]
        self._sources.update(dict.fromkeys(passed, source))
        return source


def _guard(op: Operation, op_class: type[Op], known: _Known) -> bool:
    """Check what an op of weft needs; returns whether it needs anything."""
    types = [type_from_mlir(operand.type) for operand in op.operands]
    tensors = [t for t in types if isinstance(t, TensorType)]
    if len(tensors) < len(types):
        return False
    attributes = decode_attributes(op_class, op)
    needs: list[Need] = []
    if op_class not in _WITHOUT_RULE:
        needs = known.needs(op, op_class, tensors, attributes)
    for need in needs:
        _check(op, op_class, attributes, need, known)
    if op_class in SIZE_NEEDS:
        SIZE_NEEDS[op_class](op, list(op.operands), attributes)
    return bool(needs) or op_class in SIZE_NEEDS


def _check(
    op: Operation, op_class: type[Op], attributes: Mapping[str, Any], need: Need, known: _Known
) -> None:
    """Put the check of a need in front of an op, unless two axes are the same by construction."""
    if isinstance(need, AtLeast):
        if op_class.family != TAKES_EMPTY:
            require_at_least(op, _at(op, attributes, need.place), need.extent)
    elif isinstance(need.other, int):
        require_equal(op, _at(op, attributes, need.one), number(need.other))
    elif known.source(_axis_of(op, attributes, need.one)) != known.source(
        _axis_of(op, attributes, need.other)
    ):
        require_equal(op, _at(op, attributes, need.one), _at(op, attributes, need.other))


def _at(op: Operation, attributes: Mapping[str, Any], place: Place) -> Value:
    """The extent at a place, as an i64[]."""
    value, axis = _axis_of(op, attributes, place)
    return value if axis == SCALAR else extent_of(value, axis)


def _axis_of(op: Operation, attributes: Mapping[str, Any], place: Place) -> Axis:
    """The axis at a place, or the scalar that tells its extent."""
    if place.operand >= 0:
        return op.operands[place.operand], place.axis
    shape = list(attributes["shape"])
    return op.operands[len(op.operands) - shape[place.axis :].count(-1)], SCALAR
