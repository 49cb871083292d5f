"""How the blocks of an op's results follow from those of its operands, and what a region of a result needs of them.

A rule belongs to a class of ops. Ops without one are computed as a whole, of whole operands.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialect.batching import Along, Looped, on_last_axes
from ...dialect.op import Elementwise, Op
from ...dialect.ops.arrangement import Concat, Pad, Roll, Stack, Tril, Triu
from ...dialect.ops.contraction import Contract, Matmul, parse_spec
from ...dialect.ops.creation import Arange, Constant, Empty
from ...dialect.ops.indexing import Gather
from ...dialect.ops.reductions import ArgReduction, Reduction, Spread, normalize_axes
from ...dialect.ops.scans import Scan
from ...dialect.ops.shape import BroadcastTo, ExpandDims, Reshape, Squeeze, Transpose
from ...dialect.ops.slicing import Slice, SliceUpdate, slice_of
from ...dialect.ops.sorting import Argsort, Searchsorted, Sort
from ...dialect.types import normalize_axis
from ..partition.rules.along import worked_along
from .regions import Cuts, Region, extents, intersection, whole
from .rule import AxisCuts, Need, OfAxes, Rule, Use, joined


class OfElementwise(OfAxes):
    """Each element is made of those at its place."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        rank = len(use.results[0])
        return tuple(tuple(range(rank - len(operand), rank)) for operand in use.operands)


class OfBroadcast(OfElementwise):
    """As elementwise ops; the shape is that of the region."""

    def attributes(self, use: Use, region: Region) -> dict[str, Any]:
        return {"shape": extents(region)}


class OfTriangle(OfElementwise):
    """As elementwise ops; the diagonal lies elsewhere in a region."""

    def attributes(self, use: Use, region: Region) -> dict[str, Any]:
        return {"k": use.attributes["k"] + region[-2][0] - region[-1][0]}


class OfSearchsorted(OfAxes):
    """Each value is looked for in all that is sorted."""

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        return (None,), tuple(range(len(use.operands[1])))


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

    def _whole(self, use: Use) -> Sequence[int]:
        return (normalize_axis(use.attributes["axis"], len(use.operands[0])),)

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        rank, gone = len(use.operands[0]), self._whole(use)
        own = tuple(None if place in gone else place for place in range(rank))
        return (own, *(tuple(None for _ in operand) for operand in use.operands[1:]))

    def needs(self, use: Use, region: Region) -> Need:
        gone = self._whole(use)
        every = tuple((0, use.results[0][place]) if place in gone else r for place, r in enumerate(region))
        if len(gone) == len(use.operands[0]):
            return Rule.needs(self, use, every)
        return super().needs(use, every)


class OfWorked(AlongAxis):
    """All of the axes is needed that an op on one array works along, as its class says; of others any part."""

    def __init__(self, op_class: type[Op]) -> None:
        self._op_class = op_class

    def _whole(self, use: Use) -> Sequence[int]:
        rank = len(use.operands[0])
        found = worked_along(self._op_class, use.attributes, rank)
        is_alike = len(use.operands) == 1 and all(len(shape) == rank for shape in use.results)
        return range(rank) if found is None or not is_alike else found


class OfLoop(OfAxes):
    """Loops over the axes in front of those that each of them needs all of: transforms, stacks of matrices."""

    def __init__(self, op_class: type[Op], loop: Looped) -> None:
        self._op_class, self._loop = op_class, loop

    def _looped(self, use: Use) -> list[int]:
        """How many axes of each operand are looped over; none where results have several shapes."""
        cores = self._loop.cores(self._op_class, use.attributes)
        if len(set(use.results)) > 1 or self._loop.ends(self._op_class):
            return [0 for _ in cores]
        return [len(operand) - core for operand, core in zip(use.operands, cores, strict=True)]

    def axes(self, use: Use) -> tuple[tuple[int | None, ...], ...]:
        looped = self._looped(use)
        around = max(looped, default=0)
        return tuple(
            (*range(around - own, around), *(None,) * (len(operand) - own))
            for operand, own in zip(use.operands, looped, strict=True)
        )

    def needs(self, use: Use, region: Region) -> Need:
        around = max(self._looped(use), default=0)
        every = (*region[:around], *((0, extent) for extent in use.results[0][around:]))
        return super().needs(use, every)


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
    Tril: OfTriangle,
    Triu: OfTriangle,
    Searchsorted: OfSearchsorted,
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
        if isinstance(op_class.batching, Along) or op_class.batching is on_last_axes:
            return OfWorked(op_class)
        if isinstance(op_class.batching, Looped):
            return OfLoop(op_class, op_class.batching)
    return Rule()


def block_at(cuts: Cuts, place: int) -> int:
    """The number of the block that holds a place.

    >>> block_at(Cuts((0, 3, 5)), 3)
    1
    """
    return bisect.bisect_right(cuts.points, place, 1, len(cuts.points) - 1) - 1
