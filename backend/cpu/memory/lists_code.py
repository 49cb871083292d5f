"""The native code that makes lists of numbers, in the part of Python that `native_python/translator.py` translates."""

from __future__ import annotations

from ..native_python.intrinsics import CFunction, call_double, set_word, word
from ..native_python.layout import LIST_ITEMS, WORD

PyList_New = CFunction(1)
PyLong_FromLongLong = CFunction(1)
Py_DecRef = CFunction(1, "void")


def weft_lists(data: int, new_float: int, size: int, starts: int, counts: int, number: int) -> int:
    """A list of so many lists of words of `data`, or of floats where it is told what makes one; 0 after an exception.

    Where a list does not lie within the words, the result is its number.
    """
    for i in range(number):
        start = word(starts + WORD * i)
        count = word(counts + WORD * i)
        if start < 0 or count < 0 or count > size or start > size - count:
            return PyLong_FromLongLong(i)
    made = PyList_New(number)
    if made == 0:
        return 0
    for i in range(number):
        numbers = new_list(data + WORD * word(starts + WORD * i), new_float, word(counts + WORD * i))
        if numbers == 0:
            Py_DecRef(made)
            return 0
        set_word(word(made + LIST_ITEMS) + WORD * i, numbers)
    return made


def new_list(data: int, new_float: int, count: int) -> int:
    """A list of numbers; 0 after an exception."""
    made = PyList_New(count)
    if made == 0:
        return 0
    place = word(made + LIST_ITEMS)
    for i in range(count):
        value = word(data + WORD * i)
        number = PyLong_FromLongLong(value) if new_float == 0 else call_double(new_float, value)
        if number == 0:
            Py_DecRef(made)
            return 0
        set_word(place + WORD * i, number)
    return made
