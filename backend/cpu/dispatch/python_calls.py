"""Native code: calls of Python."""

from __future__ import annotations

from ..native_python.intrinsics import api, call, call_void, set_word, stack, word
from ..native_python.layout import (
    COUNT_MASK,
    HAS_VECTORCALL,
    SIZE,
    TYPE,
    TYPE_FLAGS,
    VECTORCALL_OFFSET,
    WORD,
    Api,
)


def weft_vectorcall(function: int, arguments: int, count: int, keywords: int) -> int:
    """What CPython's function of this name does, which Python 3.10 does not export."""
    kind = word(function + TYPE)
    if word(kind + TYPE_FLAGS) & HAS_VECTORCALL != 0:
        entry = word(function + word(kind + VECTORCALL_OFFSET))
        if entry != 0:
            return call(entry, function, arguments, count, keywords)
    thread = call(api(Api.THREAD_STATE))
    return call(api(Api.MAKE_CALL), thread, function, arguments, count & COUNT_MASK, keywords)


def call_one(function: int, argument: int) -> int:
    """Call a function with one argument."""
    passed = stack(1)
    set_word(passed, argument)
    return call(api(Api.VECTORCALL), function, passed, 1, 0)


def call_with(function: int, first: int, arguments: int, flagged: int, keywords: int) -> int:
    """Call a function with one more argument before the others."""
    count = flagged & COUNT_MASK
    if flagged != count:  # the caller lends the word before the arguments
        place = arguments - WORD
        before = word(place)
        set_word(place, first)
        result = call(api(Api.VECTORCALL), function, place, count + 1, keywords)
        set_word(place, before)
        return result
    total = count + (word(keywords + SIZE) if keywords != 0 else 0)
    passed = call(api(Api.ALLOCATE), WORD * (total + 1))
    if passed == 0:
        return 0
    set_word(passed, first)
    for index in range(total):
        set_word(passed + WORD + WORD * index, word(arguments + WORD * index))
    result = call(api(Api.VECTORCALL), function, passed, count + 1, keywords)
    call_void(api(Api.FREE), passed)
    return result
