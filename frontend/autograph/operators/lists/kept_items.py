"""Items of lists that grow are copies: a write to what was put in, or taken out, is refused unless the list sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .....dialect.errors import UnsupportedError
from ....tracing.array import TracedArray
from ....tracing.current import current_trace
from ..values.abstract import parts_of

if TYPE_CHECKING:
    from ....tracing.recorder import Recorder, Storage
    from ....tracing.regions import Region


class ReadItems:
    """The arrays that were read as items of lists and have to stay as they are, with the indices they were read at."""

    def __init__(self) -> None:
        self.indices: dict[Storage, tuple[int, Any]] = {}
        """Since when they must not be written, and where they were read."""

    def check(self) -> None:
        """Refuse items that were written, and not put back into their places."""
        for storage, (since, _) in self.indices.items():
            if storage.written_at > since:
                raise UnsupportedError(
                    f"an item ({storage.type}, made at {storage.made_at or 'the entry'}) of a list whose length is "
                    "known only at run time is written to, which the list would not see; write a copy, and put it "
                    "back: row = rows[i].copy(); row[0] = 1; rows[i] = row"
                )


def keep_unwritten(item: Any) -> None:
    """Note the arrays in an item, whose elements the list takes: writing them later would change the item in Python.

    In a loop that the array is from outside of, the writes of the next iteration come later, too.
    """
    trace = _trace()
    for array in _arrays_in(item):
        storage = array._storage
        since = trace.clock
        region: Region | None = trace.region
        while region is not None:
            if region.loop is region and not storage.region.is_inside(region):
                since = region.clock
            region = region.parent
        trace.kept.append((storage, since))


def keep_read(item: Any, index: Any = None) -> None:
    """Note the arrays in an item that was read, whose elements are the list's own in Python."""
    trace = _trace()
    reads = trace.state(ReadItems)
    if not reads.indices:
        trace.at_end.append(reads.check)
    for array in _arrays_in(item):
        reads.indices[array._storage] = trace.clock, index


def forget_read(item: Any, index: Any) -> None:
    """Note that an item is put where it was read: `rows[i] += 1` reads, writes and puts it back."""
    indices = _trace().state(ReadItems).indices
    for array in _arrays_in(item):
        found = indices.get(array._storage)
        if found is not None and (found[1] is index or (isinstance(index, int) and found[1] == index)):
            del indices[array._storage]


def _arrays_in(item: Any) -> list[TracedArray]:
    if isinstance(item, TracedArray):
        return [item] if item.ndim else []
    parts = parts_of(item)
    return [array for part in (parts[1] if parts is not None else ()) for array in _arrays_in(part)]


def _trace() -> Recorder:
    trace = current_trace()
    assert trace is not None, "a list grows only while a trace is recorded"
    return trace


__all__ = ["forget_read", "keep_read", "keep_unwritten"]
