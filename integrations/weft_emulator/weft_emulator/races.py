"""Races: accesses to the same bytes that nothing puts in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from .faults import Fault
from .frames import Frame
from .memory import Allocation, Array, Shadow

_NOBODY, _IN_FLIGHT = -1, -2
SEVERAL, ATOMIC = 63, 62
"""In the place of a warp: several of them, and atomic instructions of any."""


class Stamps:
    """What each thread leaves where it reads or writes: how many barriers its block has passed, and its warp."""

    def __init__(self, rows: Array, warps: Array) -> None:
        """`rows` and `warps` tell for each thread its block and its warp."""
        self._rows, self._warps = rows, warps
        self._interval = np.zeros(int(rows[-1]) + 1, np.int32)
        self._all = warps.copy()

    def next_interval(self, rows: Any) -> None:
        """Blocks pass a barrier."""
        self._interval[rows] += 1
        self._all = self._interval[self._rows] << 6 | self._warps

    def of(self, frame: Frame) -> Any:
        """The stamps of the threads that run together."""
        return self._all if frame.lanes is None else self._all[frame.lanes]

    def of_lanes(self, lanes: Array) -> Any:
        """The stamps of some threads."""
        return self._all[lanes]


def same_interval(past: Array, mine: Array) -> Any:
    """Whether an access was one of another warp since the last barrier: only the lower six bits differ."""
    return ((past ^ mine).view(np.uint32) - np.uint32(1)) < np.uint32(SEVERAL)


class SharedWatch:
    """For each granule of shared memory the warp and the barrier interval of its last writer and reader.

    Threads of a warp run in lockstep here, and so do, often, those of a block: a barrier that is missing would not be
    seen in the results. What two warps do between the same two barriers is in no order.
    """

    def __init__(self, rows: Array, warps: Array, size: int, granule: int) -> None:
        """`rows` and `warps` tell for each thread its block and its warp; each block has `size` bytes."""
        self._shift = granule.bit_length() - 1
        count = (int(rows[-1]) + 1) * size >> self._shift
        self.writers = np.full(count, _NOBODY, np.int32)
        self.readers = np.full(count, _NOBODY, np.int32)
        self._stamps = Stamps(rows, warps)

    def next_interval(self, rows: Any) -> None:
        """Blocks pass a barrier."""
        self._stamps.next_interval(rows)

    def _granules(self, at: Array, size: int) -> list[Array]:
        first = at >> self._shift
        return [first, *(first + k for k in range(1, size >> self._shift))]

    def read(self, frame: Frame, at: Array, size: int, text: str) -> None:
        """Threads read `size` bytes each."""
        mine = self._stamps.of(frame)
        for places in self._granules(at, size):
            writer = self.writers.take(places)
            self._check_written(frame, writer, text)
            self._check(frame, writer, mine, "write", text)
            several = same_interval(self.readers.take(places), mine)
            self.readers[places] = np.where(several, mine | SEVERAL, mine) if several.any() else mine

    def _check(self, frame: Frame, past: Array, mine: Array, what: str, text: str) -> None:
        clash = same_interval(past, mine)
        if clash.any():
            raise Fault(
                f"{text}: race with a {what} of another warp since the last barrier: {frame.who(clash)}"
            )

    def _check_written(self, frame: Frame, writer: Array, text: str) -> None:
        if int(writer.min(initial=0)) < 0:
            if (writer == _IN_FLIGHT).any():
                who = frame.who(writer == _IN_FLIGHT)
                raise Fault(f"{text}: shared memory that an asynchronous copy still writes: {who}")
            raise Fault(f"{text}: shared memory that nobody wrote: {frame.who(writer == _NOBODY)}")

    def write(self, frame: Frame, at: Array, size: int, text: str) -> None:
        """Threads write `size` bytes each."""
        mine = self._stamps.of(frame)
        for places in self._granules(at, size):
            writer = self.writers.take(places)
            if int(writer.min(initial=0)) == _IN_FLIGHT:
                raise Fault(f"{text}: race with an asynchronous copy: {frame.who(writer == _IN_FLIGHT)}")
            self._check(frame, writer, mine, "write", text)
            self._check(frame, self.readers.take(places), mine, "read", text)
            self.writers[places] = mine

    def begin_copies(self, at: Array, size: int) -> None:
        """Threads that may write begin copies of `size` bytes each."""
        for places in self._granules(at, size):
            self.writers[places] = _IN_FLIGHT

    def finish_copies(self, lanes: Array, at: Array, size: int) -> None:
        """Threads have waited for their copies."""
        mine = self._stamps.of_lanes(lanes)
        for places in self._granules(at, size):
            self.writers[places] = mine

    def atomic(self, frame: Frame, at: Array, size: int, text: str) -> None:
        """Threads change `size` bytes each by an atomic instruction."""
        mine = self._stamps.of(frame)
        atomic = mine & ~SEVERAL | ATOMIC
        for places in self._granules(at, size):
            writer = self.writers.take(places)
            self._check_written(frame, writer, text)
            self._check(frame, np.where(writer == atomic, mine, writer), mine, "write", text)
            self._check(frame, self.readers.take(places), mine, "read", text)
            self.writers[places] = atomic


class GlobalWatch:
    """For each granule of device memory the blocks, and of a block the warps, that wrote and read it in this launch.

    Marks are numbers that grow from launch to launch, so that those of earlier launches mean nothing. Blocks are in no
    order, unless they wait for each other: see `Clocks`. Warps of a block are in the order of its barriers; what they
    leave besides the mark of their block is the same as in `SharedWatch`.
    """

    _next_mark = 1
    _generation = 0

    def __init__(self, blocks: int, warps: int, granule: int, synchronises: bool) -> None:
        """A launch of so many blocks, of so many warps each."""
        if GlobalWatch._next_mark + blocks + 2 > np.iinfo(np.int32).max:
            GlobalWatch._next_mark = 1
            GlobalWatch._generation += 1
        self._shift = granule.bit_length() - 1
        self._first = GlobalWatch._next_mark
        self._several = self._first + blocks
        self._atomic = self._several + 1
        GlobalWatch._next_mark = self._atomic + 1
        self._among_blocks, self._among_warps = blocks > 1, warps > 1
        self.enabled = self._among_blocks or self._among_warps
        self.clocks = Clocks(blocks) if synchronises and self._among_blocks else None
        self._marks = np.arange(self._first, self._several, dtype=np.int32)

    def begin(self, rows: Array, warps: Array) -> None:
        """Threads begin, of which `rows` and `warps` tell the block, as the machine numbers those that run at once."""
        self._stamps = Stamps(rows, warps)

    def next_interval(self, rows: Any) -> None:
        """Blocks pass a barrier."""
        if self._among_warps:
            self._stamps.next_interval(rows)

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
        shadow = allocation.shadow(1 << self._shift, self._generation)
        block = frame.place("block")
        mine = self._marks.take(block)
        first = at >> self._shift
        for k in range(max(1, size >> self._shift)):
            places = first + k if k else first
            if self._among_warps:  # while the marks are those of who was there before
                self._see_warps(frame, shadow, places, mine, text, writes=writes, atomic=atomic)
            if self._among_blocks:
                self._check_writers(frame, shadow, places, block, mine, atomic, text)
            if writes:
                if self._among_blocks:
                    self._check_readers(frame, shadow, places, block, mine, text)
                shadow.writers[places] = self._atomic if atomic else mine
                if not atomic and self._among_blocks:
                    lost = shadow.writers.take(places) != mine
                    if lost.any():
                        raise Fault(f"{text}: race of two blocks that write: {frame.who(lost)}")
                if self.clocks is not None:
                    shadow.write_times()[places] = self.clocks.times[block]
            elif not atomic:
                reader = shadow.readers.take(places)
                alone = (reader < self._first) | (reader == mine)
                shadow.readers[places] = mine if alone.all() else np.where(alone, mine, self._several)
                if self.clocks is not None:
                    shadow.read_times()[places] = self.clocks.times[block]

    def _see_warps(
        self,
        frame: Frame,
        shadow: Shadow,
        places: Array,
        mine: Array,
        text: str,
        *,
        writes: bool,
        atomic: bool,
    ) -> None:
        """Look for what other warps of the block did since the last barrier, and leave what these do."""
        stamps = self._stamps.of(frame)
        writer, written = shadow.writers.take(places), shadow.write_stamps()
        by_atomics = (writer == self._atomic) & (not self._among_blocks)  # else nothing tells whose they were
        here = (writer == mine) | (by_atomics & (not atomic))
        clash = here & same_interval(written.take(places), stamps)
        if clash.any():
            raise Fault(
                f"{text}: race with a write of another warp since the last barrier: {frame.who(clash)}"
            )
        reader, read = shadow.readers.take(places), shadow.read_stamps()
        others = same_interval(read.take(places), stamps) & (reader == mine)
        if not writes:
            if not atomic:
                read[places] = left = np.where(others, stamps | SEVERAL, stamps) if others.any() else stamps
                together = read.take(places) != left
                if together.any():
                    read[places[together]] = stamps[together] | SEVERAL
            return
        if others.any():
            raise Fault(
                f"{text}: race with a read of another warp since the last barrier: {frame.who(others)}"
            )
        left = stamps & ~SEVERAL | ATOMIC if atomic else stamps
        written[places] = left
        lost = same_interval(written.take(places), left)
        if not atomic and lost.any():
            raise Fault(f"{text}: race of two warps that write: {frame.who(lost)}")

    def _check_writers(
        self, frame: Frame, shadow: Shadow, places: Array, block: Array, mine: Array, atomic: bool, text: str
    ) -> None:
        writer = shadow.writers.take(places)
        clash = (writer >= self._first) & (writer != mine)
        if not clash.any():
            return
        by_atomics = writer == self._atomic
        if atomic:
            clash &= ~by_atomics
        if self.clocks is not None and clash.any():
            other = np.where(by_atomics, 0, writer - self._first)
            known = self.clocks.knows(block, other, shadow.write_times().take(places))
            # What atomic instructions have left may be read by who has seen all of them.
            clash &= ~np.where(by_atomics, self.clocks.has_met_others(block), known)
        if clash.any():
            chosen = int(writer[clash][0])
            by = "atomic instructions" if chosen == self._atomic else f"block {chosen - self._first}"
            raise Fault(f"{text}: race with a write of {by}: {frame.who(clash)}")

    def _check_readers(
        self, frame: Frame, shadow: Shadow, places: Array, block: Array, mine: Array, text: str
    ) -> None:
        reader = shadow.readers.take(places)
        clash = (reader >= self._first) & (reader != mine)
        if not clash.any():
            return
        if self.clocks is not None:
            several = reader == self._several
            other = np.where(several, 0, reader - self._first)
            known = self.clocks.knows(block, other, shadow.read_times().take(places))
            clash &= ~np.where(several, self.clocks.has_met_others(block), known)
        if clash.any():
            raise Fault(f"{text}: race with a read of another block: {frame.who(clash)}")


class Clocks:
    """What blocks know of each other, in kernels where they wait for each other.

    The time of a block is how many fences it has passed. What it wrote before a fence it gives to those that read, by
    an atomic or strong instruction, what it wrote by such an instruction after the fence; they have it after a fence
    of their own.
    """

    def __init__(self, blocks: int) -> None:
        self.times = np.zeros(blocks, np.int32)
        self._blocks = blocks
        self._known: dict[int, Array] = {}
        """For each block, when it has waited for others, the times of all blocks until which it knows what they did."""
        self._heard: dict[int, Array] = {}
        """The same, as it will be after its next fence."""
        self._published: dict[int, Array] = {}
        """What can be learnt at an address."""

    def fence(self, blocks: Array) -> None:
        """Blocks pass a fence."""
        for block in np.unique(blocks).tolist():
            self.times[block] += 1
            if block in self._heard:
                self._known[block] = self._join(self._known.get(block), self._heard.pop(block))

    def meet(self, blocks: Array, addresses: Array, *, writes: bool, reads: bool) -> None:
        """Blocks access addresses, one after the other, by atomic or strong instructions."""
        pairs = dict.fromkeys(zip(blocks.tolist(), addresses.tolist(), strict=True))
        for block, address in pairs:
            if reads and address in self._published:
                self._heard[block] = self._join(self._heard.get(block), self._published[address])
            if writes:
                own = self._known.get(block)
                own = np.zeros(self._blocks, np.int32) if own is None else own.copy()
                own[block] = self.times[block]
                self._published[address] = self._join(self._published.get(address), own)

    def knows(self, blocks: Array, others: Array, times: Array) -> Array:
        """Whether blocks know what others did at some time."""
        result = np.zeros(blocks.size, np.bool_)
        for block in np.unique(blocks).tolist():
            if block in self._known:
                here = blocks == block
                result[here] = self._known[block][others[here]] > times[here]
        return result

    def has_met_others(self, blocks: Array) -> Array:
        """Whether blocks have read what others published."""
        met = [block for block in np.unique(blocks).tolist() if block in self._known or block in self._heard]
        return np.isin(blocks, met)

    @staticmethod
    def _join(a: Array | None, b: Array) -> Array:
        return b.copy() if a is None else np.maximum(a, b)


__all__ = ["Clocks", "GlobalWatch", "SharedWatch"]
