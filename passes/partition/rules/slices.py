"""Slices and windows: what is asked for stays where it is, or its edges come from neighbours.

All slices of a value that reach beyond the blocks are fetched in one exchange.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, TypeAlias

from ....dialect.emitter import INT64_MAX, Tensor
from ....dialect.ops.convolution import Conv
from ....dialect.ops.slicing import Slice, slice_of
from ....dialect.ops.windows import WindowReduction
from ....dialect.register import decode_attributes, op_class_of
from ....dialect.sliding import Slide
from ..layouts import Split, local_shape
from ..messages import joined, overlap
from ..parts import Halo, Part, Room, Site
from .elementwise import common_layout

_Wanted: TypeAlias = "Mapping[int, Sequence[range]]"
"""By axes what each rank wants of them."""


def _positions(extent: int, start: int, stop: int, step: int) -> range:
    return range(*slice_of(start, stop, step).indices(extent))


def _hull(positions: range) -> range:
    """The consecutive elements that some positions are among."""
    if not len(positions):
        return range(0)
    return range(min(positions[0], positions[-1]), max(positions[0], positions[-1]) + 1)


def planned(site: Site, split: Split, positions: range, dim: int) -> Split:
    """The blocks of a slice: where its elements are; one that several others of its length are beside in the middle."""
    extent = len(positions)
    if positions.step < 0:
        return site.split(split.axis, extent)
    start = positions.start
    if positions.step == 1:
        starts = [p.start for p in _beside(site, split.extent, dim) if len(p) == extent and p.step == 1]
        if len(starts) > 1 and max(starts) - min(starts) <= max(split.lengths()):
            start = (min(starts) + max(starts)) // 2
    return split.of_part(start, extent, positions.step)


def _beside(site: Site, extent: int, dim: int) -> list[range]:
    """What all slices of a value in a block take of an axis."""
    return [
        _positions(extent, *(given[name][dim] for name in ("start", "stop", "step")))
        for given in _slices_beside(site)
    ]


def _slices_beside(site: Site) -> list[Mapping[str, Any]]:
    """The attributes of all slices of a value in a block."""
    if site.op_class is not Slice:
        return []
    users = [use.owner.operation for use in site.operation.operands[0].uses]
    return [
        decode_attributes(Slice, user)
        for user in users
        if op_class_of(user) is Slice and user.block == site.operation.block
    ]


def _wanted(positions: range, split: Split) -> list[range]:
    """What each rank needs of an axis for the blocks of a slice."""
    return [_hull(positions[block.start : block.stop]) for block in split.blocks()]


def window_of(site: Site, part: Part, dim: int, wanted: Sequence[range]) -> tuple[Tensor, range]:
    """At least the elements of an axis that ranks want, and which these are of this rank."""
    split = part.split(dim)
    blocks, mine = split.blocks(), site.place(split)
    if all(not len(want) or overlap(block, want) == want for block, want in zip(blocks, wanted, strict=True)):
        return part.value, blocks[mine]
    value = site.messages.exchanged(site.b, part.value, dim, split, wanted)
    return value, wanted[mine]


def _with_edges(site: Site, part: Part, wanted: _Wanted) -> tuple[Tensor, dict[int, range]]:
    """At least what ranks want of the axes that are split, fetched with what other slices want; and what it is."""
    source = site.operation.operands[0]
    known = site.halos.get(source)
    corners = len(_beyond(part, wanted)) > 1
    if known is None or not _has(part, known.room, wanted) or (corners and not known.has_corners):
        all_wanted = [wanted, *(_wanted_by(site, part, given) for given in _slices_beside(site))]
        beyond = max(len(_beyond(part, each)) for each in all_wanted)
        if not beyond:
            known = Halo(part.value, part.held, has_corners=False)
        elif part.held and _has(part, part.held, wanted):  # all slices are of it then: nothing is copied
            known = site.halos[source] = site.refreshed(part, corners=beyond > 1)
        else:
            known = site.halos[source] = _fetched(site, site.trimmed(part), all_wanted)
    room, found = dict(known.room), {}
    for dim in wanted:
        split = part.split(dim)
        found[dim] = room[dim][site.place(split)] if dim in room else site.block(split)
    return known.value, found


def _fetched(site: Site, part: Part, all_wanted: Sequence[_Wanted]) -> Halo:
    """What neighbours have that somebody wants, along one axis after the other."""
    room: Room = ()
    value = part.value
    for dim in all_wanted[0]:
        if any(dim in _beyond(part, wanted) for wanted in all_wanted):
            split = part.split(dim)
            ranges = tuple(reduce(_both, each) for each in zip(*(w[dim] for w in all_wanted), strict=True))
            value = site.messages.exchanged(site.b, value, dim, split, ranges)
            room = (*room, (dim, ranges))
    return Halo(value, room, has_corners=True)


def _wanted_by(site: Site, part: Part, given: Mapping[str, Any]) -> _Wanted:
    """What each rank needs for a slice of the axes that are split."""
    found = {}
    for dim, split in enumerate(part.layout):
        if split is not None:
            positions = _positions(split.extent, *(given[name][dim] for name in ("start", "stop", "step")))
            found[dim] = _wanted(positions, planned(site, split, positions, dim))
    return found


def _beyond(part: Part, wanted: _Wanted) -> list[int]:
    """The axes of which a rank wants something that it has not."""
    return [dim for dim in wanted if not _has(part, (), {dim: wanted[dim]})]


def _has(part: Part, room: Room, wanted: _Wanted) -> bool:
    """Whether ranks have what they want in their blocks, or in the room for more of an axis."""
    rooms = dict(room)
    for dim, wants in wanted.items():
        split = part.split(dim)
        if not all(map(_covers, rooms.get(dim, split.blocks()), wants)):
            return False
    return True


def _covers(held: range, want: range) -> bool:
    return not len(want) or (held.start <= want.start and want.stop <= held.stop)


def _both(a: range, b: range) -> range:
    if not len(a) or not len(b):
        return a if len(a) else b
    return range(min(a.start, b.start), max(a.stop, b.stop))


def take(site: Site, x: Tensor, dim: int, held: range, positions: range) -> Tensor:
    """Some elements of an axis of which consecutive ones are held."""
    b = site.b
    if not len(positions):
        return b.along(x, dim, 0, 0)
    if positions == held:
        return x
    first, last, step = positions[0] - held.start, positions[-1] - held.start, positions.step
    stop = last + (1 if step > 0 else -1)
    return b.along(x, dim, first, stop if stop >= 0 else -len(held) - 1, step)


def slice_(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`slice`."""
    (part,) = parts
    bounds = {name: list(site.attributes[name]) for name in ("start", "stop", "step")}
    value, held = _with_edges(site, part, _wanted_by(site, part, bounds))
    layout = list(part.layout)
    for dim, split in enumerate(part.layout):
        if split is None:
            continue
        positions = _positions(split.extent, *(bounds[name][dim] for name in ("start", "stop", "step")))
        layout[dim] = new = planned(site, split, positions, dim)
        block = site.block(new)
        value = take(site, value, dim, held[dim], positions[block.start : block.stop])
        bounds["start"][dim], bounds["stop"][dim], bounds["step"][dim] = 0, INT64_MAX, 1
    if not all(
        start == 0 and step == 1 and stop in (INT64_MAX, extent)
        for start, step, stop, extent in zip(
            bounds["start"], bounds["step"], bounds["stop"], value.shape, strict=True
        )
    ):
        value = site.b.slice(value, **{name: tuple(values) for name, values in bounds.items()})
    return [Part(value, site.shapes[0], tuple(layout))]


