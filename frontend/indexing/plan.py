"""What a NumPy index expression means: a plan of views, and at most one gather, scatter or masked write.

`plan_index` knows shapes only (None where an extent is known at run time) and imports no MLIR. Basic indices
become steps whose reading is a view in NumPy and through which a write reaches the base; index arrays and
boolean masks become the last step, which copies. Errors are NumPy's, in its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from ...dialect.errors import InternalError, WeftIndexError, WeftValueError
from ...dialect.op import Op
from ...dialect.ops.indexing import Gather, Scatter
from ...dialect.ops.shape import ExpandDims, Reshape, Squeeze, Transpose
from ...dialect.ops.slicing import (
    INT64_MAX,
    INT64_MIN,
    DynamicSlice,
    DynamicSliceUpdate,
    Slice,
    SliceUpdate,
    slice_extent,
)
from ...dialect.records import dataclass, replace
from ...dialect.types import Shape, TensorType, broadcast_shapes, format_shape, type_of
from ..tracing.needed_numbers import need_length
from ..tracing.view_steps import ViewStep
from .entries import Entry, Index, NonzeroOfMask, Traced, is_traced, locate, parse


@dataclass(frozen=True)
class BoundsCheck:
    """To be checked, at run time unless all is known: every index is within the extent of an axis of the array."""

    index: Index
    axis: int
    extent: int | None
    """The extent where it is known."""
    is_slice: bool = False
    """Whether it stands for a slice of one element."""
    is_array: bool = False
    """Whether it is an index array: of these, NumPy finds first whether the value that is assigned fits."""

    error = "IndexError"

    @property
    def message(self) -> str:
        """NumPy's message, for `raise_if` with the offending index and the extent."""
        if self.is_slice:
            return (
                f"a slice of one element at {{0}} is out of bounds for axis {self.axis} with size {{1}}; it "
                "must not be empty, as its extent is taken to be 1 while tracing"
            )
        return f"index {{0}} is out of bounds for axis {self.axis} with size {{1}}"

    @property
    def is_decided(self) -> bool:
        """Whether the index and the extent are known."""
        return self.extent is not None and not is_traced(self.index)

    def decide(self) -> None:
        """Raise where a known index is outside."""
        assert self.extent is not None
        flat = np.asarray(self.index).reshape(-1)
        outside = flat[(flat < -self.extent) | (flat >= self.extent)]
        if outside.size:
            raise WeftIndexError(self.message.format(int(outside[0]), self.extent))


@dataclass(frozen=True)
class ExtentCheck:
    """To be checked at run time: an axis of a mask is as long as the axis of the array that it covers."""

    axis: int
    mask: Index
    mask_axis: int

    error = "IndexError"

    @property
    def message(self) -> str:
        """NumPy's message, for `raise_if` with the array's extent and the mask's."""
        return (
            f"boolean index did not match indexed array along axis {self.axis}; size of axis is {{0}} but "
            "size of corresponding boolean axis is {1}"
        )


@dataclass(frozen=True)
class AdvancedIndex:
    """A gather (reading) or scatter (writing) of what the view steps give."""

    indices: tuple[Index, ...]
    axes: tuple[int, ...]
    position: int
    shape: Shape
    """What the indices broadcast to; NumPy arrays among them have that shape already where it is known."""

    @property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the gather; a scatter has `mode` besides."""
        return {"axes": self.axes, "position": self.position}


@dataclass(frozen=True)
class MaskIndex:
    """A selection by a traced boolean mask of the axes from `axis` on."""

    mask: Traced
    axis: int
    position: int
    """Where the axis of the selected elements is in NumPy's result."""

    def mask_steps(self, rank: int) -> tuple[ViewStep, ...]:
        """What makes the mask broadcast against the view, which has a rank."""
        return _expand(self.mask.type.rank, rank - self.axis - self.mask.type.rank)

    def value_steps(self, rank: int, value: TensorType) -> tuple[ViewStep, ...] | None:
        """What makes an assigned value broadcast against the view; None if it has one element per hit."""
        behind = rank - self.axis - self.mask.type.rank
        result_rank = self.axis + 1 + behind
        extra = max(0, value.rank - result_rank)
        steps = _squeeze(tuple(range(extra))) if set(value.shape[:extra]) <= {1} else None
        count_axis = self.position - (result_rank - (value.rank - extra))
        if steps is None or (count_axis >= 0 and value.shape[extra + count_axis] != 1):
            return None
        remaining = value.rank - extra
        if count_axis >= 0:
            steps += _squeeze((count_axis,))
            remaining -= 1
        return steps + _expand(remaining - behind, self.mask.type.rank) if remaining > behind else steps


