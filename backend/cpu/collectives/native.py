"""The native code of collectives, in the part of Python that `native_python/translator.py` translates.

    int64_t weft_collective(int64_t *words)

does what the words ask for, as `dialect/collective_words.py` describes it, and returns 0; 1 where Python has to do it,
or to say what went wrong. No rank blocks before the others are there: a request is tested until it is done, and now and
then Python is asked whether it is enough. The interpreter's lock is given away where that takes long.
"""

from __future__ import annotations

from ..native_python.intrinsics import (
    CFunction,
    Static,
    call_int,
    half,
    set_word,
    stack,
    word,
)
from ..native_python.layout import WORD
from ..threads.posix import yield_processor
from .meetings import (
    SEAT,
    PyEval_RestoreThread,
    PyEval_SaveThread,
    PyGILState_Check,
    PyThread_tss_get,
    free,
    malloc,
    meet,
    memcpy,
    memset,
)
from .table import FUNCTIONS, GROUPS, SMALL, Asked, Entry, Group, Kind

PyThread_get_thread_ident = CFunction(0)

TABLE = Static(Entry.LENGTH)
SLOTS = 1024
DIGESTS = Static(SLOTS)
"""What ranks have found out that they all ask for; Python does it the first time."""


THREAD = Entry.THREAD
COMM = Group.COMM
RANK = Group.RANK
SIZE = Group.SIZE
BYTE = Entry.BYTE
WAIT = Entry.WAIT
FAILED = Entry.FAILED
DTYPES = Entry.DTYPES
REDUCTIONS = Entry.REDUCTIONS


IALLREDUCE = Entry.CALLS + FUNCTIONS.index("MPI_Iallreduce_c") * WORD
IREDUCE_SCATTER = Entry.CALLS + FUNCTIONS.index("MPI_Ireduce_scatter_block_c") * WORD
IALLGATHER = Entry.CALLS + FUNCTIONS.index("MPI_Iallgather_c") * WORD
IALLTOALL = Entry.CALLS + FUNCTIONS.index("MPI_Ialltoall_c") * WORD
IBCAST = Entry.CALLS + FUNCTIONS.index("MPI_Ibcast_c") * WORD
IBARRIER = Entry.CALLS + FUNCTIONS.index("MPI_Ibarrier") * WORD
ISEND = Entry.CALLS + FUNCTIONS.index("MPI_Isend_c") * WORD
IRECV = Entry.CALLS + FUNCTIONS.index("MPI_Irecv_c") * WORD
ALLREDUCE = Entry.CALLS + FUNCTIONS.index("MPI_Allreduce_c") * WORD
SCATTER = Entry.CALLS + FUNCTIONS.index("MPI_Reduce_scatter_block_c") * WORD
ALLGATHER = Entry.CALLS + FUNCTIONS.index("MPI_Allgather_c") * WORD
ALLTOALL = Entry.CALLS + FUNCTIONS.index("MPI_Alltoall_c") * WORD
BCAST = Entry.CALLS + FUNCTIONS.index("MPI_Bcast_c") * WORD
TESTALL = Entry.CALLS + FUNCTIONS.index("MPI_Testall") * WORD

REQUEST = Entry.REQUEST
FIRST_GROUP = Entry.FIRST_GROUP

SPINS = 2000
"""Tests before the interpreter's lock and the processor are given to others: half a millisecond."""
LOOKS = 4000
"""Tests between two looks of Python, with other processes running in between."""
MESSAGE_COUNT = 2 * WORD
MESSAGE_ROOM = 3 * WORD
MESSAGE_DATA = 4 * WORD
"""What has begun: two requests, how many there are, the bytes of what is sent, this, and what is received."""
STATUS = 8
"""Words that no library needs more of for what it tells about a request."""


def weft_collective(words: int) -> int:
    asked = word(words)
    kind = word(asked + Asked.KIND)
    seat = PyThread_tss_get(SEAT)
    if seat != 0:
        return meet(seat, words, asked, kind)
    if kind == Kind.FINISH:
        return finish(word(word(words + 2 * WORD)), word(words + word(asked + Asked.RESULT) * WORD))
    if word(TABLE + THREAD) == 0 or word(TABLE + THREAD) != PyThread_get_thread_ident():
        return 1
    group = group_of(word(asked + Asked.OVER))
    if group == 0:
        return 1
    if kind <= Kind.COUNT:
        set_word(word(words + WORD), word(group + RANK) if kind == Kind.RANK else word(group + SIZE))
        return 0
    if kind == Kind.SAME:  # native code serves ranks that do not ask each other
        return 0
    key = word(asked + Asked.DIGEST)
    if kind != Kind.BARRIER:
        key = key ^ word(word(words + WORD))
    if word(DIGESTS + (key & (SLOTS - 1)) * WORD) != key:
        return 1
    if kind == Kind.START:
        return start(words, asked, group)
    requests = stack(2)
    set_word(requests, 0)
    set_word(requests + WORD, 0)
    count = begin(words, asked, kind, requests, group)
    if count < 0:
        return 1
    return until_done(requests, count)


