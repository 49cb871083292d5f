"""Native code: whether arguments, and what a function reads besides, are those that something was compiled for.

The operations of a descriptor work on values. The word in front of the values is the address behind the last object
that the call owns, so that it is given back in the end.
"""

from __future__ import annotations

from ..native_python.intrinsics import api, byte, call, call_int, call_void, half, set_word, stack, word
from ..native_python.layout import (
    ALIGNED,
    ARRAY_DATA,
    ARRAY_FLAGS,
    ARRAY_RANK,
    ARRAY_SHAPE,
    ARRAY_TYPE,
    C_ORDER,
    CELL_CONTENT,
    CONTIGUOUS,
    DICT_VERSION,
    LIST_ITEMS,
    METHOD_FUNCTION,
    NAMED_ORDER,
    NATIVE_ORDER,
    NO_ORDER,
    REFERENT,
    SCALAR_WORDS,
    SIZE,
    TUPLE_ITEMS,
    TYPE,
    TYPE_NUMBER,
    TYPE_ORDER,
    VALUE,
    WORD,
    Api,
    Array,
    Check,
    Device,
    Level,
    Operation,
    Packing,
)
from .containers import weft_fits_picture
from .device_streams import is_used_by
from .python_calls import call_one


def admitted(operation: int, values: int) -> int:  # noqa: C901  (a switch)
    """Run the operations: 1 if all hold, 0 if one does not, -1 after an exception."""
    while True:
        code = word(operation + Operation.CODE)
        value = word(values + word(operation + Operation.SOURCE))
        first = word(operation + Operation.FIRST)
        second = word(operation + Operation.SECOND)
        third = word(operation + Operation.THIRD)
        target = values + word(operation + Operation.TARGET)
        holds = 1
        if code == Check.END:
            return 1
        if code == Check.ARRAY:
            holds = is_array(value, first)
        elif code == Check.DEVICE_ARRAY:
            holds = is_device_array(value, first, second, target)
        elif code == Check.SCALAR:
            holds = word(value + TYPE) == first
            set_word(target, target + WORD)
            set_word(target + WORD + ARRAY_DATA, value + VALUE)
        elif code == Check.INTEGER:
            holds = word(value + TYPE) == first
            if holds:
                holds = is_short(value, target)
        elif code == Check.FLOATS or code == Check.INTEGERS:
            holds = word(value + TYPE) == first and word(value + SIZE) == second
            if holds:
                items = word(value + LIST_ITEMS) if first == api(Api.LIST_TYPE) else value + TUPLE_ITEMS
                if code == Check.FLOATS:
                    holds = are_floats(items, second, third, target)
                else:
                    holds = are_integers(items, second, third, target)
        elif code == Check.PACKED:
            holds = is_packed(value, first, word(values + second) if second else 0, target)
        elif code == Check.METHOD:
            holds = is_method(value, first, second)
        elif code == Check.IS:
            holds = value == first
        elif code == Check.REFERS:
            holds = value == word(first + REFERENT) and value != api(Api.NONE)
        elif code == Check.EQUAL:
            holds = is_equal(value, first, second)
        elif code == Check.BITS:
            holds = word(value + TYPE) == first and word(value + third) == second
        elif code == Check.HOLDS:
            holds = is_true(call_one(first, value))
        elif code == Check.ASK:
            holds = is_true(call(api(Api.CALL_NONE), first))
        elif code == Check.KIND:
            holds = word(value + TYPE) == first
        elif code == Check.TUPLE:
            holds = word(value + TYPE) == first and word(value + SIZE) == second
            if holds:
                for index in range(second):
                    set_word(target + WORD * index, word(value + TUPLE_ITEMS + WORD * index))
        elif code == Check.LIST:
            holds = word(value + TYPE) == api(Api.LIST_TYPE) and word(value + SIZE) == second
            if holds:
                copy_items(values, word(value + LIST_ITEMS), second, target)
        elif code == Check.DICT:
            holds = word(value + TYPE) == api(Api.DICT_TYPE) and word(value + SIZE) == second
            if holds:
                holds = copy_in_order(values, value, first, second, target)
        elif code == Check.MEMBERS:
            holds = copy_members(values, value, operation, target)
        elif code == Check.SAME:
            holds = value == word(values + first)
        elif code == Check.DISTINCT:
            holds = are_distinct(values, first, second, values + third, word(operation + Operation.TARGET))
        elif code == Check.SEPARATE:
            holds = are_separate(values, first, second, values + third)
        elif code == Check.CONTENT:
            holds = call_int(api(Api.COMPARE_MEMORY), word(value + ARRAY_DATA), first, second) == 0
        elif code == Check.NAMES:
            holds = are_names(operation)
        elif code == Check.ABSENT:
            holds = is_absent(value, first)
        elif code == Check.CONTAINER:
            holds = weft_fits_picture(value, first)
        else:
            holds = fetched(values, code, value, first, second, target)
        if holds <= 0:
            return holds
        operation += Operation.SIZE


