"""Ops that only say how elements are arranged: a split goes along with its axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ....dialect.emitter import INT64
from ..layouts import Split
from ..parts import Part, Site
from .elementwise import common_layout


def transpose(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`transpose`."""
    (part,) = parts
    permutation = site.attributes["permutation"]
    value = site.emitted([part.value])[0]
    return [Part(value, site.shapes[0], tuple(part.layout[axis] for axis in permutation))]


def expand_dims(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`expand_dims`."""
    (part,) = parts
    axes = [axis % len(site.shapes[0]) for axis in site.attributes["axes"]]
    own = iter(part.layout)
    layout = tuple(None if axis in axes else next(own) for axis in range(len(site.shapes[0])))
    return [Part(site.emitted([part.value])[0], site.shapes[0], layout)]


def squeeze(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`squeeze`: an axis of one element is whole then."""
    (part,) = parts
    axes = [axis % part.rank for axis in site.attributes["axes"]]
    for axis in axes:
        part = site.gathered(part, axis)
    layout = tuple(split for axis, split in enumerate(part.layout) if axis not in axes)
    return [Part(site.emitted([part.value])[0], site.shapes[0], layout)]


def dim(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`dim`: the extent of the whole."""
    (part,) = parts
    extent = part.shape[site.attributes["axis"]]
    if extent is None:
        return [Part(site.emitted([part.value])[0], (), ())]
    return [Part(site.b.number(extent, INT64), (), ())]


def broadcast(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`broadcast_to` and `stretch`: axes that are repeated are whole."""
    part, *dims = parts
    shape = site.shapes[0]
    added = len(shape) - part.rank
    for axis in range(part.rank):
        if part.layout[axis] is not None and part.shape[axis] != shape[added + axis]:
            part = site.gathered(part, axis)
    layout = (None,) * added + part.layout
    wanted = list(site.attributes["shape"])
    for axis, split in enumerate(layout):
        if split is not None:
            wanted[axis] = len(site.block(split))
    value = site.emitted([part.value, *(d.value for d in dims)], shape=tuple(wanted))[0]
    return [Part(value, shape, layout)]


def stack(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`stack`: layers that are split alike."""
    layout = common_layout(parts, parts[0].shape)
    values = [
        site.laid_out(part, layout, "arrays that are stacked are split differently").value for part in parts
    ]
    axis = site.attributes["axis"]
    return [Part(site.emitted(values)[0], site.shapes[0], (*layout[:axis], None, *layout[axis:]))]


def repeat(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`repeat`: each element with its copies."""
    (part,) = parts
    axis, count = site.attributes["axis"] % part.rank, site.attributes["count"]
    layout = tuple(
        split.times(count) if n == axis and split is not None else split
        for n, split in enumerate(part.layout)
    )
    return [Part(site.emitted([part.value])[0], site.shapes[0], layout)]


def tile(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`tile`: axes of which there are several copies are whole, or become so."""
    (part,) = parts
    several = [axis for axis, count in enumerate(site.attributes["counts"]) if count != 1]
    part = site.without(
        part, several, "copies of an array are laid side by side along the axis that is split"
    )
    return [Part(site.emitted([part.value])[0], site.shapes[0], part.layout)]


# Reshaping


def reshape(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`reshape`: axes that are joined or taken apart stay split where the split one is the slowest of them."""
    part, *dims = parts
    shape = site.shapes[0]
    if dims or None in part.shape or None in shape:
        part = site.whole(part, "an array is reshaped to sizes that are known only at run time")
        return [Part(site.emitted([part.value, *(d.value for d in dims)])[0], shape, (None,) * len(shape))]
    groups = list(_groups([e or 0 for e in part.shape], [e or 0 for e in shape]))
    layout: list[Split | None] = [None] * len(shape)
    leading = [next((axis for axis in old if part.shape[axis] != 1), None) for old, _ in groups]
    for old, _ in groups:
        part = _first_of(site, part, old, [axis for axis in leading if axis is not None])
    for old, new in groups:
        for axis in old:
            split = part.layout[axis]
            if split is None:
                continue
            part, found = _regrouped(site, part, axis, old, new, shape)
            if found is not None:
                layout[found[0]] = found[1]
    local = tuple(
        extent if split is None else len(site.block(split))
        for extent, split in zip(shape, layout, strict=True)
    )
    return [Part(site.emitted([part.value], shape=local)[0], shape, tuple(layout))]


_REASON = "an axis that is split is joined behind another one by a reshape"


def _first_of(site: Site, part: Part, old: Sequence[int], leading: Sequence[int]) -> Part:
    """A value of which of some axes only the slowest is split: else that one is, or the slowest of others."""
    for axis in old:
        split = part.layout[axis]
        if split is None or axis in leading:
            continue
        free = [n for n in leading if part.layout[n] is None and part.extent(n) > 1]
        free.sort(key=lambda n: (n not in old, -min(part.extent(n), site.grid.extent(split.axis))))
        part = site.turned(part, axis, free[0]) if free else site.gathered(part, axis, _REASON)
    return part


def _regrouped(
    site: Site, part: Part, axis: int, old: Sequence[int], new: Sequence[int], shape: Sequence[int | None]
) -> tuple[Part, tuple[int, Split] | None]:
    """The axis of the result that is split, in blocks that are made of whole elements on both sides."""
    split = part.split(axis)
    target = next((n for n in new if shape[n] != 1), None)
    if target is None:
        return site.gathered(part, axis, _REASON), None
    inner = math.prod(part.extent(n) for n in old if n > axis)
    other = math.prod(shape[n] or 0 for n in new if n > target)
    if not inner or not other:
        return site.gathered(part, axis), None
    unit = math.lcm(inner, other) // inner  # so many elements of the axis are whole ones of the result's
    if any(bound % unit for bound in split.bounds):
        if split.extent // unit < 2:
            return site.gathered(part, axis, _REASON), None
        equal = site.split(split.axis, split.extent // unit).times(unit)
        split = Split(split.axis, (*equal.bounds[:-1], split.extent))
        part = site.moved(part, axis, split)
    return part, (target, Split(split.axis, tuple(bound * inner // other for bound in split.bounds)))


def _groups(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Axes on both sides that have the same elements, in order.

    >>> list(_groups([2, 3, 4], [6, 4]))
    [([0, 1], [0]), ([2], [1])]
    """
    i = j = 0
    while i < len(old) or j < len(new):
        left, right = [], []
        a = b = 1
        if i < len(old):
            left, a, i = [i], old[i], i + 1
        if j < len(new):
            right, b, j = [j], new[j], j + 1
        while a != b:
            if (a < b and i < len(old)) or j >= len(new):
                if i >= len(old):
                    break
                left.append(i)
                a, i = a * old[i], i + 1
            else:
                right.append(j)
                b, j = b * new[j], j + 1
        yield left, right