def group_of(key: int) -> int:
    """Where the group of ranks is that a collective is for; 0 where it is not in the table."""
    group = TABLE + FIRST_GROUP
    for _ in range(GROUPS):
        if word(group + Group.SIZE) != 0 and word(group + Group.KEY) == key:
            return group
        group += Group.LENGTH
    return 0


def begin(words: int, asked: int, kind: int, requests: int, group: int) -> int:
    comm = word(group + COMM)
    size = word(group + SIZE)
    if kind == Kind.BARRIER:
        return begun(call_int(word(TABLE + IBARRIER), comm, requests))
    items = word(word(words + WORD))
    x = word(words + 2 * WORD)
    result = word(words + word(asked + Asked.RESULT) * WORD)
    room = items * word(asked + Asked.ITEM)
    byte = word(TABLE + BYTE)
    if kind != Kind.SEND_RECEIVE and room > SMALL:
        return block(asked, kind, x, result, items, requests, group)
    if is_reduction(kind):
        if word(asked + Asked.DTYPE) < 0 or word(asked + Asked.REDUCTION) < 0:
            return -1
        dtype = word(TABLE + DTYPES + word(asked + Asked.DTYPE) * WORD)
        if kind == Kind.ALL_REDUCE:
            call = word(TABLE + IALLREDUCE)
            return begun(call_int(call, x, result, items, dtype, operation(asked), comm, requests))
        call = word(TABLE + IREDUCE_SCATTER)
        return begun(call_int(call, x, result, items // size, dtype, operation(asked), comm, requests))
    if kind == Kind.ALL_GATHER:
        return begun(call_int(word(TABLE + IALLGATHER), x, room, byte, result, room, byte, comm, requests))
    if kind == Kind.ALL_TO_ALL:
        part = room // size
        return begun(call_int(word(TABLE + IALLTOALL), x, part, byte, result, part, byte, comm, requests))
    if kind == Kind.BROADCAST:
        memcpy(result, x, room)
        return begun(
            call_int(word(TABLE + IBCAST), result, room, byte, word(asked + Asked.NUMBER), comm, requests)
        )
    return begin_sending(asked, x, result, room, requests, group)


def is_reduction(kind: int) -> int:
    """Whether elements of ranks are combined."""
    return kind >= Kind.ALL_REDUCE and kind <= Kind.REDUCE_SCATTER


def operation(asked: int) -> int:
    """The handle of a reduction; booleans are bytes, 0 or 1: a sum is true where one is, a product where all are."""
    number = word(asked + Asked.REDUCTION)
    if word(asked + Asked.DTYPE) == 0 and number < 2:
        number = 3 - number
    return word(TABLE + REDUCTIONS + number * WORD)


def block(asked: int, kind: int, x: int, result: int, items: int, requests: int, group: int) -> int:
    """Wait until all ranks are there, and do it by a call that returns when all is done: MPI is faster so."""
    comm = word(group + COMM)
    size = word(group + SIZE)
    byte = word(TABLE + BYTE)
    room = items * word(asked + Asked.ITEM)
    is_reduced = is_reduction(kind)
    if is_reduced and (word(asked + Asked.DTYPE) < 0 or word(asked + Asked.REDUCTION) < 0):
        return -1
    if begun(call_int(word(TABLE + IBARRIER), comm, requests)) < 0 or until_done(requests, 1) != 0:
        return -1
    thread = PyEval_SaveThread() if PyGILState_Check() else 0
    code = 0
    if is_reduced:
        dtype = word(TABLE + DTYPES + word(asked + Asked.DTYPE) * WORD)
        if kind == Kind.ALL_REDUCE:
            code = call_int(word(TABLE + ALLREDUCE), x, result, items, dtype, operation(asked), comm)
        else:
            code = call_int(word(TABLE + SCATTER), x, result, items // size, dtype, operation(asked), comm)
    elif kind == Kind.ALL_GATHER:
        code = call_int(word(TABLE + ALLGATHER), x, room, byte, result, room, byte, comm)
    elif kind == Kind.ALL_TO_ALL:
        code = call_int(word(TABLE + ALLTOALL), x, room // size, byte, result, room // size, byte, comm)
    else:
        memcpy(result, x, room)
        code = call_int(word(TABLE + BCAST), result, room, byte, word(asked + Asked.NUMBER), comm)
    if thread != 0:
        PyEval_RestoreThread(thread)
    return begun(code) - 1 if code == 0 else begun(code)


def begun(code: int) -> int:
    if code != 0:
        set_word(TABLE + FAILED, code)
        return -1
    return 1


def begin_sending(asked: int, x: int, result: int, room: int, requests: int, group: int) -> int:
    comm = word(group + COMM)
    size = word(group + SIZE)
    byte = word(TABLE + BYTE)
    target = word(group + RANK) + word(asked + Asked.NUMBER)
    source = word(group + RANK) - word(asked + Asked.NUMBER)
    if word(asked + Asked.WRAPS):
        target = (target % size + size) % size
        source = (source % size + size) % size
    count = 0
    if source < 0 or source >= size:
        memset(result, 0, room)
    else:
        if begun(call_int(word(TABLE + IRECV), result, room, byte, source, 0, comm, requests)) < 0:
            return -1
        count = 1
    if target >= 0 and target < size:
        place = requests + count * word(TABLE + REQUEST)
        if begun(call_int(word(TABLE + ISEND), x, room, byte, target, 0, comm, place)) < 0:
            return -1
        count += 1
    return count


def start(words: int, asked: int, group: int) -> int:
    """Begin to send and receive, and give the address of what is needed to finish that, which is even."""
    room = word(word(words + WORD)) * word(asked + Asked.ITEM)
    begun_here = malloc(MESSAGE_DATA + 2 * room)
    if begun_here == 0:
        return 1
    sent = begun_here + MESSAGE_DATA
    memcpy(sent, word(words + 2 * WORD), room)
    set_word(begun_here, 0)
    set_word(begun_here + WORD, 0)
    set_word(begun_here + MESSAGE_ROOM, room)
    count = begin_sending(asked, sent, sent + room, room, begun_here, group)
    if count < 0:  # what has begun may still write there
        return 1
    set_word(begun_here + MESSAGE_COUNT, count)
    set_word(word(words + word(asked + Asked.RESULT) * WORD), begun_here)
    return 0


def finish(begun_here: int, result: int) -> int:
    """Wait for what was begun; Python waits for what it has begun itself, and for what a rank did in its seat."""
    if begun_here & 3:
        return 1
    count = word(begun_here + MESSAGE_COUNT)
    if count != 0 and until_done(begun_here, count) != 0:
        return 1
    room = word(begun_here + MESSAGE_ROOM)
    memcpy(result, begun_here + MESSAGE_DATA + room, room)
    free(begun_here)
    return 0


def until_done(requests: int, count: int) -> int:
    """0 when all is done; 1 where something went wrong."""
    flag = stack(1)
    statuses = stack(2 * STATUS)
    set_word(flag, 0)
    spins = 0
    while spins < SPINS:
        code = call_int(word(TABLE + TESTALL), count, requests, flag, statuses)
        if code != 0:
            set_word(TABLE + FAILED, code)
            return 1
        if half(flag) != 0:
            return 0
        spins += 1
    return until_done_after_long(requests, count, flag, statuses)


def until_done_after_long(requests: int, count: int, flag: int, statuses: int) -> int:
    """The same, without the interpreter's lock."""
    thread = PyEval_SaveThread() if PyGILState_Check() else 0
    code = 0
    tests = 0
    while code == 0 and half(flag) == 0:
        code = call_int(word(TABLE + TESTALL), count, requests, flag, statuses)
        yield_processor()
        tests += 1
        if tests % LOOKS == 0 and half(flag) == 0 and code == 0:
            code = -call_int(word(TABLE + WAIT), tests // LOOKS)
    if thread != 0:
        PyEval_RestoreThread(thread)
    if code != 0:
        set_word(TABLE + FAILED, code)
        return 1
    return 0


def weft_collective_table() -> int:
    """The address of the table."""
    return TABLE


def weft_collective_allow(key: int) -> None:
    """From now on native code does what has a key: a digest with the number of elements."""
    set_word(DIGESTS + (key & (SLOTS - 1)) * WORD, key)


def weft_collective_forget() -> None:
    """Nothing is known to be what all ranks ask for."""
    for slot in range(SLOTS):
        set_word(DIGESTS + slot * WORD, 0)
