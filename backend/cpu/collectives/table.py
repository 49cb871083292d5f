"""The table of the native collectives: where functions of MPI are, and handles of the library that is loaded.

Machine code is stored on disk and shared by processes with different libraries, so that it has none of this in it.
"""

from __future__ import annotations

from ....dialect.collective_words import NATIVE_DTYPES, NATIVE_REDUCTIONS
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


__all__ = ["FUNCTIONS", "GROUPS", "SMALL", "Entry", "Group"]
