"""Ranks that are threads of this process: where they meet, and what they hand each other. Translated with `native.py`.

A rank comes to a meeting with a copy of what it has, so that it may go on at once where it only begins something; once
all are there, each makes its own result of what all have given. Whoever would wait when all others wait, or have ended,
finds that out. What is left to Python, to compute or to say what went wrong, is noted at the seat of the rank.
"""

from __future__ import annotations

from ....dialect.collective_words import Word
from ..native_python.intrinsics import (
    CFunction,
    Order,
    Static,
    atomic_load,
    atomic_store,
    call_void,
    set_word,
    stack,
    word,
)
from ..native_python.layout import WORD
from ..threads.posix import initialise, lock, unlock, wait, wake_all, yield_processor
from .table import LOOP_COUNT, Asked, Chair, Given, Kind, Meeting, Reason, Seat, Session

PyThread_tss_create = CFunction(1, "i32")
PyThread_tss_get = CFunction(1)
PyThread_tss_set = CFunction(2, "i32")
PyGILState_Check = CFunction(0, "i32")
PyEval_SaveThread = CFunction(0)
PyEval_RestoreThread = CFunction(1, "void")
malloc = CFunction(1)
free = CFunction(1, "void")
memcpy = CFunction(3)
memset = CFunction(3)
memcmp = CFunction(3, "i32")

SEAT = Static(2)
"""Python's name for the word of a thread that has its seat; 0 for threads that have none."""
LOOPS = Static(2 * LOOP_COUNT)
"""By dtypes and reductions NumPy's loop that combines two arrays, and the data that it takes."""


DIFFERENT, STUCK, COMPUTE = Reason.DIFFERENT, Reason.STUCK, Reason.COMPUTE
ACQUIRE, RELEASE = Order.ACQUIRE, Order.RELEASE

SPINS = 100
"""Looks at a meeting, with other threads running in between, before a rank sleeps."""


def meet(seat: int, words: int, asked: int, kind: int) -> int:
    """What `weft_collective` does for a rank that is a thread."""
    chair = chair_of(seat, word(asked + Asked.OVER))
    if chair == 0:
        return 1
    if kind <= Kind.COUNT:
        set_word(word(words + WORD), word(chair + (Chair.PLACE if kind == Kind.RANK else Chair.SIZE)))
        return 0
    if kind == Kind.FINISH:
        number = word(word(words + 2 * WORD))
        if number & 1:
            return 1
        return stay(seat, chair, number - 2, word(words + word(asked + Asked.RESULT) * WORD))
    meeting = come(seat, chair, contribution(words, asked, kind))
    if meeting == 0:
        return 1
    if kind == Kind.START:  # neither odd, as what Python has begun, nor a multiple of 4, as what MPI has
        set_word(word(words + word(asked + Asked.RESULT) * WORD), meeting + 2)
        return 0
    result = 0 if kind <= Kind.BARRIER else word(words + word(asked + Asked.RESULT) * WORD)
    return stay(seat, chair, meeting, result)


def chair_of(seat: int, key: int) -> int:
    """The place of a rank in the group that a collective is for; 0 where Python has not told it yet."""
    chair = word(seat + Seat.CHAIRS)
    for _ in range(word(seat + Seat.CHAIR_COUNT)):
        if word(chair + Chair.KEY) == key:
            return chair
        chair += Chair.LENGTH
    return 0


