"""Native code: lists of Python's numbers are made of memory."""

from __future__ import annotations

from ..native_python.intrinsics import api, byte, call, call_double, call_void, set_word, word
from ..native_python.layout import ARRAY_DATA, ARRAY_SHAPE, LIST_ITEMS, WORD, Api, Numbers


def weft_lists(data: int, kind: int, size: int, starts: int, counts: int, number: int) -> int:
    """A list of so many lists of numbers of `data`, which are of a kind; 0 after an exception.

    Where a list does not lie within the numbers, the result is its number.
    """
    for i in range(number):
        start = word(starts + WORD * i)
        count = word(counts + WORD * i)
        if start < 0 or count < 0 or count > size or start > size - count:
            return call(api(Api.FROM_INTEGER), i)
    width = 1 if kind == Numbers.TRUTH else WORD
    made = call(api(Api.NEW_LIST), number)
    if made == 0:
        return 0
    for i in range(number):
        numbers = new_list(data + width * word(starts + WORD * i), kind, word(counts + WORD * i))
        if numbers == 0:
            call_void(api(Api.DECREF), made)
            return 0
        set_word(word(made + LIST_ITEMS) + WORD * i, numbers)
    return made


def new_list(data: int, kind: int, count: int) -> int:
    """A list of numbers; 0 after an exception."""
    made = call(api(Api.NEW_LIST), count)
    if made == 0:
        return 0
    place = word(made + LIST_ITEMS)
    for i in range(count):
        number = 0
        if kind == Numbers.INTEGER:
            number = call(api(Api.FROM_INTEGER), word(data + WORD * i))
        elif kind == Numbers.FLOAT:
            number = call_double(api(Api.FROM_FLOAT), word(data + WORD * i))
        else:
            number = call(api(Api.FROM_TRUTH), byte(data + i))
        if number == 0:
            call_void(api(Api.DECREF), made)
            return 0
        set_word(place + WORD * i, number)
    return made


def list_of(array: int, kind: int) -> int:
    """A list of the numbers in an array of one dimension; 0 after an exception."""
    return new_list(word(array + ARRAY_DATA), kind, word(word(array + ARRAY_SHAPE)))


def lists_of(array: int, kind: int, starts: int, counts: int) -> int:
    """The same as `weft_lists`, of arrays."""
    size = word(word(array + ARRAY_SHAPE))
    number = word(word(counts + ARRAY_SHAPE))
    places = word(starts + ARRAY_DATA)
    return weft_lists(word(array + ARRAY_DATA), kind, size, places, word(counts + ARRAY_DATA), number)
