"""The memory that compiled code asks for, of which some is not there; translated, not run.

What gives memory and takes it back is called through addresses; requests are counted over all threads.
"""

from __future__ import annotations

from weft.backend.cpu.native_python.intrinsics import (
    Order,
    Static,
    atomic_add,
    atomic_load,
    atomic_store,
    call,
    call_void,
    set_word,
    word,
)

FUNCTIONS = Static(2)
"""To allocate and to free."""
REFUSED = Static(2)
"""The first request that is refused, and how many are."""
REQUESTS = Static(1)
OUTSTANDING = Static(1)
"""How many blocks were given and not taken back."""


def use(allocate: int, release: int) -> None:
    set_word(FUNCTIONS, allocate)
    set_word(FUNCTIONS + 8, release)


def refuse(first: int, count: int) -> None:
    atomic_store(REFUSED, first, Order.RELAXED)
    atomic_store(REFUSED + 8, count, Order.RELAXED)
    atomic_store(REQUESTS, 0, Order.RELAXED)


def requests() -> int:
    return atomic_load(REQUESTS, Order.RELAXED)


def outstanding() -> int:
    return atomic_load(OUTSTANDING, Order.RELAXED)


def allocate(size: int) -> int:
    number = atomic_add(REQUESTS, 1, Order.RELAXED) - atomic_load(REFUSED, Order.RELAXED)
    if number >= 0 and number < atomic_load(REFUSED + 8, Order.RELAXED):
        return 0
    given = call(word(FUNCTIONS), size)
    if given != 0:
        atomic_add(OUTSTANDING, 1, Order.RELAXED)
    return given


def allocate_aligned(_alignment: int, size: int) -> int:
    return allocate(size)


def release(data: int) -> None:
    if data != 0:
        atomic_add(OUTSTANDING, -1, Order.RELAXED)
    call_void(word(FUNCTIONS + 8), data)
