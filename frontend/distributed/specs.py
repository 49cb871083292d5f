"""`PartitionSpec`: over which axes of a mesh the axes of an array are split."""

from __future__ import annotations

from typing import Any

from ...dialect.errors import WeftTypeError


class PartitionSpec(tuple[Any, ...]):
    """For each axis of an array the name of the axis of a mesh over which it is split, a tuple of several, or None.

    What is left out at the end is not split, and `P()` is an array of which each rank has all, as JAX's
    `jax.sharding.PartitionSpec` has it. Raises `TypeError` for what is no name.

    >>> P = weft.distributed.P
    >>> P("d"), P(None, "d"), P()
    (PartitionSpec('d'), PartitionSpec(None, 'd'), PartitionSpec())
    >>> P(("rows", "columns"))
    PartitionSpec(('rows', 'columns'))
    """

    __slots__ = ()

    def __new__(cls, *entries: str | tuple[str, ...] | None) -> PartitionSpec:
        for entry in entries:
            names = entry if isinstance(entry, tuple) and entry else (entry,)
            if entry is not None and not all(isinstance(name, str) for name in names):
                raise WeftTypeError(
                    f"P: an entry is the name of an axis of a mesh, a tuple of such names, or None, not {entry!r}"
                )
        alone = (entry[0] if isinstance(entry, tuple) and len(entry) == 1 else entry for entry in entries)
        return super().__new__(cls, alone)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"PartitionSpec({', '.join(map(repr, self))})"


P = PartitionSpec
