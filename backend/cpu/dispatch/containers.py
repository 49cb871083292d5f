"""Native code: whether a container holds what it held, all the way down, compared with a picture of it in memory.

Nothing that is compared runs code of others, and the interpreter's lock is held all the time: nothing needs to be kept
alive on the way.
"""

from __future__ import annotations

from ..native_python.intrinsics import api, call, call_int, call_void, set_word, stack, word
from ..native_python.layout import (
    LIST_ITEMS,
    REFERENT,
    SIZE,
    TUPLE_ITEMS,
    TYPE,
    VALUE,
    WORD,
    Api,
    Entry,
    Node,
)


def weft_fits_picture(value: int, node: int) -> int:
    """Whether a container is as a node tells: 1 or 0, -1 after an exception."""
    if value == word(node + Node.ITSELF):
        return 1
    if word(value + TYPE) != word(node + Node.KIND):
        return 0
    layout = word(node + Node.LAYOUT)
    if layout == Node.SET:
        return has_members(value, node)
    if word(value + SIZE) != word(node + Node.COUNT):
        return 0
    if layout == Node.DICT:
        return has_entries(value, node)
    return has_items(word(value + LIST_ITEMS) if layout == Node.LIST else value + TUPLE_ITEMS, node)


def has_items(items: int, node: int) -> int:
    """Whether the items of a list or tuple are those of a node."""
    entry = node + Node.SIZE
    end = items + WORD * word(node + Node.COUNT)
    while items < end:
        value = word(items)
        how = word(entry + Entry.HOW)
        first = word(entry + Entry.FIRST)
        entry += Entry.SIZE
        if how == Entry.INNER:
            holds = weft_fits_picture(value, entry)
            entry += first
        else:
            holds = is_value(value, how, first)
        if holds <= 0:
            return holds
        items += WORD
    return 1


def has_entries(entries: int, node: int) -> int:
    """Whether the entries of a dict are those of a node, in the same order."""
    entry = node + Node.SIZE
    place = stack(3)
    set_word(place, 0)
    for _index in range(word(node + Node.COUNT)):
        if call_int(api(Api.NEXT_ENTRY), entries, place, place + WORD, place + 2 * WORD) == 0:
            return 0
        holds = is_key(word(place + WORD), word(entry), word(entry + WORD))
        if holds <= 0:
            return holds
        value = word(place + 2 * WORD)
        how = word(entry + 2 * WORD + Entry.HOW)
        first = word(entry + 2 * WORD + Entry.FIRST)
        entry += 2 * WORD + Entry.SIZE
        if how == Entry.INNER:
            holds = weft_fits_picture(value, entry)
            entry += first
        else:
            holds = is_value(value, how, first)
        if holds <= 0:
            return holds
    return 1


def has_members(members: int, node: int) -> int:
    """Whether a set gives the very objects of a node, in the same order; it may still hold equal ones."""
    entry = node + Node.SIZE
    iterator = call(api(Api.GET_ITERATOR), members)
    if iterator == 0:
        return -1
    holds = 1
    count = word(node + Node.COUNT)
    for index in range(count + 1):
        found = call(api(Api.NEXT_OF_ITERATOR), iterator)
        if found == 0:
            holds = index == count
            break
        call_void(api(Api.DECREF), found)
        if index == count or found != word(entry + Entry.FIRST):
            holds = 0
            break
        entry += Entry.SIZE
    call_void(api(Api.DECREF), iterator)
    if holds == 0 or call(api(Api.ERROR)) == 0:
        return holds
    return -1


def is_key(key: int, known: int, kind: int) -> int:
    """Whether a key of a dict is a known one; those without a type, which are not compared by value, are one object."""
    if key == known:
        return 1
    if kind == 0 or word(key + TYPE) != kind:
        return 0
    return call_int(api(Api.COMPARE), key, known, 2)


def is_value(value: int, how: int, first: int) -> int:
    """Whether a value is that of an entry which is no container."""
    if how == Entry.REFERS:
        return value == word(first + REFERENT) and value != api(Api.NONE)
    if value == first or how == Entry.ANY:
        return 1
    if how == Entry.IS or word(value + TYPE) != word(first + TYPE):
        return 0
    if how == Entry.EQUAL:
        return call_int(api(Api.COMPARE), value, first, 2)
    return call_int(api(Api.COMPARE_MEMORY), value + VALUE, first + VALUE, how) == 0