def contribution(words: int, asked: int, kind: int) -> int:
    """A copy of what a rank asks for, and of its array; 0 without memory."""
    has_data = 1
    size = 0
    if kind != Kind.BARRIER:
        count = word(word(words + WORD))
        has_data = count >= 0
        size = max(count, 0) * word(asked + Asked.ITEM)
    axes = word(asked + Asked.AXES)
    description = (Word.EXTENTS + axes + (word(asked) + WORD - 1) // WORD) * WORD
    start = (Given.DESCRIPTION + description + 15) // 16 * 16
    given = malloc(start + size)
    if given == 0:
        return 0
    set_word(given + Given.DATA, given + start if has_data else 0)
    set_word(given + Given.BYTES, size)
    set_word(given + Given.LENGTH, description)
    memcpy(given + Given.DESCRIPTION, asked, description)
    unknown = words + 3 * WORD
    place = given + Given.DESCRIPTION + Asked.EXTENTS
    for _ in range(axes):
        if word(place) < 0:
            set_word(place, word(unknown))
            unknown += WORD
        place += WORD
    if size != 0:
        memcpy(given + start, word(words + 2 * WORD), size)
    return given


def come(seat: int, chair: int, given: int) -> int:
    """Take part in the next meeting of a group, without waiting for the others; 0 where something went wrong."""
    if given == 0:
        return 0
    session = word(seat + Seat.SESSION)
    lock()
    meeting = 0
    if word(session + Session.HAS_FAILED) == 0:
        meeting = meeting_of(chair, word(word(chair + Chair.COUNT)))
    if meeting == 0:
        unlock()
        free(given)
        return 0
    set_word(word(chair + Chair.COUNT), word(word(chair + Chair.COUNT)) + 1)
    set_word(seat + Seat.COMES, word(seat + Seat.COMES) + 1)
    set_word(meeting + Meeting.GIVEN + word(chair + Chair.PLACE) * WORD, given)
    other = unlike(meeting, given)
    if other >= 0:
        unlock()
        set_word(seat + Seat.OTHER, other)
        leave_to_python(seat, meeting, DIFFERENT)
        return 0
    set_word(meeting + Meeting.CAME, word(meeting + Meeting.CAME) + 1)
    if word(meeting + Meeting.CAME) == word(meeting + Meeting.SIZE):
        set_word(session + Session.STUCK, word(session + Session.STUCK) - word(meeting + Meeting.WAITERS))
        atomic_store(meeting + Meeting.IS_COMPLETE, 1, RELEASE)
        if word(meeting + Meeting.WAITERS) != 0:
            wake_all()
    unlock()
    return meeting


def meeting_of(chair: int, number: int) -> int:
    """The meeting of a group with a number, which begins with the first who comes; 0 without memory."""
    link = word(chair + Chair.GROUP)
    while word(link) != 0:
        if word(word(link) + Meeting.NUMBER) == number:
            return word(link)
        link = word(link) + Meeting.NEXT
    room = Meeting.GIVEN + word(chair + Chair.SIZE) * WORD
    meeting = malloc(room)
    if meeting == 0:
        return 0
    memset(meeting, 0, room)
    set_word(meeting + Meeting.NUMBER, number)
    set_word(meeting + Meeting.SIZE, word(chair + Chair.SIZE))
    set_word(meeting + Meeting.GROUP, word(chair + Chair.GROUP))
    set_word(link, meeting)
    return meeting


def unlike(meeting: int, given: int) -> int:
    """The place of a rank that is there and asks for something else; -1 for none."""
    mine = given + Given.DESCRIPTION
    for place in range(word(meeting + Meeting.SIZE)):
        other = word(meeting + Meeting.GIVEN + place * WORD)
        if other != 0:
            theirs = other + Given.DESCRIPTION
            if word(theirs + Asked.DIGEST) != word(mine + Asked.DIGEST):
                return place
            if memcmp(theirs + Asked.EXTENTS, mine + Asked.EXTENTS, word(mine + Asked.AXES) * WORD) != 0:
                return place
    return -1


def stay(seat: int, chair: int, meeting: int, result: int) -> int:
    """Wait until all are there, and make the result: 0; 1 where that is left to Python."""
    if is_complete(seat, chair, meeting) == 0:
        return 1
    if is_made(meeting, word(chair + Chair.PLACE), result):
        weft_session_leave(meeting)
        return 0
    return leave_to_python(seat, meeting, COMPUTE)


def leave_to_python(seat: int, meeting: int, reason: int) -> int:
    """Note what Python has to do."""
    set_word(seat + Seat.MEETING, meeting)
    set_word(seat + Seat.REASON, reason)
    return 1


def is_complete(seat: int, chair: int, meeting: int) -> int:
    """Wait until all are there; whether they are."""
    if atomic_load(meeting + Meeting.IS_COMPLETE, ACQUIRE):
        return 1
    session = word(seat + Seat.SESSION)
    lock()
    if has_ended(session, meeting) == 0:
        set_word(seat + Seat.WAITS, word(meeting + Meeting.GIVEN + word(chair + Chair.PLACE) * WORD))
        set_word(meeting + Meeting.WAITERS, word(meeting + Meeting.WAITERS) + 1)
        set_word(session + Session.STUCK, word(session + Session.STUCK) + 1)
        if word(session + Session.STUCK) == word(session + Session.SIZE):
            unlock()
            set_word(seat + Seat.REASON, STUCK)
            return 0
        unlock()
        sleep(session, meeting)
        lock()
        set_word(seat + Seat.WAITS, 0)
    unlock()
    return atomic_load(meeting + Meeting.IS_COMPLETE, ACQUIRE)


def has_ended(session: int, meeting: int) -> int:
    """Whether nobody waits any more at a meeting."""
    return atomic_load(meeting + Meeting.IS_COMPLETE, ACQUIRE) | atomic_load(
        session + Session.HAS_FAILED, ACQUIRE
    )


def sleep(session: int, meeting: int) -> None:
    """Wait, without the interpreter's lock; shortly without sleeping."""
    thread = PyEval_SaveThread() if PyGILState_Check() else 0
    spins = 0
    while spins < SPINS and has_ended(session, meeting) == 0:
        yield_processor()
        spins += 1
    lock()
    while has_ended(session, meeting) == 0:
        wait()
    unlock()
    if thread != 0:
        PyEval_RestoreThread(thread)


def is_made(meeting: int, rank: int, result: int) -> int:
    """Make the result of a rank of what all have given; 0 where Python has to do it."""
    size = word(meeting + Meeting.SIZE)
    for place in range(size):
        if data_of(meeting, place) == 0:
            return 0
    given = word(meeting + Meeting.GIVEN + rank * WORD)
    asked = given + Given.DESCRIPTION
    kind = word(asked + Asked.KIND)
    room = word(given + Given.BYTES)
    if kind == Kind.SAME:
        return is_same(meeting, room)
    if kind == Kind.ALL_REDUCE:
        return is_combined(meeting, asked, 0, room, result)
    if kind == Kind.REDUCE_SCATTER:
        return has_parts(asked, size) and is_combined(
            meeting, asked, rank * (room // size), room // size, result
        )
    if kind == Kind.ALL_TO_ALL:
        return has_parts(asked, size) and copy_all(meeting, rank * (room // size), room // size, result)
    if kind == Kind.ALL_GATHER:
        return copy_all(meeting, 0, room, result)
    if kind == Kind.BROADCAST:
        return word(asked + Asked.NUMBER) < size and copy_one(
            meeting, word(asked + Asked.NUMBER), room, result
        )
    return kind == Kind.BARRIER or copy_one(meeting, source_of(asked, rank, size), room, result)


def has_parts(asked: int, size: int) -> int:
    """Whether there is a part for each rank along the first axis."""
    return word(asked + Asked.AXES) > 0 and word(asked + Asked.EXTENTS) == size


def is_same(meeting: int, room: int) -> int:
    """Whether all have given the same."""
    for place in range(word(meeting + Meeting.SIZE)):
        if memcmp(data_of(meeting, place), data_of(meeting, 0), room) != 0:
            return 0
    return 1


def source_of(asked: int, rank: int, size: int) -> int:
    """Who sends to a rank; nobody where the number is none of a rank."""
    source = rank - word(asked + Asked.NUMBER)
    return (source % size + size) % size if word(asked + Asked.WRAPS) else source


def copy_one(meeting: int, place: int, size: int, result: int) -> int:
    """Take the array of a rank; zeros where there is none."""
    if place < 0 or place >= word(meeting + Meeting.SIZE):
        memset(result, 0, size)
    else:
        memcpy(result, data_of(meeting, place), size)
    return 1


def copy_all(meeting: int, start: int, size: int, result: int) -> int:
    """Put a part of each array behind that of the rank before."""
    for place in range(word(meeting + Meeting.SIZE)):
        memcpy(result + place * size, data_of(meeting, place) + start, size)
    return 1


def data_of(meeting: int, place: int) -> int:
    """The array of a rank; 0 where that is on a device."""
    return word(word(meeting + Meeting.GIVEN + place * WORD) + Given.DATA)


def is_combined(meeting: int, asked: int, start: int, size: int, result: int) -> int:
    """Combine a part of the arrays of all, in the order of the ranks; 0 where there is no loop for it."""
    if word(asked + Asked.DTYPE) < 0 or word(asked + Asked.REDUCTION) < 0:
        return 0
    loop = LOOPS + (word(asked + Asked.DTYPE) * 4 + word(asked + Asked.REDUCTION)) * 2 * WORD
    memcpy(result, data_of(meeting, 0) + start, size)
    arguments = stack(3)
    extent = stack(1)
    steps = stack(3)
    set_word(arguments, result)
    set_word(arguments + 2 * WORD, result)
    for number in range(3):
        set_word(steps + number * WORD, word(asked + Asked.ITEM))
    set_word(extent, size // word(asked + Asked.ITEM))
    for place in range(word(meeting + Meeting.SIZE)):
        if place > 0 and size > 0:
            set_word(arguments + WORD, data_of(meeting, place) + start)
            call_void(word(loop), arguments, extent, steps, word(loop + WORD))
    return 1


def weft_session_leave(meeting: int) -> None:
    """A rank needs nothing more of a meeting; the last one ends it."""
    lock()
    set_word(meeting + Meeting.LEFT, word(meeting + Meeting.LEFT) + 1)
    if word(meeting + Meeting.LEFT) == word(meeting + Meeting.SIZE):
        link = word(meeting + Meeting.GROUP)
        while word(link) != meeting:
            link = word(link) + Meeting.NEXT
        set_word(link, word(meeting + Meeting.NEXT))
        discard(meeting)
    unlock()


def discard(meeting: int) -> None:
    """Give back the memory of a meeting."""
    for place in range(word(meeting + Meeting.SIZE)):
        free(word(meeting + Meeting.GIVEN + place * WORD))
    free(meeting)


def weft_session_clear(group: int) -> None:
    """End the meetings of a group that nobody comes to any more."""
    while word(group) != 0:
        meeting = word(group)
        set_word(group, word(meeting + Meeting.NEXT))
        discard(meeting)


def weft_session_come(seat: int, words: int) -> int:
    """Take part in a meeting, for Python: its address; 0 where something went wrong."""
    asked = word(words)
    return come(
        seat, chair_of(seat, word(asked + Asked.OVER)), contribution(words, asked, word(asked + Asked.KIND))
    )


def weft_session_finish(seat: int, key: int, meeting: int) -> None:
    """Wait until all are there, for Python, which makes the result."""
    if is_complete(seat, chair_of(seat, key), meeting):
        leave_to_python(seat, meeting, COMPUTE)


def weft_session_end(session: int) -> int:
    """A rank takes part no more: whether all others wait."""
    lock()
    set_word(session + Session.STUCK, word(session + Session.STUCK) + 1)
    set_word(session + Session.ENDED, word(session + Session.ENDED) + 1)
    size = word(session + Session.SIZE)
    is_stuck = word(session + Session.STUCK) == size and word(session + Session.ENDED) < size
    is_stuck = is_stuck and word(session + Session.HAS_FAILED) == 0
    unlock()
    return is_stuck


def weft_session_fail(session: int) -> None:
    """Let all end who wait, or come from now on."""
    lock()
    atomic_store(session + Session.HAS_FAILED, 1, RELEASE)
    wake_all()
    unlock()


def weft_session_lock() -> None:
    """Let no rank come or leave."""
    lock()


def weft_session_unlock() -> None:
    """Let them again."""
    unlock()


def weft_session_sit(seat: int) -> None:
    """From now on the thread has a seat; 0 for none."""
    PyThread_tss_set(SEAT, seat)


def weft_session_setup() -> int:
    """Make what all sessions share, also in a process that was forked: the address of the loops."""
    initialise()
    PyThread_tss_create(SEAT)
    return LOOPS
