"""Runs a kernel: all threads of many blocks at once, one NumPy operation for each instruction.

Threads that are at the lowest block of instructions run first, which brings those together again that went different
ways. What runs together is a frame, which goes on from one block of instructions to the next as long as its threads
stay together and no other thread is behind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.dialect.records import dataclass

from .banks import Banks
from .clocks import ClockWatch
from .faults import Fault
from .frames import Frame, Register
from .kernel import ENDED, Barrier, Beginning, Block, Kernel
from .memory import Array, DeviceMemory
from .races import GlobalWatch, SharedWatch
from .warps import WARP

_PATIENCE = 4096
"""After so many blocks of instructions others have a turn, as threads may wait for what others write."""
_NEVER = 1 << 30
_KEPT = 1 << 10
"""Registers of launches of so many threads are kept for the next one: to make them takes longer than most kernels."""


@dataclass(frozen=True)
class Launch:
    """What is asked of a kernel."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    parameters: bytes
    dynamic_shared: int = 0


@dataclass(frozen=True)
class Options:
    """How kernels are run."""

    checks: bool = True
    """Whether races and shared memory that nobody wrote are looked for."""
    lanes: int = 1 << 14
    """So many threads run at once."""
    limit: int = 1 << 27
    """After so many instructions a kernel is stopped, as it may run forever (0: never)."""
    banks: Banks | None = None
    """Counts what loads, stores and copies ask of shared memory."""


