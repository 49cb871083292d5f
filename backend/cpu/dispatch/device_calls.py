"""Native code: calls of machine code that works on a device, whose results are arrays there.

Where anything is not as always, a call is left to Python before the machine code has begun.
"""

from __future__ import annotations

from ..native_python.intrinsics import api, call, call_int, call_void, set_word, stack, word
from ..native_python.layout import MISS, TYPE, WORD, WORDS, Api, Code, Descriptor, Device, Frame, Result
from .device_streams import current_stream, handle_of, is_entered
from .frames import failure, given_back, taken
from .python_calls import call_one
from .results import built, fill_shape, kept

_IN_C_ORDER = 0x501
"""The flags of NumPy of an array that is contiguous, aligned, and may be written."""


def run_on_device(code: int, words: int, values: int) -> int:
    """Run machine code on values and build the result; 0 after an exception, or MISS."""
    device = word(code + Code.DEVICE)
    stream = current_stream(device)
    if stream == 0 or is_entered(device) == 0 or (word(code + Code.TOLD_AT) != 0 and is_deferred(device)):
        return MISS
    frame = taken(code)
    if frame == 0:
        return 0
    call_void(api(Api.INCREF), stream)
    result = run_on_stream(code, words, values, frame, stream)
    call_void(api(Api.DECREF), stream)
    given_back(code, frame)
    return result


def is_deferred(device: int) -> int:
    """Whether checks are not waited for, or some of before are not known yet, which come first."""
    return word(word(device + Device.DEFERRAL)) != 0 or word(word(device + Device.UNCHECKED)) != 0


def run_on_stream(code: int, words: int, values: int, frame: int, stream: int) -> int:
    """Run machine code with a frame on a stream."""
    device = word(code + Code.DEVICE)
    handle = handle_of(stream, device)
    table = word(frame + Frame.TABLE)
    inputs = word(words + Descriptor.INPUTS)
    count = word(words + Descriptor.INPUT_COUNT)
    for index in range(count):
        set_word(table + WORD * index, word(values + word(inputs + WORD * index)))
    outputs = table + WORD * count
    size = word(code + Code.WORKSPACE_BYTES)
    if word(code + Code.SIZES) != 0:
        sizes = word(frame + Frame.SIZES)
        call_void(word(code + Code.SIZES), table, sizes)
        if size == 0:
            size = word(sizes + word(code + Code.WORKSPACE_AT))
    result = MISS
    workspace = reserved_block(device, size, handle) if size > 0 else 0
    is_placed = 0
    if workspace != 0 or size == 0:
        is_placed = placed(code, frame, outputs, stream)
    if is_placed:
        launched(code, frame, workspace, handle)
    if workspace != 0:
        call_int(word(device + Device.FREE), workspace, handle)
    if is_placed:
        if word(word(frame + Frame.RECORD)) != 0:
            result = failure(code, frame)
        else:
            result = built(words, values, outputs)
        released(outputs, word(code + Code.RESULT_COUNT))
    return result


def reserved_block(device: int, size: int, handle: int) -> int:
    """A block of memory of the device, for use on a stream; 0 where it has no room."""
    place = stack(1)
    if call_int(word(device + Device.ALLOCATE), place, size, word(device + Device.POOL), handle) != 0:
        return 0
    return word(place)


def placed(code: int, frame: int, outputs: int, stream: int) -> int:
    """Make memory for all results, and what tells where it is; 0 if that fails, and then nothing is left of it."""
    results = word(code + Code.RESULTS)
    place = stack(1)
    set_word(place, word(frame + Frame.SIZES))
    for index in range(word(code + Code.RESULT_COUNT)):
        result = word(results + WORD * index)
        shape = result + Result.EXTENTS
        size = word(result + Result.BYTES)
        if size < 0:
            shape = word(frame + Frame.SHAPE)
            size = fill_shape(result, shape, place)
        described = new_description(word(code + Code.DEVICE), result, shape, size, stream)
        if described == 0:
            released(outputs, index)
            return 0
        set_word(outputs + WORD * index, described)
    return 1


