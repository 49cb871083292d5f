"""Native code: results are allocated, machine code runs, and what the caller gets is built."""

from __future__ import annotations

from ...planning.plan import ENTRY_WORDS
from ..memory.limit import POOLED_BYTES
from ..native_python.intrinsics import (
    api,
    byte,
    call,
    call_double,
    call_int,
    call_void,
    half,
    set_word,
    stack,
    word,
)
from ..native_python.layout import (
    ARRAY_BASE,
    ARRAY_DATA,
    ARRAY_FLAGS,
    LIST_ITEMS,
    MOST_ITEMS,
    SCALAR_WORDS,
    TUPLE_ITEMS,
    WORD,
    Api,
    Build,
    Code,
    Descriptor,
    Device,
    Frame,
    Numbers,
    Result,
    Step,
    View,
)
from .frames import failure, given_back, prepared, taken
from .number_lists import list_of, lists_of


def run_code(code: int, words: int, values: int) -> int:
    """Run machine code on values and build the result; 0 after an exception, or MISS."""
    frame = taken(code)
    if frame == 0:
        return 0
    table = word(frame + Frame.TABLE)
    inputs = word(words + Descriptor.INPUTS)
    count = word(words + Descriptor.INPUT_COUNT)
    for index in range(count):
        set_word(table + WORD * index, word(values + word(inputs + WORD * index)))
    outputs = table + WORD * count
    result = 0
    if prepared(code, frame) and allocated(code, frame, outputs):
        entered(code, frame, table)
        if word(code + Code.FAILS) != 0 and word(word(frame + Frame.RECORD)) != 0:
            result = failure(code, frame)
        else:
            if collected(code, frame, outputs):
                result = built(words, values, outputs)
        release_outputs(code, outputs, word(code + Code.RESULT_COUNT))
    given_back(code, frame)
    return result


def entered(code: int, frame: int, table: int) -> None:
    """Enter machine code; without the interpreter's lock if that may take long."""
    workspace = word(frame + Frame.WORKSPACE)
    record = word(frame + Frame.RECORD)
    if word(code + Code.RELEASES) == 0:
        call_void(word(code + Code.ENTRY), table, workspace, record)
    else:
        thread = call(api(Api.SAVE_THREAD))
        call_void(word(code + Code.ENTRY), table, workspace, record)
        call_void(api(Api.RESTORE_THREAD), thread)


def allocated(code: int, frame: int, outputs: int) -> int:
    """Make memory for all results whose extents are known; 0 after an exception."""
    results = word(code + Code.RESULTS)
    place = stack(1)
    set_word(place, word(frame + Frame.SIZES))
    for index in range(word(code + Code.RESULT_COUNT)):
        result = word(results + WORD * index)
        array = word(frame + Frame.SCALARS) + SCALAR_WORDS * WORD * index
        if word(result + Result.KIND) == Result.ARRAY:
            shape = result + Result.EXTENTS
            size = word(result + Result.BYTES)
            if size < 0:
                shape = word(frame + Frame.SHAPE)
                size = fill_shape(result, shape, place)
            array = new_array(word(result + Result.TYPE), word(result + Result.RANK), shape, size)
        if array == 0:
            release_outputs(code, outputs, index)
            return 0
        set_word(outputs + WORD * index, 0 if word(result + Result.KIND) == Result.ON_HEAP else array)
    return 1


def collected(code: int, frame: int, outputs: int) -> int:
    """Make the arrays of the results in heap blocks, of which the first belong to them; 0 after an exception."""
    results = word(code + Code.RESULTS)
    count = word(code + Code.RESULT_COUNT)
    entry = word(outputs + WORD * count)  # behind the arrays: the table of blocks, and the extents
    place = stack(1)
    set_word(place, word(outputs + WORD * (count + 1)))
    shape = word(frame + Frame.SHAPE)
    for index in range(count):
        result = word(results + WORD * index)
        if word(result + Result.KIND) == Result.ON_HEAP:
            size = fill_shape(result, shape, place)
            array = call(
                api(Api.TAKE_BLOCK),
                word(result + Result.TYPE),
                word(result + Result.RANK),
                shape,
                size,
                entry,
            )
            if array == 0:
                return 0
            set_word(outputs + WORD * index, array)
            entry += WORD * ENTRY_WORDS
    return 1


def fill_shape(result: int, shape: int, sizes: int) -> int:
    """Write the shape of a result with the extents that are known now; returns its size in bytes."""
    size = -word(result + Result.BYTES)
    for axis in range(word(result + Result.RANK)):
        extent = word(result + Result.EXTENTS + WORD * axis)
        if extent < 0:
            extent = word(word(sizes))
            set_word(sizes, word(sizes) + WORD)
        set_word(shape + WORD * axis, extent)
        size *= extent
    return size


