"""Mbarriers: threads arrive at a phase, copies are counted in bytes, and who waits goes on when all of both are there.

What an mbarrier holds in memory is nobody's business; here it is a number that tells whether something wrote over it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.dialect.records import dataclass

from .accesses import Access, locate_shared, shared_places
from .arithmetic import Maker
from .clocks import ClockWatch
from .faults import Fault, PTXError
from .frames import Frame
from .memory import Array
from .operands import Operands, Step, expect
from .ptx import Instruction

_MOST = (1 << 20) - 1
"""Threads that can be waited for, and bytes."""
_PATIENCE = 512
"""After so many looks in vain, with nothing done in between, what is waited for does not come."""


@dataclass
class Mbarrier:
    """An mbarrier of a block."""

    row: int
    number: int
    """Of those that the block has made so far."""
    word: int
    """What memory holds."""
    expected: int
    pending: int
    """Threads that have not arrived in this phase."""
    transactions: int = 0
    """Bytes that are expected, and have not come."""
    completed: int = 0
    """Phases."""
    gathered: Array | None = None
    """What those know who have arrived."""
    given: tuple[Array | None, Array | None] = (None, None)
    """What those know then who have waited for the last phase but one, and for the last."""


class Phases:
    """The mbarriers of a launch's part, and the copies that they count."""

    def __init__(self, machine: Any) -> None:
        self._machine = machine
        self._known: dict[int, Mbarrier] = {}
        self._made = 0
        self._of_row: dict[int, int] = {}
        self.pending: list[Callable[[], None]] = []
        """What copies do when they come."""
        self._looks = 0

    @property
    def watch(self) -> ClockWatch | None:
        """What finds races."""
        watch: ClockWatch | None = self._machine.shared_watch
        return watch

    def make(self, at: int, row: int, count: int, who: str) -> None:
        """Begin the first phase of an mbarrier at a place."""
        if not 0 < count <= _MOST:
            raise Fault(f"an mbarrier of {count} threads: {who}")
        if at in self._known:
            raise Fault(f"there is an mbarrier already, which is not invalidated: {who}")
        self._made += 1
        number = self._of_row.get(row, 0)
        self._of_row[row] = number + 1
        word = 0x5EED_0000_0000_0000 + self._made
        self._known[at] = Mbarrier(row, number, word, count, count)
        self._words()[at >> 3] = word

    def at(self, place: int, who: str) -> Mbarrier:
        """The mbarrier at a place."""
        found = self._known.get(place)
        if found is None:
            raise Fault(f"there is no mbarrier: {who}")
        if int(self._words()[place >> 3]) != found.word:
            raise Fault(f"the mbarrier was overwritten: {who}")
        return found

    def end(self, place: int, who: str) -> None:
        """Let a place be used for something else."""
        self.at(place, who)
        del self._known[place]

    def _words(self) -> Array:
        words: Array = self._machine.shared_view("u8", 1)
        return words

    def expect(self, barrier: Mbarrier, size: int, who: str) -> None:
        """More bytes have to come in this phase."""
        self._count(barrier, size, who)

    def _count(self, barrier: Mbarrier, size: int, who: str) -> None:
        barrier.transactions += size
        if abs(barrier.transactions) > _MOST:
            raise Fault(f"an mbarrier that counts {barrier.transactions} bytes: {who}")
        self._looks = 0

    def arrive(self, barrier: Mbarrier, warp: int, count: int, who: str) -> int:
        """Threads arrive; the number of the phase."""
        if not 0 < count <= barrier.pending:
            raise Fault(f"{count} threads more than {barrier.pending} arrive at an mbarrier: {who}")
        phase = barrier.completed
        barrier.pending -= count
        if self.watch is not None:
            known = self.watch.published(barrier.row, warp)
            barrier.gathered = known if barrier.gathered is None else np.maximum(barrier.gathered, known)
        self._complete(barrier)
        return phase

    def _complete(self, barrier: Mbarrier) -> None:
        self._looks = 0
        if barrier.pending or barrier.transactions:
            return
        barrier.completed += 1
        barrier.pending = barrier.expected
        barrier.given = barrier.given[1], barrier.gathered

    def arrived(self, barrier: Mbarrier, size: int, places: Array | None, who: str) -> None:
        """Bytes of a copy have come."""
        if self.watch is not None and places is not None:
            self.watch.finish_counted_copy(places, barrier.number, barrier.completed + 1)
        self._count(barrier, -size, who)
        self._complete(barrier)

    def see(self, barrier: Mbarrier, warp: int, phase: int, who: str) -> None:
        """A warp has waited for a phase, which is over; there may be one behind it."""
        if self.watch is None or phase < 0:
            return
        back = barrier.completed - phase
        if back > 2:
            raise Fault(f"a wait for a phase that has ended long ago: {who}")
        given = barrier.given[-back]
        known = self.watch.nothing() if given is None else given.copy()
        known[self.watch.agent_of(barrier.number)] = phase + 1
        self.watch.learn(barrier.row, warp, known)

    def deliver(self) -> None:
        """Let some of the copies come, in any order."""
        random = self._machine.random
        order = random.permutation(len(self.pending))
        now = [self.pending[k] for k in order if random.integers(2)]
        self.pending = [copy for copy in self.pending if copy not in now]
        for copy in now:
            copy()

    def look_in_vain(self, barrier: Mbarrier, who: str) -> None:
        """Somebody waits for an mbarrier."""
        self._looks += 1
        if self._looks > _PATIENCE and not self.pending:
            missing = f"{barrier.pending} threads and {barrier.transactions} bytes"
            raise Fault(
                f"a phase that does not end, for which there miss {missing}: {who}",
                "CUDA_ERROR_LAUNCH_TIMEOUT",
            )

    def finish(self) -> None:
        """All threads have ended."""
        if self.pending:
            raise Fault("a block has ended before copies to its shared memory are done")


