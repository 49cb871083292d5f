"""Ops that work along some axes only: those are whole, or become so, and all others may be split.

Which axes these are is what `batching` says of op classes, as lanes are axes that an op does not work along, either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ....dialect.batching import Along, Looped, on_last_axes
from ....dialect.emitter import Tensor
from ....dialect.op import Op
from ....dialect.ops.scans import CumulativeMax, CumulativeMin, CumulativeProd, CumulativeSum
from ....dialect.types import normalize_axis
from ..layouts import Split
from ..parts import Part, Site
from .elementwise import common_layout


def worked_along(op_class: type[Op], attributes: Mapping[str, object], rank: int) -> list[int] | None:
    """The axes of its operands that an op works along; None where that is not known."""
    rule = op_class.batching
    if isinstance(rule, Along):
        found: list[int] = []
        for name in rule.names:
            axes = attributes[name]
            several = axes if isinstance(axes, tuple) else (axes,)
            found += [axis % rank for axis in several if isinstance(axis, int)]
        return found
    return list(range(max(rank - 2, 0), rank)) if rule is on_last_axes else None


def along(site: Site, parts: Sequence[Part]) -> list[Part]:
    """Operands of one shape, but for the axes that the op works along: the others are split alike."""
    rank = parts[0].rank
    axes = worked_along(site.op_class, site.attributes, rank) or []
    reason = f"{site.op_class.name} works along the axis that is split"
    parts = [site.without(part, axes, reason) if part.rank == rank else site.whole(part) for part in parts]
    same = [part for part in parts if part.rank == rank]
    layout = common_layout(same, same[0].shape)
    values = [
        site.laid_out(part, layout, reason).value if part.rank == rank else part.value for part in parts
    ]
    kept = tuple(None if axis in axes else split for axis, split in enumerate(layout))
    made = zip(site.emitted(values), site.shapes, strict=True)
    if site.op_class.batching is on_last_axes:  # of which the result may have another number
        front = kept[: max(rank - 2, 0)]
        return [Part(value, shape, (*front, *(None,) * (len(shape) - len(front)))) for value, shape in made]
    return [Part(value, shape, kept) for value, shape in made]


def looped(site: Site, parts: Sequence[Part]) -> list[Part]:
    """A loop of a ufunc: axes in front of those that it works along are split alike."""
    rule = site.op_class.batching
    assert isinstance(rule, Looped)
    cores = rule.cores(site.op_class, site.attributes)
    ends = rule.ends(site.op_class)
    reason = f"{site.op_class.name} works along the axis that is split"
    parts = [
        site.without(part, range(part.rank - core, part.rank), reason)
        for part, core in zip(parts, cores, strict=True)
    ]
    around = max(part.rank - core for part, core in zip(parts, cores, strict=True))
    loops = [
        Part(part.value, part.shape[: part.rank - core], part.layout[: part.rank - core])
        for part, core in zip(parts, cores, strict=True)
    ]
    widest = max(loops, key=lambda part: part.rank)
    front = common_layout([part for part in loops if part.rank == around], widest.shape)
    values = []
    for part, core in zip(parts, cores, strict=True):
        own = part.rank - core
        wanted = (*front[around - own :], *(None,) * core) if own else (None,) * core
        values.append(site.laid_out(part, wanted, reason).value)
    made = site.emitted(values)
    found = []
    for number, (value, shape) in enumerate(zip(made, site.shapes, strict=True)):
        if number >= len(made) - ends:
            for split in front:
                if split is not None:
                    value = site.messages.reduced(site.b, value, "max", split.axis)
            found.append(Part(value, shape, (None,) * len(shape)))
        else:
            found.append(Part(value, shape, (*front, *(None,) * (len(shape) - around))))
    return found


# Diagonals


def triangle(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`tril` and `triu`: the diagonal lies elsewhere in a block."""
    (part,) = parts
    value = site.emitted([part.value], k=site.attributes["k"] + _moved(site, part))[0]
    return [Part(value, part.shape, part.layout)]


def diagonal(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`diagonal`: split as the rows are, or the columns, of which a rank has what its block has."""
    (part,) = parts
    rows, columns = part.layout[-2:]
    if rows is not None and columns is not None:
        part = site.gathered(
            part, part.rank - 1, "the diagonal is taken of matrices that are split along both axes"
        )
    split, offset, extent = rows or columns, site.attributes["offset"], site.shapes[0][-1]
    if split is not None:
        split = split.of_part(max(-offset if rows else offset, 0), extent or 0)
    value = site.emitted([part.value], offset=offset + _moved(site, part))[0]
    return [Part(value, site.shapes[0], (*part.layout[:-2], split))]


def _moved(site: Site, part: Part) -> int:
    """By how much diagonals of a block lie above those of the whole matrices."""
    rows, columns = (0 if split is None else site.block(split).start for split in part.layout[-2:])
    return rows - columns


# Scans

_JOINED: Mapping[type[Op], tuple[str, str]] = MappingProxyType(
    {
        CumulativeSum: ("sum", "add"),
        CumulativeProd: ("prod", "multiply"),
        CumulativeMax: ("max", "maximum"),
        CumulativeMin: ("min", "minimum"),
    }
)
"""How a block becomes one number, and how this is joined to the blocks behind it."""


def scan(site: Site, parts: Sequence[Part]) -> list[Part]:
    """Each rank scans its block; what the blocks before it come to, which are gathered, is joined to it."""
    (part,) = parts
    axis = normalize_axis(site.attributes["axis"], part.rank)
    split = part.layout[axis]
    found = site.emitted([part.value])[0]
    if split is None or site.grid.extent(split.axis) == 1 or not split.extent:
        return [Part(found, part.shape, part.layout)]
    b, mine = site.b, site.place(split)
    reduction, join = _JOINED[site.op_class]
    total = (
        b.along(found, axis, -1, len(site.block(split)))
        if len(site.block(split))
        else b.along(found, axis, 0, 0)
    )
    there = [len(block) > 0 for block in split.blocks()]
    totals = site.messages.gathered(b, total, axis, Split(split.axis, (0, *np.cumsum(there).tolist())))
    before = sum(there[:mine])
    if before and there[mine]:
        first: Tensor = b.along(totals, axis, 0, before)
        first = b.call(reduction, first, axes=(axis,), keepdims=True)
        found = b.call(join, first, found)
    return [Part(found, part.shape, part.layout)]