def fetched(  # noqa: C901  (a switch)
    values: int, code: int, value: int, first: int, second: int, target: int
) -> int:
    """Find a value, which the call owns from then on."""
    found = 0
    if code == Check.CONSTANT:
        found = first
    elif code == Check.OWNER:
        found = word(first + REFERENT)
        if found == api(Api.NONE):
            return 0
    elif code == Check.CELL:
        found = word(first + CELL_CONTENT)
        if found == 0:
            found = api(Api.UNBOUND)
    elif code == Check.GLOBAL:
        found = call(api(Api.GET_ITEM), first, second)
        if found == 0:
            if call(api(Api.ERROR)) != 0:
                return -1
            found = api(Api.UNBOUND)
    elif code == Check.ATTRIBUTE:
        found = attribute(value, first)
        if found <= 0:
            return found
        own(values, found)
        set_word(target, found)
        return 1
    elif code == Check.ITEM:
        found = item(value, first, second)
        if found <= 0:
            return found
    elif code == Check.FETCH or code == Check.COPY or code == Check.MAKE:
        if code == Check.COPY:
            found = call(api(Api.NEW_COPY), value, C_ORDER)
        elif code == Check.MAKE:
            found = call_one(first, value)
        else:
            found = call(api(Api.CALL_NONE), first)
        if found == 0:
            return -1
        own(values, found)
        set_word(target, found)
        return found != api(Api.NONE)
    else:
        return 0
    call_void(api(Api.INCREF), found)
    own(values, found)
    set_word(target, found)
    return 1


def is_short(value: int, target: int) -> int:
    """Whether a Python int has 64 bits; then what stands for an array of it is written: an address and the number."""
    number = call(api(Api.TO_INTEGER), value)
    if number == -1 and call(api(Api.ERROR)) != 0:
        call_void(api(Api.CLEAR_ERROR))
        return 0
    set_word(target, target + WORD)
    set_word(target + WORD + ARRAY_DATA, target + WORD * (SCALAR_WORDS - 1))
    set_word(target + WORD * (SCALAR_WORDS - 1), number)
    return 1


def are_floats(items: int, count: int, kind: int, target: int) -> int:
    """Whether items are floats; then what stands for arrays of them is written, with the values."""
    end = items + WORD * count
    while items < end:
        value = word(items)
        if word(value + TYPE) != kind:
            return 0
        set_word(target, target + WORD)
        set_word(target + WORD + ARRAY_DATA, target + WORD * (SCALAR_WORDS - 1))
        set_word(target + WORD * (SCALAR_WORDS - 1), word(value + VALUE))
        target += WORD * SCALAR_WORDS
        items += WORD
    return 1


def are_integers(items: int, count: int, kind: int, target: int) -> int:
    """Whether items are ints of 64 bits; then what stands for arrays of them is written, with the values."""
    end = items + WORD * count
    while items < end:
        value = word(items)
        if word(value + TYPE) != kind or is_short(value, target) == 0:
            return 0
        target += WORD * SCALAR_WORDS
        items += WORD
    return 1


def is_packed(value: int, wanted: int, array: int, target: int) -> int:
    """Whether a value holds numbers as is wanted; then an array holds them, or what stands for one is written."""
    data = target + WORD * (SCALAR_WORDS - 1)
    if array == 0:
        set_word(target, target + WORD)
        set_word(target + WORD + ARRAY_DATA, data)
    else:
        data = word(array + ARRAY_DATA)
    return packed(value, wanted, wanted + Packing.LEVELS, data) != 0


