"""The steps from an array to a view of it as JSON: an op by its name, with its attributes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialect.errors import ArtifactError
from ..tracing.view_steps import ViewStep
from .structures import Json, NoForm, constant_from_json, constant_to_json

if TYPE_CHECKING:
    from ...dialect.op import Op


@cache
def _views() -> dict[str, type[Op]]:
    """The ops that make views; results that are no views do without."""
    from ...dialect.ops.arrangement import Diagonal
    from ...dialect.ops.casts import Bitcast
    from ...dialect.ops.complex_parts import Imag, Real
    from ...dialect.ops.indexing import Gather
    from ...dialect.ops.shape import BroadcastTo, ExpandDims, Reshape, Squeeze, Transpose
    from ...dialect.ops.slicing import DynamicSlice, Slice

    shapes = (Slice, Squeeze, ExpandDims, Transpose, Reshape, BroadcastTo, Diagonal)
    return {op.name: op for op in (*shapes, Real, Imag, Bitcast, Gather, DynamicSlice)}


def step_to_json(step: ViewStep, operands: tuple[int, ...] | None) -> Json:
    """A step whose run-time operands are outputs; raises `NoForm`."""
    if operands is None:
        raise NoForm("a view whose place a condition decides")
    if step.op_class.name not in _views():
        raise NoForm(f"a view by {step.op_class.name}")
    attributes = {name: _attribute_to_json(value) for name, value in step.attributes.items()}
    found = {"op": step.op_class.name, "attributes": attributes, "writable": step.writable}
    return found | ({"operands": list(operands)} if operands else {})


def _attribute_to_json(value: Any) -> Json:
    if isinstance(value, (tuple, list)):
        return [_attribute_to_json(item) for item in value]
    if isinstance(value, np.integer):
        return int(value)
    return constant_to_json(value)


def step_from_json(given: Mapping[str, Json]) -> ViewStep:
    """The step of what `step_to_json` made."""
    if given["op"] not in _views():
        raise ArtifactError(f"{str(given['op'])[:40]!r} makes no view")
    attributes = {printable(name): _attribute(value) for name, value in given["attributes"].items()}
    return ViewStep(_views()[given["op"]], attributes, (), given["writable"] is True)


def _attribute(given: Json) -> Any:
    if isinstance(given, list):
        return tuple(map(_attribute, given))
    return constant_from_json(given)


def printable(given: Json) -> str:
    """A name that was read; raises `ArtifactError` for what is none."""
    if type(given) is not str or not given.isprintable():
        raise ArtifactError(f"{str(given)[:40]!r} is no name")
    return given
