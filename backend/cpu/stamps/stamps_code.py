"""The native code of time stamps, in the part of Python that `native_python/translator.py` translates.

    int64_t weft_stamp_begin(void)                        the time
    void weft_stamp_end(const char *name, int64_t begin)  notes a name, from when to when, and the thread

Notes are entries of a ring: whoever has counted `COUNT` up writes the entry of the number that was there, and stores
the number plus one last, which releases the rest. A reader that finds another number there leaves the entry for later:
it is being written, or was overwritten.
"""

from __future__ import annotations

from ..native_python.intrinsics import Order, Static, atomic_add, atomic_load, atomic_store, set_word, word
from ..native_python.layout import WORD
from .posix import now, thread

COUNT = Static(1)
RING = Static(1)
"""The address of the ring, which is there for ever; 0 before there is one."""

ENTRIES = 1 << 16
"""A power of two."""


class Entry:
    """A note: in words, whether it is whole, what, when, and where."""

    NUMBER, NAME, BEGIN, END, THREAD = range(0, 5 * WORD, WORD)


ENTRY_BYTES = 5 * WORD


def weft_stamp_begin() -> int:
    """The time."""
    return now()


def weft_stamp_end(name: int, begin: int) -> None:
    """Note what ends."""
    end = now()
    ring = word(RING)
    if ring:
        number = atomic_add(COUNT, 1, Order.RELAXED)  # tells the entry alone
        entry = ring + (number & (ENTRIES - 1)) * ENTRY_BYTES
        set_word(entry + Entry.NAME, name)
        set_word(entry + Entry.BEGIN, begin)
        set_word(entry + Entry.END, end)
        set_word(entry + Entry.THREAD, thread())
        atomic_store(entry + Entry.NUMBER, number + 1, Order.RELEASE)


def weft_stamps_setup(ring: int) -> None:
    """Write to a ring from now on."""
    atomic_store(RING, ring, Order.RELEASE)


def weft_stamps_count() -> int:
    """How many notes there are, or begun."""
    return atomic_load(COUNT, Order.ACQUIRE)
