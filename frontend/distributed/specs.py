"""`PartitionSpec`: over which axes of a mesh the axes of an array are split."""

from __future__ import annotations

from typing import Any

from ...dialect.errors import WeftTypeError


class PartitionSpec(tuple[Any, ...]):
    """For each axis of an array the name of the axis of a mesh over which it is split, or None.

    What is left out at the end is not split, and `P()` is an array of which each rank has all, as JAX's
    `jax.sharding.PartitionSpec` has it. Raises `TypeError` for what is no name.

    >>> P = weft.distributed.P
    >>> P("d"), P(None, "d"), P()
    (PartitionSpec('d'), PartitionSpec(None, 'd'), PartitionSpec())
    """

    __slots__ = ()

    def __new__(cls, *entries: str | None) -> PartitionSpec:
        for entry in entries:
            if isinstance(entry, (tuple, list)):
                raise WeftTypeError(
                    f"P: an axis of an array is split over one axis of a mesh, not over {entry!r}: make a mesh with an "
                    "axis that has all of these ranks"
                )
            if entry is not None and not isinstance(entry, str):
                raise WeftTypeError(f"P: an entry is the name of an axis of a mesh or None, not {entry!r}")
        return super().__new__(cls, entries)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"PartitionSpec({', '.join(map(repr, self))})"


P = PartitionSpec

__all__ = ["P", "PartitionSpec"]