def phases_of(frame: Frame) -> Phases:
    """The mbarriers of a launch's part."""
    machine = frame.machine
    if machine.phases is None:
        machine.phases = Phases(machine)
    found: Phases = machine.phases
    return found


def _each(frame: Frame, at: Array) -> list[tuple[int, Frame]]:
    """The threads of a frame one by one, in any order, with the places that they name."""
    order = np.arange(frame.count)
    return [(int(at[k]), frame.narrow(order[k : k + 1], ())) for k in order]


def _located(frame: Frame, address: Array, text: str) -> Array:
    at = shared_places(frame, address, 8, text)
    if frame.machine.shared_watch is not None:
        frame.machine.shared_watch.use(frame, at, text)
    return at


def _init(i: Instruction, o: Operands) -> Step:
    expect(i, 2)
    address, count = o.address(i.operands[0]), o.read(i.operands[1], "u32")
    access = Access(i.text, "shared", 8, 1)

    def run(frame: Frame) -> None:
        everyone = np.arange(frame.count)
        at = locate_shared(frame, address.of(frame), access, everyone, writes=True)
        counts = np.broadcast_to(frame.values[count], (frame.count,))
        for (place, one), threads in zip(_each(frame, at), counts, strict=True):
            phases_of(frame).make(place, int(one.place("row")[0]), int(threads), f"{i.text}: {one.who(True)}")

    return run


def _inval(i: Instruction, o: Operands) -> Step:
    expect(i, 1)
    address = o.address(i.operands[0])

    def run(frame: Frame) -> None:
        for place, one in _each(frame, _located(frame, address.of(frame), i.text)):
            phases_of(frame).end(place, f"{i.text}: {one.who(True)}")

    return run


def _arrive(i: Instruction, o: Operands) -> Step:
    """mbarrier.arrive{.expect_tx} state, [address]{, number}; mbarrier.expect_tx [address], bytes."""
    only_expects = i.modifiers[0] == "expect_tx"
    expects = "expect_tx" in i.modifiers
    operands = ("_", *i.operands) if only_expects else i.operands
    if len(operands) != 2 + expects and (expects or len(operands) != 3):
        raise PTXError("this mbarrier instruction is not known")
    state = o.write(operands[0], "u64")
    address = o.address(operands[1])
    number = o.read(operands[2], "u32") if len(operands) == 3 else None

    def run(frame: Frame) -> None:
        phases = phases_of(frame)
        numbers = np.broadcast_to(1 if number is None else frame.values[number], (frame.count,))
        at = _located(frame, address.of(frame), i.text)
        found = np.zeros(frame.count, np.uint64)
        for k, (place, one) in enumerate(_each(frame, at)):
            who = f"{i.text}: {one.who(True)}"
            barrier = phases.at(place, who)
            if expects:
                phases.expect(barrier, int(numbers[k]), who)
            if not only_expects:
                count = 1 if expects else int(numbers[k])
                found[k] = phases.arrive(barrier, int(one.place("warp")[0]), count, who)
        if not only_expects:
            frame.values[state][...] = found

    return run


def _wait(i: Instruction, o: Operands) -> Step:
    """mbarrier.{test,try}_wait{.parity} done, [address], phase{, time}; to try may take too long for no reason."""
    expect(i, 3, 4)
    by_parity = "parity" in i.modifiers
    done = o.write(i.operands[0], "pred")
    address = o.address(i.operands[1])
    phase = o.read(i.operands[2], "u32" if by_parity else "u64")

    def run(frame: Frame) -> None:
        phases = phases_of(frame)
        at = _located(frame, address.of(frame), i.text)
        phases.deliver()
        wanted = np.broadcast_to(frame.values[phase], (frame.count,)).astype(np.int64)
        if by_parity and (wanted >> 1).any():
            raise Fault(f"{i.text}: a parity is 0 or 1: {frame.who((wanted >> 1) != 0)}")
        result = np.zeros(frame.count, np.bool_)
        if "try_wait" not in i.modifiers or frame.machine.random.integers(2):
            for place in np.unique(at).tolist():
                here = at == place
                who = f"{i.text}: {frame.who(here)}"
                barrier = phases.at(place, who)
                last = barrier.completed - 1
                asked = np.where(last & 1 == wanted, last, last + 1) if by_parity else wanted
                result |= here & (asked <= last)
                for warp in np.unique(frame.place("warp")[result & here]).tolist():
                    first = asked[result & here & (frame.place("warp") == warp)].min()
                    phases.see(barrier, warp, int(first), who)
        frame.values[done][...] = result
        if not result.all():
            who = f"{i.text}: {frame.who(~result)}"
            phases.look_in_vain(phases.at(int(at[~result][0]), who), who)

    return run


_KINDS: dict[str, Maker] = {
    "init": _init,
    "inval": _inval,
    "arrive": _arrive,
    "expect_tx": _arrive,
    "test_wait": _wait,
    "try_wait": _wait,
}


def _mbarrier(i: Instruction, o: Operands) -> Step:
    if i.modifiers[0] not in _KINDS or "noComplete" in i.modifiers:
        raise PTXError("this mbarrier instruction is not known")
    if not any(modifier.partition("::")[0] == "shared" for modifier in i.modifiers):
        raise PTXError("mbarriers are known in shared memory, by its addresses")
    return _KINDS[i.modifiers[0]](i, o)


MAKERS: dict[str, Maker] = {"mbarrier": _mbarrier}

__all__ = ["MAKERS", "Mbarrier", "Phases", "phases_of"]
