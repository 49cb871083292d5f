"""How the blocks of an op's results follow from those of its operands, and what a region of a result needs of them.

A rule belongs to a class of ops. Ops without one are computed as a whole, of whole operands.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ...dialect.op import Elementwise, Op
from ...dialect.ops.arrangement import Concat, Pad, Roll, Stack
from ...dialect.ops.contraction import Contract, Matmul, parse_spec
from ...dialect.ops.creation import Arange, Constant, Empty
from ...dialect.ops.indexing import Gather
from ...dialect.ops.reductions import ArgReduction, Reduction, Spread, normalize_axes
from ...dialect.ops.scans import Scan
from ...dialect.ops.shape import BroadcastTo, ExpandDims, Reshape, Squeeze, Transpose
from ...dialect.ops.slicing import Slice, SliceUpdate, slice_of
from ...dialect.ops.sorting import Argsort, Sort
from ...dialect.types import normalize_axis
from .regions import Cuts, Region, extents, intersection, whole

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


def broadcast_cuts(operands: Sequence[AxisCuts], shape: Sequence[int]) -> AxisCuts:
    """The blocks of what operands make that broadcast to a shape."""
    found = []
    for axis, extent in enumerate(shape):
        cuts = whole(extent)
        for operand in operands:
            place = axis - (len(shape) - len(operand))
            if place >= 0 and operand[place].extent == extent and operand[place].is_split:
                cuts = joined(cuts, operand[place])
        found.append(cuts)
    return tuple(found)


def broadcast_region(region: Region, shape: Sequence[int], target: Sequence[int]) -> Region:
    """What a region of a broadcast array is of the array."""
    offset = len(target) - len(shape)
    return tuple(
        (0, extent) if extent != target[offset + axis] else region[offset + axis]
        for axis, extent in enumerate(shape)
    )


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
        return (tuple(found),) * len(use.results)

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


class OfElementwise(OfAxes):
    """Each element is made of those at its place."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        rank = len(use.results[0])
        return tuple(tuple(range(rank - len(operand), rank)) for operand in use.operands)


class OfBroadcast(OfElementwise):
    """As elementwise ops; the shape is that of the region."""

    def attributes(self, use: Use, region: Region) -> dict[str, Any]:
        return {"shape": extents(region)}


class OfTranspose(OfAxes):
    """The axes in another order."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        permutation = use.attributes["permutation"]
        return (tuple(permutation.index(axis) for axis in range(len(permutation))),)


class OfExpandDims(OfAxes):
    """New axes of extent 1."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        rank = len(use.results[0])
        return (tuple(axis for axis in range(rank) if axis not in use.attributes["axes"]),)


class OfSqueeze(OfAxes):
    """Axes of extent 1 less."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        gone, found, place = use.attributes["axes"], [], 0
        for axis in range(len(use.operands[0])):
            found.append(None if axis in gone else place)
            place += axis not in gone
        return (tuple(found),)


class OfReduction(OfAxes):
    """Some axes are reduced: all of them are needed, or parts that are combined (`partials.py`)."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        rank = len(use.operands[0])
        given = use.attributes["axes"] if "axes" in use.attributes else (use.attributes["axis"],)
        reduced, found, place = normalize_axes(tuple(given), rank), [], 0
        for axis in range(rank):
            found.append(None if axis in reduced else place)
            place += axis not in reduced or use.attributes["keepdims"]
        return (tuple(found),)


class OfContract(OfAxes):
    """Axes have letters, and what the result lacks is summed."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        x, y, result = parse_spec(use.attributes["spec"])
        return tuple(
            tuple(result.index(label) if label in result else None for label in labels) for labels in (x, y)
        )


class OfMatmul(OfAxes):
    """The last axis of the first operand and the last but one of the second are summed."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        rank = len(use.results[0])
        x, y = (list[Any](range(rank - len(operand), rank)) for operand in use.operands)
        x[-1] = y[-2] = None
        return tuple(x), tuple(y)


