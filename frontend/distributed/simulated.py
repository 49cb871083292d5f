"""Ranks as threads of one process, which meet in native code for what they do together.

What would hang with processes is found out: ranks that wait for one that has returned or raised, or for each other.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.cpu.collectives.sessions import NativeSession, asked_at
from ...backend.cpu.collectives.table import Reason
from ...dialect.collectives import Collective, Started, being, result_of
from ...dialect.errors import CommunicationError, DeadlockError, InternalError, RemoteError
from ...dialect.types import type_of
from ..settings import settings
from .axes import Axes
from .places import eager_place, shown, waits, waits_too_long

if TYPE_CHECKING:
    from ...dialect.op import Array
    from ...dialect.types import TensorType

_STEP = 0.05
"""Seconds between two looks of the thread that waits for the ranks, for Ctrl-C, and at how long they wait."""
_PATIENCE = 2.0
"""Seconds that ranks have to find out that the others have given up, before they are left behind."""


class Session:
    """One run of a function on all ranks."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.failure: CommunicationError | None = None
        """What all ranks are told that come to do something together."""
        self.error: BaseException | None = None
        """What the first rank has raised that failed."""
        self.native = NativeSession(axes.size)
        self._lock = threading.Lock()
        self._returned: list[int] = []

    def run(self, function: Callable[..., Any], args_of_rank: Callable[[int], Sequence[Any]]) -> list[Any]:
        """Call the function on every rank; returns what it returns, by rank, or raises what the first one raised."""
        results: list[Any] = [None] * self.axes.size

        def run_rank(rank: int) -> None:
            try:
                with being(Seat(self, rank)):
                    results[rank] = function(*args_of_rank(rank))
            except BaseException as error:
                self._failed(rank, error)
            else:
                self._returned.append(rank)
                if self.native.end():
                    self.fail_stuck()

        threads = [
            threading.Thread(
                target=contextvars.copy_context().run, args=(run_rank, rank), name=f"rank {rank}", daemon=True
            )
            for rank in range(self.axes.size)
        ]
        watch = _Watch(self)
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(_STEP)
                    watch.look()
        except BaseException as error:
            self._interrupted(error, threads)
            raise
        if self.error is not None:
            raise self.error
        return results

    def require_whole(self) -> None:
        """Raise what has happened to the others."""
        failure = self.failure
        if failure is not None:
            if isinstance(failure, RemoteError):
                raise RemoteError(str(failure), failure.rank) from self.error
            raise type(failure)(str(failure))

    def fail(self, failure: CommunicationError) -> None:
        """Tell all ranks, if they have not been told something before."""
        with self._lock:
            self.failure = self.failure or failure
        self.native.fail()

    def fail_stuck(self) -> None:
        """Nobody is left who could go on."""
        waiting = [(rank, seat.waits_for()) for rank, seat in enumerate(self.native.seats)]
        stuck = [waits(rank, collective) for rank, collective in waiting if collective is not None]
        over = [f"rank {rank} returned" for rank in sorted(self._returned)]
        self.fail(DeadlockError(f"nobody is left for whom ranks wait: {', '.join([*stuck, *over])}"))

    def fail_different(self, rank: int, meeting: int, place: int) -> None:
        """Another rank does something else."""
        asked = asked_at(meeting)
        group = next(self.axes.group(rank, each.collective.over) for each in asked if each is not None)
        both = sorted({place, group.index(rank)})
        about = "; ".join(shown(group[k], *each[:2]) for k in both if (each := asked[k]) is not None)
        self.fail(CommunicationError(f"ranks do different things at the same time: {about}"))

    def _failed(self, rank: int, error: BaseException) -> None:
        with self._lock:
            if self.error is None or (
                isinstance(self.error, RemoteError) and not isinstance(error, RemoteError)
            ):
                self.error = error
        self.fail(RemoteError(f"rank {rank} raised {type(error).__name__}: {error}", rank))

    def _interrupted(self, error: BaseException, threads: Sequence[threading.Thread]) -> None:
        """The thread that waits for the ranks was interrupted: they end, too."""
        self.fail(CommunicationError(f"the run was ended by {type(error).__name__}"))
        for thread in threads:
            if thread.ident is not None:
                thread.join(_PATIENCE)


