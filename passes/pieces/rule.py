"""What rules of ops are: the blocks of results by those of operands, and what a region of a result needs of these."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .regions import Cuts, Region, whole

AxisCuts: TypeAlias = "tuple[Cuts, ...]"


@dataclass(frozen=True)
class Use:
    """An op as rules look at it."""

    attributes: dict[str, Any]
    operands: tuple[AxisCuts, ...]
    results: tuple[tuple[int, ...], ...]
    """The shapes of the results."""

    def shape(self, operand: int) -> tuple[int, ...]:
        """The shape of an operand."""
        return tuple(axis.extent for axis in self.operands[operand])

    def all_of(self, operand: int) -> Region:
        """All of an operand."""
        return tuple((0, axis.extent) for axis in self.operands[operand])


@dataclass(frozen=True)
class Need:
    """What a region of a result is computed of."""

    operands: tuple[Region | None, ...]
    """None of an operand that is not needed."""
    produced: Region
    """What comes out, which holds the region that is asked for."""
    attributes: dict[str, Any] = field(default_factory=dict)
    """Those that differ from the op's own."""
    way: str = "op"
    """The op itself, or another way to compute it (`programs.py`)."""


class Mismatch(Exception):
    """The blocks of two operands do not lie at the same places: of these arguments and axes."""

    def __init__(self, one: Cuts, other: Cuts) -> None:
        super().__init__(one, other)
        self.one = one
        self.other = other


def joined(one: Cuts, other: Cuts) -> Cuts:
    """The blocks of what two axes make together."""
    if one.is_split and other.is_split and one.points != other.points and not one.origins & other.origins:
        raise Mismatch(one, other)
    return one if one.is_split or not other.is_split else other


class Rule:
    """The rule of ops that are computed as a whole."""

    def along(self, use: Use) -> tuple[tuple[int, ...], ...]:
        """For each operand the axes of which all is needed for any part of the result."""
        return tuple(tuple(range(len(operand))) for operand in use.operands)

    def cuts(self, use: Use) -> tuple[AxisCuts, ...]:
        """The blocks of the results; raises Mismatch."""
        return tuple(tuple(map(whole, shape)) for shape in use.results)

    def needs(self, use: Use, region: Region) -> Need:
        """What a region of the results needs, which have one shape."""
        operands = tuple(map(use.all_of, range(len(use.operands))))
        return Need(operands, tuple((0, extent) for extent in use.results[0]) if use.results else ())


class OfAxes(Rule):
    """The rule of ops whose result has axes of operands; a subclass tells which is which."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        """For each operand and each axis of it the axis of the result; None where all of it is needed."""
        raise NotImplementedError

    def attributes(self, use: Use, region: Region) -> dict[str, Any]:
        """The attributes that depend on the region."""
        return {}

    def along(self, use: Use) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(axis for axis, place in enumerate(places) if place is None) for places in self.axes(use)
        )

    def cuts(self, use: Use) -> tuple[AxisCuts, ...]:
        found = [whole(extent) for extent in use.results[0]]
        for cuts, places in zip(use.operands, self.axes(use), strict=True):
            for own, place in zip(cuts, places, strict=True):
                if place is not None and own.extent == found[place].extent:
                    found[place] = joined(found[place], own)
        return tuple(
            tuple(found) if shape == use.results[0] else tuple(map(whole, shape)) for shape in use.results
        )

    def needs(self, use: Use, region: Region) -> Need:
        (shape, *_) = use.results
        operands = tuple(
            tuple(
                (0, own.extent) if place is None or own.extent != shape[place] else region[place]
                for own, place in zip(cuts, places, strict=True)
            )
            for cuts, places in zip(use.operands, self.axes(use), strict=True)
        )
        return Need(operands, region, self.attributes(use, region))
