"""Draws: what each rank takes of the numbers it draws itself, and goes on behind all of them."""

from __future__ import annotations

from collections.abc import Sequence

from ..jumps import behind, words_of_draw
from ..parts import Part, Site


def random_floats(site: Site, parts: Sequence[Part]) -> list[Part]:
    """`random_floats`: all of the numbers, of which blocks are drawn where these are all that is used."""
    state = site.whole(parts[0]).value
    numbers, after = site.emitted([state, *(site.whole(part).value for part in parts[1:])])
    count = words_of_draw(numbers.handle.owner.operation)
    if count:
        after = behind(site.b, state, site.attributes["algorithm"], count)
    made = zip((numbers, after), site.shapes, strict=True)
    return [Part(value, shape, (None,) * len(shape)) for value, shape in made]
