"""Sorting and selecting in rows, around NumPy's sorts, which use the vectors of the processor.

Translated to native code (see `native_python/translator.py`) for each dtype of keys: every value is a 64-bit integer.
"""

from __future__ import annotations

from ..native_python.intrinsics import half, set_half, set_word, stack, word
from .given import (
    allocate,
    are_complex,
    are_floats,
    copy_bytes,
    free,
    key_bytes,
    numpy_argsort,
    numpy_sort,
    numpy_sort_words,
)

FEW = 6
"""As many keys are sorted in less time than a call of NumPy's sorts takes."""

PLACES = 1 << 32
"""As many places fit into half of a word."""

PLACE = PLACES - 1
LOWER_SIGN = 1 << 31

MANY = 200
"""From so many words on, those that differ in few digits are sorted digit by digit."""

DIGITS = 2
"""In as many digits at most."""

BUCKETS = 256
"""How many values a digit has."""

BLOCK = 128
"""As many keys are sorted rather than selected from."""

SAMPLE = 64
"""Keys among which a pivot is chosen."""

MARGIN = 4
"""How far in the sample the pivot is from what is looked for, so that most of the keys are on the other side."""

ROUNDS = 40
"""After so many bad pivots all is sorted: no input takes longer than a constant times n log n steps."""

LARGEST = (1 << 63) - 1


def weft_sort(source: int, target: int, length: int, rows: int) -> int:
    """Write the keys of rows in their order; `source` may be `target`."""
    if source != target:
        copy_bytes(target, source, rows * length * key_bytes())
    for _row in range(rows):
        if length > FEW or are_complex():
            numpy_sort(target, length, 0)
        else:
            sort_few_keys(target, length)
        target += length * key_bytes()
    return 0


def weft_argsort(keys: int, target: int, length: int, rows: int) -> int:
    """Write the places of the keys of rows in their order; those of equal keys ascend."""
    for _row in range(rows):
        if length > PLACES or are_complex():
            for place in range(length):
                set_word(target + 8 * place, place)
            numpy_argsort(keys, target, length, 0)
        elif length > FEW:
            sort_places(keys, target, length)
        else:
            sort_few_places(keys, target, length)
        keys += length * key_bytes()
        target += length * 8
    return 0


def weft_select(source: int, target: int, length: int, place: int) -> int:
    """Write integers so that the one of a place is there, smaller ones before it, larger ones behind it."""
    if source != target:
        copy_bytes(target, source, length * key_bytes())
    sample = stack(SAMPLE)
    rounds = ROUNDS
    while length > BLOCK and rounds > 0:
        rounds -= 1
        pivot = choose_pivot(target, length, place, sample)
        smaller = partition(target, length, pivot)
        if smaller == 0:
            # Nothing is smaller: all that is equal to the pivot goes in front.
            if pivot == LARGEST:
                return 0
            smaller = partition(target, length, pivot + 1)
            if place < smaller:
                return 0
        if place < smaller:
            length = smaller
        else:
            target += smaller * key_bytes()
            length -= smaller
            place -= smaller
    return numpy_sort(target, length, 0)


