"""The versions of the dialect, and how each becomes the next: one function for each op that changed.

To change what an op in files means, or to remove one: count `DIALECT` up, write `vN.py` beside this file, N the version
before, with a function for each such op, and an entry in `UPGRADES`. Golden files of version N show that it is right.
A function gets an op as it was written, in the generic form and verified by nobody, and replaces it:

    def sum_(op):
        replace(op, "weft.sum", attributes={"axes": ...axes of op.attributes["axis"]...})

New ops, and new rules for what was refused before, need no version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..records import NamedTuple
from . import v1

if TYPE_CHECKING:
    from ..mlir import Operation  # which loads MLIR

DIALECT = 2
"""The version of the dialect: ops are added to it, and no op, attribute or rule changes its meaning."""


class Upgrades(NamedTuple):
    """How one version becomes the next."""

    ops: Mapping[str, Callable[[Operation], None]]
    """What replaces ops, by the names that they had, without the dialect's."""
    views: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]
    """The same of ops that say which view of an array a result is: their JSON, `{"op": ..., "attributes": {...}}`."""


UPGRADES: dict[int, Upgrades] = {1: Upgrades(v1.OPS, {})}
"""By the version that is left."""
