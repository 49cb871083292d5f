"""Races: accesses to the same bytes that nothing puts in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from .faults import Fault
from .frames import Frame
from .memory import Allocation, Array

_NOBODY, _IN_FLIGHT = -1, -2
_SEVERAL, _ATOMIC = 63, 62
"""In the place of a warp: several of them, and atomic instructions of any."""


class SharedWatch:
    """For each granule of shared memory the warp and the barrier interval of its last writer and reader.

    Threads of a warp run in lockstep here, and so do, often, those of a block: a barrier that is missing would not be
    seen in the results. What two warps do between the same two barriers is in no order.
    """

    def __init__(self, rows: int, size: int, granule: int) -> None:
        self.granule = granule
        self.writers = np.full(rows * size // granule, _NOBODY, np.int32)
        self.readers = np.full(rows * size // granule, _NOBODY, np.int32)
        self.interval = np.zeros(rows, np.int32)
        """For each block how many barriers it has passed."""

    def _granules(self, at: Array, size: int) -> list[Array]:
        first = at // self.granule
        return [first] if size <= self.granule else [first + k for k in range(size // self.granule)]

    def read(self, frame: Frame, at: Array, size: int, text: str) -> None:
        """Threads read `size` bytes each."""
        interval = self.interval[frame.place("row")]
        mine = interval << 6 | frame.place("warp")
        for places in self._granules(at, size):
            writer = self.writers[places]
            self._check_written(frame, writer, text)
            clash = (writer >> 6 == interval) & (writer != mine)
            if clash.any():
                raise Fault(
                    f"{text}: race with a write of another warp since the last barrier: {frame.who(clash)}"
                )
            reader = self.readers[places]
            many = (reader >> 6 == interval) & (reader != mine)
            self.readers[places] = np.where(many, interval << 6 | _SEVERAL, mine)

    def _check_written(self, frame: Frame, writer: Array, text: str) -> None:
        if (writer < 0).any():
            if (writer == _IN_FLIGHT).any():
                who = frame.who(writer == _IN_FLIGHT)
                raise Fault(f"{text}: shared memory that an asynchronous copy still writes: {who}")
            raise Fault(f"{text}: shared memory that nobody wrote: {frame.who(writer == _NOBODY)}")

    def write(self, frame: Frame, at: Array, size: int, text: str) -> None:
        """Threads write `size` bytes each."""
        interval = self.interval[frame.place("row")]
        mine = interval << 6 | frame.place("warp")
        for places in self._granules(at, size):
            for what, past in (("write", self.writers), ("read", self.readers)):
                before = past[places]
                clash = (before >> 6 == interval) & (before != mine) & (before >= 0)
                if clash.any():
                    who = frame.who(clash)
                    raise Fault(f"{text}: race with a {what} of another warp since the last barrier: {who}")
                if what == "write" and (before == _IN_FLIGHT).any():
                    who = frame.who(before == _IN_FLIGHT)
                    raise Fault(f"{text}: race with an asynchronous copy: {who}")
            self.writers[places] = mine

    def begin_copies(self, at: Array, size: int) -> None:
        """Threads that may write begin copies of `size` bytes each."""
        for places in self._granules(at, size):
            self.writers[places] = _IN_FLIGHT

    def finish_copies(self, rows: Array, warps: Array, at: Array, size: int) -> None:
        """Threads have waited for their copies."""
        mine = self.interval[rows] << 6 | warps
        for places in self._granules(at, size):
            self.writers[places] = mine

    def atomic(self, frame: Frame, at: Array, size: int, text: str) -> None:
        """Threads change `size` bytes each by an atomic instruction."""
        interval = self.interval[frame.place("row")]
        mine, atomic = interval << 6 | frame.place("warp"), interval << 6 | _ATOMIC
        for places in self._granules(at, size):
            self._check_written(frame, self.writers[places], text)
            for what, past in (("write", self.writers), ("read", self.readers)):
                before = past[places]
                clash = (before >> 6 == interval) & (before != mine) & (before != atomic)
                if clash.any():
                    who = frame.who(clash)
                    raise Fault(f"{text}: race with a {what} of another warp since the last barrier: {who}")
            self.writers[places] = atomic


class GlobalWatch:
    """For each granule of device memory the blocks that wrote and read it in this launch.

    Marks are numbers that grow from launch to launch, so that those of earlier launches mean nothing.
    """

    _next_mark = 1

    def __init__(self, blocks: int, granule: int, synchronises: bool) -> None:
        self.granule = granule
        self.first = GlobalWatch._next_mark
        self.several = self.first + blocks
        self.atomic_mark = self.several + 1
        GlobalWatch._next_mark = self.atomic_mark + 1
        self.enabled = blocks > 1 and not synchronises

    def access(
        self,
        frame: Frame,
        allocation: Allocation,
        at: Array,
        size: int,
        text: str,
        *,
        writes: bool,
        atomic: bool = False,
    ) -> None:
        """Threads access `size` bytes each, `at` bytes from the beginning of an allocation."""
        if not self.enabled:
            return
        writers, readers = allocation.shadow(self.granule)
        mine: Any = self.first + frame.place("block")
        first = at // self.granule
        for k in range(max(1, size // self.granule)):
            places = first + k if k else first
            writer = writers[places]
            clash = (writer >= self.first) & (writer != mine)
            if atomic:
                clash &= writer != self.atomic_mark
            if clash.any():
                other = int(writer[clash][0]) - self.first
                by = "atomic instructions" if other == self.atomic_mark - self.first else f"block {other}"
                raise Fault(f"{text}: race with a write of {by}: {frame.who(clash)}")
            if writes:
                reader = readers[places]
                clash = (reader >= self.first) & (reader != mine)
                if clash.any():
                    raise Fault(f"{text}: race with a read of another block: {frame.who(clash)}")
                writers[places] = self.atomic_mark if atomic else mine
                if not atomic and (writers[places] != mine).any():
                    raise Fault(
                        f"{text}: race of two blocks that write: {frame.who(writers[places] != mine)}"
                    )
            else:
                reader = readers[places]
                readers[places] = np.where((reader < self.first) | (reader == mine), mine, self.several)


__all__ = ["GlobalWatch", "SharedWatch"]
