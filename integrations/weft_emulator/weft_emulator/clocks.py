"""Races between warps that wait for each other by mbarriers, and with copies and products that run beside them.

Barriers of the whole block cut the time of a block into intervals; mbarriers do not. So each warp has a clock, and
knows until which time of the others it has seen what they did (vector clocks: FastTrack, Flanagan and Freund 2009). It
gives what it knows to an mbarrier when it arrives there, and takes what others gave when it has waited. What copies
write is the mbarrier's: who reads it must have seen the phase that counted them. What products of a warpgroup read is
being read until somebody has waited for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .faults import Fault
from .frames import Frame
from .memory import Array

_NOBODY, _IN_FLIGHT = -1, -2
_MBARRIERS = 64
"""So many of a block have a clock."""
_ALWAYS = 1 << 29
"""What a warp knows of itself."""
_BUSY = 1 << 30
"""The time of what is still being read."""
_OF_GROUP = 4
"""Warps of a warpgroup."""


class ClockWatch:
    """For each granule of shared memory who wrote it when, and when each warp and warpgroup has read it.

    The face is that of `races.SharedWatch`.
    """

    def __init__(self, rows: Array, warps: Array, size: int, granule: int) -> None:
        """`rows` and `warps` tell for each thread its block and its warp; each block has `size` bytes."""
        self._shift = granule.bit_length() - 1
        blocks, self._warps = int(rows[-1]) + 1, int(warps[-1]) + 1
        self._readers = self._warps + -(-self._warps // _OF_GROUP)
        count = (blocks * size >> self._shift) + 1
        self._rows_of, self._warps_of = rows, warps
        self._writers = np.full(count, _NOBODY, np.int16)
        self._written = np.zeros(count, np.int32)
        self._read = np.zeros((count, self._readers), np.int32)
        self._unfenced = np.zeros(count, np.bool_)
        """Whether copies and products do not see yet what a thread wrote."""
        agents = self._readers + _MBARRIERS
        self._known = np.zeros((blocks, self._warps, agents), np.int32)
        self._known[:, np.arange(self._warps), np.arange(self._warps)] = _ALWAYS
        self._clocks = np.ones((blocks, self._readers), np.int32)

    # Waiting for each other

    def agent_of(self, number: int) -> int:
        """Who writes what the copies of an mbarrier write, by the number of the mbarrier in its block."""
        if number >= _MBARRIERS:
            raise Fault(f"more than {_MBARRIERS} mbarriers in a block are not known")
        return self._readers + number

    def next_interval(self, rows: Any) -> None:
        """Blocks pass a barrier."""
        chosen = np.atleast_1d(np.arange(len(self._known))[rows])
        own = np.arange(self._warps)
        known = self._known[chosen]
        known[:, own, own] = self._clocks[chosen][:, : self._warps]
        known[...] = known.max(1)[:, None]
        known[:, own, own] = _ALWAYS
        self._known[chosen] = known
        self._clocks[chosen, : self._warps] += 1

    def published(self, row: int, warp: int) -> Array:
        """What a warp knows when it arrives somewhere; what it does then is later."""
        known: Array = self._known[row, warp].copy()
        known[warp] = self._clocks[row, warp]
        self._clocks[row, warp] += 1
        return known

    def nothing(self) -> Array:
        """What somebody knows who knows nothing of the others."""
        return np.zeros(self._known.shape[2], np.int32)

    def learn(self, row: int, warp: int, known: Array) -> None:
        """A warp takes what others knew."""
        np.maximum(self._known[row, warp], known, out=self._known[row, warp])

    def fence(self, frame: Frame) -> None:
        """What warps wrote can be seen by copies and products from now on."""
        row_of = self._place_rows()
        for row, warp in _pairs(frame):
            here = self._unfenced & (self._writers == warp) & (row_of == row)
            self._unfenced[here] = False

    def _place_rows(self) -> Array:
        blocks = len(self._known)
        per_block = (len(self._writers) - 1) // blocks
        return np.arange(len(self._writers)) // max(per_block, 1)

    # Accesses of threads

    def _granules(self, at: Array, size: int) -> list[Array]:
        first = at >> self._shift
        return [first, *(first + k for k in range(1, size >> self._shift))]

    def read(self, frame: Frame, at: Array, size: int, text: str) -> None:
        """Threads read `size` bytes each."""
        row, warp = frame.place("row"), frame.place("warp")
        for places in self._granules(at, size):
            self._check_writers(frame, row, warp, places, text)
            self._read[places, warp] = self._clocks[row, warp]

    def write(self, frame: Frame, at: Array, size: int, text: str) -> None:
        """Threads write `size` bytes each."""
        row, warp = frame.place("row"), frame.place("warp")
        for places in self._granules(at, size):
            self._check_free(frame, row, warp, places, text)
            self._writers[places] = warp
            self._written[places] = self._clocks[row, warp]
            self._unfenced[places] = True

    def atomic(self, frame: Frame, at: Array, size: int, text: str) -> None:
        """Threads change `size` bytes each by an atomic instruction."""
        raise Fault(f"{text}: atomic instructions on shared memory beside mbarriers are not known")

    def begin_copies(self, at: Array, size: int) -> None:
        """Threads that may write begin copies of `size` bytes each."""
        for places in self._granules(at, size):
            self._writers[places] = _IN_FLIGHT

    def finish_copies(self, lanes: Array, at: Array, size: int) -> None:
        """Threads have waited for their copies."""
        row, warp = self._rows_of[lanes], self._warps_of[lanes]
        for places in self._granules(at, size):
            self._writers[places] = warp
            self._written[places] = self._clocks[row, warp]

    def use(self, frame: Frame, at: Array, text: str) -> None:
        """Threads use mbarriers, which somebody must have made for them."""
        self._check_writers(frame, frame.place("row"), frame.place("warp"), at >> self._shift, text)

    def _check_writers(self, frame: Frame, row: Array, warp: Array, places: Array, text: str) -> None:
        """Whether threads may see what was written."""
        writer = self._writers.take(places)
        if int(writer.min(initial=0)) < 0:
            if (writer == _IN_FLIGHT).any():
                who = frame.who(writer == _IN_FLIGHT)
                raise Fault(f"{text}: shared memory that an asynchronous copy still writes: {who}")
            raise Fault(f"{text}: shared memory that nobody wrote: {frame.who(writer == _NOBODY)}")
        clash = self._known[row, warp, writer] < self._written.take(places)
        if clash.any():
            raise Fault(f"{text}: race with a write that was not waited for: {frame.who(clash)}")

    def _check_free(self, frame: Frame, row: Array, warp: Array, places: Array, text: str) -> None:
        """Whether threads may write: all that others did there is over, and they know it."""
        writer = self._writers.take(places)
        if (writer == _IN_FLIGHT).any():
            raise Fault(f"{text}: race with an asynchronous copy: {frame.who(writer == _IN_FLIGHT)}")
        clash = (writer >= 0) & (self._known[row, warp, np.maximum(writer, 0)] < self._written.take(places))
        if clash.any():
            raise Fault(f"{text}: race with a write that was not waited for: {frame.who(clash)}")
        seen = self._known[row, warp, : self._readers]
        read: Array = np.asarray(np.any(self._read[places] > seen, axis=-1))
        if read.any():
            raise Fault(f"{text}: race with a read that was not waited for: {frame.who(read)}")

    # Copies that an mbarrier counts, by one thread each

    def begin_counted_copy(self, frame: Frame, at: Array, text: str) -> Array:
        """A thread begins a copy to places; their granules."""
        places = np.unique(at >> self._shift)
        row = np.broadcast_to(frame.place("row"), places.shape)
        warp = np.broadcast_to(frame.place("warp"), places.shape)
        self._check_free(frame.narrow(np.zeros(places.size, np.int64), ()), row, warp, places, text)
        self._writers[places] = _IN_FLIGHT
        return places

    def finish_counted_copy(self, places: Array, number: int, phase: int) -> None:
        """A copy is done, in a phase of its mbarrier."""
        self._writers[places] = self.agent_of(number)
        self._written[places] = phase
        self._unfenced[places] = False

    def check_fenced(self, frame: Frame, places: Array, text: str) -> None:
        """Whether copies and products see what threads wrote."""
        unfenced = self._unfenced[places]
        if unfenced.any():
            raise Fault(
                f"{text}: no fence lets it see what a thread wrote to shared memory: {frame.who(True)}"
            )

    def granules(self, at: Array) -> Array:
        """The granules of places in shared memory."""
        return np.unique(at >> self._shift)

    # What the products of a warpgroup read

    def begin_reads(self, frame: Frame, at: Array, text: str) -> Array:
        """Four warps, of which the first thread is that of a frame, begin to read places; their granules."""
        places = np.unique(at >> self._shift)
        row, warp = int(frame.place("row")[0]), int(frame.place("warp")[0])
        one = frame.narrow(np.zeros(places.size, np.int64), ())
        for member in range(warp, warp + _OF_GROUP):
            self._check_writers(one, np.full(places.size, row), np.full(places.size, member), places, text)
        self.check_fenced(frame, places, text)
        self._read[places, self._group(warp)] = _BUSY
        return places

    def finish_reads(self, row: int, warp: int, groups: list[Array], left: list[Array]) -> None:
        """Four warps have waited for what they read; some of it others of their products still read."""
        group = self._group(warp)
        for places in groups:
            self._read[places, group] = self._clocks[row, group]
        for places in left:
            self._read[places, group] = _BUSY
        self._known[row, warp : warp + _OF_GROUP, group] = self._clocks[row, group]
        self._clocks[row, group] += 1

    def _group(self, warp: int) -> int:
        return self._warps + warp // _OF_GROUP


def _pairs(frame: Frame) -> list[tuple[int, int]]:
    """The blocks and warps of a frame."""
    both = np.stack([frame.place("row"), frame.place("warp")], 1)
    return [(int(row), int(warp)) for row, warp in np.unique(both, axis=0)]


__all__ = ["ClockWatch"]
