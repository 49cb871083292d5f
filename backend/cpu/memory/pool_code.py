"""The native code of the result pool, in the part of Python that `native_python/translator.py` translates.

A block is a header of 64 bytes and the memory of one array behind it. Blocks of 64 KiB and more that are given back are
kept in bins by capacity, 32 bins for each doubling, and in one list by age. Lists are circular and their heads are
links, so that to take a block out of its lists needs no cases.

Two rules bound what is kept. Free blocks hold `limit` bytes at most: the oldest go first. And a new block is made only
after so many free ones were given back that arrays and free blocks together hold no more than the arrays did at their
peak, or 64 MiB, but a quarter of the limit at most, where that is more: the pool does not raise the peak of a program.

Everything is thread-safe by a lock that is held for a few instructions, and never while the system is asked for memory.
All functions that are named `weft_...` may be called from outside; but for those that make arrays, by any thread, with
or without the interpreter.
"""

from __future__ import annotations

import sys

from ...planning.plan import ENTRY_WORDS
from ..native_python.intrinsics import (
    CFunction,
    Order,
    Static,
    atomic_add,
    atomic_load,
    atomic_store,
    bit_length,
    compare_exchange,
    half,
    set_half,
    set_word,
    stack,
    word,
)
from ..native_python.layout import ARRAY_DATA, ARRAY_FLAGS, ARRAY_HANDLER, OWN_DATA, WORD
from .limit import POOLED_BYTES

COPIED_BYTES = 4096
"""Results in heap blocks up to this size are copied: that is quicker than to hand over memory and to get other memory
next time."""
SMALL_PEAK = 1 << 26
"""A program may hold so much whatever its arrays hold."""
LARGEST = 1 << 47
"""No machine has more memory."""
STATISTICS = ("limit", "kept", "live", "peak", "made", "reused")
"""The first words of the state: the setting, bytes in free blocks, in blocks of arrays, the most of the latter so far,
and how many blocks were got from the system and used again."""

_STEPS = 32
"""Bins for each doubling; a capacity is a number of the 6 bits from 33 to 64, shifted."""
_SMALLEST_SHIFT = POOLED_BYTES.bit_length() - 7
_BINS = (LARGEST.bit_length() - POOLED_BYTES.bit_length() + 1) * _STEPS
_HUGE_BYTES = 1 << 21
"""A huge page of x86-64 and AArch64: the first touch of 4 MiB costs 0.3 ms with huge pages, 1.2 ms without."""
_HAS_HUGE_PAGES = sys.platform == "linux"
_MADV_HUGEPAGE = 14
_TRACE_DOMAIN = 389047  # NPY_TRACE_DOMAIN of numpy/ndarraytypes.h
_BEHAVED = 0x0501  # NPY_ARRAY_CARRAY

malloc = CFunction(1)
free = CFunction(1, "void")
memcpy = CFunction(3)
memset = CFunction(3)
Py_IncRef = CFunction(1, "void")
PyTraceMalloc_Track = CFunction(3, "i32")
PyArray_NewFromDescr = CFunction(8)
if _HAS_HUGE_PAGES:
    posix_memalign = CFunction(3, "i32")
    madvise = CFunction(3, "i32")


class State:
    """The words of the state: the statistics, and what else there is one of."""

    LIMIT, KEPT, LIVE, PEAK, MADE, REUSED, MUTEX, COLOR, ARRAY_TYPE, CAPSULE = range(0, 10 * WORD, WORD)


class Link:
    """Its neighbours in a list."""

    NEXT, PREVIOUS = 0, WORD
    SIZE = 2 * WORD


class Block:
    """What `free` takes; how large the array may be; the number of the bin, or UNPOOLED; the links in two lists."""

    START, CAPACITY, BIN, IN_BIN, IN_AGES = 0, WORD, 2 * WORD, 3 * WORD, 5 * WORD
    HEADER = 64
    UNPOOLED = -1


REFUSALS = Static(1)
"""How often kernels got no memory."""
STATE = Static(10)
BINS = Static(2 * _BINS)
AGES = Static(2)
"""From the newest to the oldest."""


# The lock


def weft_memory_lock() -> None:
    """Wait for the lock."""
    # Acquires: the lists are as who had the lock last left them. Nothing is read after a try that failed: relaxed.
    while not compare_exchange(STATE + State.MUTEX, 0, 1, Order.ACQUIRE, Order.RELAXED):
        pass


def weft_memory_unlock() -> None:
    """Give up the lock."""
    atomic_store(STATE + State.MUTEX, 0, Order.RELEASE)  # who locks next sees all that was written


# Lists and counters; the lock is held


def clear(head: int) -> None:
    """Make an empty list."""
    set_word(head + Link.NEXT, head)
    set_word(head + Link.PREVIOUS, head)


