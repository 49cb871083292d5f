"""Native code that shares work with the pool of threads, and checks that all of it is done once; translated, not run.

A board is a word, the tag of its owner, and cells of two words: how often an index was worked on, and the tag plus the
index, which is written without atomics: who called has to see it.
"""

from __future__ import annotations

from weft.backend.cpu.native_python.intrinsics import (
    CFunction,
    Order,
    Static,
    address_of,
    atomic_add,
    atomic_load,
    atomic_store,
    call_void,
    pause,
    set_word,
    stack,
    word,
)

pthread_create = CFunction(4, "i32")

WORD = 8
CELL = 2 * WORD
INNER = 20
"""Iterations of a loop in a loop."""
AGAIN = 11
"""What pthread_create returns when there is no room for a thread."""

SHARE = Static(1)
"""The function of the pool."""
STARTS = Static(1)
"""How many threads were asked for."""
REFUSED = Static(2)
"""From which one on, and how many, cannot be started."""


def use(share: int) -> None:
    set_word(SHARE, share)


def refuse(first: int, count: int) -> None:
    atomic_store(REFUSED + WORD, count, Order.RELAXED)
    atomic_store(REFUSED, first, Order.RELAXED)
    atomic_store(STARTS, 0, Order.RELAXED)


def starts() -> int:
    return atomic_load(STARTS, Order.RELAXED)


def counted_create(handle: int, attributes: int, function: int, argument: int) -> int:
    number = atomic_add(STARTS, 1, Order.RELAXED) - atomic_load(REFUSED, Order.RELAXED)
    if number >= 0 and number < atomic_load(REFUSED + WORD, Order.RELAXED):
        return AGAIN
    return pthread_create(handle, attributes, function, argument)


def mark(begin: int, end: int, board: int) -> None:
    """A body: count in each cell, and write the tag; some take long."""
    while begin < end:
        cell = board + WORD + CELL * begin
        if (word(board) + begin) & 31 == 0:
            for _wait in range(300):
                pause()
        atomic_add(cell, 1, Order.RELAXED)
        set_word(cell + WORD, word(board) + begin)
        begin += 1


def mark_rows(begin: int, end: int, boards: int) -> None:
    """A body that shares work itself: a board for each iteration."""
    while begin < end:
        board = boards + (WORD + CELL * INNER) * begin
        call_void(word(SHARE), address_of(mark), INNER, 1, board)
        begin += 1


def count_wrong(board: int, iterations: int) -> int:
    """How many cells were not worked on once; all are cleared."""
    wrong = 0
    for index in range(iterations):
        cell = board + WORD + CELL * index
        wrong += word(cell) != 1 or word(cell + WORD) != word(board) + index
        set_word(cell, 0)
    return wrong


def drive(board: int, most: int, rounds: int, seed: int) -> int:
    """Share loops of less than `most` iterations, of any grain; how many iterations were not done once."""
    random = stack(1)
    set_word(random, seed * 0x1E3779B97F4A7C15 | 1)
    wrong = 0
    for _round in range(rounds):
        iterations = next_random(random) % most
        grain = 1 + next_random(random) % 8
        set_word(board, next_random(random))
        call_void(word(SHARE), address_of(mark), iterations, grain if iterations % 2 else -grain, board)
        wrong += count_wrong(board, iterations)
    return wrong


def drive_nested(boards: int, rows: int, rounds: int, seed: int) -> int:
    """Share loops whose iterations share loops."""
    wrong = 0
    for serial in range(rounds):
        for row in range(rows):
            set_word(boards + (WORD + CELL * INNER) * row, seed + serial + row)
        call_void(word(SHARE), address_of(mark_rows), rows, 1, boards)
        for row in range(rows):
            wrong += count_wrong(boards + (WORD + CELL * INNER) * row, INNER)
    return wrong


def next_random(state: int) -> int:
    """A number that is not negative (Marsaglia's xorshift)."""
    value = word(state)
    value = value ^ (value << 13)
    value = value ^ (value >> 7)
    value = value ^ (value << 17)
    set_word(state, value)
    return value >> 1
