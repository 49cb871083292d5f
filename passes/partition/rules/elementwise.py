"""Ops on elements: operands are laid out alike, so that what each rank has of them lies side by side."""

from __future__ import annotations

from collections.abc import Sequence

from ..layouts import Layout, Split
from ..parts import Part, Site


def common_layout(parts: Sequence[Part], shape: Sequence[int | None]) -> Layout:
    """How what operands are broadcast to is split: as the largest of them are, which then need not move."""
    rank = len(shape)
    found: list[Split | None] = [None] * rank
    taken: set[str] = set()
    for part in sorted(parts, key=lambda part: -part.bytes):
        for dim, split in enumerate(part.layout):
            place = dim + rank - part.rank
            fits = split is not None and split.axis not in taken and found[place] is None
            if fits and split is not None and part.shape[dim] == shape[place]:
                found[place] = split
                taken.add(split.axis)
    return tuple(found)


def aligned(site: Site, part: Part, layout: Layout) -> Part:
    """An operand as it is broadcast to others in a layout: axes of extent 1 are whole."""
    own = layout[len(layout) - part.rank :]
    rank = len(layout)
    shape = [split.extent if split is not None else None for split in layout][rank - part.rank :]
    wanted = tuple(split if part.shape[dim] == shape[dim] else None for dim, split in enumerate(own))
    for dim, split in enumerate(wanted):
        if split is None and part.shape[dim] == 1:  # a row of one rank goes to all, which is no last resort
            part = site.gathered(part, dim)
    reason = "an operand is split along other axes than the others"
    return site.laid_out(part, wanted, reason)


def _known(shape: Sequence[int | None], parts: Sequence[Part]) -> tuple[int | None, ...]:
    """The shape of what operands are broadcast to, as far as these tell."""
    found = list(shape)
    for place, extent in enumerate(found):
        if extent is None:
            own = [part.shape[place - len(shape)] for part in parts if part.rank >= len(shape) - place]
            found[place] = None if None in own else next((e for e in own if e != 1), 1)
    return tuple(found)


def elementwise(site: Site, parts: Sequence[Part]) -> list[Part]:
    """The same op on the elements that a rank has."""
    shape = _known(site.shapes[0], parts)
    layout = common_layout(parts, shape)
    values = [aligned(site, part, layout).value for part in parts]
    return [Part(value, shape, layout) for value in site.emitted(values)]