def slice_update(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`slice_update`: what is written goes to where it is written; the array stays, or is cut to fit."""
    whole, update = parts[0], site.trimmed(parts[1])
    bounds = {name: list(site.attributes[name]) for name in ("start", "stop", "step")}
    ranges = [
        _positions(extent, *(bounds[name][dim] for name in ("start", "stop", "step")))
        if extent is not None
        else None
        for dim, extent in enumerate(whole.shape)
    ]
    whole = _fitting(site, whole, update, ranges)
    wanted: list[Split | None] = [None] * whole.rank
    b = site.b
    flipped = [dim for dim, split in enumerate(whole.layout) if split is not None and bounds["step"][dim] < 0]
    for dim in flipped:
        update = _flipped(site, update, dim)
        positions = ranges[dim]
        assert positions is not None
        ranges[dim] = positions[::-1]
    for dim, split in enumerate(whole.layout):
        positions = ranges[dim]
        if split is None or positions is None:
            continue
        new = split.of_part(positions.start, len(positions), positions.step)
        wanted[dim] = new
        block, own = site.block(new), site.block(split)
        own = dict(whole.held)[dim][site.place(split)] if dim in dict(whole.held) else own
        here = positions[block.start : block.stop]
        first = here[0] - own.start if len(here) else 0
        last = here[-1] - own.start + 1 if len(here) else 0
        bounds["start"][dim], bounds["stop"][dim], bounds["step"][dim] = first, last, positions.step
    update = site.laid_out(
        update, tuple(wanted), "what is written is split along another axis than the array"
    )
    target = whole.value
    halo = site.halos.get(site.operation.operands[0])
    if (
        halo is not None and halo.room == whole.held
    ):  # what neighbours have sent is in it, for slices behind this one
        target = halo.value
    value = b.slice_update(target, update.value, **{name: tuple(values) for name, values in bounds.items()})
    return [Part(value, whole.shape, whole.layout, whole.held)]


def _flipped(site: Site, part: Part, dim: int) -> Part:
    if part.layout[dim] is None:
        return Part(site.b.flip(part.value, dim), part.shape, part.layout)
    split = part.split(dim)
    positions = range(split.extent)[::-1]
    new = site.split(split.axis, split.extent)
    value, held = window_of(site, part, dim, _wanted(positions, new))
    block = site.block(new)
    value = take(site, value, dim, held, positions[block.start : block.stop])
    return Part(value, part.shape, (*part.layout[:dim], new, *part.layout[dim + 1 :]))


def _fitting(site: Site, whole: Part, update: Part, ranges: Sequence[range | None]) -> Part:
    """An array that is nowhere split as what is written to it: split so that this need not move."""
    wanted = list(whole.layout)
    taken = {split.axis for split in wanted if split is not None}
    for dim, split in enumerate(update.layout):
        positions = ranges[dim]
        if split is None or wanted[dim] is not None or split.axis in taken or not positions:
            continue
        if positions.step < 0:
            wanted[dim] = site.split(split.axis, whole.extent(dim))
        else:
            inner = (positions.start + bound * positions.step for bound in split.bounds[1:-1])
            ends = whole.extent(dim)
            wanted[dim] = Split(split.axis, (0, *(min(bound, ends) for bound in inner), ends))
        taken.add(split.axis)
    return whole if tuple(wanted) == whole.layout else site.laid_out(site.trimmed(whole), tuple(wanted))


def dynamic_slice(site: Site, parts: Sequence[Part]) -> list[Part]:
    """Slices with run-time bounds: along axes that are not split, of which each rank takes them."""
    part, *bounds = parts
    reason = "a slice whose bounds are known only at run time is taken of the axis that is split"
    part = site.without(part, _bounded(site, part), reason)
    value = site.emitted([part.value, *(bound.value for bound in bounds)], **_whole_where_split(site, part))[
        0
    ]
    return [Part(value, site.shapes[0], part.layout)]


def _bounded(site: Site, part: Part) -> list[int]:
    """The axes of which some elements are taken."""
    bounds = zip(*(site.attributes[name] for name in ("start", "stop", "step")), strict=True)
    return [
        dim
        for dim, bound in enumerate(bounds)
        if dim in (*site.attributes["start_axes"], *site.attributes["stop_axes"])
        or bound not in ((0, INT64_MAX, 1), (0, part.shape[dim], 1))
    ]


def _whole_where_split(site: Site, part: Part) -> dict[str, tuple[int, ...]]:
    """Bounds that take all that a rank has of axes that are split."""
    return {
        name: tuple(
            bound if split is None else every
            for bound, split in zip(site.attributes[name], part.layout, strict=True)
        )
        for name, every in (("start", 0), ("stop", INT64_MAX))
    }


def dynamic_slice_update(site: Site, parts: Sequence[Part]) -> list[Part]:
    """Updates with run-time bounds, as `dynamic_slice`."""
    whole, update, *bounds = parts
    reason = "a slice whose bounds are known only at run time is written along the axis that is split"
    held = _bounded(site, whole)
    if whole.is_whole and not update.is_whole:
        whole = site.laid_out(
            whole, tuple(None if dim in held else split for dim, split in enumerate(update.layout))
        )
    whole = site.without(whole, held, reason)
    wanted = tuple(None if dim in held else split for dim, split in enumerate(whole.layout))
    update = site.laid_out(update, wanted, reason)
    values = [whole.value, update.value, *(bound.value for bound in bounds)]
    return [Part(site.emitted(values, **_whole_where_split(site, whole))[0], whole.shape, whole.layout)]


# Joining


def concat(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`concat`."""
    return [concatenated(site, parts, site.attributes["axis"])]


def concatenated(site: Site, parts: Sequence[Part], dim: int) -> Part:
    """Values one behind the other; the longer of them stays where it is."""
    if any(part.shape[dim] is None for part in parts):
        parts = [
            site.gathered(part, dim, "arrays are joined whose lengths are known only at run time")
            for part in parts
        ]
        common = common_layout(parts, site.shapes[0])
        values = [
            site.laid_out(part, common, "arrays that are joined are split differently").value
            for part in parts
        ]
        return Part(joined(site.b, values, dim), site.shapes[0], common)
    total = sum(part.extent(dim) for part in parts)
    shape = (*parts[0].shape[:dim], total, *parts[0].shape[dim + 1 :])
    largest = max(parts, key=lambda part: part.bytes if not part.is_whole else -1)
    layout = list(largest.layout)
    split = layout[dim]
    if split is None:
        taken = tuple(layout)
        values = [
            site.laid_out(part, taken, "arrays that are joined are split differently").value for part in parts
        ]
        return Part(joined(site.b, values, dim), shape, taken)
    place = next(number for number, part in enumerate(parts) if part is largest)
    before = sum(part.extent(dim) for part in parts[:place])
    new = split.around(before, total - before - split.extent)
    if 2 * split.extent < total:
        new = site.split(split.axis, total)
    values, start = [], 0
    for part in parts:
        extent = part.extent(dim)
        bounds = tuple(min(max(bound - start, 0), extent) for bound in new.bounds)
        layout[dim] = Split(new.axis, bounds)
        moved = site.laid_out(part, tuple(layout), "arrays that are joined are split differently")
        values.append(moved.value)
        start += extent
    layout[dim] = new
    filled = [value for value in values if value.shape[dim] != 0] or values[:1]
    return Part(joined(site.b, filled, dim), shape, tuple(layout))


def pad(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`pad`: the ranks at the ends get what is added."""
    part, number = parts
    low, high = list(site.attributes["low"]), list(site.attributes["high"])
    layout = list(part.layout)
    for dim, split in enumerate(part.layout):
        if split is None:
            continue
        place, last = site.place(split), site.grid.extent(split.axis) - 1
        layout[dim] = split.around(low[dim], high[dim])
        low[dim], high[dim] = low[dim] if place == 0 else 0, high[dim] if place == last else 0
    value = site.emitted([part.value, number.value], low=tuple(low), high=tuple(high))[0]
    return [Part(value, site.shapes[0], tuple(layout))]


def extend(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`extend`: the ranks at the ends get what is repeated from those that have it."""
    (part,) = parts
    mode, layout = site.attributes["mode"], list(part.layout)
    low, high = list(site.attributes["low"]), list(site.attributes["high"])
    for dim, split in enumerate(part.layout):
        if split is None:
            continue
        if max(low[dim], high[dim]) > split.extent - (mode == "reflect") and mode != "edge":
            reason = "more than a whole axis is repeated at its ends"
            return extend(site, [site.without(part, [dim], reason)])
        layout[dim] = wider = split.around(low[dim], high[dim])
        value = _extended(site, part, dim, split, low[dim], high[dim])
        shape = (*part.shape[:dim], wider.extent, *part.shape[dim + 1 :])
        part = Part(value, shape, tuple(layout))
        low[dim] = high[dim] = 0
    if any(low + high):
        value = site.emitted([part.value], low=tuple(low), high=tuple(high))[0]
        part = Part(value, site.shapes[0], part.layout)
    return [part]


def _extended(site: Site, part: Part, dim: int, split: Split, before: int, behind: int) -> Tensor:
    """The block of a rank with what is added to it at the ends."""
    ranks, place, mode = site.grid.extent(split.axis), site.place(split), site.attributes["mode"]
    pieces = [part.value]
    for count, is_last in ((before, False), (behind, True)):
        if not count:
            continue
        positions = _repeated(mode, split.extent, count, is_last)
        at = ranks - 1 if is_last else 0
        wanted = [_hull(positions) if k == at else range(0) for k in range(ranks)]
        value, held = window_of(site, part, dim, wanted)
        if place == at:
            piece = take(site, value, dim, held, positions)
            if mode == "edge":
                extents = site.b.extents(piece)
                extents[dim] = count
                piece = site.b.broadcast(piece, extents)
            pieces = [*pieces, piece] if is_last else [piece, *pieces]
    return joined(site.b, pieces, dim)


def _repeated(mode: str, extent: int, count: int, is_last: bool) -> range:
    """The elements that are repeated at an end of an axis; that of an edge once."""
    if mode == "edge":
        return range(extent - 1, extent) if is_last else range(1)
    if mode == "wrap":
        return range(count) if is_last else range(extent - count, extent)
    skipped = mode == "reflect"
    if is_last:
        return range(extent - 1 - skipped, extent - 1 - skipped - count, -1)
    return range(count - 1 + skipped, skipped - 1, -1)


def roll(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`roll`: back in the blocks that there were."""
    (part,) = parts
    dim = site.attributes["axis"] % part.rank
    split = part.layout[dim]
    if split is None or not split.extent or site.grid.extent(split.axis) == 1:
        return [Part(site.emitted([part.value])[0], part.shape, part.layout)]
    shift = site.attributes["shift"] % split.extent
    value = site.messages.rolled(site.b, part.value, dim, split, shift) if shift else part.value
    return [Part(value, part.shape, part.layout)]


# Windows


def windows(site: Site, parts: Sequence[Part]) -> list[Part]:
    """Reductions of windows, and convolutions along the axes in the middle."""
    part, *others = parts
    is_conv = site.op_class is Conv
    first = 1 if is_conv else 0
    if is_conv:
        part, others = _convolved(site, part, others[0])
        slides = Conv.slides(others[0].shape[:-2], site.attributes)
    else:
        slides = WindowReduction.slides(site.attributes)
    padding = list(site.attributes["padding"])
    layout = list(part.layout)
    value = part.value
    for number, slide in enumerate(slides):
        dim = first + number
        split = layout[dim]
        if split is None:
            continue
        value, new, low, high = _slid(site, Part(value, part.shape, tuple(layout)), dim, slide)
        layout[dim], padding[2 * number], padding[2 * number + 1] = new, low, high
    if is_conv:
        layout[-1] = None
    local = local_shape(site.shapes[0], layout, site.grid)
    if 0 in local:  # the window may not fit
        return [
            Part(
                site.b.full([extent or 0 for extent in local], 0, value.dtype), site.shapes[0], tuple(layout)
            )
        ]
    made = site.emitted([value, *(other.value for other in others)], padding=tuple(padding))
    return [Part(made[0], site.shapes[0], tuple(layout))]


def _convolved(site: Site, part: Part, kernel: Part) -> tuple[Part, list[Part]]:
    """Batch and places of an array may be split; kernels and channels are whole."""
    gaps = site.attributes["input_dilations"]
    held = [part.rank - 1, *(1 + n for n, gap in enumerate(gaps) if gap != 1)]
    reason = "a convolution needs all channels"
    return site.without(part, held, reason), [site.whole(kernel, "a convolution needs whole kernels")]


def _slid(site: Site, part: Part, dim: int, slide: Slide) -> tuple[Tensor, Split, int, int]:
    """What a rank needs for its places of a window, their blocks, and what is padded at its ends."""
    split = part.split(dim)
    places = max(slide.places(split.extent), 0)
    centre = (slide.reach // 2) - slide.low
    new = split.of_part(centre, places, slide.stride)
    seen = []
    for block in new.blocks():
        first = block.start * slide.stride - slide.low
        last = (block.stop - 1) * slide.stride - slide.low + slide.reach
        seen.append(range(first, last + 1) if len(block) else range(0))
    wanted = [overlap(range(split.extent), want) for want in seen]
    value, held = window_of(site, part, dim, wanted)
    mine = site.place(split)
    want, see = wanted[mine], seen[mine]
    if not len(see):
        return site.b.along(value, dim, 0, 0), new, slide.reach, 0
    value = take(site, value, dim, held, want)
    return value, new, want.start - see.start, see.stop - want.stop