def push(head: int, link: int) -> None:
    """Put a link in front."""
    first = word(head + Link.NEXT)
    set_word(link + Link.NEXT, first)
    set_word(link + Link.PREVIOUS, head)
    set_word(first + Link.PREVIOUS, link)
    set_word(head + Link.NEXT, link)


def drop(link: int) -> None:
    """Take a link out of its list."""
    following = word(link + Link.NEXT)
    previous = word(link + Link.PREVIOUS)
    set_word(previous + Link.NEXT, following)
    set_word(following + Link.PREVIOUS, previous)


def add(counter: int, amount: int) -> int:
    """Add to a word of the state; what it is now."""
    total = word(STATE + counter) + amount
    set_word(STATE + counter, total)
    return total


def raise_peak(live: int) -> None:
    """Note that arrays held so much."""
    set_word(STATE + State.PEAK, max(live, word(STATE + State.PEAK)))


def take(block: int) -> None:
    """Take a free block out of its lists."""
    drop(block + Block.IN_BIN)
    drop(block + Block.IN_AGES)
    add(State.KEPT, -word(block + Block.CAPACITY))


# Blocks


def bin_of(size: int) -> int:
    """The number of the first bin whose blocks are large enough."""
    shift = bit_length(size - 1) - 6
    return (shift - _SMALLEST_SHIFT) * _STEPS + ((size - 1) >> shift) - _STEPS


