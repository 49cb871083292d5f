"""Ranks as threads of one process, which meet for what they do together.

What would hang with processes is found out: ranks that wait for one that has returned or raised, or for each other.
"""

from __future__ import annotations

import contextvars
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...dialect.collectives import Collective, Started, being, result_of
from ...dialect.errors import CommunicationError, DeadlockError, RemoteError
from ...dialect.records import dataclass
from ...dialect.types import type_of
from .axes import Axes
from .places import eager_place, shown, waits

if TYPE_CHECKING:
    from ...dialect.op import Array
    from ...dialect.types import TensorType

_STEP = 0.05
"""Seconds between two looks of a thread that waits for others, for Ctrl-C."""
_PATIENCE = 2.0
"""Seconds that ranks have to find out that the others have given up, before they are left behind."""


class _Meeting:
    """What the ranks of a group do together once."""

    def __init__(self, group: tuple[int, ...]) -> None:
        self.group = group
        self.given: dict[int, tuple[Collective, TensorType, Array | None]] = {}
        """By rank what it asks for, of arrays of a type, and its own: None where that is on a device."""

    @property
    def is_complete(self) -> bool:
        """Whether all are there."""
        return len(self.given) == len(self.group)


@dataclass
class _State:
    """What a rank does."""

    waits_for: _Meeting | None = None
    is_over: bool = False