@dataclass(frozen=True)
class IndexPlan:
    """How to read or write `x[index]`: first the checks, then the view steps, then the advanced step."""

    steps: tuple[ViewStep, ...] = ()
    advanced: AdvancedIndex | MaskIndex | None = None
    checks: tuple[BoundsCheck | ExtentCheck, ...] = ()
    copies: bool = False
    """Whether NumPy copies when it reads, although all steps are views (a 0-d integer array as index)."""

    @property
    def is_view(self) -> bool:
        """Whether reading gives a view in NumPy."""
        return self.advanced is None and not self.copies


# Planning


def plan_index(shape: Shape, index: Any) -> IndexPlan:
    """Plan reading or writing `x[index]` for an array of a shape.

    Raises what NumPy raises (`IndexError`, `ValueError`, `TypeError`). Lists that hold traced values are to be made
    arrays first; a traced mask is the only advanced index, or stands there as the places where it is true.

    >>> plan = plan_index((4, 5), (1, slice(None, None, 2)))
    >>> [(step.op_class.name, step.attributes) for step in plan.steps]  # doctest: +NORMALIZE_WHITESPACE
    [('slice', {'start': (1, 0), 'stop': (2, 5), 'step': (1, 2)}), ('squeeze', {'axes': (0,)})]
    """
    entries = [parsed for item in (index if isinstance(index, tuple) else (index,)) for parsed in parse(item)]
    located = locate(entries, len(shape))
    masks = [entry for entry in located if entry.kind == "mask"]
    return _Planner(shape, located, masked=bool(masks)).plan()


Bounds: TypeAlias = "tuple[Any, Any, int]"
"""Start, stop (ints, or traced integers) and step of a slice."""


