"""Asynchronous copies from device to shared memory (cp.async): they are done when somebody waits, and not before.

Until then the bytes that they write cannot be read. After the wait they belong to the thread that waited; threads of
other warps may read them after a barrier, like everything that it writes.
"""

from __future__ import annotations

import numpy as np

from .accesses import Access, locate_global, locate_shared
from .arithmetic import Maker
from .faults import PTXError
from .frames import Frame
from .memory import Array
from .operands import Operands, Step
from .ptx import Instruction
from .tensor_maps import copy_of_box


class Copy:
    """Copies that threads have begun by one instruction."""

    __slots__ = ("groups", "lanes", "size", "sources", "taken", "targets")

    def __init__(
        self, lanes: Array, groups: Array, targets: Array, sources: Array, size: int, taken: Array
    ) -> None:
        self.lanes = lanes
        self.groups = groups
        """For each thread the number of the group that the copy belongs to."""
        self.targets = targets
        """Places in shared memory."""
        self.sources = sources
        """Places in device memory."""
        self.size = size
        self.taken = taken
        """How many bytes are copied; the others become zero."""


class Copies:
    """The copies of a launch's part that are not done."""

    def __init__(self, lanes: int) -> None:
        self.group = np.zeros(lanes, np.int64)
        """For each thread the number of the group that it is filling."""
        self.pending: list[Copy] = []


def _copies(frame: Frame) -> Copies:
    machine = frame.machine
    if machine.copies is None:
        machine.copies = Copies(machine.places["lane"].size)
    found: Copies = machine.copies
    return found


def _begin(i: Instruction, o: Operands) -> Step:
    """cp.async.ca.shared.global [target], [source], size{, bytes}."""
    if i.modifiers[1] not in ("ca", "cg") or len(i.operands) not in (3, 4):
        raise PTXError("this copy is not known")
    size = o.integer(i.operands[2])
    if size not in (4, 8, 16) or (i.modifiers[1] == "cg" and size != 16):
        raise PTXError(f"asynchronous copies of {size} bytes are not known")
    target, source = o.address(i.operands[0]), o.address(i.operands[1])
    given = o.read(i.operands[3], "u32") if len(i.operands) == 4 else None
    to, of = Access(i.text, "shared", size, 1), Access(i.text, "global", 4, size // 4)

    def run(frame: Frame) -> None:
        everyone = np.arange(frame.count)
        at = locate_shared(frame, target.of(frame), to, everyone, writes=True)
        watch = frame.machine.shared_watch
        if watch is not None:
            watch.begin_copies(at, size)
        taken = np.full(frame.count, size)
        if given is not None:
            taken = np.minimum(np.broadcast_to(frame.values[given], (frame.count,)).astype(np.int64), size)
        reading = np.flatnonzero(taken > 0)
        places = np.zeros(frame.count, np.int64)
        if reading.size:
            part = frame if reading.size == frame.count else frame.narrow(reading, ())
            places[reading] = locate_global(part, source.of(frame)[reading], of)
        copies = _copies(frame)
        lanes = frame.thread_numbers()
        copies.pending.append(Copy(lanes, copies.group[lanes], at, places, size, taken))

    return run


def _commit(i: Instruction, o: Operands) -> Step:
    def run(frame: Frame) -> None:
        _copies(frame).group[frame.thread_numbers()] += 1

    return run


def _wait(i: Instruction, o: Operands) -> Step:
    """Wait until at most so many of the newest groups are not done."""
    newest = 0 if i.modifiers[1] == "wait_all" else o.integer(i.operands[0])
    everything = i.modifiers[1] == "wait_all"

    def run(frame: Frame) -> None:
        copies = _copies(frame)
        done_before = np.full(copies.group.size, -1, np.int64)
        lanes = frame.thread_numbers()
        done_before[lanes] = copies.group[lanes] + 1 if everything else copies.group[lanes] - newest
        left = []
        for copy in copies.pending:
            finished = copy.groups < done_before[copy.lanes]
            if finished.any():
                _finish(frame, copy, finished)
            if not finished.all():
                left.append(_rest(copy, ~finished))
        copies.pending = left

    return run


def _finish(frame: Frame, copy: Copy, finished: Array) -> None:
    machine = frame.machine
    targets, sources, taken = copy.targets[finished], copy.sources[finished], copy.taken[finished]
    within = np.arange(copy.size)
    data = machine.memory.bytes[(sources[:, None] + within) % machine.memory.size]
    data = np.where(within < taken[:, None], data, np.uint8(0))
    machine.shared_view("u1", 1)[targets[:, None] + within] = data
    if machine.shared_watch is not None:
        machine.shared_watch.finish_copies(copy.lanes[finished], targets, copy.size)


def _rest(copy: Copy, left: Array) -> Copy:
    if left.all():
        return copy
    return Copy(
        copy.lanes[left],
        copy.groups[left],
        copy.targets[left],
        copy.sources[left],
        copy.size,
        copy.taken[left],
    )


def _cp(i: Instruction, o: Operands) -> Step:
    if len(i.modifiers) < 2 or i.modifiers[0] != "async":
        raise PTXError("this copy is not known")
    if i.modifiers[1] == "bulk":
        return copy_of_box(i, o)
    if i.modifiers[1] == "commit_group":
        return _commit(i, o)
    if i.modifiers[1] in ("wait_group", "wait_all"):
        return _wait(i, o)
    return _begin(i, o)


MAKERS: dict[str, Maker] = {"cp": _cp}

__all__ = ["MAKERS", "Copies"]
