"""Sorting and selecting in rows, around NumPy's sorts, which use the vectors of the processor.

Translated to native code (see `native_python/translator.py`) for each dtype of keys: every value is a 64-bit integer.
"""

from __future__ import annotations

from ..native_python.intrinsics import half, set_word, stack, word
from .digits import is_sorted_by_digits, load, sort_by_digits, store
from .given import (
    are_complex,
    are_floats,
    copy_bytes,
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
        if are_complex():
            numpy_sort(target, length, 0)
        elif length > FEW:
            sort_keys(target, length)
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


def weft_select_several(source: int, target: int, length: int, places: int, count: int) -> int:
    """Write integers so that those of some places, which ascend, are there; places beyond an end are that end."""
    if source != target:
        copy_bytes(target, source, length * key_bytes())
    before = 0
    for number in range(count):
        place = word(places + 8 * number)
        place = length - 1 if place >= length else place
        place = 0 if place < 0 else place
        if before <= place and place < length:
            rest = target + before * key_bytes()
            if length - before <= FEW:
                sort_few(rest, length - before, key_bytes())
                before = length
            else:
                weft_select(rest, rest, length - before, place - before)
                before = place + 1
    return 0


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
    differ = differ << 32
    if is_sorted_by_digits(differ, length, 8) and sort_by_digits(words, length, 8, differ):
        return 0
    return numpy_sort_words(words, length, 0)


def sort_keys(keys: int, length: int) -> int:
    """Sort in place, the faster way."""
    differ = 0
    first = ordered_bits(keys)
    for number in range(length):
        differ = differ | (ordered_bits(keys + number * key_bytes()) ^ first)
    if not is_sorted_by_digits(differ, length, key_bytes()):
        return numpy_sort(keys, length, 0)
    order_bits(keys, length)
    is_sorted = sort_by_digits(keys, length, key_bytes(), differ)
    restore_bits(keys, length)
    return 0 if is_sorted else numpy_sort(keys, length, 0)


def sort_few_keys(keys: int, length: int) -> int:
    """Sort in place, without a branch that depends on keys."""
    order_bits(keys, length)
    sort_few(keys, length, key_bytes())
    return restore_bits(keys, length)


def order_bits(keys: int, length: int) -> int:
    """Make integers of floats, in their order."""
    if are_floats():
        for number in range(length):
            here = keys + number * key_bytes()
            set_key(here, ordered_bits(here))
    return 0


def restore_bits(keys: int, length: int) -> int:
    """Make floats again of the integers that they became."""
    if are_floats():
        for number in range(length):
            here = keys + number * key_bytes()
            set_key(here, invert_negative(key(here)))
    return 0


def ordered_bits(address: int) -> int:
    """The integer that orders a key: of a float, the bits, all NaN without their sign, which puts them last."""
    bits = key(address)
    if are_floats():
        magnitude = bits & largest_key()
        bits = invert_negative(magnitude if magnitude > infinity() else bits)
    return bits


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
