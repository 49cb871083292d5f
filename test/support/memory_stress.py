"""Native code that uses the pool of memory as hard as it can, and checks what it gets; translated, not run.

Each block is filled with words that tell its owner, and looked at again before it is changed or given back: no two
owners may have the same memory.
"""

from __future__ import annotations

import sys

from weft.backend.cpu.native_python.intrinsics import (
    CFunction,
    Order,
    Static,
    atomic_add,
    atomic_load,
    atomic_store,
    call,
    call_void,
    set_word,
    stack,
    word,
)

malloc = CFunction(1)
free = CFunction(1, "void")
posix_memalign = CFunction(3, "i32")

HAS_HUGE_PAGES = sys.platform == "linux"
OUT_OF_MEMORY = 12
POOLED_BYTES = 1 << 16
SLOTS = 24
SLOT = 24
"""A block that is in use: its address or 0, its size and its owner's words."""

FUNCTIONS = Static(3)
"""To allocate, reallocate and free."""
POOLED = Static(1)
"""How many blocks the pool gave."""
OUTSTANDING = Static(1)
"""How many blocks of the system the pool has."""
CALLS = Static(1)
"""How often the system was asked."""
EVERY = Static(1)
RUN = Static(1)
"""Of so many requests to the system in a row so many fail at the end; 0: none fails."""


def use(allocate: int, reallocate: int, release: int) -> None:
    set_word(FUNCTIONS, allocate)
    set_word(FUNCTIONS + 8, reallocate)
    set_word(FUNCTIONS + 16, release)


def fail(every: int, run: int) -> None:
    atomic_store(RUN, run, Order.RELAXED)
    atomic_store(CALLS, 0, Order.RELAXED)
    atomic_store(EVERY, every, Order.RELAXED)


def pooled() -> int:
    return atomic_load(POOLED, Order.RELAXED)


def outstanding() -> int:
    return atomic_load(OUTSTANDING, Order.RELAXED)


def system_calls() -> int:
    return atomic_load(CALLS, Order.RELAXED)


# The system, as the pool sees it.


def is_refused() -> int:
    every = atomic_load(EVERY, Order.RELAXED)
    number = atomic_add(CALLS, 1, Order.RELAXED)
    return every != 0 and number % every >= every - atomic_load(RUN, Order.RELAXED)


def counted_malloc(size: int) -> int:
    if is_refused():
        return 0
    block = malloc(size)
    atomic_add(OUTSTANDING, block != 0, Order.RELAXED)
    return block


def counted_posix_memalign(place: int, alignment: int, size: int) -> int:
    if is_refused():
        return OUT_OF_MEMORY
    if HAS_HUGE_PAGES:
        failure = posix_memalign(place, alignment, size)
        atomic_add(OUTSTANDING, failure == 0, Order.RELAXED)
        return failure
    else:
        return OUT_OF_MEMORY


def counted_free(block: int) -> None:
    atomic_add(OUTSTANDING, -1, Order.RELAXED)
    free(block)


def refused_madvise(address: int, size: int, advice: int) -> int:
    return -1


# The program.


def churn(owner: int, rounds: int) -> int:
    """Allocate, reallocate and free at random; how many words or addresses are not as they should be."""
    random = stack(1)
    slots = stack(SLOTS * 3)
    set_word(random, owner * 0x1E3779B97F4A7C15 | 1)
    for index in range(SLOTS):
        set_word(slots + SLOT * index, 0)
    wrong = 0
    for serial in range(rounds):
        slot = slots + SLOT * (next_random(random) % SLOTS)
        wrong += step(slot, (owner << 32) + serial, random)
    for index in range(SLOTS):
        wrong += drop(slots + SLOT * index)
    return wrong


def step(slot: int, tag: int, random: int) -> int:
    address = word(slot)
    size = random_size(random)
    wrong = 0
    if address == 0:
        fresh = call(word(FUNCTIONS), size)
    elif next_random(random) % 4 == 0:
        wrong = mismatches(address, word(slot + 8), word(slot + 16))
        fresh = call(word(FUNCTIONS + 8), address, size)
        if fresh != 0:
            wrong += mismatches(fresh, min(size, word(slot + 8)) & -256, word(slot + 16))
    else:
        return drop(slot)
    if fresh == 0:
        return wrong
    atomic_add(POOLED, size >= POOLED_BYTES, Order.RELAXED)
    set_word(slot, fresh)
    set_word(slot + 8, size)
    set_word(slot + 16, tag)
    fill(fresh, size, tag)
    return wrong + (fresh & 63 != 0)


def drop(slot: int) -> int:
    address = word(slot)
    if address == 0:
        return 0
    wrong = mismatches(address, word(slot + 8), word(slot + 16))
    call_void(word(FUNCTIONS + 16), address)
    set_word(slot, 0)
    return wrong


def fill(address: int, size: int, tag: int) -> None:
    for number in range(size >> 8):
        set_word(address + (number << 8), tag)
    if size >= 8:
        set_word(address + (size - 8 & -8), tag)


def mismatches(address: int, size: int, tag: int) -> int:
    wrong = 0
    for number in range(size >> 8):
        wrong += word(address + (number << 8)) != tag
    if size & 255 >= 8 and word(address + (size - 8 & -8)) != tag:
        wrong += 1
    return wrong


def random_size(random: int) -> int:
    """Often the same few sizes, so that threads fight for the same blocks; sometimes small, sometimes huge."""
    kind = next_random(random) % 64
    if kind < 8:
        return next_random(random) % POOLED_BYTES
    if kind == 8:
        return (1 << 21) + next_random(random) % 100000
    return POOLED_BYTES + 20000 * (next_random(random) % 5) + next_random(random) % 100


def next_random(state: int) -> int:
    """A number that is not negative (Marsaglia's xorshift)."""
    value = word(state)
    value = value ^ (value << 13)
    value = value ^ (value >> 7)
    value = value ^ (value << 17)
    set_word(state, value)
    return value >> 1