class _Watch:
    """How long ranks have waited."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._since: dict[tuple[int, int], float] = {}

    def look(self) -> None:
        """Raise CommunicationError where one waits for longer than it is to."""
        if settings.collective_timeout <= 0:
            return
        now, seen = time.monotonic(), {}
        for rank, seat in enumerate(self._session.native.seats):
            collective, key = seat.waits_for(), (rank, seat.comes)
            if collective is None:
                continue
            seen[key] = self._since.get(key, now)
            if now - seen[key] > settings.collective_timeout:
                failure = waits_too_long(rank, collective)
                self._session.fail(failure)
                raise failure
        self._since = seen


class Seat:
    """One rank of a run."""

    asks = True

    def __init__(self, session: Session, rank: int) -> None:
        self._session, self._native = session, session.native.seats[rank]
        self._started = Started()
        self.rank = rank
        self.kept: dict[Any, Any] = {}

    def place_in(self, over: str) -> tuple[int, int]:
        """The number of the rank in its group, and how many are there."""
        return self._session.axes.place_in(self.rank, over)

    def perform(self, collective: Collective, x: Array) -> Array:
        """Do something with the others."""
        return self.exchange(collective if collective.place else collective._replace(place=eager_place()), x)

    def agree(self, collective: Collective, kind: TensorType) -> bool:
        """Meet the others without an array of the host."""
        self._take_seat(collective)
        self._native.perform(collective, kind, None, None)
        return all(array is None for array in self._left())

    def exchange(self, collective: Collective, x: Array) -> Array:
        """Meet the others, once more where some have asked whether all are on devices."""
        place, count = self.place_in(collective.over)
        while True:
            if not self._native.has_left:
                self._take_seat(collective)
                made = _room_for(collective, x, count)
                if self._native.perform(collective, type_of(x), x, made):
                    return made
            arrays = [array for array in self._left() if array is not None]
            if len(arrays) == count:
                return result_of(collective.waited_for, arrays, place)

    def start(self, collective: Collective, x: Array) -> int:
        """Say what it has, and go on."""
        if not self._native.has_left:
            self._take_seat(collective)
            meeting = self._native.come(collective, type_of(x), x)
            if meeting:
                return self._started.add(lambda: self._received(collective, meeting))
        self._left()
        raise InternalError(f"rank {self.rank} has begun {collective}, and does not know how to go on")

    def finish(self, collective: Collective, number: int) -> Array:
        """Wait for the others: behind what was begun here, or at a meeting of native code."""
        return self._started.finish(number) if number & 1 else self._received(collective, number - 2)

    def _received(self, collective: Collective, meeting: int) -> Array:
        if not self._native.has_left:
            self._take_seat(collective)
            self._native.finish(collective.over, meeting)
        place, count = self.place_in(collective.over)
        asked = asked_at(meeting)[place]
        given = [array for array in self._left() if array is not None]
        assert asked is not None
        assert asked.array is not None
        if len(given) < count:  # some have asked whether all are on devices
            return self.exchange(asked.collective, asked.array)
        return result_of(asked.collective.waited_for, given, place)

    def watch(self, collective: Collective, is_done: Callable[[], bool]) -> None:
        """What a device does is not looked at."""

    def leave(self, error: BaseException | None) -> None:
        """The run tells the others."""

    def _take_seat(self, collective: Collective) -> None:
        """Let native code know this thread, and the group that is to meet."""
        if not self._native.knows(collective.over):
            group = self._session.axes.group(self.rank, collective.over)
            self._native.join(collective.over, group)
        self._native.sit()

    def _left(self) -> list[Array | None]:
        """What all have given, where native code leaves a meeting to Python; raises what went wrong."""
        reason, meeting, place = self._native.take_left()
        if reason == Reason.COMPUTE:
            arrays = [None if each is None else each.array for each in asked_at(meeting)]
            self._native.leave(meeting)
            return arrays
        if reason == Reason.DIFFERENT:
            self._session.fail_different(self.rank, meeting, place)
        elif reason == Reason.STUCK:
            self._session.fail_stuck()
        self._session.require_whole()
        raise MemoryError("there is no memory for what ranks send each other")


def _room_for(collective: Collective, x: Array, count: int) -> Array:
    """An array for what a rank gets; its own where that is what it has."""
    shape = {"all_gather": (count, *x.shape), "reduce_scatter": x.shape[1:]}.get(collective.kind, x.shape)
    made: Array = x.copy() if collective.kind in ("barrier", "require_same") else np.empty(shape, x.dtype)
    return made