def new_description(device: int, result: int, shape: int, size: int, stream: int) -> int:
    """What stands for a new array on the device and keeps its memory; 0 if that fails."""
    handle = handle_of(stream, device)
    address = reserved_block(device, size if size > 0 else 1, handle)
    if address == 0:
        return 0
    owner = new_owner(device, address, size, stream)
    if owner == 0:
        call_void(api(Api.CLEAR_ERROR))
        call_int(word(device + Device.FREE), address, handle)
        return 0
    kind = word(result + Result.TYPE)
    call_void(api(Api.INCREF), kind)
    described = call(
        api(Api.NEW_ARRAY),
        word(device + Device.DESCRIPTION_TYPE),
        kind,
        word(result + Result.RANK),
        shape,
        0,
        address,
        _IN_C_ORDER,
        0,
    )
    if described == 0:
        call_void(api(Api.CLEAR_ERROR))
        call_void(api(Api.DECREF), owner)
    elif call_int(api(Api.SET_BASE), described, owner) < 0:  # which takes the owner in any case
        call_void(api(Api.CLEAR_ERROR))
        call_void(api(Api.DECREF), described)
        described = 0
    return described


def new_owner(device: int, address: int, size: int, stream: int) -> int:
    """A block, which frees memory on a stream when it goes; 0 after an exception."""
    place = call(api(Api.FROM_INTEGER), address)
    length = call(api(Api.FROM_INTEGER), size)
    block = call(api(Api.NEW_OBJECT), api(Api.BLOCK_TYPE), 0) if place != 0 and length != 0 else 0
    if block == 0:
        if place != 0:
            call_void(api(Api.DECREF), place)
        if length != 0:
            call_void(api(Api.DECREF), length)
        return 0
    set_word(block + api(Api.BLOCK_ADDRESS), place)
    set_word(block + api(Api.BLOCK_SIZE), length)
    set_word(block + api(Api.BLOCK_STREAM), kept(stream))
    set_word(block + api(Api.BLOCK_MEMORY), kept(word(device + Device.MEMORY)))
    return block


def weft_drop_block(block: int, nothing: int) -> int:
    """Free the memory of a block that was not freed yet: `Block.drop`, which is called for what is not as always."""
    memory = word(block + api(Api.BLOCK_MEMORY))
    if memory == api(Api.NONE):
        return kept(memory)
    device = 0
    if memory != 0 and word(memory + TYPE) == api(Api.MEMORY_TYPE):
        device = word(memory + WORDS)
    handle = handle_of(word(block + api(Api.BLOCK_STREAM)), device) if device != 0 else 0
    if handle == 0:
        return call_one(api(Api.DROP_BLOCK), block)
    set_word(block + api(Api.BLOCK_MEMORY), kept(api(Api.NONE)))
    if is_entered(device):
        address = call(api(Api.TO_INTEGER), word(block + api(Api.BLOCK_ADDRESS)))
        call_int(word(device + Device.FREE), address, handle)
    call_void(api(Api.DECREF), memory)
    return kept(api(Api.NONE))


def launched(code: int, frame: int, workspace: int, handle: int) -> None:
    """Enter machine code without the interpreter's lock: the driver may let it wait; then wait for its checks."""
    record = word(frame + Frame.RECORD)
    set_word(record + word(code + Code.STREAM_AT), handle)
    polls = word(code + Code.POLLS)
    if polls != 0:
        set_word(record + polls, 0)
        set_word(record + polls + WORD, 0)
    thread = call(api(Api.SAVE_THREAD))
    call_void(word(code + Code.ENTRY), word(frame + Frame.TABLE), workspace, record)
    if word(code + Code.TOLD_AT) != 0 and word(record) == 0:
        wait_for_checks(code, record, handle)
    call_void(api(Api.RESTORE_THREAD), thread)


def wait_for_checks(code: int, record: int, handle: int) -> None:
    """Note in the error record whether a check on the device has failed, of which Python reads all then."""
    device = word(code + Code.DEVICE)
    place = stack(1)
    set_word(place, 0)
    refused = call_int(
        word(device + Device.READ), place, word(record + word(code + Code.TOLD_AT)), WORD, handle
    )
    if refused == 0:
        refused = call_int(word(device + Device.WAIT), handle)
    if refused != 0:
        set_word(record, word(device + Device.REFUSED))
        set_word(record + WORD, refused)
        set_word(record + 2 * WORD, word(device + Device.READING))
        set_word(record + 3 * WORD, WORD)
    else:
        set_word(record, word(place))


def released(outputs: int, count: int) -> None:
    """Give back what stands for the first results."""
    for index in range(count):
        call_void(api(Api.DECREF), word(outputs + WORD * index))
