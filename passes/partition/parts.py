"""Values of the program as a rank has them, and how one gets from one layout to another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ...dialect.emitter import Tensor
from ...dialect.mlir import Operation, Value
from ...dialect.op import Op
from ...dialect.op_emitter import OpEmitter
from ...dialect.records import NamedTuple, dataclass
from .layouts import Grid, Layout, Split, axes_of, equal_blocks, is_whole, place_of
from .messages import Messages
from .shorter import made_shorter


class Packed(NamedTuple):
    """An axis of which each rank has elements that a condition has chosen, in the order of the ranks."""

    dim: int
    split: Split
    """The blocks of what they were chosen of."""
    of: Value
    """What has chosen them: values of which that is the same have as many elements on each rank."""
    is_places: bool
    """Whether they are the numbers of these elements."""


Room: TypeAlias = "tuple[tuple[int, tuple[range, ...]], ...]"
"""Axes of which ranks have more than their blocks, or less, and what each of them has."""


class Halo(NamedTuple):
    """What was fetched from neighbours for several slices of a value."""

    value: Tensor
    room: Room
    has_corners: bool
    """Whether also that of neighbours of neighbours, along another axis."""


@dataclass(frozen=True, eq=False)
class Part:
    """What a rank has of a value."""

    value: Tensor
    shape: tuple[int | None, ...]
    """That of the whole."""
    layout: Layout
    held: Room = ()
    """Axes of which ranks have room for more than their blocks, and for what: what neighbours had once."""
    packed: Packed | None = None
    """An axis of which only the run tells what each rank has."""

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def is_whole(self) -> bool:
        """Whether every rank has all of it."""
        return self.packed is None and is_whole(self.layout)

    @property
    def bytes(self) -> int:
        """Those of the whole."""
        return math.prod(extent or 1 for extent in self.shape) * self.value.dtype.itemsize

    def split(self, dim: int) -> Split:
        """How an axis is split that is."""
        found = self.layout[dim]
        assert found is not None
        return found

    def extent(self, dim: int) -> int:
        """The extent of an axis that is split, or may be."""
        extent = self.shape[dim]
        assert extent is not None
        return extent


@dataclass(frozen=True, eq=False)
class Site:
    """Where an op of the program is written for a rank."""

    b: OpEmitter
    operation: Operation
    op_class: type[Op]
    attributes: Mapping[str, Any]
    shapes: tuple[tuple[int | None, ...], ...]
    """Those of its results."""
    messages: Messages
    halos: dict[Value, Halo]
    moments: dict[tuple[Value, tuple[int, ...]], tuple[Tensor, Tensor]]
    """Means and sums of squares that are known."""
    laid: dict[tuple[int, Layout], tuple[Part, Part]]
    """Parts that were laid out in another way before: not by their handles, which are the same on some ranks only."""

    @property
    def grid(self) -> Grid:
        """The mesh."""
        return self.messages.grid

    def split(self, axis: str, extent: int) -> Split:
        """Equal blocks."""
        return equal_blocks(axis, self.grid.extent(axis), extent)

    def place(self, split: Split) -> int:
        """The number of this rank along the axis of a split."""
        return self.grid.place(split.axis)

    def block(self, split: Split) -> range:
        """What this rank has."""
        return split.block(self.place(split))

    def emitted(self, operands: Sequence[Tensor], **changed: Any) -> list[Tensor]:
        """The op on other operands."""
        return self.b.emit(self.op_class, list(operands), {**self.attributes, **changed})

    def trimmed(self, part: Part) -> Part:
        """A value without room for elements of neighbours, and all of what was chosen."""
        if part.packed is not None:
            key = (id(part), part.layout)
            if key not in self.laid:
                value = self.messages.unpacked(self.b, part.value, part.packed.dim, part.packed.split)
                self.laid[key] = (part, Part(value, part.shape, part.layout))
            return self.laid[key][1]
        if not part.held:
            return part
        value = part.value
        for dim, own in self.own_of(part).items():
            if len(own) != value.shape[dim]:
                value = self.b.along(value, dim, own.start, own.stop)
        return Part(value, part.shape, part.layout)

    def own_of(self, part: Part) -> dict[int, range]:
        """Where the block of a rank lies in what it has, along the axes that have room for more."""
        found: dict[int, range] = {}
        for dim, held in part.held:
            split = part.split(dim)
            block, mine = self.block(split), held[self.place(split)]
            first = block.start - mine.start if len(block) else 0
            found[dim] = range(first, first + len(block))
        return found

    def widened(self, part: Part, held: Room) -> Part:
        """A value with room for elements of neighbours, zeros at first."""
        if part.held == held:
            return part
        part = self.trimmed(part)
        low, high = [0] * part.rank, [0] * part.rank
        for dim, ranges in held:
            split = part.split(dim)
            block, mine = self.block(split), ranges[self.place(split)]
            low[dim], high[dim] = block.start - mine.start, mine.stop - block.stop
        nothing = self.b.number(0, part.value.dtype)
        value = self.b.pad(part.value, nothing, low=tuple(low), high=tuple(high))
        return Part(value, part.shape, part.layout, held)

    def refreshed(self, part: Part, *, corners: bool) -> Halo:
        """What neighbours have now, in the room for it: with corners of what was received just before, too."""
        region = self.own_of(part)
        value = part.value
        for dim, held in part.held:
            split = part.split(dim)
            source = value if corners else part.value
            value = self.messages.refreshed(self.b, value, source, dim, split, held, region)
            if corners:
                del region[dim]
        return Halo(value, part.held, corners)

    # From one layout to another

    def cut(self, part: Part, dim: int, split: Split) -> Part:
        """The block of an axis of which all ranks have everything."""
        block = self.block(split)
        layout = (*part.layout[:dim], split, *part.layout[dim + 1 :])
        if len(block) == part.shape[dim]:
            return Part(part.value, part.shape, layout)
        made = made_shorter(self.b, part.value, dim, block)
        if made is None:
            made = (
                self.b.along(part.value, dim, block.start, block.stop)
                if len(block)
                else self.b.along(part.value, dim, 0, 0)
            )
        return Part(made, part.shape, layout)

    def gathered(self, part: Part, dim: int, reason: str = "") -> Part:
        """All of an axis on every rank."""
        split = part.layout[dim]
        if split is None:
            return part
        value = self.messages.gathered(self.b, part.value, dim, split, reason)
        return Part(value, part.shape, (*part.layout[:dim], None, *part.layout[dim + 1 :]))

    def whole(self, part: Part, reason: str = "") -> Part:
        """All of it on every rank."""
        return self.laid_out(part, (None,) * part.rank, reason)

    def moved(self, part: Part, dim: int, split: Split) -> Part:
        """The axis in other blocks."""
        before = part.split(dim)
        if before == split:
            return part
        value = self.messages.exchanged(self.b, part.value, dim, before, split.blocks())
        return Part(value, part.shape, (*part.layout[:dim], split, *part.layout[dim + 1 :]))

    def turned(self, part: Part, dim: int, other: int, new: Split | None = None) -> Part:
        """Split along another axis instead."""
        before = part.split(dim)
        split = new or self.split(before.axis, part.extent(other))
        value = self.messages.turned(self.b, part.value, dim, before, other, split)
        layout = list(part.layout)
        layout[dim], layout[other] = None, split
        return Part(value, part.shape, tuple(layout))

    def laid_out(self, part: Part, wanted: Layout, reason: str = "") -> Part:
        """A value in another layout: by messages of the blocks where that can be, else by gathering an axis."""
        if part.layout == wanted:
            return part
        key = (id(part), wanted)
        if key not in self.laid:  # the part is kept, so that no other gets its number
            self.laid[key] = (part, self._laid_out(part, wanted, reason))
        return self.laid[key][1]

    def _laid_out(self, part: Part, wanted: Layout, reason: str) -> Part:
        for dim, split in enumerate(part.layout):
            new = wanted[dim]
            if split is None or (new is not None and new.axis == split.axis):
                continue
            other = place_of(wanted, split.axis)
            if other is not None and part.layout[other] is None:
                part = self.turned(part, dim, other, wanted[other])
            else:
                part = self.gathered(part, dim, reason)
        for dim, new in enumerate(wanted):
            if new is not None:
                part = self.cut(part, dim, new) if part.layout[dim] is None else self.moved(part, dim, new)
        return part

    def disjoint(self, parts: Sequence[Part]) -> list[Part]:
        """Values of which no axis of the mesh splits one by itself, and another together with others.

        The largest stay as they are.
        """
        kept: dict[str, str] = {}
        for part in sorted(parts, key=lambda part: -part.bytes):
            for axis in axes_of(part.layout):
                for name in axis.split(","):
                    kept.setdefault(name, axis)
        if all(name == axis for name, axis in kept.items()):
            return list(parts)
        found = []
        for part in parts:
            for dim, split in enumerate(part.layout):
                if split is not None and any(kept[name] != split.axis for name in split.axis.split(",")):
                    part = self.gathered(
                        part, dim, "an operand is split over other axes of the mesh than the others"
                    )
            found.append(part)
        return found

    def without(self, part: Part, dims: Sequence[int], reason: str) -> Part:
        """A value none of some axes of which is split: others are instead, where there are any that are long enough."""
        for dim in dims:
            split = part.layout[dim]
            if split is None:
                continue
            ranks = self.grid.extent(split.axis)
            free = [
                n
                for n in range(part.rank)
                if n not in dims and part.layout[n] is None and (part.shape[n] or 0) > 1
            ]
            other = max(free, key=lambda n: min(part.extent(n), ranks), default=None)
            part = self.gathered(part, dim, reason) if other is None else self.turned(part, dim, other)
        return part
