"""Prefixes: what the elements of a block of threads up to each one are together, in their order.

No number changes nothing of every kind (a sum that begins with zero loses the sign of one), so that none is needed: a
thread combines what it has with what is before it only where there is something. An element may be several numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ....dialect.mlir import Value
from ....dialect.records import dataclass
from ...nests.emit import create, load, store
from .control import compare, only_if
from .kernel import Kernel
from .reduce import WARP, shuffle

Numbers: TypeAlias = "Sequence[Value]"
"""An element, or what a stretch of elements is together."""
Join = Callable[[Numbers, Numbers], Numbers]
"""Two neighbouring stretches of elements as one."""


def of_one(join: Callable[[Value, Value], Value]) -> Join:
    """How elements that are one number each are joined."""
    return lambda left, right: [join(left[0], right[0])]


@dataclass
class Prefix:
    """What all elements before some are together, if there are any."""

    numbers: Numbers
    is_there: Value


class BlockScan:
    """The prefixes of the elements that the threads of a block have."""

    def __init__(self, kernel: Kernel, threads: int, join: Join) -> None:
        self._kernel, self._emitter, self._join = kernel, kernel.emitter, join
        self._warps = threads // WARP
        self._shared: list[Value] = []
        thread = kernel.id("thread_id")
        warp = self._emitter.value(WARP)
        self._lane = create("arith.remui", [thread.type], [thread, warp])
        self._warp = create("arith.divui", [thread.type], [thread, warp])

    def scan(self, elements: Sequence[Numbers], before: Prefix) -> tuple[list[Numbers], Numbers]:
        """For each element of a thread what it and all before it are together; and what all of them are.

        All threads of the block take part; `elements` are neighbours, behind those of the thread before.
        """
        own = [elements[0]]
        for element in elements[1:]:
            own.append(self._join(own[-1], element))
        prefix, total = self.before_threads(own[-1], before)
        return [self._behind(prefix, numbers) for numbers in own], total

    def before_threads(self, own: Numbers, before: Prefix) -> tuple[Prefix, Numbers]:
        """What is before what a thread has; and what all threads have together."""
        within = self._scan_warp(own)
        shares = self._shares(within)
        sums = [shares[0]]
        for share in shares[1:]:
            sums.append(self._join(sums[-1], share))
        return self._before_thread(within, sums, before), self._behind(before, sums[-1])

    def _scan_warp(self, numbers: Numbers) -> Numbers:
        distance = 1
        while distance < WARP:
            other = _shuffled(numbers, distance)
            has = compare("uge", self._lane, self._emitter.value(distance))
            numbers = _select(has, self._join(other, numbers), numbers)
            distance *= 2
        return numbers

    def _shares(self, within: Numbers) -> list[Numbers]:
        """What each warp has."""
        kernel, emitter = self._kernel, self._emitter
        if not self._shared:
            self._shared = [kernel.shared([self._warps], number.type) for number in within]
        with only_if(compare("eq", self._lane, emitter.value(WARP - 1))):
            for number, memory in zip(within, self._shared, strict=True):
                store(number, memory, [self._warp])
        kernel.barrier()
        warps = [emitter.value(warp) for warp in range(self._warps)]
        shares: list[Numbers] = [[load(memory, [warp]) for memory in self._shared] for warp in warps]
        kernel.barrier()  # before they are written again
        return shares

    def _before_thread(self, within: Numbers, sums: list[Numbers], before: Prefix) -> Prefix:
        """What is before the elements of a thread: in its warp, in warps before, and before the block."""
        emitter = self._emitter
        warps = sums[0]
        for warp, share in enumerate(sums[1:-1], 1):
            warps = _select(compare("ugt", self._warp, emitter.value(warp)), share, warps)
        has_warps = compare("ugt", self._warp, emitter.value(0))
        has_lanes = compare("ugt", self._lane, emitter.value(0))
        with_warps = self._behind(Prefix(warps, has_warps), _shuffled(within, 1))
        inside = _select(has_lanes, with_warps, warps)
        has_inside = _either(has_warps, has_lanes)
        prefix = _select(has_inside, self._behind(before, inside), before.numbers)
        return Prefix(prefix, _either(has_inside, before.is_there))

    def _behind(self, prefix: Prefix, numbers: Numbers) -> Numbers:
        """A stretch with what is before it."""
        return _select(prefix.is_there, self._join(prefix.numbers, numbers), numbers)


def _shuffled(numbers: Numbers, distance: int) -> Numbers:
    """What the thread so many lanes before has."""
    return [shuffle(number, distance, "up") for number in numbers]


def _select(condition: Value, numbers: Numbers, otherwise: Numbers) -> Numbers:
    pairs = zip(numbers, otherwise, strict=True)
    return [create("arith.select", [one.type], [condition, one, other]) for one, other in pairs]


def _either(left: Value, right: Value) -> Value:
    return create("arith.ori", [left.type], [left, right])