class Machine:
    """The state of a launch."""

    def __init__(
        self,
        kernel: Kernel,
        launch: Launch,
        memory: DeviceMemory,
        random: np.random.Generator,
        options: Options,
    ) -> None:
        self.kernel = kernel
        self.launch = launch
        self.memory = memory
        self.random = random
        self.options = options
        self.checks = options.checks
        self.banks = options.banks
        self.template: list[Any] = kernel.layout.template
        self.parameters = launch.parameters
        self.threads = launch.block[0] * launch.block[1] * launch.block[2]
        self.padded = -(-self.threads // WARP) * WARP
        self.shared_limit = kernel.shared_size + launch.dynamic_shared
        self.shared_size = -(-self.shared_limit // 16) * 16
        self.local_size = kernel.local_size
        self.places: dict[str, Array] = {}
        self.steps = 0
        self.executed = 0
        """Blocks of instructions that have run."""
        self.copies: Any = None
        self.phases: Any = None
        self.warpgroups: Any = None
        self.shared_watch: SharedWatch | ClockWatch | None = None
        self.global_watch: GlobalWatch | None = None
        self._storage: dict[int, Array] = {}
        self._shape = (launch.grid, launch.block, launch.dynamic_shared)
        self._resting: Array | None = None
        self._turns: Array | None = None

    def run(self) -> int:
        """Run all blocks; how many instructions that took."""
        x, y, z = self.launch.grid
        total = x * y * z
        at_once = max(1, min(total, self.options.lanes // self.padded))
        if self.checks:
            warps, granule = self.padded // WARP, self.kernel.granules["global"]
            self.global_watch = GlobalWatch(total, warps, granule, self.kernel.synchronises)
        with np.errstate(all="ignore"):
            for first in range(0, total, at_once):
                self._begin(first, min(at_once, total - first))
                self._run()
                for unfinished in (self.phases, self.warpgroups):
                    if unfinished is not None:
                        unfinished.finish()
        if at_once == total and self.padded * total <= _KEPT:
            self.kernel.beginnings.clear()
            self.kernel.beginnings[self._shape, total] = self._first
        return self.steps

    # What instructions ask

    def shared_view(self, dtype: str, width: int) -> Array:
        """The shared memory of all blocks as elements, or as vectors of them."""
        return self._view("shared", self._shared, dtype, width)

    def local_view(self, dtype: str, width: int) -> Array:
        """The local memory of all threads as elements, or as vectors of them."""
        return self._view("local", self._local, dtype, width)

    def _view(self, what: str, data: Array, dtype: str, width: int) -> Array:
        key = (what, dtype, width)
        if key not in self._views:
            elements = data.view(dtype)
            self._views[key] = elements if width == 1 else elements.reshape(-1, width)
        return self._views[key]

    def draw_turns(self, count: int) -> Array:
        """In which order the threads of the next atomic instruction have their turn, one after the other."""
        self._turns = self.random.permutation(count)
        return self._turns

    def take_turns(self, count: int) -> Array:
        """The order that was drawn, or a new one."""
        turns, self._turns = self._turns, None
        return self.random.permutation(count) if turns is None or turns.size != count else turns

    def alive(self) -> Array:
        """Which threads have not ended."""
        alive: Array = self.pc != ENDED
        return alive

    # Calls of functions

    def push(self, frame: Frame, entry: int, following: int) -> None:
        """Remember where threads go on after a call, and what the function must not change."""
        lanes = frame.thread_numbers()
        depths = self.depth[lanes]
        kept = self.kernel.recursive.get(entry)
        for depth in np.unique(depths).tolist():
            while len(self.stack) <= depth:
                if len(self.stack) == 1024:
                    raise Fault("a stack of more than 1024 calls", "CUDA_ERROR_LAUNCH_FAILED")
                self.stack.append(np.full(self.pc.size, ENDED, np.int32))
                self.saved.append({})
            here = depths == depth
            self.stack[depth][lanes[here]] = following
            if kept:
                frame.gather(kept)
                for register in kept:
                    base = frame.bases[register.index]
                    if register not in self.saved[depth]:
                        self.saved[depth][register] = np.zeros(self.pc.size, base.dtype)
                    self.saved[depth][register][lanes[here]] = base[here]
        self.depth[lanes] += 1

    def pop(self, frame: Frame) -> int | Array:
        """Where threads go on after a call."""
        lanes = frame.thread_numbers()
        self.depth[lanes] -= 1
        depths = self.depth[lanes]
        back = np.empty(frame.count, np.int32)
        for depth in np.unique(depths).tolist():
            here = depths == depth
            back[here] = self.stack[depth][lanes[here]]
            kept = list(self.saved[depth])
            if kept:
                frame.gather(kept)
                frame.dirty.update(kept)
                for register in kept:
                    frame.bases[register.index][here] = self.saved[depth][register][lanes[here]]
        first = int(back[0])
        return first if (back == first).all() else back

    # The beginning of a part of the grid

    def _begin(self, first: int, rows: int) -> None:
        lanes = rows * self.padded
        self.rows = rows
        kept = self.kernel.beginnings.pop((self._shape, rows), None)
        beginning = self._first = kept or self._beginning(first, rows)
        self.places = beginning.places
        row, thread = self.places["row"], self.places["thread"]
        self._views: dict[tuple[str, str, int], Array] = {}
        self._shared = np.full(-(-rows * self.shared_size // 16) * 16, 0xCB, np.uint8)
        self._local = np.full(-(-lanes * self.local_size // 16) * 16, 0xCB, np.uint8)
        self.shared_watch = None
        if self.global_watch is not None:
            self.global_watch.begin(row, self.places["warp"])
        if self.checks and self.shared_size:
            warps, granule = self.places["warp"], self.kernel.granules["shared"]
            watch = ClockWatch if self.kernel.has_mbarriers else SharedWatch
            self.shared_watch = watch(row, warps, self.shared_size, granule)
        self.pc = np.where(thread < self.threads, 0, ENDED).astype(np.int32)
        self.waits = np.zeros(lanes, np.int32)
        """0, or one more than the number of the barrier where a thread waits."""
        self.expected = np.zeros(lanes, np.int32)
        self.arrived: dict[tuple[int, int], int] = {}
        self.barrier_texts: dict[int, str] = {}
        self.depth = np.zeros(lanes, np.int32)
        self.stack: list[Array] = []
        self.saved: list[dict[Register, Array]] = []
        self.whole = Frame(self, None, None, lanes, self.template)
        self.whole.values, self.whole.bases = beginning.values, beginning.bases
        self.copies = self.phases = self.warpgroups = None

    def _beginning(self, first: int, rows: int) -> Beginning:
        """Threads that have not run yet; what is in registers before they are written is not defined."""
        lanes = rows * self.padded
        lane = np.arange(lanes)
        thread, row = lane % self.padded, lane // self.padded
        places: dict[str, Array] = {
            "lane": lane,
            "row": row,
            "block": row + first,
            "thread": thread,
            "warp": (thread // WARP).astype(np.int32),
            "shared": row * self.shared_size,
        }
        frame = Frame(self, None, None, lanes, self.template)
        for register in self.kernel.layout.registers.values():
            if register.index not in self._storage or self._storage[register.index].size < lanes:
                self._storage[register.index] = np.zeros(lanes, register.dtype)
            frame.hold(register, self._storage[register.index][:lanes])
        self._fill_special(frame, places)
        return Beginning(places, frame.values, frame.bases)

    def _fill_special(self, frame: Frame, places: dict[str, Array]) -> None:
        """Tell threads where they are."""
        thread, block = places["thread"], places["block"]
        values: dict[str, Any] = {}
        for name, extents, number in (("tid", self.launch.block, thread), ("ctaid", self.launch.grid, block)):
            values[f"%{name}.x"] = number % extents[0]
            values[f"%{name}.y"] = number // extents[0] % extents[1]
            values[f"%{name}.z"] = number // (extents[0] * extents[1])
        for axis, extent, blocks in zip("xyz", self.launch.block, self.launch.grid, strict=True):
            values[f"%ntid.{axis}"] = extent
            values[f"%nctaid.{axis}"] = values[f"%nclusterid.{axis}"] = blocks
            values[f"%clusterid.{axis}"] = values[f"%ctaid.{axis}"]
            values[f"%cluster_ctaid.{axis}"], values[f"%cluster_nctaid.{axis}"] = 0, 1
        lane = thread % WARP
        one = np.int64(1)
        values |= {
            "%laneid": lane,
            "%warpid": thread // WARP,
            "%nwarpid": self.padded // WARP,
            "%cluster_nctarank": 1,
            "%smid": block % 132,
            "%nsmid": 132,
            "%lanemask_eq": one << lane,
            "%lanemask_lt": (one << lane) - 1,
            "%lanemask_le": (one << lane + 1) - 1,
            "%lanemask_gt": 0xFFFFFFFF & ~((one << lane + 1) - 1),
            "%lanemask_ge": 0xFFFFFFFF & ~((one << lane) - 1),
            "%dynamic_smem_size": self.launch.dynamic_shared,
            "%total_smem_size": self.shared_limit,
        }
        for name, value in values.items():
            if name in self.kernel.layout.registers:
                register = self.kernel.layout.registers[name]
                np.copyto(frame.bases[register.index], value, casting="unsafe")

    # Which threads run

    def _run(self) -> None:
        next_turn = self.executed + _PATIENCE
        while True:
            can = (self.pc != ENDED) & (self.waits == 0)
            if not can.any():
                if not self._release():
                    break
                continue
            if self._resting is not None:
                can = self._without_resting(can)
            current = int(np.where(can, self.pc, _NEVER).min())
            if self.executed >= next_turn:
                next_turn = self.executed + _PATIENCE
                self._release()
                can = (self.pc != ENDED) & (self.waits == 0)
                ways = np.unique(self.pc[can])
                free = [way for way in ways if not self.kernel.blocks[way].meets]
                current = int(self.random.choice(free or ways[:1]))  # who is first waits for the warp anyway
            chosen = can & (self.pc == current)
            others = can & ~chosen
            behind = int(np.where(others, self.pc, _NEVER).min())
            alone = np.count_nonzero(chosen) == np.count_nonzero(self.pc != ENDED)
            if chosen.all():
                frame = self.whole
            else:
                positions = np.flatnonzero(chosen)
                frame = Frame(self, self.whole, positions, positions.size, self.template)
            self._run_frame(frame, current, behind, alone, next_turn)

    def _without_resting(self, can: Any) -> Any:
        """The threads that have not looked in vain for what others write since all did, if there are such."""
        active = can.copy()
        active[self._resting] = False
        if active.any():
            return active
        self._resting = None
        self._release()  # those others may wait at a barrier
        return (self.pc != ENDED) & (self.waits == 0)

    def _run_frame(self, frame: Frame, current: int, behind: int, alone: bool, turn: int) -> None:
        """Run threads until they part, wait, end, or come to where others are."""
        blocks = self.kernel.blocks
        part = frame.lanes is not None
        while True:
            block = blocks[current]
            if part:
                _prepare(frame, block)
            for step in block.steps:
                step(frame)
            following = block.next(frame)
            self.executed += 1
            self.steps += len(block.steps) + 1
            if self.steps > self.options.limit > 0:
                text = f"{self.kernel.name} has run {self.steps} instructions, and may run forever"
                raise Fault(text, "CUDA_ERROR_LAUNCH_TIMEOUT")
            if isinstance(following, np.ndarray):
                break
            if block.barrier is not None:
                if not (alone and block.barrier.waits and block.barrier.threads in (0, self.threads)):
                    self._arrive(frame, block.barrier)
                    break
                self._next_interval(slice(None))
            if (
                following == ENDED
                or following >= behind
                or (not alone and self._must_stop(current, following, turn))
            ):
                break
            current = following
        lanes = frame.thread_numbers()
        self.pc[lanes] = following
        if not alone:
            back = lanes[np.broadcast_to((following >= 0) & (following <= current), lanes.shape)]
            if back.size and self._looks_for_others(int(self.pc[back].min()), current):
                self._resting = back if self._resting is None else np.union1d(self._resting, back)
        if part:
            frame.give_back(frame.dirty)

    def _must_stop(self, current: int, following: int, turn: int) -> bool:
        """Whether others have a turn: after some time, and in loops that look for what others write."""
        return self.executed >= turn or (following <= current and self._looks_for_others(following, current))

    def _looks_for_others(self, first: int, last: int) -> bool:
        return any(block.polls for block in self.kernel.blocks[first : last + 1])

    # Barriers

    def _next_interval(self, rows: Any) -> None:
        for watch in (self.shared_watch, self.global_watch):
            if watch is not None:
                watch.next_interval(rows)

    def _arrive(self, frame: Frame, barrier: Barrier) -> None:
        lanes = frame.thread_numbers()
        self.barrier_texts[barrier.number] = barrier.text
        if barrier.waits:
            self.waits[lanes] = barrier.number + 1
            self.expected[lanes] = barrier.threads
            return
        for row, count in zip(*np.unique(frame.place("row"), return_counts=True), strict=True):
            key = (int(row), barrier.number)
            self.arrived[key] = self.arrived.get(key, 0) + int(count)

    def _release(self) -> bool:
        """Let threads go on that have all come to their barrier; False if all threads have ended."""
        alive = (self.pc != ENDED).reshape(self.rows, self.padded)
        if not alive.any():
            return False
        waits = self.waits.reshape(self.rows, self.padded)
        pc = self.pc.reshape(self.rows, self.padded)
        everyone = (alive <= (waits > 0)).all(1) & alive.any(1)
        number = np.where(alive, waits, 0).max(1)
        same = (~alive | (waits == number[:, None])).all(1)
        together = (~alive | (pc == np.where(alive, pc, -1).max(1)[:, None])).all(1)
        counts = self.expected.reshape(self.rows, self.padded).max(1)
        ready = everyone & same & together & ((counts == 0) | (counts == self.threads))
        released = bool(ready.any())
        if released:
            waits[ready] = 0
            self.expected.reshape(self.rows, self.padded)[ready] = 0
            self._next_interval(ready)
        for row in np.flatnonzero(alive.any(1) & ~ready):
            released |= self._release_some(int(row), waits[row], alive[row])
        stuck = ((pc != ENDED) & (waits == 0)).any()
        if not released and not stuck:
            first = int(np.flatnonzero(alive.any(1))[0])
            texts = " and ".join(
                sorted({self.barrier_texts[int(n) - 1] for n in np.unique(waits[first][alive[first]])})
            )
            block = int(self.places["block"][first * self.padded])
            raise Fault(
                f"threads of block {block} wait at different barriers, or for threads that do not come: {texts}",
                "CUDA_ERROR_LAUNCH_TIMEOUT",
            )
        return True

    def _release_some(self, row: int, waits: Array, alive: Array) -> bool:
        """Barriers of a block that a number of threads take part in."""
        released = False
        expected = self.expected.reshape(self.rows, self.padded)[row]
        for number in np.unique(waits[alive & (waits > 0)]).tolist():
            here = alive & (waits == number)
            wanted = int(expected[here].max())
            arrived = self.arrived.get((row, number - 1), 0)
            if wanted and int(here.sum()) + arrived >= wanted:
                waits[here] = 0
                expected[here] = 0
                self.arrived.pop((row, number - 1), None)
                self._next_interval(row)
                released = True
        return released


def _prepare(frame: Frame, block: Block) -> None:
    """Take what a block of instructions needs from all threads' registers."""
    frame.gather(block.reads)
    for register in block.fresh:
        if register.index not in frame.bases:
            frame.hold(register, np.empty(frame.count, register.dtype))
    frame.dirty |= block.writes


__all__ = ["Launch", "Machine", "Options"]
