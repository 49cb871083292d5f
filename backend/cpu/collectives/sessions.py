"""What native code has of ranks that are threads of this process, as objects of Python: see `meetings.py`."""

from __future__ import annotations

import contextlib
import ctypes
import weakref
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from ....dialect.callbacks import COLLECTIVE
from ....dialect.collective_words import Word, collective_of, described, group_key, operand_of
from ....dialect.collectives import Collective, on_change
from ....dialect.records import NamedTuple
from ..native_python.layout import WORD
from .library import linked_function
from .table import Chair, Given, Meeting, Seat, Session

if TYPE_CHECKING:
    from ....dialect.op import Array
    from ....dialect.types import TensorType

_WORD = ctypes.c_int64


class Asked(NamedTuple):
    """What a rank has come to do, and what it has: None where that is on a device."""

    collective: Collective
    kind: TensorType
    array: Array | None


class NativeSession:
    """Ranks that meet."""

    def __init__(self, count: int) -> None:
        _unseat_on_change()
        self._end = linked_function("weft_session_end", _WORD, _WORD)
        self._fail = linked_function("weft_session_fail", None, _WORD)
        self._words = np.zeros(Session.LENGTH // WORD, np.int64)
        self._words[Session.SIZE // WORD] = count
        self.address = _address(self._words)
        self.seats = [NativeSeat(self, rank) for rank in range(count)]
        self._groups: dict[tuple[int, ...], Array] = {}
        weakref.finalize(self, _clear, self._groups).atexit = False  # ranks may be left behind then

    def group(self, ranks: tuple[int, ...]) -> int:
        """The address of what a group of ranks meets at."""
        return _address(self._groups.setdefault(ranks, np.zeros(1, np.int64)))

    def end(self) -> bool:
        """Say that a rank takes part no more; whether all others wait for somebody."""
        return bool(self._end(self.address))

    def fail(self) -> None:
        """Let all end who wait, or come from now on."""
        self._fail(self.address)


def _clear(groups: dict[tuple[int, ...], Array]) -> None:
    clear = linked_function("weft_session_clear", None, _WORD)
    for group in groups.values():
        clear(_address(group))


@cache
def _unseat_on_change() -> None:
    """A thread that becomes another rank, or none, has no seat until it takes one."""
    sit = linked_function("weft_session_sit", None, _WORD)
    on_change.append(lambda: sit(0))


@contextlib.contextmanager
def _standing_still() -> Iterator[None]:
    """No rank comes or leaves meanwhile."""
    linked_function("weft_session_lock", None)()
    try:
        yield
    finally:
        linked_function("weft_session_unlock", None)()


class NativeSeat:
    """One of the ranks."""

    def __init__(self, session: NativeSession, rank: int) -> None:
        self._session, self._rank = session, rank
        self._perform = linked_function(COLLECTIVE, _WORD, _WORD)
        self._come = linked_function("weft_session_come", _WORD, _WORD, _WORD)
        self._finish = linked_function("weft_session_finish", None, _WORD, _WORD, _WORD)
        self._leave = linked_function("weft_session_leave", None, _WORD)
        self._sit = linked_function("weft_session_sit", None, _WORD)
        self._words = np.zeros(Seat.LENGTH // WORD, np.int64)
        self._words[Seat.SESSION // WORD] = session.address
        self._address = _address(self._words)
        self._chairs = np.zeros((0, Chair.LENGTH // WORD), np.int64)
        self._known: set[str] = set()
        self._counts: dict[tuple[int, ...], Array] = {}

    def sit(self) -> None:
        """Let this thread be the rank."""
        self._sit(self._address)

    def knows(self, over: str) -> bool:
        """Whether native code knows the group of the rank over some axes."""
        return over in self._known

    def join(self, over: str, group: tuple[int, ...]) -> None:
        """Tell it."""
        self._known.add(over)
        counts = self._counts.setdefault(group, np.zeros(1, np.int64))
        chair = np.zeros((1, Chair.LENGTH // WORD), np.int64)
        chair[0] = (
            group_key(over),
            self._session.group(group),
            group.index(self._rank),
            len(group),
            _address(counts),
        )
        self._chairs = np.concatenate([self._chairs, chair])
        self._words[Seat.CHAIRS // WORD] = _address(self._chairs)
        self._words[Seat.CHAIR_COUNT // WORD] = len(self._chairs)

    def perform(
        self, collective: Collective, kind: TensorType, x: Array | None, result: Array | None
    ) -> bool:
        """Do what ranks do together; False where something is left to Python."""
        return not _called(self._perform, collective, kind, x, result)

    def come(self, collective: Collective, kind: TensorType, x: Array) -> int:
        """Take part without waiting for the others: the meeting; 0 where something is left to Python."""
        return _called(partial(self._come, self._address), collective, kind, x, None)

    def finish(self, over: str, meeting: int) -> None:
        """Wait until all are at a meeting; the result is left to Python."""
        self._finish(self._address, group_key(over), meeting)

    def leave(self, meeting: int) -> None:
        """Say that nothing more is needed of it."""
        self._leave(meeting)

    @property
    def has_left(self) -> bool:
        """Whether something is left to Python."""
        return bool(self._words[Seat.REASON // WORD])

    def take_left(self) -> tuple[int, int, int]:
        """Why something is left to Python, of which meeting, and the place there of whom it is about."""
        words = self._words[Seat.REASON // WORD : Seat.OTHER // WORD + 1]
        reason, meeting, other = map(int, words)
        words[:] = 0
        return reason, meeting, other

    @property
    def comes(self) -> int:
        """How often the rank has come to a meeting."""
        return int(self._words[Seat.COMES // WORD])

    def waits_for(self) -> Collective | None:
        """For what the rank waits."""
        with _standing_still():
            given = int(self._words[Seat.WAITS // WORD])
            return _asked(given).collective if given else None


def _called(
    function: Callable[[int], int],
    collective: Collective,
    kind: TensorType,
    x: Array | None,
    result: Array | None,
) -> int:
    """Call native code with the words for a collective."""
    count = np.array([-1 if x is None else x.size])
    nothing = np.zeros(0)
    given = (nothing if x is None else np.asarray(x, order="C"), nothing if result is None else result)
    kept = (described(collective, kind, 3), count, *given)
    words = np.array(list(map(_address, kept)))
    return int(function(_address(words)))


def _address(array: Array) -> int:
    found: int = array.__array_interface__["data"][0]  # which takes a tenth of the time of array.ctypes
    return found


def asked_at(meeting: int) -> list[Asked | None]:
    """By their places what those ask for who are at a meeting; it ends no sooner than the rank that looks leaves it."""
    with _standing_still():
        size = _word(meeting + Meeting.SIZE)
        places = [_word(meeting + Meeting.GIVEN + place * WORD) for place in range(size)]
        return [_asked(given) if given else None for given in places]


def _asked(given: int) -> Asked:
    words = ctypes.string_at(given + Given.DESCRIPTION, _word(given + Given.LENGTH))
    first = Word.EXTENTS * WORD
    extents = np.frombuffer(
        words[first : first + _word(given + Given.DESCRIPTION + Word.AXES * WORD) * WORD], np.int64
    )
    kind, data = operand_of(words, extents.tolist()), _word(given + Given.DATA)
    array = None
    if data:
        array = np.frombuffer(ctypes.string_at(data, _word(given + Given.BYTES)), kind.dtype)
        array = array.reshape(extents if array.size == np.prod(extents) else -1)
    return Asked(collective_of(words), kind, array)


def _word(address: int) -> int:
    return _WORD.from_address(address).value
