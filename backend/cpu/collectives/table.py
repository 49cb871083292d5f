"""The table of the native collectives: where functions of MPI are, and handles of the library that is loaded.

Machine code is stored on disk and shared by processes with different libraries, so that it has none of this in it.
"""

from __future__ import annotations

from ....dialect.collective_words import KINDS, NATIVE_DTYPES, NATIVE_REDUCTIONS, Word
from ..native_python.layout import WORD

FUNCTIONS = (
    "MPI_Iallreduce_c",
    "MPI_Ireduce_scatter_block_c",
    "MPI_Iallgather_c",
    "MPI_Ialltoall_c",
    "MPI_Ibcast_c",
    "MPI_Ibarrier",
    "MPI_Isend_c",
    "MPI_Irecv_c",
    "MPI_Testall",
    "MPI_Allreduce_c",
    "MPI_Reduce_scatter_block_c",
    "MPI_Allgather_c",
    "MPI_Alltoall_c",
    "MPI_Bcast_c",
)
"""Those that are called, of MPI 4: counts are of 64 bits."""


SMALL = 1 << 14
"""Bytes of an array: larger ones are sent by calls that block, once all ranks are there, which is faster.

All ranks have to do it in the same way, those whose programs are not compiled, too.
"""

GROUPS = 8
"""So many groups of ranks have a place in the table; others are left to Python."""


class Group:
    """Where words of a group of ranks are: what names it, and its communicator."""

    KEY, COMM, RANK, SIZE = 0, WORD, 2 * WORD, 3 * WORD
    LENGTH = 4 * WORD


class Entry:
    """Where words of the table are."""

    THREAD = 0
    """Which thread may call MPI; 0 for none."""
    BYTE = WORD
    WAIT = 2 * WORD
    """The address of the function that is called now and then while a rank waits."""
    FAILED = 3 * WORD
    """What MPI has returned that went wrong, or -1 where that function says that it is enough."""
    REQUEST = 4 * WORD
    """Bytes of a request."""
    FIRST_GROUP = 5 * WORD
    CALLS = FIRST_GROUP + GROUPS * Group.LENGTH
    DTYPES = CALLS + len(FUNCTIONS) * WORD
    REDUCTIONS = DTYPES + len(NATIVE_DTYPES) * WORD
    END = REDUCTIONS + len(NATIVE_REDUCTIONS) * WORD
    LENGTH = END // WORD


class Asked:
    """Where words of what a rank asks for are, as `dialect/collective_words.py` describes them."""

    KIND, OVER, RESULT, DIGEST = (place * WORD for place in (Word.KIND, Word.OVER, Word.RESULT, Word.DIGEST))
    DTYPE, ITEM, REDUCTION = (place * WORD for place in (Word.DTYPE, Word.ITEM, Word.REDUCTION))
    NUMBER, WRAPS, AXES, EXTENTS = (
        place * WORD for place in (Word.NUMBER, Word.WRAPS, Word.AXES, Word.EXTENTS)
    )


class Kind:
    """The numbers of what is done together."""

    RANK = KINDS.index("rank")
    COUNT = KINDS.index("rank_count")
    SAME = KINDS.index("require_same")
    BARRIER = KINDS.index("barrier")
    ALL_REDUCE = KINDS.index("all_reduce")
    ALL_GATHER = KINDS.index("all_gather")
    REDUCE_SCATTER = KINDS.index("reduce_scatter")
    BROADCAST = KINDS.index("broadcast")
    ALL_TO_ALL = KINDS.index("all_to_all")
    SEND_RECEIVE = KINDS.index("send_receive")
    START = KINDS.index("start_send_receive")
    FINISH = KINDS.index("finish_send_receive")


LOOP_COUNT = len(NATIVE_DTYPES) * len(NATIVE_REDUCTIONS)


class Session:
    """Where words of ranks that are threads are: how many there are, wait or have ended, and have ended."""

    SIZE, STUCK, ENDED, HAS_FAILED = 0, WORD, 2 * WORD, 3 * WORD
    LENGTH = 4 * WORD


class Seat:
    """Where words of one of these ranks are."""

    SESSION = 0
    CHAIRS, CHAIR_COUNT = WORD, 2 * WORD
    """Its places in groups."""
    COMES = 3 * WORD
    """How often it has come to a meeting."""
    WAITS = 4 * WORD
    """What it has given at the meeting where it waits."""
    REASON, MEETING, OTHER = 5 * WORD, 6 * WORD, 7 * WORD
    """What is left to Python, of which meeting, and who asks for something else there."""
    LENGTH = 8 * WORD


class Reason:
    """What is left to Python, if it is not 0."""

    DIFFERENT, STUCK, COMPUTE = 1, 2, 3


class Chair:
    """Where words of a place in a group are: what names the group, and it, the place and how many there are.

    The last one is the address of a word that counts how often the rank came, by whatever name of the group.
    """

    KEY, GROUP, PLACE, SIZE, COUNT = 0, WORD, 2 * WORD, 3 * WORD, 4 * WORD
    LENGTH = 5 * WORD


class Meeting:
    """Where words are of what a group does together once; a group has the first one."""

    NEXT = 0
    NUMBER, GROUP, SIZE = WORD, 2 * WORD, 3 * WORD
    CAME, LEFT, WAITERS = 4 * WORD, 5 * WORD, 6 * WORD
    """How many ranks."""
    IS_COMPLETE = 7 * WORD
    GIVEN = 8 * WORD
    """What each rank has given."""


class Given:
    """Where words of it are: its array, how many bytes that and its description have, and the description."""

    DATA, BYTES, LENGTH, DESCRIPTION = 0, WORD, 2 * WORD, 3 * WORD
