"""The axes of a mesh: its ranks in rows and columns, the last axis counting fastest."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ...dialect.errors import WeftTypeError, WeftValueError
from ...dialect.records import NamedTuple

DEFAULT_AXIS = "d"
"""What the only axis of a mesh is called that was given no names."""


class Axes(NamedTuple):
    """Names and extents of the axes."""

    names: tuple[str, ...]
    extents: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return math.prod(self.extents)

    def numbers(self, over: str) -> tuple[int, ...]:
        """The axes that a text names, all for an empty one; WeftValueError for one that is not there."""
        wanted = [name for name in over.split(",") if name] or list(self.names)
        for name in wanted:
            if name not in self.names:
                raise WeftValueError(
                    f"there is no axis {name!r} of the mesh; its axes are {', '.join(map(repr, self.names))}"
                )
        return tuple(number for number, name in enumerate(self.names) if name in wanted)

    def group(self, rank: int, over: str) -> tuple[int, ...]:
        """The ranks that differ from one in some axes only, in their order, and it."""
        return _group(self, rank, over)

    def place_in(self, rank: int, over: str) -> tuple[int, int]:
        """The place of a rank in its group, and how many are there."""
        group = self.group(rank, over)
        return group.index(rank), len(group)


@lru_cache(maxsize=4096)
def _group(axes: Axes, rank: int, over: str) -> tuple[int, ...]:
    along = axes.numbers(over)
    strides = [math.prod(axes.extents[number + 1 :]) for number in range(len(axes.extents))]
    first = rank - sum(rank // strides[n] % axes.extents[n] * strides[n] for n in along)
    ranks = [first]
    for number in along:
        ranks = [rank + k * strides[number] for rank in ranks for k in range(axes.extents[number])]
    return tuple(ranks)


def axes_of(count: int | None, named: Mapping[str, int]) -> Axes:
    """The axes of so many ranks, by their names where they have some."""
    named = {name: _number(extent, f"the axis {name!r} of a mesh") for name, extent in named.items()}
    for name, extent in named.items():
        if extent < 1:
            raise WeftValueError(f"the axis {name!r} of a mesh has at least one rank, not {extent}")
    if not named:
        count = _number(count, "a mesh")
        if count < 1:
            raise WeftValueError(f"a mesh has at least one rank, not {count}")
        return Axes((DEFAULT_AXIS,), (count,))
    axes = Axes(tuple(named), tuple(named.values()))
    if count is not None and axes.size != count:
        shown = " x ".join(f"{name}={extent}" for name, extent in named.items())
        raise WeftValueError(f"{shown} are {axes.size} ranks, but there are {count}")
    return axes


def _number(value: Any, what: str) -> int:
    """A number of ranks; WeftTypeError for what is none."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise WeftTypeError(f"{what} has a number of ranks, not {value!r}")
    return operator.index(value)