def packed(value: int, wanted: int, level: int, data: int) -> int:
    """Write the numbers in containers of containers one behind the other, if all are of a type, and ints of 64 bits;
    returns the address behind the last one, or 0.
    """
    container = word(level + Level.KIND)
    count = word(level + Level.COUNT)
    if word(value + TYPE) != container or word(value + SIZE) != count:
        return 0
    items = word(value + LIST_ITEMS) if container == api(Api.LIST_TYPE) else value + TUPLE_ITEMS
    end = items + WORD * count
    picked = word(level + Level.PICKED)
    if picked >= 0:
        items += WORD * picked
        end = items + WORD
    inner = level + Level.SIZE
    is_last = word(inner + Level.KIND) == 0
    kind = word(wanted + Packing.NUMBER)
    is_float = word(wanted + Packing.IS_FLOAT)
    while items < end:
        item = word(items)
        if is_last == 0:
            data = packed(item, wanted, inner, data)
            if data == 0:
                return 0
        else:
            if word(item + TYPE) != kind:
                return 0
            number = word(item + VALUE) if is_float else call(api(Api.TO_INTEGER), item)
            if number == -1 and is_float == 0 and call(api(Api.ERROR)) != 0:
                call_void(api(Api.CLEAR_ERROR))
                return 0
            set_word(data, number)
            data += WORD
        items += WORD
    return data


def is_method(value: int, name: int, function: int) -> int:
    """Whether an attribute of an object is a method of a function."""
    found = attribute(value, name)
    if found <= 0:
        call_void(api(Api.CLEAR_ERROR))
        return 0
    holds = word(found + TYPE) == api(Api.METHOD_TYPE) and word(found + METHOD_FUNCTION) == function
    call_void(api(Api.DECREF), found)
    return holds


def is_absent(value: int, name: int) -> int:
    """Whether an object has no attribute of a name; -1 after another exception than that."""
    found = attribute(value, name)
    if found <= 0:
        return -1 if found < 0 else 1
    call_void(api(Api.DECREF), found)
    return 0


def attribute(value: int, name: int) -> int:
    """An attribute of an object, found as `object` finds it; 0 if there is none, -1 after an exception.

    The function is told not to raise where there is none, which would take longer than all else; another Python's
    may raise nevertheless.
    """
    found = call(api(Api.GET_ATTRIBUTE), value, name, 0, 1)
    if found == 0 and call(api(Api.ERROR)) != 0:
        if call_int(api(Api.ERROR_MATCHES), api(Api.ATTRIBUTE_ERROR)) == 0:
            return -1
        call_void(api(Api.CLEAR_ERROR))
    return found


def own(values: int, found: int) -> None:
    """Note an object that is given back when the call is over."""
    place = word(values)
    set_word(place, found)
    set_word(values, place + WORD)


def is_array(value: int, wanted: int) -> int:
    """Whether an object is an array of a type, shape and layout."""
    return word(value + TYPE) == api(Api.ARRAY_TYPE) and is_like(value, wanted)


def is_device_array(value: int, wanted: int, device: int, target: int) -> int:
    """Whether an object is an array on a device of a type, shape and layout; then its description is written."""
    if word(value + TYPE) != word(device + Device.ARRAY_TYPE):
        return 0
    if word(value + word(device + Device.DEVICE_SLOT)) != word(device + Device.OBJECT):
        return 0
    if is_usable(word(value + word(device + Device.MEMORY_SLOT)), device) == 0:
        return 0
    described = word(value + word(device + Device.DESCRIBED_SLOT))
    set_word(target, described)
    return is_like(described, wanted)


def is_usable(memory: int, device: int) -> int:
    """Whether memory of a device is still there, and no other stream than that of this thread used it last."""
    if word(memory + TYPE) == word(device + Device.FOREIGN_TYPE):
        return word(memory + word(device + Device.OWNER_SLOT)) != api(Api.NONE)
    if word(memory + api(Api.BLOCK_MEMORY)) == api(Api.NONE):
        return 0
    return is_used_by(word(memory + api(Api.BLOCK_STREAM)), device)


def is_like(value: int, wanted: int) -> int:
    """Whether an array has a type, shape and layout."""
    kind = word(value + ARRAY_TYPE)
    is_native = 1 if kind == word(wanted + Array.TYPE) else is_native_order(kind)
    if not is_type(kind, wanted) or not is_layout(value, word(wanted + Array.FLAGS), is_native):
        return 0
    rank = word(wanted + Array.RANK)
    if half(value + ARRAY_RANK) != rank:
        return 0
    shape = word(value + ARRAY_SHAPE)
    for axis in range(rank):
        extent = word(shape + WORD * axis)
        known = word(wanted + Array.EXTENTS + WORD * axis)
        if known != extent and (known >= 0 or extent == 1):
            return 0
    return 1


