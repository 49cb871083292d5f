"""The types of what compiled functions return, for people and programs that look at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dialect.shown_values import shown_value
from ...dialect.types import TensorType
from ..runtime_values.result_spec import (
    ArgumentResult,
    ChosenResult,
    ComputedResult,
    ConstantResult,
    FoundResult,
    HolderResult,
    KeptResult,
    OptionalResult,
    OutsideResult,
    PooledResult,
    Result,
    SelectedResult,
    SharedResult,
    ThawedResult,
    TypedResult,
    ViewResult,
    view_type,
)
from ..signature.signature import describe, type_of_leaf


def type_of_result(leaf: Any, computed: Sequence[TensorType], arguments: Sequence[TensorType]) -> Any:
    """The type of a result, by those of the outputs and of the arguments with what comes behind these.

    It is text for what is made of several, or is no array.
    """
    if isinstance(leaf, ComputedResult):
        return computed[leaf.position]
    if isinstance(leaf, ViewResult):
        return _view_type(computed[leaf.position], leaf, computed)
    if isinstance(leaf, ArgumentResult):
        return _view_type(arguments[leaf.argument], leaf, computed)
    if isinstance(leaf, OutsideResult):
        return type_of_leaf(leaf.array)
    if isinstance(leaf, (KeptResult, SelectedResult)):
        inner = leaf.result if isinstance(leaf, KeptResult) else leaf.options[0]
        return type_of_result(inner, computed, arguments)
    return _text_of(leaf, computed, arguments)


def _text_of(leaf: Any, computed: Sequence[TensorType], arguments: Sequence[TensorType]) -> str:
    """A result that is made of others, or no array, in words."""

    def several(leaves: Sequence[Any]) -> list[Any]:
        return [type_of_result(one, computed, arguments) for one in leaves]

    if isinstance(leaf, SharedResult):
        inside = leaf.result
        return "itself" if inside is None else str(describe(inside.structure, several(inside.leaves)))
    if isinstance(leaf, HolderResult):
        return " and ".join(map(str, several(leaf.parts.leaves)))
    if isinstance(leaf, PooledResult):
        return (
            "a list"
            if len(leaf.numbered.leaves) == 1
            else " and ".join(map(str, several(leaf.numbered.leaves)))
        )
    if isinstance(leaf, OptionalResult):
        return f"{describe(leaf.value.structure, several(leaf.value.leaves))} or None"
    if isinstance(leaf, TypedResult):
        return " or ".join(map(str, several(leaf.options)))
    if isinstance(leaf, ConstantResult):
        return shown_value(leaf.value)
    if isinstance(leaf, ChosenResult):
        return " or ".join(
            describe(option.structure, several(option.leaves))
            if isinstance(option, Result)
            else shown_value(option)
            for option in leaf.options
        )
    if isinstance(leaf, (FoundResult, ThawedResult)):
        return leaf.kind if isinstance(leaf, FoundResult) else "a string"
    columns = [computed[column.position] for column, _ in leaf.columns]
    items = [column.with_shape(column.shape[1:]) for column in columns]
    return f"list of {describe(leaf.item, items)}"


def _view_type(
    base: TensorType, leaf: ArgumentResult | ViewResult, computed: Sequence[TensorType]
) -> TensorType:
    bounds = [None if step is None else [computed[position] for position in step] for step in leaf.bounds]
    return view_type(base, leaf.path, bounds)