class AlongAxis(OfAxes):
    """All of one axis is needed, of any part of the others: sorts, scans."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        rank = len(use.operands[0])
        axis = normalize_axis(use.attributes["axis"], rank)
        return (tuple(None if place == axis else place for place in range(rank)),)


class OfGather(OfAxes):
    """Entries of some axes, each of which may be any, in the place of which the axes of the indices come."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        gathered, position = use.attributes["axes"], use.attributes["position"]
        inserted = len(use.operands[1])
        rest = iter(
            place for place in range(len(use.results[0])) if not position <= place < position + inserted
        )
        x = tuple(None if axis in gathered else next(rest) for axis in range(len(use.operands[0])))
        indices = tuple(range(position, position + inserted))
        return (x, *[indices] * (len(use.operands) - 1))


class OfStack(OfAxes):
    """Arrays of one shape along a new axis, of which all are made."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        new = normalize_axis(use.attributes["axis"], len(use.results[0]))
        places = tuple(place for place in range(len(use.results[0])) if place != new)
        return (places,) * len(use.operands)

    def needs(self, use: Use, region: Region) -> Need:
        new = normalize_axis(use.attributes["axis"], len(use.results[0]))
        every = tuple((0, use.results[0][new]) if axis == new else r for axis, r in enumerate(region))
        return super().needs(use, every)


class OfConstant(Rule):
    """Any part of a constant."""

    def needs(self, use: Use, region: Region) -> Need:
        value = use.attributes["value"]
        is_uniform = not value.size or bool((value == value.reshape(-1)[0]).all())
        return Need((), region if is_uniform else tuple((0, e) for e in value.shape), way="constant")


class OfEmpty(Rule):
    """Any part of what nobody reads."""

    def needs(self, use: Use, region: Region) -> Need:
        return Need(tuple(() for _ in use.operands), region, {"shape": extents(region)})


class OfArange(Rule):
    """The numbers from some place on."""

    def along(self, use: Use) -> tuple[tuple[int, ...], ...]:
        return ((),) * len(use.operands)

    def needs(self, use: Use, region: Region) -> Need:
        return Need(((), ()), region, {"shape": extents(region)}, "arange")


class OfSlice(Rule):
    """Every so many-th element of each axis."""

    def along(self, use: Use) -> tuple[tuple[int, ...], ...]:
        return ((),)

    def _ranges(self, use: Use) -> list[range]:
        bounds = zip(*(use.attributes[name] for name in ("start", "stop", "step")), strict=True)
        return [
            range(*slice_of(*bound).indices(extent))
            for bound, extent in zip(bounds, use.shape(0), strict=True)
        ]

    def cuts(self, use: Use) -> tuple[AxisCuts, ...]:
        found = []
        for axis, taken in zip(use.operands[0], self._ranges(use), strict=True):
            # The first index whose element lies in the block, or behind it where the slice runs backwards.
            points = [
                math.ceil((point - taken.start) / taken.step)
                if taken.step > 0
                else (taken.start - point) // -taken.step + 1
                for point in axis.points[1:-1]
            ]
            found.append(axis.moved(points, len(taken)))
        return (tuple(found),)

    def needs(self, use: Use, region: Region) -> Need:
        sources, bounds = [], []
        for taken, (begin, end) in zip(self._ranges(use), region, strict=True):
            indices = taken[begin:end]
            if not indices:
                sources.append((0, 0))
                bounds.append((0, 0, 1))
                continue
            low, high = min(indices[0], indices[-1]), max(indices[0], indices[-1]) + 1
            sources.append((low, high))
            step = taken.step if len(indices) > 1 else 1
            stop = high - low if step > 0 else _BEFORE_ALL
            bounds.append((indices[0] - low, stop, step))
        start, stops, steps = zip(*bounds, strict=True) if bounds else ((), (), ())
        attributes = {"start": start, "stop": stops, "step": steps}
        return Need((tuple(sources),), region, attributes)


_BEFORE_ALL = int(np.iinfo(np.int64).min)


class OfUpdate(OfSlice):
    """A region of the first operand is that of the second."""

    def along(self, use: Use) -> tuple[tuple[int, ...], ...]:
        if self._has_gaps(use):
            return tuple(tuple(range(len(operand))) for operand in use.operands)
        return ((), ())

    def _has_gaps(self, use: Use) -> bool:
        return any(taken.step != 1 for taken in self._ranges(use))

    def cuts(self, use: Use) -> tuple[AxisCuts, ...]:
        if self._has_gaps(use):
            return Rule.cuts(self, use)
        found = []
        for own, new, taken in zip(*use.operands, self._ranges(use), strict=True):
            moved = new.moved((p + taken.start for p in new.points[1:-1]), own.extent)
            found.append(own if own.is_split else moved)
        return (tuple(found),)

    def needs(self, use: Use, region: Region) -> Need:
        if self._has_gaps(use):
            return Rule.needs(self, use, region)
        written = [
            intersection(wanted, (taken.start, taken.stop))
            for wanted, taken in zip(region, self._ranges(use), strict=True)
        ]
        if any(begin == end for begin, end in written):
            return Need((region, None), region, way="first")
        update = tuple(
            (begin - taken.start, end - taken.start)
            for (begin, end), taken in zip(written, self._ranges(use), strict=True)
        )
        if tuple(written) == region:
            return Need((None, update), region, way="second")
        start, stop = (
            tuple(bound[side] - origin for bound, (origin, _) in zip(written, region, strict=True))
            for side in (0, 1)
        )
        return Need((region, update), region, {"start": start, "stop": stop, "step": (1,) * len(start)})


class OfConcat(Rule):
    """One array behind the other along an axis."""

    def along(self, use: Use) -> tuple[tuple[int, ...], ...]:
        return ((), ())

    def _axis(self, use: Use) -> int:
        return normalize_axis(use.attributes["axis"], len(use.results[0]))

    def cuts(self, use: Use) -> tuple[AxisCuts, ...]:
        x, y = use.operands
        found = []
        for axis, (own, other) in enumerate(zip(x, y, strict=True)):
            if axis != self._axis(use):
                found.append(joined(own, other))
            elif own.is_split or other.is_split:
                points = (*own.points[1:], *(point + own.extent for point in other.points))
                found.append(Cuts((0,), own.origins | other.origins).moved(points, own.extent + other.extent))
            else:
                found.append(whole(own.extent + other.extent))
        return (tuple(found),)

    def needs(self, use: Use, region: Region) -> Need:
        axis, first = self._axis(use), use.shape(0)[self._axis(use)]
        begin, end = region[axis]
        parts = intersection((begin, end), (0, first)), intersection((begin - first, end - first), (0, end))
        x, y = (tuple(part if a == axis else r for a, r in enumerate(region)) for part in parts)
        if parts[1][0] == parts[1][1]:
            return Need((x, None), region, way="first")
        if parts[0][0] == parts[0][1]:
            return Need((None, y), region, way="second")
        return Need((x, y), region)


class OfPad(Rule):
    """A border around the first operand, of a number."""

    def along(self, use: Use) -> tuple[tuple[int, ...], ...]:
        return ((), ())

    def cuts(self, use: Use) -> tuple[AxisCuts, ...]:
        low = use.attributes["low"]
        return (
            tuple(
                axis.moved((point + before for point in axis.points[1:-1]), extent)
                for axis, before, extent in zip(use.operands[0], low, use.results[0], strict=True)
            ),
        )

    def needs(self, use: Use, region: Region) -> Need:
        inner, low, high = [], [], []
        for (begin, end), before, extent in zip(region, use.attributes["low"], use.shape(0), strict=True):
            part = intersection((begin - before, end - before), (0, extent))
            if part[0] >= part[1]:
                return Need((None, ()), region, {"shape": extents(region)}, "filled")
            inner.append(part)
            low.append(part[0] - (begin - before))
            high.append(end - before - part[1])
        return Need((tuple(inner), ()), region, {"low": tuple(low), "high": tuple(high)})


class OfReshape(Rule):
    """Groups of axes that become others: of each, blocks of the first axis are blocks of all that it becomes."""

    def along(self, use: Use) -> tuple[tuple[int, ...], ...]:
        kept = [before[0] for before, _ in groups(use.shape(0), use.results[0]) if before]
        every = range(len(use.operands[0]))
        return (tuple(axis for axis in every if axis not in kept), *[()] * (len(use.operands) - 1))

    def cuts(self, use: Use) -> tuple[AxisCuts, ...]:
        shape = use.results[0]
        found = [whole(extent) for extent in shape]
        for before, behind in groups(use.shape(0), shape):
            if not before or not behind or not use.operands[0][before[0]].is_split:
                continue
            own = use.operands[0][before[0]]
            inner = _product(use.shape(0), before[1:])
            row = _product(shape, behind[1:])
            if row:
                points = (point * inner // row for point in own.points[1:-1])
                found[behind[0]] = own.moved(points, shape[behind[0]])
        return (tuple(found),)

    def needs(self, use: Use, region: Region) -> Need:
        shape, given = use.results[0], use.shape(0)
        source, produced = list(use.all_of(0)), [(0, extent) for extent in shape]
        for before, behind in groups(given, shape):
            if not before or not behind:
                continue
            inner = _product(given, before[1:])
            row = _product(shape, behind[1:])
            if not inner or not row:
                continue
            begin, end = region[behind[0]]
            # Whole rows on both sides: as many as the least common multiple of their lengths tells.
            step = math.lcm(inner, row)
            low, high = (
                begin * row // step * step,
                min(-(-end * row // step) * step, given[before[0]] * inner),
            )
            source[before[0]] = (low // inner, high // inner)
            produced[behind[0]] = (low // row, high // row)
        made = tuple(produced)
        others = tuple(() for _ in use.operands[1:])
        return Need((tuple(source), *others), made, {"shape": extents(made)})


def groups(before: Sequence[int], behind: Sequence[int]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The axes of two shapes of the same elements in groups that have equally many, as small as can be.

    Axes of extent 1 are in none.

    >>> groups((6, 4, 1, 5), (2, 3, 20))
    [((0,), (0, 1)), ((1, 3), (2,))]
    """
    left = [axis for axis, extent in enumerate(before) if extent != 1]
    right = [axis for axis, extent in enumerate(behind) if extent != 1]
    if 0 in before:
        return [(tuple(left), tuple(right))]
    found = []
    while left:
        one, other = [left.pop(0)], [right.pop(0)]
        while (ours := _product(before, one)) != (theirs := _product(behind, other)):
            if ours < theirs:
                one.append(left.pop(0))
            else:
                other.append(right.pop(0))
        found.append((tuple(one), tuple(other)))
    return found