def choose_pivot(keys: int, length: int, place: int, sample: int) -> int:
    """The key of a sample that is most likely beside what belongs at a place, on the side where more keys are."""
    distance = key_bytes() * (length // SAMPLE)
    for number in range(SAMPLE):
        set_key(sample + number * key_bytes(), key(keys + number * distance))
    numpy_sort(sample, SAMPLE, 0)
    rank = place * SAMPLE // length
    rank += MARGIN if 2 * place < length else -MARGIN
    rank = 0 if rank < 0 else rank
    rank = SAMPLE - 1 if rank >= SAMPLE else rank
    return key(sample + rank * key_bytes())


def partition(keys: int, length: int, pivot: int) -> int:
    """Put what is smaller than a pivot in front; how many that are. There is no branch that depends on keys."""
    smaller = 0
    for number in range(length):
        here = keys + number * key_bytes()
        front = keys + smaller * key_bytes()
        value = key(here)
        set_key(here, key(front))
        set_key(front, value)
        smaller += value < pivot
    return smaller


def sort_places(keys: int, target: int, length: int) -> int:
    """Sort words of half a key above its place: no two are equal."""
    differ = 0
    first = upper_half(keys)
    for place in range(length):
        upper = upper_half(keys + place * key_bytes())
        differ = differ | (upper ^ first)
        set_word(target + 8 * place, (upper << 32) | place)
    sort_words(target, length, differ)
    if key_bytes() == 8:
        start = 0
        while start < length:
            start += sort_equal(keys, target + 8 * start, length - start)
    for place in range(length):
        set_word(target + 8 * place, word(target + 8 * place) & PLACE)
    return 0


def sort_equal(keys: int, target: int, length: int) -> int:
    """Sort the words in front whose upper halves are equal by the lower halves of their keys; how many that are."""
    upper = half(target + 4)
    count = 1
    while count < length and half(target + 8 * count + 4) == upper:
        count += 1
    if count == 1:
        return count
    differ = 0
    first = half(keys + 8 * (word(target) & PLACE))
    for number in range(count):
        place = word(target + 8 * number) & PLACE
        lower = half(keys + 8 * place)
        differ = differ | (lower ^ first)
        set_word(target + 8 * number, ((lower ^ LOWER_SIGN) << 32) | place)
    sort_words(target, count, differ)
    return count


def upper_half(address: int) -> int:
    """The upper half of a key, with its sign; all of it if it has 32 bits."""
    return half(address + key_bytes() - 4)


def sort_words(words: int, length: int, differ: int) -> int:
    """Sort words by their upper halves, of which some bits differ; they are in the order of their lower halves."""
    if differ == 0:
        return 0
    if length <= FEW:
        return sort_few(words, length, 8)
    digits = 0
    for digit in range(4):
        digits += ((differ >> (8 * digit)) & (BUCKETS - 1)) != 0
    if length < MANY or digits > DIGITS:
        return numpy_sort_words(words, length, 0)
    scratch = allocate(8 * length)
    if scratch == 0:
        return numpy_sort_words(words, length, 0)
    source = words
    target = scratch
    for digit in range(4):
        if (differ >> (8 * digit)) & (BUCKETS - 1):
            distribute(source, target, length, 32 + 8 * digit)
            source = target
            target = words if source == scratch else scratch
    if source == scratch:
        copy_bytes(words, scratch, 8 * length)
    return free(scratch)


def distribute(source: int, target: int, length: int, shift: int) -> int:
    """Copy words in the order of one digit; those of equal digits keep theirs (Knuth, TAOCP 5.2.5)."""
    counts = stack(BUCKETS)
    sign = BUCKETS // 2 if shift == 56 else 0
    for bucket in range(BUCKETS):
        set_word(counts + 8 * bucket, 0)
    for number in range(length):
        digit = (word(source + 8 * number) >> shift) & (BUCKETS - 1)
        entry = counts + 8 * (digit ^ sign)
        set_word(entry, word(entry) + 1)
    first = 0
    for bucket in range(BUCKETS):
        count = word(counts + 8 * bucket)
        set_word(counts + 8 * bucket, first)
        first += count
    for number in range(length):
        value = word(source + 8 * number)
        entry = counts + 8 * (((value >> shift) & (BUCKETS - 1)) ^ sign)
        place = word(entry)
        set_word(entry, place + 1)
        set_word(target + 8 * place, value)
    return 0


def sort_few_keys(keys: int, length: int) -> int:
    """Sort in place; floats become integers, and floats again."""
    if are_floats():
        for number in range(length):
            here = keys + number * key_bytes()
            bits = key(here)
            magnitude = bits & largest_key()
            bits = magnitude if magnitude > infinity() else bits
            set_key(here, invert_negative(bits))
    sort_few(keys, length, key_bytes())
    if are_floats():
        for number in range(length):
            here = keys + number * key_bytes()
            set_key(here, invert_negative(key(here)))
    return 0


def largest_key() -> int:
    """The largest integer of the size of a key."""
    return LARGEST >> (64 - 8 * key_bytes())


def infinity() -> int:
    """The bits of infinity; those of NaN are larger, but for their sign."""
    return 0x7F800000 if key_bytes() == 4 else 0x7FF0000000000000


def invert_negative(bits: int) -> int:
    """Invert the bits behind a minus sign, which orders floats as integers; twice gives the same again."""
    return bits ^ (-(bits >> 63) & largest_key())


def sort_few(keys: int, length: int, size: int) -> int:
    """Sort integers of a size in place, without a branch that depends on them."""
    for last in range(length):
        right = keys + last * size
        while right > keys:
            left = right - size
            first = load(left, size)
            second = load(right, size)
            store(left, first if first < second else second, size)
            store(right, second if first < second else first, size)
            right = left
    return 0


def sort_few_places(keys: int, target: int, length: int) -> int:
    """Sort the places of keys, without a branch that depends on keys."""
    for last in range(length):
        right = target + 8 * last
        set_word(right, last)
        while right > target:
            left = right - 8
            first = word(left)
            second = word(right)
            swap = key(keys + second * key_bytes()) < key(keys + first * key_bytes())
            set_word(left, second if swap else first)
            set_word(right, first if swap else second)
            right = left
    return 0


def key(address: int) -> int:
    """The key at an address."""
    return load(address, key_bytes())


def set_key(address: int, value: int) -> int:
    """Store a key."""
    return store(address, value, key_bytes())


def load(address: int, size: int) -> int:
    """The integer of 4 or 8 bytes at an address."""
    return half(address) if size == 4 else word(address)


def store(address: int, value: int, size: int) -> int:
    """Store an integer of 4 or 8 bytes."""
    if size == 4:
        set_half(address, value)
    else:
        set_word(address, value)
    return 0
