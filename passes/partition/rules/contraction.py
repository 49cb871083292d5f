"""Products: one axis of the mesh goes along one label; where the result lacks the label, the parts are added up."""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Sequence

import numpy as np

from ....dialect.dtypes import is_half
from ....dialect.emitter import Tensor
from ....dialect.ops.contraction import parse_spec
from ..layouts import Split, axes_of
from ..parts import Part, Site

_LABELS = string.ascii_lowercase


def contract(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`contract`: labels are in its attribute."""
    *labels, result = parse_spec(site.attributes["spec"])
    return _product(site, parts, [list(each) for each in labels], list(result))


def matmul(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`matmul`: axes in front broadcast; those of extent 1 that do have no label."""
    shape = site.shapes[0]
    result = list(_LABELS[: len(shape) - 2]) + ["y", "z"]
    inputs = []
    for part, ends in zip(parts, (["y", "x"], ["x", "z"]), strict=True):
        batch = result[len(shape) - part.rank : -2]
        own = shape[len(shape) - part.rank : -2]
        names = [name if part.shape[n] != 1 or own[n] == 1 else "" for n, name in enumerate(batch)]
        inputs.append([*names, *ends])
    return _product(site, parts, inputs, result)


def _product(site: Site, parts: Sequence[Part], inputs: list[list[str]], result: list[str]) -> list[Part]:
    splits: dict[str, Split] = {}
    for axis in dict.fromkeys(axis for part in parts for axis in axes_of(part.layout)):
        found_for = _label_for(site, parts, inputs, result, axis, splits)
        if found_for is not None:
            splits[found_for[0]] = found_for[1]
    values = []
    for part, labels in zip(parts, inputs, strict=True):
        wanted = tuple(splits.get(label) for label in labels)
        is_small = 8 * part.bytes <= max(
            other.bytes for other in parts
        )  # the cheapest way, and no last resort
        reason = "" if is_small else "the operands of a product are split along different axes"
        values.append(site.laid_out(part, wanted, reason).value)
    layout = tuple(splits.get(label) for label in result)
    summed = [split.axis for label, split in splits.items() if label not in result]
    if not summed:
        return [Part(site.emitted(values)[0], site.shapes[0], layout)]
    dtype, b = values[0].dtype, site.b
    if is_half(dtype):  # rounded once
        values = [b.cast(value, dtype=np.dtype(np.float32)) for value in values]
    found: Tensor = site.emitted(values)[0]
    for axis in summed:
        found = site.messages.reduced(b, found, "sum", axis)
    return [Part(b.converted(found, dtype), site.shapes[0], layout)]


def _label_for(
    site: Site,
    parts: Sequence[Part],
    inputs: list[list[str]],
    result: list[str],
    axis: str,
    taken: dict[str, Split],
) -> tuple[str, Split] | None:
    """The label that goes along an axis of the mesh: the one for which the least has to be sent."""
    ranks = site.grid.extent(axis)
    sent_back = 2 * math.prod(extent or 1 for extent in site.shapes[0]) * parts[0].value.dtype.itemsize

    def cost(choice: tuple[str, Split]) -> float:
        label, split = choice
        total = 0.0 if label in result else float(sent_back)
        seen: list[tuple[int, int | None]] = []
        for part, labels in zip(parts, inputs, strict=True):
            place = labels.index(label) if label in labels else None
            if (id(part), place) in seen:  # one operand twice is sent once
                continue
            seen.append((id(part), place))
            here = next(
                (n for n, own in enumerate(part.layout) if own is not None and own.axis == axis), None
            )
            if here is None:
                continue
            if labels[here] == label:
                total += 0 if part.layout[here] == split else part.bytes / ranks / 4
            else:
                total += part.bytes / ranks if label in labels else 2 * part.bytes
        return total

    choices = [choice for choice in _choices(site, parts, inputs, axis) if choice[0] not in taken]
    return min(choices, key=cost, default=None)


def _choices(
    site: Site, parts: Sequence[Part], inputs: list[list[str]], axis: str
) -> Iterator[tuple[str, Split]]:
    """Labels with blocks: as operands are split, else in equal blocks where there are enough elements."""
    seen: set[str] = set()
    for part, labels in sorted(zip(parts, inputs, strict=True), key=lambda pair: -pair[0].bytes):
        for label, split in zip(labels, part.layout, strict=True):
            if split is not None and split.axis == axis and label:
                seen.add(label)
                yield label, split
    for part, labels in zip(parts, inputs, strict=True):
        for label, extent in zip(labels, part.shape, strict=True):
            if label and label not in seen and extent is not None and extent >= site.grid.extent(axis):
                seen.add(label)
                yield label, site.split(axis, extent)