def _product(shape: Sequence[int], axes: Sequence[int]) -> int:
    return math.prod(shape[axis] for axis in axes)


RULES: dict[type[Op], Callable[[], Rule]] = {
    Elementwise: OfElementwise,
    BroadcastTo: OfBroadcast,
    Transpose: OfTranspose,
    ExpandDims: OfExpandDims,
    Squeeze: OfSqueeze,
    Reduction: OfReduction,
    Spread: OfReduction,
    ArgReduction: OfReduction,
    Contract: OfContract,
    Matmul: OfMatmul,
    Sort: AlongAxis,
    Argsort: AlongAxis,
    Scan: AlongAxis,
    Roll: AlongAxis,
    Gather: OfGather,
    Stack: OfStack,
    Constant: OfConstant,
    Empty: OfEmpty,
    Arange: OfArange,
    Slice: OfSlice,
    SliceUpdate: OfUpdate,
    Concat: OfConcat,
    Pad: OfPad,
    Reshape: OfReshape,
}
"""The rules by classes of ops, or bases of them."""


def rule_of(op_class: type[Op] | None) -> Rule:
    """The rule of a class of ops; None is one of another dialect."""
    if op_class is not None:
        for base in op_class.__mro__:
            if base in RULES:
                return RULES[base]()
    return Rule()


def block_at(cuts: Cuts, place: int) -> int:
    """The number of the block that holds a place.

    >>> block_at(Cuts((0, 3, 5)), 3)
    1
    """
    return bisect.bisect_right(cuts.points, place, 1, len(cuts.points) - 1) - 1


__all__ = ["AxisCuts", "Mismatch", "Need", "Rule", "Use", "block_at", "rule_of"]