def is_type(kind: int, wanted: int) -> int:
    """Whether a type of NumPy is the wanted one, in whatever byte order."""
    if kind == word(wanted + Array.TYPE):
        return 1
    number = half(kind + TYPE_NUMBER)
    return number == word(wanted + Array.NUMBER) or number == word(wanted + Array.OTHER_NUMBER)


def is_native_order(kind: int) -> int:
    """Whether the bytes of a type are in the order of this machine."""
    if byte(kind + TYPE_ORDER) == NATIVE_ORDER or byte(kind + TYPE_ORDER) == NO_ORDER:
        return 1
    return byte(kind + TYPE_ORDER) == NAMED_ORDER


def is_layout(array: int, wanted: int, is_native: int) -> int:
    """Whether an array lies in memory as flags, or a word instead of them, say."""
    flags = half(array + ARRAY_FLAGS)
    if wanted >= 0:
        return is_native and flags & wanted == wanted
    if wanted == Array.ANY_LAYOUT:
        return is_native
    is_ready = is_native and flags & (CONTIGUOUS | ALIGNED) == CONTIGUOUS | ALIGNED
    return not is_ready and (is_native or wanted == Array.OTHER_LAYOUT)


def is_equal(value: int, wanted: int, kind: int) -> int:
    """Whether an object is of a built-in type, exactly, and equal to another one of it."""
    if value == wanted:
        return 1
    if word(value + TYPE) != kind:
        return 0
    return call_int(api(Api.COMPARE), value, wanted, 2)


def is_true(answer: int) -> int:
    """Whether what a function answered is true, -1 if it raised; the answer is given back."""
    if answer == 0:
        return -1
    holds = call_int(api(Api.IS_TRUE), answer)
    call_void(api(Api.DECREF), answer)
    return holds


def copy_items(values: int, items: int, count: int, target: int) -> None:
    """Take the items of a list, which others may change while the call runs."""
    for index in range(count):
        found = word(items + WORD * index)
        call_void(api(Api.INCREF), found)
        own(values, found)
        set_word(target + WORD * index, found)


def copy_entries(values: int, entries: int, keys: int, count: int, target: int) -> int:
    """Take the values of a dict in the order of a tuple of keys; 0 if it has other keys."""
    for index in range(count):
        found = call(api(Api.GET_ITEM), entries, word(keys + TUPLE_ITEMS + WORD * index))
        if found == 0:
            return -1 if call(api(Api.ERROR)) != 0 else 0
        call_void(api(Api.INCREF), found)
        own(values, found)
        set_word(target + WORD * index, found)
    return 1


def copy_in_order(values: int, entries: int, keys: int, count: int, target: int) -> int:
    """Take the values of a dict; 0 if it has other keys than a tuple, or in another order."""
    place = stack(3)
    set_word(place, 0)
    for index in range(count):
        if call_int(api(Api.NEXT_ENTRY), entries, place, place + WORD, place + 2 * WORD) == 0:
            return 0
        known = word(keys + TUPLE_ITEMS + WORD * index)
        found = word(place + 2 * WORD)
        call_void(api(Api.INCREF), found)
        own(values, found)
        set_word(target + WORD * index, found)
        holds = is_equal(word(place + WORD), known, word(known + TYPE))
        if holds <= 0:
            return holds
    return 1


def copy_members(values: int, value: int, operation: int, target: int) -> int:
    """Take the attributes of an object that has just these in its dict."""
    if word(value + TYPE) != word(operation + Operation.THIRD):
        return 0
    members = call(api(Api.GET_DICT), value, 0)
    if members == 0:
        return -1
    own(values, members)
    count = word(operation + Operation.SECOND)
    if word(members + SIZE) != count:
        return 0
    return copy_entries(values, members, word(operation + Operation.FIRST), count, target)


def item(value: int, key: int, index: int) -> int:
    """The entry of a list or tuple at an index, or of a dict under a key; 0 if there is none, -1 after an exception."""
    kind = word(value + TYPE)
    if kind == api(Api.DICT_TYPE):
        found = call(api(Api.GET_ITEM), value, key)
        if found == 0 and call(api(Api.ERROR)) != 0:
            return -1
        return found
    if index < 0 or (kind != api(Api.LIST_TYPE) and kind != api(Api.TUPLE_TYPE)):
        return 0
    if index >= word(value + SIZE):
        return 0
    items = word(value + LIST_ITEMS) if kind == api(Api.LIST_TYPE) else value + TUPLE_ITEMS
    return word(items + WORD * index)