class Session:
    """One run of a function on all ranks."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.failure: CommunicationError | None = None
        """What all ranks are told that come to do something together."""
        self.error: BaseException | None = None
        """What the first rank has raised that failed."""
        self._changed = threading.Condition()
        self._states = [_State() for _ in range(axes.size)]
        self._meetings: dict[tuple[tuple[int, ...], int], _Meeting] = {}
        """Those that have begun, by their groups and numbers."""
        self._begun: Counter[tuple[int, tuple[int, ...]]] = Counter()
        """How many meetings of a group a rank has come to."""

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
                self._returned(rank)

        threads = [
            threading.Thread(
                target=contextvars.copy_context().run, args=(run_rank, rank), name=f"rank {rank}", daemon=True
            )
            for rank in range(self.axes.size)
        ]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(_STEP)
        except BaseException as error:
            self._interrupted(error, threads)
            raise
        if self.error is not None:
            raise self.error
        return results

    def come(self, rank: int, collective: Collective, kind: TensorType, x: Array | None) -> _Meeting:
        """Take part in what a group does next, without waiting for the others."""
        group = self.axes.group(rank, collective.over)
        with self._changed:
            self._require_whole()
            key = group, self._begun[rank, group]
            self._begun[rank, group] += 1
            meeting = self._meetings.setdefault(key, _Meeting(group))
            self._require_alike(meeting, rank, collective, kind)
            meeting.given[rank] = (collective, kind, None if x is None else x.copy())
            if meeting.is_complete:
                del self._meetings[key]
                for state in self._states:
                    if state.waits_for is meeting:
                        state.waits_for = None
                self._changed.notify_all()
        return meeting

    def stay(self, rank: int, meeting: _Meeting) -> dict[int, Array | None]:
        """What all ranks of a group have, once they are there."""
        with self._changed:
            if not meeting.is_complete:
                self._states[rank].waits_for = meeting
                self._look_for_deadlock()
                while not meeting.is_complete:
                    self._require_whole()
                    self._changed.wait(_STEP)
        return {other: meeting.given[other][2] for other in meeting.group}

    def _require_whole(self) -> None:
        """Raise what has happened to the others."""
        failure = self.failure
        if failure is not None:
            if isinstance(failure, RemoteError):
                raise RemoteError(str(failure), failure.rank) from self.error
            raise type(failure)(str(failure))

    def _require_alike(self, meeting: _Meeting, rank: int, collective: Collective, kind: TensorType) -> None:
        """Raise CommunicationError, on all ranks, where others do something else."""
        for other, (theirs, known, _) in meeting.given.items():
            if theirs.asked == collective.asked and kind == known:
                continue
            ranks = sorted([(other, theirs, known), (rank, collective, kind)], key=lambda each: each[0])
            about = "; ".join(shown(*each) for each in ranks)
            self._fail(CommunicationError(f"ranks do different things at the same time: {about}"))
            self._require_whole()

    def _look_for_deadlock(self) -> None:
        """Fail where nobody is left who could go on."""
        waiting = [(rank, state.waits_for) for rank, state in enumerate(self._states) if state.waits_for]
        if self.failure is not None or not waiting:
            return
        if all(state.waits_for or state.is_over for state in self._states):
            stuck = [waits(rank, meeting.given[rank][0]) for rank, meeting in waiting]
            over = [f"rank {rank} returned" for rank, state in enumerate(self._states) if state.is_over]
            self._fail(DeadlockError(f"nobody is left for whom ranks wait: {', '.join([*stuck, *over])}"))

    def _fail(self, failure: CommunicationError) -> None:
        """Tell all ranks; with the lock."""
        self.failure = failure
        self._changed.notify_all()

    def _failed(self, rank: int, error: BaseException) -> None:
        with self._changed:
            self._states[rank].is_over = True
            if self.error is None or (
                isinstance(self.error, RemoteError) and not isinstance(error, RemoteError)
            ):
                self.error = error
            if self.failure is None:
                self._fail(RemoteError(f"rank {rank} raised {type(error).__name__}: {error}", rank))

    def _returned(self, rank: int) -> None:
        with self._changed:
            self._states[rank].is_over = True
            self._look_for_deadlock()

    def _interrupted(self, error: BaseException, threads: Sequence[threading.Thread]) -> None:
        """The thread that waits for the ranks was interrupted: they end, too."""
        with self._changed:
            if self.failure is None:
                self._fail(CommunicationError(f"the run was ended by {type(error).__name__}"))
        for thread in threads:
            if thread.ident is not None:
                thread.join(_PATIENCE)


class Seat:
    """One rank of a run."""

    asks = True

    def __init__(self, session: Session, rank: int) -> None:
        self._session = session
        self._started = Started()
        self.rank = rank
        self.kept: dict[Any, Any] = {}

    def place_in(self, over: str) -> tuple[int, int]:
        """The number of the rank in its group, and how many are there."""
        return self._session.axes.place_in(self.rank, over)

    def perform(self, collective: Collective, x: Array) -> Array:
        """Do something with the others."""
        return self.exchange(_placed(collective), x)

    def agree(self, collective: Collective, kind: TensorType) -> bool:
        """Meet the others without an array of the host."""
        meeting = self._session.come(self.rank, collective, kind, None)
        return all(x is None for x in self._session.stay(self.rank, meeting).values())

    def exchange(self, collective: Collective, x: Array) -> Array:
        """Meet the others, once more where some have asked whether all are on devices."""
        while True:
            meeting = self._session.come(self.rank, collective, type_of(x), x)
            given = self._session.stay(self.rank, meeting)
            arrays = [array for array in given.values() if array is not None]
            if len(arrays) == len(given):
                return result_of(collective.waited_for, arrays, list(given).index(self.rank))

    def start(self, collective: Collective, x: Array) -> int:
        """Say what it has, and go on."""
        meeting = self._session.come(self.rank, collective, type_of(x), x)
        return self._started.add(lambda: self._received(meeting))

    def _received(self, meeting: _Meeting) -> Array:
        given, (collective, _, x) = self._session.stay(self.rank, meeting), meeting.given[self.rank]
        arrays = [array for array in given.values() if array is not None]
        assert x is not None
        if len(arrays) < len(given):  # some have asked whether all are on devices
            return self.exchange(collective, x)
        return result_of(collective.waited_for, arrays, list(given).index(self.rank))

    def finish(self, collective: Collective, number: int) -> Array:
        """Wait for the others."""
        return self._started.finish(number)

    def watch(self, collective: Collective, is_done: Callable[[], bool]) -> None:
        """What a device does is not looked at."""

    def leave(self, error: BaseException | None) -> None:
        """The run tells the others."""


def _placed(collective: Collective) -> Collective:
    return collective if collective.place else collective._replace(place=eager_place())


__all__ = ["Seat", "Session"]
