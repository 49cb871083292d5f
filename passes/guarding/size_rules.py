"""What an op's own rule demands of sizes that only the run tells.

The rule is given sizes that nothing else has, two different ones for each two axes that may have to agree, and refuses
those that do not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from ...dialect.errors import WeftError
from ...dialect.op import Op
from ...dialect.records import NamedTuple
from ...dialect.types import TensorType

_ONE, _OTHER = 999_983, 1_000_003
"""Extents that no array of a file has by chance: primes."""


class Place(NamedTuple):
    """An axis of an operand of an op, or of the shape that an attribute of it says."""

    operand: int
    """-1 for the attribute."""
    axis: int


class Equal(NamedTuple):
    """Two axes that have to be of one extent, or an axis and a number."""

    one: Place
    other: Place | int


class AtLeast(NamedTuple):
    """An axis of which an op needs some extent."""

    place: Place
    extent: int


Need: TypeAlias = "Equal | AtLeast"


class SizeRule:
    """The rule of an op, that is asked about sizes."""

    def __init__(
        self, op_class: type[Op], types: Sequence[TensorType], attributes: Mapping[str, Any]
    ) -> None:
        self._op_class, self._types, self._attributes = op_class, types, attributes
        self._shape: Sequence[int] = attributes.get("shape", ())
        self._unknown = [axis for axis, extent in enumerate(self._shape) if extent == -1]
        self._given = len(types) - len(self._unknown)

    def needs(self) -> Iterator[Need]:
        """What is needed of single axes, then of two."""
        groups: list[list[Place]] = []
        places = self._places()
        for place in places:
            if self._takes({place: _ONE}):
                groups.append([place])
            elif alike := self._alike(place, places):
                if place == alike[0]:
                    groups.append(alike)
                    yield from (Equal(place, other) for other in alike[1:])
            elif (extent := self._only(place)) is not None:
                yield Equal(place, extent)
        for group in groups:
            if not self._takes(dict.fromkeys(group, 0)):
                yield AtLeast(group[0], self._least(group))
        for one, other in combinations(groups, 2):
            if self._has_to_agree(one, other):
                yield Equal(one[0], other[0])

    def _places(self) -> list[Place]:
        """All axes whose extents only the run tells."""
        places = [
            Place(number, axis)
            for number, t in enumerate(self._types)
            for axis, extent in enumerate(t.shape)
            if extent is None
        ]
        return places + [Place(-1, axis) for axis in self._unknown]

    def _alike(self, place: Place, places: Sequence[Place]) -> list[Place]:
        """The axes of operands that have to be of one type, as far as they are that of a place."""
        own = self._types[place.operand]
        alike = [p for p in places if p.axis == place.axis and self._types[p.operand] == own]
        return alike if len(alike) > 1 and self._takes(dict.fromkeys(alike, _ONE)) else []

    def _least(self, group: Sequence[Place]) -> int:
        """The smallest extent that is taken."""
        low, high = 0, _ONE
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._takes(dict.fromkeys(group, middle)) else (middle, high)
        return high

    def _only(self, place: Place) -> int | None:
        """The number that an axis has to be: an unknown extent never stands for one that is stretched."""
        known = {extent for t in self._types for extent in t.shape if extent is not None}
        known |= {extent for extent in self._shape if extent >= 0}
        sizes = {t.size for t in self._types if t.size} | {int(np.prod([e for e in self._shape if e > 0]))}
        return next((e for e in sorted(known | sizes, reverse=True) if self._takes({place: e})), None)

    def _has_to_agree(self, one: Sequence[Place], other: Sequence[Place]) -> bool:
        """Whether two axes are taken when they are of one extent, and neither the one nor the other may be larger."""

        def takes(extent: int, second: int) -> bool:
            return self._takes(dict.fromkeys(one, extent) | dict.fromkeys(other, second))

        return takes(_ONE, _ONE) and not takes(_ONE, _OTHER) and not takes(_OTHER, _ONE)

    def _takes(self, extents: Mapping[Place, int]) -> bool:
        """Whether the rule takes operands of which some extents are as given."""
        types = []
        for number, t in enumerate(self._types):
            shape = [extents.get(Place(number, axis), extent) for axis, extent in enumerate(t.shape)]
            types.append(t.with_shape(shape))
        attributes = dict(self._attributes)
        if self._shape:
            told = [extents.get(Place(-1, axis), extent) for axis, extent in enumerate(self._shape)]
            scalars = zip(types[self._given :], self._unknown, strict=True)
            left = [t for t, axis in scalars if told[axis] == -1]
            types, attributes["shape"] = [*types[: self._given], *left], tuple(told)
        try:
            self._op_class.result_types(types, attributes)
        except WeftError:
            return False
        return True