@dataclass
class _Planner:
    """Collects the steps for located entries; one pass over them in order."""

    shape: Shape
    entries: Sequence[Entry]
    masked: bool
    checks: list[BoundsCheck | ExtentCheck] = field(default_factory=list)
    picked: list[Entry] = field(default_factory=list)
    """Integers (and slices of one element) that drop their axis by a gather."""
    bounds: dict[int, Bounds] = field(default_factory=dict)
    """Start, stop and step by axis of the array."""
    dropped: list[int] = field(default_factory=list)
    """Axes of the array that an integer drops, after slicing it to one element."""
    kept: int = 0
    """Axes of the view so far."""
    new_axes: list[int] = field(default_factory=list)
    indices: list[tuple[int, Index]] = field(default_factory=list)
    """The axis of the view, and the index."""

    def plan(self) -> IndexPlan:
        """Make the plan."""
        for entry in self.entries:
            getattr(self, f"_take_{entry.kind}")(entry)
        copies = any(
            entry.kind == "integer" and isinstance(entry.value, np.ndarray) for entry in self.entries
        )
        steps = (*self._pick_step(), *self._slice_step(), *_squeeze(self._dropped_axes()))
        if self.new_axes:
            steps += (ViewStep(ExpandDims, {"axes": tuple(self.new_axes)}),)
        return IndexPlan(steps, self._advanced_step(), tuple(self.checks), copies)

    @cached_property
    def picks_integers(self) -> bool:
        """Whether an integer is traced: then one gather takes all integers, so that one element is moved."""
        return any(e.kind in ("integer", "place") and is_traced(e.value) for e in self.entries)

    # One method for each kind of entry

    def _take_newaxis(self, entry: Entry) -> None:
        self.new_axes.append(self.kept)
        self.kept += 1

    def _take_ellipsis(self, entry: Entry) -> None:
        pass

    def _take_slice(self, entry: Entry) -> None:
        extent = self.shape[entry.axis]
        has_traced = _has_traced((entry.value.start, entry.value.stop))
        place = _only_place(entry.value) if extent is None and not has_traced else None
        if place is None:
            self.bounds[entry.axis] = _slice_bounds(entry.value, None if has_traced else extent)
            self.kept += 1
        else:
            self._take_place(replace(entry, value=place))

    def _take_place(self, entry: Entry) -> None:
        """A slice of one element: an axis of extent 1 is known to be one, so that it broadcasts."""
        place = entry.value if is_traced(entry.value) else np.asarray(entry.value)
        self.checks.append(BoundsCheck(place, entry.axis, self.shape[entry.axis], is_slice=True))
        self.picked.append(entry)
        self._take_newaxis(entry)

    def _take_integer(self, entry: Entry) -> None:
        self._check_bounds(entry.value, entry.axis)
        extent = self.shape[entry.axis]
        if extent is None or self.picks_integers:
            self.picked.append(entry)
        else:
            position = int(entry.value) % (extent or 1)
            self.bounds[entry.axis] = (position, position + 1, 1)
            self.dropped.append(entry.axis)

    def _take_array(self, entry: Entry) -> None:
        if isinstance(entry.value, NonzeroOfMask):
            self._check_extent(entry.axis, entry.value.mask, entry.value.mask_axis)
        elif not self._selects_nothing():  # NumPy does not look at index arrays that are broadcast away
            self._check_bounds(entry.value, entry.axis, is_array=True)
        self._add_index(entry.index)

    def _take_flag(self, entry: Entry) -> None:
        self._take_newaxis(entry)
        self.indices.append((self.kept - 1, entry.index))

    def _take_mask(self, entry: Entry) -> None:
        for mask_axis in range(entry.consumed):
            self._check_extent(entry.axis + mask_axis, entry.value, mask_axis)
        self.indices.append((self.kept, entry.value))
        self.kept += entry.consumed

    def _add_index(self, index: Index) -> None:
        self.indices.append((self.kept, index))
        self.kept += 1

    # Checks

    def _check_bounds(self, index: Any, axis: int, is_array: bool = False) -> None:
        """Check an index now when it and the extent are known, and none before it is left to run time."""
        extent = self.shape[axis]
        check = BoundsCheck(index if is_traced(index) else np.asarray(index), axis, extent, is_array=is_array)
        if is_array or self.checks or not check.is_decided:
            self.checks.append(check)
        else:
            check.decide()

    def _selects_nothing(self) -> bool:
        """Whether an index array is known to be empty."""
        return any(0 in _index_type(e.index).shape for e in self.entries if e.kind in ("array", "flag"))

    def _check_extent(self, axis: int, mask: Index, mask_axis: int) -> None:
        extent, other = self.shape[axis], _index_type(mask).shape[mask_axis]
        if other == 0:
            return  # NumPy lets an empty mask pass
        if extent is None or other is None:
            self.checks.append(ExtentCheck(axis, mask, mask_axis))
        elif extent != other:
            raise WeftIndexError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is {extent} but "
                f"size of corresponding boolean axis is {other}"
            )

    # Steps

    def _pick_step(self) -> tuple[ViewStep, ...]:
        if not self.picked:
            return ()
        axes = tuple(entry.axis for entry in self.picked)
        operands = tuple(
            e.value if is_traced(e.value) else np.asarray(e.value, np.int64) for e in self.picked
        )
        return (ViewStep(Gather, {"axes": axes, "position": 0}, operands),)

    def _axes_after_pick(self) -> list[int]:
        picked = {entry.axis for entry in self.picked}
        return [axis for axis in range(len(self.shape)) if axis not in picked]

    def _dropped_axes(self) -> tuple[int, ...]:
        remaining = self._axes_after_pick()
        return tuple(remaining.index(axis) for axis in self.dropped)

    def _slice_step(self) -> tuple[ViewStep, ...]:
        bounds = [self.bounds.get(axis, FULL) for axis in self._axes_after_pick()]
        if all(not _has_traced(bound) and bound == FULL for bound in bounds):
            return ()
        start, stop, step = zip(*bounds, strict=True)
        start_axes, stop_axes = (
            tuple(axis for axis, bound in enumerate(limits) if is_traced(bound)) for limits in (start, stop)
        )
        operands = (*(start[axis] for axis in start_axes), *(stop[axis] for axis in stop_axes))
        for bound in operands:
            need_length(bound, "the length of a slice")
        if not operands:
            return (ViewStep(Slice, {"start": start, "stop": stop, "step": step}),)
        attributes = {
            "start": tuple(0 if is_traced(bound) else bound for bound in start),
            "stop": tuple(0 if is_traced(bound) else bound for bound in stop),
            "step": step,
            "start_axes": start_axes,
            "stop_axes": stop_axes,
        }
        return (ViewStep(DynamicSlice, attributes, operands),)

    def _advanced_step(self) -> AdvancedIndex | MaskIndex | None:
        if not self.indices:
            return None
        first = self.indices[0][0]
        position = first if self._side_by_side() else 0
        if self.masked:
            return MaskIndex(self.indices[0][1], first, position)
        shape = _broadcast_indices([_index_type(index).shape for _, index in self.indices])
        indices = tuple(_spread(index, shape) for _, index in self.indices)
        return AdvancedIndex(indices, tuple(axis for axis, _ in self.indices), position, shape)

    def _side_by_side(self) -> bool:
        """Whether nothing stands between the advanced indices: then the new axes take their place."""
        places = [
            place for place, e in enumerate(self.entries) if e.kind in ("integer", "array", "flag", "mask")
        ]
        return places[-1] - places[0] + 1 == len(places)