def capacity_of(bin: int) -> int:
    """The bytes that arrays in blocks of a bin may have."""
    return (bin % _STEPS + _STEPS + 1) << (bin // _STEPS + _SMALLEST_SHIFT)


def make(capacity: int, bin: int) -> int:
    """A block from the system, or 0.

    Blocks of bins lie at different places in their first page: where arrays that one loop reads and writes began at the
    same, they would compete for the same sets of the caches.
    """
    color = 0
    slack = 128
    if bin != Block.UNPOOLED:
        color = (
            atomic_add(STATE + State.COLOR, 9, Order.RELAXED) % 61 << 6
        )  # any number does: nothing goes with it
        slack = 4096
    start = system_memory(capacity + slack)
    if start == 0:
        return 0
    block = (start + 127 & -64) + color - Block.HEADER
    set_word(block + Block.START, start)
    set_word(block + Block.CAPACITY, capacity)
    set_word(block + Block.BIN, bin)
    return block


def system_memory(size: int) -> int:
    """Memory from the system, on huge pages if it is large, or 0."""
    if _HAS_HUGE_PAGES:
        place = stack(1)
        if size >= _HUGE_BYTES:
            if posix_memalign(place, _HUGE_BYTES, size) != 0:
                return 0
            madvise(word(place), size & -_HUGE_BYTES, _MADV_HUGEPAGE)
            return word(place)
    return malloc(size)


def weft_memory_shrink(size: int) -> None:
    """Give the oldest free blocks back to the system until they hold no more bytes than may be kept."""
    weft_memory_lock()
    while word(STATE + State.KEPT) > size:
        block = word(AGES + Link.PREVIOUS) - Block.IN_AGES
        take(block)
        weft_memory_unlock()
        free(word(block + Block.START))
        weft_memory_lock()
    weft_memory_unlock()


# Memory


def weft_allocate(size: int) -> int:
    """Memory for an array, aligned to 64 bytes, or 0: `void *weft_allocate(size_t)`."""
    if size < 0 or size > LARGEST:
        return 0
    block = make(max(size, 1), Block.UNPOOLED) if size < POOLED_BYTES else pooled_block(bin_of(size))
    return 0 if block == 0 else block + Block.HEADER


def pooled_block(bin: int) -> int:
    """A block of a bin: a free one, the newest, or else one from the system; or 0."""
    head = BINS + bin * Link.SIZE
    capacity = capacity_of(bin)
    weft_memory_lock()
    live = add(State.LIVE, capacity)
    newest = word(head + Link.NEXT)
    if newest != head:
        take(newest - Block.IN_BIN)
        raise_peak(live)
        add(State.REUSED, 1)
        weft_memory_unlock()
        return newest - Block.IN_BIN
    most = max(word(STATE + State.PEAK), min(word(STATE + State.LIMIT) >> 2, SMALL_PEAK))
    weft_memory_unlock()
    weft_memory_shrink(max(most - live, 0))
    block = make(capacity, bin)
    if block == 0:
        weft_memory_shrink(0)
        block = make(capacity, bin)
    weft_memory_lock()
    if block == 0:
        add(State.LIVE, -capacity)
    else:
        raise_peak(live)
        add(State.MADE, 1)
    weft_memory_unlock()
    return block


def weft_free(data: int) -> None:
    """Give memory back: `void weft_free(void *)`."""
    if data == 0:
        return
    block = data - Block.HEADER
    bin = word(block + Block.BIN)
    if bin == Block.UNPOOLED:
        free(word(block + Block.START))
        return
    weft_memory_lock()
    push(BINS + bin * Link.SIZE, block + Block.IN_BIN)
    push(AGES, block + Block.IN_AGES)
    add(State.LIVE, -word(block + Block.CAPACITY))
    kept = add(State.KEPT, word(block + Block.CAPACITY))
    limit = word(STATE + State.LIMIT)
    weft_memory_unlock()
    if kept > limit:
        weft_memory_shrink(limit)


def weft_reallocate(data: int, size: int) -> int:
    """Other memory with the same content, or 0: `void *weft_reallocate(void *, size_t)`."""
    fresh = weft_allocate(size)
    if fresh != 0 and data != 0:
        memcpy(fresh, data, min(word(data - Block.HEADER + Block.CAPACITY), size))
        weft_free(data)
    return fresh


def weft_handler_allocate(_context: int, size: int) -> int:
    """As malloc, behind a context, which is not used."""
    return weft_allocate(size)


def weft_allocate_scratch(_alignment: int, size: int) -> int:
    """As aligned_alloc, for alignments up to 64: what kernels need while they run. Counts what it cannot give."""
    data = weft_allocate(size)
    if data == 0:
        atomic_add(REFUSALS, 1, Order.SEQUENTIAL)
    return data


def weft_scratch_refusals() -> int:
    """How often there was none: `int64_t weft_scratch_refusals(void)`."""
    return atomic_load(REFUSALS, Order.SEQUENTIAL)


# The memory handler of NumPy: what the functions of C take, behind a context, which is not used


def weft_handler_allocate_zeros(_context: int, count: int, width: int) -> int:
    """As calloc."""
    if count < 0 or (width != 0 and count > LARGEST // width):
        return 0
    data = weft_allocate(count * width)
    return 0 if data == 0 else memset(data, 0, count * width)


def weft_handler_reallocate(_context: int, data: int, size: int) -> int:
    """As realloc."""
    return weft_reallocate(data, size)


def weft_handler_free(_context: int, data: int, _size: int) -> None:
    """As free."""
    weft_free(data)


# Arrays; the interpreter is held


def weft_memory_setup(array_type: int, capsule: int) -> None:
    """To be called once, with the type of arrays and the capsule of the memory handler."""
    set_word(STATE + State.ARRAY_TYPE, array_type)
    set_word(STATE + State.CAPSULE, capsule)
    clear(AGES)
    for bin in range(_BINS):
        clear(BINS + bin * Link.SIZE)


def weft_memory_state() -> int:
    """The address of the state."""
    return STATE


def weft_new_result(descr: int, rank: int, shape: int, size: int) -> int:
    """PyObject *weft_new_result(PyArray_Descr *descr, int nd, const npy_intp *dims, size_t bytes)."""
    Py_IncRef(descr)
    if size >= POOLED_BYTES and word(STATE + State.LIMIT) != 0:
        data = weft_allocate(size)
        if data != 0:
            array = own(descr, rank, shape, size, data)
            if array == 0:
                weft_free(data)
            return array
    # Where there is no memory, NumPy says so.
    return PyArray_NewFromDescr(word(STATE + State.ARRAY_TYPE), descr, rank, shape, 0, 0, 0, 0)


def weft_take(descr: int, rank: int, shape: int, size: int, entry: int) -> int:
    """PyObject *weft_take(PyArray_Descr *descr, int nd, const npy_intp *dims, size_t bytes, int64_t *entry)."""
    Py_IncRef(descr)
    data = word(entry)
    if size <= COPIED_BYTES:
        array = PyArray_NewFromDescr(word(STATE + State.ARRAY_TYPE), descr, rank, shape, 0, 0, 0, 0)
        if array != 0 and size > 0:
            memcpy(word(array + ARRAY_DATA), data, size)
        return array
    if word(entry + 3 * WORD) > size + size // 10:
        smaller = weft_reallocate(data, size)
        data = smaller if smaller != 0 else data
    array = own(descr, rank, shape, size, data)
    for index in range(ENTRY_WORDS):
        set_word(entry + WORD * index, 0)
    if array == 0:
        weft_free(data)
    return array


def own(descr: int, rank: int, shape: int, size: int, data: int) -> int:
    """An array that owns memory of the pool, or 0; a reference to the type is stolen."""
    array = PyArray_NewFromDescr(word(STATE + State.ARRAY_TYPE), descr, rank, shape, 0, data, _BEHAVED, 0)
    if array == 0:
        return 0
    Py_IncRef(word(STATE + State.CAPSULE))
    set_word(array + ARRAY_HANDLER, word(STATE + State.CAPSULE))
    set_half(array + ARRAY_FLAGS, half(array + ARRAY_FLAGS) | OWN_DATA)
    PyTraceMalloc_Track(_TRACE_DOMAIN, data, size)
    return array
