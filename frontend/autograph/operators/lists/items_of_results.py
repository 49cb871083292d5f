"""The items of lists that grow, where these are results: what makes each of what the compiled code gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....runtime_values import kept_texts
from ....runtime_values.result_spec import OfNumber
from ....signature.composite_arrays import ArrayParts
from ....signature.signature import Leaf, Node, Structure, static, static_key
from ....signature.signature import Static as Constant
from ....signature.traced_value import CompositeValue
from ..values.abstract import ArrayKind, Choice, Container, Kind, Option, Partial, Static, Text, array_leaves
from .items_of_types import number_of_types


def structure_of_item(kind: Kind, positions: Iterator[int]) -> Structure:
    """The structure of an item for the results of a function."""
    if isinstance(kind, ArrayKind) and kind.types:
        leaves = [Leaf(next(positions)) for _ in array_leaves(kind)]
        return Node(number_of_types(kind), (), tuple(leaves))
    if isinstance(kind, ArrayKind):
        return Leaf(next(positions))
    if isinstance(kind, Container):
        children = tuple(structure_of_item(child, positions) for child in kind.children)
        if kind.kind is CompositeValue:
            return Node(ArrayParts, (), (static(kind.keys[0][0]), *children))
        return Node(kind.kind, kind.keys, children)
    if isinstance(kind, Partial) and kind.inner is not None:
        return Node(_PresentOrNone, (), (Leaf(next(positions)), structure_of_item(kind.inner, positions)))
    if isinstance(kind, Choice):
        number = Leaf(next(positions))
        held = [structure_of_item(option, positions) for option in kind.held]
        return Node(_one_of(kind.options), (), (number, *held))
    if isinstance(kind, Text):
        return Node(_TextOfNumber, (), (Leaf(next(positions)),))
    value = kind.value if isinstance(kind, Static) else None
    return Constant(static_key(value), value)


def _one_of(options: tuple[Option, ...]) -> type:
    """Made of a number, and of what is carried of the options: the option with that number."""
    constants = [option.value if isinstance(option, Static) else None for option in options]
    carried = [number for number, option in enumerate(options) if not isinstance(option, Static)]
    places = {number: place for place, number in enumerate(carried)}

    class OneOf(OfNumber):
        @classmethod
        def listed(cls, *columns: list[Any]) -> list[Any]:
            numbers, *held = columns
            if not held:
                return list(map(constants.__getitem__, numbers))
            return [
                held[places[number]][row] if number in places else constants[number]
                for row, number in enumerate(numbers)
            ]

    return OneOf


class _TextOfNumber(OfNumber):
    """Made of a number: the text with that number."""

    @classmethod
    def listed(cls, *columns: list[Any]) -> list[Any]:
        return list(map(kept_texts.kept_text, *columns))


class _PresentOrNone(OfNumber):
    """Made of whether an item is None and of its value: the item itself."""

    @classmethod
    def listed(cls, *columns: list[Any]) -> list[Any]:
        return [None if is_none else value for is_none, value in zip(*columns, strict=True)]