def new_array(kind: int, rank: int, shape: int, size: int) -> int:
    """Allocate the array of a result of a size in bytes: all of them are made here."""
    if size >= POOLED_BYTES:
        return call(api(Api.NEW_LARGE_ARRAY), kind, rank, shape, size)
    call_void(api(Api.INCREF), kind)
    return call(api(Api.NEW_ARRAY), api(Api.ARRAY_TYPE), kind, rank, shape, 0, 0, 0, 0)


def release_outputs(code: int, outputs: int, count: int) -> None:
    """Give back the arrays of the first results."""
    results = word(code + Code.RESULTS)
    for index in range(count):
        if word(word(results + WORD * index) + Result.KIND) != Result.SCALAR:
            call_void(api(Api.DECREF), word(outputs + WORD * index))  # which is 0 where there is none yet


def built(words: int, values: int, outputs: int) -> int:
    """Build what the caller gets, by the steps of a descriptor; 0 after an exception."""
    bottom = stack(word(words + Descriptor.DEPTH))
    top = bottom
    step = word(words + Descriptor.STEPS)
    while word(step + Step.CODE) != Build.END:
        code = word(step + Step.CODE)
        first = word(step + Step.FIRST)
        second = word(step + Step.SECOND)
        if code == Build.CHOICE or code == Build.JUMP:
            step += first if code == Build.JUMP else chosen(word(outputs + WORD * first), second)
            continue
        made = 0
        if code <= Build.LAST_ALONE:
            made = built_alone(step, words, values, outputs)
        elif code >= Build.STORE_ITEM:
            if is_stored(code, word(values + first), second, word(bottom + word(step + Step.THIRD))):
                step += Step.SIZE
                continue
        else:
            top -= WORD * first
            made = built_of(code, top, first, second)
        if made == 0:
            while bottom < top:
                top -= WORD
                call_void(api(Api.DECREF), word(top))
            return 0
        set_word(top, made)
        top += WORD
        step += Step.SIZE
    while bottom + WORD < top:  # what was stored
        top -= WORD
        call_void(api(Api.DECREF), word(top))
    return word(bottom)


def chosen(output: int, table: int) -> int:
    """How far behind a step the steps of the option begin that a result without dimensions chooses."""
    data = word(output + ARRAY_DATA)
    return word(table + WORD + WORD * (byte(data) if word(table) == Numbers.TRUTH else word(data)))


def is_stored(code: int, owner: int, place: int, value: int) -> int:
    """Store a value where a program changes Python's state; 0 after an exception."""
    if code == Build.STORE_ITEM:
        return call_int(api(Api.STORE_ITEM), owner, place, value) == 0
    if code == Build.STORE_ATTRIBUTE:
        return call_int(api(Api.STORE_ATTRIBUTE), owner, place, value) == 0
    if code == Build.STORE_IN_CELL:
        return call_int(api(Api.STORE_IN_CELL), owner, value) == 0
    return call_int(api(Api.STORE_ITEMS), owner, place, MOST_ITEMS, value) == 0


def built_alone(step: int, words: int, values: int, outputs: int) -> int:
    """What a step makes that takes nothing from those before it; 0 after an exception."""
    code = word(step + Step.CODE)
    first = word(step + Step.FIRST)
    second = word(step + Step.SECOND)
    if code == Build.LEAF:
        return kept(word(values + first))
    if code == Build.VIEW:
        return viewed(word(values + first), second)
    if code == Build.CONSTANT:
        return kept(first)
    if code == Build.PYTHON:
        return built_by_python(words, values, outputs, first, second)
    return built_of_output(step, outputs)


def built_of_output(step: int, outputs: int) -> int:
    """What a step makes of a result; 0 after an exception."""
    code = word(step + Step.CODE)
    output = word(outputs + WORD * word(step + Step.FIRST))
    second = word(step + Step.SECOND)
    if code == Build.OUTPUT:
        return kept(output)
    if code == Build.DEVICE_OUTPUT:
        return new_device_array(output, second)
    if code == Build.NUMBERS:
        return list_of(output, second)
    if code == Build.LISTS:
        starts = word(outputs + WORD * word(second))
        return lists_of(output, word(step + Step.THIRD), starts, word(outputs + WORD * word(second + WORD)))
    data = word(output + ARRAY_DATA)
    if code == Build.SCALAR:
        return call(api(Api.TO_SCALAR), data, second, 0)
    if code == Build.INTEGER:
        return call(api(Api.FROM_INTEGER), word(data))
    if code == Build.FLOAT:
        return call_double(api(Api.FROM_FLOAT), word(data))
    return call(api(Api.FROM_TRUTH), byte(data))


def kept(value: int) -> int:
    """An object, with one more reference to it."""
    call_void(api(Api.INCREF), value)
    return value