FULL = (0, INT64_MAX, 1)
"""The bounds of a slice that takes a whole axis."""


def _has_traced(bounds: Sequence[Any]) -> bool:
    return any(is_traced(bound) for bound in bounds)


def _index_type(index: Index) -> TensorType:
    return index.type if is_traced(index) else type_of(index)


def _broadcast_indices(shapes: Sequence[Shape]) -> Shape:
    """The broadcast of the shapes of index arrays; NumPy's IndexError when they do not fit."""
    try:
        return broadcast_shapes(shapes)
    except WeftValueError as error:
        listing = " ".join(format_shape(shape) for shape in shapes)
        raise WeftIndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {listing}"
        ) from error


def _spread(index: Index, shape: Shape) -> Index:
    """A NumPy index array in the shape of the indices, where that is known."""
    known = tuple(extent for extent in shape if extent is not None)
    return index if is_traced(index) or len(known) < len(shape) else np.broadcast_to(index, known)


def _only_place(entry: slice) -> int | None:
    """The place of the one element that a slice takes from any axis that has it, or None for other slices."""
    start, stop = entry.start or 0, entry.stop
    if entry.step not in (None, 1):
        return None
    return start if stop == start + 1 != 0 or (start == -1 and stop in (None, INT64_MAX)) else None


def _slice_bounds(entry: slice, extent: int | None) -> Bounds:
    """Start, stop and step of a slice, in one spelling where the extent is known."""
    step = 1 if entry.step is None else entry.step
    if step == 0:
        raise WeftValueError("slice step cannot be zero")
    start = entry.start if entry.start is not None else (0 if step > 0 else INT64_MAX)
    stop = entry.stop if entry.stop is not None else (INT64_MAX if step > 0 else INT64_MIN)
    if extent is None:
        return (start, stop, step)
    count = slice_extent(extent, start, stop, step)
    start, stop, _ = slice(entry.start, entry.stop, step).indices(extent)
    if count == 0:
        return (0, 0, 1)
    if step == 1 and count == extent:
        return FULL
    return (start, INT64_MIN if stop < 0 else stop, step)


def _squeeze(axes: tuple[int, ...]) -> tuple[ViewStep, ...]:
    return (ViewStep(Squeeze, {"axes": axes}),) if axes else ()


def _expand(first: int, count: int) -> tuple[ViewStep, ...]:
    """Insert `count` axes of extent 1 from axis `first` on."""
    return (ViewStep(ExpandDims, {"axes": tuple(range(first, first + count))}),) if count else ()


# Writing through views


@dataclass(frozen=True)
class WriteBack:
    """The op that gives a view's base with the view's elements replaced.

    Its operands are the base (if `takes_base`), the new elements of the view, the run-time extents of the
    base's axes `extents`, and the operands of the view step.
    """

    op_class: type[Op]
    attributes: dict[str, Any]
    takes_base: bool = False
    extents: tuple[int, ...] = ()


def write_back(step: ViewStep, base: TensorType) -> WriteBack:
    """How to replace the elements of `base` that a view step shows."""
    attributes = step.attributes
    if step.op_class is Slice:
        return WriteBack(SliceUpdate, attributes, takes_base=True)
    if step.op_class is DynamicSlice:
        return WriteBack(DynamicSliceUpdate, attributes, takes_base=True)
    if step.op_class is Gather:
        return WriteBack(Scatter, {**attributes, "mode": "set"}, takes_base=True)
    if step.op_class is ExpandDims:
        return WriteBack(Squeeze, attributes)
    if step.op_class is Squeeze:
        return WriteBack(ExpandDims, attributes)
    if step.op_class is Transpose:
        return WriteBack(Transpose, {"permutation": inverse_permutation(attributes["permutation"])})
    if step.op_class is Reshape:
        shape = tuple(-1 if extent is None else extent for extent in base.shape)
        dynamic = tuple(axis for axis, extent in enumerate(base.shape) if extent is None)
        return WriteBack(Reshape, {"shape": shape}, extents=dynamic)
    raise InternalError(f"{step.op_class.mlir_name()} is not a view that can be written through")


def inverse_permutation(permutation: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes another.

    >>> inverse_permutation((2, 0, 1))
    (1, 2, 0)
    """
    return tuple(int(place) for place in np.argsort(permutation))
