"""Native code that gives memory in a module of WebAssembly: the first free block that fits.

Translated to native code: every value is a 64-bit integer. A block begins with its size, and behind that a free
one has the address of the next.
"""

from __future__ import annotations

from ..native_python.intrinsics import Static, set_word, word
from .given_memory import memory_grow

FREE = Static(1)
"""The address of the first free block."""
HEAD = 16
"""Bytes in front of what is given, to a multiple of which sizes are rounded."""
NEXT = 8
PAGE = 1 << 16


def weft_give(count: int) -> int:
    """The address of so many bytes, or 0."""
    size = (count + 2 * HEAD - 1) // HEAD * HEAD
    while True:
        link = FREE + 0
        block = word(FREE)
        while block != 0:
            if word(block) >= size:
                return cut(link, block, size)
            link = block + NEXT
            block = word(link)
        pages = (size + PAGE - 1) // PAGE
        first = memory_grow(pages)
        if first < 0:
            return 0
        set_word(first * PAGE, pages * PAGE)
        weft_take_back(first * PAGE + HEAD)


def cut(link: int, block: int, size: int) -> int:
    """Take a block out of the free ones, to which what is more than a size goes back."""
    rest = word(block) - size
    following = word(block + NEXT)
    if rest >= 2 * HEAD:
        set_word(block, size)
        set_word(block + size, rest)
        set_word(block + size + NEXT, following)
        following = block + size
    set_word(link, following)
    return block + HEAD


def weft_take_back(address: int) -> int:
    """Make a block free, and one with its neighbours that are."""
    if address == 0:
        return 0
    block = address - HEAD
    before = 0
    link = FREE + 0
    behind = word(FREE)
    while behind != 0 and behind < block:
        before = behind
        link = behind + NEXT
        behind = word(link)
    set_word(block + NEXT, behind)
    set_word(link, block)
    join(block)
    if before != 0:
        join(before)
    return 0


def join(block: int) -> int:
    """Make a free block one with the next, if that begins where it ends."""
    behind = word(block + NEXT)
    if behind == block + word(block):
        set_word(block, word(block) + word(behind))
        set_word(block + NEXT, word(behind + NEXT))
    return 0