def viewed(array: int, view: int) -> int:
    """A view of a contiguous array of the call, which may be written if both may; 0 after an exception."""
    kind = word(view + View.TYPE)
    rank = word(view + View.RANK)
    extents = view + View.EXTENTS
    strides = extents + WORD * rank
    data = word(array + ARRAY_DATA) + word(view + View.OFFSET)
    flags = half(array + ARRAY_FLAGS) & word(view + View.FLAGS)
    call_void(api(Api.INCREF), kind)
    made = call(api(Api.NEW_ARRAY), api(Api.ARRAY_TYPE), kind, rank, extents, strides, data, flags, 0)
    if made != 0 and call_int(api(Api.SET_BASE), made, kept(array)) < 0:  # which takes the array in any case
        call_void(api(Api.DECREF), made)
        return 0
    return made


def new_device_array(described: int, device: int) -> int:
    """The array on a device whose description was made for a call; 0 after an exception."""
    made = call(api(Api.NEW_OBJECT), word(device + Device.ARRAY_TYPE), 0)
    if made != 0:
        set_word(made + word(device + Device.DESCRIBED_SLOT), kept(described))
        set_word(made + word(device + Device.DEVICE_SLOT), kept(word(device + Device.OBJECT)))
        set_word(made + word(device + Device.MEMORY_SLOT), kept(word(described + ARRAY_BASE)))
    return made


def built_of(code: int, parts: int, count: int, second: int) -> int:
    """Build a container of some parts, which are given away in any case."""
    made = 0
    if code == Build.TUPLE:
        made = call(api(Api.NEW_TUPLE), count)
    elif code == Build.LIST:
        made = call(api(Api.NEW_LIST), count)
    elif code == Build.DICT:
        made = call(api(Api.NEW_DICT))
    else:
        made = call(api(Api.VECTORCALL), second, parts, count, 0)
    if made != 0 and (code == Build.TUPLE or code == Build.LIST):
        items = made + TUPLE_ITEMS if code == Build.TUPLE else word(made + LIST_ITEMS)
        for index in range(count):
            set_word(items + WORD * index, word(parts + WORD * index))
        return made
    for index in range(count):
        if code == Build.DICT and made != 0:
            key = word(second + TUPLE_ITEMS + WORD * index)
            if call_int(api(Api.SET_ITEM), made, key, word(parts + WORD * index)) < 0:
                call_void(api(Api.DECREF), made)
                made = 0
        call_void(api(Api.DECREF), word(parts + WORD * index))
    return made


def built_by_python(words: int, values: int, outputs: int, function: int, count: int) -> int:
    """Let Python build it: it gets the computed arrays, the arrays of the call, and its arguments."""
    passed = stack(3)
    made = 0
    set_word(passed, listed(outputs, count))
    if word(passed) != 0:
        set_word(passed + WORD, leaves_of(words, values))
        if word(passed + WORD) != 0:
            set_word(passed + 2 * WORD, slots_of(words, values))
            if word(passed + 2 * WORD) != 0:
                made = call(api(Api.VECTORCALL), function, passed, 3, 0)
                call_void(api(Api.DECREF), word(passed + 2 * WORD))
            call_void(api(Api.DECREF), word(passed + WORD))
        call_void(api(Api.DECREF), word(passed))
    return made


def run_python(words: int, values: int) -> int:
    """Let Python run what was found: it gets the arrays of the call, and its arguments."""
    passed = stack(2)
    made = 0
    set_word(passed, leaves_of(words, values))
    if word(passed) != 0:
        set_word(passed + WORD, slots_of(words, values))
        if word(passed + WORD) != 0:
            made = call(api(Api.VECTORCALL), word(words + Descriptor.PYTHON), passed, 2, 0)
            call_void(api(Api.DECREF), word(passed + WORD))
        call_void(api(Api.DECREF), word(passed))
    return made


def leaves_of(words: int, values: int) -> int:
    """A list of the arrays of a call."""
    places = word(words + Descriptor.LEAVES)
    count = word(words + Descriptor.LEAF_COUNT)
    made = call(api(Api.NEW_LIST), count)
    if made != 0:
        for index in range(count):
            set_word(word(made + LIST_ITEMS) + WORD * index, kept(word(values + word(places + WORD * index))))
    return made


def slots_of(words: int, values: int) -> int:
    """A list of the arguments of a call."""
    return listed(values + WORD, word(words + Descriptor.SLOTS))


def listed(objects: int, count: int) -> int:
    """A list of objects."""
    made = call(api(Api.NEW_LIST), count)
    if made != 0:
        for index in range(count):
            set_word(word(made + LIST_ITEMS) + WORD * index, kept(word(objects + WORD * index)))
    return made