def are_names(operation: int) -> int:
    """Whether a namespace binds names as before: at once if it did not change, else name by name, else as Python says.

    The first word is the namespace, the second a table of names and objects, the third their number, and the last the
    version of the namespace that was found right. What Python is asked is the source of the operation.
    """
    names = word(operation + Operation.FIRST)
    version = word(names + DICT_VERSION) if api(Api.HAS_VERSIONS) != 0 else 0
    if version != 0 and version == word(operation + Operation.TARGET):
        return 1
    table = word(operation + Operation.SECOND)
    for index in range(word(operation + Operation.THIRD)):
        found = call(api(Api.GET_ITEM), names, word(table + 2 * WORD * index))
        if found == 0:
            if call(api(Api.ERROR)) != 0:
                return -1
            found = api(Api.UNBOUND)
        if found != word(table + 2 * WORD * index + WORD):
            return is_true(call(api(Api.CALL_NONE), word(table - WORD)))
    set_word(operation + Operation.TARGET, version)
    return 1


def are_distinct(values: int, places: int, count: int, area: int, size: int) -> int:
    """Whether some values are different objects. Many are put into a hash table of a size that is a power of two."""
    if size == 0:
        for index in range(count):
            value = word(values + word(places + WORD * index))
            for other in range(index):
                if word(values + word(places + WORD * other)) == value:
                    return 0
        return 1
    for index in range(size):
        set_word(area + WORD * index, 0)
    for index in range(count):
        value = word(values + word(places + WORD * index))
        slot = (value >> 4 ^ value >> 12) & (size - 1)
        found = word(area + WORD * slot)
        while found != 0:
            if found == value:
                return 0
            slot = (slot + 1) & (size - 1)
            found = word(area + WORD * slot)
        set_word(area + WORD * slot, value)
    return 1


def are_separate(values: int, arrays: int, count: int, area: int) -> int:
    """Whether no array that is written shares memory with another one; all are contiguous.

    An array is told by its place, its size in bytes (see `bytes_of`), and whether it is written. Sorted by where they
    begin, one must end before the next begins, if it or the next is written.
    """
    used = 0
    for index in range(count):
        told = arrays + 3 * WORD * index
        array = word(values + word(told))
        start = word(array + ARRAY_DATA)
        end = start + bytes_of(array, word(told + WORD))
        if start < end:
            set_range(area + 3 * WORD * used, start, end, word(told + 2 * WORD))
            used += 1
    sort_ranges(area, used)
    end_of_all = 0
    end_of_written = 0
    for index in range(used):
        place = area + 3 * WORD * index
        end = word(place + WORD)
        is_written = word(place + 2 * WORD)
        if word(place) < (end_of_all if is_written else end_of_written):
            return 0
        end_of_all = end if end > end_of_all else end_of_all
        if is_written and end > end_of_written:
            end_of_written = end
    return 1


def set_range(place: int, start: int, end: int, is_written: int) -> None:
    """Write a range of memory down."""
    set_word(place, start)
    set_word(place + WORD, end)
    set_word(place + 2 * WORD, is_written)


def sort_ranges(area: int, count: int) -> None:
    """Shell sort: there may be hundreds."""
    gap = count >> 1
    while gap > 0:
        for index in range(count):
            place = area + 3 * WORD * index
            start = word(place)
            end = word(place + WORD)
            is_written = word(place + 2 * WORD)
            at = index
            while at >= gap and word(area + 3 * WORD * (at - gap)) > start:
                other = area + 3 * WORD * (at - gap)
                set_range(area + 3 * WORD * at, word(other), word(other + WORD), word(other + 2 * WORD))
                at -= gap
            set_range(area + 3 * WORD * at, start, end, is_written)
        gap = gap >> 1


def bytes_of(array: int, size: int) -> int:
    """The size of an array, if it is not known: then `size` is that of an item, times -1."""
    if size >= 0:
        return size
    size = -size
    for axis in range(half(array + ARRAY_RANK)):
        size *= word(word(array + ARRAY_SHAPE) + WORD * axis)
    return size
