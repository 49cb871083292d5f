"""Prefixes: what the elements of a block of threads up to each one are together, in their order.

No number changes nothing of every kind (a sum that begins with zero loses the sign of one), so that none is needed: a
thread combines what it has with what is before it only where there is something.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....dialect.mlir import Value
from ....dialect.records import dataclass
from ...nests.emit import create, load, store
from .control import compare, only_if
from .kernel import Kernel
from .reduce import WARP, shuffle

Join = Callable[[Value, Value], Value]
"""Two neighbouring stretches of elements as one."""


@dataclass
class Prefix:
    """What all elements before some are together, if there are any."""

    value: Value
    is_there: Value


class BlockScan:
    """The prefixes of the elements that the threads of a block have."""

    def __init__(self, kernel: Kernel, threads: int, join: Join) -> None:
        self._kernel, self._emitter, self._join = kernel, kernel.emitter, join
        self._warps = threads // WARP
        self._shared: Value | None = None
        thread = kernel.id("thread_id")
        warp = self._emitter.value(WARP)
        self._lane = create("arith.remui", [thread.type], [thread, warp])
        self._warp = create("arith.divui", [thread.type], [thread, warp])

    def scan(self, values: Sequence[Value], before: Prefix) -> tuple[list[Value], Value]:
        """For each element of a thread what it and all before it are together; and what all of them are.

        All threads of the block take part; `values` are neighbours, behind those of the thread before.
        """
        own = [values[0]]
        for value in values[1:]:
            own.append(self._join(own[-1], value))
        within = self._scan_warp(own[-1])
        shares = self._shares(within)
        sums = [shares[0]]
        for share in shares[1:]:
            sums.append(self._join(sums[-1], share))
        prefix = self._before_thread(within, sums, before)
        total = self._behind(before, sums[-1])
        return [self._behind(prefix, value) for value in own], total

    def _scan_warp(self, value: Value) -> Value:
        distance = 1
        while distance < WARP:
            other = shuffle(value, distance, "up")
            has = compare("uge", self._lane, self._emitter.value(distance))
            value = _select(has, self._join(other, value), value)
            distance *= 2
        return value

    def _shares(self, within: Value) -> list[Value]:
        """What each warp has."""
        kernel, emitter = self._kernel, self._emitter
        if self._shared is None:
            self._shared = kernel.shared([self._warps], within.type)
        with only_if(compare("eq", self._lane, emitter.value(WARP - 1))):
            store(within, self._shared, [self._warp])
        kernel.barrier()
        shares = [load(self._shared, [emitter.value(warp)]) for warp in range(self._warps)]
        kernel.barrier()  # before they are written again
        return shares

    def _before_thread(self, within: Value, sums: list[Value], before: Prefix) -> Prefix:
        """What is before the elements of a thread: in its warp, in warps before, and before the block."""
        emitter = self._emitter
        warps = sums[0]
        for warp, share in enumerate(sums[1:-1], 1):
            warps = _select(compare("ugt", self._warp, emitter.value(warp)), share, warps)
        has_warps = compare("ugt", self._warp, emitter.value(0))
        has_lanes = compare("ugt", self._lane, emitter.value(0))
        lanes = shuffle(within, 1, "up")
        with_warps = self._behind(Prefix(warps, has_warps), lanes)
        inside = _select(has_lanes, with_warps, warps)
        has_inside = _either(has_warps, has_lanes)
        prefix = _select(has_inside, self._behind(before, inside), before.value)
        return Prefix(prefix, _either(has_inside, before.is_there))

    def _behind(self, prefix: Prefix, value: Value) -> Value:
        """A stretch with what is before it."""
        return _select(prefix.is_there, self._join(prefix.value, value), value)


def _select(condition: Value, value: Value, otherwise: Value) -> Value:
    return create("arith.select", [value.type], [condition, value, otherwise])


def _either(left: Value, right: Value) -> Value:
    return create("arith.ori", [left.type], [left, right])
