"""Sorts in the place of NumPy's, for what is not sorted digit by digit: native code, translated with `sorting/rows.py`.

A heap needs no memory. Places of equal keys stay in their order, as they are compared by themselves then.
"""

from __future__ import annotations

from ..native_python.intrinsics import half, set_half, set_word, word
from ..sorting.given import are_complex, are_floats, key_bytes

LARGEST = (1 << 63) - 1
BY_WORD, BY_KEY = 0, 1
"""How elements are compared: as words, as keys, or as places of keys whose address is given instead."""


def numpy_sort(keys: int, length: int, _unused: int) -> int:
    """Sort keys."""
    return sort_heap(keys, length, key_bytes(), BY_KEY)


def numpy_argsort(keys: int, places: int, length: int, _unused: int) -> int:
    """Sort places by the keys there."""
    return sort_heap(places, length, 8, keys)


def numpy_sort_words(words: int, length: int, _unused: int) -> int:
    """Sort words."""
    return sort_heap(words, length, 8, BY_WORD)


def sort_heap(base: int, length: int, size: int, order: int) -> int:
    """Sort elements of a size."""
    root = length // 2
    while root > 0:
        root -= 1
        sift(base, root, length, size, order)
    while length > 1:
        length -= 1
        exchange(base, base + length * size, size)
        sift(base, 0, length, size, order)
    return 0


def sift(base: int, root: int, length: int, size: int, order: int) -> None:
    """Let an element sink until it is before nothing that is below it."""
    child = 2 * root + 1
    while child < length:
        if child + 1 < length and is_before(base + child * size, base + (child + 1) * size, order):
            child += 1
        if not is_before(base + root * size, base + child * size, order):
            return
        exchange(base + root * size, base + child * size, size)
        root = child
        child = 2 * root + 1


def exchange(first: int, second: int, size: int) -> None:
    """Exchange two elements."""
    if size == 4:
        kept = half(first)
        set_half(first, half(second))
        set_half(second, kept)
        return
    for number in range(size // 8):
        kept = word(first + 8 * number)
        set_word(first + 8 * number, word(second + 8 * number))
        set_word(second + 8 * number, kept)


def is_before(first: int, second: int, order: int) -> int:
    """Whether an element belongs before another one."""
    if order == BY_WORD:
        return word(first) < word(second)
    if order == BY_KEY:
        return is_smaller(first, second)
    one = word(first)
    other = word(second)
    if is_smaller(order + one * key_bytes(), order + other * key_bytes()):
        return 1
    if is_smaller(order + other * key_bytes(), order + one * key_bytes()):
        return 0
    return one < other


def is_smaller(first: int, second: int) -> int:
    """Whether a key is smaller than another one; NaN is the largest."""
    if are_complex():
        return is_smaller_complex(first, second, key_bytes() // 2)
    size = key_bytes()
    if are_floats():
        return ordered(first, size) < ordered(second, size)
    return (half(first) if size == 4 else word(first)) < (half(second) if size == 4 else word(second))


def is_smaller_complex(first: int, second: int, size: int) -> int:
    """By the real part, then by the imaginary one; behind all others those with NaN, in the real part last."""
    one = ordered(first, size)
    other = ordered(second, size)
    below = ordered(first + size, size)
    under = ordered(second + size, size)
    kind = 2 * (one == LARGEST) + (below == LARGEST)
    rank = 2 * (other == LARGEST) + (under == LARGEST)
    if kind != rank:
        return kind < rank
    return one < other or (one == other and below < under)


def ordered(address: int, size: int) -> int:
    """The integer that orders a float; both zeros are equal, and so are all NaN."""
    bits = half(address) if size == 4 else word(address)
    largest = LARGEST >> (64 - 8 * size)
    magnitude = bits & largest
    if magnitude > (0x7F800000 if size == 4 else 0x7FF0000000000000):
        return LARGEST
    return -magnitude if bits < 0 else magnitude
